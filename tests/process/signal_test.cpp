#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "small_data.hpp"

namespace strads::test {
namespace {

using testing::HasSubstr;
using testing::Not;

/// A problem that no policy finishes within seconds: every coordinate active, a tolerance of zero, one update a round.
class LongRun : public testing::Test {
 protected:
  LongRun() {
    const Table table(400, 4000);
    folder_.write("x.npy", table.npy());
    folder_.write("y.csv", table.y_csv());
  }
  std::vector<std::string> command(std::vector<std::string> more = {}) {
    std::vector<std::string> arguments = {"fit",      "--x",     folder_.path("x.npy"), "--y",    folder_.path("y.csv"),
                                          "--policy", "uniform", "--lambda-ratio",      "0.0005", "--tolerance",
                                          "0",        "--out",   folder_.path("run")};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return lasso_command(arguments);
  }
  Folder folder_;
};

TEST_F(LongRun, EndsInOrderAfterOneInterrupt) {
  Process process(command());
  ASSERT_TRUE(process.stderr_shows(" round "));
  process.signal(SIGINT);
  const auto ended = process.wait();
  EXPECT_EQ(ended.code, 3) << ended.err;
  EXPECT_EQ(json_field(folder_.read("run/summary.json"), "stop_reason"), "\"signal\"");
  EXPECT_TRUE(folder_.has("run/coefficients.tsv"));
  EXPECT_GT(json_number(folder_.read("run/summary.json"), "relative_gap"), 0);
}

TEST_F(LongRun, EndsInOrderWhenItIsTerminated) {
  Process process(command());
  ASSERT_TRUE(process.stderr_shows(" round "));
  process.signal(SIGTERM);
  EXPECT_EQ(process.wait().code, 3);
  EXPECT_TRUE(folder_.has("run/summary.json"));
}

TEST_F(LongRun, EndsAtOnceAfterTwoInterrupts) {
  Process process(command());
  ASSERT_TRUE(process.stderr_shows(" round "));
  process.signal(SIGINT);
  ASSERT_TRUE(process.stderr_shows("stops at once"));
  process.signal(SIGINT);
  EXPECT_EQ(process.wait().code, 130);
  EXPECT_FALSE(folder_.has("run/summary.json"));
  for (const auto& name : folder_.list("run")) EXPECT_THAT(name, Not(HasSubstr("tmp"))) << name;
}

TEST_F(LongRun, EndsInOrderAfterMaxSeconds) {
  const auto ended = Process(command({"--max-seconds", "0.2"})).wait();
  EXPECT_EQ(ended.code, 3) << ended.err;
  EXPECT_EQ(json_field(folder_.read("run/summary.json"), "stop_reason"), "\"max_seconds\"");
}

TEST_F(LongRun, ShowsNoProgressWhenQuiet) {
  const auto ended = Process(command({"--quiet", "--max-seconds", "1.2"})).wait();
  EXPECT_EQ(ended.code, 3);
  EXPECT_EQ(ended.err, "");
}

}  // namespace
}  // namespace strads::test
