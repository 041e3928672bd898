// Several runs at a time on one simulated cluster: each has the bits that it has alone, and an auditor of its own.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "determinism/cross_validated.hpp"
#include "determinism/lasso_runs.hpp"
#include "strads/sim/simulate.hpp"
#include "support/sanitized.hpp"

namespace strads::lasso {
namespace {

class HostedRunsSimulated : public testing::Test {
 protected:
  HostedRunsSimulated() {
    problems_[2].engine.seed = 9;
    options_.engine = problems_[0].engine;
    for (std::uint32_t n = 0; n < 3; ++n) {
      options_.hosts.push_back({"host" + std::to_string(n), 2, 1});
      options_.nodes.push_back({n, true, true, 0});
    }
    options_.audit = true;
    options_.small_task_flops = 0;  // messages of one run come while another computes
    for (const std::size_t which : {1U, 2U}) {
      options_.further.push_back({problems_[which].engine, [this, which] { return problems_[which].model(); }, {}});
    }
  }
  [[nodiscard]] sim::SimulatedRun run() const {
    return sim::simulate([this] { return problems_[0].model(); }, options_, {});
  }

  std::vector<Problem> problems_{{small_genotypes(), Policy::automatic, {2, 3, 2}, 0},
                                 {small_dense(), Policy::paper, {2, 3, 2}, 60},
                                 {small_dense(), Policy::automatic, {2, 3, 2}, 0}};
  sim::SimulationOptions options_;
};

TEST_F(HostedRunsSimulated, HaveTheBitsOfEachAlone) {
  const auto hosted = run();
  EXPECT_EQ(hosted.violation.value_or("none"), "none");
  EXPECT_EQ(outcome_of(hosted.end, problems_[0].dataset->columns().columns), embedded(problems_[0], 1));
  ASSERT_EQ(hosted.further.size(), 2U);
  for (const std::size_t which : {1U, 2U}) {
    const auto& further = hosted.further[which - 1];
    EXPECT_TRUE(further.ended);
    EXPECT_EQ(outcome_of(further.end, problems_[which].dataset->columns().columns), embedded(problems_[which], 1));
    EXPECT_NE(further.state_hash, 0U);
  }
}

TEST_F(HostedRunsSimulated, HaveAnAuditorEach) {
  // The first model of a run is its auditor's: on other data it expects other bits than those of the processes.
  Problem other = problems_[1];
  other.dataset = support::dense_dataset({.rows = 61, .columns = 90, .seed = 3, .correlation = 0.2});
  int made = 0;
  options_.further[0].make_model = [&] { return made++ == 0 ? other.model() : problems_[1].model(); };
  EXPECT_TRUE(run().violation.has_value());
}

class SimulatedLassoCrossValidationBy : public testing::TestWithParam<Policy> {};

TEST_P(SimulatedLassoCrossValidationBy, HasTheBitsOfOneProcess) {
  const CrossValidated cv(small_dense(), GetParam(), {2, 3, 2});
  const Outcomes expected = cv.beside(2, 1);
  ASSERT_EQ(expected.size(), 5U);
  sim::SimulatedRun run;
  EXPECT_EQ(cv.simulated(0, run), expected);
  EXPECT_EQ(run.violation.value_or("none"), "none");
}

TEST_P(SimulatedLassoCrossValidationBy, HasTheSameBitsWhateverFaultsItMeets) {
  const CrossValidated cv(small_dense(), GetParam(), {2, 3, 2});
  const Outcomes expected = cv.beside(2, 1);
  int whole = 0;
  for (std::uint64_t seed = 1; seed <= 8 && !(support::kSanitized && whole >= 3); ++seed) {
    sim::SimulatedRun run;
    const Outcomes outcomes = cv.simulated(seed, run);
    EXPECT_EQ(run.violation.value_or("none"), "none") << "seed " << seed;
    if (!run.end.status.ok()) continue;  // a scheduler or the driver was lost
    EXPECT_EQ(outcomes, expected) << "seed " << seed;
    ++whole;
  }
  EXPECT_GE(whole, 3);
}

INSTANTIATE_TEST_SUITE_P(Policies, SimulatedLassoCrossValidationBy, testing::Values(Policy::paper, Policy::automatic),
                         [](const auto& policy) { return std::string(policy_name(policy.param)); });

}  // namespace
}  // namespace strads::lasso
