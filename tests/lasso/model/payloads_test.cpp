// Payloads from other processes: which shapes the Lasso takes, and that it makes no others itself.
#include "lasso/problem/payloads.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "lasso/model/lasso_judge.hpp"
#include "lasso/model/lasso_model.hpp"
#include "lasso/model/lasso_slice.hpp"
#include "lasso/run/plain_lasso.hpp"
#include "strads/policies/phases.hpp"

namespace strads::lasso {
namespace {

using ::testing::HasSubstr;
using ::testing::SizeIs;

constexpr VarId kVariables = 10;
const double kNan = std::numeric_limits<double>::quiet_NaN();
const double kInfinity = std::numeric_limits<double>::infinity();

bool accepts(PayloadKind kind, const Payload& payload) {
  return well_formed(kind, payload, kVariables);
}

/// `count` values, all 0 but one.
std::vector<double> values(std::size_t count, std::size_t at = 0, double value = 0) {
  std::vector<double> made(count, 0.0);
  if (at < count) made[at] = value;
  return made;
}

TEST(WellFormedReady, HasItsValuesAndNoIds) {
  EXPECT_TRUE(accepts(PayloadKind::ready, {{}, values(kFields<Ready>)}));
  EXPECT_FALSE(accepts(PayloadKind::ready, {}));
  EXPECT_FALSE(accepts(PayloadKind::ready, {{}, values(kFields<Ready> - 1)}));
  EXPECT_FALSE(accepts(PayloadKind::ready, {{}, values(kFields<Ready> + 1)}));
  EXPECT_FALSE(accepts(PayloadKind::ready, {{1}, values(kFields<Ready>)}));
}

TEST(WellFormedReady, CountsAreCounts) {
  for (const double wrong : {-1.0, 0.5, kNan, kInfinity, 1e300}) {
    for (const std::size_t at : {1U, 2U, 3U, 4U, 5U}) {
      EXPECT_FALSE(accepts(PayloadKind::ready, {{}, values(kFields<Ready>, at, wrong)})) << at << " " << wrong;
    }
    EXPECT_TRUE(accepts(PayloadKind::ready, {{}, values(kFields<Ready>, 0, wrong)})) << wrong;
  }
}

TEST(WellFormedStart, HasItsValuesAndNoIds) {
  EXPECT_TRUE(accepts(PayloadKind::start, payload_of(Start{.lambda = 0.25})));
  EXPECT_FALSE(accepts(PayloadKind::start, {}));
  EXPECT_FALSE(accepts(PayloadKind::start, {{}, values(kFields<Start> - 1)}));
  EXPECT_FALSE(accepts(PayloadKind::start, {{3}, values(kFields<Start>)}));
  EXPECT_FALSE(accepts(PayloadKind::start, {{}, values(kFields<Start>, 6, -2)}));
}

TEST(WellFormed, NoLambdaIsNegative) {
  EXPECT_FALSE(accepts(PayloadKind::ready, payload_of(Ready{.lambda_per_y = -1})));
  EXPECT_FALSE(accepts(PayloadKind::start, payload_of(Start{.lambda = -1e-300})));
  for (double PathPhase::*const which : {&PathPhase::lambda, &PathPhase::next_lambda}) {
    for (const double lambda : {-1.0, 1.0}) {
      Payload plan = payload_of(Phase{});
      PathPhase path;
      path.*which = lambda;
      append_fields(path, plan.values);
      EXPECT_EQ(accepts(PayloadKind::phase, plan), lambda > 0);
    }
  }
  EXPECT_FALSE(accepts(PayloadKind::block, {{1, 4}, {0.5, -0.5, -0.1}})) << "of a path";
  EXPECT_FALSE(accepts(PayloadKind::block, {{1, 4}, {0.5, -0.5, 2, 1, -0.1}})) << "joint, of a path";
  EXPECT_FALSE(accepts(PayloadKind::block, {{1, 4}, {0.5, -0.5, 2, -1}})) << "what a path takes for its lambda";
}

TEST(WellFormedBlock, HasAStartValueForEachVariableAndPerhapsMore) {
  EXPECT_TRUE(accepts(PayloadKind::block, {{1, 4}, {0.5, -0.5}}));
  EXPECT_TRUE(accepts(PayloadKind::block, {{1, 4}, {0.5, -0.5, 2, 1}}));
  EXPECT_FALSE(accepts(PayloadKind::block, {{1, 4}, {0.5}}));
  EXPECT_TRUE(accepts(PayloadKind::block, {{1, 4}, {0.5, -0.5, 0.1}}));
  EXPECT_TRUE(accepts(PayloadKind::block, {{1, 4}, {0.5, -0.5, 2, 1, 0.1}}));
  EXPECT_FALSE(accepts(PayloadKind::block, {{1, 4}, {0.5, -0.5, 2, 1, 0.1, 3}}));
}

TEST(WellFormedBlock, HasNoMoreNewVariablesThanVariables) {
  EXPECT_TRUE(accepts(PayloadKind::block, {{1, 4}, {0.5, -0.5, 0, 1}}));
  for (const double wrong : {-1.0, 3.0, 0.5, 1e300, kNan}) {
    EXPECT_FALSE(accepts(PayloadKind::block, {{1, 4}, {0.5, -0.5, wrong, 1}})) << wrong;
  }
}

TEST(WellFormedBlock, IsStrictlyAscending) {
  EXPECT_FALSE(accepts(PayloadKind::block, {{4, 1}, {0.5, -0.5}}));
  EXPECT_FALSE(accepts(PayloadKind::block, {{4, 4}, {0.5, -0.5}}));
}

TEST(WellFormedDeltas, HaveOneValueForEachVariable) {
  EXPECT_TRUE(accepts(PayloadKind::deltas, {}));
  EXPECT_TRUE(accepts(PayloadKind::deltas, {{2, 3}, {0.1, 0.2}}));
  EXPECT_FALSE(accepts(PayloadKind::deltas, {{2, 3}, {0.1}}));
  EXPECT_FALSE(accepts(PayloadKind::deltas, {{2}, {0.1, 0.2}}));
}

TEST(WellFormedChanges, MayNameOneMoreVariable) {
  EXPECT_TRUE(accepts(PayloadKind::changes, {}));
  EXPECT_TRUE(accepts(PayloadKind::changes, {{2, 3}, {0.1, 0.2}}));
  EXPECT_TRUE(accepts(PayloadKind::changes, {{2, 3, 2}, {0.1, 0.2}}));
  EXPECT_FALSE(accepts(PayloadKind::changes, {{2, 3, 2, 2}, {0.1, 0.2}}));
  EXPECT_FALSE(accepts(PayloadKind::changes, {{2}, {0.1, 0.2}}));
  EXPECT_FALSE(accepts(PayloadKind::changes, {{2}, {}}));
}

TEST(WellFormedStatus, HasAHeaderAndAValueForEachId) {
  EXPECT_TRUE(accepts(PayloadKind::status, {{}, values(kFields<StatusHead>)}));
  EXPECT_TRUE(accepts(PayloadKind::status, {{7, 2}, values(kFields<StatusHead> + 2, 7, 1)}));
  EXPECT_FALSE(accepts(PayloadKind::status, {}));
  EXPECT_FALSE(accepts(PayloadKind::status, {{}, values(kFields<StatusHead> - 1)}));
  EXPECT_FALSE(accepts(PayloadKind::status, {{7}, values(kFields<StatusHead>)}));
  EXPECT_FALSE(accepts(PayloadKind::status, {{}, values(kFields<StatusHead> + 2)}));
}

TEST(WellFormedStatus, CountsNoMoreNonzerosThanItLists) {
  EXPECT_TRUE(accepts(PayloadKind::status, {{7, 2}, values(kFields<StatusHead> + 2, 7, 2)}));
  for (const double wrong : {3.0, 0.5, -1.0, kNan, kInfinity}) {
    EXPECT_FALSE(accepts(PayloadKind::status, {{7, 2}, values(kFields<StatusHead> + 2, 7, wrong)})) << wrong;
  }
}

TEST(WellFormedPhase, IsEmptyOrHasItsValues) {
  EXPECT_TRUE(accepts(PayloadKind::phase, {}));
  EXPECT_TRUE(accepts(PayloadKind::phase, {{}, values(kFields<Phase>)}));
  EXPECT_TRUE(accepts(PayloadKind::phase, {{1, 5}, values(kFields<Phase>)}));
  EXPECT_TRUE(accepts(PayloadKind::phase, {{1, 5}, values(kFields<Phase> + kFields<PathPhase>)}));
  EXPECT_FALSE(accepts(PayloadKind::phase, {{1, 5}, {}}));
  EXPECT_FALSE(accepts(PayloadKind::phase, {{5, 1}, values(kFields<Phase>)}));
  EXPECT_FALSE(accepts(PayloadKind::phase, {{}, values(kFields<Phase> - 1)}));
  EXPECT_FALSE(accepts(PayloadKind::phase, {{}, values(kFields<Phase> + 1)}));
}

TEST(WellFormed, NoPayloadNamesAVariableThatDoesNotExist) {
  EXPECT_FALSE(accepts(PayloadKind::block, {{1, kVariables}, {0.5, -0.5}}));
  EXPECT_FALSE(accepts(PayloadKind::deltas, {{kVariables}, {0.1}}));
  EXPECT_FALSE(accepts(PayloadKind::changes, {{2, kVariables}, {0.1}}));
  EXPECT_FALSE(accepts(PayloadKind::status, {{kVariables}, values(kFields<StatusHead> + 1)}));
  EXPECT_FALSE(accepts(PayloadKind::phase, {{kVariables}, values(kFields<Phase>)}));
  EXPECT_TRUE(accepts(PayloadKind::phase, {{kVariables - 1}, values(kFields<Phase>)}));
}

TEST(WellFormed, NumbersThatSayThatARunDivergesPass) {
  // A run without the guard may end so, and the judge is to hear of it.
  EXPECT_TRUE(accepts(PayloadKind::deltas, {{2}, {kNan}}));
  EXPECT_TRUE(accepts(PayloadKind::changes, {{2}, {kInfinity}}));
  EXPECT_TRUE(accepts(PayloadKind::status, {{}, values(kFields<StatusHead>, 4, kNan)}));
}

TEST(LassoModelAcceptable, KnowsTheNumberOfItsVariables) {
  const LassoModel model(scanned(random_content({.columns = 24})), {});
  EXPECT_TRUE(model.acceptable(PayloadKind::deltas, {{23}, {0.1}}));
  EXPECT_FALSE(model.acceptable(PayloadKind::deltas, {{24}, {0.1}}));
}

TEST(ModelAcceptable, IsTrueForAModelThatDoesNotSay) {
  struct Silent final : Model {
    [[nodiscard]] ModelShape shape() const override { return {}; }
    [[nodiscard]] std::unique_ptr<Slice> make_slice(std::vector<VarId>) override { return nullptr; }
    [[nodiscard]] std::unique_ptr<Judge> make_judge() const override { return nullptr; }
    void begin(const Payload&) override {}
    [[nodiscard]] std::unique_ptr<State> make_state() const override { return nullptr; }
    [[nodiscard]] Push push(const State&, const Block&, Chunks&) const override { return {}; }
    [[nodiscard]] std::shared_ptr<const Direction> combine(std::span<const Payload>, Chunks&, Cost&) const override {
      return nullptr;
    }
    [[nodiscard]] Pull pull(const State&, std::span<const Payload>, const Direction*) const override { return {}; }
    void apply(State&, const Payload&, double, const Direction*, Chunks&, Cost&) const override {}
    void recompute(State&, Chunks&, Cost&) const override {}
    [[nodiscard]] double objective(const State&) const override { return 0; }
  };
  EXPECT_TRUE(Silent().acceptable(PayloadKind::block, {{7}, {}}));
}

// --- what the judge does with payloads that nobody checked before ---

TEST(JudgeOfDamagedPayloads, RefusesToStart) {
  const Payload good = payload_of(Ready{.kept = 3});
  for (const auto& summaries :
       {std::vector<Payload>{}, {Payload{}}, {good, Payload{}}, {good, Payload{{}, values(3)}}}) {
    LassoJudge judge({}, 100);
    const auto problem = judge.start(summaries);
    ASSERT_FALSE(problem.ok());
    EXPECT_EQ(problem.status().code(), StatusCode::cluster);
    EXPECT_THAT(problem.status().message(), HasSubstr("same build"));
  }
}

TEST(JudgeOfDamagedPayloads, StopsWithoutACertificate) {
  const Payload good = payload_of(StatusHead{});
  const Payload liar = payload_of(StatusHead{.nonzeros = 4});
  for (const auto& statuses : {std::vector<Payload>{}, {Payload{}}, {good, Payload{{1}, {}}}, {liar}}) {
    LassoJudge judge({}, 100);
    const auto judgement = judge.judge({}, statuses);
    EXPECT_EQ(judgement.plan.verdict, PhasePlan::Verdict::stop);
    EXPECT_EQ(judgement.stop_reason, "malformed status");
    EXPECT_FALSE(judgement.certificate.converged);
    EXPECT_LT(judgement.certificate.gap, 0) << "or it would count as met";
    RunEnd end;
    end.problem.values = values(kFields<Start>);
    end.statuses = statuses;
    EXPECT_THAT(solution_of(end).variables, SizeIs(0));
  }
}

TEST(JudgeOfDamagedPayloads, StopsWhenAStatusNamesAVariableThatDoesNotExist) {
  LassoJudge judge({}, 100, kVariables);
  const Payload status{{kVariables}, values(kFields<StatusHead> + 1, 7, 1)};
  EXPECT_EQ(judge.judge({}, std::vector<Payload>{status}).stop_reason, "malformed status");
}

TEST(Nonzeros, AreThoseOfAllSlicesInOrder) {
  const Payload even{{2, 6, 8}, {0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0.5, -1, 3}};  // two nonzeros and a candidate
  const Payload odd{{3}, {0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0.25}};
  const Nonzeros found = nonzeros_of(std::vector<Payload>{even, odd});
  EXPECT_EQ(found.variables, (std::vector<VarId>{2, 3, 6}));
  EXPECT_EQ(found.values, (std::vector<double>{0.5, 0.25, -1}));
}

TEST(Nonzeros, NameNoVariableTwiceThoughASliceReportsThoseOfAnother) {
  const Payload honest{{2, 6}, {0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0.5, -1}};
  const Payload liar{{6, 6, 3}, {0, 0, 0, 0, 0, 0, 0, 3, 0, 0, 7, 8, 9}};
  const Nonzeros found = nonzeros_of(std::vector<Payload>{honest, liar});
  EXPECT_EQ(found.variables, (std::vector<VarId>{2, 3, 6}));
  EXPECT_EQ(found.values.size(), 3u);
}

// --- the slice ---

/// A slice of everything, with lambda fixed, and a replica with the first `nonzeros` columns in it.
struct SliceBench {
  std::shared_ptr<LassoData> data;
  std::unique_ptr<Slice> slice;
  std::unique_ptr<LassoModel> model;
  SerialChunks chunks;
  Payload status;

  SliceBench(const Content& content, double ratio, VarId nonzeros) : data(scanned(content)) {
    model = std::make_unique<LassoModel>(data, LassoOptions{});
    std::vector<VarId> all;
    for (VarId j = 0; j < data->columns->size(); ++j) all.push_back(j);
    slice = model->make_slice(all);
    Cost cost;
    const auto ready = read_fields<Ready>(slice->scan(chunks, cost).values);
    const Payload problem = payload_of(Start{.lambda = ratio * ready.lambda_max});
    model->begin(problem);
    slice->begin(problem);
    const auto state = model->make_state();
    all.resize(nonzeros);
    static_cast<LassoState&>(*state).set_values(all, Vector(nonzeros, 1e-6));
    status = slice->refresh(*state, chunks, cost);
  }
  [[nodiscard]] std::size_t listed_candidates() const { return status.ids.size() - head_of(status).nonzeros; }
};

TEST(SliceStatus, ListsNoMoreCandidatesThanAWorkingSetTakes) {
  const Content content = random_content({.rows = 30, .columns = 3000, .shared = 0.1});
  const SliceBench bench(content, 1e-3, 0);
  EXPECT_GT(head_of(bench.status).violators, 2000U);
  EXPECT_EQ(bench.listed_candidates(), kNewVariablesMax);
  EXPECT_TRUE(bench.model->acceptable(PayloadKind::status, bench.status));
  // The best ones, best first.
  const auto listed = std::span(bench.status.values).subspan(kFields<StatusHead>);
  EXPECT_TRUE(std::is_sorted(listed.rbegin(), listed.rend()));
}

TEST(SliceStatus, ListsAsManyCandidatesAsThereAreNonzeros) {
  const Content content = random_content({.rows = 30, .columns = 3000, .shared = 0.1});
  EXPECT_EQ(SliceBench(content, 1e-3, 700).listed_candidates(), 700u);
}

TEST(SliceStatus, TheMeanWorkIsOfTheBestCandidatesListedOrNot) {
  Content content = random_content({.rows = 30, .columns = 3000, .shared = 0.1, .fill = 0.5});
  content.sparse = true;
  const SliceBench bench(content, 1e-3, 0);
  const auto violators = static_cast<double>(head_of(bench.status).violators);
  ASSERT_LT(violators, kWorkCandidates);
  std::vector<double> gradients(3000);
  std::vector<VarId> all;
  for (VarId j = 0; j < 3000; ++j) all.push_back(j);
  SerialChunks chunks;
  bench.data->columns->dots(all, bench.data->response.standardized, gradients, chunks);
  double lambda = 0, work = 0;
  for (const double gradient : gradients) lambda = std::max(lambda, 1e-3 * std::abs(gradient));
  for (const VarId j : all) {
    if (std::abs(gradients[j]) > lambda) work += static_cast<double>(bench.data->columns->work(j));
  }
  EXPECT_EQ(head_of(bench.status).work, work / violators);
}

TEST(SlicePlans, WithoutValuesAreTakenAsZeros) {
  SliceBench bench(random_content({}), 0.1, 0);
  PhasePlan plan;
  bench.slice->enter_phase(plan);  // must not read what is not there
  plan.mode = PhasePlan::Mode::joint;
  const auto state = bench.model->make_state();
  EXPECT_THAT(bench.slice->joint_block(*state, plan).content.ids, SizeIs(0));
}

TEST(SlicePlans, AJointBlockSaysHowManyOfItsVariablesAreNewAndHowFarItsPenaltyIsRaised) {
  SliceBench bench(random_content({}), 0.1, 0);
  PhasePlan plan;
  plan.mode = PhasePlan::Mode::joint;
  plan.content.ids = {1, 2, 7};
  append_fields(Phase{.fresh = 2, .raise = 5}, plan.content.values);
  const auto state = bench.model->make_state();
  const Block block = bench.slice->joint_block(*state, plan);
  EXPECT_EQ(block.content.values, (std::vector<double>{0, 0, 0, 2, 5}));
  EXPECT_TRUE(bench.model->acceptable(PayloadKind::block, block.content));
}

}  // namespace
}  // namespace strads::lasso
