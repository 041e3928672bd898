// What the audit of Poisson regressions goes by: the objective with its intercept, gradients and gaps, and which
// commits and certificates it refuses.
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
#include "strads_sim/audit/plain_poisson.hpp"
#include "strads_sim/made_up_data.hpp"

namespace strads::simulator {
namespace {

/// A small problem, what is asked of it, and some coefficients.
struct CountsProblem {
  std::shared_ptr<const Dataset> data;
  AuditedLasso asked;
  PlainPoisson plain;
  std::vector<double> b;
  PlainPenalty penalty;

  explicit CountsProblem(const MadeUpData& made, bool intercept = true, bool center = true)
      : data(made_up(made)), plain(PlainColumns(*data, center, true), intercept), b(made.columns, 0.0) {
    asked.family = "poisson";
    asked.intercept = intercept;
    asked.center = center;
    asked.l1_ratio = 0.7;
    asked.lambda_ratio = 0.3;
    const double lambda = asked.lambda_ratio * plain.l1_max(false) / asked.l1_ratio;
    const auto& roots = plain.columns().roots;
    penalty = {lambda * asked.l1_ratio, lambda * (1 - asked.l1_ratio) / std::sqrt(plain_dot(roots, roots)), false};
    for (std::size_t j = 0; j < b.size(); j += 3) b[j] = j % 2 == 0 ? 1.5 : -0.5;
  }
  /// x_i'b.
  [[nodiscard]] std::vector<double> scores() const {
    std::vector<double> sums(plain.columns().y.size(), 0.0);
    for (std::size_t i = 0; i < sums.size(); ++i) {
      for (std::size_t j = 0; j < b.size(); ++j) sums[i] += b[j] * plain.columns().x[j][i] / plain.columns().roots[i];
    }
    return sums;
  }
  /// Written out a second time: at any constant.
  [[nodiscard]] double loss(double constant) const {
    const PlainColumns& columns = plain.columns();
    const std::vector<double> scored = scores();
    double sum = 0;
    for (std::size_t i = 0; i < scored.size(); ++i) {
      const double y = columns.y[i], eta = scored[i] + constant, mean = std::exp(eta);
      sum += columns.roots[i] * columns.roots[i] * (mean - y + (y > 0 ? y * std::log(y / mean) : 0.0));
    }
    return sum;
  }
  [[nodiscard]] double objective(const std::vector<double>& at) const { return plain.objective(at, penalty); }
  /// One update of every variable, of which as much is taken as lowers the objective: a step may be too long.
  void sweep() {
    for (VarId j = 0; j < b.size(); ++j) {
      const double before = objective(b), value = b[j];
      double delta = plain.step(j, value, plain.certificate(b, penalty).gradients[j], penalty).delta;
      do {
        b[j] = value + delta;
        delta *= 0.5;
      } while (objective(b) > before && std::abs(delta) > 1e-16);
      if (objective(b) > before) b[j] = value;
    }
  }
};

MadeUpData made_up_counts(bool genotypes, bool sparse) {
  return {.rows = 30,
          .columns = 12,
          .genotypes = genotypes,
          .sparse = sparse,
          .weights = true,
          .factors = true,
          .counts = true};
}

std::vector<CountsProblem> every_kind_of_counts() {
  std::vector<CountsProblem> all;
  for (const auto& [genotypes, sparse] : {std::pair{false, false}, {true, false}, {false, true}}) {
    all.emplace_back(made_up_counts(genotypes, sparse));
    all.emplace_back(made_up_counts(genotypes, sparse), true, false);
    all.emplace_back(made_up_counts(genotypes, sparse), false, false);
  }
  return all;
}

TEST(PlainPoisson, HasTheLossOfTheBestIntercept) {
  for (const CountsProblem& counts : every_kind_of_counts()) {
    const double best = counts.plain.objective(counts.b, {});
    const double constant = counts.plain.intercept(counts.scores());
    EXPECT_NEAR(best, counts.loss(constant), 1e-12 * best);
    if (!counts.asked.intercept) {
      EXPECT_EQ(constant, 0);
      continue;
    }
    for (const double beside : {-1e-3, 1e-3, -1.0, 1.0}) EXPECT_LT(best, counts.loss(constant + beside));
  }
}

TEST(PlainPoisson, HasTheGradientsThatDifferencesHave) {
  constexpr double kStep = 1e-5;
  for (const CountsProblem& counts : every_kind_of_counts()) {
    const auto gradients = counts.plain.certificate(counts.b, {}).gradients;
    for (std::size_t j = 0; j < counts.b.size(); ++j) {
      auto up = counts.b, down = counts.b;
      up[j] += kStep;
      down[j] -= kStep;
      const double slope = (counts.plain.objective(up, {}) - counts.plain.objective(down, {})) / (2 * kStep);
      EXPECT_NEAR(gradients[j], -slope, 1e-7 * (1 + std::abs(slope)));
    }
  }
}

TEST(PlainPoisson, HasGapsThatAreBoundsAndVanishAtTheSolution) {
  for (CountsProblem& counts : every_kind_of_counts()) {
    std::vector<PlainCertificate> seen;
    for (int sweep = 0; sweep < 300; ++sweep) {
      if (sweep % 20 == 0) seen.push_back(counts.plain.certificate(counts.b, counts.penalty));
      counts.sweep();
    }
    const PlainCertificate last = counts.plain.certificate(counts.b, counts.penalty);
    const double rounding = 1e-10 * counts.plain.null_objective();
    EXPECT_LE(last.gap, 1e-6 * last.objective);
    EXPECT_GT(last.nonzeros, 0U);
    for (const PlainCertificate& one : seen) {
      EXPECT_GE(one.gap, one.objective - last.objective - rounding);
      EXPECT_GE(one.gap, one.largest_decrease - rounding);
    }
    EXPECT_GT(seen.front().largest_decrease, 0);
  }
}

TEST(PlainPoisson, ExplainsNothingWithZerosWhichAreTheSolutionFromLambdaMaxOn) {
  for (const CountsProblem& counts : every_kind_of_counts()) {
    const std::vector<double> zeros(counts.b.size(), 0.0);
    const double l1_max = counts.plain.l1_max(false);
    const PlainCertificate at = counts.plain.certificate(zeros, {l1_max, 0.1, false});
    EXPECT_EQ(at.explained, 0);
    EXPECT_NEAR(at.gap, 0, 1e-11);
    EXPECT_GT(counts.plain.certificate(zeros, {0.99 * l1_max, 0.1, false}).largest_decrease, 0);
    EXPECT_GT(counts.plain.certificate(zeros, {0.99 * l1_max, 0.1, false}).gap, 0);
  }
}

TEST(PlainPoisson, FindsWhatTheCheckOfSolutionsFinds) {
  for (const CountsProblem& counts : every_kind_of_counts()) {
    lasso::LassoOptions options;
    options.family = *lasso::Family::named("poisson");
    options.intercept = counts.asked.intercept;
    options.center = counts.asked.center;
    options.l1_ratio = counts.asked.l1_ratio;
    lasso::Solution claim;
    claim.lambda = counts.penalty.l1 / options.l1_ratio;
    for (VarId j = 0; j < counts.b.size(); ++j) {
      if (counts.b[j] == 0) continue;
      claim.variables.push_back(j);
      claim.standardized.push_back(counts.b[j]);
    }
    SerialChunks chunks;
    lasso::SolutionCheck check(counts.data, options, chunks);
    const auto figures = check.recompute(std::span(&claim, 1));
    const PlainCertificate found = counts.plain.certificate(counts.b, counts.penalty);
    const double allowed = 1e-12 * (counts.plain.null_objective() + found.objective);
    EXPECT_NEAR(figures[0].objective, found.objective, allowed);
    EXPECT_NEAR(figures[0].gap, found.gap, allowed);
    EXPECT_NEAR(check.lambda_max(), counts.plain.l1_max(false) / options.l1_ratio, 1e-12 * check.lambda_max());
    EXPECT_NEAR(check.response_squared(), 2 * counts.plain.null_objective(), allowed);
  }
}

// --- what the audit says of commits ---

/// One joint round of `auto` that changes a variable by a tenth of its step: what the audit found, as text. `more` is
/// added to the objective that the commit says, `gap_off` to the gap that the barrier says.
std::string audited_round(double part, double more, double gap_off) {
  const CountsProblem counts(made_up_counts(false, false));
  LassoAudit audit(*counts.data, counts.asked);
  std::vector<double> b(counts.b.size(), 0.0);
  std::vector<VarId> all;
  for (VarId j = 0; j < b.size(); ++j) all.push_back(j);
  lasso::Start start;
  start.lambda_max = counts.plain.l1_max(false) / counts.asked.l1_ratio;
  start.lambda = counts.asked.lambda_ratio * start.lambda_max;
  start.kept = b.size();
  start.response_squared = 2 * counts.plain.null_objective();
  audit.begin(payload_of(start), {all});
  PhasePlan plan;
  plan.mode = PhasePlan::Mode::joint;
  plan.content.ids = all;
  audit.judged(plan, -1);

  const PlainCertificate at = counts.plain.certificate(b, counts.penalty);
  const auto step = [&](VarId j) { return counts.plain.step(j, b[j], at.gradients[j], counts.penalty); };
  const VarId best = *std::ranges::max_element(all, {}, [&](VarId j) { return step(j).decrease; });
  const double before = counts.objective(b), change = part * step(best).delta;
  b[best] += change;
  const Payload changes{{best}, {change}};
  sim::AuditedCommit commit;
  commit.version = 0;
  commit.blocks = {all};
  commit.objective = counts.objective(b) + more;
  commit.realised = before - commit.objective;
  commit.changes = &changes;
  audit.committed(commit);

  PhasePlan last;
  last.verdict = PhasePlan::Verdict::stop;
  audit.judged(last, 0);
  const PlainCertificate found = counts.plain.certificate(b, counts.penalty);
  Certificate said;
  said.objective = found.objective;
  said.gap = found.gap + gap_off;
  said.relative_gap = found.gap / found.objective;
  said.nonzeros = found.nonzeros;
  audit.certified(said);
  return audit.finding().has_value() ? audit.finding()->where + ": " + audit.finding()->found : "";
}

TEST(AuditOfCounts, TakesWhatIsTrueAndRefusesWhatIsNot) {
  const double whole = CountsProblem(made_up_counts(false, false)).plain.null_objective();
  EXPECT_EQ(audited_round(0.1, 0, 0), "");
  EXPECT_EQ(audited_round(0.1, 1e-10 * whole, 0), "");
  EXPECT_THAT(audited_round(0.1, 1e-9 * whole, 0), testing::HasSubstr("commit 0: objective = "));
  EXPECT_THAT(audited_round(-0.1, 0, 0), testing::HasSubstr("commit 0: an objective that is really "));
  EXPECT_THAT(audited_round(0.1, 0, 1e-9 * whole), testing::HasSubstr("the barrier at version 0: gap = "));
}

// --- the data ---

TEST(MadeUpCounts, AreWholeSomeZeroSomeNotAndOtherwiseTheSameData) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    MadeUpData made{.seed = seed, .weights = true};
    const auto numbers = made_up(made);
    made.counts = true;
    const auto counts = made_up(made);
    const auto y = counts->response();
    EXPECT_TRUE(std::ranges::all_of(y, [](double value) { return value >= 0 && value == std::floor(value); }));
    EXPECT_GT(std::ranges::count(y, 0), 0);
    EXPECT_LT(std::ranges::count(y, 0), 30);
    EXPECT_TRUE(std::ranges::equal(numbers->columns().weights, counts->columns().weights));
    EXPECT_EQ(counts->classes()[0], "");
  }
}

}  // namespace
}  // namespace strads::simulator
