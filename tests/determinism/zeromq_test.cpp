// The same bits over real sockets: driver and nodes as threads, messages over ipc and tcp.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lasso_runs.hpp"
#include "support/threaded_cluster.hpp"

namespace strads::lasso {
namespace {

using support::ThreadedCluster;
using support::ThreadedRun;

ThreadedCluster cluster_of(const Problem& problem, std::size_t nodes, bool tcp) {
  ThreadedCluster cluster;
  cluster.make_model = [&problem] { return problem.model(); };
  cluster.engine = problem.engine;
  cluster.nodes.resize(nodes);
  cluster.tcp = tcp;
  return cluster;
}

class OverSockets : public testing::TestWithParam<Shape> {};

TEST_P(OverSockets, TwoNodesOverIpcGiveTheBitsOfTheEmbeddedRun) {
  const Problem problem(small_genotypes(), Policy::automatic, GetParam(), 0);
  EXPECT_EQ(outcome_of(run_threaded(cluster_of(problem, 2, false)), problem), embedded(problem, 1));
}

TEST_P(OverSockets, ThreeNodesOverTcpGiveTheBitsOfTheEmbeddedRun) {
  const Problem problem(small_dense(), Policy::paper, GetParam(), 300);
  EXPECT_EQ(outcome_of(run_threaded(cluster_of(problem, 3, true)), problem), embedded(problem, 1));
}

TEST_P(OverSockets, SchedulersAndWorkersMayLiveInDifferentProcesses) {
  const Problem problem(small_dense(), Policy::automatic, GetParam(), 0);
  ThreadedCluster cluster = cluster_of(problem, 3, false);
  cluster.nodes[0].roles = {true, false};
  cluster.nodes[1].roles = cluster.nodes[2].roles = {false, true};
  const auto run = run_threaded(cluster);
  EXPECT_EQ(outcome_of(run, problem), embedded(problem, 1));
  for (const auto& node : run.run.nodes) EXPECT_TRUE(node.schedulers.empty() || node.workers.empty()) << node.rank;
}

INSTANTIATE_TEST_SUITE_P(Shapes, OverSockets, testing::ValuesIn(kShapes), name_of_shape);

TEST(OverSocketsToo, UpdatesOfTheNodesSumToThoseOfTheRun) {
  const Problem problem(small_dense(), Policy::paper, {2, 4, 2}, 200);
  const auto run = run_threaded(cluster_of(problem, 2, false)).run;
  std::uint64_t updates = 0;
  for (const auto& node : run.nodes) updates += node.updates;
  EXPECT_EQ(updates, run.end.totals.updates);
  for (const auto& node : run.nodes) EXPECT_GE(10 * node.updates, 3 * updates) << "rank " << node.rank;
}

TEST(OverSocketsToo, EveryNodeEndsInOrder) {
  const Problem problem(small_dense(), Policy::automatic, {2, 2, 1}, 0);
  const auto run = run_threaded(cluster_of(problem, 2, false));
  for (const Status& node : run.nodes) EXPECT_TRUE(node.ok()) << node.message();
}

}  // namespace
}  // namespace strads::lasso
