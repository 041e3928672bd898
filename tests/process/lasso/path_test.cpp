// `lasso path` from the command line: files, exit codes, predictions from one of its solutions.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "process/small_data.hpp"

namespace strads::test {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

class LassoPathCommand : public testing::Test {
 protected:
  LassoPathCommand() { folder_.write("x.csv", Table(80, 30).csv()); }
  Ended run(std::vector<std::string> arguments, const std::string& out = "") {
    arguments.insert(arguments.begin() + 1, {"--x", folder_.path("x.csv"), "--y-name", "y"});
    if (!out.empty()) arguments.insert(arguments.end(), {"--out", folder_.path(out)});
    return lasso(std::move(arguments));
  }
  std::vector<std::vector<std::string>> table(const std::string& name) { return rows_of(folder_.read(name)); }
  Folder folder_;
};

TEST_F(LassoPathCommand, WritesATableThatHoldsWhatAFitAtEachLambdaFinds) {
  ASSERT_EQ(run({"path", "--lambdas", "6", "--lambda-min-ratio", "0.05", "--tolerance", "1e-9"}, "path").code, 0);
  const auto rows = table("path/path.tsv");
  ASSERT_EQ(rows.size(), 7u);
  EXPECT_EQ(rows[1][4], "0");
  for (std::size_t k : {2U, 6U}) {
    const std::string name = "fit" + std::to_string(k);
    ASSERT_EQ(run({"fit", "--lambda", rows[k][1], "--tolerance", "1e-9"}, name).code, 0);
    const auto summary = folder_.read(name + "/summary.json");
    EXPECT_NEAR(std::stod(rows[k][6]), json_number(summary, "objective"), 1e-8);
    EXPECT_NEAR(std::stod(rows[k][10]), json_number(summary, "intercept"), 1e-3);
    EXPECT_EQ(rows[k][4], json_field(summary, "nonzeros"));
  }
  const auto summary = folder_.read("path/summary.json");
  EXPECT_EQ(json_field(summary, "lambdas_solved"), "6");
  const auto picture = folder_.read("path/path.svg");
  EXPECT_THAT(picture, StartsWith("<svg"));
  EXPECT_THAT(picture, HasSubstr(">" + table("path/path_coefficients.tsv").back()[1] + "</text>"))
      << "curves have names";
  EXPECT_THAT(picture, HasSubstr(">nonzero coefficients</text>"));
}

TEST_F(LassoPathCommand, PredictsWithTheSolutionThatIsAskedFor) {
  ASSERT_EQ(run({"path", "--lambdas", "5", "--lambda-min-ratio", "0.1"}, "path").code, 0);
  const std::vector<std::string> predict = {"predict", "--x", folder_.path("x.csv"), "--model", folder_.path("path")};
  const auto with = [&](std::vector<std::string> more) {
    more.insert(more.begin(), predict.begin(), predict.end());
    return lasso(more);
  };
  const auto all = rows_of(with({}).out);
  ASSERT_EQ(all[0].size(), 6u);
  EXPECT_EQ(all[0][5], "prediction_5");
  const auto third = rows_of(with({"--lambda-index", "3"}).out);
  const auto same = rows_of(with({"--lambda", table("path/path.tsv")[3][1]}).out);
  EXPECT_EQ(third, same);
  ASSERT_EQ(third.size(), all.size());
  EXPECT_EQ(third[0][1], "prediction");
  for (std::size_t i = 1; i < all.size(); ++i) EXPECT_EQ(third[i][1], all[i][3]);
  EXPECT_EQ(with({"--lambda-index", "6"}).code, 2);
  EXPECT_EQ(with({"--lambda", "77"}).code, 2);
  EXPECT_EQ(with({"--lambda-1se"}).code, 2);
}

TEST_F(LassoPathCommand, HasTheSameBitsOnProcesses) {
  const std::vector<std::string> path = {"path", "--lambdas", "6", "--lambda-min-ratio", "0.05"};
  ASSERT_EQ(run(path, "here").code, 0);
  auto cluster = path;
  cluster.insert(cluster.end(), {"--processes=2", "--schedulers", "1"});
  ASSERT_EQ(run(cluster, "there").code, 0);
  const auto hash = [&](const char* name) {
    return json_field(folder_.read(std::string(name) + "/summary.json"), "path_hash");
  };
  EXPECT_EQ(hash("here"), hash("there"));
}

TEST_F(LassoPathCommand, TakesLambdasFromAFile) {
  folder_.write("lambdas.txt", "0.1 # the last\n\n0.4\n0.2\n0.4\n");
  const std::vector<std::string> path = {"path", "--lambda-file", folder_.path("lambdas.txt"), "--lambda-scale",
                                         "ratio"};
  ASSERT_EQ(run(path, "path").code, 0);
  const auto rows = table("path/path.tsv");
  ASSERT_EQ(rows.size(), 4u);
  EXPECT_NEAR(std::stod(rows[1][3]), 0.4, 1e-12);
  EXPECT_NEAR(std::stod(rows[3][3]), 0.1, 1e-12);
  // What it wrote down as its options gives the same run.
  ASSERT_EQ(run({"path", "--config", folder_.path("path/config.ini")}, "again").code, 0);
  EXPECT_EQ(json_field(folder_.read("again/summary.json"), "path_hash"),
            json_field(folder_.read("path/summary.json"), "path_hash"));
}

TEST_F(LassoPathCommand, RefusesAFileOfSomethingElse) {
  folder_.write("lambdas.txt", "0.4\nzero\n");
  const auto ended = run({"path", "--lambda-file", folder_.path("lambdas.txt")});
  EXPECT_EQ(ended.code, 4);
  EXPECT_THAT(ended.err, HasSubstr("lambdas.txt:2: 'zero', expected one lambda above 0 a line"));
  EXPECT_EQ(run({"path", "--lambda-scale", "y"}).code, 2);
}

TEST_F(LassoPathCommand, SaysWhichLambdasDidNotMeetTheToleranceAndExitsWith3) {
  const auto ended = run({"path", "--lambdas", "6", "--lambda-min-ratio", "0.05", "--tolerance", "1e-17"}, "path");
  EXPECT_EQ(ended.code, 3);
  EXPECT_THAT(ended.out, HasSubstr("quality  rounding floor: "));
  const auto summary = folder_.read("path/summary.json");
  EXPECT_EQ(json_field(summary, "stop_reason"), "\"rounding floor\"");
  EXPECT_EQ(json_field(summary, "tolerance_met"), "false");
  const auto rows = table("path/path.tsv");
  ASSERT_EQ(rows.size(), 7u) << "it went on";
  ASSERT_EQ(rows[0][9], "tolerance_met");
  std::size_t unmet = 0;
  for (std::size_t k = 1; k < rows.size(); ++k) {
    EXPECT_EQ(rows[k][9], std::stod(rows[k][7]) <= 1e-17 * std::stod(rows[k][6]) ? "yes" : "no") << k;
    unmet += rows[k][9] == "no" ? 1 : 0;
  }
  EXPECT_GT(unmet, 0u);
  EXPECT_THAT(ended.out, HasSubstr("not met by " + std::to_string(unmet) + " lambda"));
}

TEST_F(LassoPathCommand, ThatALimitCutsShortWritesWhatIsCertified) {
  const auto ended =
      run({"path", "--policy", "uniform", "--max-rounds", "300", "--lambda-min-ratio", "0.0001"}, "path");
  EXPECT_EQ(ended.code, 3);
  const auto summary = folder_.read("path/summary.json");
  EXPECT_EQ(json_field(summary, "stop_reason"), "\"max_rounds\"");
  EXPECT_EQ(json_field(summary, "tolerance_met"), "false");
  EXPECT_EQ(table("path/path.tsv").size(), 1 + static_cast<std::size_t>(json_number(summary, "lambdas_solved")));
}

TEST_F(LassoPathCommand, WritesZerosWhereThereIsNothingToFindAndSaysSo) {
  std::string text = "a,b,y\n";
  for (int i = 0; i < 24; ++i) text += std::to_string(i % 5) + "," + std::to_string(i % 3) + ",2.5\n";
  folder_.write("flat.csv", text);
  const auto on_flat = [&](std::vector<std::string> arguments, const std::string& out) {
    arguments.insert(arguments.end(), {"--x", folder_.path("flat.csv"), "--y-name", "y", "--out", folder_.path(out)});
    return lasso(std::move(arguments));
  };
  const auto path = on_flat({"path"}, "zeros");
  EXPECT_EQ(path.code, 0);
  EXPECT_THAT(path.err,
              HasSubstr("all coefficients are 0 at every lambda (lambda_max is 0): the response is constant"));
  const auto rows = table("zeros/path.tsv");
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[1][3], "NA") << "of lambda_max 0";
  EXPECT_EQ(rows[1][4], "0");
  const auto predicted =
      rows_of(lasso({"predict", "--x", folder_.path("flat.csv"), "--model", folder_.path("zeros")}).out);
  ASSERT_EQ(predicted.size(), 25u);
  EXPECT_EQ(predicted[1][1], "2.5");
  EXPECT_EQ(on_flat({"fit", "--lambda", "0.1", "--processes", "2"}, "fit").code, 0);
  EXPECT_EQ(on_flat({"cv", "--folds", "3"}, "cv").code, 0);
  EXPECT_EQ(table("cv/cv.tsv").size(), 2u);
}

TEST_F(LassoPathCommand, RefusesALastLambdaOfZero) {
  const auto refused = run({"path", "--lambda-min-ratio", "0"});
  EXPECT_EQ(refused.code, 2);
  EXPECT_THAT(refused.err, HasSubstr("in (0, 1)"));
}

}  // namespace
}  // namespace strads::test
