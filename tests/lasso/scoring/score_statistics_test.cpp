// What a score is worth, against R 4.2: lm(), glm(), cor.test() and pROC::ci.auc() gave estimates and intervals; those
// of the delta method were computed in R from the losses of these regressions.
#include "regression/scoring/score_statistics.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "regression/classification.hpp"
#include "regression/scoring/area_interval.hpp"
#include "regression/scoring/score_groups.hpp"
#include "strads/base/random.hpp"
#include "strads/program/program.hpp"

namespace strads::lasso {
namespace {

constexpr double kDigitsOfR = 2e-9;  // of the constants below: R's derivatives were numerical
constexpr std::size_t kPeople = 24;

ScoredPeople people_of_both_kinds(bool two_classes) {
  ScoredPeople people;
  people.two_classes = two_classes;
  people.covariates.resize(2);
  for (std::size_t i = 0; i < kPeople; ++i) {
    const double score = static_cast<double>(7 * i % 24) / 4;
    const double first = static_cast<double>(5 * i % 11) / 3;
    const double response = 1 + 0.5 * score + 0.3 * first + (static_cast<double>(13 * i % 17) - 8) / 4;
    people.scores.push_back(two_classes ? std::floor(score) : score);  // with ties
    people.response.push_back(two_classes ? (response > 3.9 ? 1.0 : 0.0) : response);
    people.covariates[0].push_back(first);
    people.covariates[1].push_back(static_cast<double>(i % 3));
  }
  return people;
}

struct Golden {
  const char* name;
  double estimate, lower, upper;
};

void expect_golden(const ScoredPeople& people, const std::vector<Golden>& golden) {
  SerialChunks serial;
  const ScoreStatistics found = score_statistics(people, {.replicates = 0}, serial);
  ASSERT_EQ(found.list.size(), golden.size());
  for (std::size_t k = 0; k < golden.size(); ++k) {
    EXPECT_EQ(found.list[k].name, golden[k].name);
    EXPECT_NEAR(found.list[k].estimate, golden[k].estimate, kDigitsOfR) << golden[k].name;
    EXPECT_NEAR(found.list[k].lower, golden[k].lower, kDigitsOfR) << golden[k].name;
    EXPECT_NEAR(found.list[k].upper, golden[k].upper, kDigitsOfR) << golden[k].name;
  }
}

TEST(ScoreStatistics, OfNumbersAreThoseOfR) {
  expect_golden(people_of_both_kinds(false), {{"correlation", 0.684507919861, 0.388343939733, 0.852504155334},
                                              {"r2", 0.468551092352, 0.210268632236, 0.726833552469},
                                              {"r2_covariates", 0.0840651076831, -0.16317827564, 0.331308491006},
                                              {"r2_full", 0.475997847115, 0.20519492555, 0.746800768679},
                                              {"r2_incremental", 0.391932739432, 0.133260486858, 0.650604992005},
                                              {"r2_partial", 0.427904584397, 0.172569952258, 0.683239216536}});
}

TEST(ScoreStatistics, OfTwoClassesAreThoseOfR) {
  expect_golden(people_of_both_kinds(true),
                {{"auc", 0.752100840336, 0.560371989189, 0.943829691483},
                 {"nagelkerke", 0.227264016104, -0.0816515120051, 0.536179544213},
                 {"mcfadden", 0.143738442905, -0.0663770617127, 0.353853947522},
                 {"nagelkerke_covariates", 0.118372243798, -0.19533669475, 0.432081182346},
                 {"nagelkerke_full", 0.280873608843, -0.0851522057616, 0.646899423447},
                 {"nagelkerke_incremental", 0.162501365045, -0.0992276326356, 0.424230362725},
                 {"mcfadden_incremental", 0.109866710103, -0.0741523301059, 0.293885750312},
                 {"deviance_partial", 0.118359120368, -0.0799337199423, 0.316651960678}});
}

TEST(ScoreStatistics, WithoutCovariatesHaveNoIncrement) {
  auto people = people_of_both_kinds(false);
  people.covariates.clear();
  SerialChunks serial;
  const auto found = score_statistics(people, {.replicates = 0}, serial);
  ASSERT_EQ(found.list.size(), 2U);
  EXPECT_NEAR(found.named("r2").estimate, std::pow(found.named("correlation").estimate, 2), 1e-14);
}

TEST(ScoreStatistics, DoNotChangeWithACovariateThatDependsOnOthers) {
  for (const bool two_classes : {false, true}) {
    auto people = people_of_both_kinds(two_classes);
    SerialChunks serial;
    const auto before = score_statistics(people, {.seed = 3, .replicates = 20}, serial);
    people.covariates.emplace_back(kPeople, 7.0);
    people.covariates.push_back(people.covariates[0]);
    for (double& value : people.covariates.back()) value = 5 - 2 * value;
    const auto after = score_statistics(people, {.seed = 3, .replicates = 20}, serial);
    EXPECT_EQ(after.dependent_covariates, (std::vector<std::size_t>{2, 3}));
    for (std::size_t k = 0; k < before.list.size(); ++k) {
      EXPECT_EQ(before.list[k].estimate, after.list[k].estimate);
      EXPECT_EQ(before.list[k].upper, after.list[k].upper);
    }
  }
}

TEST(ScoreStatistics, DoNotDependOnUnitsOrLargeMeans) {
  auto people = people_of_both_kinds(false);
  SerialChunks serial;
  const auto before = score_statistics(people, {.replicates = 0}, serial);
  for (double& value : people.response) value = 1e6 + 1e-3 * value;
  for (double& value : people.scores) value = -400 + 0.01 * value;
  for (double& value : people.covariates[0]) value = 1e5 + value;
  const auto after = score_statistics(people, {.replicates = 0}, serial);
  for (std::size_t k = 0; k < before.list.size(); ++k) {
    EXPECT_NEAR(before.list[k].estimate, after.list[k].estimate, 1e-5) << before.list[k].name;
    EXPECT_NEAR(before.list[k].lower, after.list[k].lower, 1e-5) << before.list[k].name;
  }
}

TEST(ScoreStatistics, HaveTheSameBootstrapWithAnyNumberOfThreads) {
  for (const bool two_classes : {false, true}) {
    const auto people = people_of_both_kinds(two_classes);
    SerialChunks serial;
    const auto alone = score_statistics(people, {.seed = 5, .replicates = 60}, serial);
    const auto together = score_statistics(people, {.seed = 5, .replicates = 60}, *make_threads(3));
    const auto other_seed = score_statistics(people, {.seed = 6, .replicates = 60}, serial);
    ASSERT_EQ(alone.list.size(), together.list.size());
    for (std::size_t k = 1; k < alone.list.size(); k += 2) {
      EXPECT_EQ(alone.list[k].method, "bootstrap");
      EXPECT_EQ(alone.list[k].lower, together.list[k].lower);
      EXPECT_EQ(alone.list[k].upper, together.list[k].upper);
      EXPECT_NE(alone.list[k].lower, other_seed.list[k].lower);
    }
  }
}

/// The figures of replicate b, from people copied as often as they are drawn.
ScoredPeople drawn(const ScoredPeople& people, std::uint64_t seed, std::uint64_t replicate) {
  ScoredPeople out;
  out.two_classes = people.two_classes;
  out.covariates.resize(people.covariates.size());
  for (std::size_t k = 0; k < people.response.size(); ++k) {
    CounterRng random(seed, Purpose::bootstrap, 0, replicate, k);
    const auto i = static_cast<std::size_t>(random.below(people.response.size()));
    out.response.push_back(people.response[i]);
    out.scores.push_back(people.scores[i]);
    for (std::size_t c = 0; c < out.covariates.size(); ++c) out.covariates[c].push_back(people.covariates[c][i]);
  }
  return out;
}

TEST(ScoreStatistics, TakeBootstrapIntervalsFromTheFiguresOfCopiedPeople) {
  for (const bool two_classes : {false, true}) {
    const auto people = people_of_both_kinds(two_classes);
    SerialChunks serial;
    const auto found = score_statistics(people, {.seed = 2, .replicates = 39}, serial);
    for (std::size_t k = 1; k < found.list.size(); k += 2) {
      std::vector<double> values;
      for (std::uint64_t b = 0; b < 39; ++b) {
        values.push_back(
            score_statistics(drawn(people, 2, b), {.replicates = 0}, serial).named(found.list[k].name).estimate);
      }
      std::sort(values.begin(), values.end());
      // 40 x 0.025 = 1 and 40 x 0.975 = 39: the least and the largest.
      EXPECT_NEAR(found.list[k].lower, values.front(), 1e-10) << found.list[k].name;
      EXPECT_NEAR(found.list[k].upper, values.back(), 1e-10) << found.list[k].name;
    }
  }
}

TEST(ScoreStatistics, CountBootstrapSamplesOfOneClass) {
  ScoredPeople people;
  people.two_classes = true;
  people.response = {1, 0, 0, 0, 0, 0};
  people.scores = {3, 1, 2, 4, 5, 0};
  SerialChunks serial;
  const auto found = score_statistics(people, {.seed = 1, .replicates = 200}, serial);
  // (5/6)^6 = 33 % lack the one case.
  EXPECT_GT(found.undrawn, 40U);
  EXPECT_LT(found.undrawn, 95U);
}

TEST(ScoreStatistics, AreFiniteWhereTheScoreSeparatesTheClasses) {
  ScoredPeople people;
  people.two_classes = true;
  for (int i = 0; i < 20; ++i) {
    people.response.push_back(i < 9 ? 0.0 : 1.0);
    people.scores.push_back(i);
  }
  SerialChunks serial;
  const auto found = score_statistics(people, {.replicates = 0}, serial);
  EXPECT_EQ(found.named("auc").estimate, 1);
  EXPECT_NEAR(found.named("nagelkerke").estimate, 1, 1e-6);
}

TEST(AreaOfDraws, IsThatOfPeopleCopiedAsOftenAsTheyAreDrawn) {
  const auto people = people_of_both_kinds(true);
  const AreaOfDraws areas(people.scores, people.response);
  for (std::uint64_t b = 0; b < 20; ++b) {
    std::vector<double> counts(kPeople, 0.0);
    for (std::size_t k = 0; k < kPeople; ++k) {
      CounterRng random(9, Purpose::bootstrap, 0, b, k);
      counts[static_cast<std::size_t>(random.below(kPeople))] += 1;
    }
    const auto copies = drawn(people, 9, b);
    EXPECT_NEAR(areas.area(counts), area_under_curve(copies.scores, copies.response, {}), 1e-14);
  }
}

TEST(ScoreGroups, HaveSizesThatDifferByOneAndTheMeansOfTheirPeople) {
  const std::vector<double> scores = {5, 1, 4, 2, 3, 0, 6};
  const std::vector<double> response = {10, 2, 8, 4, 6, 0, 13};
  const auto groups = groups_by_score(scores, response, 3);
  ASSERT_EQ(groups.size(), 3U);
  EXPECT_EQ(groups[0].people + groups[1].people + groups[2].people, 7U);
  EXPECT_EQ(groups[0].people, 2U);
  EXPECT_EQ(groups[2].people, 3U);
  EXPECT_DOUBLE_EQ(groups[0].response, 1);
  EXPECT_DOUBLE_EQ(groups[0].standard_error, 1);  // standard deviation sqrt(2), over sqrt(2)
  EXPECT_DOUBLE_EQ(groups[2].score, 5);
  EXPECT_EQ(groups_by_score(scores, response, 10).size(), 7U);
}

/// With a score of 0 or 1 the fit is the mean of each group.
TEST(ScoreOfCounts, ExplainsAShareOfTheDeviance) {
  ScoredPeople people;
  people.counts = true;
  people.response = {0, 1, 3, 2, 0, 5, 9, 4, 1000, 7};
  people.scores = {0, 0, 0, 0, 0, 1, 1, 1, 1, 1};
  const double low = 6.0 / 5, high = 1025.0 / 5, all = 1031.0 / 10;
  double null = 0, fitted = 0;
  for (std::size_t i = 0; i < 10; ++i) {
    null += deviance_of_count(people.response[i], std::log(all));
    fitted += deviance_of_count(people.response[i], std::log(i < 5 ? low : high));
  }
  SerialChunks threads;
  const ScoreStatistics found = score_statistics(people, {.seed = 1, .replicates = 20}, threads);
  EXPECT_NEAR(found.named("deviance_ratio").estimate, 1 - fitted / null, 1e-10);
  EXPECT_EQ(found.list.front().name, "correlation");
  EXPECT_EQ(found.undrawn, 0u);
}

TEST(ScoreOfCounts, AddsToCovariatesByDeviance) {
  ScoredPeople people = people_of_both_kinds(false);
  people.counts = true;
  for (double& y : people.response) y = std::floor(std::abs(y));
  SerialChunks threads;
  const ScoreStatistics found = score_statistics(people, {}, threads);
  const double whole = found.named("deviance_ratio_full").estimate,
               less = found.named("deviance_ratio_covariates").estimate;
  EXPECT_NEAR(found.named("deviance_ratio_incremental").estimate, whole - less, 1e-14);
  EXPECT_NEAR(found.named("deviance_partial").estimate, 1 - (1 - whole) / (1 - less), 1e-12);
  EXPECT_GT(whole, less);
}

}  // namespace
}  // namespace strads::lasso
