// mf evaluate: lists of items against what users went on to rate.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "process/run_mf.hpp"

namespace strads::test {
namespace {

using testing::HasSubstr;

class MfEvaluate : public MfFixture {
 protected:
  Ended run(const std::vector<std::string>& more, const std::string& model = "run") {
    std::vector<std::string> arguments = {"evaluate", "--model", folder_.path(model)};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return mf(arguments);
  }
  void fit_with(std::vector<std::string> more) {
    more.insert(more.end(), {"--out", folder_.path("run"), "--early-stopping", "off"});
    ASSERT_EQ(fit(more).code, 0);
  }
};

TEST_F(MfEvaluate, JudgesByWhatTheFitHeldOut) {
  fit_with({"--holdout", "0.2"});
  const auto ended = run({"--at", "10,3"});
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_EQ(ended.err, "");
  EXPECT_THAT(ended.out, HasSubstr("on what its fit held out: "));
  const auto first = ended.out.find("\n   3  model "), last = ended.out.find("\n  10  popularity ");
  EXPECT_NE(first, std::string::npos) << ended.out;
  EXPECT_NE(last, std::string::npos) << ended.out;
  EXPECT_LT(first, last) << "by their size";
}

TEST_F(MfEvaluate, GivesTheSameWithAnyNumberOfThreads) {
  fit_with({"--holdout", "0.2"});
  for (const char* threads : {"1", "3"}) {
    ASSERT_EQ(run({"--threads", threads, "--out", folder_.path(threads)}).code, 0);
  }
  EXPECT_EQ(folder_.read("1"), folder_.read("3"));
}

TEST_F(MfEvaluate, FindsWhatTheModelWouldRecommend) {
  fit_with({});
  const auto lists =
      mf({"recommend", "--model", folder_.path("run"), "--top", "2", "--out", folder_.path("lists.tsv"), "--quiet"});
  ASSERT_EQ(lists.code, 0) << lists.err;
  std::string pairs = "user\titem\n";
  for (const auto& row : rows_of(folder_.read("lists.tsv"))) {
    if (row[0] != "user") pairs += row[0] + "\t" + row[2] + "\n";
  }
  const auto ended =
      run({"--test", folder_.write("test.tsv", pairs), "--at", "2", "--out", folder_.path("figures.tsv"), "--quiet"});
  ASSERT_EQ(ended.code, 0) << ended.err;
  EXPECT_EQ(ended.out, "");
  for (const char* metric : {"recall", "precision", "ndcg", "map", "mrr", "hit"}) {
    EXPECT_THAT(folder_.read("figures.tsv"), HasSubstr("2\tmodel\t" + std::string(metric) + "\t1\t0\n"));
  }
}

TEST_F(MfEvaluate, SaysWhichPairsDoNotCount) {
  fit_with({});
  const std::string test = folder_.write("test.csv", "user,item,rating\nu1,new,5\nu1,new,5\nnobody,i1,5\nu2,i0,1\n");
  const auto ended = run({"--test", test, "--relevant", "2"});
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_THAT(ended.err, HasSubstr("1 have a rating below --relevant and do not count"));
  EXPECT_THAT(ended.err, HasSubstr("1 are of users whom the model does not know and do not count"));
  EXPECT_THAT(ended.err, HasSubstr("1 have an item that the model does not know and count as not found"));
}

TEST_F(MfEvaluate, RefusesWhatLeavesNothingToFind) {
  fit_with({});
  const auto nothing = run({});
  EXPECT_EQ(nothing.code, 2);
  EXPECT_THAT(nothing.err, HasSubstr("the fit held nothing out: give --test FILE"));
  const auto rated = run({"--test", ratings_});
  EXPECT_EQ(rated.code, 4) << rated.err;
  EXPECT_THAT(rated.err, HasSubstr("none is left to be found: 900 are among the rated pairs"));
  EXPECT_EQ(run({"--at", "0"}).code, 2);
  EXPECT_EQ(run({"--ratings", ratings_}).code, 2) << "without --test";
}

TEST_F(MfEvaluate, JudgesNewUsersWhoWereFoldedIn) {
  fit_with({});
  const std::string given = folder_.write("given.csv", "user,item,rating\nann,i1,5\nann,i2,1\n");
  ASSERT_EQ(mf({"fold-in", "--model", folder_.path("run"), "--ratings", given, "--out", folder_.path("new")}).code, 0);
  const std::string test = folder_.write("test.csv", "user,item\nann,i3\nann,i1\n");
  const auto ended = run({"--test", test, "--ratings", given}, "new");
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_THAT(ended.err, HasSubstr("of 2 pairs 1 are among the rated pairs and do not count"));
  EXPECT_THAT(ended.out, HasSubstr("1 of 1 users, 1 pairs to be found"));
}

}  // namespace
}  // namespace strads::test
