// Several runs at a time on one cluster, over real sockets: each has the bits that it has alone.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "lasso_runs.hpp"
#include "support/threaded_cluster.hpp"

namespace strads::lasso {
namespace {

using support::ThreadedCluster;

/// Runs of different policies and data on the same schedulers and workers.
std::vector<Problem> problems() {
  const Shape shape{2, 3, 2};
  std::vector<Problem> all{{small_genotypes(), Policy::automatic, shape, 0},
                           {small_dense(), Policy::paper, shape, 300},
                           {small_dense(), Policy::automatic, shape, 0}};
  all[2].engine.seed = 9;
  return all;
}

class HostedRunsOverSockets : public testing::TestWithParam<bool> {
 protected:
  /// Makes run 0 the first problem; the request of a further run says which it is.
  HostedRunsOverSockets() {
    cluster_.make_model = [this] { return problems_[0].model(); };
    cluster_.further = [this](const std::string& request) -> Result<LoadedModel> {
      const Problem& problem = problems_.at(std::stoul(request));
      return LoadedModel{problem.model(), problem.engine, {}};
    };
    cluster_.engine = problems_[0].engine;
    cluster_.tcp = GetParam();
    cluster_.hooks.run_ended = [this](std::uint32_t run, const RunEnd& end) { ends_[run] = end; };
  }
  [[nodiscard]] FurtherRunRequest request(std::size_t which) const {
    return {problems_[which].engine, std::to_string(which),
            [this, which]() -> Result<std::shared_ptr<Model>> { return problems_[which].model(); }};
  }
  void expect_the_bits_of_each_alone() {
    for (std::size_t which = 0; which < problems_.size(); ++which) {
      const auto end = ends_.find(static_cast<std::uint32_t>(which));
      ASSERT_NE(end, ends_.end()) << which;
      EXPECT_EQ(outcome_of(end->second, problems_[which].dataset->columns().columns), embedded(problems_[which], 1));
    }
  }

  const std::vector<Problem> problems_ = problems();
  ThreadedCluster cluster_;
  std::map<std::uint32_t, RunEnd> ends_;
};

TEST_P(HostedRunsOverSockets, HaveTheBitsOfEachAlone) {
  bool asked = false;
  cluster_.hooks.more_runs = [&]() -> std::vector<FurtherRunRequest> {
    if (std::exchange(asked, true)) return {};
    return {request(1), request(2)};
  };
  const auto run = run_threaded(cluster_);
  EXPECT_TRUE(run.run.end.status.ok()) << run.run.end.status.message();
  for (const Status& node : run.nodes) EXPECT_TRUE(node.ok()) << node.message();
  expect_the_bits_of_each_alone();
}

TEST_P(HostedRunsOverSockets, MayFollowFromTheEndsOfOthers) {
  std::size_t asked = 0;
  cluster_.hooks.more_to_come = [&] { return asked < 2; };
  cluster_.hooks.more_runs = [&]() -> std::vector<FurtherRunRequest> {
    if (asked == 2 || ends_.size() <= asked) return {};
    return {request(++asked)};
  };
  EXPECT_TRUE(run_threaded(cluster_).run.end.status.ok());
  expect_the_bits_of_each_alone();
}

TEST_P(HostedRunsOverSockets, EndAllWhereANodeCannotMakeOne) {
  bool asked = false;
  cluster_.further = [](const std::string&) -> Result<LoadedModel> { return Status::input("no such column"); };
  cluster_.hooks.more_runs = [&]() -> std::vector<FurtherRunRequest> {
    if (std::exchange(asked, true)) return {};
    return {request(1)};
  };
  const auto run = run_threaded(cluster_);
  EXPECT_EQ(run.run.end.status.code(), StatusCode::input);
  EXPECT_THAT(run.run.end.status.message(), testing::HasSubstr("no such column"));
}

INSTANTIATE_TEST_SUITE_P(Ways, HostedRunsOverSockets, testing::Bool(),
                         [](const auto& tcp) { return tcp.param ? "Tcp" : "Ipc"; });

}  // namespace
}  // namespace strads::lasso
