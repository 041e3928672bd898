// Options of other programs: what is said about them, and that none of them is one of ours.
#include "regression/foreign_options.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "lasso/options/cv_options.hpp"
#include "strads/program/option_table.hpp"

namespace strads::lasso {
namespace {

using ::testing::HasSubstr;

Status asked(std::vector<std::string> arguments) {
  return expect_own_options(arguments);
}

TEST(ForeignOptions, AreToldByTheirNamesAlsoWithAValueBehind) {
  EXPECT_THAT(asked({"--x", "a.csv", "--alpha", "1"}).message(), HasSubstr("glmnet's alpha is --l1-ratio"));
  EXPECT_THAT(asked({"--mac=3"}).message(), HasSubstr("plink2 --bfile P --mac ... --make-bed"));
  EXPECT_EQ(asked({"--mac=3"}).code(), StatusCode::usage);
}

TEST(ForeignOptions, DoNotCatchValuesAndNearNames) {
  EXPECT_TRUE(asked({"--pheno-name", "mac", "--alphas", "--lambda=alpha"}).ok());
}

TEST(ForeignOptions, AreNoneOfOurs) {
  FitOptions fit;
  CvOptions cv;
  PredictOptions predict;
  for (const OptionTable& table : {fit_option_table(fit), cv_option_table(cv), predict_option_table(predict)}) {
    for (const auto& option : table.options()) {
      const auto names = foreign_option_names();
      EXPECT_EQ(std::find(names.begin(), names.end(), option.text.name), names.end()) << option.text.name;
    }
  }
}

}  // namespace
}  // namespace strads::lasso
