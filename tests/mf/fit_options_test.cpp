// The options of `mf`, as they reach the model.
#include "mf/options/fit_options.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "strads/program/execution_options.hpp"
#include "strads/program/option_table.hpp"

namespace strads::mf {
namespace {

using testing::HasSubstr;

/// Options from a command line; the outcome of parsing and settling.
struct ParsedFit {
  FitOptions options;
  OptionTable table = fit_option_table(options);
  Status status;

  explicit ParsedFit(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {"--ratings", "r.csv"});
    status = table.parse(arguments);
    if (status.ok()) status = settle_fit_options(options, table);
  }
};

TEST(MfFitOptions, PredictWellUntuned) {
  const ParsedFit parsed({});
  ASSERT_TRUE(parsed.status.ok()) << parsed.status.message();
  const auto& mf = parsed.options.mf;
  EXPECT_EQ(mf.solver, Solver::sgd);
  EXPECT_EQ(mf.lambda, 0.05);
  EXPECT_TRUE(mf.weighted && mf.bias && mf.mean && mf.clip);
  EXPECT_EQ(parsed.options.input.validation, 0.05) << "early stopping is on";
  EXPECT_EQ(parsed.options.input.holdout, 0);
  EXPECT_EQ(parsed.options.input.duplicates, Duplicates::average);
  EXPECT_EQ(parsed.options.engine.schedulers, parsed.options.engine.depth);
}

TEST(MfFitOptions, HaveALambdaThatSuitsTheSolver) {
  for (const char* solver : {"cd", "ccd", "als"}) {
    EXPECT_EQ(ParsedFit({"--solver", solver}).options.mf.lambda, 0.1) << solver;
    EXPECT_EQ(ParsedFit({"--solver", solver, "--lambda", "0.05"}).options.mf.lambda, 0.05) << solver;
  }
}

TEST(MfFitOptions, OfImplicitFeedbackKeepTheWorkersThatItsSolversUse) {
  const ParsedFit parsed({"--feedback", "implicit"});
  ASSERT_TRUE(parsed.status.ok()) << parsed.status.message();
  EXPECT_EQ(parsed.options.solver, "als");
  EXPECT_EQ(parsed.options.mf.lambda, 0.01);
  EXPECT_EQ(parsed.options.engine.workers, ParsedFit({"--solver", "als"}).options.engine.workers);
  EXPECT_EQ(ParsedFit({}).options.engine.workers, 2U) << "sgd: a grid of 8 x 8";
}

TEST(MfFitOptions, OfHusObjectiveAreAlphaAndAPlainLambda) {
  const ParsedFit parsed({"--feedback", "implicit", "--objective", "hu"});
  ASSERT_TRUE(parsed.status.ok()) << parsed.status.message();
  const auto& mf = parsed.options.mf;
  EXPECT_TRUE(mf.hu && mf.implicit);
  EXPECT_EQ(mf.alpha, 1);
  EXPECT_EQ(mf.alpha0, 1);
  EXPECT_EQ(mf.nu, 0);
  EXPECT_EQ(mf.lambda, 0.01);
  EXPECT_EQ(parsed.options.regularization, "plain");
  EXPECT_EQ(parsed.options.input.positives.confidence, Confidence::linear) << "1 + alpha x count";
  const ParsedFit other({"--feedback", "implicit", "--objective", "hu", "--alpha", "40", "--confidence", "log"});
  EXPECT_EQ(other.options.mf.alpha, 40);
  EXPECT_EQ(other.options.input.positives.confidence, Confidence::log);
  EXPECT_FALSE(ParsedFit({"--feedback", "implicit"}).options.mf.hu);
}

TEST(MfFitOptions, OfHusObjectiveAreTheSameAgainAsAConfig) {
  const ParsedFit first({"--feedback", "implicit", "--objective", "hu", "--alpha", "3", "--solver", "cd"});
  FitOptions options;
  OptionTable table = fit_option_table(options);
  ASSERT_TRUE(table.parse_config_text("printed", first.table.config()).ok());
  const Status settled = settle_fit_options(options, table);
  ASSERT_TRUE(settled.ok()) << settled.message();
  EXPECT_TRUE(options.mf.hu);
  EXPECT_EQ(options.mf.alpha, 3);
  EXPECT_EQ(table.config(), first.table.config());
}

TEST(MfFitOptions, OfOneObjectiveAreRefusedForTheOther) {
  const auto refused = [](std::vector<std::string> arguments, const char* why) {
    const ParsedFit parsed(std::move(arguments));
    EXPECT_EQ(parsed.status.code(), StatusCode::usage);
    EXPECT_THAT(parsed.status.message(), HasSubstr(why));
  };
  const std::vector<std::string> hu = {"--feedback", "implicit", "--objective", "hu"};
  const auto with = [&](const char* name, const char* value) {
    auto all = hu;
    all.insert(all.end(), {name, value});
    return all;
  };
  refused(with("--alpha0", "0.03"), "--alpha0 does not go with --objective hu");
  refused(with("--nu", "1"), "--nu does not go with --objective hu");
  refused(with("--regularization", "weighted"), "--regularization weighted does not go with --objective hu");
  refused(with("--solver", "sgd"), "--solver sgd is for ratings");
  refused({"--feedback", "implicit", "--alpha", "2"}, "--alpha goes with --feedback implicit --objective hu");
  refused({"--alpha", "2"}, "--alpha goes with --feedback implicit --objective hu");
  refused({"--objective", "hu"}, "--objective hu goes with --feedback implicit");
  refused({"--feedback", "implicit", "--regularization", "plain"}, "--nu 0 is plain, --nu 1 weighted");
  EXPECT_TRUE(ParsedFit(with("--regularization", "plain")).status.ok());
}

TEST(MfFitOptions, NameEverySolver) {
  EXPECT_EQ(ParsedFit({"--solver", "cd"}).options.mf.solver, Solver::cd);
  EXPECT_EQ(ParsedFit({"--solver", "ccd"}).options.mf.solver, Solver::ccd);
  EXPECT_EQ(ParsedFit({"--solver", "als"}).options.mf.solver, Solver::als);
  EXPECT_EQ(ParsedFit({"--solver", "sgd"}).options.mf.solver, Solver::sgd);
}

TEST(MfFitOptions, TellTheReaderSeedDuplicatesAndShares) {
  const ParsedFit parsed({"--seed", "9", "--duplicates", "last", "--holdout", "0.25", "--validation", "0.125"});
  EXPECT_EQ(parsed.options.input.seed, 9U);
  EXPECT_EQ(parsed.options.input.duplicates, Duplicates::last);
  EXPECT_EQ(parsed.options.input.holdout, 0.25);
  EXPECT_EQ(parsed.options.input.validation, 0.125);
}

TEST(MfFitOptions, LearnFromAllRatingsWithoutEarlyStopping) {
  EXPECT_EQ(ParsedFit({"--early-stopping", "off"}).options.input.validation, 0);
}

TEST(MfFitOptions, ReachTheModel) {
  const ParsedFit parsed({"--regularization", "plain", "--balance", "rows", "--bias",        "off", "--mean",   "off",
                          "--clip",           "off",   "--rank",    "7",    "--block-width", "3",   "--sweeps", "9",
                          "--patience",       "4",     "--rate",    "0.5",  "--tolerance",   "0"});
  ASSERT_TRUE(parsed.status.ok()) << parsed.status.message();
  const auto& mf = parsed.options.mf;
  EXPECT_FALSE(mf.weighted || mf.bias || mf.mean || mf.clip);
  EXPECT_EQ(mf.balance, Balance::rows);
  EXPECT_EQ(mf.rank, 7U);
  EXPECT_EQ(mf.width, 3U);
  EXPECT_EQ(mf.sweeps_max, 9U);
  EXPECT_EQ(mf.patience, 4U);
  EXPECT_EQ(mf.rate, 0.5);
  EXPECT_EQ(mf.tolerance, 0);
}

TEST(MfFitOptions, OfAPrintedConfigAreTheSameAgain) {
  const ParsedFit first({"--test", "t.csv", "--solver", "als", "--early-stopping", "off", "--threads", "3"});
  FitOptions options;
  OptionTable table = fit_option_table(options);
  ASSERT_TRUE(table.parse_config_text("printed", first.table.config()).ok());
  ASSERT_TRUE(settle_fit_options(options, table).ok());
  EXPECT_EQ(options.input.test_path, "t.csv");
  EXPECT_EQ(table.config(), first.table.config());
}

TEST(MfFitOptions, ForNodesSayNothingAboutExecution) {
  const ParsedFit parsed({"--threads", "3", "--processes=2", "--out", "run"});
  const auto text = parsed.table.config(kExecutionSections);
  for (const char* name : {"threads", "processes", "\nout ="}) EXPECT_THAT(text, testing::Not(HasSubstr(name)));
  EXPECT_THAT(text, HasSubstr("ratings = r.csv"));
}

TEST(MfFitOptions, ListTheFilesThatANodeLooksFor) {
  ParsedFit parsed({"--test", "t.csv"});
  std::vector<std::string> paths;
  for (const std::string* path : paths_of(parsed.options)) paths.push_back(*path);
  EXPECT_THAT(paths, testing::ElementsAre("r.csv", "t.csv"));
}

}  // namespace
}  // namespace strads::mf
