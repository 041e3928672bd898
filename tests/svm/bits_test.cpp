// The same bits however a run is executed; every policy; what a limit leaves.
#include <gtest/gtest.h>

#include <string>

#include "support/threaded_cluster.hpp"
#include "svm/check/check_svm.hpp"
#include "svm/made_up_samples.hpp"

namespace strads::svm {
namespace {

using made_up::random_data;

SvmOptions under(const std::string& policy, Loss loss, double tolerance) {
  SvmOptions options{.loss = loss, .cost = 0.5, .bias = 1, .tolerance = tolerance, .policies = {}};
  options.policies.policy = policy_named(policy).value();
  return options;
}

TEST(SvmBits, AreTheSameWithAnyNumberOfThreads) {
  // Enough samples for sums in several parts.
  const auto data = random_data(3, {.samples = 9000, .features = 20});
  const auto classes = random_data(4, {.samples = 600, .features = 10, .classes = 4});
  for (const Loss loss : {Loss::hinge, Loss::squared_hinge}) {
    for (const auto& each : {data, classes}) {
      const RunEnd one = made_up::run(each, under("auto", loss, 1e-8), {}, 1);
      EXPECT_EQ(one.stop_reason, "converged");
      for (const unsigned threads : {2U, 4U}) {
        EXPECT_EQ(made_up::run(each, under("auto", loss, 1e-8), {}, threads).statuses, one.statuses);
      }
    }
  }
}

TEST(SvmBits, EveryPolicyComesToTheSameObjective) {
  const auto data = random_data(8, {.samples = 60, .features = 12, .classes = 3});
  for (const Loss loss : {Loss::hinge, Loss::squared_hinge}) {
    const double expected = made_up::run(data, under("auto", loss, 1e-10)).certificate.objective;
    for (const std::string& policy : policy_names()) {
      for (const auto& engine : {EngineOptions{.schedulers = 1, .workers = 4, .depth = 1, .rounds_max = 400'000},
                                 EngineOptions{.schedulers = 3, .workers = 4, .depth = 3, .rounds_max = 400'000}}) {
        SCOPED_TRACE(policy + ", " + std::to_string(engine.schedulers) + " schedulers");
        const SvmOptions options = under(policy, loss, 1e-4);
        const RunEnd end = made_up::run(data, options, engine);
        ASSERT_EQ(end.stop_reason, "converged");
        EXPECT_LE(end.certificate.objective, expected * (1 + 1.1e-4));
        EXPECT_GE(end.certificate.objective, expected * (1 - 1e-9));
        EXPECT_EQ(made_up::run(data, options, engine, 3).statuses, end.statuses);
        SerialChunks serial;
        const SvmSolution solution = solution_of(*data, options, end);
        const SvmCheck found = check_solution(*data, options, solution, serial);
        EXPECT_TRUE(confirm(solution, found, *data, options).ok());
      }
    }
  }
}

TEST(SvmBits, AreTheSameInProcesses) {
  const auto data = random_data(11, {.samples = 50, .features = 8, .classes = 3});
  for (const std::string policy : {"auto", "uniform"}) {
    const EngineOptions engine{.schedulers = 2, .workers = 4, .depth = 2, .rounds_max = 100'000};
    SvmOptions options = under(policy, Loss::hinge, 1e-3);
    options.policies.workers = engine.workers;
    options.policies.schedulers = engine.schedulers;
    const RunEnd alone = made_up::run(data, options, engine);
    ASSERT_EQ(alone.stop_reason, "converged");
    const auto many =
        support::run_threaded({.make_model = [&] { return make_svm_model(data, options, engine); }, .engine = engine});
    ASSERT_TRUE(many.run.end.status.ok()) << many.run.end.status.message();
    EXPECT_EQ(many.run.end.statuses, alone.statuses) << policy;
  }
}

TEST(SvmBits, ALimitLeavesTheBestWeightsSoFar) {
  const auto data = random_data(21, {.samples = 80, .features = 30, .noise = 2});
  const SvmOptions options = under("uniform", Loss::hinge, 1e-9);
  double before = HUGE_VAL;
  for (std::uint64_t rounds = 1; rounds <= 200; rounds += 7) {
    const RunEnd end = made_up::run(data, options, {.rounds_max = rounds});
    EXPECT_EQ(end.stop_reason, "limit");
    const SvmSolution solution = solution_of(*data, options, end);
    SerialChunks serial;
    const SvmCheck found = check_solution(*data, options, solution, serial);
    EXPECT_TRUE(confirm(solution, found, *data, options).ok()) << rounds;
    EXPECT_NEAR(found.objective, end.certificate.objective, 1e-9 * found.objective);
    before = std::min(before, found.objective);
  }
  // Nothing at all: w = 0 costs C for each sample.
  EXPECT_LE(before, 0.5 * 80);
}

TEST(SvmBits, TheObjectiveOfTheDualNeverRises) {
  const auto data = random_data(31, {.samples = 100, .features = 10});
  for (const std::string& policy : policy_names()) {
    const EngineOptions engine{.schedulers = 2, .workers = 8, .depth = 2, .rounds_max = 3000};
    SvmOptions options = under(policy, Loss::hinge, 1e-3);
    options.policies.workers = engine.workers;
    options.policies.schedulers = engine.schedulers;
    double last = HUGE_VAL;
    const auto see = [&](const ProgressEvent& event) {
      if (event.kind != ProgressEvent::Kind::commit) return false;
      EXPECT_LE(event.objective, last + 1e-12 * std::abs(last));
      last = event.objective;
      return false;
    };
    const auto ended = run_embedded(make_svm_model(data, options, engine), engine, {.threads = 1}, see, {});
    EXPECT_TRUE(ended.end.status.ok());
  }
}

}  // namespace
}  // namespace strads::svm
