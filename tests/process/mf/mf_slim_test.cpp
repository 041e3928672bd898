// mf fit --solver slim: processes, limits, checkpoints, who reads the model, what is refused.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "process/run_mf.hpp"

namespace strads::test {
namespace {

using testing::HasSubstr;

class MfSlim : public MfFixture {
 protected:
  [[nodiscard]] Ended slim(std::vector<std::string> more) const {
    std::vector<std::string> arguments = {"fit", "--ratings", ratings_, "--solver", "slim", "--l2", "5"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return mf(arguments);
  }
  [[nodiscard]] std::string slim_hash(std::vector<std::string> more, const std::string& run) const {
    more.insert(more.end(), {"--out", folder_.path(run)});
    const auto ended = slim(more);
    EXPECT_EQ(ended.code, 0) << ended.err;
    return json_field(folder_.read(run + "/summary.json"), "model_hash");
  }
};

TEST_F(MfSlim, GivesTheSameFileOnProcessesAndForAnySchedulers) {
  const auto embedded = slim_hash({}, "embedded");
  EXPECT_EQ(slim_hash({"--processes=2", "--schedulers=2", "--workers=3"}, "processes"), embedded);
  EXPECT_EQ(slim_hash({"--schedulers=1", "--workers=1", "--threads=2"}, "one"), embedded);
  for (const char* run : {"processes", "one"}) {
    EXPECT_EQ(folder_.read(std::string(run) + "/item_weights.npz"), folder_.read("embedded/item_weights.npz"));
  }
  const auto summary = folder_.read("embedded/summary.json");
  EXPECT_EQ(json_field(summary, "items_certified"), "40");
  EXPECT_EQ(json_field(folder_.read("processes/summary.json"), "objective"), json_field(summary, "objective"));
}

/// So many pairs that the only worker has three turns.
TEST_F(MfSlim, EndsAtALimitAndGoesOnFromACheckpoint) {
  ratings_ = folder_.write("many.csv", ratings_text(made_up_ratings(600, 200, 42000)));
  const std::vector<std::string> alone = {"--schedulers=1", "--workers=1", "--l1=20"};
  const auto whole = slim_hash(alone, "whole");
  auto two_rounds = alone;
  two_rounds.insert(two_rounds.end(), {"--max-rounds", "2", "--checkpoint-rounds", "1", "--out", folder_.path("cut")});
  const auto cut = slim(two_rounds);
  EXPECT_EQ(cut.code, 3) << cut.err;
  EXPECT_THAT(cut.out, HasSubstr("max_rounds: "));
  EXPECT_EQ(json_field(folder_.read("cut/summary.json"), "finished"), "false");
  const auto again = mf({"fit", "--resume", folder_.path("cut"), "--max-rounds", "0"});
  EXPECT_EQ(again.code, 0) << again.err;
  EXPECT_EQ(json_field(folder_.read("cut/summary.json"), "model_hash"), whole);
}

TEST_F(MfSlim, IsReadByRecommendAndEvaluateAndByNobodyWhoNeedsFactors) {
  ASSERT_EQ(slim({"--holdout", "0.2", "--out", folder_.path("run")}).code, 0);
  const auto judged = mf({"evaluate", "--model", folder_.path("run"), "--at", "5"});
  EXPECT_EQ(judged.code, 0) << judged.err;
  EXPECT_THAT(judged.out, HasSubstr("   5  model "));
  const auto lists = mf({"recommend", "--model", folder_.path("run"), "--top", "1"});
  EXPECT_EQ(lists.code, 0) << lists.err;
  EXPECT_THAT(lists.out, HasSubstr("user\trank\titem\tprediction\n"));
  for (const char* command : {"predict", "fold-in"}) {
    const auto refused =
        mf({command, "--model", folder_.path("run"), std::string(command) == "predict" ? "--pairs" : "--ratings",
            ratings_, "--out", folder_.path("out")});
    EXPECT_EQ(refused.code, 4) << command << refused.err;
    EXPECT_THAT(refused.err, HasSubstr("is a model of --solver slim"));
  }
}

TEST_F(MfSlim, TakesRatingsFromABoundOnAsPositives) {
  const auto all = slim_hash({}, "all"), some = slim_hash({"--positive-from", "4"}, "some");
  EXPECT_NE(all, some);
  EXPECT_EQ(mf({"recommend", "--model", folder_.path("some"), "--top", "1"}).code, 0);
  const auto none = slim({"--positive-from", "6"});
  EXPECT_EQ(none.code, 4);
  EXPECT_THAT(none.err, HasSubstr("the highest is 5, expected some of at least --positive-from 6"));
}

TEST_F(MfSlim, RefusesWhatDoesNotGoTogether) {
  const auto message = [&](std::vector<std::string> more) {
    const auto ended = slim(std::move(more));
    EXPECT_EQ(ended.code, 2) << ended.err;
    return ended.err;
  };
  EXPECT_THAT(message({"--rank", "3"}), HasSubstr("--rank is not for --solver slim"));
  EXPECT_THAT(message({"--tolerance", "0"}), HasSubstr("no item's gap is exactly 0"));
  const auto other = mf({"fit", "--ratings", ratings_, "--l1", "3"});
  EXPECT_EQ(other.code, 2);
  EXPECT_THAT(other.err, HasSubstr("--l1 is for --solver slim; this is --solver "));
  const auto grid = mf({"cv", "--ratings", ratings_, "--solver", "slim", "--ranks", "2", "--lambdas", "1"});
  EXPECT_EQ(grid.code, 2);
  EXPECT_THAT(grid.err, HasSubstr("--ranks is for models of factors, which this is not"));
}

}  // namespace
}  // namespace strads::test
