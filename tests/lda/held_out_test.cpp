// Perplexity of held-out documents while a fit goes on.
#include <gtest/gtest.h>

#include <cmath>
#include <utility>

#include "lda/infer/infer.hpp"
#include "lda/topics/completion.hpp"
#include "made_up_documents.hpp"

namespace strads::lda {
namespace {

constexpr std::uint64_t kHeldOutSeed = 3;

LdaOptions options_with_evaluation(Sampler sampler, std::uint32_t sweeps) {
  LdaOptions options;
  options.sampler = sampler;
  options.topics = 6;
  options.alpha.assign(6, 0.2);
  options.beta = 0.05;
  options.sweeps = sweeps;
  options.measure_every = 4;
  options.evaluate_every = 3;
  return options;
}

Documents corpus_with_held_out() {
  return test::made_up_documents(90, 60, 6);
}

/// What `lda evaluate` says of the model that a fit writes.
double evaluated(const LdaData& data, const LdaSolution& solution) {
  SerialChunks serial;
  const DocumentParts parts = hold_out(corpus_with_held_out(), 0.25, kHeldOutSeed);
  const DocumentHalves halves = halves_of(parts.held_out, kHeldOutSeed);
  TopicModel model;
  model.topics = solution.topics;
  model.alpha = solution.alpha;
  model.beta = solution.beta;
  model.words.resize(data.vocabulary());
  model.phi = phi_of(data, solution);
  const auto theta = infer_topics(halves.seen, model.phi, model.alpha, {.seed = kHeldOutSeed}, serial);
  return completed(model, theta, halves.asked, serial).perplexity();
}

class HeldOutPerplexityOf : public testing::TestWithParam<Sampler> {};

TEST_P(HeldOutPerplexityOf, IsWhatEvaluateSaysOfTheModelOfThatSweep) {
  const auto data = test::data_with_held_out(corpus_with_held_out(), kHeldOutSeed);
  for (const EngineOptions& engine :
       {EngineOptions{.schedulers = 1, .workers = 1}, EngineOptions{.schedulers = 3, .workers = 4, .depth = 2}}) {
    test::Machine machine;
    machine.engine = engine;
    LdaOptions options = options_with_evaluation(GetParam(), 9);
    options.optimise = true;
    options.optimise_after = 2;
    const auto whole = test::fit(data, options, machine);
    ASSERT_EQ(whole.sweeps.size(), 9U);
    EXPECT_TRUE(std::isnan(whole.sweeps[1].figures[kFigureHeldOut]));
    for (const std::uint32_t sweep : {3U, 6U}) {
      options.sweeps = sweep;
      const auto& figures = whole.sweeps[sweep - 1].figures;
      EXPECT_EQ(figures[kFigureEvaluated], sweep);
      EXPECT_EQ(figures[kFigureHeldOut], evaluated(*data, test::fit(data, options, machine).solution));
    }
    EXPECT_EQ(whole.sweeps[8].figures[kFigureEvaluated], 6) << "of the last sweep the program measures what it writes";
  }
}

TEST_P(HeldOutPerplexityOf, DoesNotChangeTheModel) {
  LdaOptions options = options_with_evaluation(GetParam(), 7);
  const auto with = test::fit(test::data_with_held_out(corpus_with_held_out(), kHeldOutSeed), options);
  const DocumentParts parts = hold_out(corpus_with_held_out(), 0.25, kHeldOutSeed);
  const auto without = test::fit(test::data_of(parts.kept, kHeldOutSeed), options);
  EXPECT_EQ(with.hash, without.hash);
  EXPECT_TRUE(std::isnan(without.sweeps.back().figures[kFigureHeldOut]));
}

TEST_P(HeldOutPerplexityOf, HasTheSameBitsWithTwoThreadsAndEncodedMessages) {
  const auto data = test::data_with_held_out(corpus_with_held_out(), kHeldOutSeed);
  test::Machine machine;
  machine.engine = {.schedulers = 2, .workers = 3, .depth = 2};
  const LdaOptions options = options_with_evaluation(GetParam(), 5);
  const auto one = test::fit(data, options, machine);
  machine.threads = 2;
  machine.encode = true;
  EXPECT_EQ(test::fit(data, options, machine).sweeps[3].figures[kFigureHeldOut], one.sweeps[3].figures[kFigureHeldOut]);
}

INSTANTIATE_TEST_SUITE_P(Samplers, HeldOutPerplexityOf,
                         testing::Values(Sampler::delayed, Sampler::rotation, Sampler::stale),
                         [](const testing::TestParamInfo<Sampler>& each) { return test::sampler_name(each.param); });

TEST(HeldOutPerplexity, OfDelayedIsTheSameForAnyNumberOfSchedulersAndWorkers) {
  const auto data = test::data_with_held_out(corpus_with_held_out(), kHeldOutSeed);
  const LdaOptions options = options_with_evaluation(Sampler::delayed, 4);
  const auto first = test::fit(data, options);
  for (const auto& shape : {std::pair{1U, 2U}, {3U, 5U}, {4U, 40U}}) {
    test::Machine machine;
    machine.engine = {.schedulers = shape.first, .workers = shape.second, .depth = shape.first};
    EXPECT_EQ(test::fit(data, options, machine).sweeps[3].figures[kFigureHeldOut],
              first.sweeps[3].figures[kFigureHeldOut]);
  }
}

TEST(HeldOutPerplexity, IsMeasuredAsSeldomAsCostsLittleWhereNobodySaysHowOften) {
  const auto data = test::data_with_held_out(corpus_with_held_out(), kHeldOutSeed);
  LdaOptions options = options_with_evaluation(Sampler::delayed, 4);
  EXPECT_EQ(evaluation_interval(*data, options), 3U);
  options.evaluate_every = 0;
  for (const Sampler sampler : {Sampler::delayed, Sampler::rotation}) {
    options.sampler = sampler;
    const std::uint32_t every = evaluation_interval(*data, options);
    EXPECT_EQ(every % options.measure_every, 0U);
    const double share = evaluation_work(*data, options) / sweep_work(*data, options);
    EXPECT_LE(share / every, kEvaluationShare);
    EXPECT_GT(share / (every - options.measure_every), kEvaluationShare);
  }
  EXPECT_EQ(evaluation_interval(*test::data_of(corpus_with_held_out()), options), 0U);
}

}  // namespace
}  // namespace strads::lda
