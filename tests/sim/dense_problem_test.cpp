// What the audit of every family goes by: the objective with its intercept, gradients, steps and gaps, and which
// commits and certificates it refuses.
#include "lasso/check/dense_problem.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "lasso/problem/payloads.hpp"
#include "strads_sim/audit/lasso_audit.hpp"
#include "strads_sim/made_up_data.hpp"

namespace strads::simulator {
namespace {

using lasso::DenseProblem;
using lasso::PlainCertificate;
using lasso::PlainPenalty;
using lasso::PlainStep;
using testing::HasSubstr;

/// A small problem, what is asked of it, and some coefficients.
struct DenseCase {
  std::shared_ptr<const Dataset> data;
  AuditedLasso asked;
  DenseProblem plain;
  double lambda;
  std::vector<double> b;
  PlainPenalty penalty;

  DenseCase(const MadeUpData& made, const AuditedLasso& how)
      : data(made_up(made)),
        asked(how),
        plain(data, options_of(asked)),
        lambda(asked.lambda_ratio * plain.lambda_max()),
        b(made.columns, 0.0),
        penalty(plain.penalty(lambda)) {
    for (std::size_t j = 0; j < b.size(); j += 3) b[j] = j % 2 == 0 || asked.nonnegative ? 1.5 : -0.5;
  }
  [[nodiscard]] bool has_constant() const { return asked.intercept && !asked.is_squares(); }
  [[nodiscard]] std::vector<double> zeros() const { return std::vector<double>(b.size(), 0.0); }
  [[nodiscard]] double weight(std::size_t i) const {
    return data->columns().weights.empty() ? 1.0 : data->columns().weights[i];
  }
  /// Written out a second time: at any constant.
  [[nodiscard]] double loss(double constant) const {
    const auto y = data->response();
    double total = 0, mean = 0, squares = 0, sum = 0;
    for (std::size_t i = 0; i < y.size(); ++i) {
      total += weight(i);
      mean += weight(i) * y[i];
    }
    mean /= total;
    for (std::size_t i = 0; i < y.size(); ++i) squares += weight(i) * (y[i] - mean) * (y[i] - mean);
    for (std::size_t i = 0; i < y.size(); ++i) {
      double eta = constant;
      for (VarId j = 0; j < b.size(); ++j) eta += b[j] * plain.column(j)[i] / std::sqrt(weight(i));
      if (asked.is_squares()) sum += weight(i) * std::pow((y[i] - mean) / std::sqrt(squares) - eta, 2) / 2;
      if (asked.family == "binomial") sum += weight(i) * (std::log(1 + std::exp(eta)) - y[i] * eta);
      if (asked.family == "poisson")
        sum += weight(i) * (std::exp(eta) - y[i] + (y[i] > 0 ? y[i] * (std::log(y[i]) - eta) : 0.0));
    }
    return sum;
  }
  [[nodiscard]] double objective(const std::vector<double>& at) const { return plain.objective(at, penalty); }
  [[nodiscard]] PlainCertificate certificate() const { return plain.certificate(b, penalty); }
  [[nodiscard]] double largest_decrease() const { return plain.largest_decrease(b, penalty, certificate()); }
  [[nodiscard]] PlainStep step(VarId j) const { return plain.step(j, b[j], certificate().gradients[j], penalty); }
  /// One update of every variable. Of counts no curvature is the largest: the one at hand is taken, and of a step that
  /// is too long as much as lowers the objective. Differences of objectives alone would end it at half the digits.
  void sweep() {
    for (VarId j = 0; j < b.size(); ++j) {
      const double value = b[j];
      if (asked.family != "poisson") {
        b[j] += step(j).delta;
        continue;
      }
      const double before = objective(b), gradient = certificate().gradients[j], curvature = curvature_along(j);
      const double l1 = penalty.l1 * plain.factor(j), pull = gradient + curvature * value;
      const double size = std::max(0.0, penalty.pull(pull) - l1) / (curvature + penalty.l2 * plain.factor(j));
      double delta = std::copysign(size, pull) - value;
      do {
        b[j] = value + delta;
        delta *= 0.5;
      } while (objective(b) > before * (1 + 1e-14));
    }
  }
  [[nodiscard]] double curvature_along(VarId j) {
    constexpr double kStep = 1e-4;
    const double value = std::exchange(b[j], b[j] - kStep), left = certificate().gradients[j];
    b[j] = value + kStep;
    const double right = certificate().gradients[j];
    b[j] = value;
    return (left - right) / (2 * kStep);
  }
};

MadeUpData small(const std::string& family, bool genotypes = false, bool sparse = false) {
  MadeUpData made{
      .rows = 30, .columns = 12, .genotypes = genotypes, .sparse = sparse, .weights = true, .factors = true};
  made.classes = family == "binomial";
  made.counts = family == "poisson";
  return made;
}

AuditedLasso asking(const std::string& family) {
  AuditedLasso asked;
  asked.family = family;
  asked.l1_ratio = 0.7;
  asked.lambda_ratio = 0.3;
  return asked;
}

class DenseProblems : public testing::TestWithParam<std::string> {
 protected:
  [[nodiscard]] static std::vector<DenseCase> every_kind() {
    std::vector<DenseCase> all;
    for (const auto& [genotypes, sparse] : {std::pair{false, false}, {true, false}, {false, true}}) {
      for (const auto& [intercept, center] : {std::pair{true, true}, {true, false}, {false, false}}) {
        AuditedLasso asked = asking(GetParam());
        if (asked.is_squares() && !center) continue;
        asked.intercept = intercept;
        asked.center = center;
        all.emplace_back(small(GetParam(), genotypes, sparse), asked);
      }
    }
    return all;
  }
};

INSTANTIATE_TEST_SUITE_P(Families, DenseProblems, testing::Values("gaussian", "binomial", "poisson"),
                         [](const auto& family) { return family.param; });

TEST_P(DenseProblems, HaveTheLossOfTheBestIntercept) {
  for (const DenseCase& one : every_kind()) {
    const double best = one.plain.objective(one.b, {});
    double low = one.has_constant() ? -20 : 0, high = -low;
    for (int n = 0; n < 200; ++n) {
      const double left = low + (high - low) / 3, right = high - (high - low) / 3;
      (one.loss(left) < one.loss(right) ? high : low) = one.loss(left) < one.loss(right) ? right : left;
    }
    EXPECT_NEAR(best, one.loss(low), 1e-12 * best);
  }
}

TEST_P(DenseProblems, HaveTheGradientsThatDifferencesHave) {
  constexpr double kStep = 1e-5;
  for (const DenseCase& one : every_kind()) {
    const auto gradients = one.plain.certificate(one.b, {}).gradients;
    for (std::size_t j = 0; j < one.b.size(); ++j) {
      auto up = one.b, down = one.b;
      up[j] += kStep;
      down[j] -= kStep;
      const double slope = (one.plain.objective(up, {}) - one.plain.objective(down, {})) / (2 * kStep);
      EXPECT_NEAR(gradients[j], -slope, 1e-7 * (1 + std::abs(slope)));
    }
  }
}

TEST_P(DenseProblems, TakeStepsThatLowerTheObjectiveByWhatTheyPromise) {
  for (const DenseCase& one : every_kind()) {
    if (GetParam() == "poisson") continue;  // no curvature is the largest: they promise nothing
    for (VarId j = 0; j < one.b.size(); ++j) {
      const PlainStep step = one.step(j);
      EXPECT_GE(step.decrease, -1e-15);
      auto moved = one.b;
      moved[j] += step.delta;
      EXPECT_GE(one.objective(one.b) - one.objective(moved), step.decrease - 1e-12);
    }
  }
}

TEST_P(DenseProblems, HaveGapsThatAreBoundsAndVanishAtTheSolution) {
  auto all = every_kind();
  AuditedLasso other = asking(GetParam());
  other.nonnegative = true;
  all.emplace_back(small(GetParam()), other);
  other.nonnegative = false;
  other.l1_ratio = 0;
  all.emplace_back(small(GetParam()), other);
  for (DenseCase& one : all) {
    std::vector<std::pair<PlainCertificate, double>> seen;
    for (int sweep = 0; sweep < 100; ++sweep) {
      if (sweep % 10 == 0) seen.emplace_back(one.certificate(), one.largest_decrease());
      one.sweep();
    }
    const PlainCertificate last = one.certificate();
    const double rounding = 1e-10 * one.plain.null_objective();
    EXPECT_LE(last.gap, 1e-12 * last.objective);
    EXPECT_GT(last.nonzeros, 0U);
    for (const auto& [at, decrease] : seen) {
      EXPECT_GE(at.gap, at.objective - last.objective - rounding);
      EXPECT_GE(at.gap, decrease - rounding);
    }
    EXPECT_GT(seen.front().second, 0);
  }
}

TEST_P(DenseProblems, ExplainNothingWithZerosWhichAreTheSolutionFromLambdaMaxOn) {
  for (DenseCase& one : every_kind()) {
    one.b = one.zeros();
    one.penalty = one.plain.penalty(one.plain.lambda_max());
    EXPECT_EQ(one.certificate().explained, 0);
    EXPECT_NEAR(one.certificate().gap, 0, 1e-11);
    EXPECT_EQ(one.certificate().objective, one.plain.null_objective());
    one.penalty = one.plain.penalty(0.99 * one.plain.lambda_max());
    EXPECT_GT(one.largest_decrease(), 0);
    EXPECT_GT(one.certificate().gap, 0);
  }
}

// --- what the audit says of messages ---

/// What messages of a run may say that is not so.
struct Forged {
  double lambda_max = 0, response_squared = 0;  ///< relative
  double objective = 0, gap = 0;                ///< times F(0)
};

/// One joint round of `auto` that changes a variable by a part of its step: what the audit found, as text.
std::string audited_round(const std::string& family, double part, const Forged& off = {}) {
  DenseCase one(small(family), asking(family));
  one.b = one.zeros();
  LassoAudit audit(one.data, one.asked);
  std::vector<VarId> all;
  for (VarId j = 0; j < one.b.size(); ++j) all.push_back(j);
  lasso::Start start;
  start.lambda_max = one.plain.lambda_max() * (1 + off.lambda_max);
  start.lambda = one.lambda;
  start.kept = one.b.size();
  start.response_squared = 2 * one.plain.null_objective() * (1 + off.response_squared);
  audit.begin(payload_of(start), {all});
  PhasePlan plan;
  plan.mode = PhasePlan::Mode::joint;
  plan.content.ids = all;
  audit.judged(plan, -1);

  const VarId best = *std::ranges::max_element(all, {}, [&](VarId j) { return one.step(j).decrease; });
  const double before = one.objective(one.b), change = part * one.step(best).delta;
  one.b[best] += change;
  const Payload changes{{best}, {change}};
  sim::AuditedCommit commit;
  commit.version = 0;
  commit.blocks = {all};
  commit.objective = one.objective(one.b) + off.objective * one.plain.null_objective();
  commit.realised = before - commit.objective;
  commit.changes = &changes;
  audit.committed(commit);

  PhasePlan last;
  last.verdict = PhasePlan::Verdict::stop;
  audit.judged(last, 0);
  const PlainCertificate found = one.certificate();
  Certificate said;
  said.objective = found.objective;
  said.gap = found.gap + off.gap * one.plain.null_objective();
  said.relative_gap = found.gap / found.objective;
  said.nonzeros = found.nonzeros;
  audit.certified(said);
  return audit.finding().has_value() ? audit.finding()->where + ": " + audit.finding()->found : "";
}

TEST_P(DenseProblems, LetTheAuditTakeWhatIsTrueAndRefuseWhatIsNot) {
  EXPECT_EQ(audited_round(GetParam(), 0.1), "");
  // What is fitted beside the variables is nearly the best one.
  EXPECT_EQ(audited_round(GetParam(), 0.1, {.objective = GetParam() == "gaussian" ? 1e-11 : 1e-10}), "");
  EXPECT_THAT(audited_round(GetParam(), 0.1, {.objective = 1e-9}), HasSubstr("commit 0: objective = "));
  EXPECT_THAT(audited_round(GetParam(), -0.1), HasSubstr("commit 0: an objective that is really "));
  EXPECT_THAT(audited_round(GetParam(), 0.1, {.gap = 1e-9}), HasSubstr("the barrier at version 0: gap = "));
  EXPECT_THAT(audited_round(GetParam(), 0.1, {.response_squared = 1e-8}), HasSubstr("START: F(0) = "));
  EXPECT_THAT(audited_round(GetParam(), 0.1, {.lambda_max = 1e-7}), HasSubstr("START: lambda_max = "));
}

// --- the data ---

TEST(MadeUpResponses, AreOfTheirKindAndOtherwiseTheSameData) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    MadeUpData made{.seed = seed, .weights = true};
    const auto numbers = made_up(made);
    made.classes = true;
    const auto classes = made_up(made);
    EXPECT_EQ(std::ranges::count(classes->response(), 1), 15);
    EXPECT_EQ(std::ranges::count(classes->response(), 0), 15);
    EXPECT_NE(classes->classes()[0], classes->classes()[1]);
    made.classes = false;
    made.counts = true;
    const auto counts = made_up(made);
    const auto y = counts->response();
    EXPECT_TRUE(std::ranges::all_of(y, [](double value) { return value >= 0 && value == std::floor(value); }));
    EXPECT_GT(std::ranges::count(y, 0), 0);
    EXPECT_LT(std::ranges::count(y, 0), 30);
    for (const auto& other : {classes, counts}) {
      EXPECT_TRUE(std::ranges::equal(numbers->columns().weights, other->columns().weights));
    }
    EXPECT_EQ(numbers->classes()[0] + counts->classes()[0], "");
  }
}

}  // namespace
}  // namespace strads::simulator
