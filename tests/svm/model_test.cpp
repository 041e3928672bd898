// What a model does with payloads of others, how it keeps the box, and what a checkpoint brings back.
#include <gtest/gtest.h>

#include <cmath>

#include "strads/base/chunks.hpp"
#include "strads/engine/model.hpp"
#include "svm/made_up_samples.hpp"
#include "svm/problem/payloads.hpp"

namespace strads::svm {
namespace {

struct Hand {
  std::shared_ptr<SvmData> data = made_up::random_data(2, {.samples = 10, .features = 4, .classes = 3});
  SvmOptions options{.loss = Loss::hinge, .cost = 0.5, .bias = 1, .tolerance = 1e-6, .policies = {}};
  std::shared_ptr<Model> model = make_svm_model(data, options, {});
  PayloadShape shape{.problems = 3, .samples = 10, .width = 5};
  std::unique_ptr<State> state = model->make_state();

  Hand() {
    PhasePlan plan;
    append_fields(PhaseWords{.inner_gap = 1e-6, .first = 1}, plan.content.values);
    plan.content.values.resize(shape.phase_size(), 1.0);
    model->enter_phase(plan);
  }
  Pull commit(const std::vector<Payload>& deltas) {
    const Pull pull = model->pull(*state, deltas, nullptr);
    SerialChunks serial;
    Cost cost;
    model->apply(*state, pull.changes, pull.step, nullptr, serial, cost);
    return pull;
  }
};

TEST(SvmModel, ClipsDeltasOfOlderValuesToTheBox) {
  Hand hand;
  // Two blocks of one round at depth 2 could both have moved the same sample from the same old value.
  const Pull pull = hand.commit({{{3}, {0.4}}, {{4}, {9.0}}, {{5}, {-1.0}}});
  const auto values = std::span(pull.changes.values).last(pull.changes.ids.size());
  EXPECT_EQ(pull.changes.ids, (std::vector<VarId>{3, 4}));
  EXPECT_EQ(values[0], 0.4);
  EXPECT_EQ(values[1], 0.5);
  const Payload content = hand.state->content();
  for (std::size_t i = 0; i < 30; ++i) {
    EXPECT_GE(content.values[2 + i], 0);
    EXPECT_LE(content.values[2 + i], 0.5);
  }
}

TEST(SvmModel, SaysOfACommitWhatTheObjectiveLoses) {
  Hand hand;
  double last = hand.model->objective(*hand.state);
  for (VarId j = 0; j < 30; j += 3) {
    const Pull pull = hand.commit({{{j}, {0.3}}, {{j + 1}, {0.2}}});
    EXPECT_GE(pull.realised, 0);
    EXPECT_NEAR(pull.objective, last - pull.realised, 1e-14);
    last = pull.objective;
  }
  // Anew from the data: what was counted up is the objective.
  SerialChunks serial;
  Cost cost;
  const auto again = hand.state->clone();
  hand.model->recompute(*again, serial, cost);
  EXPECT_NEAR(hand.model->objective(*again), last, 1e-12);
  const auto before = hand.state->content().values, after = again->content().values;
  for (std::size_t k = 2; k < before.size(); ++k) EXPECT_NEAR(before[k], after[k], 1e-13);
}

TEST(SvmModel, ComesBackFromItsContent) {
  Hand hand;
  hand.commit({{{1, 12, 25}, {0.1, 0.2, 0.3}}});
  const Payload content = hand.state->content();
  const auto again = hand.model->restore_state(content);
  ASSERT_NE(again, nullptr);
  EXPECT_EQ(again->content(), content);
  Payload longer = content;
  longer.values.push_back(0);
  EXPECT_EQ(hand.model->restore_state(longer), nullptr);
  Payload odd = content;
  odd.values[1] = 0.5;
  EXPECT_EQ(hand.model->restore_state(odd), nullptr);
  odd = content;
  odd.values.back() = std::nan("");
  EXPECT_EQ(hand.model->restore_state(odd), nullptr);
}

TEST(SvmModel, RefusesPayloadsOfAnotherShape) {
  const Hand hand;
  const auto takes = [&](PayloadKind kind, const Payload& payload) { return hand.model->acceptable(kind, payload); };
  EXPECT_TRUE(takes(PayloadKind::block, {{0, 29}, {}}));
  EXPECT_FALSE(takes(PayloadKind::block, {{0, 30}, {}}));
  EXPECT_FALSE(takes(PayloadKind::block, {{4, 3}, {}}));
  EXPECT_FALSE(takes(PayloadKind::block, {{}, {}}));
  EXPECT_FALSE(takes(PayloadKind::block, {{0}, {1e-6, 0.5, 1}})) << "half a flop";
  EXPECT_TRUE(takes(PayloadKind::deltas, {{2}, {0.1}}));
  EXPECT_FALSE(takes(PayloadKind::deltas, {{2}, {0.1, 0.2}}));
  EXPECT_FALSE(takes(PayloadKind::deltas, {{2}, {HUGE_VAL}}));
  std::vector<double> group(hand.shape.group(), 0.0);
  group[0] = 2;
  EXPECT_TRUE(takes(PayloadKind::deltas, {{}, group}));
  group[0] = 3;
  EXPECT_FALSE(takes(PayloadKind::deltas, {{}, group})) << "there are three problems";
  group.pop_back();
  EXPECT_FALSE(takes(PayloadKind::deltas, {{}, group}));
  std::vector<double> changes(hand.shape.change_head() + 1, 0.0);
  EXPECT_TRUE(takes(PayloadKind::changes, {{7}, changes}));
  EXPECT_FALSE(takes(PayloadKind::changes, {{7, 8}, changes}));
  EXPECT_FALSE(takes(PayloadKind::changes, {{30}, changes}));
  std::vector<double> phase(hand.shape.phase_size(), 0.0);
  EXPECT_TRUE(takes(PayloadKind::phase, {{0, 2}, phase}));
  EXPECT_FALSE(takes(PayloadKind::phase, {{0, 3}, phase}));
  phase.back() = 2;
  EXPECT_FALSE(takes(PayloadKind::phase, {{}, phase})) << "a flag";
  std::vector<double> status(hand.shape.status_head(), 0.0);
  EXPECT_TRUE(takes(PayloadKind::status, {{}, status}));
  status.push_back(0);
  EXPECT_FALSE(takes(PayloadKind::status, {{}, status}));
  EXPECT_TRUE(takes(PayloadKind::status, {{4}, status}));
}

}  // namespace
}  // namespace strads::svm
