// The coordinator's half: lambda, verdicts, and how many blocks a round gets.
#include "lasso/model/lasso_judge.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lasso/problem/certificate.hpp"
#include "lasso/problem/payloads.hpp"

namespace strads::lasso {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Verdict = PhasePlan::Verdict;

Payload ready(double lambda_max, std::uint64_t kept, std::uint64_t constant = 0) {
  return payload_of(
      Ready{.lambda_max = lambda_max, .kept = kept, .constant = constant, .response_squared = 1, .lambda_per_y = 0.5});
}

/// The certificate's parts of a slice with r'r = r^2, max |h| = r and one coefficient b.
StatusHead head(double r, double b, double lambda) {
  return {.max_gradient = r,
          .l1 = b,
          .slack = lambda * b - r * b,
          .product = r * b,
          .loss = 0.5 * r * r,
          .nonzeros = b == 0 ? 0U : 1U,
          .work = 100};
}

/// One variable x = y, lambda = 1/2 (made by the tests below), b: r = 1 - b.
Payload status(double b, double lambda = 0.5) {
  const double r = 1 - b;
  Payload made = payload_of(head(r, b, lambda));
  if (b != 0) {
    made.ids.push_back(0);
    made.values.push_back(b);
  }
  return made;
}

LassoJudge started(LassoOptions options = {}, std::uint64_t samples = 100) {
  options.lambda = 0.5;
  LassoJudge judge(options, samples);
  EXPECT_TRUE(judge.start(std::vector<Payload>{ready(1.0, 1)}).ok());
  return judge;
}

Barrier barrier(bool verified, bool limit = false) {
  Barrier made;
  made.verified = verified;
  made.limit_reached = limit;
  made.rounds = verified ? 0 : 3;
  made.realised = 0.1;
  made.predicted = 0.1;
  return made;
}

TEST(JudgeStart, AddsTheSlicesAndTakesTheLargestGradient) {
  LassoJudge judge({}, 100);
  const auto problem = judge.start(std::vector<Payload>{ready(0.25, 10, 1), ready(0.75, 20, 2), ready(0.5, 30, 0)});
  ASSERT_TRUE(problem.ok());
  const auto start = read_fields<Start>(problem.value().values);
  EXPECT_EQ(start.lambda_max, 0.75);
  EXPECT_EQ(start.kept, 60U);
  EXPECT_EQ(start.constant, 3U);
}

TEST(JudgeStart, LambdaOnEveryScale) {
  for (const auto& [scale, expected] :
       {std::pair{LambdaScale::unit, 0.2}, {LambdaScale::y, 0.1}, {LambdaScale::ratio, 0.15}}) {
    LassoOptions options;
    options.lambda = 0.2;
    options.lambda_scale = scale;
    LassoJudge judge(options, 100);
    EXPECT_DOUBLE_EQ(read_fields<Start>(judge.start(std::vector<Payload>{ready(0.75, 10)}).value().values).lambda,
                     expected);
  }
}

TEST(JudgeStart, RefusesADatasetWhoseVariablesAreAllExcluded) {
  LassoJudge judge({}, 100);
  const auto problem = judge.start(std::vector<Payload>{payload_of(Ready{.excluded = 7, .pulling = 0})});
  ASSERT_FALSE(problem.ok());
  EXPECT_EQ(problem.status().code(), StatusCode::input);
  EXPECT_THAT(problem.status().message(), HasSubstr("all 7 were excluded"));
}

Payload without_pull(double bound) {
  return payload_of(Ready{.lambda_max = 1e-17,
                          .kept = 4,
                          .constant = 2,
                          .response_squared = 1,
                          .lambda_per_y = 0.5,
                          .pulling = 0,
                          .lambda_max_bound = bound});
}

TEST(JudgeStart, OfSlicesOfWhichNonePullsSaysThatLambdaMaxIsZero) {
  LassoOptions options;
  options.lambda = 0.5;
  LassoJudge judge(options, 100);
  const auto problem = judge.start(std::vector<Payload>{without_pull(2), without_pull(3)});
  ASSERT_TRUE(problem.ok());
  const auto start = read_fields<Start>(problem.value().values);
  EXPECT_EQ(start.lambda_max, 0);
  EXPECT_EQ(start.lambda, 1.5) << "half of the largest bound";
  LassoJudge other(options, 100);
  const auto pulled = other.start(std::vector<Payload>{without_pull(2), ready(0.5, 1)});
  EXPECT_EQ(read_fields<Start>(pulled.value().values).lambda_max, 0.5) << "one of them pulls";
}

TEST(JudgeStart, OfConstantColumnsOfAConstantResponseHasALambdaAboveZero) {
  LassoJudge judge({}, 100);
  const auto problem = judge.start(std::vector<Payload>{payload_of(Ready{.constant = 12, .pulling = 0})});
  ASSERT_TRUE(problem.ok());
  EXPECT_GT(read_fields<Start>(problem.value().values).lambda, 0);
}

TEST(JudgeVerdict, GoesOnWhileTheGapIsLarge) {
  auto judge = started();
  const auto judgement = judge.judge(barrier(false), std::vector<Payload>{status(0.25)});
  EXPECT_EQ(judgement.plan.verdict, Verdict::go_on);
  // F = 9/32 + 1/8; s = min(4/3, 2/3): gap = 1/2 (1/3)^2 9/16 + (1/8 - 3/16) + 1/3 3/16 = 1/32.
  EXPECT_NEAR(judgement.certificate.objective, 13.0 / 32, 1e-15);
  EXPECT_NEAR(judgement.certificate.gap, 1.0 / 32, 1e-15);
  EXPECT_NEAR(judgement.certificate.relative_gap, 1.0 / 13, 1e-15);
  EXPECT_NEAR(judgement.certificate.dual, 12.0 / 32, 1e-15);
  EXPECT_EQ(judgement.certificate.nonzeros, 1u);
  EXPECT_FALSE(judgement.certificate.converged);
}

TEST(JudgeVerdict, VerifiesBeforeItStops) {
  auto judge = started();
  EXPECT_EQ(judge.judge(barrier(false), std::vector<Payload>{status(0.5)}).plan.verdict, Verdict::verify);
  const auto judgement = judge.judge(barrier(true), std::vector<Payload>{status(0.5)});
  EXPECT_EQ(judgement.plan.verdict, Verdict::stop);
  EXPECT_EQ(judgement.stop_reason, "converged");
  EXPECT_TRUE(judgement.certificate.converged);
}

TEST(JudgeVerdict, GoesOnWhenTheRecomputedResidualDisagrees) {
  auto judge = started();
  EXPECT_EQ(judge.judge(barrier(false), std::vector<Payload>{status(0.5)}).plan.verdict, Verdict::verify);
  EXPECT_EQ(judge.judge(barrier(true), std::vector<Payload>{status(0.49)}).plan.verdict, Verdict::go_on);
}

TEST(JudgeVerdict, ALimitStopsWithALargeGapAndSaysSo) {
  auto judge = started();
  EXPECT_EQ(judge.judge(barrier(false, true), std::vector<Payload>{status(0.25)}).plan.verdict, Verdict::verify);
  const auto judgement = judge.judge(barrier(true, true), std::vector<Payload>{status(0.25)});
  EXPECT_EQ(judgement.plan.verdict, Verdict::stop);
  EXPECT_EQ(judgement.stop_reason, "limit");
  EXPECT_FALSE(judgement.certificate.converged);
}

TEST(JudgeVerdict, StopsAtTheRoundingFloor) {
  LassoOptions options;
  options.tolerance = 0;  // cannot be reached
  auto judge = started(options);
  const auto off_by_little = std::vector<Payload>{status(0.5 + 1e-14)};
  EXPECT_EQ(judge.judge(barrier(false), off_by_little).plan.verdict, Verdict::verify);
  const auto judgement = judge.judge(barrier(true), off_by_little);
  EXPECT_EQ(judgement.plan.verdict, Verdict::stop);
  EXPECT_EQ(judgement.stop_reason, "rounding floor");
}

TEST(JudgeVerdict, StopsAtTheRoundingFloorAndNotAboveIt) {
  // At b = 1/2 + d the gap is d^2 / 2. The floor is 1e-13 F(0), F(0) = 1/2.
  const auto with_gap = [](double gap) { return std::vector<Payload>{status(0.5 + std::sqrt(2 * gap))}; };
  for (const double above : {1e-3, 1e-9, 1e-12, 1.1e-13, 0.9e-13, 1e-14}) {
    LassoOptions options;
    options.tolerance = 0;
    auto judge = started(options);
    const auto judgement = judge.judge(barrier(false), with_gap(above * 0.5));
    EXPECT_NEAR(judgement.certificate.gap, above * 0.5, 1e-3 * above);
    EXPECT_EQ(judgement.plan.verdict, above < 1e-13 ? Verdict::verify : Verdict::go_on) << above;
  }
}

/// Phases that the judge orders while barrier after barrier reports `status(0.25)` and this progress.
int phases_ordered(LassoJudge& judge, double realised, int most = 100) {
  Barrier reported = barrier(false);
  reported.realised = realised;
  int phases = 0;
  while (phases < most && judge.judge(reported, std::vector<Payload>{status(0.25)}).plan.verdict == Verdict::go_on) {
    ++phases;
  }
  return phases;
}

TEST(JudgeVerdict, AutoGivesUpWhenPhaseAfterPhaseBringsNothing) {
  LassoOptions options;
  options.tolerance = 0;
  auto judge = started(options);
  EXPECT_EQ(phases_ordered(judge, 0), 7) << "the eighth in a row ends it";
  Barrier recomputed = barrier(true);
  recomputed.rounds = 3;  // those of the phase that has just been judged
  recomputed.realised = 0;
  const auto judgement = judge.judge(recomputed, std::vector<Payload>{status(0.25)});
  EXPECT_EQ(judgement.plan.verdict, Verdict::stop);
  EXPECT_EQ(judgement.stop_reason, "no further progress in double precision");
  EXPECT_FALSE(judgement.certificate.converged);
}

TEST(JudgeVerdict, AutoGoesOnWhileAPhaseBringsSomething) {
  LassoOptions options;
  options.tolerance = 0;
  auto judge = started(options);
  // 1e-16 F(0) is nothing, and the double of it is something.
  EXPECT_EQ(phases_ordered(judge, 1e-16), 100);
  EXPECT_EQ(phases_ordered(judge, 0.5e-16, 7), 7);
  EXPECT_EQ(phases_ordered(judge, 1e-16, 1), 1) << "the count begins anew";
  EXPECT_EQ(phases_ordered(judge, 0.5e-16), 7);
}

TEST(JudgeVerdict, APublishedPolicyGoesOnThroughPhasesThatBringNothing) {
  LassoOptions options;
  options.tolerance = 0;
  options.policy = Policy::paper;
  auto judge = started(options);
  EXPECT_EQ(phases_ordered(judge, 0), 100) << "its rounds are drawn: an empty one is bad luck";
}

TEST(JudgeVerdict, StopsAPolicyThatDiverges) {
  auto judge = started();
  const auto judgement = judge.judge(barrier(false), std::vector<Payload>{status(1e6)});
  EXPECT_EQ(judgement.plan.verdict, Verdict::stop);
  EXPECT_EQ(judgement.stop_reason, "diverged");
  EXPECT_FALSE(judgement.certificate.converged);
}

TEST(JudgeVerdict, CallsAMillionTimesTheFirstObjectiveDiverged) {
  // F(b) = (b^2 - b + 1) / 2 beyond b = 1, and F(0) = 1/2.
  const auto reason = [](double times) {
    auto judge = started();
    return judge.judge(barrier(false), std::vector<Payload>{status(0.5 + std::sqrt(times - 0.75))}).stop_reason;
  };
  EXPECT_EQ(reason(1.001e6), "diverged");
  EXPECT_NE(reason(0.999e6), "diverged") << "a policy without guard may come back";
}

TEST(JudgePublished, ChecksEveryJUpdatesByDefault) {
  LassoOptions options;
  options.policy = Policy::paper;
  options.lambda = 0.5;
  options.workers = 4;
  LassoJudge judge(options, 100);
  ASSERT_TRUE(judge.start(std::vector<Payload>{ready(1.0, 30), ready(1.0, 12)}).ok());
  const auto plan = judge.judge(barrier(false), std::vector<Payload>{status(0.25), status(0)}).plan;
  EXPECT_EQ(plan.updates_max, 42u);
  EXPECT_EQ(plan.blocks_max, 4u);
  EXPECT_FALSE(plan.joint());
}

TEST(JudgePublished, ChecksAsOftenAsAsked) {
  LassoOptions options;
  options.policy = Policy::uniform;
  options.check_interval = 7;
  auto judge = started(options);
  EXPECT_EQ(judge.judge(barrier(false), std::vector<Payload>{status(0.25)}).plan.updates_max, 7u);
}

Payload candidates(const std::vector<std::pair<VarId, double>>& listed) {
  Payload made = status(0);
  for (const auto& [j, decrease] : listed) {
    made.ids.push_back(j);
    made.values.push_back(decrease);
  }
  return made;
}

TEST(JudgeAutomatic, AJointRoundHoldsAllNonzerosAndCandidatesInOrder) {
  auto judge = started();
  Payload first = status(0.25);
  first.ids.push_back(9);
  first.values.push_back(0.3);
  const auto plan = judge.judge(barrier(false), std::vector<Payload>{first, candidates({{4, 0.1}, {2, 0.4}})}).plan;
  EXPECT_TRUE(plan.joint());
  EXPECT_EQ(plan.rounds_max, 1u);
  EXPECT_THAT(plan.content.ids, ElementsAre(0, 2, 4, 9));
}

TEST(JudgeAutomatic, TakesTheCandidatesThatPromiseMost) {
  auto judge = started();
  std::vector<std::pair<VarId, double>> many;
  for (VarId j = 1; j <= 4000; ++j) many.emplace_back(j, j % 2 == 0 ? 1.0 + j : 0.001 * j);
  const auto plan = judge.judge(barrier(false), std::vector<Payload>{candidates(many)}).plan;
  ASSERT_TRUE(plan.joint());
  EXPECT_LT(plan.content.ids.size(), 2000u) << "not everything that promises something";
  for (const VarId j : plan.content.ids) EXPECT_EQ(j % 2, 0u);
  EXPECT_EQ(plan.content.ids.back(), 4000u);
}

TEST(JudgeAutomatic, SaysHowManyVariablesAreNewSinceTheJointRoundBefore) {
  auto judge = started();
  const auto fresh = [&](const std::vector<std::pair<VarId, double>>& listed) {
    const auto plan = judge.judge(barrier(false), std::vector<Payload>{candidates(listed)}).plan;
    EXPECT_TRUE(plan.joint());
    return phase_of(plan.content).fresh;
  };
  EXPECT_EQ(fresh({{4, 0.1}, {2, 0.4}}), 2U);
  EXPECT_EQ(fresh({{9, 0.1}, {2, 0.4}, {3, 0.2}}), 2U);
  EXPECT_EQ(fresh({{9, 0.1}, {2, 0.4}}), 0U);
  EXPECT_EQ(fresh({{4, 0.1}}), 0U) << "it was of use two rounds before, and has stayed";
}

TEST(JudgeAutomatic, KeepsWhatWasOfUseForThreeMoreJointRounds) {
  auto judge = started();
  const auto ids = [&](const std::vector<std::pair<VarId, double>>& listed) {
    return judge.judge(barrier(false), std::vector<Payload>{candidates(listed)}).plan.content.ids;
  };
  EXPECT_THAT(ids({{4, 0.1}, {2, 0.4}}), ElementsAre(2, 4));
  for (int round = 0; round < 3; ++round) EXPECT_THAT(ids({{2, 0.4}}), ElementsAre(2, 4)) << round;
  EXPECT_THAT(ids({{2, 0.4}}), ElementsAre(2));
}

TEST(JudgeAutomatic, ApproachesASmallLambdaFromAbove) {
  LassoOptions options;
  options.lambda = 0.01;
  options.lambda_scale = LambdaScale::unit;
  LassoJudge judge(options, 100);
  ASSERT_TRUE(judge.start(std::vector<Payload>{ready(1.0, 1)}).ok());
  const auto raise = [&](double steepest) {
    StatusHead found = head_of(status(0, 0.01));
    found.max_gradient = steepest;
    return phase_of(judge.judge(barrier(false), std::vector<Payload>{payload_of(found)}).plan.content).raise;
  };
  EXPECT_DOUBLE_EQ(raise(1.0), 30);
  EXPECT_DOUBLE_EQ(raise(0.5), 15);
  EXPECT_DOUBLE_EQ(raise(0.8), 12) << "never back, and never the same again";
  EXPECT_EQ(raise(0.02), 1) << "never below lambda";
}

TEST(JudgeAutomatic, SolvesARaisedBlockToAShareOfItsOwnGap) {
  LassoOptions options;
  options.lambda = 0.01;
  options.lambda_scale = LambdaScale::unit;
  LassoJudge judge(options, 100);
  ASSERT_TRUE(judge.start(std::vector<Payload>{ready(1.0, 1)}).ok());
  const auto plan = judge.judge(barrier(false), std::vector<Payload>{status(0.2, 0.01)}).plan.content;
  const double raised = 0.01 * phase_of(plan).raise;
  EXPECT_DOUBLE_EQ(raised, 0.3 * 0.8);
  // r = 0.8 y, b = 0.2, at the lambda that the block is solved for.
  GapParts parts;
  parts.residual_squared = 0.64;
  parts.gradient_max = 0.8;
  parts.slack = raised * 0.2 - 0.8 * 0.2;
  parts.product = 0.8 * 0.2;
  EXPECT_NEAR(phase_of(plan).inner_gap, 0.1 * duality_gap(parts, raised, false), 1e-15);
}

// --- paths ---

/// Two columns equal to y, one in each slice, with the same b: r = 1 - 2 b; lambda = 1/2. As a slice tells it of a
/// path.
Payload path_status(VarId j, double b) {
  Payload made = payload_of(head(1 - 2 * b, b, 0.5));
  if (b != 0) {
    made.ids.push_back(j);
    made.values.push_back(b);
  }
  append_fields(PathStatusTail{}, made.values);
  return made;
}

struct PathStory {
  std::vector<Solution> points;
  LassoJudge judge;

  explicit PathStory(std::vector<double> lambdas) : judge(options_of(std::move(lambdas)), 100) {
    judge.tell([this](const Solution& point) { points.push_back(point); });
    EXPECT_TRUE(judge.start(std::vector<Payload>{ready(1.0, 1), ready(1.0, 1)}).ok());
  }
  static LassoOptions options_of(std::vector<double> lambdas) {
    LassoOptions options;
    options.schedulers = 2;
    options.lambda_scale = LambdaScale::unit;
    options.path.given = std::move(lambdas);
    return options;
  }
  /// Slice 0 has variable 4, slice 1 has variable 1.
  Judgement at(double b) { return judge.judge(barrier(false), std::vector{path_status(4, b), path_status(1, b)}); }
};

TEST(JudgePath, RecordsTheNonzerosOfAllSlicesInOrder) {
  PathStory story({0.5, 0.05});
  const auto judgement = story.at(0.25);
  EXPECT_EQ(judgement.plan.verdict, Verdict::go_on);
  ASSERT_EQ(story.points.size(), 1U);
  EXPECT_THAT(story.points[0].variables, ElementsAre(1, 4));
  EXPECT_THAT(story.points[0].standardized, ElementsAre(0.25, 0.25));
}

TEST(JudgePath, ApproachesEveryLambdaFromAboveAgain) {
  PathStory story({0.5, 0.05});
  EXPECT_EQ(phase_of(story.at(0.1).plan.content).raise, 1) << "near enough to the first lambda";
  EXPECT_DOUBLE_EQ(phase_of(story.at(0.25).plan.content).raise, 0.3 * 0.5 / 0.05);
}

// --- effective parallelism ---

constexpr CostModel kDense{.flop_seconds = streaming_seconds(Storage::dense_f64)};

TEST(Parallelism, PicksOneBlockWhenTheWorkingSetIsAsLargeAsTheSample) {
  const Parallelism parallelism(kDense, 16);
  EXPECT_EQ(parallelism.choose(463, 463, 2 * 463).blocks, 1u);
  EXPECT_EQ(parallelism.choose(300, 463, 2 * 463).blocks, 1u);
}

TEST(Parallelism, PicksManyBlocksWhenSamplesAreMany) {
  const Parallelism parallelism(kDense, 16);
  EXPECT_GT(parallelism.choose(400, 4000, 2 * 4000).blocks, 1u);
}

TEST(Parallelism, CouplingsThatCostAsMuchAsTheSolutionAreNotWorthIt) {
  const CostModel genotypes{.flop_seconds = streaming_seconds(Storage::genotype_2bit)};
  EXPECT_EQ(Parallelism(genotypes, 16).choose(200, 2000, 2 * 2000).blocks, 1u);
  EXPECT_GT(Parallelism(genotypes, 16, {.sampled = 0.2}).choose(200, 9000, 2 * 9000).blocks, 1u);
  EXPECT_EQ(Parallelism(kDense, 16, {.price = 1}).choose(400, 4000, 2 * 50).blocks, 1u) << "sparse columns";
}

TEST(Parallelism, NeverPicksMoreThanTheWorkers) {
  for (const std::uint32_t workers : {1U, 2U, 3U, 5U, 8U, 100U}) {
    EXPECT_LE(Parallelism(kDense, workers).choose(1000, 1e6, 2e6).blocks, workers);
  }
}

TEST(Parallelism, ASmallProblemIsNotWorthTheMessages) {
  EXPECT_EQ(Parallelism(kDense, 16).choose(5, 400, 800).blocks, 1u);
}

TEST(Parallelism, CostlyRoundsMeanFewerBlocks) {
  CostModel slow = kDense;
  slow.round_seconds = 1;
  EXPECT_EQ(Parallelism(slow, 16).choose(400, 4000, 8000).blocks, 1u);
}

TEST(Parallelism, HalvesWhenLessThanHalfOfThePredictionCameTrue) {
  Parallelism parallelism(kDense, 16);
  const auto before = parallelism.choose(1000, 1e6, 2e6);
  ASSERT_EQ(before.blocks, 16u);
  parallelism.feed(before, before.rounds, 1.0, 0.49);
  EXPECT_EQ(parallelism.choose(1000, 1e6, 2e6).blocks, 8u);
  parallelism.feed(parallelism.choose(1000, 1e6, 2e6), 1, 1.0, 0.1);
  EXPECT_EQ(parallelism.choose(1000, 1e6, 2e6).blocks, 4u);
}

TEST(Parallelism, DoublesWhenNearlyAllOfThePredictionCameTrue) {
  Parallelism parallelism(kDense, 16);
  parallelism.feed({8, 1}, 1, 1.0, 0.2);
  ASSERT_EQ(parallelism.choose(1000, 1e6, 2e6).blocks, 4u);
  parallelism.feed({4, 1}, 1, 1.0, 0.95);
  EXPECT_EQ(parallelism.choose(1000, 1e6, 2e6).blocks, 8u);
}

TEST(Parallelism, StaysBetweenTheTwo) {
  Parallelism parallelism(kDense, 16);
  parallelism.feed({8, 1}, 1, 1.0, 0.2);
  parallelism.feed({4, 1}, 1, 1.0, 0.7);
  EXPECT_EQ(parallelism.choose(1000, 1e6, 2e6).blocks, 4u);
}

TEST(Parallelism, LearnsThatAPhaseNeededMoreRoundsThanExpected) {
  Parallelism parallelism(kDense, 16);
  const auto before = parallelism.choose(400, 4000, 8000);
  ASSERT_GT(before.blocks, 1u);
  parallelism.feed(before, 1000 * before.rounds, 1.0, 0.7);
  EXPECT_EQ(parallelism.choose(400, 4000, 8000).blocks, 1u);
}

TEST(Parallelism, LearnsNothingFromJointRounds) {
  Parallelism parallelism(kDense, 16);
  const auto before = parallelism.choose(400, 4000, 8000);
  parallelism.feed({1, 1}, 50, 1.0, 0.01);
  EXPECT_EQ(parallelism.choose(400, 4000, 8000).blocks, before.blocks);
}

}  // namespace
}  // namespace strads::lasso
