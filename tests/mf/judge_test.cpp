// Which phase comes next, with which weights, and when it is enough.
#include "mf/model/mf_judge.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "by_hand.hpp"
#include "mf/problem/mf_state.hpp"
#include "payload_positions.hpp"

namespace strads::mf {
namespace {

using testing::ElementsAre;
using testing::ElementsAreArray;
using Verdict = PhasePlan::Verdict;

constexpr std::uint32_t kSchedulers = 2, kWorkers = 3, kRank = 2;

/// A judge, and what the slices would tell it.
struct Court {
  MfOptions options;
  std::shared_ptr<MfData> data;
  std::unique_ptr<MfJudge> judge;
  std::vector<double> status = std::vector<double>(status_size(kRank), 0.0);
  Version version = -1;
  Judgement last;

  explicit Court(MfOptions given, std::uint32_t validation = 0) : options(given) {
    options.rank = kRank;
    data = test::made_up_data({.ratings = 500, .validation = validation});
    judge = std::make_unique<MfJudge>(*data, options, kSchedulers, kWorkers);
    status[kStatusError] = 1000;
    status[kStatusBestValidation] = -1;
  }
  /// A barrier after `rounds` more commits.
  const Judgement& barrier(Version rounds, bool verified = false, bool limit_reached = false) {
    version += rounds;
    const auto of_phase = static_cast<std::uint64_t>(rounds);
    Payload payload;
    payload.values = status;
    if (verified) payload.values.insert(payload.values.end(), kRank, 1.0);
    Barrier barrier;
    barrier.version = version;
    barrier.verified = verified;
    barrier.limit_reached = limit_reached;
    barrier.rounds = of_phase;
    return last = judge->judge(barrier, std::vector<Payload>(kSchedulers, payload));
  }
  /// From the barrier before a sweep to the one that ends it; `phases` of them.
  const Judgement& sweep(int phases) {
    for (int k = 0; k < phases; ++k) barrier(kSchedulers);
    return last;
  }
  [[nodiscard]] double plan(PlanValue value) const { return last.plan.content.values.at(value); }
};

MfOptions options_of(Solver solver, bool bias = true) {
  MfOptions options;
  options.solver = solver;
  options.bias = bias;
  options.tolerance = 0;
  options.sweeps_max = 100;
  return options;
}

/// "update users 0": work, side and index of `count` phases.
std::vector<std::string> order_of(const MfOptions& options, std::uint32_t validation, int count) {
  constexpr const char* kWork[] = {"update", "evaluate", "feature", "cell"};
  Court court(options, validation);
  std::vector<std::string> order;
  for (int k = 0; k < count; ++k) {
    // Nothing must stop this: the objective falls and so does the validation error.
    court.status[kStatusError] *= 0.5;
    court.status[kStatusBestValidation] = 1000.0 / (k + 1);
    court.barrier(k == 0 ? 0 : kSchedulers);
    EXPECT_EQ(court.last.plan.verdict, Verdict::go_on);
    order.push_back(std::string(kWork[static_cast<std::size_t>(court.plan(kPlanWork))]) +
                    (court.plan(kPlanSide) == 0 ? " users " : " items ") +
                    std::to_string(static_cast<int>(court.plan(kPlanIndex))));
  }
  return order;
}

TEST(MfJudgeOrder, OfCdAndAlsIsUsersThenItems) {
  for (const Solver solver : {Solver::cd, Solver::als}) {
    EXPECT_THAT(order_of(options_of(solver), 0, 4),
                ElementsAre("update users 0", "update items 0", "update users 0", "update items 0"));
  }
}

TEST(MfJudgeOrder, EvaluatesAtTheEndOfASweepWhereSomethingIsHeldOut) {
  EXPECT_THAT(order_of(options_of(Solver::cd), 20, 4),
              ElementsAre("update users 0", "update items 0", "evaluate users 0", "update users 0"));
}

TEST(MfJudgeOrder, OfCcdIsFeatureByFeatureEachOnBothSides) {
  EXPECT_THAT(
      order_of(options_of(Solver::ccd, false), 0, 5),
      ElementsAre("feature users 0", "feature items 0", "feature users 1", "feature items 1", "feature users 0"));
}

TEST(MfJudgeOrder, OfCcdWithBiasesBeginsWithThem) {
  EXPECT_THAT(order_of(options_of(Solver::ccd, true), 20, 8),
              ElementsAre("feature users 0", "feature items 1", "feature users 2", "feature items 2", "feature users 3",
                          "feature items 3", "evaluate users 0", "feature users 0"));
}

TEST(MfJudgeOrder, OfSgdIsEveryStratumOfTheGrid) {
  std::vector<std::string> strata;
  for (std::uint32_t q = 0; q < kSchedulers * kWorkers; ++q) strata.push_back("cell users " + std::to_string(q));
  strata.emplace_back("evaluate users 0");
  strata.emplace_back("cell users 0");
  EXPECT_THAT(order_of(options_of(Solver::sgd), 20, static_cast<int>(strata.size())), ElementsAreArray(strata));
}

TEST(MfJudgePlan, SaysWherePhaseAndSweepBegan) {
  Court court(options_of(Solver::cd));
  court.barrier(0);
  EXPECT_EQ(court.plan(kPlanFirst), 0);
  EXPECT_EQ(court.plan(kPlanSweep), 0);
  court.status[kStatusError] = 900;
  court.barrier(2);
  EXPECT_EQ(court.plan(kPlanFirst), 2);
  EXPECT_EQ(court.plan(kPlanSweep), 0);
  court.status[kStatusError] = 800;
  court.barrier(4);
  EXPECT_EQ(court.plan(kPlanFirst), 6);
  EXPECT_EQ(court.plan(kPlanSweep), 6);
  EXPECT_EQ(court.plan(kPlanPart), -1);
}

TEST(MfJudgePlan, LetsBlocksOvershootAfterTheFirstSweepsMoreAndMore) {
  MfOptions options = options_of(Solver::cd);
  options.relaxation = 1.4;
  Court court(options);
  court.barrier(0);
  std::vector<double> relaxations;
  for (int k = 0; k < 7; ++k) {
    relaxations.push_back(court.plan(kPlanRelaxation));
    court.status[kStatusError] *= 0.9;
    court.sweep(2);
  }
  EXPECT_THAT(relaxations, testing::Pointwise(testing::DoubleNear(1e-12), {1.0, 1.0, 1.1, 1.2, 1.3, 1.4, 1.4}));
}

TEST(MfJudgePlan, IsOneRoundForEachSchedulerAndSteady) {
  Court court(options_of(Solver::cd));
  court.barrier(0);
  EXPECT_EQ(court.last.plan.rounds_max, kSchedulers);
  EXPECT_EQ(court.last.plan.blocks_max, kWorkers);
  EXPECT_EQ(court.last.plan.mode, PhasePlan::Mode::steady);
}

TEST(MfJudgePlan, HasATurnMoreForASideWithHeavyRows) {
  Court court(options_of(Solver::cd), 20);
  court.status[kStatusItemsSplit] = 1;
  court.barrier(0);
  EXPECT_EQ(court.last.plan.rounds_max, kSchedulers) << "users";
  court.barrier(2);
  EXPECT_EQ(court.last.plan.rounds_max, 2 * kSchedulers) << "items";
  court.barrier(4);
  EXPECT_EQ(court.last.plan.rounds_max, kSchedulers) << "evaluation";
}

TEST(MfJudgeRescaling, WeightsMakeBothPenaltiesOfAFeatureEqual) {
  Court court(options_of(Solver::cd));
  const double users[] = {8, 0.5}, items[] = {2, 18};
  for (std::size_t k = 0; k < kRank; ++k) {
    court.status[kStatusSums + k] = users[k];
    court.status[kStatusSums + kRank + 1 + k] = items[k];
  }
  court.barrier(0);
  EXPECT_EQ(court.plan(kPlanWeights), 1) << "before the first sweep";
  court.sweep(2);
  for (std::size_t k = 0; k < kRank; ++k) {
    const double weight = court.last.plan.content.values[kPlanWeights + k];
    EXPECT_DOUBLE_EQ(weight * users[k], items[k] / weight);
  }
}

TEST(MfJudgeRescaling, LowersTheObjectiveAndLeavesDeadFeaturesAlone) {
  Court court(options_of(Solver::als));
  court.status[kStatusSums] = 9;
  court.status[kStatusSums + kRank + 1] = 1;
  court.status[kStatusSums + 1] = 0;  // a feature that nobody uses
  court.status[kStatusSums + kRank + 2] = 7;
  court.barrier(0);
  const double before = court.sweep(2).certificate.objective;
  EXPECT_EQ(court.last.plan.content.values[kPlanWeights + 1], 1);
  // At the next barrier the same factors cost less: 9 w + 1 / w = 6 instead of 10.
  const double after = court.barrier(kSchedulers).certificate.objective;
  EXPECT_NEAR(before - after, court.options.lambda * 4, 1e-9);
}

TEST(MfJudgeRescaling, IsDoneAfterTheFirstSweepsOnly) {
  MfOptions options = options_of(Solver::cd);
  options.rescales = 2;
  Court court(options);
  court.status[kStatusSums] = court.status[kStatusSums + kRank + 1] = 1;
  court.barrier(0);
  std::vector<double> weights;
  for (int k = 1; k <= 4; ++k) {
    court.status[kStatusError] *= 0.5;
    court.status[kStatusSums] = 1.0 / k / k;  // asks for the weight k
    weights.push_back((court.sweep(2), court.plan(kPlanWeights)));
  }
  EXPECT_THAT(weights, ElementsAre(1, 2, 2, 2));
}

TEST(MfJudgeRescaling, IsNotForCcdAndSgd) {
  for (const auto& [solver, phases] : {std::pair{Solver::ccd, 4}, {Solver::sgd, 6}}) {
    Court court(options_of(solver, false));
    court.status[kStatusSums] = 9;
    court.status[kStatusSums + kRank + 1] = 1;
    court.barrier(0);
    court.sweep(phases);
    EXPECT_EQ(court.plan(kPlanWeights), 1);
  }
}

TEST(MfJudgeStops, WhenASweepLowersTheObjectiveByTooLittle) {
  MfOptions options = options_of(Solver::cd);
  options.tolerance = 0.01;
  Court court(options);
  court.barrier(0);
  const double errors[] = {1000, 980, 971};  // falls by 2 %, then by less than 1 %
  for (const double error : errors) {
    EXPECT_EQ(court.last.plan.verdict, Verdict::go_on);
    court.status[kStatusError] = error;
    court.sweep(2);
  }
  EXPECT_EQ(court.last.plan.verdict, Verdict::verify);
  court.barrier(0, true);
  EXPECT_EQ(court.last.plan.verdict, Verdict::stop);
  EXPECT_EQ(court.last.stop_reason, "converged");
  EXPECT_TRUE(court.last.certificate.converged);
}

TEST(MfJudgeStops, WhenTheValidationErrorHasNotFallenForSomeSweeps) {
  MfOptions options = options_of(Solver::cd);
  options.patience = 2;
  Court court(options, 20);
  court.barrier(0);
  const double best[] = {50, 40, 40, 40};
  for (const double squared : best) {
    EXPECT_EQ(court.last.plan.verdict, Verdict::go_on);
    court.status[kStatusError] *= 0.5;
    court.status[kStatusBestValidation] = squared;
    court.sweep(3);
  }
  EXPECT_EQ(court.last.plan.verdict, Verdict::verify);
  EXPECT_EQ(court.barrier(0, true).stop_reason, "early stopping");
  EXPECT_EQ(court.last.certificate.figures[kFigureBest], 2);
  EXPECT_EQ(court.last.certificate.figures[kFigureSweep], 4);
}

TEST(MfJudgeStops, AfterTheLastSweep) {
  MfOptions options = options_of(Solver::cd);
  options.sweeps_max = 2;
  Court court(options);
  court.barrier(0);
  court.sweep(2);
  EXPECT_EQ(court.last.plan.verdict, Verdict::go_on);
  court.status[kStatusError] = 500;
  court.sweep(2);
  EXPECT_EQ(court.last.plan.verdict, Verdict::verify);
  EXPECT_EQ(court.barrier(0, true).stop_reason, "sweeps");
}

TEST(MfJudgeStops, AtALimitInTheMiddleOfASweep) {
  Court court(options_of(Solver::cd));
  court.barrier(0);
  court.barrier(1, false, true);
  EXPECT_EQ(court.last.plan.verdict, Verdict::verify) << "first the replica is recomputed";
  court.barrier(0, true, true);
  EXPECT_EQ(court.last.plan.verdict, Verdict::stop);
  EXPECT_EQ(court.last.stop_reason, "limit");
  EXPECT_FALSE(court.last.certificate.converged);
}

TEST(MfJudgeStops, AtALimitThatCutOffTheLastPhaseWithoutCountingTheSweep) {
  // What the sweep has lowered so far would look as if nothing moved any more.
  MfOptions options = options_of(Solver::cd);
  options.tolerance = 0.01;
  Court court(options);
  court.barrier(0);
  court.sweep(2);
  court.barrier(kSchedulers);
  court.barrier(1, false, true);
  court.barrier(0, true, true);
  EXPECT_EQ(court.last.stop_reason, "limit");
  EXPECT_FALSE(court.last.certificate.converged);
  EXPECT_EQ(court.last.certificate.figures[kFigureSweep], 1);
  EXPECT_EQ(court.last.certificate.figures[kFigureBest], 1);
  EXPECT_EQ(court.last.certificate.figures[kFigurePartial], 1);
}

/// The last scheduler of the phase has no users: nothing is missing where its round was cut off.
TEST(MfJudgeStops, AtALimitThatCutOffAnEvaluationOfAllUsersWithTheSweepThatIsBest) {
  const auto stopped_with = [](double validation) {
    Court court(options_of(Solver::cd), 20);
    court.barrier(0);
    court.status[kStatusBestValidation] = 50;
    court.sweep(3);
    court.sweep(2);
    court.status[kStatusBestValidation] = validation;
    court.barrier(1, false, true);
    court.barrier(0, true, true);
    EXPECT_EQ(court.last.stop_reason, "limit");
    return court.last.certificate.figures;
  };
  EXPECT_EQ(stopped_with(40)[kFigureBest], 2) << "its factors are kept";
  EXPECT_EQ(stopped_with(40)[kFigureSweep], 2);
  EXPECT_EQ(stopped_with(50)[kFigureBest], 1) << "those of the first one are";
  EXPECT_EQ(stopped_with(50)[kFigureSweep], 1);
}

TEST(MfJudgeStops, AtALimitBetweenTwoSweepsWithAWholeOne) {
  Court court(options_of(Solver::cd));
  court.barrier(0);
  court.barrier(kSchedulers);
  court.barrier(kSchedulers, false, true);
  court.barrier(0, true, true);
  EXPECT_EQ(court.last.certificate.figures[kFigureSweep], 1);
  EXPECT_EQ(court.last.certificate.figures[kFigurePartial], 0);
}

TEST(MfJudgeStops, WithoutSuccessWhenASweepHasRaisedTheObjective) {
  MfOptions options = options_of(Solver::cd);
  options.tolerance = 0.01;
  Court court(options);
  court.barrier(0);
  court.sweep(2);
  court.status[kStatusError] = 1020;
  court.sweep(2);
  EXPECT_EQ(court.last.plan.verdict, Verdict::verify);
  EXPECT_EQ(court.barrier(0, true).stop_reason, kStopRose);
  EXPECT_FALSE(court.last.certificate.converged);
}

TEST(MfJudgeStops, WithSuccessWhenTheObjectiveRoseByRoundingAlone) {
  Court court(options_of(Solver::cd));
  court.barrier(0);
  court.sweep(2);
  court.status[kStatusError] *= 1 + 1e-7;
  court.sweep(2);
  EXPECT_EQ(court.barrier(0, true).stop_reason, kStopConverged);
}

TEST(MfJudgeStops, AtOnceWhenUpdatesWereRefused) {
  for (const auto& [fault, reason] : {std::pair{Fault::not_finite, kStopNotFinite}, std::pair{Fault::rose, kStopRose},
                                      std::pair{Fault::unread, kStopUnread}}) {
    Court court(options_of(Solver::cd));
    court.barrier(0);
    court.sweep(2);
    court.status[kStatusFault] = static_cast<double>(fault);
    court.barrier(kSchedulers, false, true);
    EXPECT_EQ(court.last.plan.verdict, Verdict::verify);
    EXPECT_EQ(court.barrier(0, true).stop_reason, reason);
    EXPECT_FALSE(court.last.certificate.converged);
    EXPECT_EQ(court.last.certificate.figures[kFigureSweep], 1);
    EXPECT_EQ(court.last.certificate.figures[kFigurePartial], 1) << "the updates that were not refused";
  }
}

TEST(MfJudgeStops, BeforeAnythingWasDone) {
  Court court(options_of(Solver::sgd));
  court.barrier(0, false, true);
  EXPECT_EQ(court.last.plan.verdict, Verdict::verify);
  EXPECT_EQ(court.barrier(0, true, true).stop_reason, "limit");
}

TEST(MfJudgeStops, WithTheObjectiveOfTheWeightsThatAreKept) {
  Court court(options_of(Solver::cd), 20);
  court.status[kStatusSums] = 9;
  court.status[kStatusSums + kRank + 1] = 1;
  court.barrier(0);
  court.sweep(3);
  ASSERT_NE(court.plan(kPlanWeights), 1);
  court.barrier(1, false, true);
  // The verified replica has weights of 1 again: those of an earlier sweep.
  EXPECT_NEAR(court.barrier(0, true).certificate.objective, 1000 + court.options.lambda * 10, 1e-9);
}

TEST(MfJudgeStops, AlsoWhenAStatusThatShouldHaveWeightsHasNone) {
  // Of another process: well formed and at the wrong time.
  Court court(options_of(Solver::cd));
  court.barrier(0);
  court.barrier(1, false, true);
  Payload payload;
  payload.values = court.status;
  Barrier barrier;
  barrier.version = court.version;
  barrier.verified = true;
  const auto judgement = court.judge->judge(barrier, std::vector<Payload>(kSchedulers, payload));
  EXPECT_EQ(judgement.plan.verdict, Verdict::stop);
  EXPECT_EQ(judgement.certificate.objective, 1000);
}

TEST(MfJudgeFigures, AreRootsOfMeans) {
  Court court(options_of(Solver::cd), 20);
  court.status[kStatusError] = static_cast<double>(court.data->train_size) * 0.25;
  court.status[std::size_t{kStatusEvaluation} + kValidationSquared] = 180;
  court.status[std::size_t{kStatusEvaluation} + kValidationCount] = 20;
  court.status[kStatusUsersImbalance] = 1.1;
  court.status[kStatusItemsImbalance] = 1.3;
  const auto figures = court.barrier(0).certificate.figures;
  ASSERT_EQ(figures.size(), kFigures);
  EXPECT_DOUBLE_EQ(figures[kFigureTrainRmse], 0.5);
  EXPECT_DOUBLE_EQ(figures[kFigureValidation], 3);
  EXPECT_TRUE(std::isnan(figures[kFigureTest]));
  EXPECT_DOUBLE_EQ(figures[kFigureImbalance], 1.3);
  EXPECT_EQ(figures[kFigureEndsSweep], 0);
}

TEST(MfJudgeFigures, AreOfOneMomentTheEndOfTheLastFinishedSweep) {
  Court court(options_of(Solver::cd), 20);
  court.barrier(0);
  court.status[std::size_t{kStatusEvaluation} + kValidationSquared] = 180;
  court.status[std::size_t{kStatusEvaluation} + kValidationCount] = 20;
  const auto at_the_end = court.sweep(3).certificate.figures;
  court.status[kStatusError] = 500;
  court.status[std::size_t{kStatusEvaluation} + kValidationSquared] = 0;
  auto inside = court.barrier(kSchedulers).certificate.figures;
  EXPECT_EQ(court.last.certificate.objective, 500);
  inside[kFigureEndsSweep] = 1;
  for (const Figure figure : {kFigureSweep, kFigureObjective, kFigureTrainRmse, kFigureValidation}) {
    EXPECT_EQ(inside[figure], at_the_end[figure]) << figure;
  }
}

}  // namespace
}  // namespace strads::mf
