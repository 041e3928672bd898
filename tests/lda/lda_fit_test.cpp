// Whole fits of small corpora, embedded: counts, bits, log joints, what is resumed.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "lda/check/check_topics.hpp"
#include "made_up_documents.hpp"

namespace strads::lda {
namespace {

using test::data_of;
using test::fit;
using test::made_up_documents;

std::shared_ptr<LdaData> small_corpus(std::uint64_t seed = 1) {
  return data_of(made_up_documents(90, 60, 6), seed);
}

LdaOptions options_of(Sampler sampler) {
  LdaOptions options;
  options.sampler = sampler;
  options.topics = 6;
  options.alpha.assign(6, 0.2);
  options.beta = 0.05;
  options.sweeps = 12;
  options.measure_every = 4;
  return options;
}

class LdaFitOf : public testing::TestWithParam<Sampler> {
 protected:
  [[nodiscard]] static LdaOptions options() { return options_of(GetParam()); }
};

TEST_P(LdaFitOf, CountsEveryTokenOnceAndMeasuresTheLogJointOfItsTopics) {
  const auto data = small_corpus();
  for (const EngineOptions& engine :
       {EngineOptions{.schedulers = 1, .workers = 1}, EngineOptions{.schedulers = 3, .workers = 4, .depth = 2}}) {
    test::Machine machine;
    machine.engine = engine;
    const auto run = fit(data, options(), machine);
    EXPECT_EQ(run.stop_reason, kStopSweeps);
    EXPECT_EQ(run.solution.sweeps, 12U);
    EXPECT_EQ(std::accumulate(run.solution.totals.begin(), run.solution.totals.end(), std::uint64_t{0}),
              data->tokens());
    const Status checked = check_topics(*data, run.solution);
    EXPECT_TRUE(checked.ok()) << checked.message();
  }
}

TEST_P(LdaFitOf, GivesTheSameBitsWithTwoThreadsAndEncodedMessages) {
  const auto data = small_corpus();
  test::Machine machine;
  machine.engine = {.schedulers = 2, .workers = 3, .depth = 2};
  const auto one = fit(data, options(), machine);
  machine.threads = 2;
  machine.encode = true;
  EXPECT_EQ(fit(data, options(), machine).hash, one.hash);
}

TEST_P(LdaFitOf, HasOtherBitsWithAnotherSeed) {
  EXPECT_NE(fit(small_corpus(2), options()).hash, fit(small_corpus(1), options()).hash);
}

TEST_P(LdaFitOf, FindsTopicsThatShareNoWord) {
  const auto data = small_corpus();
  LdaOptions longer = options();
  longer.sweeps = 150;
  longer.measure_every = 1;
  const auto run = fit(data, longer);
  ASSERT_FALSE(run.sweeps.empty());
  EXPECT_GT(run.solution.log_joint / static_cast<double>(data->tokens()),
            run.sweeps.front().figures[kFigureLogJoint] + 0.4);
}

TEST_P(LdaFitOf, OptimisesAlphaAndBetaToALargerLogJoint) {
  const auto data = small_corpus();
  LdaOptions plain = options();
  plain.alpha.assign(6, 5.0);
  plain.beta = 1;
  plain.sweeps = 100;
  LdaOptions optimised = plain;
  optimised.optimise = true;
  optimised.optimise_after = 10;
  const auto run = fit(data, optimised);
  EXPECT_GT(run.solution.log_joint, fit(data, plain).solution.log_joint);
  EXPECT_NE(run.solution.alpha[0], run.solution.alpha[1]);
  EXPECT_LT(run.solution.beta, 0.5);
  const Status checked = check_topics(*data, run.solution);
  EXPECT_TRUE(checked.ok()) << checked.message();
}

INSTANTIATE_TEST_SUITE_P(Samplers, LdaFitOf, testing::Values(Sampler::delayed, Sampler::rotation, Sampler::stale),
                         [](const testing::TestParamInfo<Sampler>& each) { return test::sampler_name(each.param); });

TEST(LdaFit, OfDelayedHasTheSameBitsForAnyNumberOfSchedulersWorkersAndThreads) {
  const auto data = small_corpus();
  for (const std::uint32_t proposals : {1U, 2U, 3U}) {
    LdaOptions options = options_of(Sampler::delayed);
    options.proposals = proposals;
    options.optimise = proposals == 2;
    options.optimise_after = 3;
    const auto first = fit(data, options);
    for (const auto& [schedulers, workers] : {std::pair{1U, 2U}, {2U, 1U}, {3U, 5U}, {4U, 40U}}) {
      test::Machine machine;
      machine.engine = {.schedulers = schedulers, .workers = workers, .depth = schedulers};
      machine.threads = 2;
      const auto other = fit(data, options, machine);
      EXPECT_EQ(other.hash, first.hash) << schedulers << " x " << workers << ", " << proposals << " proposals";
      EXPECT_EQ(other.solution.log_joint, first.solution.log_joint);
    }
  }
}

TEST(LdaFit, OfOneTopicOneWordOrOneTokenEnds) {
  for (const Sampler sampler : {Sampler::delayed, Sampler::rotation, Sampler::stale}) {
    LdaOptions options = options_of(sampler);
    EXPECT_EQ(fit(data_of(test::counted({{1}})), options).stop_reason, kStopSweeps);
    EXPECT_EQ(fit(data_of(test::counted({{0, 0}, {3, 0}, {0, 0}})), options).stop_reason, kStopSweeps);
    options.topics = 1;
    options.alpha = {0.5};
    const auto run = fit(small_corpus(), options);
    EXPECT_EQ(run.solution.totals[0], run.solution.assignments.size());
  }
}

TEST(LdaFit, CountsTheDriftOfTotalsOfSeveralWorkersOnly) {
  const auto data = small_corpus();
  test::Machine machine;
  EXPECT_EQ(fit(data, options_of(Sampler::rotation), machine).sweeps.back().figures[kFigureDrift], 0);
  machine.engine.workers = 4;
  EXPECT_GT(fit(data, options_of(Sampler::rotation), machine).sweeps.back().figures[kFigureDrift], 0);
}

TEST(LdaCheck, FindsATopicThatIsNotTheOneThatWasCounted) {
  const auto data = small_corpus();
  auto solution = fit(data, options_of(Sampler::delayed)).solution;
  const auto other = std::find_if(solution.assignments.begin(), solution.assignments.end(),
                                  [&](std::uint16_t topic) { return topic != solution.assignments[0]; });
  ASSERT_NE(other, solution.assignments.end());
  auto moved = solution;
  std::swap(moved.assignments[0], moved.assignments[static_cast<std::size_t>(other - solution.assignments.begin())]);
  EXPECT_FALSE(check_topics(*data, moved).ok());  // the totals are right
  moved = solution;
  moved.assignments[0] = *other;
  EXPECT_FALSE(check_topics(*data, moved).ok());
  moved.assignments[0] = 6;
  EXPECT_FALSE(check_topics(*data, moved).ok());
  solution.log_joint += 0.01;
  EXPECT_FALSE(check_topics(*data, solution).ok());
}

TEST(LdaOptionsCheck, RefusesWhatNoSamplerCanUse) {
  const auto refused = [](auto&& change) {
    LdaOptions options = options_of(Sampler::delayed);
    change(options);
    return check_lda_options(options).code() == StatusCode::usage;
  };
  EXPECT_FALSE(refused([](LdaOptions&) {}));
  EXPECT_TRUE(refused([](LdaOptions& options) { options.topics = 0; }));
  EXPECT_TRUE(refused([](LdaOptions& options) { options.topics = kTopicsMax + 1; }));
  EXPECT_TRUE(refused([](LdaOptions& options) { options.alpha.pop_back(); }));
  EXPECT_TRUE(refused([](LdaOptions& options) { options.alpha[2] = 0; }));
  EXPECT_TRUE(refused([](LdaOptions& options) { options.beta = NAN; }));
  EXPECT_TRUE(refused([](LdaOptions& options) { options.proposals = 0; }));
  EXPECT_TRUE(refused([](LdaOptions& options) { options.sweeps = 0; }));
}

}  // namespace
}  // namespace strads::lda
