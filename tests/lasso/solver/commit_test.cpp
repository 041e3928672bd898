// What a commit does to a replica: payloads.hpp, LassoState, pull's guard and apply.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <numeric>
#include <utility>
#include <vector>

#include "lasso/model/lasso_model.hpp"
#include "lasso/model/lasso_slice.hpp"
#include "lasso/problem/lasso_state.hpp"
#include "lasso/problem/payloads.hpp"
#include "lasso/run/plain_lasso.hpp"

namespace strads::lasso {
namespace {

using ::testing::ElementsAre;

TEST(ViewCommit, PairsIdsWithDeltas) {
  const Payload changes{{4, 9}, {0.5, -0.25}};
  const CommitView view = view_commit(changes);
  EXPECT_THAT(view.variables, ElementsAre(4, 9));
  EXPECT_THAT(view.deltas, ElementsAre(0.5, -0.25));
  EXPECT_EQ(view.zeroed, -1);
}

TEST(ViewCommit, OneMoreIdNamesTheVariableThatBecomesZero) {
  const Payload changes{{4, 9, 9}, {0.5, -0.25}};
  const CommitView view = view_commit(changes);
  EXPECT_EQ(view.variables.size(), 2u);
  EXPECT_EQ(view.zeroed, 1);
}

TEST(ViewCommit, OfAnEmptyRoundIsEmpty) {
  const Payload nothing;
  const CommitView view = view_commit(nothing);
  EXPECT_TRUE(view.variables.empty());
  EXPECT_EQ(view.zeroed, -1);
}

TEST(CommittedValue, AddsTheWholeDeltaBitForBit) {
  const Payload changes{{1}, {0.1}};
  EXPECT_EQ(committed_value(view_commit(changes), 0, 0.2, 1.0), 0.2 + 0.1);
}

TEST(CommittedValue, AddsAPartOfTheDelta) {
  const Payload changes{{1}, {0.5}};
  EXPECT_EQ(committed_value(view_commit(changes), 0, 1.0, 0.25), 1.125);
}

TEST(CommittedValue, OfTheZeroedVariableIsExactlyZero) {
  const Payload changes{{1, 1}, {-0.3}};
  const double value = committed_value(view_commit(changes), 0, 0.1, 1.0 / 3.0);
  EXPECT_EQ(value, 0.0);
}

TEST(CommittedValue, IsNeverMinusZero) {
  const Payload changes{{1}, {-0.0}};
  EXPECT_FALSE(std::signbit(committed_value(view_commit(changes), 0, -0.0, 1.0)));
}

TEST(LassoState, HoldsTheSumsOfItsResidual) {
  const LassoState state({1, -2, 3, 0, 5});
  EXPECT_EQ(state.total, 7);
  EXPECT_EQ(state.residual_squared, 39);
  EXPECT_EQ(state.l1, 0);
  EXPECT_EQ(state.objective(2.0), 19.5);
}

TEST(LassoState, MergesChangesIntoItsNonzeros) {
  LassoState state(Vector(3, 0.0));
  state.set_values(std::vector<VarId>{7, 2}, Vector{0.7, 0.2});
  EXPECT_THAT(state.variables, ElementsAre(2, 7));
  EXPECT_THAT(state.beta, ElementsAre(0.2, 0.7));
  state.set_values(std::vector<VarId>{9, 5, 2, 1}, Vector{0.9, 0.5, -0.2, 0.1});
  EXPECT_THAT(state.variables, ElementsAre(1, 2, 5, 7, 9));
  EXPECT_THAT(state.beta, ElementsAre(0.1, -0.2, 0.5, 0.7, 0.9));
}

TEST(LassoState, DropsWhatBecomesZero) {
  LassoState state(Vector(3, 0.0));
  state.set_values(std::vector<VarId>{2, 7, 8}, Vector{0.2, 0.7, 0.8});
  state.set_values(std::vector<VarId>{7, 3}, Vector{0.0, 0.0});
  EXPECT_THAT(state.variables, ElementsAre(2, 8));
  EXPECT_EQ(state.value(7), 0.0);
  EXPECT_EQ(state.value(8), 0.8);
  EXPECT_THAT(state.values(std::vector<VarId>{8, 3, 2}), ElementsAre(0.8, 0.0, 0.2));
  state.refresh_sums();
  EXPECT_EQ(state.l1, 1.0);
}

TEST(LassoState, ACloneIsItsOwn) {
  LassoState state({1, 2});
  const auto copy = state.clone();
  state.set_values(std::vector<VarId>{1}, Vector{0.5});
  EXPECT_TRUE(static_cast<const LassoState&>(*copy).variables.empty());
}

/// A model with lambda fixed, on random columns.
struct Bench {
  Content content;
  LassoOptions options;
  std::shared_ptr<LassoData> data;
  PlainProblem plain;
  LassoModel model;
  double lambda;
  SerialChunks chunks;
  Cost cost;

  explicit Bench(bool guard, std::uint64_t seed = 1, double shared = 0.5)
      : content(random_content({.rows = 30, .columns = 12, .seed = seed, .shared = shared})),
        options(with_guard(guard)),
        data(scanned(content, options)),
        plain(plain_data(content, options).problem),
        model(data, options),
        lambda(0.1 * plain.lambda_max()) {
    Payload problem;
    problem = payload_of(Start{.lambda = lambda});
    model.begin(problem);
  }
  static LassoOptions with_guard(bool guard) {
    LassoOptions options;
    options.guard = guard;
    return options;
  }
  /// Applies the commit of these deltas; returns what pull decided.
  Pull commit(State& state, const std::vector<Payload>& deltas) {
    const auto direction = model.combine(deltas, chunks, cost);
    Pull pull = model.pull(state, deltas, direction.get());
    if (pull.step != 0) model.apply(state, pull.changes, pull.step, direction.get(), chunks, cost);
    return pull;
  }
  Vector beta_of(const State& state) const {
    Vector beta(12, 0.0);
    const auto& replica = static_cast<const LassoState&>(state);
    for (std::size_t k = 0; k < replica.variables.size(); ++k) beta[replica.variables[k]] = replica.beta[k];
    return beta;
  }
};

TEST(Pull, CommitsTheWholeStepWithoutTheGuard) {
  Bench bench(false);
  const auto state = bench.model.make_state();
  const Pull pull = bench.commit(*state, {Payload{{3}, {5.0}}});  // far too long: the objective rises
  EXPECT_EQ(pull.step, 1.0);
  EXPECT_LT(pull.realised, 0.0);
  EXPECT_NEAR(pull.objective, bench.plain.objective(bench.beta_of(*state), bench.lambda), 1e-12);
}

TEST(Pull, GuardCommitsEmptyAlongAnAscent) {
  Bench bench(true);
  const auto state = bench.model.make_state();
  const double gradient = plain_dot(bench.plain.x[3], bench.plain.y);
  const Pull pull = bench.commit(*state, {Payload{{3}, {gradient > 0 ? -1.0 : 1.0}}});
  EXPECT_EQ(pull.step, 0.0);
  EXPECT_TRUE(pull.changes.ids.empty());
  EXPECT_NEAR(pull.objective, 0.5, 1e-14);
  EXPECT_EQ(pull.realised, 0.0);
}

/// Parallel steps on columns that share so much: the more, the further the whole step overshoots.
class GuardedStep : public ::testing::TestWithParam<double> {};

TEST_P(GuardedStep, EndsAtTheMinimumOfTheLine) {
  const auto [least, most] = GetParam() > 1 ? std::pair{0.05, 0.4} : std::pair{0.4, 1.0};
  int between = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    Bench bench(true, seed, GetParam());
    const auto state = bench.model.make_state();
    std::vector<Payload> deltas;
    Vector whole(12, 0.0);
    for (VarId j = 0; j < 12; ++j) {
      const double g = plain_dot(bench.plain.x[j], bench.plain.y);
      whole[j] = std::copysign(std::max(std::abs(g) - bench.lambda, 0.0), g);
      if (whole[j] != 0.0) deltas.push_back(Payload{{j}, {whole[j]}});
    }
    const Pull pull = bench.commit(*state, deltas);
    between += least < pull.step && pull.step < most ? 1 : 0;
    const auto on_line = [&](double a) {
      Vector beta = whole;
      for (double& value : beta) value *= a;
      return bench.plain.objective(beta, bench.lambda);
    };
    EXPECT_LE(pull.objective, on_line(0));
    for (int k = 0; k <= 1000; ++k)
      EXPECT_LE(pull.objective, on_line(0.001 * k) + 1e-12) << "seed " << seed << " a " << 0.001 * k;
    EXPECT_NEAR(pull.objective, bench.plain.objective(bench.beta_of(*state), bench.lambda), 1e-12);
  }
  EXPECT_GE(between, 10) << "steps between " << least << " and " << most;
}

INSTANTIATE_TEST_SUITE_P(Shared, GuardedStep, ::testing::Values(0.5, 3.0));

TEST(Pull, TakesTheWholeStepOfASingleExactUpdate) {
  // One variable minimised exactly: the best step is 1 up to rounding, and must be 1, or exact zeros would be lost.
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    Bench bench(true, seed);
    const auto state = bench.model.make_state();
    for (VarId j = 0; j < 12; ++j) {
      Block block;
      block.content = {{j}, {static_cast<LassoState&>(*state).value(j)}};
      const Push push = bench.model.push(*state, block, bench.chunks);
      if (push.deltas.ids.empty()) continue;
      const Pull pull = bench.commit(*state, {push.deltas});
      EXPECT_EQ(pull.step, 1.0) << "seed " << seed << " variable " << j;
      EXPECT_NEAR(pull.realised, push.predicted, 1e-13);
    }
  }
}

TEST(Pull, AVariableWhoseBreakpointIsChosenBecomesExactlyZero) {
  Bench bench(true);
  const auto state = bench.model.make_state();
  // From b = 1e-3 on a column with no gradient to speak of, far through zero: the best point of the line is zero
  // itself.
  const double before = 1e-3;
  VarId weak = 0;
  double weakest = 1;
  for (VarId j = 0; j < 12; ++j) {
    const double g = std::abs(plain_dot(bench.plain.x[j], bench.plain.y));
    if (g < weakest) weakest = g, weak = j;
  }
  ASSERT_LT(weakest + before, bench.lambda) << "the problem must have a variable that wants to be zero";
  const Payload start{{weak}, {before}};
  bench.model.apply(*state, start, 1.0, nullptr, bench.chunks, bench.cost);
  const Pull pull = bench.commit(*state, {Payload{{weak}, {-10 * before}}});
  EXPECT_EQ(pull.changes.ids.size(), 2u);
  EXPECT_GT(pull.step, 0);
  EXPECT_LT(pull.step, 1);
  EXPECT_TRUE(static_cast<LassoState&>(*state).variables.empty());
}

TEST(Apply, GivesTheSameBitsWithAndWithoutTheDirection) {
  Bench bench(true, 4, 2.0);
  const std::vector<Payload> deltas{Payload{{0, 5}, {0.3, -0.2}}, Payload{{7}, {0.11}}};
  const auto direction = bench.model.combine(deltas, bench.chunks, bench.cost);
  const Payload changes{{0, 5, 7, 5}, {0.3, -0.2, 0.11}};
  const auto one = bench.model.make_state();
  const auto other = bench.model.make_state();
  bench.model.apply(*one, changes, 0.37, direction.get(), bench.chunks, bench.cost);
  bench.model.apply(*other, changes, 0.37, nullptr, bench.chunks, bench.cost);
  const auto& a = static_cast<const LassoState&>(*one);
  const auto& b = static_cast<const LassoState&>(*other);
  EXPECT_EQ(a.variables, b.variables);
  EXPECT_EQ(a.beta, b.beta);
  EXPECT_EQ(std::memcmp(a.residual.data(), b.residual.data(), a.residual.size() * sizeof(double)), 0);
  EXPECT_EQ(a.residual_squared, b.residual_squared);
  EXPECT_THAT(a.variables, ElementsAre(0, 7)) << "5 was named as the one that becomes 0";
}

TEST(Apply, KeepsTheResidualEqualToYMinusXBeta) {
  Bench bench(false, 6);
  const auto state = bench.model.make_state();
  CounterRng random(6, Purpose::tests);
  for (int round = 0; round < 200; ++round) {
    const auto j = static_cast<VarId>(random.below(11));
    bench.commit(*state, {Payload{{j}, {random.unit() - 0.5}}, Payload{{j + 1}, {random.unit() - 0.5}}});
  }
  const Vector expected = bench.plain.residual(bench.beta_of(*state));
  auto& replica = static_cast<LassoState&>(*state);
  for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_NEAR(replica.residual[i], expected[i], 1e-12);
  const Vector kept = replica.residual;
  Cost cost;
  bench.model.recompute(replica, bench.chunks, cost);
  for (std::size_t i = 0; i < kept.size(); ++i) EXPECT_NEAR(replica.residual[i], kept[i], 1e-12);
}

// --- what a scheduler's slice remembers of commits ---

/// p(j) of policy `paper` is the last committed delta plus eta: read from outside.
struct Memory {
  static constexpr double kEta = 0.001;
  LassoSlice slice;

  Memory()
      : slice(scanned(random_content({.columns = 12}), options()), std::make_shared<BlockCaches>(), options(), all()) {
    Payload problem;
    problem = payload_of(Start{.lambda = 0.1});
    slice.begin(problem);
  }
  static LassoOptions options() {
    LassoOptions made;
    made.policy = Policy::paper;
    made.eta = kEta;
    return made;
  }
  static std::vector<VarId> all() {
    std::vector<VarId> variables(12);
    std::iota(variables.begin(), variables.end(), 0U);
    return variables;
  }
  void commit(const std::vector<VarId>& drawn, const Payload& changes, double step) {
    std::vector<VarId> touched;
    slice.committed({.step = step, .drawn = drawn, .changes = &changes}, touched);
    EXPECT_EQ(touched, drawn);
  }
  [[nodiscard]] double delta(VarId j) const { return slice.define_sampling(j) - kEta; }
};

TEST(SliceMemory, HoldsCommittedDeltasNotProposedOnes) {
  Memory memory;
  EXPECT_EQ(memory.slice.define_sampling(3), kSampleFirst);
  memory.commit({3, 5, 7}, {{3, 5}, {0.8, -0.4}}, 0.25);  // 7 was drawn and did not move
  EXPECT_NEAR(memory.delta(3), 0.2, 1e-15);
  EXPECT_NEAR(memory.delta(5), 0.1, 1e-15);
  EXPECT_NEAR(memory.delta(7), 0.0, 1e-15);
  memory.commit({3}, {{3, 3}, {-0.9}}, 0.22);  // it becomes 0
  EXPECT_NEAR(memory.delta(3), 0.2, 1e-15);
  EXPECT_NEAR(memory.delta(5), 0.1, 1e-15) << "another round's";
}

TEST(SliceMemory, HoldsNothingOfAStepThatTheGuardRejected) {
  Memory memory;
  memory.commit({3}, {{3}, {0.5}}, 1);
  memory.commit({3}, {}, 0);
  EXPECT_NEAR(memory.delta(3), 0.0, 1e-15);
}

}  // namespace
}  // namespace strads::lasso
