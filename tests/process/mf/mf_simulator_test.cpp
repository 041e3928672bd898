// `strads_sim run mf`: the bits are those of `mf fit`, whatever the cluster; a curve with a row a sweep; its messages
// help.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "process/run_mf.hpp"

namespace strads::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::MatchesRegex;
using testing::Not;
using testing::SizeIs;
using testing::StartsWith;

using Words = std::vector<std::string>;

class SimulatedMf : public MfFixture {
 protected:
  [[nodiscard]] Ended run(const Words& more) const {
    Words words = {"run", "mf", "--ratings", ratings_, "--rank", "4"};
    words.insert(words.end(), more.begin(), more.end());
    return simulator(words);
  }
  /// Runs into a folder; the summary.
  [[nodiscard]] std::string simulated(Words more, const std::string& out) const {
    more.insert(more.end(), {"--out", folder_.path(out)});
    const auto ended = run(more);
    EXPECT_EQ(ended.code, 0) << ended.err;
    return folder_.read(out + "/summary.json");
  }
  [[nodiscard]] std::string simulated_hash(const Words& more, const std::string& out) const {
    const auto hash = json_field(simulated(more, out), "model_hash");
    EXPECT_THAT(hash, MatchesRegex("\"[0-9a-f]{16}\""));
    return hash;
  }
};

// --- the bits ---

class SimulatedMfBits : public SimulatedMf, public testing::WithParamInterface<const char*> {};

TEST_P(SimulatedMfBits, AreThoseOfAnEmbeddedFit) {
  const Words options = {"--solver", GetParam(), "--sweeps", "4", "--schedulers", "2"};
  Words on_cores = options;
  on_cores.insert(on_cores.end(), {"--embedded", "--cores", "3"});
  EXPECT_EQ(simulated_hash(on_cores, "simulated"), hash_of(options, "real"));
}

TEST_P(SimulatedMfBits, AreThoseOfAnEmbeddedFitOnThreeNodesThatShareTheRatings) {
  const Words options = {"--solver", GetParam(), "--sweeps", "4", "--workers", "5"};
  Words on_hosts = options;
  on_hosts.insert(on_hosts.end(), {"--hosts", "3", "--cores", "2"});
  EXPECT_EQ(simulated_hash(on_hosts, "simulated"), hash_of(options, "real"));
}

INSTANTIATE_TEST_SUITE_P(Solvers, SimulatedMfBits, testing::Values("cd", "ccd", "sgd"));

TEST_F(SimulatedMf, OfChoicesHasTheBitsOfTheFitOnCoresAndOnHosts) {
  for (const char* solver : {"als", "cd"}) {
    const Words options = {"--feedback", "implicit", "--solver", solver, "--sweeps", "3", "--workers", "5"};
    Words on_cores = options, on_hosts = options;
    on_cores.insert(on_cores.end(), {"--embedded", "--cores", "5"});
    on_hosts.insert(on_hosts.end(), {"--hosts", "3", "--cores", "2"});
    const std::string name = solver, real = hash_of(options, "real-" + name);
    EXPECT_EQ(simulated_hash(on_cores, "cores-" + name), real);
    EXPECT_EQ(simulated_hash(on_hosts, "hosts-" + name), real);
  }
}

TEST_F(SimulatedMf, OfItemWeightsHasTheBitsOfTheFitAndItsCertificates) {
  const Words options = {"run", "mf", "--ratings", ratings_, "--solver", "slim"};
  const auto fitted =
      Process(mf_command({"fit", "--ratings", ratings_, "--solver", "slim", "--out", folder_.path("real")})).wait();
  ASSERT_EQ(fitted.code, 0) << fitted.err;
  Words on_hosts = options;
  on_hosts.insert(on_hosts.end(), {"--hosts", "3", "--cores", "2", "--out", folder_.path("hosts")});
  const auto ended = simulator(on_hosts);
  ASSERT_EQ(ended.code, 0) << ended.err;
  EXPECT_THAT(ended.out, HasSubstr("40 of 40 items certified"));
  const auto summary = folder_.read("hosts/summary.json");
  EXPECT_EQ(json_field(summary, "model_hash"), json_field(folder_.read("real/summary.json"), "model_hash"));
  EXPECT_EQ(json_number(summary, "certified"), 40);
  EXPECT_GT(json_number(summary, "seconds_virtual"), 1e-4) << "its work has a price";
}

TEST_F(SimulatedMf, EndsAtATargetThatWholeSweepsOfSgdHaveReached) {
  // The first strata of a sweep meet few ratings: their errors alone are below any target.
  const Words options = {"--solver", "sgd", "--early-stopping", "off", "--embedded", "--cores", "2"};
  (void)simulated(options, "whole");
  const auto whole = rows_of(folder_.read("whole/curve.csv"));
  ASSERT_GT(whole.size(), 4U);
  std::istringstream third(whole[3][0]);
  std::string target;
  for (int column = 0; column < 12; ++column) std::getline(third, target, ',');
  Words with_target = options;
  with_target.insert(with_target.end(), {"--target-objective", target});
  const auto stopped = simulated(with_target, "stopped");
  EXPECT_EQ(json_field(stopped, "stop_reason"), "\"target objective\"");
  EXPECT_EQ(json_number(stopped, "sweeps"), 3);
  EXPECT_LE(json_number(stopped, "objective"), std::stod(target));
}

TEST_F(SimulatedMf, TellsOfSgdWhatMfFitTells) {
  const Words options = {"--solver", "sgd", "--max-rounds", "45"};
  Words on_cores = options;
  on_cores.insert(on_cores.end(), {"--embedded", "--cores", "3"});
  const auto simulated_summary = simulated(on_cores, "simulated");
  Words real = options;
  real.insert(real.end(), {"--out", folder_.path("real")});
  EXPECT_EQ(fit(real).code, 3);
  const auto summary = folder_.read("real/summary.json");
  for (const char* name : {"objective", "train_rmse", "best_sweep"}) {
    EXPECT_EQ(json_number(simulated_summary, name), json_number(summary, name)) << name;
  }
  EXPECT_EQ(json_field(simulated_summary, "partial_sweep"), "false") << "validation has kept a whole one";
}

TEST_F(SimulatedMf, TakesLongerWhereOneWorkerHasMostOfTheRatings) {
  const Words options = {"--workers", "8", "--schedulers", "1", "--sweeps", "4", "--embedded", "--cores", "8"};
  Words by_rows = options;
  by_rows.insert(by_rows.end(), {"--balance", "rows"});
  const auto balanced = simulated(options, "balanced");
  const auto naive = simulated(by_rows, "naive");
  EXPECT_GT(json_number(naive, "imbalance"), 1.3);
  EXPECT_LT(json_number(balanced, "imbalance"), 1.1);
  EXPECT_LT(json_number(balanced, "seconds_virtual"), json_number(naive, "seconds_virtual"));
}

// --- files ---

TEST_F(SimulatedMf, WritesARowOfTheCurveForEachSweep) {
  const auto summary = simulated({"--sweeps", "3", "--tolerance", "0", "--embedded", "--cores", "2"}, "run");
  const auto curve = folder_.read("run/curve.csv");
  EXPECT_THAT(curve, StartsWith("seconds,sweep,objective,train_rmse,validation_rmse,test_rmse,"));
  EXPECT_THAT(rows_of(curve), SizeIs(1 + 3));
  EXPECT_EQ(json_number(summary, "sweeps"), 3);
  EXPECT_GT(json_number(summary, "validation_rmse"), 0);
}

TEST_F(SimulatedMf, WritesTheSameCurveTwice) {
  const Words options = {"--sweeps", "3", "--hosts", "2", "--jitter", "0.5"};
  (void)simulated(options, "a");
  (void)simulated(options, "b");
  EXPECT_EQ(folder_.read("a/curve.csv"), folder_.read("b/curve.csv"));
}

TEST_F(SimulatedMf, SaysWhatWasFitted) {
  const auto ended = run({"--sweeps", "2", "--embedded"});
  EXPECT_THAT(ended.out, AllOf(HasSubstr("fitted   60 users x 40 items"), HasSubstr("RMSE "), HasSubstr("model_hash "),
                               HasSubstr("virtual seconds"), Not(HasSubstr("gap"))));
}

// --- messages ---

TEST_F(SimulatedMf, SettlesItsOptionsAsMfFitDoes) {
  const auto ended = run({"--validation", "0"});
  EXPECT_EQ(ended.code, 2);
  EXPECT_THAT(ended.err, AllOf(StartsWith("strads_sim: error: "), HasSubstr("--early-stopping off")));
}

TEST(SimulatedMfUsage, WantsRatings) {
  const auto ended = simulator({"run", "mf"});
  EXPECT_EQ(ended.code, 2);
  EXPECT_THAT(ended.err, HasSubstr("give --ratings FILE"));
}

TEST(SimulatedMfUsage, DoesNotKnowTheOptionsOfTheLasso) {
  const auto ended = simulator({"run", "mf", "--bfile", "cohort"});
  EXPECT_EQ(ended.code, 2);
  EXPECT_THAT(ended.err, HasSubstr("--bfile"));
}

TEST(SimulatedMfUsage, NamesTheModelsWhereAnotherWordIsFound) {
  const auto ended = simulator({"run", "ridge", "--hosts", "2"});
  EXPECT_EQ(ended.code, 2);
  EXPECT_THAT(ended.err,
              HasSubstr("found 'ridge' after run, expected a model (lasso, mf, svm, lda, sumstats) or an option"));
}

TEST(SimulatedMfUsage, HasAHelpOfItsOwn) {
  const auto ended = simulator({"run", "mf", "--help"});
  EXPECT_EQ(ended.code, 0);
  EXPECT_THAT(ended.out, AllOf(HasSubstr("usage: strads_sim run mf"), HasSubstr("--ratings"), HasSubstr("--cores"),
                               Not(HasSubstr("--bfile"))));
}

}  // namespace
}  // namespace strads::test
