// The options of `svm`, as they reach the model.
#include "svm/options/fit_options.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

namespace strads::svm {
namespace {

using testing::Contains;
using testing::HasSubstr;

/// Options from a command line; the outcome of parsing and settling.
struct ParsedSvm {
  FitOptions options;
  OptionTable table = fit_option_table(options);
  Status status;

  explicit ParsedSvm(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {"--x", "x.svm"});
    status = table.parse(arguments);
    if (status.ok()) status = settle_fit_options(options, table);
  }
};

TEST(SvmFitOptions, AreThoseOfLiblinearUntilSomebodySaysOtherwise) {
  const ParsedSvm parsed({});
  ASSERT_TRUE(parsed.status.ok()) << parsed.status.message();
  EXPECT_EQ(parsed.options.svm.loss, Loss::hinge);
  EXPECT_EQ(parsed.options.svm.cost, 1);
  EXPECT_EQ(parsed.options.svm.bias, 1);
  EXPECT_EQ(parsed.options.svm.tolerance, 1e-6);
  EXPECT_TRUE(parsed.options.input.response.any_classes);
  EXPECT_EQ(parsed.options.svm.policies.policy, Policy::automatic);
}

TEST(SvmFitOptions, ReachTheModel) {
  const ParsedSvm parsed({"--loss", "squared_hinge", "--cost", "0.25", "--bias", "0", "--tolerance", "1e-3", "--policy",
                          "uniform", "--workers", "3", "--missing", "mean"});
  ASSERT_TRUE(parsed.status.ok()) << parsed.status.message();
  EXPECT_EQ(parsed.options.svm.loss, Loss::squared_hinge);
  EXPECT_EQ(parsed.options.svm.cost, 0.25);
  EXPECT_EQ(parsed.options.svm.bias, 0);
  EXPECT_EQ(parsed.options.svm.tolerance, 1e-3);
  EXPECT_EQ(parsed.options.svm.policies.policy, Policy::uniform);
  EXPECT_EQ(parsed.options.svm.policies.workers, 3U);
  EXPECT_TRUE(parsed.options.input.source.missing_mean);
}

TEST(SvmFitOptions, RefuseWhatCannotBe) {
  for (const auto& wrong : std::vector<std::vector<std::string>>{{"--cost", "0"},
                                                                 {"--cost", "-1"},
                                                                 {"--bias", "-1"},
                                                                 {"--loss", "logistic"},
                                                                 {"--weights-name", "w"},
                                                                 {"--class-weights", "a"},
                                                                 {"--class-weights", "a=0"},
                                                                 {"--class-weights", "balanced,a=2"}}) {
    const ParsedSvm parsed(wrong);
    EXPECT_EQ(parsed.status.code(), StatusCode::usage) << wrong[0] << " " << wrong[1];
    EXPECT_THAT(parsed.status.message(), HasSubstr(wrong[0])) << wrong[1];
  }
}

TEST(SvmFitOptions, NameTheFilesThatNodesRead) {
  ParsedSvm parsed({"--y", "y.csv", "--weights", "w.csv", "--keep", "k.txt"});
  std::vector<std::string> named;
  for (const std::string* path : paths_of(parsed.options)) named.push_back(*path);
  for (const char* file : {"x.svm", "y.csv", "w.csv", "k.txt"}) EXPECT_THAT(named, Contains(file));
}

TEST(SvmFitOptions, HelpFitsAScreen) {
  FitOptions fit;
  PredictOptions predict;
  for (const std::string& help : {fit_option_table(fit).help(), predict_option_table(predict).help()}) {
    std::istringstream lines(help);
    std::size_t count = 0;
    for (std::string line; std::getline(lines, line); ++count) EXPECT_LE(line.size(), 100U) << line;
    EXPECT_LE(count, 24U) << help;
  }
}

TEST(SvmPredictOptions, NeedAModel) {
  PredictOptions options;
  options.input.source.x = "x.svm";
  EXPECT_THAT(check_predict_options(options).message(), HasSubstr("give --model DIR"));
}

}  // namespace
}  // namespace strads::svm
