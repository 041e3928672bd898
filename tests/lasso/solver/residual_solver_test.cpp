// Joint blocks that are solved on a residual, and what is left where that would take too long.
#include "lasso/solver/residual_solver.hpp"

#include <gtest/gtest.h>

#include <string>

#include "joint_bench.hpp"

namespace strads::lasso {
namespace {

/// A block solver on the residual, at the start of a bench.
struct Started {
  LassoState base;
  Cost cost;
  ResidualSolver solver;

  Started(JointBench& bench, const Vector& start)
      : base(bench.residual_of(start), bench.data->columns->roots()),
        solver(*bench.data->columns, bench.penalty, base, {bench.variables, start, Vector(bench.variables.size())},
               nullptr, cost) {}
};

Vector zeros(const JointBench& bench) {
  return Vector(bench.variables.size(), 0.0);
}

class ResidualBlocks : public ::testing::TestWithParam<JointCase> {};

TEST_P(ResidualBlocks, EndWithTheGapThatWasAskedFor) {
  JointBench bench(GetParam());
  for (const double gap : {1e-3, 1e-6, 1e-10}) {
    Started started(bench, zeros(bench));
    const double decrease = started.solver.solve(gap, 100'000, bench.chunks);
    EXPECT_TRUE(started.solver.is_done());
    const Vector& beta = started.solver.local().value;
    EXPECT_LE(bench.plain.gap(beta, bench.lambda), 1.01 * gap + 1e-14);
    EXPECT_NEAR(decrease, bench.plain.objective(zeros(bench), bench.lambda) - bench.plain.objective(beta, bench.lambda),
                1e-10);
  }
}

TEST_P(ResidualBlocks, GiveUpWithinTheirBudgetAndSayWhereTheyAre) {
  JointBench bench(GetParam());
  Started whole(bench, zeros(bench));
  static_cast<void>(whole.solver.solve(1e-10, 100'000, bench.chunks));
  Started started(bench, zeros(bench));
  const double budget = 0.2 * static_cast<double>(whole.cost.flops);
  static_cast<void>(started.solver.solve(1e-10, 100'000, bench.chunks, budget));
  EXPECT_FALSE(started.solver.is_done());
  EXPECT_LT(static_cast<double>(started.cost.flops), 3 * budget) << "a cycle more at the most";
  const Local& local = started.solver.local();
  const Vector residual = bench.plain.residual(local.value);
  for (std::size_t k = 0; k < local.variables.size(); ++k) {
    EXPECT_NEAR(local.gradient[k], plain_dot(bench.plain.x[k], residual), 1e-12) << k;
  }
}

TEST_P(ResidualBlocks, LeaveWhatTheVariablesThatMoveCanEnd) {
  JointBench bench(GetParam());
  Started started(bench, zeros(bench));
  static_cast<void>(started.solver.solve(1e-9, 100'000, bench.chunks, 0.0));
  ASSERT_FALSE(started.solver.is_done());
  Cost cost;
  NestedBlock rest(*bench.data->columns, bench.penalty, started.solver.residual(), started.solver.local(), bench.cache,
                   bench.chunks, cost);
  static_cast<void>(rest.solve(1e-9, 10'000));
  EXPECT_LE(bench.plain.gap(rest.local().value, bench.lambda), 1.01e-9);
}

INSTANTIATE_TEST_SUITE_P(Penalties, ResidualBlocks, joint_cases(),
                         [](const auto& one) { return std::string(one.param.name); });

}  // namespace
}  // namespace strads::lasso
