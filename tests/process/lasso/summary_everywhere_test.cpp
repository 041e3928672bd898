// `lasso path --sumstats` in the simulator, before it begins, and after processes were killed: the same bits.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <system_error>
#include <vector>

#include "process/run_cluster.hpp"

namespace strads::test {
namespace {

using testing::AllOf;
using testing::ContainsRegex;
using testing::HasSubstr;
using testing::StartsWith;

using Words = std::vector<std::string>;

/// The study and the panel of docs/GUIDE-sumstats.md: 9,173 variants in 25 blocks, 100 people.
class SummaryPrograms : public ClusterFixture {
 protected:
  SummaryPrograms() {
    std::ifstream fam(panel() + ".fam");
    std::string people, line;
    for (int at = 1; std::getline(fam, line) && at <= 400; ++at) {
      const auto end_of_ids = line.find_first_of(" \t", line.find_first_of(" \t") + 1);
      if (at > 300) people += line.substr(0, end_of_ids) + "\n";
    }
    folder_.write("people.txt", people);
  }
  [[nodiscard]] Words with_inputs(const Words& command, const Words& more) const {
    const std::string study = data("made-study/study.tsv.gz"), blocks = data("made-study/blocks.bed");
    return with(with(command, {"--sumstats", study, "--bfile", panel(), "--keep", folder_.path("people.txt"),
                               "--ld-blocks", blocks}),
                more);
  }
  [[nodiscard]] Words path(const std::string& run, const Words& more) const {
    return with(lasso_command(with_inputs({"path"}, more)), {"--threads", "1", "--out", folder_.path(run)});
  }
  [[nodiscard]] std::string hash_of_run(const std::string& run) const {
    return json_field(folder_.read(run + "/summary.json"), "model_hash");
  }
  void expect_same_files(const std::string& run, const std::string& expected) const {
    EXPECT_EQ(hash_of_run(run), hash_of_run(expected));
    for (const char* name : {"/path.tsv", "/coefficients.tsv", "/score.txt", "/dropped.tsv"}) {
      EXPECT_EQ(folder_.read(run + name), folder_.read(expected + name)) << name;
    }
  }
  /// True once the run has written a checkpoint; false: it ended without.
  [[nodiscard]] bool writes_a_checkpoint(const std::string& run) const {
    return soon([&] {
      std::error_code none;
      const std::string checkpoints = folder_.path(run) + "/.checkpoint/checkpoint-";
      return std::filesystem::exists(checkpoints + "0.bin", none) ||
             std::filesystem::exists(checkpoints + "1.bin", none) || folder_.has(run + "/summary.json");
    });
  }

  static std::string data(const char* name) { return STRADS_SOURCE_DIR "/tests/datasets/" + std::string(name); }
  static std::string panel() { return data("1000g-chr2-eur/chr2-eur"); }
};

TEST_F(SummaryPrograms, HaveTheBitsOfAnEmbeddedPathOnSimulatedCoresAndHosts) {
  const Words options = {"--shrink", "0.5,1", "--lambdas", "4", "--schedulers", "2", "--workers", "3"};
  ASSERT_EQ(Process(path("real", options)).wait().code, 0);
  for (const Words& cluster : {Words{"--embedded", "--cores", "3"}, Words{"--hosts", "3", "--cores", "2"}}) {
    const auto ended = simulator(with_inputs(
        {"run", "sumstats"}, with(with(options, cluster), {"--out", folder_.path("simulated"), "--force"})));
    ASSERT_EQ(ended.code, 0) << ended.err;
    EXPECT_THAT(ended.out, AllOf(HasSubstr("9173 variants in 25 blocks, 8 solutions"),
                                 HasSubstr("quality  converged: objective -"),
                                 HasSubstr("25 of 25 blocks certified at every point")));
    EXPECT_EQ(hash_of_run("simulated"), hash_of_run("real"));
    EXPECT_THAT(folder_.read("simulated/curve.csv"),
                StartsWith("seconds,rounds,updates,blocks_solved,blocks_certified,objective,gap,nonzeros\n"));
  }
}

TEST_F(SummaryPrograms, SayWhatTimeAPathTakesBeforeItBegins) {
  const auto planned = Process(path("planned", {"--dry-run"})).wait();
  EXPECT_EQ(planned.code, 0) << planned.err;
  EXPECT_THAT(planned.out,
              AllOf(HasSubstr("work     80 solutions for 9173 variants in 25 blocks; 25 of them are visited"),
                    ContainsRegex("time     about [0-9.e-]+ s of processor time: Gram matrices "),
                    HasSubstr("not counted: reading ("), HasSubstr("the choice and writing")));
  EXPECT_FALSE(folder_.has("planned"));
  EXPECT_THAT(Process(path("planned", {"--dry-run", "--processes=2"})).wait().out,
              HasSubstr("time     on a cluster: strads_sim run sumstats says it"));
}

TEST_F(SummaryPrograms, GoOnAfterAKillOfANodeOrTheDriverWithTheFilesOfARunThatWasNot) {
  const Words options = {"--lambdas", "30", "--schedulers", "1", "--workers", "1"};
  ASSERT_EQ(Process(path("whole", options)).wait().code, 0);
  ASSERT_GE(json_number(folder_.read("whole/summary.json"), "phases"), 3) << "too few turns to be killed between";
  const Words checkpoints = with(options, {"--checkpoint-rounds", "1"});
  std::string killed;
  for (int tries = 0; tries < 10 && killed.empty(); ++tries) {  // until it was not over before
    const std::string run = "driver" + std::to_string(tries);
    Process driver(path(run, checkpoints));
    ASSERT_TRUE(writes_a_checkpoint(run));
    driver.signal(SIGKILL);
    if (driver.wait().code == 128 + SIGKILL) killed = run;
  }
  ASSERT_FALSE(killed.empty());
  const auto resumed = Process(lasso_command({"path", "--sumstats", "--resume", folder_.path(killed)})).wait();
  ASSERT_EQ(resumed.code, 0) << resumed.err;
  EXPECT_THAT(resumed.err, HasSubstr("resumed after "));
  expect_same_files(killed, "whole");

  bool was_missed = false;
  for (int tries = 0; tries < 10 && !was_missed; ++tries) {
    const std::string run = "node" + std::to_string(tries);
    Process driver(path(run, with(checkpoints, {"--processes=2"})));
    ASSERT_TRUE(writes_a_checkpoint(run));
    const auto running = nodes();
    if (!running.empty()) ::kill(running.front(), SIGKILL);
    const auto ended = driver.wait();
    ASSERT_EQ(ended.code, 0) << ended.err;
    expect_same_files(run, "whole");
    was_missed = ended.err.find("(Killed)") != std::string::npos;
  }
  EXPECT_TRUE(was_missed);
  expect_nothing_left();
}

}  // namespace
}  // namespace strads::test
