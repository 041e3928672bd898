// mf cv, as a user runs it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "process/run_mf.hpp"

namespace strads::test {
namespace {

using testing::HasSubstr;

class MfCv : public MfFixture {
 protected:
  Ended cv(std::vector<std::string> more, const std::string& ratings = "") {
    std::vector<std::string> arguments = {"cv", "--ratings", ratings.empty() ? ratings_ : ratings};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return mf(arguments);
  }
  std::string table_of(std::vector<std::string> more, const std::string& run) {
    more.insert(more.end(),
                {"--ranks", "2,4", "--lambdas", "0.05,0.2", "--folds", "3", "--quiet", "--out", folder_.path(run)});
    const auto ended = cv(more);
    EXPECT_EQ(ended.code, 0) << ended.err;
    return folder_.read(run + "/cv.tsv");
  }
};

TEST_F(MfCv, GivesTheSameTableOnThreadsAndProcesses) {
  const auto table = table_of({"--threads", "1"}, "one");
  EXPECT_EQ(std::count(table.begin(), table.end(), '\n'), 5);
  EXPECT_EQ(table_of({"--threads", "2"}, "two"), table);
  EXPECT_EQ(table_of({"--processes=2"}, "processes"), table);
  const auto hashes = [&](const std::string& run) {
    const auto summary = folder_.read(run + "/summary.json");
    return summary.substr(summary.find("\"fits\""), summary.find("\"users\"") - summary.find("\"fits\""));
  };
  EXPECT_EQ(hashes("two"), hashes("one"));
  EXPECT_EQ(hashes("processes"), hashes("one"));
}

TEST_F(MfCv, OfMovieLensRecommendsACommandThatWorks) {
  const std::string ratings = std::string(STRADS_SOURCE_DIR) + "/tests/datasets/movielens/ratings.csv.gz";
  const auto ended =
      cv({"--ranks", "4,8", "--lambdas", "0.05,0.1", "--folds", "3", "--processes=2", "--sweeps", "4"}, ratings);
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_THAT(ended.out, HasSubstr("best     rank 8, lambda 0.05: test RMSE 0.8")) << ended.out;
  EXPECT_THAT(ended.out,
              HasSubstr("next     mf fit --ratings " + ratings + " --sweeps 4 --rank 8 --lambda 0.05 --out DIR"));
  const auto fit = mf({"fit", "--ratings", ratings, "--sweeps", "4", "--rank", "8", "--lambda", "0.05"});
  EXPECT_EQ(fit.code, 0) << fit.err;
}

TEST_F(MfCv, NeverChoosesAFitThatHasFailed) {
  const auto ended = cv({"--solver", "sgd", "--ranks", "4", "--lambdas", "1e5,0.1", "--folds", "3", "--processes=2",
                         "--out", folder_.path("run")});
  EXPECT_EQ(ended.code, 3) << ended.err;
  EXPECT_THAT(ended.err, HasSubstr("3 fits have failed: fold 1, rank 4, lambda 100000: not finite"));
  EXPECT_THAT(ended.out, HasSubstr("incomplete: 0 of 3 folds, not finite"));
  EXPECT_THAT(ended.out, HasSubstr("best     rank 4, lambda 0.1: test RMSE"));
  EXPECT_EQ(json_field(folder_.read("run/summary.json"), "stop_reason"), "\"3 fits have failed\"");
}

TEST_F(MfCv, TellsTheSameErrorsOfSgdWhereverItsRatingsAre) {
  const auto fits = [&](std::vector<std::string> more, const std::string& run) {
    more.insert(more.end(), {"--solver", "sgd", "--ranks", "4", "--lambdas", "0.1", "--folds", "3", "--quiet", "--out",
                             folder_.path(run)});
    const auto ended = cv(more);
    EXPECT_EQ(ended.code, 0) << ended.err;
    const auto summary = folder_.read(run + "/summary.json");
    return summary.substr(summary.find("\"fits\""), summary.find("\"users\"") - summary.find("\"fits\""));
  };
  const auto here = fits({}, "here");
  EXPECT_THAT(here, HasSubstr("train_rmse"));
  EXPECT_EQ(fits({"--processes=2"}, "processes"), here);
}

TEST_F(MfCv, EndsInOrderAfterOneInterrupt) {
  folder_.write("large.csv", ratings_text(made_up_ratings(3000, 500, 60000)));
  Process process(mf_command({"cv", "--ratings", folder_.path("large.csv"), "--ranks", "2,100", "--lambdas", "0.0001",
                              "--tolerance", "0", "--sweeps", "1000000", "--early-stopping", "off", "--threads", "1",
                              "--folds", "2", "--out", folder_.path("run")}));
  ASSERT_TRUE(process.stderr_shows(" sweep "));
  process.signal(SIGINT);
  const auto ended = process.wait();
  EXPECT_EQ(ended.code, 3) << ended.err;
  EXPECT_THAT(ended.out, HasSubstr("incomplete: 0 of 2 folds"));
  const auto summary = folder_.read("run/summary.json");
  EXPECT_EQ(json_field(summary, "stop_reason"), "\"signal\"");
  EXPECT_THAT(folder_.read("run/cv.tsv"), HasSubstr("\n100\t1e-04\t0\t\t"));
}

TEST_F(MfCv, RefusesWhatMakesNoSense) {
  const auto expect = [](int code, const Ended& ended, const std::string& message) {
    EXPECT_EQ(ended.code, code) << ended.err;
    EXPECT_THAT(ended.err, testing::AllOf(testing::StartsWith("mf: error: "), HasSubstr(message)));
    EXPECT_EQ(ended.out, "");
  };
  expect(2, cv({"--holdout", "0.1"}), "mf cv tests on each fold in turn");
  expect(2, cv({"--folds", "1"}), "--folds");
  expect(2, cv({"--ranks", ","}), "--ranks is empty");
  expect(2, mf({"cv"}), "give --ratings FILE");
  expect(4, cv({}, folder_.path("absent.csv")), "absent.csv");
  expect(4, cv({"--folds", "5"}, folder_.write("few.csv", "u,i,r\na,b,1\nc,d,2\n")), "but there are 2 ratings");
}

}  // namespace
}  // namespace strads::test
