// `lasso cv` from the command line: files, the chosen lambda, the same bits on processes, folds from a file.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "process/small_data.hpp"

namespace strads::test {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

class LassoCvCommand : public testing::Test {
 protected:
  LassoCvCommand() { folder_.write("x.csv", Table(80, 30).csv()); }
  Ended run(std::vector<std::string> arguments, const std::string& out) {
    arguments.insert(arguments.begin() + 1, {"--x", folder_.path("x.csv"), "--y-name", "y", "--lambdas", "12",
                                             "--lambda-min-ratio", "0.02", "--out", folder_.path(out)});
    return lasso(std::move(arguments));
  }
  std::string summary(const std::string& run) { return folder_.read(run + "/summary.json"); }
  Folder folder_;
};

TEST_F(LassoCvCommand, WritesTheCurveAndModelsThatPredict) {
  const auto ended = run({"cv", "--folds", "4"}, "cv");
  ASSERT_EQ(ended.code, 0) << ended.err;
  const auto rows = rows_of(folder_.read("cv/cv.tsv"));
  ASSERT_GT(rows.size(), 4u);
  EXPECT_EQ(rows[0].size(), 12u);
  std::size_t least = 1;
  for (std::size_t k = 2; k < rows.size(); ++k) least = std::stod(rows[k][5]) < std::stod(rows[least][5]) ? k : least;
  EXPECT_THAT(rows[least][7], StartsWith("min"));
  EXPECT_THAT(folder_.read("cv/cv.svg"), StartsWith("<svg"));
  const auto predict = [&](std::vector<std::string> more) {
    more.insert(more.begin(), {"predict", "--x", folder_.path("x.csv"), "--model", folder_.path("cv")});
    return lasso(more).out;
  };
  EXPECT_EQ(predict({}), predict({"--lambda-index", rows[least][0]}));
  EXPECT_NE(predict({}), predict({"--fold", "2", "--lambda-index", rows[least][0]}));
  EXPECT_NE(predict({"--lambda-1se"}), "");
}

TEST_F(LassoCvCommand, HasTheSameBitsOnProcessesAndWithTheFoldsThatItWrote) {
  ASSERT_EQ(run({"cv", "--folds", "3"}, "here").code, 0);
  ASSERT_EQ(run({"cv", "--folds", "3", "--processes=2"}, "there").code, 0);
  ASSERT_EQ(run({"cv", "--folds", folder_.path("here/folds.tsv")}, "again").code, 0);
  EXPECT_EQ(folder_.read("there/cv_paths.tsv"), folder_.read("here/cv_paths.tsv"));
  EXPECT_EQ(folder_.read("again/cv.tsv"), folder_.read("here/cv.tsv"));
  EXPECT_EQ(json_field(summary("there"), "path_hash"), json_field(summary("here"), "path_hash"));
}

TEST_F(LassoCvCommand, SaysTheR2OfPredictionsForWhatWasHeldOut) {
  const auto ended = run({"cv", "--folds", "4"}, "cv");
  ASSERT_EQ(ended.code, 0) << ended.err;
  const Table table(80, 30);
  double mean = 0, variance = 0;
  for (const double y : table.y) mean += y / 80;
  for (const double y : table.y) variance += (y - mean) * (y - mean) / 80;
  const double error = json_number(folder_.read("cv/lambda_min/summary.json"), "error");
  const double r2 = json_number(folder_.read("cv/lambda_min/summary.json"), "r2");
  EXPECT_NEAR(r2, 1 - error / variance, 1e-12);
  EXPECT_EQ(json_number(summary("cv"), "r2"), r2) << "lambda_min is the first of the two in the summary";
  EXPECT_THAT(ended.out, HasSubstr(", R2 0."));
  ASSERT_EQ(run({"cv", "--folds", "4", "--measure", "mae"}, "mae").code, 0);
  EXPECT_EQ(json_field(summary("mae"), "r2"), "null");
}

TEST_F(LassoCvCommand, CountsTheVariablesThatTakePart) {
  auto text = folder_.read("x.csv");
  std::ostringstream with_constant;
  std::istringstream lines(text);
  bool first = true;
  for (std::string line; std::getline(lines, line); first = false) {
    with_constant << (first ? "same," : "7,") << line << "\n";
  }
  folder_.write("x.csv", with_constant.str());
  const auto ended = run({"cv", "--folds", "3"}, "cv");
  ASSERT_EQ(ended.code, 0) << ended.err;
  EXPECT_THAT(ended.out, HasSubstr("80 samples x 30 variables, 3 folds"));
}

TEST_F(LassoCvCommand, SaysThatSolutionsDidNotMeetTheToleranceAndExitsWith3) {
  const auto ended = run({"cv", "--folds", "3", "--tolerance", "1e-17"}, "cv");
  EXPECT_EQ(ended.code, 3);
  EXPECT_THAT(ended.out, HasSubstr("quality  rounding floor: lambda.min"));
  EXPECT_EQ(json_field(summary("cv"), "tolerance_met"), "false");
  std::size_t unmet = 0;
  for (const char* table : {"cv/path.tsv", "cv/cv_paths.tsv"}) {
    const auto rows = rows_of(folder_.read(table));
    const auto column = std::find(rows[0].begin(), rows[0].end(), "tolerance_met") - rows[0].begin();
    for (const auto& row : rows) unmet += row.at(static_cast<std::size_t>(column)) == "no" ? 1 : 0;
  }
  EXPECT_GT(unmet, 0u);
  EXPECT_EQ(json_field(summary("cv"), "solutions_unmet"), std::to_string(unmet));
}

TEST_F(LassoCvCommand, ItsTraceCountsSolutionsAndAddsNoObjectivesOfDifferentLambdas) {
  ASSERT_EQ(run({"cv", "--folds", "3"}, "cv").code, 0);
  std::istringstream trace(folder_.read("cv/trace.csv"));
  std::string line;
  std::getline(trace, line);
  EXPECT_EQ(line, "seconds,event,round,phase,solutions,updates,updates_path,flops,flops_path,blocks");
  std::string last;
  while (std::getline(trace, line)) last = line;
  EXPECT_THAT(last, HasSubstr(",verified,"));
}

TEST_F(LassoCvCommand, RefusesFoldsThatCannotBe) {
  EXPECT_EQ(run({"cv", "--folds", "1"}, "one").code, 2);
  EXPECT_EQ(run({"cv", "--folds", "81"}, "many").code, 2);
  const auto ended = run({"cv", "--folds", folder_.path("nowhere")}, "none");
  EXPECT_EQ(ended.code, 4);
  EXPECT_THAT(ended.err, HasSubstr("nowhere"));
}

}  // namespace
}  // namespace strads::test
