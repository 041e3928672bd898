// A path of lambdas: the same bits at every one of them, whatever executes it.
#include <gtest/gtest.h>

#include <map>
#include <mutex>

#include "lasso_runs.hpp"

namespace strads::lasso {
namespace {

Problem path_problem(std::shared_ptr<const Dataset> data, Policy policy, const Shape& shape) {
  Problem problem(std::move(data), policy, shape, 400);
  problem.lasso.path.count = 8;
  problem.lasso.path.min_ratio = 0.05;
  problem.lasso.eta = 1e-3;
  return problem;
}

/// Hash, objective and phases of every point that one run records.
class Recorded {
 public:
  explicit Recorded(const Problem& problem) : problem_(problem) {}

  [[nodiscard]] std::shared_ptr<Model> model() {
    return make_lasso_model(prepare_lasso(problem_.dataset, problem_.lasso).value(), problem_.lasso,
                            [this](const Solution& point) { record_point(point); });
  }
  [[nodiscard]] std::string text() const {
    std::string all;
    for (const auto& [index, line] : points_) all += line;
    return all;
  }
  [[nodiscard]] std::size_t size() const { return points_.size(); }

 private:
  void record_point(const Solution& point) {
    Solution solution;
    solution.variables = point.variables;
    solution.standardized = point.standardized;
    std::ostringstream line;
    line << point.index << ' ' << beta_hash(solution, problem_.dataset->columns().columns) << std::hexfloat << ' '
         << point.certificate.objective << ' ' << point.certificate.gap << ' ' << point.phases << '\n';
    const std::lock_guard lock(mutex_);
    points_[point.index] = line.str();
  }

  const Problem& problem_;
  std::mutex mutex_;
  std::map<std::size_t, std::string> points_;
};

std::string embedded_path(const Problem& problem, unsigned threads, bool encode_messages = false) {
  Recorded recorded(problem);
  const auto run =
      run_embedded(recorded.model(), problem.engine, {.threads = threads, .encode_messages = encode_messages}, {}, {});
  return recorded.text() + outcome_of(run.end, problem.dataset->columns().columns);
}

std::string cluster_path(const Problem& problem, support::ClusterOptions options) {
  options.engine = problem.engine;
  Recorded recorded(problem);
  const auto run = support::run_cluster([&] { return recorded.model(); }, options);
  return recorded.text() + outcome_of(run, problem);
}

class PathOfEveryPolicy : public testing::TestWithParam<Policy> {};

TEST_P(PathOfEveryPolicy, HasOneHashAtAnyNumberOfThreads) {
  for (const Shape& shape : {kShapes[0], kShapes[2], kShapes[4]}) {
    for (const auto& data : {small_dense(), small_genotypes()}) {
      const Problem problem = path_problem(data, GetParam(), shape);
      const std::string expected = embedded_path(problem, 1);
      EXPECT_EQ(embedded_path(problem, 3), expected) << problem.name();
      EXPECT_EQ(embedded_path(problem, 2, true), expected) << problem.name() << ", messages encoded";
    }
  }
}

TEST_P(PathOfEveryPolicy, HasThatHashOnAnyNumberOfNodesInAnyOrderOfMessages) {
  for (const Shape& shape : {kShapes[1], kShapes[4]}) {
    const Problem problem = path_problem(small_genotypes(), GetParam(), shape);
    const std::string expected = embedded_path(problem, 1);
    for (const std::uint32_t nodes : {1U, 3U}) {
      EXPECT_EQ(cluster_path(problem, {.nodes = nodes, .seed = nodes, .order = support::Order::any, .duplicates = 0.2}),
                expected)
          << problem.name() << " N=" << nodes;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Policies, PathOfEveryPolicy, testing::ValuesIn(kPolicies), [](const auto& policy) {
  std::string name = policy_name(policy.param);
  std::erase(name, '-');
  return name;
});

TEST(PathRuns, OfAutoReachTheirLastLambdaInTheseTests) {
  Problem problem = path_problem(small_genotypes(), Policy::automatic, kShapes[4]);
  problem.engine.rounds_max = 0;
  Recorded recorded(problem);
  const auto run = run_embedded(recorded.model(), problem.engine, {.threads = 1}, {}, {});
  EXPECT_EQ(recorded.size(), 8u);
  EXPECT_GT(run.end.totals.rounds_parallel, 0u);
}

}  // namespace
}  // namespace strads::lasso
