// A scheduler's slices of several models: which of them a plan asks, and which of them hear of a commit.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "engine/many/many_model.hpp"
#include "engine/rounds/halving_model.hpp"
#include "strads/base/chunks.hpp"

namespace strads::engine {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr EngineOptions kThreeSlices{.schedulers = 3, .workers = 3, .depth = 2};
constexpr VarId kVariables = 4;  // of each part

/// What one part was asked and told, in order.
using Heard = std::vector<std::string>;

class RecordingSlice final : public Slice {
 public:
  RecordingSlice(std::vector<VarId> variables, Heard& heard) : variables_(std::move(variables)), heard_(heard) {}
  [[nodiscard]] std::span<const VarId> variables() const override { return variables_; }
  [[nodiscard]] Payload scan(Chunks&, Cost&) override { return {}; }
  void begin(const Payload&) override {}
  [[nodiscard]] Payload refresh(const State&, Chunks&, Cost&) override { return {}; }
  void enter_phase(const PhasePlan&) override {}
  [[nodiscard]] double define_sampling(VarId) const override { return 1; }
  [[nodiscard]] double define_dependency(VarId, VarId) const override { return 0; }
  [[nodiscard]] bool plans_itself() const override { return true; }
  [[nodiscard]] Block make_block(std::vector<VarId>) const override { return {}; }
  [[nodiscard]] std::optional<std::vector<Block>> schedule(Round round, const PhasePlan&, CounterRng&) override {
    heard_.push_back("plan " + std::to_string(round));
    Block block;
    block.content.ids = {variables_.at(0)};
    return std::vector<Block>{block};
  }
  [[nodiscard]] Cost take_planning_cost() override {
    Cost cost;
    cost.flops = 10;
    return cost;
  }
  void committed(const RoundOutcome& outcome, std::vector<VarId>&) override {
    heard_.push_back(std::string(outcome.own ? "own" : "other's") + " commit " + std::to_string(outcome.round) +
                     " changes " + std::to_string(outcome.changes->ids.size()));
  }

 private:
  std::vector<VarId> variables_;
  Heard& heard_;
};

/// Scheduler 0's slice of two parts, each of which it holds half of. Its rounds are 0, 3, 6 ...
class TwoParts : public testing::Test {
 protected:
  TwoParts() : model_(parts(), kThreeSlices, {}), slice_(model_, slices(), {0, 2, 4, 6}, 0) {
    slice_.prepare_round(chunks_);
  }

  /// `begin`: the first part's number of its first round.
  void enter(const PhasePlan& first, const PhasePlan& second, Round begin = 0) {
    ManyPhase phase{.first = 0, .jobs = std::vector<Job>(2)};
    phase.jobs[0] = {.action = Job::Action::run, .first = begin, .plan = first};
    phase.jobs[1] = {.action = Job::Action::run, .first = 0, .plan = second};
    phase.lay_out(kThreeSlices.schedulers);
    PhasePlan plan;
    plan.rounds_max = phase.rounds();
    plan.content = phase.encode();
    slice_.enter_phase(plan);
  }
  /// Plans an own round and sends its blocks. Returns their number.
  std::size_t plan(Round round) {
    CounterRng random(1, Purpose::sampling, 0, static_cast<std::uint64_t>(round));
    auto blocks = slice_.schedule(round, {}, random).value();
    slice_.withdraw(round, blocks);
    return blocks.size();
  }
  /// A round's commit, which changes a variable of each part; `ended`: parts whose phase it ends.
  void commit(Round round, bool own, const std::vector<std::size_t>& ended = {}) {
    ManyCommit commit;
    for (std::size_t part = 0; part < 2; ++part) {
      const bool ends = std::find(ended.begin(), ended.end(), part) != ended.end();
      commit.changes.push_back({.part = part, .step = 1, .objective = 1, .realised = 0, .own = {{1}, {0.5}}});
      commit.remarks.push_back({.part = part, .blocks = 1, .predicted = 0, .updates = 1, .ends_phase = ends});
    }
    const Payload changes = commit.encode();
    RoundOutcome outcome;
    outcome.round = round;
    outcome.own = own;
    outcome.changes = &changes;
    std::vector<VarId> touched;
    slice_.committed(outcome, touched);
  }
  static PhasePlan ordinary() {
    PhasePlan plan;
    plan.rounds_max = 20;
    return plan;
  }
  static PhasePlan joint() {
    PhasePlan plan;
    plan.joint = true;
    return plan;
  }

  std::vector<Heard> heard_{2};

 private:
  static std::vector<std::shared_ptr<Model>> parts() {
    const HalvingOptions options{.variables = kVariables};
    return {std::make_shared<HalvingModel>(options, kThreeSlices.schedulers),
            std::make_shared<HalvingModel>(options, kThreeSlices.schedulers)};
  }
  std::vector<std::unique_ptr<Slice>> slices() {
    std::vector<std::unique_ptr<Slice>> slices;
    for (Heard& heard : heard_) slices.push_back(std::make_unique<RecordingSlice>(std::vector<VarId>{0, 2}, heard));
    return slices;
  }

  SerialChunks chunks_;
  ManyModel model_;

 protected:
  ManySlice slice_;
};

TEST_F(TwoParts, ArePlannedSideBySide) {
  enter(ordinary(), ordinary());
  EXPECT_EQ(plan(0), 2U);
  EXPECT_THAT(heard_[0], ElementsAre("plan 0"));
  EXPECT_THAT(heard_[1], ElementsAre("plan 0"));
}

TEST_F(TwoParts, OfWhichOneHasEndedItsPhasePlanForTheOtherOnly) {
  enter(ordinary(), ordinary());
  (void)plan(0);
  commit(0, true, {0});  // round 1 is under way: with depth 2 it is the last one of part 0
  heard_ = {{}, {}};
  EXPECT_EQ(plan(3), 1U);
  EXPECT_THAT(heard_[0], IsEmpty());
  EXPECT_THAT(heard_[1], ElementsAre("plan 3"));
  EXPECT_EQ(slice_.take_planning_cost().flops, 10U) << "of the one that planned";
}

TEST_F(TwoParts, KeepToWhatWasKnownWhenTheirPlanBegan) {
  enter(ordinary(), ordinary());
  (void)plan(0);
  commit(0, true);
  // Round 2 is the last one of part 0. The plan of round 3 has begun with commit 0, and must not depend on whether this
  // one was here: what it costs is counted.
  commit(1, false, {0});
  heard_ = {{}, {}};
  EXPECT_EQ(plan(3), 1U) << "withdrawn when its turn comes";
  EXPECT_THAT(heard_[0], ElementsAre("plan 3"));
}

TEST_F(TwoParts, HearOfTheirOwnCommits) {
  enter(ordinary(), ordinary());
  (void)plan(0);
  heard_ = {{}, {}};
  commit(0, true);
  EXPECT_THAT(heard_[0], ElementsAre("own commit 0 changes 1"));
  EXPECT_THAT(heard_[1], ElementsAre("own commit 0 changes 1"));
}

TEST_F(TwoParts, HearOfAnotherSchedulersCommitIfItIsJoint) {
  enter(joint(), ordinary(), 1);  // a round of scheduler 1
  commit(1, false);
  EXPECT_THAT(heard_[1], IsEmpty()) << "it drew of its own slice";
  // A joint block has variables of all slices.
  EXPECT_THAT(heard_[0], ElementsAre("other's commit 1 changes 1"));
}

}  // namespace
}  // namespace strads::engine
