// A replica that is made again from its content, as after a checkpoint: docs/RELIABILITY.md. The phases of a run, one
// after the other, without the engine.
#include <gtest/gtest.h>

#include <algorithm>
#include <utility>

#include "lda/model/lda_model.hpp"
#include "made_up_documents.hpp"

namespace strads::lda {
namespace {

LdaOptions options_to_restore(Sampler sampler) {
  LdaOptions options;
  options.sampler = sampler;
  options.topics = 5;
  options.beta = 0.1;
  options.sweeps = 4;
  options.measure_every = 2;
  options.evaluate_every = 1;
  options.optimise = true;
  options.optimise_after = 2;
  return options;
}

constexpr EngineOptions kRestoreEngine{.seed = 1, .schedulers = 2, .workers = 3, .depth = 1};

/// A model that was placed, its slices and its judge.
struct PhasesByHand {
  LdaModel model;
  std::vector<std::unique_ptr<Slice>> slices;
  std::unique_ptr<Judge> judge;
  SerialChunks serial;
  Cost cost;

  explicit PhasesByHand(const std::shared_ptr<LdaData>& data, Sampler sampler)
      : model(data, options_to_restore(sampler), kRestoreEngine) {
    std::vector<std::vector<VarId>> variables(kRestoreEngine.schedulers);
    for (VarId j = 0; j < model.variables(); ++j) variables[j % variables.size()].push_back(j);
    model.place({variables, kRestoreEngine.workers, {}});
    for (auto& of_slice : variables) slices.push_back(model.make_slice(std::move(of_slice)));
    judge = model.make_judge();
  }

  std::vector<Payload> statuses(const State& state) {
    std::vector<Payload> all;
    for (auto& slice : slices) all.push_back(slice->refresh(state, serial, cost));
    return all;
  }
  /// One round a slice; `rounds`: at most.
  void phase(State& state, const PhasePlan& plan, std::size_t rounds) {
    for (std::size_t s = 0; s < std::min(rounds, slices.size()); ++s) {
      CounterRng random(1, Purpose::tests);
      const auto blocks = slices[s]->schedule(static_cast<Round>(s), plan, random);
      std::vector<Payload> deltas;
      for (const Block& block : *blocks) {
        EXPECT_TRUE(model.acceptable(PayloadKind::block, block.content));
        deltas.push_back(model.push(state, block, serial).deltas);
        EXPECT_TRUE(model.acceptable(PayloadKind::deltas, deltas.back()));
      }
      if (deltas.empty()) continue;
      const Pull pull = model.pull(state, deltas, nullptr);
      EXPECT_TRUE(model.acceptable(PayloadKind::changes, pull.changes));
      model.apply(state, pull.changes, pull.step, nullptr, serial, cost);
    }
  }
};

class RestoredTopics : public testing::TestWithParam<Sampler> {};

TEST_P(RestoredTopics, GoOnWithTheBitsOfTheRunThatWasSaved) {
  const auto data = test::data_with_held_out(test::made_up_documents(40, 30, 5));
  PhasesByHand run(data, GetParam()), other(data, GetParam());
  auto state = run.model.make_state();
  Barrier barrier;
  for (int phases = 0;; ++phases) {
    ASSERT_LT(phases, 60);
    const auto statuses = run.statuses(*state);
    for (const Payload& status : statuses) EXPECT_TRUE(run.model.acceptable(PayloadKind::status, status));
    const Judgement judgement = run.judge->judge(barrier, statuses);
    if (judgement.plan.verdict != PhasePlan::Verdict::go_on) break;
    EXPECT_TRUE(run.model.acceptable(PayloadKind::phase, judgement.plan.content));
    const auto again = other.model.restore_state(state->content());
    ASSERT_NE(again, nullptr) << "barrier " << phases;
    EXPECT_EQ(again->content(), state->content());
    run.phase(*state, judgement.plan, 99);
    other.phase(*again, judgement.plan, 99);
    EXPECT_EQ(payload_hash(again->content()), payload_hash(state->content())) << "barrier " << phases;
    barrier.version += 2;
    barrier.rounds = 2;
  }
  EXPECT_GT(barrier.version, 10);
}

TEST_P(RestoredTopics, AreThoseBeforeAPhaseThatWasCutOff) {
  const auto data = test::data_of(test::made_up_documents(40, 30, 5));
  PhasesByHand run(data, GetParam());
  auto state = run.model.make_state();
  const auto before = run.model.topics_of_slice(static_cast<const LdaState&>(*state), 0)[0].topics;
  const Judgement judgement = run.judge->judge({}, run.statuses(*state));
  run.phase(*state, judgement.plan, 1);
  EXPECT_EQ(run.model.topics_of_slice(static_cast<const LdaState&>(*state), 0)[0].topics, before);
  EXPECT_EQ(run.model.restore_state(state->content()), nullptr);
  run.model.recompute(*state, run.serial, run.cost);
  EXPECT_EQ(run.model.topics_of_slice(static_cast<const LdaState&>(*state), 0)[0].topics, before);
}

TEST_P(RestoredTopics, AreNoneWhereAnythingDoesNotFit) {
  const auto data = test::data_of(test::made_up_documents(40, 30, 5));
  PhasesByHand run(data, GetParam());
  const Payload good = run.model.make_state()->content();
  ASSERT_NE(run.model.restore_state(good), nullptr);
  const auto refuses = [&](auto&& change) {
    Payload bad = good;
    change(bad);
    return run.model.restore_state(bad) == nullptr;
  };
  EXPECT_TRUE(refuses([](Payload& bad) { bad.values.pop_back(); }));
  EXPECT_TRUE(refuses([](Payload& bad) { bad.values.push_back(0); }));
  EXPECT_TRUE(refuses([](Payload& bad) { bad.bulk.pop_back(); }));
  EXPECT_TRUE(refuses([](Payload& bad) { bad.ids.push_back(1); }));
  EXPECT_TRUE(refuses([](Payload& bad) { bad.values[0] = 7; }));
  EXPECT_TRUE(refuses([](Payload& bad) {
    SharedFloats other(bad.bulk[0].size());
    std::fill(other.writable().begin(), other.writable().end(), 1.0F);  // topics 0 and 0x3f80
    bad.bulk[0] = other;
  }));
}

TEST_P(RestoredTopics, OfAStrangerWithTopicsBeyondTheLastAreNotAccepted) {
  const auto data = test::data_of(test::made_up_documents(40, 30, 5));
  PhasesByHand run(data, GetParam());
  auto state = run.model.make_state();
  const Judgement judgement = run.judge->judge({}, run.statuses(*state));
  CounterRng random(1, Purpose::tests);
  const auto blocks = run.slices[0]->schedule(0, judgement.plan, random);
  Payload deltas = run.model.push(*state, blocks->at(0), run.serial).deltas;
  ASSERT_TRUE(run.model.acceptable(PayloadKind::deltas, deltas));
  SharedFloats other(deltas.bulk[0].size());
  std::fill(other.writable().begin(), other.writable().end(), 1.0F);
  deltas.bulk[0] = other;
  EXPECT_FALSE(run.model.acceptable(PayloadKind::deltas, deltas));
  deltas.bulk[0] = SharedFloats(1);
  deltas.bulk[0].writable()[0] = 0;
  EXPECT_FALSE(run.model.acceptable(PayloadKind::deltas, deltas));
}

INSTANTIATE_TEST_SUITE_P(Samplers, RestoredTopics, testing::Values(Sampler::delayed, Sampler::rotation, Sampler::stale),
                         [](const testing::TestParamInfo<Sampler>& each) { return test::sampler_name(each.param); });

}  // namespace
}  // namespace strads::lda
