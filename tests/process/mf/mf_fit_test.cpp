// `mf fit` as a user sees it: files, figures, the same bits.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "process/run_mf.hpp"
#include "strads/program/program.hpp"

namespace strads::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::SizeIs;

class MfFit : public MfFixture {};

TEST_F(MfFit, LeavesEveryFileOfARun) {
  const auto ended = fit({"--out", folder_.path("run")});
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_THAT(folder_.list("run"), ElementsAre("biases.npz", "config.ini", "item_factors.npy", "items.tsv", "log.txt",
                                               "summary.json", "trace.csv", "user_factors.npy", "users.tsv"));
}

TEST_F(MfFit, EndsWithFiveLinesOnStdoutAndNothingOnStderr) {
  const auto ended = fit({"--holdout", "0.1", "--out", folder_.path("run")});
  const auto lines = rows_of(ended.out);
  ASSERT_THAT(lines, SizeIs(5)) << ended.out;
  EXPECT_THAT(lines[0][0], HasSubstr("60 users x 40 items, rank 4"));
  EXPECT_THAT(lines[1][0], HasSubstr("test RMSE"));
  EXPECT_THAT(lines[4][0], HasSubstr(folder_.path("run")));
  EXPECT_EQ(ended.err, "");
}

TEST_F(MfFit, WritesNothingWithoutOut) {
  const auto ended = fit({});
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_THAT(ended.out, HasSubstr("none written"));
  EXPECT_THAT(folder_.list("."), ElementsAre("ratings.csv"));
}

TEST_F(MfFit, SummaryHasEveryPromisedField) {
  const auto summary = summary_of({"--holdout", "0.1"}, "run");
  for (const char* name :
       {"objective",  "train_rmse",  "validation_rmse", "test_rmse",    "test_mae",      "sweeps",     "best_sweep",
        "imbalance",  "bytes",       "bytes_per_sweep", "seconds_load", "seconds_solve", "model_hash", "peak_rss_bytes",
        "ratings",    "users",       "items",           "held_out",     "duplicates",    "lowest",     "highest",
        "mean",       "stop_reason", "train_ratings",   "rank",         "solver",        "lambda",     "regularization",
        "schedulers", "workers",     "depth",           "seed",         "kernel_target", "version",    "build",
        "files"}) {
    EXPECT_NE(json_field(summary, name), "absent") << name;
  }
  EXPECT_EQ(json_number(summary, "model_format"), 1);
  EXPECT_EQ(json_number(summary, "ratings"), 900);
  EXPECT_EQ(json_number(summary, "train_ratings") + json_number(summary, "validation_ratings") +
                json_number(summary, "held_out"),
            900);
  EXPECT_GT(json_number(summary, "held_out"), 50);
  EXPECT_LT(json_number(summary, "test_rmse"), 0.8) << "0.9 is what biases alone reach here";
}

TEST_F(MfFit, TraceHasARowForEachSweep) {
  const auto summary = summary_of({"--early-stopping", "off", "--tolerance", "0", "--sweeps", "5"}, "run");
  const auto rows = rows_of(folder_.read("run/trace.csv"));
  ASSERT_THAT(rows, SizeIs(6));
  EXPECT_THAT(rows[0][0], HasSubstr("seconds,sweep,objective,train_rmse,validation_rmse,test_rmse"));
  EXPECT_THAT(rows[5][0], HasSubstr(",5,"));
  EXPECT_EQ(json_field(summary, "sweeps"), "5");
  EXPECT_EQ(json_field(summary, "stop_reason"), "\"sweeps\"");
}

TEST_F(MfFit, CountsTheTrainingRatingsOfEachUserAndItem) {
  (void)summary_of({"--early-stopping", "off"}, "run");
  std::map<std::string, int> users;
  for (const auto& rating : made_up_ratings(60, 40, 900)) ++users["u" + std::to_string(rating.user)];
  const auto rows = rows_of(folder_.read("run/users.tsv"));
  ASSERT_THAT(rows, SizeIs(61));
  EXPECT_THAT(rows[0], ElementsAre("id", "ratings"));
  EXPECT_EQ(rows[1][0], "u" + std::to_string(made_up_ratings(60, 40, 900)[0].user)) << "order of first appearance";
  for (std::size_t k = 1; k < rows.size(); ++k) EXPECT_EQ(rows[k][1], std::to_string(users[rows[k][0]])) << rows[k][0];
}

TEST_F(MfFit, GivesTheSameBitsWithAnyNumberOfThreadsAndThroughTheCodec) {
  const auto one = hash_of({"--threads", "1"}, "one");
  EXPECT_EQ(hash_of({"--threads", "3"}, "three"), one);
  EXPECT_EQ(hash_of({"--encode-messages", "on"}, "codec"), one);
  EXPECT_NE(hash_of({"--seed", "2"}, "seed"), one);
}

TEST_F(MfFit, HoldsOutTheSamePairsWhateverTheOrderOfTheFile) {
  const auto first = summary_of({"--holdout", "0.2"}, "first");
  auto ratings = made_up_ratings(60, 40, 900);
  std::reverse(ratings.begin(), ratings.end());
  ratings_ = folder_.write("reversed.csv", ratings_text(ratings));
  const auto second = summary_of({"--holdout", "0.2"}, "second");
  EXPECT_EQ(json_field(first, "held_out"), json_field(second, "held_out"));
  EXPECT_NEAR(json_number(first, "test_rmse"), json_number(second, "test_rmse"), 0.05) << "other start values";
}

TEST_F(MfFit, ReadsEverySeparator) {
  const auto commas = hash_of({}, "commas");
  for (const char* separator : {" ", "\t", "::"}) {
    ratings_ = folder_.write("other.txt", ratings_text(made_up_ratings(60, 40, 900), separator));
    EXPECT_EQ(hash_of({"--force"}, "other"), commas) << "separator '" << separator << "'";
  }
}

TEST_F(MfFit, ItsPrintedConfigGivesTheSameRun) {
  const std::vector<std::string> options = {"--lambda", "0.05", "--solver",  "als", "--seed", "7",  "--schedulers", "2",
                                            "--depth",  "1",    "--holdout", "0.1", "--bias", "off"};
  auto print = options;
  print.push_back("--print-config");
  const auto printed = fit(print);
  EXPECT_EQ(printed.code, 0) << printed.err;
  folder_.write("run.ini", printed.out);
  const auto first = hash_of(options, "first");
  const auto ended = mf({"fit", "--config", folder_.path("run.ini"), "--out", folder_.path("second")});
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_EQ(json_field(folder_.read("second/summary.json"), "model_hash"), first);
  const auto again = mf({"fit", "--config", folder_.path("first/config.ini"), "--out", folder_.path("third")});
  EXPECT_EQ(again.code, 0) << again.err;
  EXPECT_EQ(json_field(folder_.read("third/summary.json"), "model_hash"), first);
}

TEST_F(MfFit, EverySolverLearnsAndSoDoesEveryVariant) {
  const std::vector<std::vector<std::string>> variants = {
      {"--solver", "cd"},          {"--solver", "als"},
      {"--solver", "ccd"},         {"--solver", "sgd"},
      {"--balance", "rows"},       {"--regularization", "plain", "--lambda", "1"},
      {"--early-stopping", "off"}, {"--block-width", "1"},
      {"--clip", "off"},           {"--bias", "off"}};
  int run = 0;
  for (const auto& variant : variants) {
    auto options = variant;
    options.insert(options.end(), {"--holdout", "0.1"});
    const auto summary = summary_of(options, "run" + std::to_string(++run));
    EXPECT_LT(json_number(summary, "test_rmse"), 1.0) << variant[0] << " " << variant[1];
    EXPECT_LT(json_number(summary, "train_rmse"), 0.8) << variant[0] << " " << variant[1];
  }
}

TEST_F(MfFit, StopsAfterMaxRoundsWithResults) {
  const auto ended = fit({"--max-rounds", "3", "--out", folder_.path("run")});
  EXPECT_EQ(ended.code, 3) << ended.err;
  const auto summary = folder_.read("run/summary.json");
  EXPECT_EQ(json_field(summary, "stop_reason"), "\"max_rounds\"");
  EXPECT_EQ(json_field(summary, "finished"), "false");
  EXPECT_TRUE(folder_.has("run/user_factors.npy"));
}

TEST_F(MfFit, StopsAfterMaxSecondsWithResults) {
  const auto ended = fit({"--max-seconds", "0.000001", "--out", folder_.path("run")});
  EXPECT_EQ(ended.code, 3) << ended.err;
  EXPECT_EQ(json_field(folder_.read("run/summary.json"), "stop_reason"), "\"max_seconds\"");
}

TEST_F(MfFit, EndsInOrderAfterOneInterrupt) {
  // Some 30 ms a sweep, and hundreds of sweeps until nothing moves any more.
  folder_.write("large.csv", ratings_text(made_up_ratings(3000, 500, 60000)));
  Process process(mf_command({"fit", "--ratings", folder_.path("large.csv"), "--rank", "100", "--lambda", "0.0001",
                              "--tolerance", "0", "--sweeps", "1000000", "--early-stopping", "off", "--threads", "1",
                              "--out", folder_.path("run")}));
  ASSERT_TRUE(process.stderr_shows(" sweep "));
  process.signal(SIGINT);
  const auto ended = process.wait();
  EXPECT_EQ(ended.code, 3) << ended.err;
  EXPECT_EQ(json_field(folder_.read("run/summary.json"), "stop_reason"), "\"signal\"");
  EXPECT_TRUE(folder_.has("run/biases.npz"));
}

TEST_F(MfFit, SaysHowManyDuplicatesThereWere) {
  auto ratings = made_up_ratings(60, 40, 900);
  ratings.push_back(ratings[3]);
  ratings.push_back(ratings[4]);
  ratings_ = folder_.write("twice.csv", ratings_text(ratings));
  const auto ended = fit({"--out", folder_.path("run")});
  EXPECT_EQ(ended.code, 0);
  EXPECT_THAT(ended.err, HasSubstr("mf: note: 2 ratings"));
  EXPECT_EQ(json_field(folder_.read("run/summary.json"), "duplicates"), "2");
  EXPECT_EQ(fit({"--quiet"}).err, "");
  const auto refused = fit({"--duplicates", "refuse"});
  EXPECT_EQ(refused.code, 4);
  EXPECT_THAT(refused.err, HasSubstr("twice.csv"));
}

TEST_F(MfFit, TestsOnAFileOfItsOwnWithStrangers) {
  folder_.write("test.csv", "user,item,rating\nu1,i2,3\nu1,new,4\nsomebody,i2,2\nsomebody,new,5\n");
  const auto ended = fit({"--test", folder_.path("test.csv"), "--out", folder_.path("run")});
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_THAT(ended.err, HasSubstr("3 test ratings have a user or an item without training ratings"));
  const auto summary = folder_.read("run/summary.json");
  EXPECT_EQ(json_field(summary, "test_ratings"), "4");
  EXPECT_EQ(json_field(summary, "test_unknown"), "3");
  EXPECT_EQ(json_field(summary, "held_out"), "0");
  // What mf predict says about these pairs gives the same errors.
  const auto predicted = mf({"predict", "--model", folder_.path("run"), "--pairs", folder_.path("test.csv")});
  EXPECT_EQ(predicted.code, 0) << predicted.err;
  const auto rows = rows_of(predicted.out);
  ASSERT_THAT(rows, SizeIs(5));
  double squared = 0, absolute = 0;
  const double values[] = {3, 4, 2, 5};
  for (int k = 0; k < 4; ++k) {
    const double error = values[k] - std::stod(rows[static_cast<std::size_t>(k) + 1][2]);
    squared += error * error / 4;
    absolute += std::abs(error) / 4;
  }
  EXPECT_NEAR(json_number(summary, "test_rmse"), std::sqrt(squared), 1e-6);
  EXPECT_NEAR(json_number(summary, "test_mae"), absolute, 1e-6);
  EXPECT_NEAR(std::stod(rows[4][2]), json_number(summary, "mean"), 1e-5) << "nobody is known: the mean";
}

TEST_F(MfFit, StoppedInsideASweepOfSgdTellsTheErrorOfTheModelThatItWrites) {
  const auto ended = fit({"--solver", "sgd", "--early-stopping", "off", "--clip", "off", "--max-rounds", "45", "--out",
                          folder_.path("run")});
  EXPECT_EQ(ended.code, 3) << ended.err;
  const auto summary = folder_.read("run/summary.json");
  EXPECT_EQ(json_field(summary, "sweeps"), "1");
  EXPECT_EQ(json_field(summary, "partial_sweep"), "true");
  const auto predicted = mf({"predict", "--model", folder_.path("run"), "--pairs", ratings_});
  const auto rows = rows_of(predicted.out);
  const auto ratings = made_up_ratings(60, 40, 900);
  ASSERT_EQ(rows.size(), ratings.size() + 1);
  double squared = 0;
  for (std::size_t k = 0; k < ratings.size(); ++k) squared += std::pow(std::stod(rows[k + 1][2]) - ratings[k].value, 2);
  EXPECT_NEAR(json_number(summary, "train_rmse"), std::sqrt(squared / 900), 1e-6);
}

TEST_F(MfFit, ThatFailsKeepsItsBestSweepAndEndsWith3) {
  const auto ended = mf({"fit", "--ratings", ratings_, "--solver", "sgd", "--lambda", "100", "--rank", "40", "--out",
                         folder_.path("rose")});
  EXPECT_EQ(ended.code, 3) << ended.out;
  EXPECT_THAT(ended.err, HasSubstr("use a smaller --rate or --lambda"));
  EXPECT_EQ(json_field(folder_.read("rose/summary.json"), "stop_reason"), "\"objective rose\"");
  // All alike, so that they are divided by nothing.
  auto ratings = made_up_ratings(60, 40, 900);
  for (auto& rating : ratings) rating.value = 5e19;
  folder_.write("huge.csv", ratings_text(ratings));
  for (const char* solver : {"cd", "sgd"}) {
    const auto huge = mf({"fit", "--ratings", folder_.path("huge.csv"), "--solver", solver, "--mean", "off", "--out",
                          folder_.path(solver), "--max-rounds", "1000"});
    EXPECT_EQ(huge.code, 3) << huge.out;
    EXPECT_THAT(huge.err, HasSubstr("divide the ratings by a constant"));
    const auto summary = folder_.read(std::string(solver) + "/summary.json");
    EXPECT_EQ(json_field(summary, "stop_reason"), "\"not finite\"");
    EXPECT_NE(json_field(summary, "objective"), "null");
    const auto predicted = mf({"predict", "--model", folder_.path(solver), "--pairs", folder_.path("huge.csv")});
    EXPECT_EQ(predicted.code, 0) << predicted.err;
    EXPECT_THAT(predicted.out, Not(HasSubstr("nan")));
  }
}

TEST_F(MfFit, FollowsTheNamesOfTheHeader) {
  const auto plain = hash_of({}, "plain");
  std::string text = "timestamp,rating,user,item\n";
  for (const auto& rating : made_up_ratings(60, 40, 900)) {
    std::ostringstream line;
    line << "964982703,\"" << rating.value << "\",u" << rating.user << ",\"i" << rating.item << "\"\n";
    text += line.str();
  }
  ratings_ = folder_.write("moved.csv", text);
  const auto ended = fit({"--out", folder_.path("moved")});
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_THAT(ended.err, HasSubstr("moved.csv: user, item and rating are columns 3, 4 and 2"));
  EXPECT_EQ(json_field(folder_.read("moved/summary.json"), "model_hash"), plain);
}

}  // namespace
}  // namespace strads::test
