// The verdicts about ridge near what double precision has.
#include <gtest/gtest.h>

#include <vector>

#include "lasso/model/lasso_judge.hpp"
#include "lasso/problem/payloads.hpp"

namespace strads::lasso {
namespace {

/// Of ridge: the verdict where the slices add up to this gap.
Judgement judged_at(LassoJudge& judge, double gap, bool verified = false) {
  Payload made =
      payload_of(StatusHead{.max_gradient = 0.75, .slack = gap, .loss = 0.28125, .nonzeros = 1, .work = 100});
  made.ids.push_back(0);
  made.values.push_back(0.25);
  Barrier at;
  at.verified = verified;
  at.rounds = 1;
  at.realised = at.predicted = 0.1;
  return judge.judge(at, std::vector<Payload>{made});
}

LassoJudge ridge_judge() {
  LassoOptions options;
  options.tolerance = 1e-12;
  options.l1_ratio = 0;
  options.lambda = 0.5;
  LassoJudge judge(options, 100);
  EXPECT_TRUE(judge
                  .start(std::vector<Payload>{
                      payload_of(Ready{.lambda_max = 1, .kept = 1, .response_squared = 1, .lambda_per_y = 0.5})})
                  .ok());
  return judge;
}

TEST(RidgeJudge, GivesUpWhereRoundAfterRoundTheGapIsNotHalved) {
  LassoJudge judge = ridge_judge();
  for (int round = 0; round < 150; ++round) {
    ASSERT_EQ(judged_at(judge, round % 2 == 0 ? 1e-3 : 9e-3).plan.verdict, PhasePlan::Verdict::go_on) << round;
  }
  ASSERT_EQ(judged_at(judge, 4e-4).plan.verdict, PhasePlan::Verdict::go_on) << "less than half: the count begins anew";
  for (int round = 0; round < 199; ++round) {
    ASSERT_EQ(judged_at(judge, 3e-4).plan.verdict, PhasePlan::Verdict::go_on) << round;
  }
  ASSERT_EQ(judged_at(judge, 3e-4).plan.verdict, PhasePlan::Verdict::verify)
      << "a residual from the data is tried first";
  const Judgement end = judged_at(judge, 3e-4, true);
  EXPECT_EQ(end.plan.verdict, PhasePlan::Verdict::stop);
  EXPECT_EQ(end.stop_reason, "no further progress in double precision");
  EXPECT_FALSE(end.certificate.converged);
}

TEST(RidgeJudge, GoesOnWhereAResidualFromTheDataHelps) {
  LassoJudge judge = ridge_judge();
  for (int round = 0; round < 200; ++round) static_cast<void>(judged_at(judge, 1e-3));
  ASSERT_EQ(judged_at(judge, 1e-3).plan.verdict, PhasePlan::Verdict::verify);
  EXPECT_EQ(judged_at(judge, 1e-4, true).plan.verdict, PhasePlan::Verdict::go_on);
}

}  // namespace
}  // namespace strads::lasso
