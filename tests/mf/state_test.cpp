// Versions of a factorization: what they share, what they say of themselves, and who may compute the next one.
#include "mf/problem/mf_state.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "by_hand.hpp"
#include "payload_positions.hpp"

namespace strads::mf {
namespace {

using test::ByHand;
using test::RoundByHand;
using test::state_of;

constexpr test::Shape kShape{.users = 90, .items = 40, .ratings = 1200, .skew = 1};

MfOptions options_of_state(Solver solver) {
  MfOptions options;
  options.solver = solver;
  options.rank = 4;
  options.width = 2;
  options.sweeps_max = 3;
  options.tolerance = 0;
  return options;
}

class StateOf : public testing::TestWithParam<Solver> {
 protected:
  const MfOptions options = options_of_state(GetParam());
  const std::shared_ptr<MfData> data = test::made_up_data(kShape);
};

/// sgd knows only the errors met on the way and foretells nothing.
class ExactStateOf : public StateOf {};

TEST_P(StateOf, SharesThePagesThatACommitDoesNotChange) {
  ByHand hand(data, options);
  std::size_t shared = 0, changed = 0;
  hand.on_round = [&](const RoundByHand& round) {
    std::size_t here = 0;
    for (const Side side : {Side::users, Side::items}) {
      const auto& before = state_of(*round.before).of(side).held;
      const auto& after = state_of(*round.after).of(side).held;
      for (std::size_t page = 0; page < before.size(); ++page) {
        const bool same = before[page] == after[page];
        (same ? shared : here) += 1;
        EXPECT_EQ(state_of(*round.after).of(side).table[page], after[page]->floats().data());
      }
    }
    EXPECT_EQ(here, round.pull.changes.bulk.size());
    changed += here;
  };
  hand.run(4);
  EXPECT_GT(changed, 10U);
  EXPECT_GT(shared, changed);
}

/// ccd: workers make up residuals from factors as they were. The others: the memory of a whole side, twice.
TEST_P(StateOf, GivesBackThePagesThatALaterVersionReplacedAndNothingElse) {
  ByHand hand(data, options);
  struct Seen {
    std::shared_ptr<const State> state;
    std::vector<double> values;
    std::vector<SharedFloats> pages;
  };
  std::vector<Seen> seen;
  hand.on_round = [&](const RoundByHand& round) {
    Payload content = round.after->content();
    seen.push_back({round.after, std::move(content.values), std::move(content.bulk)});
  };
  hand.run(5);
  ASSERT_GT(seen.size(), 8U);
  const auto& last = seen.back().pages;
  std::size_t released = 0;
  for (const Seen& then : seen) {
    const Payload now = then.state->content();
    EXPECT_EQ(now.values, then.values);
    for (std::size_t page = 0; page < then.pages.size(); ++page) {
      const bool replaced = then.pages[page].data() != last[page].data();
      const bool is_released = replaced && GetParam() != Solver::ccd;
      EXPECT_EQ(now.bulk[page], is_released ? SharedFloats() : then.pages[page]);
      released += is_released ? 1 : 0;
    }
  }
  EXPECT_EQ(released > 0, GetParam() != Solver::ccd);
}

TEST_P(StateOf, StillAnswersABlockWhosePageWasReplaced) {
  ByHand hand(data, options);
  std::size_t late = 0;
  hand.on_round = [&](const RoundByHand& round) {
    for (std::size_t b = 0; b < round.blocks.size(); ++b) {
      if (round.blocks[b].content.ids.empty()) continue;
      SerialChunks chunks;
      const Push again = hand.model->push(*round.base, round.blocks[b], chunks);
      EXPECT_TRUE(hand.model->acceptable(PayloadKind::deltas, again.deltas));
      EXPECT_EQ(again.deltas.bulk.size(), round.pushes[b].deltas.bulk.size());
      ++late;
    }
  };
  hand.run(4);
  EXPECT_GT(late, 10U);
}

/// A scheduler that lies asks for a block of an older version than anybody builds on. Shown by the address sanitizer.
TEST_P(StateOf, AnswersABlockWhenAllThatItReadsWasReplaced) {
  test::Shape shape = kShape;
  shape.validation = 100;
  ByHand hand(test::made_up_data(shape), options);
  std::vector<RoundByHand> rounds;
  hand.on_round = [&](const RoundByHand& round) { rounds.push_back(round); };
  hand.run(6);
  std::size_t late = 0;
  SerialChunks chunks;
  for (const RoundByHand& round : rounds) {
    for (const Block& block : round.blocks) {
      const Push again = hand.model->push(*round.base, block, chunks);
      EXPECT_TRUE(hand.model->acceptable(PayloadKind::deltas, again.deltas));
      ++late;
    }
  }
  EXPECT_GT(late, 20U);
}

TEST_P(StateOf, TakesAFirstPhaseThatSaysToBeTheMiddleOfASweep) {
  ByHand hand(data, options);
  const std::shared_ptr<const State> start = hand.state;
  std::size_t taken = 0;
  hand.on_pushed = [&](const RoundByHand& round) {
    if (round.version > 0) return;
    SerialChunks chunks;
    Cost cost;
    std::vector<Payload> deltas;
    for (Block block : round.blocks) {
      block.content.values[kPlanSweep] = 7;
      ASSERT_TRUE(hand.model->acceptable(PayloadKind::block, block.content));
      deltas.push_back(hand.model->push(*start, block, chunks).deltas);
      ASSERT_TRUE(hand.model->acceptable(PayloadKind::deltas, deltas.back()));
    }
    const auto next = start->clone();
    hand.model->apply(*next, hand.model->pull(*start, deltas, nullptr).changes, 1, nullptr, chunks, cost);
    EXPECT_TRUE(std::isfinite(hand.model->objective(*next)));
    taken += deltas.size();
  };
  hand.run(1);
  EXPECT_GT(taken, 0U);
}

TEST_P(ExactStateOf, HasTheObjectiveOfItsFactorsAtEveryCommit) {
  for (const bool weighted : {true, false}) {
    for (const bool bias : {true, false}) {
      MfOptions these = options;
      these.weighted = weighted;
      these.bias = bias;
      these.mean = bias;
      these.lambda = weighted ? 0.05 : 0.5;
      ByHand hand(data, these);
      EXPECT_NEAR(hand.model->objective(*hand.state) / test::objective_of(*hand.model, state_of(*hand.state)), 1, 1e-6)
          << "of the start";
      hand.on_round = [&](const RoundByHand& round) {
        const double expected = test::objective_of(*hand.model, state_of(*round.after));
        EXPECT_NEAR(hand.model->objective(*round.after) / expected, 1, 1e-5) << "version " << round.version;
        EXPECT_DOUBLE_EQ(round.pull.objective, hand.model->objective(*round.after));
      };
      hand.run();
    }
  }
}

TEST_P(ExactStateOf, FallsByWhatThePushesForetold) {
  ByHand hand(data, options);
  std::size_t looked_at = 0;
  hand.on_round = [&](const RoundByHand& round) {
    if (round.pushes.empty() || part_of(round.pushes[0].deltas.values) >= 0) return;
    double predicted = 0;
    for (const Push& push : round.pushes) predicted += push.predicted;
    // The first commit of a phase may change the weights of all pages; its last one replaces differences by a sum.
    if (hand.judgement.plan.content.values[kPlanFirst] == static_cast<double>(round.version)) return;
    ++looked_at;
    EXPECT_NEAR(predicted, round.pull.realised, 1e-5 * round.pull.objective) << "version " << round.version;
  };
  hand.run();
  EXPECT_GT(looked_at, 8U);
}

/// Bits of an answer; the cost of finding them may differ.
void expect_same(const Push& a, const Push& b) {
  EXPECT_EQ(a.deltas, b.deltas);
  EXPECT_EQ(a.predicted, b.predicted);
}

TEST_P(StateOf, HasTheSamePushesFromAWorkerThatReadsItsRatingsAgain) {
  ByHand hand(data, options);
  const auto stranger = test::placed_model(data, options, {.all_here = false});
  ASSERT_EQ(stranger->share_held(), 0.0);
  std::size_t looked_at = 0;
  SerialChunks chunks;
  hand.on_pushed = [&](const RoundByHand& round) {
    for (std::size_t b = 0; b < round.blocks.size(); ++b, ++looked_at) {
      expect_same(stranger->push(*round.base, round.blocks[b], chunks), round.pushes[b]);
    }
  };
  hand.run();
  EXPECT_GT(looked_at, 20U);
}

TEST_P(StateOf, HasTheSamePushesFromAModelThatMissedAllEarlierPhases) {
  ByHand hand(data, options);
  std::size_t looked_at = 0;
  SerialChunks chunks;
  hand.on_pushed = [&](const RoundByHand& round) {
    // One that has kept nothing, and then is asked the same again.
    const auto fresh = test::placed_model(data, options);
    for (std::size_t b = 0; b < round.blocks.size(); ++b, ++looked_at) {
      expect_same(fresh->push(*round.base, round.blocks[b], chunks), round.pushes[b]);
      expect_same(fresh->push(*round.base, round.blocks[b], chunks), round.pushes[b]);
    }
  };
  hand.run();
  EXPECT_GT(looked_at, 20U);
}

TEST(StateOfCcd, HasTheSamePushesAfterALaterPhaseWasComputed) {
  // A late question: the residuals that are kept are already those of later features.
  ByHand hand(test::made_up_data(kShape), options_of_state(Solver::ccd));
  std::vector<RoundByHand> rounds;
  hand.on_round = [&](const RoundByHand& round) { rounds.push_back(round); };
  hand.run();
  SerialChunks chunks;
  for (auto round = rounds.rbegin(); round != rounds.rend(); ++round) {
    for (std::size_t b = 0; b < round->blocks.size(); ++b) {
      expect_same(hand.model->push(*round->base, round->blocks[b], chunks), round->pushes[b]);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Solvers, StateOf, testing::ValuesIn(test::kSolvers), test::solver_of);

INSTANTIATE_TEST_SUITE_P(Solvers, ExactStateOf, testing::Values(Solver::cd, Solver::ccd, Solver::als), test::solver_of);

TEST(MfState, OfHeavyRowsHasTheSamePartsFromAWorkerThatReadsThemAgain) {
  const auto data = test::made_up_data({.users = 300, .items = 25, .ratings = 900, .skew = 1.5});
  const MfOptions options = options_of_state(Solver::als);
  ByHand hand(data, options);
  const auto stranger = test::placed_model(data, options, {.all_here = false});
  std::size_t parts = 0;
  SerialChunks chunks;
  hand.on_pushed = [&](const RoundByHand& round) {
    for (std::size_t b = 0; b < round.blocks.size(); ++b) {
      parts += part_of(round.blocks[b].content.values) >= 0 ? 1 : 0;
      expect_same(stranger->push(*round.base, round.blocks[b], chunks), round.pushes[b]);
    }
  };
  hand.run();
  EXPECT_GT(parts, 8U);
}

/// What slices report of a version, page after page.
std::vector<SharedFloats> reported_by(const MfModel& model, const MfState& state) {
  std::vector<SharedFloats> pages;
  for (const Side side : {Side::users, Side::items}) {
    for (std::uint32_t p = 0; p < model.page_count(side); ++p) pages.push_back(model.row_major(state, side, p));
  }
  return pages;
}

class KeptBy : public testing::TestWithParam<Solver> {};

TEST_P(KeptBy, TheReplicaAreTheFactorsWithTheLeastValidationError) {
  MfOptions options = options_of_state(GetParam());
  options.rank = 12;
  options.lambda = 0.001;  // far too little: soon the validation error rises
  options.sweeps_max = 1000;
  options.tolerance = -1;  // only the validation error ends this
  options.patience = 3;
  options.rate = 0.5;
  const auto data = test::made_up_data({.users = 90, .items = 40, .ratings = 900, .validation = 200});
  ByHand hand(data, options);
  double least = -1;
  Payload best, last;
  hand.on_round = [&](const RoundByHand&) { last = {}; };
  while (hand.phase()) {
    const MfState& state = state_of(*hand.state);
    if (state.verified) break;
    const double squared = state.evaluation.validation_squared;
    const bool evaluated = work_of(hand.judgement.plan.content.values) == Work::evaluate;
    if (evaluated && (least < 0 || squared < least)) {
      least = squared;
      best.bulk = reported_by(*hand.model, state);
    }
    last.bulk = reported_by(*hand.model, state);
  }
  const MfState& verified = state_of(*hand.state);
  ASSERT_TRUE(verified.verified);
  Payload reported;
  reported.bulk = reported_by(*hand.model, verified);
  EXPECT_EQ(reported, best);
  EXPECT_NE(reported, last) << "the last factors were worse";
  EXPECT_EQ(verified.best_validation, least);
  EXPECT_EQ(verified.evaluation.validation_squared, least);
}

INSTANTIATE_TEST_SUITE_P(Solvers, KeptBy, testing::ValuesIn(test::kSolvers), test::solver_of);

TEST(MfState, ThatNobodyHasChangedIsReportedAsItBegan) {
  // Until the first phase all users share a page of zeros that is longer than most of their pages.
  const auto data = test::made_up_data(kShape);
  for (const Solver solver : {Solver::cd, Solver::ccd, Solver::als, Solver::sgd}) {
    const MfOptions options = options_of_state(solver);
    const auto model = test::placed_model(data, options);
    const auto state = model->make_state();
    for (const Side side : {Side::users, Side::items}) {
      for (std::uint32_t page = 0; page < model->page_count(side); ++page) {
        const auto records = model->row_major(state_of(*state), side, page);
        EXPECT_EQ(records.size(), model->rows_of(side, page).size() * record_stride(options.rank));
      }
    }
  }
}

}  // namespace
}  // namespace strads::mf
