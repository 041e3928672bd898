// The program strads_sim as its users meet it: the bits are those of real runs, its outputs are the same twice, its
// messages help.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "small_data.hpp"
#include "strads/program/calibrate.hpp"
#include "strads/program/program.hpp"

namespace strads::test {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::MatchesRegex;
using testing::Not;
using testing::SizeIs;
using testing::StartsWith;

using Words = std::vector<std::string>;

Words join(Words first, const Words& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

void expect(int code, const Ended& ended, const std::string& message) {
  EXPECT_EQ(ended.code, code) << ended.err;
  EXPECT_THAT(ended.err, AllOf(StartsWith("strads_sim: error: "), HasSubstr(message)));
  EXPECT_EQ(ended.out, "");
}

class Simulator : public testing::Test {
 protected:
  Simulator() {
    const std::string bfile = Genotypes(60, 300).write(folder_, "cohort");
    data_ = {"--bfile", bfile, "--lambda-ratio", "0.1"};
  }
  [[nodiscard]] Ended run(const Words& more) const { return simulator(join({"run"}, join(data_, more))); }
  /// beta_hash of a run and how its blocks were solved, from its summary.
  std::string hash(const Ended& ended, const std::string& out) const {
    EXPECT_EQ(ended.code, 0) << ended.err;
    const auto summary = folder_.read(out + "/summary.json");
    const auto found = json_field(summary, "beta_hash");
    EXPECT_THAT(found, MatchesRegex("\"[0-9a-f]{16}\""));
    const auto solves = summary.find("\"block_solves\"");
    return found + (solves == std::string::npos ? "" : summary.substr(solves, summary.find("\n  }", solves) - solves));
  }
  std::string simulated_hash(const Words& more) {
    const std::string out = "simulated" + std::to_string(++runs_);
    return hash(run(join(more, {"--out", folder_.path(out)})), out);
  }
  std::string real_hash(const Words& more) {
    const std::string out = "real" + std::to_string(++runs_);
    return hash(lasso(join({"fit", "--threads", "1", "--out", folder_.path(out)}, join(data_, more))), out);
  }

  Folder folder_;
  Words data_;
  int runs_ = 0;
};

// --- the bits ---

const Words kEngine = {"--schedulers", "3", "--workers", "4", "--depth", "2", "--tolerance", "1e-3"};

class SimulatorBits : public Simulator, public testing::WithParamInterface<const char*> {};

TEST_P(SimulatorBits, AreThoseOfAnEmbeddedFit) {
  const Words options = join(kEngine, {"--policy", GetParam()});
  EXPECT_EQ(simulated_hash(join(options, {"--embedded"})), real_hash(options));
}

TEST_P(SimulatorBits, AreThoseOfAFitOnTwoProcesses) {
  const Words options = join(kEngine, {"--policy", GetParam()});
  EXPECT_EQ(simulated_hash(join(options, {"--hosts", "2", "--cores", "3"})),
            real_hash(join(options, {"--processes=2"})));
}

INSTANTIATE_TEST_SUITE_P(Policies, SimulatorBits, testing::Values("auto", "paper"));

TEST_F(Simulator, TakesTheNameOfItsModelOrNone) {
  const Words options = join(kEngine, {"--hosts", "2"});
  const auto named = simulator(join({"run", "lasso"}, join(data_, join(options, {"--out", folder_.path("named")}))));
  EXPECT_EQ(hash(named, "named"), simulated_hash(options));
}

TEST_F(Simulator, GivesOtherSecondsAndTheSameBitsOnAnotherCluster) {
  const auto fast = run({"--hosts", "2", "--preset", "modern", "--out", folder_.path("fast")});
  const auto slow = run({"--hosts", "5", "--preset", "opteron-10gbe", "--roles", "scheduler,worker", "--slowdown",
                         "1,7", "--out", folder_.path("slow")});
  EXPECT_EQ(hash(fast, "fast"), hash(slow, "slow"));
  EXPECT_LT(json_number(folder_.read("fast/summary.json"), "seconds_virtual"),
            json_number(folder_.read("slow/summary.json"), "seconds_virtual"));
}

// --- the same twice ---

TEST_F(Simulator, WritesTheSameCurveTwice) {
  const Words options = join(kEngine, {"--policy", "paper", "--hosts", "3", "--jitter", "0.5", "--max-rounds", "200"});
  EXPECT_EQ(run(join(options, {"--out", folder_.path("a")})).code, 0);
  EXPECT_EQ(run(join(options, {"--out", folder_.path("b")})).code, 0);
  EXPECT_THAT(rows_of(folder_.read("a/curve.csv")), SizeIs(testing::Gt(10)));
  EXPECT_EQ(folder_.read("a/curve.csv"), folder_.read("b/curve.csv"));
}

TEST(SimulatorSeed, PrintsTheSameEventsTwice) {
  const auto first = simulator({"--seed", "7", "--trace"});
  EXPECT_EQ(first.code, 0) << first.out << first.err;
  EXPECT_THAT(first.out, AllOf(HasSubstr("fault: "), HasSubstr(" ms  "), HasSubstr("Commit version=0")));
  EXPECT_EQ(first.out, simulator({"--seed", "7", "--trace"}).out);
}

TEST(SimulatorSeed, IsQuietWithoutTrace) {
  const auto ended = simulator({"--seed", "7"});
  EXPECT_EQ(ended.code, 0) << ended.out;
  EXPECT_THAT(ended.out, AllOf(StartsWith("seed 7: "), Not(HasSubstr("Assign"))));
  EXPECT_EQ(ended.err, "");
}

/// The last line: the solution's hash.
std::string last_line(const std::string& text) {
  const auto end = text.find_last_not_of('\n');
  return text.substr(text.rfind('\n', end) + 1, end - text.rfind('\n', end));
}

// Of a path it was once the hash of another path's solutions, of which there were none.
TEST(SimulatorSeed, EndsWithTheHashOfItsOwnSolutions) {
  const std::string of_nothing = "2d06800538d394c2";
  const auto seventh = last_line(simulator({"--seed", "7"}).out);
  const auto thirteenth = last_line(simulator({"--seed", "13"}).out);
  EXPECT_THAT(seventh, AllOf(MatchesRegex("path_hash [0-9a-f]{16}"), Not(HasSubstr(of_nothing))));
  EXPECT_THAT(thirteenth, AllOf(MatchesRegex("path_hash [0-9a-f]{16}"), Not(HasSubstr(of_nothing)), Not(seventh)));
}

TEST(SimulatorSeed, DrawsWhatTheDocumentsShow) {
  std::ostringstream document;
  document << std::ifstream(STRADS_SOURCE_DIR "/docs/SIMULATION.md").rdbuf();
  std::istringstream lines(simulator({"--seed", "94"}).out);
  int drawn = 0;
  for (std::string line; std::getline(lines, line);) {
    // What follows from arithmetic depends on the instruction set; what was drawn does not.
    if (!line.starts_with("seed ") && !line.starts_with("cluster: ") && !line.starts_with("fault: ")) continue;
    EXPECT_THAT(document.str(), HasSubstr("\n" + line + "\n"));
    ++drawn;
  }
  EXPECT_GE(drawn, 5);
}

TEST(SimulatorBatch, ReportsTheSameForAnyNumberOfThreads) {
  const auto one = simulator({"batch", "--seeds", "1..30", "--threads", "1"});
  EXPECT_EQ(one.code, 0) << one.out;
  EXPECT_THAT(one.out, AllOf(HasSubstr("30 "), HasSubstr("duplicate dropped")));
  EXPECT_EQ(one.out, simulator({"batch", "--seeds", "1..30", "--threads", "3"}).out);
}

// --- files ---

TEST_F(Simulator, LeavesCurveConfigurationAndSummary) {
  const auto ended = run({"--out", folder_.path("run")});
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_THAT(folder_.list("run"), ElementsAre("config.ini", "curve.csv", "summary.json"));
  EXPECT_THAT(ended.out, HasSubstr("files    " + folder_.path("run") + ": config.ini curve.csv summary.json\n"));
  EXPECT_THAT(folder_.read("run/curve.csv"), StartsWith("seconds,updates,rounds,blocks,objective,relative_gap\n"));
}

TEST_F(Simulator, RepeatsARunFromItsOwnConfiguration) {
  const auto first = run({"--hosts", "2", "--policy", "static", "--seed", "5", "--out", folder_.path("run")});
  const auto again = simulator({"run", "--config", folder_.path("run/config.ini"), "--out", folder_.path("again")});
  EXPECT_EQ(hash(first, "run"), hash(again, "again"));
  EXPECT_EQ(folder_.read("run/curve.csv"), folder_.read("again/curve.csv"));
}

TEST_F(Simulator, SumsTheSharesOfTheCoresTimeToOne) {
  EXPECT_EQ(run({"--hosts", "2", "--out", folder_.path("run")}).code, 0);
  const auto summary = folder_.read("run/summary.json");
  const auto shares = summary.substr(summary.find("\"shares_of_core_time\""));
  double sum = 0;
  for (const char* name :
       {"scan", "plan", "push", "combine", "pull", "apply", "recompute", "refresh", "messages_and_events", "waiting"}) {
    const double share = json_number(shares, name);
    EXPECT_GE(share, 0) << name;
    sum += share;
  }
  EXPECT_NEAR(sum, 1, 1e-6);
}

TEST_F(Simulator, EndsAtATarget) {
  const auto ended = run({"--target-gap", "0.05"});
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_THAT(ended.out, HasSubstr("quality  target gap: "));
}

TEST_F(Simulator, RunsTheConfigurationOfTheDocuments) {
  const std::string program = std::string(STRADS_BIN_DIR) + "/strads_sim";
  const auto in_root = [](const std::string& command) {
    return Process({"/bin/sh", "-c", "cd " STRADS_SOURCE_DIR " && exec " + command}).wait();
  };
  const auto out = folder_.path("run");
  EXPECT_EQ(in_root(program + " run --config configs/simulated.ini --out " + out).code, 0);
  const auto real = folder_.path("real");
  EXPECT_EQ(in_root(lasso_command({}).front() + " fit --config configs/lasso-processes.ini --out " + real).code, 0);
  EXPECT_EQ(json_field(folder_.read("run/summary.json"), "beta_hash"),
            json_field(folder_.read("real/summary.json"), "beta_hash"));
}

// --- plan ---

TEST(SimulatorPlan, PredictsTimeMemoryAndTrafficForThreeSupports) {
  const auto ended = simulator({"plan", "--data-shape", "500,500000", "--storage", "genotypes", "--hosts", "4"});
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_THAT(ended.out, AllOf(HasSubstr("500 samples x 500000 variables"), HasSubstr("4 hosts")));
  for (const char* head : {"time, s", "memory", "traffic", "messages", "59.6 MiB"}) {
    EXPECT_THAT(ended.out, HasSubstr(head));
  }
  EXPECT_THAT(rows_of(ended.out), SizeIs(15));
}

TEST(SimulatorPlan, IsOneLineForAKnownSupport) {
  const auto ended = simulator({"plan", "--data-shape", "500,5000,20000", "--nonzeros", "40"});
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_THAT(ended.out, HasSubstr("\n        40 "));
  EXPECT_THAT(rows_of(ended.out), SizeIs(12));
}

/// Memory of the last line, in bytes.
double planned_memory(const std::string& text) {
  std::istringstream cells(rows_of(text).at(2).front());
  double number = 0;
  std::string unit;
  for (int column = 0; column < 6; ++column) cells >> number;
  cells >> number >> unit;
  return number * (unit == "MiB" ? 0x1p20 : unit == "GiB" ? 0x1p30 : 1);
}

TEST(SimulatorPlan, SaysAboutHowMuchMemoryAFitTakes) {
  const Folder folder;
  const std::string data = std::string(STRADS_SOURCE_DIR) + "/tests/datasets/1000g-chr2-eur/";
  const auto fit = lasso({"fit", "--bfile", data + "chr2-eur", "--pheno", data + "pheno.tsv", "--lambda-ratio", "0.1",
                          "--threads", "1", "--out", folder.path("run")});
  ASSERT_EQ(fit.code, 0) << fit.err;
  const auto summary = folder.read("run/summary.json");
  const auto plan = simulator(
      {"plan", "--data-shape", "503,10025", "--storage", "genotypes", "--nonzeros", json_field(summary, "nonzeros")});
  const double ratio = planned_memory(plan.out) / json_number(summary, "peak_rss_bytes");
  EXPECT_GT(ratio, 1 / 2.5) << plan.out;
  EXPECT_LT(ratio, 2.5) << plan.out;
}

TEST(SimulatorPlan, WritesItsTableToAFile) {
  const Folder folder;
  const auto ended = simulator({"plan", "--data-shape", "50,500", "--out", folder.path("plan.txt")});
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_EQ(ended.out, "");
  EXPECT_EQ(folder.read("plan.txt"), simulator({"plan", "--data-shape", "50,500"}).out);
}

TEST(SimulatorPlan, RefusesShapesThatAreNone) {
  const auto plan = [](const Words& more) { return simulator(join({"plan"}, more)); };
  expect(2, plan({}), "no data: give --data-shape N,J");
  for (const char* shape : {"x", "500", "0,4", "5,", "1e3,5", "5,5,5,5", "5 5", "-1,5"}) {
    expect(2, plan({"--data-shape", shape}), "--data-shape: found '" + std::string(shape) + "', expected N,J");
  }
  expect(2, plan({"--data-shape", "99999999999,3"}), "at most 4294967295 of each");
  expect(2, plan({"--data-shape", "5,5,30"}), "at most N x J = 25 stored entries");
  expect(2, plan({"--data-shape", "5,5", "--storage", "sparse"}), "expected N,J,NNZ");
  expect(2, plan({"--data-shape", "5,5,5", "--storage", "genotypes"}), "--storage sparse");
  expect(2, plan({"--data-shape", "5,5", "--nonzeros", "6"}), "expected at most the 5 variables");
}

TEST(SimulatorPlan, RefusesClustersThatItDoesNotKnow) {
  expect(2, simulator({"plan", "--data-shape", "5,5", "--nodes-per-host", "2"}), "leave out --nodes-per-host");
  expect(2, simulator({"plan", "--data-shape", "5,5", "--slowdown", "1,2"}), "--slowdown");
}

// --- constants ---

// Measuring takes ten seconds and a quiet machine: bench/simulated.py does. Here is the file that it would write.
TEST_F(Simulator, TakesACalibrationFileAsFitsDo) {
  Calibration measured;
  measured.costs.streamed_flop *= 100;
  const auto file = folder_.write("constants.ini", calibration_text(measured));
  const auto usual = run({"--out", folder_.path("usual")});
  const auto slow = run({"--constants", file, "--out", folder_.path("slow")});
  EXPECT_EQ(slow.code, 0) << slow.err;
  EXPECT_THAT(slow.out, HasSubstr("constants of " + file));
  EXPECT_GT(json_number(folder_.read("slow/summary.json"), "seconds_virtual"),
            json_number(folder_.read("usual/summary.json"), "seconds_virtual"));
  EXPECT_EQ(lasso(join({"fit", "--cost-model", file}, data_)).code, 0);
}

// --- messages ---

TEST_F(Simulator, ShowsHelpOnStdout) {
  for (const Words& words : {Words{"--help"}, Words{"help"}, Words{"run", "--help"}, Words{"plan", "--help-all"},
                             Words{"batch", "--help"}, Words{"calibrate", "--help"}}) {
    const auto ended = simulator(words);
    EXPECT_EQ(ended.code, 0) << words.front();
    EXPECT_THAT(ended.out, HasSubstr("usage: strads_sim")) << words.front();
    EXPECT_EQ(ended.err, "");
  }
}

TEST_F(Simulator, RefusesWhatItDoesNotKnow) {
  expect(2, simulator({"--sead", "7"}), "unknown option --sead; did you mean --seed?");
  expect(2, simulator({"bach"}), "unknown command 'bach'; did you mean batch?");
  expect(2, run({"--host", "2"}), "--host");
}

TEST_F(Simulator, RefusesValuesOutOfRange) {
  expect(2, simulator({"--seed", "-1"}), "--seed: found '-1', expected a whole number");
  expect(2, simulator({"batch", "--seeds", "3"}), "--seeds: found '3', expected A..B");
  expect(2, simulator({"batch", "--seeds", "5..1"}), "expected A..B with A <= B");
  expect(2, run({"--hosts", "0"}), "--hosts: found '0', expected a whole number in [1, 4096]");
  expect(2, run({"--preset", "cray"}), "expected this-machine|opteron-10gbe|modern");
  expect(2, run({"--slowdown", "fast"}), "--slowdown: found 'fast', expected numbers above 0");
  expect(2, run({"--roles", "worker"}), "leaves nobody to schedule");
  expect(2, run({"--roles", "boss"}), "--roles: found 'boss', expected both, scheduler or worker");
  expect(2, run({"--embedded", "--hosts", "2"}), "--embedded is one process");
  expect(2, run({"--depth", "2"}), "--depth 2 exceeds --schedulers 1");
}

TEST_F(Simulator, NamesFilesThatItCannotRead) {
  const auto file = folder_.path("absent.ini");
  expect(4, run({"--config", file}), file + ": No such file");
  expect(4, run({"--constants", file}), file + ": No such file");
  expect(4, simulator({"run", "--bfile", folder_.path("absent")}), "absent");
  folder_.write("wrong.ini", "[simulated]\nhots = 3\n");
  expect(2, run({"--config", folder_.path("wrong.ini")}), "wrong.ini:2: ");
  folder_.write("constants.ini", "[cost]\nmessage = -1\n");
  expect(2, run({"--constants", folder_.path("constants.ini")}), "constants.ini:2: ");
}

TEST_F(Simulator, KeepsAFinishedRunUnlessForced) {
  EXPECT_EQ(run({"--out", folder_.path("run")}).code, 0);
  expect(2, run({"--out", folder_.path("run")}), "holds a finished run");
  EXPECT_EQ(run({"--out", folder_.path("run"), "--force"}).code, 0);
  expect(2, run({"--force"}), "--force needs --out DIR");
}

}  // namespace
}  // namespace strads::test
