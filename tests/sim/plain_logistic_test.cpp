// What the audit of logistic regressions goes by: the objective with its intercept, gradients, steps and gaps, and
// which commits and certificates it refuses.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "lasso/check/check_solutions.hpp"
#include "lasso/problem/payloads.hpp"
#include "strads_sim/audit/lasso_audit.hpp"
#include "strads_sim/audit/plain_logistic.hpp"
#include "strads_sim/made_up_data.hpp"

namespace strads::simulator {
namespace {

using testing::HasSubstr;

MadeUpData of_classes(bool genotypes, bool sparse) {
  return {.rows = 30,
          .columns = 12,
          .genotypes = genotypes,
          .sparse = sparse,
          .weights = true,
          .factors = true,
          .classes = true};
}

/// A small problem, what is asked of it, and some coefficients.
struct Classes {
  std::shared_ptr<const Dataset> data;
  AuditedLasso asked;
  PlainLogistic plain;
  std::vector<double> b;
  PlainPenalty penalty;

  explicit Classes(const MadeUpData& made, bool intercept = true, bool center = true)
      : data(made_up(made)), plain(PlainColumns(*data, center, true), intercept), b(made.columns, 0.0) {
    asked.family = "binomial";
    asked.intercept = intercept;
    asked.center = center;
    asked.l1_ratio = 0.7;
    asked.lambda_ratio = 0.3;
    const double lambda = asked.lambda_ratio * plain.l1_max(false) / asked.l1_ratio;
    const auto& roots = plain.columns().roots;
    penalty = {lambda * asked.l1_ratio, lambda * (1 - asked.l1_ratio) / std::sqrt(plain_dot(roots, roots)), false};
    for (std::size_t j = 0; j < b.size(); j += 3) b[j] = j % 2 == 0 ? 1.5 : -0.5;
  }
  /// Written out a second time: at any constant.
  [[nodiscard]] double loss(const std::vector<double>& at, double constant) const {
    const PlainColumns& columns = plain.columns();
    double sum = 0;
    for (std::size_t i = 0; i < columns.y.size(); ++i) {
      double eta = constant;
      for (std::size_t j = 0; j < at.size(); ++j) eta += at[j] * columns.x[j][i] / columns.roots[i];
      sum += columns.roots[i] * columns.roots[i] * (std::log(1 + std::exp(eta)) - columns.y[i] * eta);
    }
    return sum;
  }
  [[nodiscard]] double objective(const std::vector<double>& at) const { return plain.objective(at, penalty); }
  /// One update of every variable.
  void sweep() {
    for (VarId j = 0; j < b.size(); ++j) {
      const double gradient = plain.certificate(b, penalty).gradients[j];
      b[j] += plain.step(j, b[j], gradient, penalty).delta;
    }
  }
};

std::vector<Classes> every_kind() {
  std::vector<Classes> all;
  for (const auto& [genotypes, sparse] : {std::pair{false, false}, {true, false}, {false, true}}) {
    all.emplace_back(of_classes(genotypes, sparse));
    all.emplace_back(of_classes(genotypes, sparse), true, false);
    all.emplace_back(of_classes(genotypes, sparse), false, false);
  }
  return all;
}

TEST(PlainLogistic, HasTheLossOfTheBestIntercept) {
  for (const Classes& classes : every_kind()) {
    const double best = classes.plain.objective(classes.b, {});
    std::vector<double> scores;
    for (std::size_t i = 0; i < classes.plain.columns().y.size(); ++i) {
      double eta = 0;
      for (std::size_t j = 0; j < classes.b.size(); ++j) eta += classes.b[j] * classes.plain.columns().x[j][i];
      scores.push_back(eta / classes.plain.columns().roots[i]);
    }
    const double constant = classes.plain.intercept(scores);
    EXPECT_NEAR(best, classes.loss(classes.b, constant), 1e-13 * best);
    if (!classes.asked.intercept) {
      EXPECT_EQ(constant, 0);
      continue;
    }
    for (const double beside : {-1e-3, 1e-3, -1.0, 1.0}) EXPECT_LT(best, classes.loss(classes.b, constant + beside));
  }
}

TEST(PlainLogistic, HasTheGradientsThatDifferencesHave) {
  constexpr double kStep = 1e-5;
  for (const Classes& classes : every_kind()) {
    const auto gradients = classes.plain.certificate(classes.b, {}).gradients;
    for (std::size_t j = 0; j < classes.b.size(); ++j) {
      auto up = classes.b, down = classes.b;
      up[j] += kStep;
      down[j] -= kStep;
      const double slope = (classes.plain.objective(up, {}) - classes.plain.objective(down, {})) / (2 * kStep);
      EXPECT_NEAR(gradients[j], -slope, 1e-8);
    }
  }
}

TEST(PlainLogistic, TakesStepsThatLowerTheObjectiveByWhatTheyPromise) {
  for (const Classes& classes : every_kind()) {
    const auto gradients = classes.plain.certificate(classes.b, classes.penalty).gradients;
    for (VarId j = 0; j < classes.b.size(); ++j) {
      const PlainStep step = classes.plain.step(j, classes.b[j], gradients[j], classes.penalty);
      EXPECT_GE(step.decrease, 0);
      auto moved = classes.b;
      moved[j] += step.delta;
      EXPECT_GE(classes.objective(classes.b) - classes.objective(moved), step.decrease - 1e-12);
    }
  }
}

TEST(PlainLogistic, HasGapsThatAreBoundsAndVanishAtTheSolution) {
  for (Classes& classes : every_kind()) {
    std::vector<PlainCertificate> seen;
    for (int sweep = 0; sweep < 500; ++sweep) {
      if (sweep % 20 == 0) seen.push_back(classes.plain.certificate(classes.b, classes.penalty));
      classes.sweep();
    }
    const PlainCertificate last = classes.plain.certificate(classes.b, classes.penalty);
    EXPECT_LE(last.gap, 1e-10);
    EXPECT_GT(last.nonzeros, 0U);
    for (const PlainCertificate& one : seen) {
      EXPECT_GE(one.gap, one.objective - last.objective - 1e-11);
      EXPECT_GE(one.gap, one.largest_decrease - 1e-11);
    }
  }
}

TEST(PlainLogistic, ExplainsNothingWithZerosWhichAreTheSolutionFromLambdaMaxOn) {
  for (const Classes& classes : every_kind()) {
    const std::vector<double> zeros(classes.b.size(), 0.0);
    const double l1_max = classes.plain.l1_max(false);
    const PlainCertificate at = classes.plain.certificate(zeros, {l1_max, 0.1, false});
    EXPECT_EQ(at.explained, 0);
    EXPECT_NEAR(at.gap, 0, 1e-12);
    EXPECT_EQ(at.objective, classes.plain.null_objective());
    EXPECT_GT(classes.plain.certificate(zeros, {0.99 * l1_max, 0.1, false}).largest_decrease, 0);
    EXPECT_GT(classes.plain.certificate(zeros, {0.99 * l1_max, 0.1, false}).gap, 0);
  }
}

TEST(PlainLogistic, HasGapsOfCoefficientsThatAreNotNegative) {
  Classes classes(of_classes(false, false));
  classes.penalty.nonnegative = true;
  for (double& b : classes.b) b = std::max(b, 0.0);
  for (int sweep = 0; sweep < 500; ++sweep) classes.sweep();
  EXPECT_GE(std::ranges::min(classes.b), 0);
  EXPECT_LE(classes.plain.certificate(classes.b, classes.penalty).gap, 1e-10);
  EXPECT_LE(classes.plain.l1_max(true), classes.plain.l1_max(false));
}

TEST(PlainLogistic, FindsWhatTheCheckOfSolutionsFinds) {
  for (const Classes& classes : every_kind()) {
    lasso::LassoOptions options;
    options.family = lasso::Family::binomial;
    options.intercept = classes.asked.intercept;
    options.center = classes.asked.center;
    options.l1_ratio = classes.asked.l1_ratio;
    lasso::Solution claim;
    claim.lambda = classes.penalty.l1 / options.l1_ratio;
    for (VarId j = 0; j < classes.b.size(); ++j) {
      if (classes.b[j] == 0) continue;
      claim.variables.push_back(j);
      claim.standardized.push_back(classes.b[j]);
    }
    SerialChunks chunks;
    lasso::SolutionCheck check(classes.data, options, chunks);
    const auto figures = check.recompute(std::span(&claim, 1));
    const PlainCertificate found = classes.plain.certificate(classes.b, classes.penalty);
    const double allowed = 1e-13 * classes.plain.null_objective();
    EXPECT_NEAR(figures[0].objective, found.objective, allowed);
    EXPECT_NEAR(figures[0].gap, found.gap, allowed);
    EXPECT_NEAR(check.lambda_max(), classes.plain.l1_max(false) / options.l1_ratio, 1e-13 * check.lambda_max());
    EXPECT_NEAR(check.response_squared(), 2 * classes.plain.null_objective(), allowed);
  }
}

// --- what the audit says of commits ---

/// A run of `auto` with one joint round of all variables, message by message.
class AuditOfClasses : public testing::Test {
 protected:
  AuditOfClasses() : classes_(of_classes(false, false)), audit_(*classes_.data, classes_.asked), b_(12, 0.0) {
    start_.lambda_max = classes_.plain.l1_max(false) / classes_.asked.l1_ratio;
    start_.lambda = classes_.asked.lambda_ratio * start_.lambda_max;
    start_.kept = 12;
    start_.response_squared = 2 * classes_.plain.null_objective();
  }
  void begin() {
    std::vector<VarId> all;
    for (VarId j = 0; j < 12; ++j) all.push_back(j);
    audit_.begin(payload_of(start_), {all});
    PhasePlan plan;
    plan.mode = PhasePlan::Mode::joint;
    plan.content.ids = all;
    audit_.judged(plan, -1);
  }
  /// By so much, times 1; `more` is added to what is true.
  void commit(VarId j, double change, double more = 0) {
    const double before = classes_.objective(b_);
    b_[j] += change;
    const double after = classes_.objective(b_);
    const Payload changes{{j}, {change}};
    sim::AuditedCommit commit;
    commit.version = 0;
    commit.blocks = {{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}};
    commit.objective = after + more;
    commit.realised = before - commit.objective;
    commit.changes = &changes;
    audit_.committed(commit);
  }
  void certify(double gap_off) {
    PhasePlan verify;
    verify.verdict = PhasePlan::Verdict::stop;
    audit_.judged(verify, 0);
    const PlainCertificate found = classes_.plain.certificate(b_, classes_.penalty);
    Certificate said;
    said.objective = found.objective;
    said.gap = found.gap + gap_off;
    said.relative_gap = found.gap / found.objective;
    said.nonzeros = found.nonzeros;
    audit_.certified(said);
  }
  /// The steepest variable and a step of it that lowers F.
  [[nodiscard]] std::pair<VarId, double> good_step() const {
    const auto at = classes_.plain.certificate(b_, classes_.penalty);
    VarId best = 0;
    for (VarId j = 0; j < 12; ++j) {
      if (step(at, j).decrease > step(at, best).decrease) best = j;
    }
    return {best, step(at, best).delta};
  }
  [[nodiscard]] PlainStep step(const PlainCertificate& at, VarId j) const {
    return classes_.plain.step(j, b_[j], at.gradients[j], classes_.penalty);
  }
  [[nodiscard]] std::string found() const {
    return audit_.finding().has_value() ? audit_.finding()->where + ": " + audit_.finding()->found : "";
  }

  Classes classes_;
  LassoAudit audit_;
  lasso::Start start_;
  std::vector<double> b_;
};

TEST_F(AuditOfClasses, FindsNothingWrongWithWhatIsTrue) {
  begin();
  const auto [j, delta] = good_step();
  commit(j, delta);
  certify(0);
  EXPECT_EQ(found(), "");
}

TEST_F(AuditOfClasses, TakesAnInterceptThatIsNearlyTheBest) {
  begin();
  const auto [j, delta] = good_step();
  commit(j, delta, 1e-10 * classes_.plain.null_objective());
  EXPECT_EQ(found(), "");
}

TEST_F(AuditOfClasses, RefusesAnotherObjective) {
  begin();
  const auto [j, delta] = good_step();
  commit(j, delta, 1e-9 * classes_.plain.null_objective());
  EXPECT_THAT(found(), HasSubstr("commit 0: objective = "));
}

TEST_F(AuditOfClasses, RefusesAnObjectiveThatRises) {
  begin();
  const auto [j, delta] = good_step();
  commit(j, -0.01 * delta);
  EXPECT_THAT(found(), HasSubstr("commit 0: an objective that is really "));
}

TEST_F(AuditOfClasses, RefusesAnotherGap) {
  begin();
  const auto [j, delta] = good_step();
  commit(j, delta);
  certify(1e-9 * classes_.plain.null_objective());
  EXPECT_THAT(found(), HasSubstr("the barrier at version 0: gap = "));
}

TEST_F(AuditOfClasses, RefusesAnotherProblem) {
  start_.response_squared *= 1 + 1e-8;
  begin();
  EXPECT_THAT(found(), HasSubstr("START: F(0) = "));
}

TEST_F(AuditOfClasses, RefusesAnotherLambdaMax) {
  start_.lambda_max *= 1 + 1e-7;
  begin();
  EXPECT_THAT(found(), HasSubstr("START: lambda_max = "));
}

// --- the data ---

TEST(MadeUpClasses, AreBothThereAndOtherwiseTheSameData) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    MadeUpData made{.seed = seed, .weights = true};
    const auto numbers = made_up(made);
    made.classes = true;
    const auto classes = made_up(made);
    const auto t = classes->response();
    EXPECT_EQ(std::ranges::count(t, 1), 15);
    EXPECT_EQ(std::ranges::count(t, 0), 15);
    EXPECT_TRUE(std::ranges::equal(numbers->columns().weights, classes->columns().weights));
    EXPECT_NE(classes->classes()[0], classes->classes()[1]);
    EXPECT_EQ(numbers->classes()[0], "");
  }
}

}  // namespace
}  // namespace strads::simulator
