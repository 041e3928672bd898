// A worker is lost, and whoever gets its blocks cannot read its ratings again: a fault of the run, not of the process.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "by_hand.hpp"

namespace strads::mf {
namespace {

using test::ByHand;
using test::RoundByHand;
using test::state_of;

/// With heavy items, which are split where the solver does that, and something to evaluate.
constexpr test::Shape kUnreadShape{.users = 300, .items = 25, .ratings = 900, .skew = 1.5, .validation = 50};

MfOptions options_of_unread(Solver solver) {
  MfOptions options;
  options.solver = solver;
  options.rank = 4;
  options.sweeps_max = 3;
  options.tolerance = 0;
  return options;
}

/// Its file is there for the first `reads` workers.
struct LostFile {
  std::shared_ptr<MfData> data = test::made_up_data(kUnreadShape);
  std::shared_ptr<int> asked = std::make_shared<int>(0);

  explicit LostFile(int reads) {
    data->reload = [there = data->reload, count = asked, reads]() -> Result<std::shared_ptr<const Triplets>> {
      if (++*count > reads) return Status::input("ratings.csv: No such file or directory");
      return there();
    };
  }
};

class Unread : public testing::TestWithParam<Solver> {
 protected:
  const MfOptions options = options_of_unread(GetParam());
  const std::size_t head = plan_size(options.rank);
};

TEST_P(Unread, BlocksAreAnsweredInTheirShapeWithAMark) {
  ByHand hand(test::made_up_data(kUnreadShape), options);
  const LostFile lost(0);
  const auto stranger = test::placed_model(lost.data, options, {.all_here = false});
  std::size_t looked_at = 0;
  hand.on_pushed = [&](const RoundByHand& round) {
    for (std::size_t b = 0; b < round.blocks.size(); ++b, ++looked_at) {
      SerialChunks chunks;
      const Payload honest = round.pushes[b].deltas;
      const Payload answer = stranger->push(*round.base, round.blocks[b], chunks).deltas;
      for (const MfModel* model : {hand.model.get(), stranger.get()}) {
        EXPECT_TRUE(model->acceptable(PayloadKind::deltas, answer));
      }
      Payload expected = honest;
      mark(expected, options.rank, Fault::unread);
      EXPECT_EQ(answer, expected);
      EXPECT_NE(answer, honest);
    }
  };
  hand.run();
  EXPECT_GT(looked_at, 20U);
  EXPECT_EQ(*lost.asked, 1) << "what cannot be read is not read again for every block";
}

/// Of every round one block, a part of a heavy row among them, was computed by who has no ratings.
TEST_P(Unread, BlocksLeaveTheirPagesAsTheyWereAndTheOthersAreTaken) {
  ByHand hand(test::made_up_data(kUnreadShape), options);
  const auto stranger = test::placed_model(LostFile(0).data, options, {.all_here = false});
  std::size_t kept = 0, parts = 0, evaluations = 0;
  hand.on_pushed = [&](const RoundByHand& round) {
    if (round.blocks.empty()) return;
    SerialChunks chunks;
    Cost cost;
    std::vector<Payload> deltas;
    for (const Push& push : round.pushes) deltas.push_back(push.deltas);
    deltas.back() = stranger->push(*round.base, round.blocks.back(), chunks).deltas;
    const Pull pull = hand.model->pull(*hand.state, deltas, nullptr);
    EXPECT_TRUE(hand.model->acceptable(PayloadKind::changes, pull.changes));
    const auto next = hand.state->clone();
    hand.model->apply(*next, pull.changes, 1, nullptr, chunks, cost);
    const MfState& before = state_of(*hand.state);
    MfState& after = static_cast<MfState&>(*next);
    EXPECT_EQ(after.fault, Fault::unread);
    EXPECT_TRUE(std::isfinite(pull.objective));
    const auto changed = [&](Side side) {
      std::size_t pages = 0;
      for (std::size_t page = 0; page < before.of(side).held.size(); ++page) {
        pages += before.of(side).held[page] == after.of(side).held[page] ? 0 : 1;
      }
      return pages;
    };
    const bool is_part = part_of(round.blocks.back().content.values) >= 0;
    const bool evaluates = work_of(pull.changes.values) == Work::evaluate;
    const std::size_t arrays = pull.changes.bulk.size() / (is_part || evaluates ? 1 : deltas.size());
    EXPECT_EQ(changed(Side::users) + changed(Side::items), pull.changes.bulk.size() - arrays);
    if (evaluates) {
      EXPECT_EQ(after.best_validation, before.best_validation) << "what was looked at is not all";
    }
    (is_part ? parts : evaluates ? evaluations : kept) += 1;
  };
  hand.run();
  EXPECT_GT(kept, 5U);
  EXPECT_GT(evaluations, 2U);
  EXPECT_EQ(parts > 0, GetParam() == Solver::cd || GetParam() == Solver::als);
}

TEST_P(Unread, RatingsEndTheRunInOrderWhenTheyAreMissed) {
  // The first phases ask for those of one worker after the other.
  for (const int reads : {0, 1, 3}) {
    const LostFile lost(reads);
    ByHand hand(lost.data, options, {.all_here = false});
    std::size_t rounds = 0;
    hand.on_round = [&](const RoundByHand& round) { rounds += round.blocks.empty() ? 0 : 1; };
    hand.run();
    EXPECT_EQ(hand.judgement.stop_reason, kStopUnread) << reads;
    EXPECT_FALSE(hand.judgement.certificate.converged);
    EXPECT_EQ(*lost.asked, reads + 1);
    EXPECT_LE(rounds, 6U) << "at the next barrier: every scheduler has had a turn, with heavy rows two";
    for (const Payload& status : hand.statuses) EXPECT_TRUE(hand.model->acceptable(PayloadKind::status, status));
    const MfState& state = state_of(*hand.state);
    ASSERT_TRUE(state.verified);
    EXPECT_TRUE(std::isfinite(test::objective_of(*hand.model, state)));
  }
}

TEST_P(Unread, RatingsAreNamedWhateverElseFailsBesideThem) {
  ByHand hand(test::made_up_data(kUnreadShape), options);
  hand.on_pushed = [&](const RoundByHand& round) {
    if (round.blocks.size() < 2) return;
    for (const bool first : {true, false}) {
      std::vector<Payload> deltas;
      for (const Push& push : round.pushes) deltas.push_back(push.deltas);
      mark(first ? deltas.front() : deltas.back(), options.rank, Fault::unread);
      mark(first ? deltas.back() : deltas.front(), options.rank, Fault::not_finite);
      SerialChunks chunks;
      Cost cost;
      const auto next = hand.state->clone();
      hand.model->apply(*next, hand.model->pull(*hand.state, deltas, nullptr).changes, 1, nullptr, chunks, cost);
      EXPECT_EQ(state_of(*next).fault, Fault::unread) << "round " << round.version;
    }
  };
  hand.run();
}

INSTANTIATE_TEST_SUITE_P(Solvers, Unread, testing::ValuesIn(test::kSolvers), test::solver_of);

}  // namespace
}  // namespace strads::mf
