// What the factorization asks of payloads: everything that it makes itself, and nothing that its functions cannot take.
#include "mf/problem/payloads.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <map>

#include "by_hand.hpp"
#include "payload_positions.hpp"

namespace strads::mf {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

using Payloads = std::map<PayloadKind, std::vector<Payload>>;

/// A run with heavy items, held-out ratings, and all that it sends.
struct Sent {
  std::shared_ptr<MfData> data;
  MfOptions options;
  std::unique_ptr<MfModel> model, unplaced;
  Payloads made;

  explicit Sent(Solver solver, bool bias = true)
      : data(test::made_up_data(
            {.users = 300, .items = 25, .ratings = 900, .skew = 1.5, .validation = 50, .test = 30})) {
    options.solver = solver;
    options.rank = 3;
    options.bias = bias;
    options.sweeps_max = 2;
    options.tolerance = 0;
    test::ByHand hand(data, options);
    hand.on_round = [&](const test::RoundByHand& round) {
      for (const Block& block : round.blocks) made[PayloadKind::block].push_back(block.content);
      for (const Push& push : round.pushes) made[PayloadKind::deltas].push_back(push.deltas);
      made[PayloadKind::changes].push_back(round.pull.changes);
      made[PayloadKind::phase].push_back(hand.judgement.plan.content);
    };
    hand.on_status = [&](const std::vector<Payload>& statuses) {
      for (const Payload& status : statuses) made[PayloadKind::status].push_back(status);
    };
    hand.run();
    made[PayloadKind::ready] = made[PayloadKind::start] = {Payload{}};
    made[PayloadKind::phase].emplace_back();
    model = std::move(hand.model);
    unplaced = std::make_unique<MfModel>(data, options, test::Deal{}.engine, true);
  }

  [[nodiscard]] std::size_t head() const { return plan_size(options.rank); }
  /// The first payload of a kind that does `work`.
  [[nodiscard]] Payload first(PayloadKind kind, Work work) const {
    for (const Payload& payload : made.at(kind)) {
      if (!payload.values.empty() && work_of(payload.values) == work) return payload;
    }
    ADD_FAILURE() << "none was made";
    return {};
  }
  /// The first answer that is a part of a heavy row's equations.
  [[nodiscard]] Payload part(PayloadKind kind) const {
    for (const Payload& payload : made.at(kind)) {
      if (part_of(payload.values) >= 0) return payload;
    }
    ADD_FAILURE() << "no row was split";
    return {};
  }
  template <class Change>
  [[nodiscard]] bool accepts(PayloadKind kind, Payload payload, const Change& change) const {
    change(payload);
    return model->acceptable(kind, payload);
  }
};

class PayloadsOf : public testing::TestWithParam<Solver> {};

TEST_P(PayloadsOf, EveryKindAreAcceptable) {
  for (const bool bias : {true, false}) {
    const Sent run(GetParam(), bias);
    EXPECT_EQ(run.made.size(), 7U) << "every kind was made";
    for (const auto& [kind, payloads] : run.made) {
      EXPECT_FALSE(payloads.empty());
      for (const Payload& payload : payloads) {
        EXPECT_TRUE(run.model->acceptable(kind, payload)) << static_cast<int>(kind);
        EXPECT_TRUE(run.unplaced->acceptable(kind, payload)) << static_cast<int>(kind);
      }
    }
  }
}

TEST_P(PayloadsOf, ANumberTooManyOrTooFewAreRefused) {
  const Sent run(GetParam());
  for (const auto& [kind, payloads] : run.made) {
    for (const Payload& payload : payloads) {
      if (payload.values.empty()) continue;
      EXPECT_FALSE(run.accepts(kind, payload, [](Payload& p) { p.values.push_back(1); }));
      EXPECT_FALSE(run.accepts(kind, payload, [](Payload& p) { p.values.pop_back(); }));
    }
  }
}

TEST_P(PayloadsOf, AnArrayTooManyOrTooFewAreRefused) {
  const Sent run(GetParam());
  for (const auto& [kind, payloads] : run.made) {
    for (const Payload& payload : payloads) {
      EXPECT_FALSE(run.accepts(kind, payload, [](Payload& p) { p.bulk.emplace_back(16); })) << static_cast<int>(kind);
      if (payload.bulk.empty()) continue;
      EXPECT_FALSE(run.accepts(kind, payload, [](Payload& p) { p.bulk.pop_back(); })) << static_cast<int>(kind);
    }
  }
}

TEST_P(PayloadsOf, APageOfAnotherLengthAreRefused) {
  // Its floats would be read beyond their end.
  const Sent run(GetParam());
  std::size_t changed = 0;
  for (const PayloadKind kind : {PayloadKind::deltas, PayloadKind::changes, PayloadKind::status}) {
    for (const Payload& payload : run.made.at(kind)) {
      for (std::size_t k = 0; k < payload.bulk.size(); ++k, ++changed) {
        const std::size_t size = payload.bulk[k].size();
        EXPECT_FALSE(run.accepts(kind, payload, [=](Payload& p) { p.bulk[k] = SharedFloats(size + 16); }));
        EXPECT_FALSE(run.accepts(kind, payload, [=](Payload& p) { p.bulk[k] = SharedFloats(size - 1); }));
        EXPECT_FALSE(run.accepts(kind, payload, [=](Payload& p) { p.bulk[k] = SharedFloats(); }));
      }
    }
  }
  EXPECT_GT(changed, 10U);
}

TEST_P(PayloadsOf, VariablesWhereThereAreNoneAreRefused) {
  const Sent run(GetParam());
  for (const PayloadKind kind : {PayloadKind::ready, PayloadKind::start, PayloadKind::deltas, PayloadKind::changes,
                                 PayloadKind::phase, PayloadKind::block}) {
    EXPECT_FALSE(run.accepts(kind, run.made.at(kind).front(), [](Payload& p) { p.ids.push_back(0); }));
  }
}

TEST_P(PayloadsOf, NumbersThatCountNothingAreRefused) {
  const Sent run(GetParam());
  for (const PayloadKind kind : {PayloadKind::block, PayloadKind::deltas, PayloadKind::changes, PayloadKind::phase}) {
    const Payload payload = run.made.at(kind).front();
    for (const std::size_t place : {kPlanWork, kPlanSide, kPlanFirst, kPlanSweep, kPlanIndex, kPlanPart}) {
      for (const double wrong : {0.5, -2.0, 1e300, kNan, std::numeric_limits<double>::infinity()}) {
        EXPECT_FALSE(run.accepts(kind, payload, [=](Payload& p) { p.values[place] = wrong; }))
            << static_cast<int>(kind) << ", number " << place << " = " << wrong;
      }
    }
    for (const double wrong : {0.0, -1.0, kNan}) {
      EXPECT_FALSE(run.accepts(kind, payload, [=](Payload& p) { p.values[kPlanWeights + 2] = wrong; }));
    }
  }
}

TEST_P(PayloadsOf, PagesThatDoNotExistAreRefused) {
  const Sent run(GetParam());
  const double pages = static_cast<double>(run.model->page_count(Side::users));
  for (const PayloadKind kind : {PayloadKind::deltas, PayloadKind::changes}) {
    const Payload payload = run.made.at(kind).front();
    for (const std::size_t place : {kEntryPage, kEntryOther}) {
      for (const double wrong : {pages, -1.0, 0.5, kNan}) {
        EXPECT_FALSE(run.accepts(kind, payload, [&](Payload& p) { p.values[run.head() + place] = wrong; }));
      }
    }
  }
}

TEST_P(PayloadsOf, TheWorkOfAnotherSolverAreRefused) {
  const Sent run(GetParam());
  const Payload phase = run.made.at(PayloadKind::phase).front();
  const Work own = work_of(phase.values);
  for (const Work work : {Work::update, Work::evaluate, Work::feature, Work::cell}) {
    const bool fine =
        run.accepts(PayloadKind::phase, phase, [=](Payload& p) { p.values[kPlanWork] = static_cast<double>(work); });
    EXPECT_EQ(fine, work == own || work == Work::evaluate) << static_cast<int>(work);
  }
}

TEST_P(PayloadsOf, AVariableBeyondTheLastAreRefused) {
  const Sent run(GetParam());
  const VarId end = run.model->variables();
  const Payload block = run.made.at(PayloadKind::block).front(), status = run.made.at(PayloadKind::status).back();
  ASSERT_FALSE(status.ids.empty());
  EXPECT_FALSE(run.accepts(PayloadKind::block, block, [=](Payload& p) { p.ids = {end}; }));
  EXPECT_FALSE(run.accepts(PayloadKind::block, block, [](Payload& p) { p.ids.clear(); }));
  EXPECT_FALSE(run.accepts(PayloadKind::status, status, [=](Payload& p) { p.ids.back() = end; }));
}

INSTANTIATE_TEST_SUITE_P(Solvers, PayloadsOf, testing::ValuesIn(test::kSolvers), test::solver_of);

TEST(MfPayloads, OfAStatusHaveAsManyRecordsAsVariables) {
  // A driver holds no page and still reads them: it is the unplaced model that must refuse.
  const Sent run(Solver::cd);
  const Payload status = run.made.at(PayloadKind::status).back();
  const auto refused = [&](const auto& change) {
    Payload changed = status;
    change(changed);
    return !run.unplaced->acceptable(PayloadKind::status, changed);
  };
  ASSERT_TRUE(run.unplaced->acceptable(PayloadKind::status, status));
  EXPECT_TRUE(refused([](Payload& p) { p.ids.push_back(0); }));
  EXPECT_TRUE(refused([](Payload& p) { p.bulk.pop_back(); }));
  EXPECT_TRUE(refused([](Payload& p) { p.bulk[0] = SharedFloats(p.bulk[0].size() - 1); }));
  EXPECT_TRUE(refused([](Payload& p) { p.values.resize(p.values.size() - 3); })) << "factors without their weights";
  EXPECT_TRUE(refused([](Payload& p) { p.values.back() = 0; }));
}

TEST(MfPayloads, HaveCountsWhereRatingsAndBlocksAreCounted) {
  const Sent run(Solver::cd);
  const Payload status = run.made.at(PayloadKind::status).back();
  const Payload answer = run.first(PayloadKind::deltas, Work::evaluate);
  const Payload commit = run.first(PayloadKind::changes, Work::evaluate);
  for (const double wrong : {-1.0, 0.5, 1e300, -1e265, kNan}) {
    for (const std::size_t which : {kValidationCount, kTestCount, kEvaluatedBlocks, kFailedBlocks, kUnreadBlocks}) {
      EXPECT_FALSE(
          run.accepts(PayloadKind::status, status, [=](Payload& p) { p.values[kStatusEvaluation + which] = wrong; }));
      const std::size_t at = run.head() + which;
      EXPECT_FALSE(run.accepts(PayloadKind::deltas, answer, [=](Payload& p) { p.values[at] = wrong; }));
      EXPECT_FALSE(run.accepts(PayloadKind::changes, commit, [=](Payload& p) { p.values[at] = wrong; }));
    }
    EXPECT_FALSE(run.accepts(PayloadKind::status, status, [=](Payload& p) { p.values[kStatusFault] = wrong; }));
  }
  for (std::uint32_t fault = 0; fault <= kFaults; ++fault) {
    EXPECT_EQ(run.accepts(PayloadKind::status, status, [=](Payload& p) { p.values[kStatusFault] = fault; }),
              fault < kFaults);
  }
}

TEST(MfPayloads, OfAPartAreOnlyThoseOfSplitPages) {
  const Sent run(Solver::cd);
  const Payload part = run.part(PayloadKind::block), whole = run.first(PayloadKind::block, Work::update);
  ASSERT_EQ(part_of(run.made.at(PayloadKind::deltas).front().values), part_of(whole.values));
  EXPECT_FALSE(run.accepts(PayloadKind::block, part, [](Payload& p) { p.values[kPlanPart] = -1; }));
  EXPECT_FALSE(run.accepts(PayloadKind::block, part, [](Payload& p) { p.values[kPlanPart] = 4; })) << "of 4 workers";
  Payload light;
  for (const Payload& block : run.made.at(PayloadKind::block)) {
    if (part_of(block.values) < 0) light = block;
  }
  EXPECT_FALSE(run.accepts(PayloadKind::block, light, [](Payload& p) { p.values[kPlanPart] = 0; }));
  for (const PayloadKind kind : {PayloadKind::phase, PayloadKind::changes}) {
    const Payload payload = run.first(kind, Work::update);
    EXPECT_FALSE(run.accepts(kind, payload, [](Payload& p) { p.values[kPlanPart] = 0; }));
  }
}

TEST(MfPayloads, OfABlockNameTheSideOfTheirRows) {
  const Sent run(Solver::cd);
  Payload users;
  for (const Payload& block : run.made.at(PayloadKind::block)) {
    if (work_of(block.values) == Work::update && part_of(block.values) < 0 && side_of(block.values) == Side::users) {
      users = block;
    }
  }
  ASSERT_EQ(users.ids.size(), 1U);
  EXPECT_FALSE(run.accepts(PayloadKind::block, users, [](Payload& p) { p.values[kPlanSide] = 1; }));
  EXPECT_FALSE(run.accepts(PayloadKind::block, users, [](Payload& p) { p.ids[0] = 300 + 24; }));
}

TEST(MfPayloads, OfAnEvaluationAreAboutUsersAndHaveOneEntry) {
  const Sent run(Solver::cd);
  const Payload changes = run.first(PayloadKind::changes, Work::evaluate);
  EXPECT_FALSE(run.accepts(PayloadKind::changes, changes, [](Payload& p) { p.values[kPlanSide] = 1; }));
  EXPECT_FALSE(run.accepts(PayloadKind::changes, changes, [&](Payload& p) { p.values.resize(run.head()); }));
  EXPECT_FALSE(run.accepts(PayloadKind::changes, changes,
                           [&](Payload& p) { p.values.resize(run.head() + 2 * std::size_t{kEvaluateValues}); }));
}

TEST(MfPayloads, OfAFeatureThatThereIsNotAreRefused) {
  for (const bool bias : {true, false}) {
    const Sent run(Solver::ccd, bias);
    const Payload phase = run.first(PayloadKind::phase, Work::feature);
    const double features = bias ? 5 : 3;
    EXPECT_TRUE(run.accepts(PayloadKind::phase, phase, [=](Payload& p) { p.values[kPlanIndex] = features - 1; }));
    EXPECT_FALSE(run.accepts(PayloadKind::phase, phase, [=](Payload& p) { p.values[kPlanIndex] = features; }));
  }
}

TEST(MfPayloads, OfAnswersThatDoNotBelongTogetherMakeAnEmptyRound) {
  const Sent run(Solver::cd);
  std::vector<Payload> deltas;
  for (const Payload& payload : run.made.at(PayloadKind::deltas)) {
    if (part_of(payload.values) < 0 && work_of(payload.values) == Work::update) deltas.push_back(payload);
  }
  deltas.resize(2);
  const auto state = run.model->make_state();
  ASSERT_EQ(run.model->pull(*state, deltas, nullptr).step, 1);
  const auto evaluation = run.first(PayloadKind::deltas, Work::evaluate), part = run.part(PayloadKind::deltas);
  for (const Payload& stranger : {evaluation, part}) {
    const std::vector<Payload> mixed{deltas[0], stranger}, turned{stranger, deltas[0]};
    EXPECT_EQ(run.model->pull(*state, mixed, nullptr).step, 0);
    EXPECT_EQ(run.model->pull(*state, turned, nullptr).step, 0);
  }
}

TEST(MfPayloads, OfAPhaseThatAreEmptyPlanNothing) {
  const Sent run(Solver::cd);
  const auto slice = run.model->make_slice(test::slices_of(run.model->variables(), 3)[0]);
  CounterRng random(1, Purpose::tests);
  EXPECT_TRUE(slice->schedule(0, PhasePlan{}, random).value().empty());
}

TEST(MfPayloads, OfChangesThatAreEmptyLeaveTheReplicaAsItIs) {
  const Sent run(Solver::cd);
  const auto state = run.model->make_state();
  const Payload before = state->content();
  SerialChunks chunks;
  Cost cost;
  run.model->apply(*state, {}, 1, nullptr, chunks, cost);
  EXPECT_EQ(state->content(), before);
}

}  // namespace
}  // namespace strads::mf
