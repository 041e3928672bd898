// Lambdas of a path that double precision cannot solve to the tolerance: the path goes on, and says which they were.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lasso/model/lasso_judge.hpp"
#include "lasso/problem/payloads.hpp"

namespace strads::lasso {
namespace {

using ::testing::ElementsAre;
using ::testing::SizeIs;
using Verdict = PhasePlan::Verdict;

constexpr double kFirst = 0.5, kSecond = 0.25;

/// The judge of a path over two lambdas, with one variable x = y: at lambda the solution is b = 1 - lambda.
class PathJudge : public ::testing::Test {
 protected:
  PathJudge() : judge_(options(), 100) {
    judge_.tell([this](const Solution& point) { points_.push_back(point); });
    const Ready ready{.lambda_max = 1, .kept = 1, .response_squared = 1, .lambda_per_y = 1};
    EXPECT_TRUE(judge_.start(std::vector<Payload>{payload_of(ready)}).ok());
  }
  static LassoOptions options() {
    LassoOptions options;
    options.lambda_scale = LambdaScale::unit;
    options.path.given = {kFirst, kSecond};
    options.tolerance = 0;
    return options;
  }
  /// What the slice tells at b = 1 - lambda + `off`.
  static std::vector<Payload> status(double lambda, double off) {
    const double b = 1 - lambda + off;
    const double r = 1 - b;
    Payload made = payload_of(StatusHead{.max_gradient = r,
                                         .l1 = b,
                                         .slack = lambda * b - r * b,
                                         .product = r * b,
                                         .loss = 0.5 * r * r,
                                         .nonzeros = 1,
                                         .work = 100});
    made.ids.push_back(0);
    made.values.push_back(b);
    append_fields(PathStatusTail{}, made.values);
    return {made};
  }
  Judgement barrier(double lambda, double off, bool verified = false, double realised = 0.1, bool limit = false) {
    Barrier made;
    made.limit_reached = limit;
    made.verified = verified;
    made.rounds = verified && realised > 0 ? 0 : 3;
    made.realised = made.predicted = realised;
    return judge_.judge(made, status(lambda, off));
  }
  [[nodiscard]] std::vector<bool> met() const {
    std::vector<bool> of_points;
    for (const Solution& point : points_) of_points.push_back(point.certificate.converged);
    return of_points;
  }

  LassoJudge judge_;
  std::vector<Solution> points_;
};

constexpr double kRounding = 1e-14;

TEST_F(PathJudge, GoesOnAfterALambdaAtTheRoundingFloorAndEndsWithItsReason) {
  EXPECT_EQ(barrier(kFirst, kRounding).plan.verdict, Verdict::go_on);
  EXPECT_EQ(barrier(kSecond, 0).plan.verdict, Verdict::verify);
  const Judgement end = barrier(kSecond, 0, true);
  EXPECT_EQ(end.plan.verdict, Verdict::stop);
  EXPECT_THAT(met(), ElementsAre(false, true));
  EXPECT_EQ(end.stop_reason, "rounding floor");
  EXPECT_FALSE(end.certificate.converged) << "one lambda did not meet the tolerance";
}

TEST_F(PathJudge, SaysThatTheLastLambdaDidNotMeetTheTolerance) {
  EXPECT_EQ(barrier(kFirst, 0).plan.verdict, Verdict::go_on);
  EXPECT_EQ(barrier(kSecond, kRounding).plan.verdict, Verdict::verify);
  const Judgement end = barrier(kSecond, kRounding, true);
  EXPECT_EQ(end.stop_reason, "rounding floor");
  EXPECT_FALSE(end.certificate.converged);
  EXPECT_THAT(met(), ElementsAre(true, false));
}

TEST_F(PathJudge, HasConvergedWhereEveryLambdaMetTheTolerance) {
  EXPECT_EQ(barrier(kFirst, 0).plan.verdict, Verdict::go_on);
  EXPECT_EQ(barrier(kSecond, 0).plan.verdict, Verdict::verify);
  const Judgement end = barrier(kSecond, 0, true);
  EXPECT_EQ(end.stop_reason, "converged");
  EXPECT_TRUE(end.certificate.converged);
}

TEST_F(PathJudge, GoesOnAfterALambdaWithoutFurtherProgress) {
  constexpr double kFar = 0.01;
  int phases = 0;
  while (barrier(kFirst, kFar, false, 0).plan.verdict == Verdict::go_on) ASSERT_LT(++phases, 100);
  EXPECT_THAT(points_, SizeIs(0)) << "first a residual from the data";
  EXPECT_EQ(barrier(kFirst, kFar, true, 0).plan.verdict, Verdict::go_on);
  ASSERT_THAT(met(), ElementsAre(false));
  EXPECT_EQ(barrier(kSecond, 0).plan.verdict, Verdict::verify);
  const Judgement end = barrier(kSecond, 0, true);
  EXPECT_EQ(end.stop_reason, "no further progress in double precision");
  EXPECT_FALSE(end.certificate.converged);
}

TEST_F(PathJudge, AtALimitHasNotConvergedWhereLambdasAreLeft) {
  EXPECT_EQ(barrier(kFirst, 0, false, 0.1, true).plan.verdict, Verdict::verify);
  const Judgement end = barrier(kFirst, 0, true, 0.1, true);
  EXPECT_EQ(end.plan.verdict, Verdict::stop);
  EXPECT_THAT(met(), ElementsAre(true)) << "the lambda that is solved is there";
  EXPECT_EQ(end.stop_reason, "limit");
  EXPECT_FALSE(end.certificate.converged) << "the second lambda is missing";
}

TEST_F(PathJudge, AtALimitHasConvergedWhereNoLambdaIsLeft) {
  EXPECT_EQ(barrier(kFirst, 0).plan.verdict, Verdict::go_on);
  EXPECT_EQ(barrier(kSecond, 0, false, 0.1, true).plan.verdict, Verdict::verify);
  const Judgement end = barrier(kSecond, 0, true, 0.1, true);
  EXPECT_EQ(end.stop_reason, "converged");
  EXPECT_TRUE(end.certificate.converged);
  EXPECT_THAT(met(), ElementsAre(true, true));
}

TEST_F(PathJudge, GivesEveryLambdaAsManyPhasesThatBringNothing) {
  constexpr double kFar = 0.01;
  for (const double lambda : {kFirst, kSecond}) {
    int phases = 0;
    while (barrier(lambda, kFar, false, 0).plan.verdict == Verdict::go_on) ASSERT_LT(++phases, 100);
    EXPECT_EQ(phases, 7) << lambda;
    const Judgement judgement = barrier(lambda, kFar, true, 0);
    EXPECT_EQ(judgement.plan.verdict, lambda == kFirst ? Verdict::go_on : Verdict::stop);
  }
}

}  // namespace
}  // namespace strads::lasso
