// Fits that come to no numbers or whose objective rises: they say so, and keep the best that there was.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "made_up_ratings.hpp"

namespace strads::mf {
namespace {

constexpr EngineOptions kEngine{.schedulers = 2, .workers = 2, .depth = 2};

/// As if nobody had divided them by their unit.
std::shared_ptr<MfData> data_times(float factor, std::uint32_t validation) {
  auto ratings = test::made_up_ratings({.validation = validation});
  auto data = prepare_mf(ratings, 1, std::make_shared<SerialChunks>()).value();
  for (float& level : ratings->levels) level *= factor;
  ratings->lowest *= factor;
  ratings->highest *= factor;
  data->mean *= double{factor};
  data->squares *= double{factor} * double{factor};
  return data;
}

struct Ended {
  MfSolution solution;
  std::string stop_reason;
  bool converged = false;
};

Ended ended(const std::shared_ptr<MfData>& data, const MfOptions& options) {
  const auto run = run_embedded(make_mf_model(data, options, kEngine, true), kEngine,
                                {.threads = 1, .encode_messages = true}, {}, {});  // which carry finite numbers only
  return {solution_of(*data, options, run.end), run.end.stop_reason, run.end.certificate.converged};
}

bool is_finite(const MfSolution& solution) {
  const auto finite = [](const std::vector<float>& floats) {
    return std::all_of(floats.begin(), floats.end(), [](float value) { return std::isfinite(value); });
  };
  return std::isfinite(solution.objective) && finite(solution.factors[0]) && finite(solution.factors[1]) &&
         finite(solution.biases[0]) && finite(solution.biases[1]);
}

class Failure : public testing::TestWithParam<Solver> {
 protected:
  [[nodiscard]] static MfOptions options() {
    MfOptions options;
    options.solver = GetParam();
    options.rank = 4;
    return options;
  }
};

TEST_P(Failure, OfRatingsTooLargeForSinglePrecisionLeavesFiniteFactors) {
  for (const std::uint32_t validation : {0U, 100U}) {
    const auto run = ended(data_times(1e30F, validation), options());
    EXPECT_EQ(run.stop_reason, kStopNotFinite);
    EXPECT_FALSE(run.converged);
    EXPECT_TRUE(is_finite(run.solution));
    EXPECT_EQ(run.solution.best_sweep, 0U);
  }
}

TEST_P(Failure, IsNoneOfOrdinaryRatings) {
  const auto run = ended(data_times(1, 0), options());
  EXPECT_TRUE(run.converged) << run.stop_reason;
}

INSTANTIATE_TEST_SUITE_P(Solvers, Failure, testing::Values(Solver::cd, Solver::als, Solver::ccd, Solver::sgd),
                         test::solver_of);

MfOptions sgd_options(double lambda, double rate) {
  MfOptions options;
  options.solver = Solver::sgd;
  options.rank = 4;
  options.lambda = lambda;
  options.rate = rate;
  return options;
}

TEST(SgdFailure, ARisenObjectiveIsNoSuccessAndTheSweepBeforeIsKept) {
  for (const std::uint32_t validation : {0U, 100U}) {
    MfOptions options = sgd_options(100, 0.1);
    options.rank = 40;
    const auto run = ended(data_times(1, validation), options);
    EXPECT_EQ(run.stop_reason, kStopRose);
    EXPECT_FALSE(run.converged);
    ASSERT_GT(run.solution.best_sweep, 0U);
    MfOptions until_there = options;
    until_there.sweeps_max = run.solution.best_sweep;
    const auto best = ended(data_times(1, validation), until_there);
    EXPECT_EQ(best.stop_reason, kStopSweeps);
    EXPECT_EQ(model_hash(best.solution), model_hash(run.solution));
    EXPECT_EQ(best.solution.objective, run.solution.objective);
  }
}

TEST(SgdFailure, StepsThatLeaveTheNumbersKeepWhatWasThereBefore) {
  for (const std::uint32_t validation : {0U, 100U}) {
    const auto run = ended(data_times(1, validation), sgd_options(0.1, 30));
    EXPECT_FALSE(run.converged) << run.stop_reason;
    EXPECT_TRUE(run.stop_reason == kStopNotFinite || run.stop_reason == kStopRose) << run.stop_reason;
    EXPECT_TRUE(is_finite(run.solution));
  }
}

TEST(TestErrors, OfASweepAreThoseOfStrangersToo) {
  auto ratings = test::made_up_ratings({.test = 3});
  const std::uint32_t users = ratings->users->size(), items = ratings->items->size();
  for (const auto& [user, item] : {std::pair{users, 2U}, std::pair{5U, items}, std::pair{users, items}}) {
    ratings->strangers.users.push_back(user);
    ratings->strangers.items.push_back(item);
    ratings->strangers.codes.push_back(9);
  }
  const auto data = prepare_mf(ratings, 1, std::make_shared<SerialChunks>()).value();
  for (const Solver solver : {Solver::cd, Solver::ccd, Solver::sgd}) {
    MfOptions options = sgd_options(0.1, 0.1);
    options.solver = solver;
    const auto run = ended(data, options);
    const MfSolution& solution = run.solution;
    EXPECT_EQ(solution.test.ratings, 6U);
    const auto predicted = [&](std::uint32_t user, std::uint32_t item) {
      double sum = solution.mean;
      if (user < users) sum += double{solution.biases[0][user]};
      if (item < items) sum += double{solution.biases[1][item]};
      for (std::uint32_t k = 0; k < options.rank && user < users && item < items; ++k) {
        sum +=
            double{solution.factors[0][user * options.rank + k]} * double{solution.factors[1][item * options.rank + k]};
      }
      return std::clamp(sum, 0.5, 5.0);
    };
    double squared = 0;
    for (const Triplets* part : {&ratings->test, &ratings->strangers}) {
      for (std::size_t t = 0; t < part->size(); ++t) {
        squared += std::pow(double{ratings->levels[part->codes[t]]} - predicted(part->users[t], part->items[t]), 2);
      }
    }
    EXPECT_NEAR(solution.test.rmse, std::sqrt(squared / 6), 1e-5);
  }
}

}  // namespace
}  // namespace strads::mf
