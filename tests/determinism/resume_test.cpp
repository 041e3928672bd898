// A fit and a path of the Lasso that are cut at any barrier and go on from its checkpoint: the same bits.
#include <gtest/gtest.h>

#include <cstddef>
#include <map>
#include <sstream>

#include "lasso_runs.hpp"
#include "resumed.hpp"
#include "support/sanitized.hpp"

namespace strads::lasso {
namespace {

/// A problem whose solutions of a path are told.
class ResumableProblem {
 public:
  explicit ResumableProblem(Problem problem) : problem_(std::move(problem)) {}

  [[nodiscard]] const Problem& problem() const { return problem_; }
  [[nodiscard]] support::Recorded run(const RunCheckpoint* from, unsigned threads, bool keep) {
    points_.clear();
    const auto make = [this] {
      return make_lasso_model(prepare_lasso(problem_.dataset, problem_.lasso).value(), problem_.lasso,
                              [this](const Solution& point) { record_point(point); });
    };
    return support::run_from(make, problem_.engine, from, threads, keep);
  }
  /// Of the last run: points, hash, counts.
  [[nodiscard]] std::string outcome(const RunEnd& end) const {
    std::string all;
    for (const auto& [index, line] : points_) all += line;
    return all + outcome_of(end, problem_.dataset->columns().columns) + " phases " + std::to_string(end.totals.phases);
  }

 private:
  void record_point(const Solution& point) {
    Solution solution;
    solution.variables = point.variables;
    solution.standardized = point.standardized;
    std::ostringstream line;
    line << point.index << ' ' << beta_hash(solution, problem_.dataset->columns().columns) << std::hexfloat << ' '
         << point.certificate.gap << ' ' << point.phases << '\n';
    points_[point.index] += line.str();  // a point that is told twice shows
  }

  Problem problem_;
  std::map<std::size_t, std::string> points_;
};

/// About `wanted` of `count` places, the first and the last among them.
std::vector<std::size_t> some_of(std::size_t count, std::size_t wanted) {
  std::vector<std::size_t> places;
  for (std::size_t k = 0; k < count; ++k) {
    if (count <= wanted || k * (wanted - 1) / (count - 1) != (k - 1) * (wanted - 1) / (count - 1) || k == 0)
      places.push_back(k);
  }
  return places;
}

void expect_same_from_everywhere(ResumableProblem problem, std::size_t least) {
  const support::Recorded whole = problem.run(nullptr, 1, true);
  const std::string expected = problem.outcome(whole.end);
  const support::Recorded plain = problem.run(nullptr, 2, false);
  EXPECT_EQ(problem.outcome(plain.end), expected) << "without checkpoints";
  ASSERT_GE(whole.checkpoints.size(), least) << problem.problem().name();
  for (const std::size_t k : some_of(whole.checkpoints.size(), support::repetitions<std::size_t>(8, 3))) {
    const support::Recorded again = problem.run(&whole.checkpoints[k], static_cast<unsigned>(1 + k % 3), true);
    EXPECT_EQ(problem.outcome(again.end), expected)
        << problem.problem().name() << ", from checkpoint " << k << " of " << whole.checkpoints.size();
    // The barrier is offered again, and all that follow.
    ASSERT_EQ(again.checkpoints.size(), whole.checkpoints.size() - k) << problem.problem().name();
    // Cut a second time.
    const support::Recorded twice = problem.run(&again.checkpoints[again.checkpoints.size() / 2], 1, false);
    EXPECT_EQ(problem.outcome(twice.end), expected) << problem.problem().name() << ", cut twice, first at " << k;
  }
}

class ResumeOfEveryPolicy : public testing::TestWithParam<Policy> {};

TEST_P(ResumeOfEveryPolicy, AFitHasTheBitsAndCountsOfTheRunThatWasNotCut) {
  for (const Shape& shape : {kShapes[0], kShapes[2], kShapes[4]}) {
    for (const auto& data : {small_dense(), small_genotypes()}) {
      Problem problem(data, GetParam(), shape, 400);
      problem.lasso.lambda = 0.1;
      problem.lasso.lambda_scale = LambdaScale::ratio;
      problem.lasso.check_interval = 50;
      expect_same_from_everywhere(ResumableProblem(problem), 2);
    }
  }
}

TEST_P(ResumeOfEveryPolicy, APathHasItsPointsEachOnce) {
  for (const Shape& shape : {kShapes[1], kShapes[3]}) {
    Problem problem(small_genotypes(), GetParam(), shape, 600);
    problem.lasso.path.count = 8;
    problem.lasso.path.min_ratio = 0.05;
    problem.lasso.eta = 1e-3;
    expect_same_from_everywhere(ResumableProblem(problem), 4);
  }
}

INSTANTIATE_TEST_SUITE_P(Policies, ResumeOfEveryPolicy, testing::ValuesIn(kPolicies), [](const auto& policy) {
  std::string name = policy_name(policy.param);
  std::erase(name, '-');
  return name;
});

TEST(Resume, TakesAnElasticNetWithFactorsAndNoGuard) {
  Problem problem(small_dense(), Policy::automatic, kShapes[3], 400);
  problem.lasso.lambda = 0.05;
  problem.lasso.lambda_scale = LambdaScale::ratio;
  problem.lasso.l1_ratio = 0.7;
  problem.lasso.guard = false;
  expect_same_from_everywhere(ResumableProblem(problem), 1);
}

/// A run and its first checkpoint, to be damaged.
class CheckpointThatDoesNotFit : public testing::Test {
 protected:
  CheckpointThatDoesNotFit() : problem_(Problem(small_dense(), Policy::paper, kShapes[2], 400)) {
    checkpoint_ = problem_.run(nullptr, 1, true).checkpoints.back();
  }
  [[nodiscard]] std::string told() { return problem_.run(&checkpoint_, 1, false).end.status.message(); }

  ResumableProblem problem_;
  RunCheckpoint checkpoint_;
};

TEST_F(CheckpointThatDoesNotFit, IsRefusedForAReplicaOfOtherData) {
  checkpoint_.replica.values.pop_back();
  EXPECT_NE(told().find("the checkpoint does not fit the model"), std::string::npos) << told();
}

TEST_F(CheckpointThatDoesNotFit, IsRefusedForAMemoryOfAnotherSlice) {
  checkpoint_.memories.front().values.push_back(1);
  EXPECT_NE(told().find("the checkpoint does not fit the model"), std::string::npos) << told();
}

TEST_F(CheckpointThatDoesNotFit, IsRefusedForAnotherNumberOfSlices) {
  checkpoint_.memories.pop_back();
  EXPECT_NE(told().find("the checkpoint does not fit the model"), std::string::npos) << told();
}

TEST_F(CheckpointThatDoesNotFit, IsRefusedWhereItsVerdictsDoNotFollow) {
  checkpoint_.phase.content.values.assign(checkpoint_.phase.content.values.size() + 1, 0.5);
  EXPECT_NE(told().find("what was decided before does not follow"), std::string::npos) << told();
}

}  // namespace
}  // namespace strads::lasso
