#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "process/small_data.hpp"
#include "strads/program/program.hpp"

namespace strads::test {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::SizeIs;
using testing::StartsWith;

class LassoFit : public testing::Test {
 protected:
  LassoFit() { x_ = folder_.write("x.csv", Table(80, 30).csv()); }
  Ended fit(std::vector<std::string> more) {
    std::vector<std::string> arguments = {"fit", "--x", x_, "--y-name", "y"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return lasso(arguments);
  }
  std::string hash_of(std::vector<std::string> more, const std::string& run) {
    more.insert(more.end(), {"--out", folder_.path(run)});
    const auto ended = fit(more);
    EXPECT_EQ(ended.code, 0) << ended.err;
    return json_field(folder_.read(run + "/summary.json"), "beta_hash");
  }
  Folder folder_;
  std::string x_;
};

TEST_F(LassoFit, LeavesEveryFileOfARun) {
  const auto ended = fit({"--out", folder_.path("run")});
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_THAT(folder_.list("run"),
              ElementsAre("coefficients.tsv", "config.ini", "log.txt", "model.bin", "summary.json", "trace.csv"));
}

TEST_F(LassoFit, EndsWithFiveLinesOnStdoutAndNothingOnStderr) {
  const auto ended = fit({"--out", folder_.path("run")});
  const auto lines = rows_of(ended.out);
  ASSERT_THAT(lines, SizeIs(5));
  EXPECT_THAT(lines[0][0], HasSubstr("80 samples x 30 variables"));
  EXPECT_THAT(lines[1][0], HasSubstr("converged"));
  EXPECT_THAT(lines[4][0], HasSubstr(folder_.path("run")));
  EXPECT_EQ(ended.err, "");
}

TEST_F(LassoFit, WritesNothingWithoutOut) {
  const auto ended = fit({});
  EXPECT_EQ(ended.code, 0);
  EXPECT_THAT(ended.out, HasSubstr("none written"));
  EXPECT_THAT(folder_.list("."), ElementsAre("x.csv"));
}

TEST_F(LassoFit, SummaryHasEveryPromisedField) {
  (void)fit({"--out", folder_.path("run")});
  const auto summary = folder_.read("run/summary.json");
  for (const char* name : {"objective",
                           "duality_gap",
                           "relative_gap",
                           "lambda",
                           "lambda_max",
                           "nonzeros",
                           "intercept",
                           "r2",
                           "rounds",
                           "updates",
                           "phases",
                           "blocks_per_round",
                           "messages",
                           "bytes",
                           "rounds_planned_early_share",
                           "worker_wait_share",
                           "stop_reason",
                           "seconds_load",
                           "seconds_solve",
                           "peak_rss_bytes",
                           "beta_hash",
                           "policy",
                           "schedulers",
                           "workers",
                           "depth",
                           "kernel_target",
                           "seed",
                           "version",
                           "samples",
                           "variables"}) {
    EXPECT_NE(json_field(summary, name), "absent") << name;
  }
  EXPECT_LE(json_number(summary, "relative_gap"), 1e-6);
  EXPECT_EQ(json_field(summary, "stop_reason"), "\"converged\"");
  EXPECT_GT(json_number(summary, "peak_rss_bytes"), 1e6);
  const double gap = json_number(summary, "duality_gap");
  EXPECT_DOUBLE_EQ(json_number(summary, "relative_gap"), gap / json_number(summary, "objective"));
}

TEST_F(LassoFit, CoefficientsRebuildTheObjective) {
  (void)fit({"--out", folder_.path("run"), "--lambda-ratio", "0.2"});
  const auto summary = folder_.read("run/summary.json");
  const Table table(80, 30);
  double mean = 0;
  for (const double value : table.y) mean += value / 80;
  double norm = 0;
  for (const double value : table.y) norm += (value - mean) * (value - mean);
  std::vector<double> residual = table.y;
  for (double& value : residual) value -= json_number(summary, "intercept");
  double weights = 0;
  const auto rows = rows_of(folder_.read("run/coefficients.tsv"));
  ASSERT_FALSE(rows.empty());
  ASSERT_THAT(rows[0], ElementsAre("id", "standardized", "coefficient", "column"));
  for (std::size_t k = 1; k < rows.size(); ++k) {
    const auto j = std::stoull(rows[k][3]) - 1;
    EXPECT_EQ(rows[k][0], "x" + rows[k][3]);
    weights += std::abs(std::stod(rows[k][1]));
    for (std::uint64_t i = 0; i < 80; ++i) residual[i] -= std::stod(rows[k][2]) * table.at(i, j);
  }
  double squares = 0;
  for (const double value : residual) squares += value * value;
  const double objective = squares / norm / 2 + json_number(summary, "lambda") * weights;
  EXPECT_NEAR(objective, json_number(summary, "objective"), 1e-12);
  EXPECT_NEAR(json_number(summary, "r2"), 1 - squares / norm, 1e-12);
}

TEST_F(LassoFit, ItsPrintedConfigGivesTheSameRun) {
  const std::vector<std::string> options = {"--lambda", "0.05",   "--policy",    "paper",        "--guard",
                                            "on",       "--seed", "7",           "--schedulers", "3",
                                            "--depth",  "2",      "--tolerance", "1e-4"};
  auto print = options;
  print.push_back("--print-config");
  const auto printed = fit(print);
  EXPECT_EQ(printed.code, 0) << printed.err;
  folder_.write("run.ini", printed.out);
  const auto first = hash_of(options, "first");
  const auto ended = lasso({"fit", "--config", folder_.path("run.ini"), "--out", folder_.path("second")});
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_EQ(json_field(folder_.read("second/summary.json"), "beta_hash"), first);
  const auto again = lasso({"fit", "--config", folder_.path("first/config.ini"), "--out", folder_.path("third")});
  EXPECT_EQ(again.code, 0) << again.err;
  EXPECT_EQ(json_field(folder_.read("third/summary.json"), "beta_hash"), first);
}

TEST_F(LassoFit, GivesTheSameBitsWithAnyNumberOfThreadsAndThroughTheCodec) {
  const auto one = hash_of({"--threads", "1"}, "one");
  EXPECT_EQ(hash_of({"--threads", "3"}, "three"), one);
  EXPECT_EQ(hash_of({"--encode-messages", "on"}, "codec"), one);
}

TEST_F(LassoFit, LambdaAboveItsMaximumGivesTheEmptyModel) {
  const auto ended = fit({"--lambda-ratio", "1.5", "--out", folder_.path("run")});
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_EQ(json_field(folder_.read("run/summary.json"), "nonzeros"), "0");
  EXPECT_THAT(rows_of(folder_.read("run/coefficients.tsv")), SizeIs(1));
}

TEST_F(LassoFit, StopsAfterMaxRoundsWithResults) {
  const auto ended =
      fit({"--policy", "uniform", "--lambda-ratio", "0.001", "--max-rounds", "3", "--out", folder_.path("run")});
  EXPECT_EQ(ended.code, 3) << ended.err;
  const auto summary = folder_.read("run/summary.json");
  EXPECT_EQ(json_field(summary, "stop_reason"), "\"max_rounds\"");
  EXPECT_EQ(json_field(summary, "rounds"), "3");
  EXPECT_EQ(json_field(summary, "tolerance_met"), "false");
}

TEST_F(LassoFit, LambdaScalesAgreeWithEachOther) {
  (void)fit({"--out", folder_.path("ratio"), "--lambda-ratio", "0.25"});
  const auto summary = folder_.read("ratio/summary.json");
  const auto lambda = json_field(summary, "lambda");
  const auto by_unit = hash_of({"--lambda", lambda}, "unit");
  EXPECT_EQ(by_unit, json_field(summary, "beta_hash"));
  EXPECT_DOUBLE_EQ(json_number(summary, "lambda"), 0.25 * json_number(summary, "lambda_max"));
  (void)fit({"--out", folder_.path("as_ratio"), "--lambda", "0.25", "--lambda-scale", "ratio"});
  EXPECT_EQ(json_field(folder_.read("as_ratio/summary.json"), "beta_hash"), by_unit);
}

TEST_F(LassoFit, ReadsConstantsOfTheCostModel) {
  folder_.write("cost.ini", "[cost]\nround-seconds = 1e-3\n");
  EXPECT_EQ(fit({"--cost-model", folder_.path("cost.ini")}).code, 0);
  folder_.write("wrong.ini", "round-second = 1e-3\n");
  const auto ended = fit({"--cost-model", folder_.path("wrong.ini")});
  EXPECT_EQ(ended.code, 2);
  EXPECT_THAT(ended.err, HasSubstr("wrong.ini:1: unknown key 'round-second'; did you mean round-seconds?"));
}

TEST_F(LassoFit, SaysHowManySamplesAreLeftOutUnlessQuiet) {
  auto text = Table(80, 30).csv();
  text.replace(text.rfind(','), std::string::npos, ",NA\n");
  x_ = folder_.write("missing.csv", text);
  EXPECT_THAT(fit({}).err, StartsWith("lasso: note: 1 samples left out: "));
  EXPECT_EQ(fit({"--quiet"}).err, "");
  EXPECT_THAT(fit({}).out, HasSubstr("79 samples"));
}

}  // namespace
}  // namespace strads::test
