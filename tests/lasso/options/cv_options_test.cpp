// Which measures and folds go with which family.
#include "lasso/options/cv_options.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lasso/options/study_options.hpp"
#include "strads/program/option_table.hpp"

namespace strads::lasso {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// Options of `lasso cv --x x.csv` and these.
struct Asked {
  CvOptions options;
  Status status;

  explicit Asked(const std::vector<std::string>& arguments) {
    OptionTable table = cv_option_table(options);
    std::vector<std::string> all{"--x", "x.csv"};
    all.insert(all.end(), arguments.begin(), arguments.end());
    status = table.parse(all);
    if (status.ok()) status = settle_cv_options(options, table);
  }
};

TEST(CvMeasure, IsThatOfTheFamilyWhereNoneIsGiven) {
  const Asked numbers({});
  ASSERT_TRUE(numbers.status.ok()) << numbers.status.message();
  EXPECT_EQ(numbers.options.measure, "mse");
  const Asked classes({"--family", "binomial"});
  ASSERT_TRUE(classes.status.ok()) << classes.status.message();
  EXPECT_EQ(classes.options.measure, "deviance");
  EXPECT_EQ(classes.options.error, Measure::deviance);
}

TEST(CvMeasure, OfClassesGoesWithTheBinomialFamilyOnly) {
  EXPECT_THAT(Asked({"--measure", "auc"}).status.message(), HasSubstr("--measure auc"));
  EXPECT_EQ(Asked({"--measure", "auc"}).status.code(), StatusCode::usage);
  EXPECT_EQ(Asked({"--measure", "class", "--family", "binomial"}).options.error, Measure::misclassification);
  EXPECT_EQ(Asked({"--measure", "mae", "--family", "binomial"}).options.error, Measure::mae);
}

TEST(CvStratify, NeedsClassesAndFoldsThatAreDrawn) {
  EXPECT_THAT(Asked({"--stratify"}).status.message(), HasSubstr("--stratify goes with --family binomial"));
  EXPECT_THAT(Asked({"--stratify", "--family", "binomial", "--folds", "f.tsv"}).status.message(),
              HasSubstr("the folds are those of f.tsv"));
  EXPECT_TRUE(Asked({"--stratify", "--family", "binomial", "--folds", "5"}).status.ok());
}

TEST(CvL1Ratios, AreReadInTheirOrder) {
  const Asked asked({"--l1-ratio", "0.5,1,0.9"});
  ASSERT_TRUE(asked.status.ok()) << asked.status.message();
  EXPECT_THAT(asked.options.path.l1_ratios, ElementsAre(0.5, 1, 0.9));
  EXPECT_EQ(asked.options.path.fit.lasso.l1_ratio, 0.5);
  EXPECT_THAT(Asked({}).options.path.l1_ratios, ElementsAre(1));
}

TEST(CvL1Ratios, CountAmongTheProblems) {
  const auto one = problem_count_of(Asked({"--folds", "4"}).options);
  EXPECT_EQ(problem_count_of(Asked({"--folds", "4", "--l1-ratio", "1,0.5,0.1"}).options).problems, 3 * one.problems);
}

TEST(CvL1Ratios, OfZeroAreCountedForThePlan) {
  const auto none = problem_count_of(Asked({"--folds", "4", "--l1-ratio", "1,0.5"}).options);
  const auto one = problem_count_of(Asked({"--folds", "4", "--l1-ratio", "1,0,0.5"}).options);
  EXPECT_EQ(none.ridge, 0u);
  EXPECT_EQ(one.ridge, 5u);
  EXPECT_EQ(one.ridge_written, 1u);
}

TEST(CvL1Ratios, ThatAreNoneAreRefusedWithTheReason) {
  const auto refused = [](const std::string& ratios, const std::string& reason) {
    const Asked asked({"--l1-ratio", ratios});
    EXPECT_EQ(asked.status.code(), StatusCode::usage) << ratios;
    EXPECT_THAT(asked.status.message(), HasSubstr(reason));
  };
  refused("1,0.5,1", "1 is there twice");
  refused("1,half", "found 'half'");
  refused("1.5", "--l1-ratio 1.5: expected a number in [0, 1]");
  refused("1,nan", "expected a number in [0, 1]");
  const Asked ridge({"--l1-ratio", "1,0", "--nonnegative"});
  EXPECT_EQ(ridge.status.code(), StatusCode::usage);
  EXPECT_THAT(ridge.status.message(), HasSubstr("--nonnegative needs --l1-ratio above 0"));
  refused(",", "found nothing");
}

TEST(WarmStartOption, IsThereForEveryCommandThatSolves) {
  for (const StudyKind kind : {StudyKind::fit, StudyKind::path, StudyKind::cv}) {
    StudyOptions options(kind);
    const std::vector<std::string> arguments{"--x", "x.csv", "--warm-start", "no-such-run"};
    ASSERT_TRUE(options.table.parse(arguments).ok()) << command_of(options.kind);
    const Status status = options.settle();
    EXPECT_EQ(status.code(), StatusCode::input);
    EXPECT_THAT(status.message(), HasSubstr("--warm-start no-such-run"));
  }
}

}  // namespace
}  // namespace strads::lasso
