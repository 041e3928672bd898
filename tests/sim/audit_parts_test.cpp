// The parts of the auditor: what it says, whom it expects to be drawn, and its replica.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "determinism/lasso_runs.hpp"
#include "engine/planning/slices.hpp"
#include "sim/audit/audit_deal.hpp"
#include "sim/audit/audit_draws.hpp"
#include "sim/audit/audit_phase.hpp"
#include "sim/audit/audit_reference.hpp"
#include "sim/audit/audit_text.hpp"
#include "support/scripted_model.hpp"

namespace strads::sim {
namespace {

using testing::HasSubstr;

// --- what it deals, and when phases end ---

TEST(ExpectedSlices, AreThoseOfTheEngineWithAndWithoutStripes) {
  EXPECT_EQ(expected_slices(7, 1000, 3, 4), engine::deal_slices(7, 1000, 3, 4));
  EXPECT_EQ(expected_slices(7, 1000, 4, 4), engine::deal_slices(7, 1000, 4, 4)) << "too few stripes: single variables";
  EXPECT_EQ(expected_slices(7, 1000, 1, 4), engine::deal_slices(7, 1000, 1, 4));
}

/// A phase of ten rounds of two blocks and eight updates, with S = D = 2 and at most twenty rounds.
class PhaseOfEightUpdates : public testing::Test {
 protected:
  PhaseOfEightUpdates() {
    EngineOptions engine;
    engine.schedulers = engine.depth = engine.workers = 2;
    engine.rounds_max = 20;
    phase_ = AuditPhase(engine);
    EXPECT_EQ(wrong_after(verdict(PhasePlan::Verdict::go_on, -1)), "");
  }
  static wire::Phase verdict(PhasePlan::Verdict verdict, Version version) {
    wire::Phase phase;
    phase.version = version;
    phase.verdict = static_cast<std::uint8_t>(verdict);
    phase.blocks_max = 2;
    phase.rounds_max = 10;
    phase.updates_max = 8;
    return phase;
  }
  std::string wrong_after(const wire::Phase& phase) {
    const auto wrong = phase_.on(phase, true);
    return wrong.has_value() ? wrong->found : "";
  }
  std::string wrong_after_round(Version version, std::uint64_t updates, bool last = false) {
    wire::Commit commit;
    commit.version = version;
    commit.blocks = 2;
    commit.updates = updates;
    commit.last = last ? 1 : 0;
    const auto wrong = phase_.on(commit);
    return wrong.has_value() ? wrong->found : "";
  }

  AuditPhase phase_{EngineOptions{}};
};

TEST_F(PhaseOfEightUpdates, EndsWithTheRoundsInFlightWhenTheyAreDone) {
  EXPECT_EQ(wrong_after_round(0, 8), "");
  EXPECT_EQ(wrong_after_round(1, 1), "") << "was in flight";
  EXPECT_THAT(wrong_after_round(2, 1), HasSubstr("a commit of a phase that has ended"));
}

TEST_F(PhaseOfEightUpdates, HasNoVerdictBeforeItsEnd) {
  EXPECT_EQ(wrong_after_round(0, 7), "");
  EXPECT_THAT(wrong_after(verdict(PhasePlan::Verdict::go_on, 0)), HasSubstr("a verdict at version 0"));
}

TEST_F(PhaseOfEightUpdates, EndsTheRunOnlyVerified) {
  EXPECT_EQ(wrong_after_round(0, 8), "");
  EXPECT_EQ(wrong_after_round(1, 0), "");
  EXPECT_THAT(wrong_after(verdict(PhasePlan::Verdict::stop, 1)), HasSubstr("a verdict to stop"));
  EXPECT_EQ(wrong_after(verdict(PhasePlan::Verdict::verify, 1)), "");
  EXPECT_EQ(wrong_after(verdict(PhasePlan::Verdict::stop, 1)), "");
}

TEST_F(PhaseOfEightUpdates, EndsTheRunAtNoOtherRoundThanTheLast) {
  EXPECT_THAT(wrong_after_round(0, 1, true), HasSubstr("which ends the run"));
  phase_.on_finish();
  EXPECT_EQ(wrong_after_round(0, 1, true), "") << "somebody has asked";
}

TEST_F(PhaseOfEightUpdates, HasAsManyBlocksAsItWasGiven) {
  wire::Commit commit;
  commit.version = 0;
  commit.blocks = 3;
  const auto wrong = phase_.on(commit);
  ASSERT_TRUE(wrong.has_value());
  EXPECT_EQ(wrong->found, "3 blocks");
}

// --- what it says ---

TEST(AuditText, NamesTheFirstDifference) {
  Difference difference;
  difference.compare("step", 0.5, 0.5);
  EXPECT_FALSE(difference.any());
  difference.compare("changes", Payload{{1, 2}, {0.5, 0.1}}, Payload{{1, 2}, {0.5, 0.25}});
  difference.compare("updates", std::uint64_t{1}, std::uint64_t{2});
  EXPECT_EQ(difference.found(), "changes.values[1] = 0.1");
  EXPECT_EQ(difference.expected(), "0.25");
}

TEST(AuditText, TellsZerosOfDifferentSignsApart) {
  Difference difference;
  difference.compare("changes", Payload{{}, {0.0}}, Payload{{}, {-0.0}});
  EXPECT_EQ(difference.found() + " " + difference.expected(), "changes.values[0] = 0 -0");
}

TEST(AuditText, TellsLengthsApart) {
  Difference difference;
  difference.compare("deltas", Payload{{1}, {1.0}}, Payload{});
  EXPECT_EQ(difference.found(), "deltas.ids count = 1");
}

TEST(AuditText, NamesTheArrayAndThePlaceThatDiffer) {
  SharedFloats found(2);
  found.writable()[0] = 1;
  found.writable()[1] = 0.5F;
  SharedFloats expected(2);
  expected.writable()[0] = 1;
  expected.writable()[1] = 0.25F;
  Difference difference;
  difference.compare("changes", Payload{{1}, {}, {found, found}}, Payload{{1}, {}, {found, found}});
  EXPECT_FALSE(difference.any());
  difference.compare("changes", Payload{{1}, {}, {found, found}}, Payload{{1}, {}, {found, expected}});
  EXPECT_EQ(difference.found() + " " + difference.expected(), "changes.bulk[1][1] = 0.5 0.25");
  Difference lengths;
  lengths.compare("changes", Payload{{1}, {}, {found}}, Payload{{1}, {}, {SharedFloats(1)}});
  EXPECT_EQ(lengths.found(), "changes.bulk[0] size = 2");
  Difference counts;
  counts.compare("changes", Payload{{1}, {}, {found}}, Payload{{1}, {}});
  EXPECT_EQ(counts.found(), "changes.bulk count = 1");
}

/// Draws of one slice of six variables.
class Draws : public testing::Test {
 protected:
  void begin(std::function<double(VarId)> p, ScheduleRules::Conflicts conflicts = ScheduleRules::Conflicts::drop) {
    support::Script script;
    script.p = std::move(p);
    script.rules.draws = 2;
    script.rules.conflicts = conflicts;
    model_ = std::make_shared<support::ScriptedModel>(script);
    draws_.begin(*model_, {{0, 1, 2, 3, 4, 5}}, {});
  }
  std::optional<std::string> round(std::vector<VarId> drawn) { return draws_.on_round(0, drawn); }

  std::shared_ptr<Model> model_;
  AuditDraws draws_;
};

TEST_F(Draws, MustVisitEachVariableFirst) {
  begin([](VarId) { return kSampleFirst; });
  EXPECT_EQ(round({0, 1}), std::nullopt);
  EXPECT_EQ(round({1, 2}), std::nullopt);
  EXPECT_EQ(round({3}), std::nullopt);
  const auto wrong = round({0, 1});
  ASSERT_TRUE(wrong.has_value());
  EXPECT_THAT(*wrong, HasSubstr("none of the 2 variables that were never drawn (the first of them: 4)"));
}

TEST_F(Draws, AreFreeOnceEachVariableWasVisited) {
  begin([](VarId) { return kSampleFirst; });
  EXPECT_EQ(round({0, 1, 2, 3, 4, 5}), std::nullopt);
  for (int k = 0; k < 100; ++k) EXPECT_EQ(round({0}), std::nullopt);
  EXPECT_EQ(draws_.at_end(), std::nullopt);
}

TEST_F(Draws, MayLeaveOutWhatIsNeverDrawn) {
  begin([](VarId j) { return j == 5 ? 0.0 : kSampleFirst; });
  EXPECT_EQ(round({0, 1, 2, 3, 4}), std::nullopt);
  EXPECT_EQ(round({1}), std::nullopt);
}

TEST_F(Draws, MustNotStarveOneOfEquals) {
  begin([](VarId) { return 1.0; });
  // Of 6 variables one is missed by n rounds of one with probability (5/6)^n.
  for (int k = 0; k < 150; ++k) EXPECT_EQ(round({static_cast<VarId>(k % 5)}), std::nullopt);
  EXPECT_EQ(draws_.at_end(), std::nullopt) << "6 x (5/6)^150 is above 1e-12";
  for (int k = 0; k < 100; ++k) EXPECT_EQ(round({static_cast<VarId>(k % 5)}), std::nullopt);
  const auto wrong = draws_.at_end();
  ASSERT_TRUE(wrong.has_value());
  EXPECT_THAT(*wrong, HasSubstr("found 1 of the 6 variables of slice 0 never drawn (the first of them: 5)"));
}

TEST_F(Draws, CountForEachVariableWhereNothingIsDropped) {
  begin([](VarId) { return 1.0; }, ScheduleRules::Conflicts::merge);
  // Two of six: (2/3)^n.
  for (int k = 0; k < 100; ++k)
    EXPECT_EQ(round({static_cast<VarId>(k % 5), static_cast<VarId>((k + 1) % 5)}), std::nullopt);
  EXPECT_TRUE(draws_.at_end().has_value());
}

TEST_F(Draws, AreNotJudgedWhereImportanceDiffers) {
  begin([](VarId j) { return 1.0 + j; });
  for (int k = 0; k < 1000; ++k) EXPECT_EQ(round({0}), std::nullopt);
  EXPECT_EQ(draws_.at_end(), std::nullopt);
}

TEST_F(Draws, AreNotJudgedOnceStopped) {
  begin([](VarId) { return kSampleFirst; });
  draws_.stop();
  EXPECT_EQ(round({0}), std::nullopt);
  EXPECT_EQ(round({0}), std::nullopt);
}

TEST(AuditReference, FindsARecomputationThatDisagrees) {
  const lasso::Problem problem(lasso::small_dense(), lasso::Policy::paper, {1, 1, 1}, 1);
  const auto model = problem.model();
  AuditReference reference(model, 1);
  Payload start;
  start.values.assign(8, 0.0);
  start.values[0] = 0.1;
  model->begin(start);
  reference.start();
  EXPECT_LT(reference.drift(), 1e-12);
  wire::Commit commit;
  commit.step = 1;
  commit.changes = {{3}, {0.5}};
  SerialChunks chunks;
  Cost cost;
  const Payload other{{3}, {0.75}};
  const auto direction = model->combine(std::span(&other, 1), chunks, cost);
  reference.apply(commit, direction.get());
  EXPECT_GT(reference.drift(), 1e-3);
}

TEST(AuditReference, HasTwoContentsWhereItWasRecomputed) {
  support::Script script;
  const auto model = std::make_shared<support::ScriptedModel>(script);
  AuditReference reference(model, 2);
  reference.start();
  const std::uint64_t first = reference.content_hash(-1, 0);
  wire::Commit commit;
  commit.step = 1;
  commit.changes = {{1}, {2.0}};
  reference.apply(commit, nullptr);
  EXPECT_NE(reference.content_hash(0, 1), first);
  EXPECT_TRUE(reference.holds(0, 1, reference.final_hash()));
  EXPECT_FALSE(reference.holds(0, 1, first));
  EXPECT_EQ(reference.content_hash(-1, 1), first) << "older versions stay what they were";
  EXPECT_NE(reference.at(-1), nullptr);
  EXPECT_EQ(reference.at(-2), nullptr);
}

}  // namespace
}  // namespace strads::sim
