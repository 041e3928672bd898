// No committed round raises the objective, whatever the policy, the parallelism and the staleness: recomputed from the
// commits alone on a replica that no scheduler has seen.
#include <gtest/gtest.h>

#include <algorithm>

#include "lasso/problem/lasso_state.hpp"
#include "lasso_runs.hpp"

namespace strads::lasso {
namespace {

constexpr double kRoundingMax = 1e-12;  // of F(0): the promise of the design

/// Largest rise of F by one commit, as a share of F(0), and F at the end.
struct Rise {
  double largest = -1;
  double end = 0;
  std::size_t commits = 0;
};

Rise rise_of(const Problem& problem) {
  const auto run = cluster(problem, {});
  const auto data = prepare_lasso(problem.dataset, problem.lasso).value();
  const auto model = make_lasso_model(data, problem.lasso);
  SerialChunks chunks;
  std::vector<VarId> all(model->variables());
  for (VarId j = 0; j < all.size(); ++j) all[j] = j;
  data->columns->scan(all, chunks);
  double start = 0;
  double before = 0;
  Rise rise;
  static_cast<void>(support::replay(*model, run, [&](const wire::Commit&, const State& state) {
    if (rise.commits++ == 0) {
      start = model->objective(*model->make_state());
      before = start;
    }
    const auto exact = state.clone();
    Cost cost;
    model->recompute(*exact, chunks, cost);
    const double now = model->objective(*exact);
    rise.largest = std::max(rise.largest, (now - before) / start);
    rise.end = now / start;
    before = now;
  }));
  return rise;
}

class Guarded : public testing::TestWithParam<Policy> {};

TEST_P(Guarded, RoundsNeverRaiseTheObjective) {
  for (const Shape& shape : {Shape{1, 8, 1}, Shape{1, 64, 1}, Shape{2, 64, 2}, Shape{4, 16, 4}, Shape{8, 64, 8}}) {
    for (std::uint64_t seed = 1; seed <= 4; ++seed) {
      // Strongly coupled columns: without the guard most of these runs diverge.
      const auto data = support::dense_dataset(
          {.rows = 30, .columns = 70, .seed = seed, .correlation = 0.3 * static_cast<double>(seed % 4)});
      Problem problem(data, GetParam(), shape, 80);
      problem.engine.seed = seed;
      const Rise rise = rise_of(problem);
      EXPECT_LE(rise.largest, kRoundingMax) << problem.name();
      EXPECT_GT(rise.commits, 0u);
      EXPECT_LT(rise.end, 1.0) << problem.name();
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Policies, Guarded, testing::ValuesIn(kPolicies), [](const auto& policy) {
  std::string name = policy_name(policy.param);
  std::erase(name, '-');
  return name;
});

TEST(Unguarded, EightCorrelatedBlocksDiverge) {
  // So that the tests above can fail.
  const auto data = support::dense_dataset({.rows = 40, .columns = 64, .seed = 1, .correlation = 0.9});
  Problem problem(data, Policy::uniform, {1, 8, 1}, 40);
  EXPECT_LE(rise_of(problem).largest, kRoundingMax);
  problem.lasso.guard = false;
  const Rise rise = rise_of(problem);
  EXPECT_GT(rise.largest, 0.01);
  EXPECT_GT(rise.end, 1.0);
}

TEST(Unguarded, OneBlockAtATimeFallsAnyhow) {
  // Coordinate descent itself never rises: the guard has nothing to do at P = 1, D = 1.
  const auto data = support::dense_dataset({.rows = 40, .columns = 64, .seed = 1, .correlation = 0.9});
  Problem problem(data, Policy::uniform, {1, 1, 1}, 200);
  problem.lasso.guard = false;
  EXPECT_LE(rise_of(problem).largest, kRoundingMax);
}

}  // namespace
}  // namespace strads::lasso
