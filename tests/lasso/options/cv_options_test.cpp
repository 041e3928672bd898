// Which measures and folds go with which family.
#include "lasso/options/cv_options.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace strads::lasso {
namespace {

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

}  // namespace
}  // namespace strads::lasso
