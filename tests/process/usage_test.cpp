#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "small_data.hpp"

namespace strads::test {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::MatchesRegex;
using testing::Not;
using testing::StartsWith;

class LassoUsage : public testing::Test {
 protected:
  LassoUsage() { x_ = folder_.write("x.csv", Table(40, 10).csv()); }
  Ended fit(std::vector<std::string> more) {
    std::vector<std::string> arguments = {"fit", "--x", x_, "--y-name", "y"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return lasso(arguments);
  }
  void expect(int code, const Ended& ended, const std::string& message) {
    EXPECT_EQ(ended.code, code) << ended.err;
    EXPECT_THAT(ended.err, AllOf(StartsWith("lasso: error: "), HasSubstr(message)));
    EXPECT_EQ(ended.out, "");
  }
  Folder folder_;
  std::string x_;
};

TEST_F(LassoUsage, RefusesUnknownFlagsWithTheNearest) {
  expect(2, fit({"--lamda", "0.1"}), "unknown option --lamda; did you mean --lambda?");
}

TEST_F(LassoUsage, SaysWhatOptionsOfOtherProgramsAreCalledHere) {
  expect(2, fit({"--alpha", "0.5"}), "unknown option --alpha; glmnet's alpha is --l1-ratio");
  expect(2, fit({"--mac=5"}), "plink2 --bfile P --mac ... --make-bed --out Q, then --bfile Q");
  for (const char* command : {"path", "cv", "predict", "score"}) {
    expect(2, lasso({command, "--vcf", "x.vcf"}), "make them with plink2 --make-bed");
  }
}

TEST_F(LassoUsage, RefusesFiltersOfGenotypesWithoutGenotypesAndNamesThem) {
  for (const char* option : {"--maf", "--max-maf", "--geno", "--mind", "--hwe", "--chr", "--from-bp", "--to-bp"}) {
    expect(2, fit({option, option[2] == 'f' || option[2] == 't' || option[2] == 'c' ? "1" : "0.1"}),
           std::string(option) + " goes with --bfile");
  }
}

TEST_F(LassoUsage, RefusesUnknownCommands) {
  expect(2, lasso({"fti"}), "unknown command 'fti'; did you mean fit?");
  expect(2, lasso({}), "no command given");
}

TEST_F(LassoUsage, RefusesMoreDepthThanSchedulers) {
  expect(2, fit({"--depth", "2"}), "--depth 2 exceeds --schedulers 1");
}

TEST_F(LassoUsage, RefusesMoreSchedulersAndWorkersThanTheProblemCanUse) {
  expect(2, fit({"--schedulers", "65"}), "--schedulers 65: the problem has 10 variables, expected at most 64");
  expect(2, fit({"--workers", "65536"}), "--workers 65536: the problem has 10 variables, expected at most 64");
  EXPECT_EQ(fit({"--schedulers", "64", "--workers", "64"}).code, 0) << "as many as are taken of any problem";
}

TEST_F(LassoUsage, RefusesTwoWaysOfStartingNodes) {
  expect(2, fit({"--processes", "--listen", "tcp://127.0.0.1:0"}), "exclude each other");
  expect(2, fit({"--listen", "5570"}), "expected tcp://ADDRESS:PORT");
}

TEST_F(LassoUsage, RefusesBothLambdas) {
  expect(2, fit({"--lambda", "1", "--lambda-ratio", "0.1"}), "exclude each other");
}

TEST_F(LassoUsage, RefusesAScaleForNoLambda) {
  expect(2, fit({"--lambda-scale", "y"}), "--lambda-scale");
}

TEST_F(LassoUsage, RefusesNoInputAndTwoInputs) {
  expect(2, lasso({"fit"}), "no input");
  expect(2, fit({"--bfile", "cohort"}), "--bfile, --pfile, --bpfile and --x exclude each other");
}

TEST_F(LassoUsage, RefusesOptionsOfTheOtherInput) {
  expect(2, fit({"--pheno-name", "height"}), "--pheno");
  expect(2, fit({"--chr", "1"}), "--chr");
  expect(2, lasso({"fit", "--bfile", "cohort", "--y", "y.csv"}), "--y");
  expect(2, lasso({"fit", "--bfile", "cohort", "--pheno-name", "height"}), "--pheno-name needs --pheno");
}

TEST_F(LassoUsage, RefusesForceWithoutADirectory) {
  expect(2, fit({"--force"}), "--force needs --out");
}

TEST_F(LassoUsage, SaysWhichFileIsMissing) {
  x_ = folder_.path("absent.csv");
  expect(4, fit({}), "absent.csv");
}

TEST_F(LassoUsage, RefusesATruncatedBed) {
  const auto prefix = Genotypes(30, 50).write(folder_, "cohort");
  std::filesystem::resize_file(prefix + ".bed", 100);
  expect(4, lasso({"fit", "--bfile", prefix}), "cohort.bed");
}

TEST_F(LassoUsage, SaysThatAConstantResponseHasZeros) {
  std::string ones = "y\n";
  for (int i = 0; i < 40; ++i) ones += "1\n";
  folder_.write("y.csv", ones);
  const auto ended = lasso({"fit", "--x", x_, "--y", folder_.path("y.csv")});
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_THAT(ended.err,
              HasSubstr("all coefficients are 0 at every lambda (lambda_max is 0): the response is constant"));
}

TEST_F(LassoUsage, RefusesADirectoryWithAFinishedRun) {
  ASSERT_EQ(fit({"--out", folder_.path("run")}).code, 0);
  const auto before = folder_.read("run/summary.json");
  expect(2, fit({"--out", folder_.path("run")}), "holds a finished run");
  EXPECT_EQ(folder_.read("run/summary.json"), before);
}

TEST_F(LassoUsage, ReplacesAFinishedRunWithForce) {
  ASSERT_EQ(fit({"--out", folder_.path("run")}).code, 0);
  const auto ended = fit({"--out", folder_.path("run"), "--force", "--lambda-ratio", "0.5"});
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_THAT(folder_.read("run/config.ini"), HasSubstr("lambda-ratio = 0.5"));
}

TEST_F(LassoUsage, ForcedRunThatFailsLeavesTheOldOneAsItWas) {
  for (const std::string command : {"fit", "path", "cv"}) {
    const std::string run = "run of " + command;
    const auto again = [&](const std::string& x) {
      return lasso({command, "--x", x, "--y-name", "y", "--out", folder_.path(run), "--force"});
    };
    ASSERT_EQ(again(x_).code, 0);
    const auto files = folder_.list(run);
    const auto summary = folder_.read(run + "/summary.json");
    EXPECT_EQ(again(folder_.path("absent.csv")).code, 4);
    EXPECT_EQ(folder_.list(run), files);
    EXPECT_EQ(folder_.read(run + "/summary.json"), summary);
    EXPECT_THAT(folder_.read(run + "/log.txt"), Not(HasSubstr("absent.csv")));
  }
}

TEST_F(LassoUsage, FailedRunLeavesItsLogWhereNoFinishedRunIs) {
  x_ = folder_.path("absent.csv");
  EXPECT_EQ(fit({"--out", folder_.path("run")}).code, 4);
  EXPECT_THAT(folder_.list("run"), ElementsAre("log.txt"));
  EXPECT_THAT(folder_.read("run/log.txt"), HasSubstr("absent.csv"));
}

TEST_F(LassoUsage, OverwritesNoFileThatNoRunWrote) {
  std::filesystem::create_directory(folder_.path("run"));
  folder_.write("run/coefficients.tsv", "mine");
  expect(2, fit({"--out", folder_.path("run")}), "run/coefficients.tsv: would be overwritten");
  expect(2, fit({"--out", folder_.path("run"), "--force"}), "run/coefficients.tsv: would be overwritten");
  EXPECT_EQ(folder_.read("run/coefficients.tsv"), "mine");
}

TEST_F(LassoUsage, OverwritesNoFileOfAFinishedRunWithPredictions) {
  ASSERT_EQ(fit({"--out", folder_.path("run")}).code, 0);
  const auto model = folder_.read("run/model.bin");
  expect(2, lasso({"predict", "--model", folder_.path("run"), "--x", x_, "--out", folder_.path("run/model.bin")}),
         "run/model.bin: is a file of the finished run there");
  EXPECT_EQ(folder_.read("run/model.bin"), model);
}

TEST_F(LassoUsage, FailedRunCanBeRepeatedInItsDirectory) {
  const auto good = x_;
  x_ = folder_.path("absent.csv");
  EXPECT_EQ(fit({"--out", folder_.path("run")}).code, 4);
  x_ = good;
  EXPECT_EQ(fit({"--out", folder_.path("run")}).code, 0);
}

TEST_F(LassoUsage, RefusesKeysOfAConfigFileItDoesNotKnow) {
  folder_.write("run.ini", "[problem]\nlambda_ratio = 0.1\n");
  expect(2, fit({"--config", folder_.path("run.ini")}),
         "run.ini:2: unknown key 'lambda_ratio'; did you mean lambda-ratio?");
}

TEST_F(LassoUsage, HelpFitsAScreen) {
  for (const char* command : {"fit", "predict", "score"}) {
    const auto ended = lasso({command, "--help"});
    EXPECT_EQ(ended.code, 0);
    std::istringstream lines(ended.out);
    int count = 0;
    for (std::string line; std::getline(lines, line); ++count) EXPECT_LE(line.size(), 100U) << line;
    EXPECT_LE(count, 24);
    EXPECT_GT(count, 5);
    for (const char* often : {"--covar ", "--keep "}) EXPECT_THAT(ended.out, HasSubstr(often)) << command;
  }
}

TEST_F(LassoUsage, HelpShowsWhatPeopleUseBeforeWhatExecutes) {
  const auto help = lasso({"fit", "--help"}).out;
  EXPECT_THAT(help, AllOf(HasSubstr("--l1-ratio"), Not(HasSubstr("--policy")), Not(HasSubstr("--listen"))));
}

TEST_F(LassoUsage, HelpAllHasTheRest) {
  const auto ended = lasso({"fit", "--help-all"});
  EXPECT_EQ(ended.code, 0);
  for (const char* name : {"--rho", "--eta", "--candidates", "--check-interval", "--depth", "--simd",
                           "--encode-messages", "--processes", "--listen", "--nodes", "--lease", "--policy"}) {
    EXPECT_THAT(ended.out, HasSubstr(name));
  }
}

TEST_F(LassoUsage, SaysItsVersion) {
  EXPECT_EQ(lasso({"--version"}).out, lasso({"fit", "--version"}).out);
  EXPECT_THAT(lasso({"--version"}).out, MatchesRegex("lasso [0-9.]+ \\(build [0-9a-f]{16}\\)\n"));
}

TEST_F(LassoUsage, PrintConfigRefusesWhatARunWouldRefuse) {
  expect(2, fit({"--print-config", "--depth", "9"}), "--depth 9");
}

}  // namespace
}  // namespace strads::test
