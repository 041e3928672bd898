// A replica that is made again from its content, as after a checkpoint: docs/RELIABILITY.md.
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "by_hand.hpp"

namespace strads::mf {
namespace {

using test::ByHand;
using test::RoundByHand;
using test::state_of;

constexpr test::Shape kShapeOfRestored{.users = 90, .items = 40, .ratings = 900, .validation = 200};

/// Far too little penalty: soon the validation error rises, and the best factors are those of an earlier sweep.
MfOptions options_of_restored(Solver solver) {
  MfOptions options;
  options.solver = solver;
  options.rank = 4;
  options.width = 2;
  options.lambda = 0.001;
  options.sweeps_max = solver == Solver::ccd ? 7 : 10;
  options.tolerance = -1;
  options.patience = 20;
  options.rate = 0.5;
  return options;
}

/// As it comes from a file: nothing is shared with the version that it is of.
Payload read_back(const Payload& content) {
  Payload read = content;
  for (SharedFloats& floats : read.bulk) {
    SharedFloats own(floats.size());
    std::ranges::copy(floats.view(), own.writable().begin());
    floats = std::move(own);
  }
  return read;
}

std::shared_ptr<const State> restored(const Model& model, const State& state) {
  return model.restore_state(read_back(state.content()));
}

class RestoredReplica : public testing::TestWithParam<Solver> {
 protected:
  const MfOptions options = options_of_restored(GetParam());
  const std::shared_ptr<MfData> data = test::made_up_data(kShapeOfRestored);
};

TEST_P(RestoredReplica, HasTheContentOfTheOneThatWasSaved) {
  ByHand hand(data, options);
  const auto other = test::placed_model(data, options, {.all_here = false});
  std::size_t blank = 0, kept = 0, best = 0, in_sweep = 0;
  const auto look = [&](const State& state) {
    const Payload content = state.content();
    for (const Model* model : std::initializer_list<const Model*>{hand.model.get(), other.get()}) {
      const auto again = restored(*model, state);
      ASSERT_NE(again, nullptr) << "version " << hand.version;
      EXPECT_EQ(again->content(), content) << "version " << hand.version;
      EXPECT_EQ(model->objective(*again), hand.model->objective(state));
    }
    const MfState& seen = state_of(state);
    blank += std::ranges::any_of(seen.of(Side::users).held, [](const auto& page) { return page->is_blank(); }) ? 1 : 0;
    kept += seen.kept != nullptr ? 1 : 0;
    best += seen.is_best ? 1 : 0;
    in_sweep += !seen.start[0].held.empty() && seen.start[0].table != seen.pages[0].table ? 1 : 0;
  };
  look(*hand.state);
  hand.on_round = [&](const RoundByHand& round) { look(*round.after); };
  hand.run();
  EXPECT_EQ(blank > 0, GetParam() != Solver::sgd);
  EXPECT_GT(kept, 10U);
  EXPECT_GT(best, 0U);
  EXPECT_EQ(in_sweep > 10, GetParam() == Solver::ccd);
}

TEST_P(RestoredReplica, TakesTheNextCommitAsTheOneThatWasSaved) {
  ByHand hand(data, options);
  std::shared_ptr<const State> again;
  std::size_t looked_at = 0;
  SerialChunks chunks;
  hand.on_pushed = [&](const RoundByHand& round) {
    again = restored(*hand.model, *round.before);  // its pages are given back by the commit
  };
  hand.on_round = [&](const RoundByHand& round) {
    if (round.blocks.empty()) return;
    std::vector<Payload> deltas;
    for (const Push& push : round.pushes) deltas.push_back(push.deltas);
    const Pull pull = hand.model->pull(*again, deltas, nullptr);
    EXPECT_EQ(pull.changes, round.pull.changes);
    EXPECT_EQ(pull.objective, round.pull.objective);
    EXPECT_EQ(pull.realised, round.pull.realised);
    Cost cost;
    const auto next = again->clone();
    hand.model->apply(*next, pull.changes, pull.step, nullptr, chunks, cost);
    EXPECT_EQ(next->content(), round.after->content()) << "version " << round.version;
    ++looked_at;
  };
  hand.run();
  EXPECT_GT(looked_at, 20U);
}

TEST_P(RestoredReplica, AtEveryBarrierLeadsToTheSameFactors) {
  ByHand whole(data, options), cut(data, options);
  for (bool more = true; more;) {
    if (!state_of(*cut.state).verified) {
      cut.state = restored(*cut.model, *cut.state);
      ASSERT_NE(cut.state, nullptr);
    }
    more = whole.phase();
    ASSERT_EQ(cut.phase(), more);
    EXPECT_EQ(cut.statuses, whole.statuses) << "version " << whole.version;
    EXPECT_EQ(cut.state->content(), whole.state->content()) << "version " << whole.version;
  }
  EXPECT_TRUE(state_of(*cut.state).verified);
  EXPECT_LT(cut.judgement.certificate.figures[kFigureBest], cut.judgement.certificate.figures[kFigureSweep])
      << "the best factors were not the last ones";
}

TEST_P(RestoredReplica, IsNoneOfAContentThatDoesNotFit) {
  ByHand hand(data, options);
  while (state_of(*hand.state).kept == nullptr) ASSERT_TRUE(hand.phase());
  const Payload content = hand.state->content();
  const auto refuses = [&](auto&& change) {
    Payload other = read_back(content);
    change(other);
    return hand.model->restore_state(other) == nullptr;
  };
  EXPECT_FALSE(refuses([](Payload&) {}));
  EXPECT_TRUE(refuses([](Payload& p) { p = {}; }));
  EXPECT_TRUE(refuses([](Payload& p) { p.ids.push_back(0); }));
  EXPECT_TRUE(refuses([](Payload& p) { p.values.push_back(0); }));
  EXPECT_TRUE(refuses([](Payload& p) { p.values.pop_back(); }));
  EXPECT_TRUE(refuses([](Payload& p) { p.bulk.pop_back(); }));
  EXPECT_TRUE(refuses([](Payload& p) { p.bulk.emplace_back(); }));
  EXPECT_TRUE(refuses([](Payload& p) { p.values[0] = std::numeric_limits<double>::quiet_NaN(); }));
  EXPECT_TRUE(refuses([](Payload& p) { p.values.back() = 3; })) << "nowhere is where the floats of a page are";
  EXPECT_TRUE(refuses([](Payload& p) { p.values.back() = 0.5; }));
  for (std::size_t array = 0; array < content.bulk.size(); ++array) {
    EXPECT_TRUE(refuses([&](Payload& p) {
      SharedFloats longer(p.bulk[array].size() + 1);
      std::ranges::fill(longer.writable(), 0.0F);
      p.bulk[array] = std::move(longer);
    })) << array;
    if (content.bulk[array].size() > 0) {
      EXPECT_TRUE(refuses([&](Payload& p) { p.bulk[array] = {}; })) << array;
      EXPECT_TRUE(refuses([&](Payload& p) { p.bulk[array].writable()[0] = std::numeric_limits<float>::infinity(); }))
          << array;
    }
  }
  hand.run();
  ASSERT_TRUE(state_of(*hand.state).verified);
  EXPECT_EQ(hand.model->restore_state(hand.state->content()), nullptr) << "of a run that has ended";
}

TEST_P(RestoredReplica, IsNoneOfAnotherModel) {
  MfOptions larger = options;
  larger.rank = 5;
  ByHand hand(data, options);
  hand.run(3);
  EXPECT_EQ(test::placed_model(data, larger)->restore_state(hand.state->content()), nullptr);
  const auto other = test::placed_model(data, options, {.engine = {.schedulers = 2, .workers = 4, .depth = 3}});
  EXPECT_EQ(other->restore_state(hand.state->content()), nullptr);
}

INSTANTIATE_TEST_SUITE_P(Solvers, RestoredReplica, testing::ValuesIn(test::kSolvers), test::solver_of);

}  // namespace
}  // namespace strads::mf
