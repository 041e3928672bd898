#include "strads/many_models.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "engine/many_payloads.hpp"
#include "halving_model.hpp"
#include "support/cluster.hpp"

namespace strads::engine {
namespace {

using support::ClusterOptions;
using support::Order;
using testing::ElementsAre;

constexpr EngineOptions kEngine{.schedulers = 2, .workers = 3, .depth = 1};
const std::vector<HalvingOptions> kParts = {
    {.variables = 7, .phases = 3}, {.variables = 12, .phases = 1}, {.variables = 5, .phases = 5, .turns = 2}};

std::shared_ptr<Model> part(const HalvingOptions& options) {
  return std::make_shared<HalvingModel>(options, kEngine.schedulers);
}

std::shared_ptr<Model> whole(const std::vector<HalvingOptions>& options, PartEnded ended = {}) {
  std::vector<std::shared_ptr<Model>> parts;
  for (const auto& of_part : options) parts.push_back(part(of_part));
  return many_models(std::move(parts), kEngine, std::move(ended));
}

using Ends = std::map<std::size_t, RunEnd>;

PartEnded collect(Ends& ends) {
  return [&ends](std::size_t i, const RunEnd& end) { EXPECT_TRUE(ends.emplace(i, end).second) << "part " << i; };
}

support::ClusterRun run(const std::function<std::shared_ptr<Model>()>& make, ClusterOptions options = {}) {
  options.engine = kEngine;
  return support::run_cluster(make, options);
}

void expect_as_alone(const Ends& ends) {
  ASSERT_EQ(ends.size(), kParts.size());
  for (std::size_t i = 0; i < kParts.size(); ++i) {
    const auto alone = run([&] { return part(kParts[i]); });
    const RunEnd& end = ends.at(i);
    EXPECT_EQ(end.statuses, alone.end.statuses) << "part " << i;
    EXPECT_EQ(end.problem, alone.end.problem);
    EXPECT_EQ(end.stop_reason, alone.end.stop_reason);
    EXPECT_EQ(end.certificate.figures, alone.end.certificate.figures);
    EXPECT_EQ(end.certificate.objective, alone.end.certificate.objective);
    EXPECT_EQ(end.totals.rounds, alone.end.totals.rounds);
  }
}

TEST(ManyModels, GiveEachPartTheBitsOfARunOfItsOwn) {
  Ends ends;
  const auto all = run([&] { return whole(kParts, collect(ends)); });
  EXPECT_TRUE(all.ended && all.all_stopped);
  EXPECT_TRUE(all.end.certificate.converged);
  EXPECT_EQ(all.end.stop_reason, "every part has ended");
  expect_as_alone(ends);
}

TEST(ManyModels, GiveTheSameOnSeveralNodesWithMessagesLostAndTwice) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    Ends ends;
    const auto all = run([&] { return whole(kParts, collect(ends)); }, {.nodes = 3,
                                                                        .seed = seed,
                                                                        .order = Order::any,
                                                                        .duplicates = 0.1,
                                                                        .encode_messages = true,
                                                                        .coordinator_apart = seed % 2 == 0,
                                                                        .losses = 0.1});
    ASSERT_TRUE(all.ended && all.all_stopped);
    expect_as_alone(ends);
    for (const auto& state : all.states) EXPECT_EQ(state->content(), all.states[0]->content());
  }
}

TEST(ManyModels, OfOnePartNeedNotARoundMoreThanThePart) {
  const auto alone = run([] { return part(kParts[0]); });
  const auto all = run([] { return whole({kParts[0]}); });
  EXPECT_EQ(all.end.totals.rounds, alone.end.totals.rounds);
  EXPECT_EQ(all.end.totals.updates, alone.end.totals.updates);
}

TEST(ManyModels, ShareBarriers) {
  const auto all = run([] { return whole(kParts); });
  // The longest part has 5 phases; the ends of the others take a turn in one of them each.
  EXPECT_EQ(all.end.totals.phases, 5U);
}

TEST(ManyModels, GiveBackTheReplicaOfAPartThatHasEnded) {
  const auto all = run([] { return whole(kParts); });
  const auto contents = unpack(all.states[0]->content(), 3);
  EXPECT_FALSE(contents.has_value()) << "the objectives stand behind the parts";
  Payload parts = all.states[0]->content();
  parts.values.resize(parts.values.size() - 3);
  const auto own = unpack(parts, 3);
  ASSERT_TRUE(own.has_value());
  EXPECT_EQ((*own)[1], Payload{}) << "it ended after one phase of five";
  EXPECT_EQ((*own)[2].values.size(), 6U) << "nothing ran after it that could give it back";
}

TEST(ManyModels, ThatAreCutOffStillTellOfEveryPart) {
  for (const Version at : {-1, 0, 1, 3, 6, 9}) {
    Ends ends;
    const auto all =
        run([&] { return whole(kParts, collect(ends)); }, {.nodes = 2, .order = Order::any, .finish_at = at});
    ASSERT_TRUE(all.ended && all.all_stopped) << at;
    EXPECT_EQ(all.end.stop_reason, "limit");
    EXPECT_FALSE(all.end.certificate.converged);
    ASSERT_EQ(ends.size(), kParts.size());
    for (const auto& [i, end] : ends) {
      EXPECT_EQ(end.stop_reason == "limit", !end.certificate.converged) << i << " at " << at;
      EXPECT_EQ(end.statuses.size(), kEngine.schedulers);
    }
    EXPECT_EQ(ends.at(2).stop_reason, "limit") << "it has the most phases";
  }
}

TEST(ManyModels, AreRefusedWhenOnePartRefusesItsProblem) {
  const auto all = run([] { return whole({{.variables = 4}, {.variables = 4, .refuses = true}}); });
  EXPECT_EQ(all.end.status.message(), "refused");
}

TEST(ManyModels, DealEachPartAsIfItWereAlone) {
  const auto model = whole(kParts);
  EXPECT_EQ(model->variables(), 24U);
  const auto deals = model->deals();
  ASSERT_EQ(deals.size(), 3U);
  EXPECT_EQ(deals[1].variables, 12U);
}

TEST(ManyModels, ShowTheFiguresOfEveryPart) {
  const auto all = run([] { return whole(kParts); });
  const auto parts = parts_of(all.end.certificate);
  ASSERT_EQ(parts.size(), 3U);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_TRUE(parts[i].ended);
    EXPECT_THAT(parts[i].figures,
                ElementsAre(kParts[i].phases + 1, kEngine.schedulers * kParts[i].phases * kParts[i].turns - 1.0,
                            kEngine.schedulers * kParts[i].turns));
  }
  EXPECT_TRUE(parts_of({}).empty());
}

TEST(ManyModels, DoNotAcceptPayloadsThatNameNoPart) {
  const auto model = whole(kParts);
  const auto accepts = [&](PayloadKind kind, Payload payload) { return model->acceptable(kind, payload); };
  EXPECT_TRUE(accepts(PayloadKind::block, {{8}, {0.5, 1}}));
  EXPECT_FALSE(accepts(PayloadKind::block, {{8}, {0.5, 0}})) << "a variable of another part";
  EXPECT_FALSE(accepts(PayloadKind::block, {{24}, {0.5, 2}})) << "no such variable";
  EXPECT_FALSE(accepts(PayloadKind::block, {{8}, {0.5, 4}})) << "no such part";
  EXPECT_FALSE(accepts(PayloadKind::block, {{8}, {}}));
  EXPECT_FALSE(accepts(PayloadKind::block, {{}, {0.5, 1}}));
  EXPECT_TRUE(accepts(PayloadKind::block, {{0}, {1, 2, 3}})) << "part 1 is verified";
  EXPECT_FALSE(accepts(PayloadKind::block, {{0}, {1, 0, 3}})) << "that is no housekeeping";
  EXPECT_FALSE(accepts(PayloadKind::block, {{0}, {3, 2, 3}}));
  EXPECT_TRUE(accepts(PayloadKind::deltas, {{8, 9}, {1, 2}}));
  EXPECT_FALSE(accepts(PayloadKind::deltas, {{6, 9}, {1, 2}})) << "of two parts";
  EXPECT_FALSE(accepts(PayloadKind::deltas, {{24}, {1}}));
  EXPECT_FALSE(accepts(PayloadKind::deltas, {{}, {}}));
  EXPECT_TRUE(accepts(PayloadKind::changes, {{3}, {1, 7.5, 1}}));
  EXPECT_FALSE(accepts(PayloadKind::changes, {{12}, {1, 7.5, 1}}));
  EXPECT_FALSE(accepts(PayloadKind::changes, {{}, {1}}));
  EXPECT_TRUE(accepts(PayloadKind::changes, {}));
  EXPECT_FALSE(accepts(PayloadKind::start, {}));
  EXPECT_FALSE(accepts(PayloadKind::phase, {{}, {1, 2, 3}}));
}

TEST(ManyModels, CutOffAPartOfWhichANodeSaysNothing) {
  Ends ends;
  const auto model = whole({{.variables = 4}, {.variables = 4}}, collect(ends));
  const auto judge = model->make_judge();
  const Payload number{{}, {2}};
  const Payload summary = pack(std::vector{number, number});
  ASSERT_TRUE(judge->start(std::vector{summary, summary}).ok());
  // Acceptable, since the second part might have ended.
  const Payload status = pack(std::vector{number, Payload{}});
  EXPECT_TRUE(model->acceptable(PayloadKind::status, status));
  const auto judgement = judge->judge({}, std::vector{status, status});
  EXPECT_EQ(judgement.plan.verdict, PhasePlan::Verdict::go_on);
  ASSERT_EQ(ends.size(), 1U);
  EXPECT_EQ(ends.at(1).stop_reason, "limit");
  EXPECT_TRUE(ends.at(1).statuses.empty());
}

ManyPhase phase_of_three() {
  ManyPhase phase{.first = 8, .jobs = std::vector<Job>(3)};
  phase.jobs[0] = {.action = Job::Action::run, .first = 4, .plan = {.blocks_max = 3, .rounds_max = 4, .content = {}}};
  phase.jobs[0].plan.content = {.ids = {1}, .values = {2.5, 3}};
  phase.jobs[1].action = Job::Action::verify;
  phase.jobs[2] = {.action = Job::Action::run, .first = 2, .plan = {.steady = true, .rounds_max = 2, .content = {}}};
  return phase;
}

TEST(ManyPhases, ShareOutTheirRoundsInWholeTurns) {
  const ManyPhase phase = phase_of_three();
  EXPECT_EQ(phase.rounds(2), 8U);
  const auto at = [&](Round round) -> std::pair<int, Round> {
    const auto found = phase.find(round, 2);
    return found.has_value() ? std::pair{static_cast<int>(found->part), found->round} : std::pair{-1, Round{-1}};
  };
  std::vector<std::pair<int, Round>> rounds;
  for (Round t = 7; t < 17; ++t) rounds.push_back(at(t));
  using P = std::pair<int, Round>;
  EXPECT_THAT(rounds, ElementsAre(P{-1, -1}, P{-1, -1}, P{-1, -1}, P{0, 4}, P{0, 5}, P{0, 6}, P{0, 7}, P{2, 2}, P{2, 3},
                                  P{-1, -1}));
  EXPECT_EQ(phase.done(0, 10, 2), 1U);
  EXPECT_EQ(phase.done(2, 10, 2), 0U);
  EXPECT_EQ(phase.done(2, 15, 2), 2U);
}

TEST(ManyPhases, TravelAsAPayload) {
  const ManyPhase phase = phase_of_three();
  const auto decoded = ManyPhase::decode(phase.encode(), 3, 2);
  ASSERT_TRUE(decoded.has_value());
  EXPECT_EQ(decoded->first, 8);
  EXPECT_EQ(decoded->jobs, phase.jobs);
}

TEST(ManyPhases, ThatAreDamagedAreNone) {
  const Payload payload = phase_of_three().encode();
  EXPECT_FALSE(ManyPhase::decode(payload, 2, 2).has_value());
  EXPECT_FALSE(ManyPhase::decode(payload, 3, 3).has_value()) << "not whole turns";
  for (std::size_t k = 0; k < payload.values.size(); ++k) {
    Payload damaged = payload;
    damaged.values.resize(k);
    EXPECT_FALSE(ManyPhase::decode(damaged, 3, 2).has_value()) << "cut to " << k;
  }
  for (std::size_t k = 0; k < 10; ++k) {
    Payload damaged = payload;
    damaged.values[k] = -1;
    EXPECT_FALSE(ManyPhase::decode(damaged, 3, 2).has_value()) << "length " << k;
  }
}

TEST(PackedPayloads, ComeBack) {
  SharedFloats floats(2);
  floats.writable()[0] = 1;
  floats.writable()[1] = 2;
  const std::vector<Payload> parts = {{{1, 2}, {0.5}, {}}, {}, {{}, {1, 2, 3}, {floats}}};
  const Payload packed = pack(parts);
  EXPECT_EQ(unpack(packed, 3), parts);
  EXPECT_FALSE(unpack(packed, 2).has_value());
  Payload longer = packed;
  longer.values.push_back(0);
  EXPECT_FALSE(unpack(longer, 3).has_value());
  longer = packed;
  longer.values[1] = 1.5;
  EXPECT_FALSE(unpack(longer, 3).has_value());
}

}  // namespace
}  // namespace strads::engine
