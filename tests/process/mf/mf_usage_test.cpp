// What `mf` refuses, and how it says so.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "process/run_mf.hpp"

namespace strads::test {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

class MfUsage : public MfFixture {
 protected:
  void expect(int code, const Ended& ended, const std::string& message) {
    EXPECT_EQ(ended.code, code) << ended.err;
    EXPECT_THAT(ended.err, AllOf(StartsWith("mf: error: "), HasSubstr(message)));
    EXPECT_EQ(ended.out, "");
  }
};

TEST_F(MfUsage, RefusesUnknownCommandsAndOptions) {
  expect(2, mf({}), "no command given");
  expect(2, mf({"recomend"}), "unknown command 'recomend'; did you mean recommend?");
  expect(2, fit({"--sweep", "3"}), "unknown option --sweep; did you mean --sweeps?");
}

TEST_F(MfUsage, RefusesNoInput) {
  expect(2, mf({"fit"}), "give --ratings FILE");
  expect(2, mf({"predict"}), "give --model DIR");
  expect(2, mf({"predict", "--model", "run"}), "give --pairs FILE");
  expect(2, mf({"recommend"}), "give --model DIR");
  expect(2, mf({"fold-in", "--model", "run"}), "give --ratings FILE");
  expect(2, mf({"fold-in", "--model", "run", "--ratings", "new.csv"}), "give --out DIR");
}

TEST_F(MfUsage, RefusesMoreBlocksThanThereCouldBe) {
  expect(2, fit({"--workers", "65536"}),
         "--schedulers 4 with --workers 65536 make 262144 blocks of 60 users and 40 items, expected at most 1024");
  expect(2, mf({"cv", "--ratings", ratings_, "--schedulers", "65536", "--folds", "3"}), "expected at most 1024");
}

TEST_F(MfUsage, RefusesValuesOutOfRange) {
  for (const auto& [option, value] : std::vector<std::pair<std::string, std::string>>{{"--rank", "0"},
                                                                                      {"--rank", "4000"},
                                                                                      {"--lambda", "0"},
                                                                                      {"--lambda", "-1"},
                                                                                      {"--sweeps", "0"},
                                                                                      {"--tolerance", "1"},
                                                                                      {"--holdout", "1"},
                                                                                      {"--holdout", "-0.1"},
                                                                                      {"--validation", "1"},
                                                                                      {"--patience", "0"},
                                                                                      {"--block-width", "0"},
                                                                                      {"--rate", "0"},
                                                                                      {"--solver", "sag"},
                                                                                      {"--regularization", "l1"},
                                                                                      {"--balance", "columns"},
                                                                                      {"--duplicates", "first"},
                                                                                      {"--early-stopping", "yes"},
                                                                                      {"--bias", "1"},
                                                                                      {"--mean", "none"},
                                                                                      {"--clip", "no"},
                                                                                      {"--max-seconds", "-1"}}) {
    auto arguments = std::vector<std::string>{"fit", "--ratings", ratings_, option + "=" + value};
    const auto ended = mf(arguments);
    EXPECT_EQ(ended.code, 2) << option << " " << value << ": " << ended.err;
    EXPECT_THAT(ended.err, AllOf(HasSubstr(option), HasSubstr(value))) << option;
  }
}

TEST_F(MfUsage, RefusesTwoWaysOfTesting) {
  expect(2, fit({"--holdout", "0.1", "--test", "test.csv"}), "exclude each other");
}

TEST_F(MfUsage, RefusesEarlyStoppingWithoutValidation) {
  expect(2, fit({"--validation", "0"}), "--early-stopping off");
  EXPECT_EQ(fit({"--validation", "0", "--early-stopping", "off"}).code, 0);
}

TEST_F(MfUsage, RefusesMoreDepthThanSchedulers) {
  expect(2, fit({"--schedulers", "2", "--depth", "3"}), "--depth 3 exceeds --schedulers 2");
}

TEST_F(MfUsage, RefusesForceWithoutADirectory) {
  expect(2, fit({"--force"}), "--force needs --out");
}

TEST_F(MfUsage, SaysWhichFileIsMissing) {
  expect(4, fit({"--test", folder_.path("absent.csv")}), "absent.csv");
  ratings_ = folder_.path("lost.csv");
  expect(4, fit({}), "lost.csv");
  expect(4, mf({"predict", "--model", folder_.path("none"), "--pairs", ratings_}),
         "there is no such folder; expected the folder that mf fit --out wrote");
}

TEST_F(MfUsage, SaysWhereARatingIsWrong) {
  ratings_ = folder_.write("wrong.csv", "user,item,rating\nu1,i1,4\nu1,i2,four\n");
  expect(4, fit({}), "wrong.csv:3:");
}

TEST_F(MfUsage, RefusesRatingsThatAreAllHeldOut) {
  ratings_ = folder_.write("one.csv", "u1,i1,4\nu2,i1,3\n");
  const auto ended = fit({"--holdout", "0.999999"});
  expect(4, ended, "none is left to learn from");
}

TEST_F(MfUsage, RefusesADirectoryWithAFinishedRunUnlessForced) {
  ASSERT_EQ(fit({"--out", folder_.path("run")}).code, 0);
  const auto before = folder_.read("run/summary.json");
  expect(2, fit({"--out", folder_.path("run")}), "holds a finished run");
  EXPECT_EQ(folder_.read("run/summary.json"), before);
  EXPECT_EQ(fit({"--out", folder_.path("run"), "--force", "--lambda", "0.2"}).code, 0);
  EXPECT_THAT(folder_.read("run/config.ini"), HasSubstr("lambda = 0.2"));
}

TEST_F(MfUsage, ForcedRunThatFailsLeavesTheOldOneAsItWas) {
  ASSERT_EQ(fit({"--out", folder_.path("run")}).code, 0);
  const auto files = folder_.list("run");
  const auto summary = folder_.read("run/summary.json");
  ratings_ = folder_.path("absent.csv");
  EXPECT_EQ(fit({"--out", folder_.path("run"), "--force"}).code, 4);
  EXPECT_EQ(folder_.list("run"), files);
  EXPECT_EQ(folder_.read("run/summary.json"), summary);
  EXPECT_THAT(folder_.read("run/log.txt"), Not(HasSubstr("absent.csv")));
}

TEST_F(MfUsage, ForcedFoldInThatFailsLeavesTheOldOneAsItWas) {
  ASSERT_EQ(fit({"--out", folder_.path("run")}).code, 0);
  const auto fold_in = [&](const std::string& ratings) {
    return mf(
        {"fold-in", "--model", folder_.path("run"), "--ratings", ratings, "--out", folder_.path("new"), "--force"});
  };
  ASSERT_EQ(fold_in(ratings_).code, 0);
  const auto files = folder_.list("new");
  EXPECT_EQ(fold_in(folder_.path("absent.csv")).code, 4);
  EXPECT_EQ(folder_.list("new"), files);
}

TEST_F(MfUsage, HelpFitsAScreen) {
  for (const char* command : {"fit", "predict", "recommend", "fold-in"}) {
    const auto ended = mf({command, "--help"});
    EXPECT_EQ(ended.code, 0) << ended.err;
    EXPECT_LE(std::count(ended.out.begin(), ended.out.end(), '\n'), 24) << ended.out;
    EXPECT_THAT(ended.out, HasSubstr(std::string("usage: mf ") + command));
  }
}

TEST_F(MfUsage, VersionNamesProgramAndBuild) {
  for (const auto& arguments : {std::vector<std::string>{"--version"}, {"fit", "--version"}}) {
    EXPECT_THAT(mf(arguments).out, StartsWith("mf "));
  }
}

}  // namespace
}  // namespace strads::test
