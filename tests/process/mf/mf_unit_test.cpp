// Ratings in another unit than stars, through every command: the same quality, and numbers in the file's unit.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "process/run_mf.hpp"

namespace strads::test {
namespace {

using testing::HasSubstr;
using testing::Not;

class MfUnit : public MfFixture {
 protected:
  MfUnit() { stars_ = ratings_; }
  /// From here on ratings_ is a file of the same ratings times a number, and then some.
  void change(double times, double plus) {
    auto ratings = made_up_ratings(60, 40, 900);
    for (auto& rating : ratings) rating.value = rating.value * times + plus;
    ratings_ = folder_.write("changed.csv", ratings_text(ratings));
  }
  /// The prediction of each line of the file, with the model of a run.
  [[nodiscard]] std::vector<double> predictions(const std::string& run) const {
    const auto ended = mf({"predict", "--model", folder_.path(run), "--pairs", ratings_, "--quiet"});
    EXPECT_EQ(ended.code, 0) << ended.err;
    std::vector<double> values;
    for (const auto& row : rows_of(ended.out)) {
      if (row[0] != "user") values.push_back(std::stod(row[2]));
    }
    return values;
  }
  std::string stars_;
};

TEST_F(MfUnit, ChangesNoQualityAndNoBitOnProcesses) {
  const std::vector<std::string> more = {"--holdout", "0.2", "--threads", "1"};
  for (const char* solver : {"cd", "sgd"}) {
    ratings_ = stars_;
    const std::string name = solver;
    const auto stars = summary_of(with(more, {"--solver", solver}), name);
    EXPECT_EQ(json_number(stars, "unit"), 1);
    change(20, 1000);
    const auto other = summary_of(with(more, {"--solver", solver}), name + "20");
    EXPECT_GT(json_number(other, "unit"), 10);
    EXPECT_NEAR(json_number(other, "mean"), 20 * json_number(stars, "mean") + 1000, 0.01);
    EXPECT_EQ(json_number(other, "lowest"), 20 * json_number(stars, "lowest") + 1000);
    change(1e4, 0);
    const auto third = summary_of(with(more, {"--solver", solver}), name + "10000");
    for (const char* figure : {"train_rmse", "validation_rmse", "test_rmse", "test_mae"}) {
      const double of_stars = json_number(stars, figure);
      EXPECT_NEAR(json_number(other, figure) / json_number(third, figure), 20 / 1e4, 1e-5) << figure << " " << solver;
      // Stars are not divided, although their deviation is not quite 1: lambda weighs a little less there.
      const double near = figure == std::string("train_rmse") ? 0.08 : 0.03;
      EXPECT_NEAR(json_number(other, figure) / 20 / of_stars, 1, near) << figure << " " << solver;
    }
    change(20, 1000);
    const auto there = summary_of(with(more, {"--solver", solver, "--processes=2"}), name + "20p");
    for (const char* same : {"model_hash", "objective", "train_rmse", "test_rmse", "unit", "sweeps"}) {
      EXPECT_EQ(json_field(there, same), json_field(other, same)) << same << " " << solver;
    }
  }
}

TEST_F(MfUnit, IsSaidWhereItIsNotOne) {
  EXPECT_THAT(fit({}).err, Not(HasSubstr("divided")));
  change(1e6, 0);
  const auto ended = fit({});
  EXPECT_EQ(ended.code, 0);
  EXPECT_THAT(ended.err, HasSubstr("note: the ratings are divided by "));
  EXPECT_THAT(mf({"cv", "--ratings", ratings_, "--ranks", "2", "--lambdas", "0.1", "--folds", "2"}).err,
              HasSubstr("note: the ratings are divided by "));
}

TEST_F(MfUnit, IsThatOfTheFileInWhatIsPredictedAndFoldedIn) {
  (void)summary_of({"--early-stopping", "off"}, "stars");
  const auto stars = predictions("stars");
  change(20, 1000);
  const auto summary = summary_of({"--early-stopping", "off"}, "run");
  const auto values = predictions("run");
  const auto ratings = made_up_ratings(60, 40, 900);
  double squared = 0, apart = 0;
  for (std::size_t k = 0; k < values.size(); ++k) {
    squared += std::pow(values[k] - 20 * ratings[k].value - 1000, 2) / 900;
    apart += std::pow((values[k] - 1000) / 20 - stars[k], 2) / 900;
  }
  EXPECT_NEAR(std::sqrt(squared) / json_number(summary, "train_rmse"), 1, 0.05) << "but for the range";
  EXPECT_LT(std::sqrt(apart), 0.1) << "stars";
  // The users of the fit, once more: each is then at the minimum of what is fitted, with these items.
  for (const char* run : {"run", "stars"}) {
    const std::string given = run == std::string("run") ? ratings_ : stars_, out = folder_.path(std::string(run) + "2");
    const auto folded = mf({"fold-in", "--model", folder_.path(run), "--ratings", given, "--out", out, "--quiet"});
    EXPECT_EQ(folded.code, 0) << folded.err;
    const auto said = folder_.read(std::string(run) + "2/summary.json");
    const auto fitted = folder_.read(std::string(run) + "/summary.json");
    EXPECT_EQ(json_field(said, "unit"), json_field(fitted, "unit"));
    EXPECT_NEAR(json_number(said, "train_rmse") / json_number(fitted, "train_rmse"), 1, 0.05) << run;
  }
  const auto again = predictions("run2");
  double moved = 0;
  for (std::size_t k = 0; k < values.size(); ++k) moved += std::pow((again[k] - values[k]) / 20, 2) / 900;
  EXPECT_LT(std::sqrt(moved), 0.05) << "with the lambda of another unit all of them would be";
  const auto top = mf({"recommend", "--model", folder_.path("run"), "--top", "1"});
  EXPECT_EQ(top.code, 0) << top.err;
  EXPECT_GT(std::stod(rows_of(top.out)[1][3]), 1000);
}

TEST_F(MfUnit, GoesOnWithAStoppedRun) {
  change(0.001, 0);
  const std::string whole = hash_of({"--sweeps", "8", "--solver", "als"}, "whole");
  const auto stopped = fit({"--sweeps", "8", "--solver", "als", "--checkpoint-rounds", "3", "--max-rounds", "30",
                            "--out", folder_.path("run")});
  ASSERT_EQ(stopped.code, 3) << stopped.err;
  const auto ended = mf({"fit", "--resume", folder_.path("run"), "--max-rounds", "0"});
  ASSERT_EQ(ended.code, 0) << ended.err;
  EXPECT_EQ(json_field(folder_.read("run/summary.json"), "model_hash"), whole);
}

TEST_F(MfUnit, LeavesTheChoiceOfCrossValidationAsItIs) {
  const auto scores = [&](const std::string& run) {
    const auto ended = mf({"cv", "--ratings", ratings_, "--ranks", "2,4", "--lambdas", "0.02,0.1,0.5", "--folds", "3",
                           "--quiet", "--threads", "1", "--out", folder_.path(run)});
    EXPECT_EQ(ended.code, 0) << ended.err;
    return rows_of(folder_.read(run + "/cv.tsv"));
  };
  const auto best = [&](const std::string& run) {
    const auto text = folder_.read(run + "/summary.json");
    return json_field(text.substr(text.find("\"best\"")), "lambda") + " " +
           json_field(text.substr(text.find("\"best\"")), "rank");
  };
  const auto stars = scores("stars");
  change(20, 0);
  const auto other = scores("other");
  change(1e4, 0);
  const auto third = scores("third");
  ASSERT_EQ(other.size(), stars.size());
  ASSERT_EQ(third.size(), stars.size());
  for (std::size_t point = 1; point < stars.size(); ++point) {
    EXPECT_EQ(other[point][1], stars[point][1]) << "lambda is printed as it was given";
    EXPECT_NEAR(std::stod(other[point][3]) / std::stod(third[point][3]), 20 / 1e4, 2e-5) << stars[point][1];
  }
  EXPECT_EQ(best("other"), best("stars"));
  EXPECT_EQ(best("third"), best("stars"));
}

/// As the model of a release that knew no unit: its lambda is for the unit of the file.
TEST_F(MfUnit, IsOneInModelsThatSayNone) {
  change(20, 0);
  (void)summary_of({"--early-stopping", "off"}, "run");
  auto text = folder_.read("run/summary.json");
  const auto at = text.find("\"unit\""), end = text.find('\n', at);
  ASSERT_NE(at, std::string::npos);
  const std::string line = text.substr(at, end - at);
  const auto with_line = [&](const std::string& other) {
    auto changed = text;
    changed.replace(at, line.size(), other);
    folder_.write("run/summary.json", changed);
    return mf(
        {"fold-in", "--model", folder_.path("run"), "--ratings", ratings_, "--out", folder_.path("new"), "--force"});
  };
  const auto old = with_line("\"nothing\": 0,");
  EXPECT_EQ(old.code, 0) << old.err;
  EXPECT_EQ(json_number(folder_.read("new/summary.json"), "unit"), 1);
  for (const char* wrong : {"\"unit\": 0,", "\"unit\": -3,", "\"unit\": \"20\","}) {
    const auto damaged = with_line(wrong);
    EXPECT_EQ(damaged.code, 4) << wrong;
    EXPECT_THAT(damaged.err, HasSubstr("run/summary.json: unit is no number above 0"));
  }
}

}  // namespace
}  // namespace strads::test
