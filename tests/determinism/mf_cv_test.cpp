// Cross-validation in one schedule: every fit has the bits of a run of its own, whoever computes them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <map>
#include <sstream>

#include "mf/made_up_ratings.hpp"
#include "mf/run/cv.hpp"
#include "strads/sim/simulate.hpp"
#include "support/cluster.hpp"

namespace strads::mf {
namespace {

using support::ClusterOptions;
using support::Order;

/// A heavy item, so that rows are split; fits that end after different numbers of sweeps.
struct CvProblem {
  test::Shape data{.users = 120, .items = 25, .ratings = 700, .skew = 1.4};
  CvPlan plan{.points = {{2, 0.02}, {2, 0.2}, {5, 0.1}}, .folds = 3};
  MfOptions mf;
  EngineOptions engine{.schedulers = 2, .workers = 3, .depth = 2};

  std::shared_ptr<std::atomic<int>> reloads = std::make_shared<std::atomic<int>>(0);

  explicit CvProblem(Solver solver) {
    mf.solver = solver;
    mf.width = 2;
    mf.sweeps_max = solver == Solver::cd || solver == Solver::als ? 8 : 3;
    mf.patience = 2;
  }
  [[nodiscard]] std::shared_ptr<const Ratings> all() const { return test::made_up_ratings(data); }
  /// Of a process of its own.
  [[nodiscard]] CvData own_data() const {
    const auto reload = [shape = data, count = reloads]() -> Result<std::shared_ptr<const Ratings>> {
      ++*count;
      return std::shared_ptr<const Ratings>(test::made_up_ratings(shape));
    };
    return make_folds(all(), plan.folds, 0.1, engine.seed, std::make_shared<SerialChunks>(), reload).value();
  }
  [[nodiscard]] std::shared_ptr<Model> model(PartEnded ended = {}) const {
    return make_cv_model(own_data(), plan, mf, engine, std::move(ended)).value();
  }
};

std::string text_of(const MfData& data, const MfOptions& options, const RunEnd& end) {
  const MfSolution solution = solution_of(data, options, end);
  std::ostringstream text;
  text << model_hash(solution) << ' ' << end.stop_reason << ' ' << end.totals.rounds << " rounds F=" << std::hexfloat
       << solution.objective << " validation=" << solution.validation.rmse << " test=" << solution.test.rmse
       << " sweep " << solution.best_sweep << (end.certificate.converged ? "" : " cut");
  return text.str();
}

using Outcomes = std::map<std::size_t, std::string>;

/// Collects what every fit ended with.
PartEnded collect(const CvProblem& problem, Outcomes& outcomes) {
  return [&problem, &outcomes, data = problem.own_data()](std::size_t fit, const RunEnd& end) {
    const auto& own = *data.folds[problem.plan.fold_of(fit)];
    EXPECT_TRUE(outcomes.emplace(fit, text_of(own, mf_options_of(problem.plan, fit, problem.mf), end)).second);
  };
}

Outcomes embedded_cv(const CvProblem& problem, unsigned threads, bool encode_messages = false) {
  Outcomes outcomes;
  const auto run = run_embedded(problem.model(collect(problem, outcomes)), problem.engine,
                                {.threads = threads, .encode_messages = encode_messages}, {}, {});
  EXPECT_TRUE(run.end.status.ok() && run.end.certificate.converged) << run.end.stop_reason;
  return outcomes;
}

/// A fit of each fold and point alone.
Outcomes one_by_one(const CvProblem& problem) {
  Outcomes outcomes;
  SerialChunks serial;
  const auto folds = draw_folds(*problem.all(), problem.plan.folds, problem.engine.seed, serial);
  for (std::size_t fit = 0; fit < problem.plan.size(); ++fit) {
    const FoldInput input{static_cast<std::uint32_t>(problem.plan.fold_of(fit)), 0.1, problem.engine.seed};
    const auto data = prepare_mf(leave_out(*problem.all(), folds, input, serial), problem.engine.seed,
                                 std::make_shared<SerialChunks>())
                          .value();
    const MfOptions own = mf_options_of(problem.plan, fit, problem.mf);
    const auto run =
        run_embedded(make_mf_model(data, own, problem.engine, false), problem.engine, {.threads = 1}, {}, {});
    outcomes.emplace(fit, text_of(*data, own, run.end));
  }
  return outcomes;
}

class CrossValidationBy : public testing::TestWithParam<Solver> {};

TEST_P(CrossValidationBy, GivesEveryFitTheBitsThatItHasAlone) {
  for (const auto& [schedulers, workers] : {std::pair{1U, 1U}, {2U, 3U}, {3U, 8U}}) {
    CvProblem problem(GetParam());
    problem.engine.schedulers = problem.engine.depth = schedulers;
    problem.engine.workers = workers;
    const auto alone = one_by_one(problem);
    EXPECT_EQ(alone.size(), problem.plan.size());
    EXPECT_EQ(embedded_cv(problem, 1), alone);
    EXPECT_EQ(embedded_cv(problem, 2, true), alone);
  }
}

TEST_P(CrossValidationBy, HasOneOutcomeOnAnyNumberOfNodesInAnyOrderOfMessages) {
  const CvProblem problem(GetParam());
  const auto expected = embedded_cv(problem, 1);
  for (std::uint64_t seed = 0; seed < 3; ++seed) {
    Outcomes outcomes;
    const ClusterOptions options{.engine = problem.engine,
                                 .nodes = 1 + static_cast<std::uint32_t>(seed),
                                 .seed = seed,
                                 .order = Order::any,
                                 .duplicates = 0.1,
                                 .delays = 0.1,
                                 .encode_messages = true,
                                 .coordinator_apart = seed == 2,
                                 .losses = 0.1};
    // Only the model that holds the coordinator tells.
    const auto run = support::run_cluster([&] { return problem.model(collect(problem, outcomes)); }, options);
    ASSERT_TRUE(run.ended && run.all_stopped);
    EXPECT_EQ(outcomes, expected) << "order " << seed;
    for (const auto& state : run.states) EXPECT_EQ(state->content(), run.states[0]->content());
  }
}

TEST_P(CrossValidationBy, HasOneOutcomeWhenWorkersDieAndOthersReadTheirRatingsAgain) {
  CvProblem problem(GetParam());
  problem.engine.workers = 6;
  const auto expected = embedded_cv(problem, 1);
  std::uint64_t killed = 0;
  *problem.reloads = 0;
  for (std::uint64_t seed = 0; seed < 2; ++seed) {
    Outcomes outcomes;
    const ClusterOptions options{.engine = problem.engine,
                                 .nodes = 6,
                                 .seed = seed,
                                 .order = Order::any,
                                 .delays = 0.05,
                                 .encode_messages = true,
                                 .coordinator_apart = true,
                                 .workers_apart = true,
                                 .losses = 0.05,
                                 .quiets = 0.005,
                                 .kill_workers_every = 29};
    const auto run = support::run_cluster([&] { return problem.model(collect(problem, outcomes)); }, options);
    ASSERT_TRUE(run.ended);
    EXPECT_EQ(outcomes, expected) << "seed " << seed;
    killed += run.killed;
  }
  EXPECT_GT(killed, 0U);
  EXPECT_GT(*problem.reloads, 0);
}

TEST_P(CrossValidationBy, HasOneOutcomeInASimulatedCluster) {
  const CvProblem problem(GetParam());
  Outcomes outcomes;
  sim::SimulationOptions options;
  options.engine = problem.engine;
  for (std::uint32_t n = 0; n < 3; ++n) {
    options.hosts.push_back({"host" + std::to_string(n), 2, 1});
    options.nodes.push_back({n, n == 0, true, 0});
  }
  const auto run = sim::simulate([&] { return problem.model(collect(problem, outcomes)); }, options, {});
  ASSERT_TRUE(run.ended);
  EXPECT_EQ(run.violation.value_or(""), "");
  EXPECT_EQ(outcomes, embedded_cv(problem, 1));
}

TEST_P(CrossValidationBy, ThatIsStoppedInTheMiddleTellsOfEveryFit) {
  const CvProblem problem(GetParam());
  const auto expected = embedded_cv(problem, 1);
  for (const Version at : {-1, 1, 30, 150}) {
    Outcomes outcomes;
    const auto run = support::run_cluster([&] { return problem.model(collect(problem, outcomes)); },
                                          {.engine = problem.engine, .nodes = 2, .order = Order::any, .finish_at = at});
    ASSERT_TRUE(run.ended && run.all_stopped) << at;
    EXPECT_EQ(run.end.stop_reason, "limit");
    EXPECT_EQ(outcomes.size(), problem.plan.size());
    // Those that had ended before are as they are without a limit.
    for (const auto& [fit, text] : outcomes) {
      const bool cut = text.find(" cut") != std::string::npos;
      EXPECT_TRUE(cut || text == expected.at(fit)) << "stopped at " << at << ": " << text;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Mf, CrossValidationBy, testing::ValuesIn(test::kSolvers),
                         [](const auto& solver) { return test::solver_name(solver.param); });

}  // namespace
}  // namespace strads::mf
