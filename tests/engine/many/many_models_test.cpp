#include "strads/engine/many_models.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "engine/many/many_model.hpp"
#include "engine/many/many_payloads.hpp"
#include "engine/rounds/halving_model.hpp"
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
  std::vector<std::shared_ptr<Model>> parts(options.size());
  std::transform(options.begin(), options.end(), parts.begin(), part);
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

TEST(ManyModels, CallAPartThatIsCutOffInItsLastPhaseCutOff) {
  // Its judge sees the last of its phases and is content; but the phase had more rounds, whose bits are missing.
  Ends ends;
  const auto all =
      run([&] { return whole({{.variables = 7, .phases = 1, .turns = 3}}, collect(ends)); }, {.finish_at = 0});
  ASSERT_TRUE(all.ended && all.all_stopped);
  ASSERT_LT(all.end.totals.rounds, 6U) << "nothing was cut off";
  EXPECT_EQ(ends.at(0).stop_reason, "limit");
  EXPECT_FALSE(ends.at(0).certificate.converged);
  EXPECT_FALSE(all.end.certificate.converged);
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
  const auto accepts = [&](PayloadKind kind, const Payload& payload) { return model->acceptable(kind, payload); };
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
  ManyCommit commit;
  commit.changes = {{.part = 1, .step = 1, .objective = 7.5, .realised = 0, .own = {{3}, {1}}}};
  EXPECT_TRUE(accepts(PayloadKind::changes, commit.encode()));
  commit.changes[0].own.ids[0] = 12;
  EXPECT_FALSE(accepts(PayloadKind::changes, commit.encode())) << "no variable of that part";
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
  const Payload status = ManyStatus{{number, Payload{}}, std::vector<PartSums>(2)}.encode();
  EXPECT_TRUE(model->acceptable(PayloadKind::status, status));
  const auto judgement = judge->judge({}, std::vector{status, status});
  EXPECT_EQ(judgement.plan.verdict, PhasePlan::Verdict::go_on);
  ASSERT_EQ(ends.size(), 1U);
  EXPECT_EQ(ends.at(1).stop_reason, "limit");
  EXPECT_TRUE(ends.at(1).statuses.empty());
}

TEST(ManyModels, GiveAPartThatAsksForNoRoundsOne) {
  const HalvingOptions lazy{.variables = 4, .phases = 2, .turns = 0};
  Ends ends;
  const auto all = run([&] { return whole({lazy}, collect(ends)); });
  ASSERT_TRUE(all.ended && all.all_stopped);
  EXPECT_EQ(ends.at(0).totals.rounds, 2U) << "as alone, where a phase has one at least";
  EXPECT_EQ(run([&] { return part(lazy); }).end.totals.rounds, 2U);
}

/// Ends at once, with this gap.
class GapJudge final : public Judge {
 public:
  explicit GapJudge(double gap) : gap_(gap) {}
  [[nodiscard]] Result<Payload> start(std::span<const Payload>) override { return Payload{}; }
  [[nodiscard]] Judgement judge(const Barrier&, std::span<const Payload>) override {
    Judgement judgement;
    judgement.plan.verdict = PhasePlan::Verdict::stop;
    judgement.certificate.gap = gap_;
    judgement.certificate.objective = 8;
    return judgement;
  }

 private:
  double gap_;
};

Certificate certificate_of_gaps(const std::vector<double>& gaps) {
  std::vector<ManyJudge::PartJudge> parts;
  for (const double gap : gaps) parts.push_back({std::make_unique<GapJudge>(gap), true});
  ManyJudge judge(std::move(parts), 1, {});
  const std::vector<Payload> nothing(gaps.size());
  EXPECT_TRUE(judge.start(std::vector{pack(nothing)}).ok());
  return judge.judge({}, std::vector{ManyStatus{nothing, std::vector<PartSums>(gaps.size())}.encode()}).certificate;
}

TEST(ManyModels, HaveTheSumOfTheGapsOrNone) {
  EXPECT_EQ(certificate_of_gaps({0.5, 0.25}).gap, 0.75);
  EXPECT_EQ(certificate_of_gaps({0.5, 0.25}).relative_gap, 0.75 / 16);
  EXPECT_EQ(certificate_of_gaps({0.5, -1, 0.25}).gap, -1) << "one part has none";
  EXPECT_EQ(certificate_of_gaps({-1, 4}).gap, -1);
}

/// Goes on for ever, in phases of one kind.
class SteadyJudge final : public Judge {
 public:
  explicit SteadyJudge(bool steady) : steady_(steady) {}
  [[nodiscard]] Result<Payload> start(std::span<const Payload>) override { return Payload{}; }
  [[nodiscard]] Judgement judge(const Barrier&, std::span<const Payload>) override {
    Judgement judgement;
    judgement.plan.steady = steady_;
    return judgement;
  }

 private:
  bool steady_;
};

TEST(ManyModels, KeepBlocksWithTheirWorkersWhereEveryPartThatRunsDoes) {
  const auto steady = [](bool first, bool second) {
    std::vector<ManyJudge::PartJudge> parts;
    for (const bool one : {first, second}) parts.push_back({std::make_unique<SteadyJudge>(one), true});
    parts.push_back({std::make_unique<GapJudge>(0), true});  // it has ended, and does not matter
    ManyJudge judge(std::move(parts), 1, {});
    const std::vector<Payload> nothing(3);
    EXPECT_TRUE(judge.start(std::vector{pack(nothing)}).ok());
    return judge.judge({}, std::vector{ManyStatus{nothing, std::vector<PartSums>(3)}.encode()}).plan.steady;
  };
  EXPECT_TRUE(steady(true, true));
  EXPECT_FALSE(steady(true, false)) << "its blocks are to move on from worker to worker";
  EXPECT_FALSE(steady(false, true));
  EXPECT_FALSE(steady(false, false));
}

Job job_of(Round first, const PhasePlan& plan) {
  return {.action = Job::Action::run, .first = first, .plan = plan};
}

ManyPhase phase_of_four() {
  ManyPhase phase{.first = 8, .jobs = std::vector<Job>(4)};
  phase.jobs[0] = job_of(4, {.blocks_max = 3, .rounds_max = 3, .updates_max = 70, .content = {{1}, {2.5, 3}}});
  phase.jobs[1].action = Job::Action::verify;
  phase.jobs[2] = job_of(7, {.joint = true, .rounds_max = 1, .content = {}});
  phase.jobs[3] = job_of(3, {.rounds_max = 2, .content = {}});
  phase.lay_out(2);
  return phase;
}

/// "0:4 2:7": what a round is to which part.
std::string text_of(const std::vector<PartRound>& parts) {
  std::string text;
  for (const auto& [part, round] : parts) {
    text += (text.empty() ? "" : " ") + std::to_string(part) + ":" + std::to_string(round);
  }
  return text;
}

std::vector<std::string> rounds_of(const ManyPhase& phase, Round begin, Round end) {
  std::vector<std::string> texts;
  for (Round t = begin; t < end; ++t) texts.push_back(text_of(phase.parts_in(t)));
  return texts;
}

TEST(ManyPhases, GivePartsTheirRoundsSideBySideAfterARoundForHousekeeping) {
  const ManyPhase phase = phase_of_four();
  EXPECT_EQ(phase.rounds(), 5U);
  // Round 4 of part 0 is that of scheduler 0, whose turn comes with round 10 of the whole.
  EXPECT_THAT(rounds_of(phase, 7, 14), ElementsAre("", "", "2:7 3:3", "0:4 3:4", "0:5", "0:6", ""));
}

TEST(ManyPhases, GivePartsWhoseBlocksStayWithTheirWorkersRoundsOfTheirOwn) {
  ManyPhase phase{.first = 8, .jobs = std::vector<Job>(3)};
  phase.jobs[0] = job_of(4, {.steady = true, .rounds_max = 4, .content = {}});
  phase.jobs[1].action = Job::Action::verify;
  phase.jobs[2] = job_of(2, {.steady = true, .rounds_max = 2, .content = {}});
  phase.lay_out(2);
  EXPECT_EQ(phase.rounds(), 8U);
  EXPECT_THAT(rounds_of(phase, 7, 17), ElementsAre("", "", "", "0:4", "0:5", "0:6", "0:7", "2:2", "2:3", ""));
}

TEST(ManyPhases, TravelAsAPayload) {
  const ManyPhase phase = phase_of_four();
  const auto decoded = ManyPhase::decode(phase.encode(), 4, 2);
  ASSERT_TRUE(decoded.has_value());
  EXPECT_EQ(decoded->first, 8);
  EXPECT_EQ(decoded->jobs, phase.jobs);
  EXPECT_EQ(rounds_of(*decoded, 7, 14), rounds_of(phase, 7, 14));
}

TEST(ManyPhases, ThatAreDamagedAreNone) {
  const Payload payload = phase_of_four().encode();
  EXPECT_FALSE(ManyPhase::decode(payload, 3, 2).has_value());
  for (std::size_t k = 0; k < payload.values.size(); ++k) {
    Payload damaged = payload;
    damaged.values.resize(k);
    EXPECT_FALSE(ManyPhase::decode(damaged, 4, 2).has_value()) << "cut to " << k;
  }
  for (std::size_t k = 0; k < 13; ++k) {
    Payload damaged = payload;
    damaged.values[k] = -1;
    EXPECT_FALSE(ManyPhase::decode(damaged, 4, 2).has_value()) << "length " << k;
  }
}

ManyCommit commit_of_two() {
  ManyCommit commit;
  commit.changes = {{.part = 0, .step = 0.5, .objective = 7, .realised = 2, .own = {{3}, {0.25}}},
                    {.part = 2, .step = 1, .objective = 8, .realised = 1, .own = {}}};
  commit.housekeeping = {1, 2};
  commit.remarks = {{.part = 0, .blocks = 2, .predicted = 3, .updates = 40, .ends_phase = true},
                    {.part = 1, .blocks = 0, .predicted = 0, .updates = 0, .ends_phase = false}};
  return commit;
}

TEST(ManyCommits, TravelAsAPayload) {
  const auto decoded = ManyCommit::decode(commit_of_two().encode(), 3);
  ASSERT_TRUE(decoded.has_value());
  ASSERT_EQ(decoded->changes.size(), 2U);
  EXPECT_EQ(decoded->change_of(1), nullptr);
  const auto* change = decoded->change_of(0);
  ASSERT_NE(change, nullptr);
  EXPECT_THAT((std::vector{change->step, change->objective, change->realised}), ElementsAre(0.5, 7, 2));
  EXPECT_EQ(change->own, (Payload{{3}, {0.25}}));
  EXPECT_THAT(decoded->housekeeping, ElementsAre(1, 2));
  ASSERT_EQ(decoded->remarks.size(), 2U);
  EXPECT_EQ(decoded->remarks[0].updates, 40U);
  EXPECT_TRUE(decoded->remarks[0].ends_phase);
  EXPECT_EQ(decoded->encode(), commit_of_two().encode());
}

TEST(ManyCommits, OfNothingAreEmptyPayloads) {
  EXPECT_EQ(ManyCommit{}.encode(), Payload{});
  EXPECT_TRUE(ManyCommit::decode({}, 3).has_value());
}

TEST(ManyCommits, ThatAreDamagedAreNone) {
  const Payload payload = commit_of_two().encode();
  EXPECT_FALSE(ManyCommit::decode(payload, 2).has_value()) << "part 2 of two";
  for (std::size_t k = 0; k < payload.values.size(); ++k) {
    Payload damaged = payload;
    damaged.values.resize(k);
    EXPECT_FALSE(ManyCommit::decode(damaged, 3).has_value() && k > 0) << "cut to " << k;
  }
  ManyCommit twice = commit_of_two();
  twice.changes[1].part = 0;
  EXPECT_FALSE(ManyCommit::decode(twice.encode(), 3).has_value());
  twice = commit_of_two();
  twice.remarks[1].part = 0;
  EXPECT_FALSE(ManyCommit::decode(twice.encode(), 3).has_value());
  twice = commit_of_two();
  twice.housekeeping = {1, 1};
  EXPECT_FALSE(ManyCommit::decode(twice.encode(), 3).has_value()) << "to run is no housekeeping";
}

TEST(ManyReports, TravelAsAPayload) {
  const ManyStatus status{{{{1}, {2}}, {}},
                          {{.rounds = 3, .blocks = 5, .updates = 9, .predicted = 0.5, .realised = 0.25, .ended = true},
                           {.rounds = 1, .parallel_rounds = 1, .empty_rounds = 1}}};
  const auto decoded = ManyStatus::decode(status.encode(), 2);
  ASSERT_TRUE(decoded.has_value());
  EXPECT_EQ(decoded->parts, status.parts);
  EXPECT_EQ(decoded->sums, status.sums);
  EXPECT_FALSE(ManyStatus::decode(status.encode(), 3).has_value());
  EXPECT_FALSE(ManyStatus::decode({}, 2).has_value());
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
