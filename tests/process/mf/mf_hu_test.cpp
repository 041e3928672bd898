// `mf fit --feedback implicit --objective hu`: one model however it is computed, and what other commands make of it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "process/run_mf.hpp"

namespace strads::test {
namespace {

using testing::HasSubstr;

class MfHu : public MfFixture {
 protected:
  [[nodiscard]] static std::vector<std::string> hu_with(std::vector<std::string> more) {
    more.insert(more.begin(), {"--feedback", "implicit", "--objective", "hu", "--alpha", "3", "--lambda", "0.5"});
    return more;
  }
};

TEST_F(MfHu, HasTheSameBitsOnProcessesAndThreadsInTheSimulatorAndAfterAResume) {
  for (const char* solver : {"als", "cd", "cg"}) {
    const std::string name = solver;
    const auto same = hu_with({"--solver", name, "--sweeps", "3", "--workers", "5"});
    const auto with = [&](const std::vector<std::string>& more) {
      auto all = same;
      all.insert(all.end(), more.begin(), more.end());
      return all;
    };
    const auto whole = hash_of(same, "whole-" + name);
    EXPECT_EQ(hash_of(with({"--processes=2"}), "processes-" + name), whole);
    EXPECT_EQ(hash_of(with({"--threads=2"}), "threads-" + name), whole);
    auto simulated = with({"--hosts", "3", "--cores", "2", "--out", folder_.path("simulated-" + name)});
    simulated.insert(simulated.begin(), {"run", "mf", "--ratings", ratings_, "--rank", "4"});
    const auto ended = simulator(simulated);
    EXPECT_EQ(ended.code, 0) << ended.err;
    EXPECT_EQ(json_field(folder_.read("simulated-" + name + "/summary.json"), "model_hash"), whole);
    const auto cut =
        fit(with({"--max-rounds", "10", "--checkpoint-rounds", "2", "--out", folder_.path("cut-" + name)}));
    EXPECT_EQ(cut.code, 3) << cut.err;
    const auto again = mf({"fit", "--resume", folder_.path("cut-" + name), "--max-rounds", "0"});
    EXPECT_EQ(again.code, 0) << again.err;
    EXPECT_EQ(json_field(folder_.read("cut-" + name + "/summary.json"), "model_hash"), whole);
  }
}

TEST_F(MfHu, SaysItsObjectiveInTheSummaryAndIsReadByTheOtherCommands) {
  const auto summary = summary_of(hu_with({"--holdout", "0.2", "--sweeps", "4"}), "run");
  EXPECT_EQ(json_field(summary, "implicit_objective"), "\"hu\"");
  EXPECT_EQ(json_number(summary, "alpha"), 3);
  EXPECT_EQ(json_field(summary, "regularization"), "\"plain\"");
  EXPECT_EQ(json_field(summary, "confidence"), "\"linear\"");
  const std::string model = folder_.path("run");
  const std::vector<std::vector<std::string>> commands = {
      {"evaluate", "--model", model, "--at", "5"},
      {"recommend", "--model", model, "--top", "2"},
      {"similar", "--model", model, "--top", "2"},
      {"predict", "--model", model, "--pairs", ratings_},
      {"fold-in", "--model", model, "--ratings", ratings_, "--out", folder_.path("folded")},
      {"refit", "--model", model, "--ratings", ratings_, "--out", folder_.path("refitted")},
      {"export", "--model", model, "--out", folder_.path("exported")}};
  for (const auto& command : commands) {
    const auto ended = mf(command);
    EXPECT_EQ(ended.code, 0) << command[0] << ": " << ended.err;
  }
  // A fit that is given the folder's own options is the same fit.
  EXPECT_EQ(hash_of({"--config", folder_.path("run/config.ini")}, "again"), json_field(summary, "model_hash"));
}

TEST_F(MfHu, IsComparedByCrossValidation) {
  const auto ended =
      mf({"cv", "--ratings", ratings_, "--folds", "2", "--feedback", "implicit", "--objective", "hu", "--ranks", "2",
          "--lambdas", "0.5", "--alphas", "1,5", "--sweeps", "3", "--out", folder_.path("cv")});
  ASSERT_EQ(ended.code, 0) << ended.err;
  EXPECT_THAT(ended.out, HasSubstr(" --feedback implicit --objective hu "));
  const auto rows = rows_of(folder_.read("cv/cv.tsv"));
  EXPECT_EQ(rows.at(0).at(2), "alpha");
  EXPECT_EQ(rows.at(2).at(2), "5");
  EXPECT_EQ(json_field(folder_.read("cv/summary.json"), "implicit_objective"), "\"hu\"");
}

}  // namespace
}  // namespace strads::test
