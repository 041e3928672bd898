// Fits of a cross-validation: each has the bits that it has alone, whoever computes it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <set>
#include <sstream>
#include <vector>

#include "mf/grid/cv.hpp"
#include "mf/made_up_ratings.hpp"
#include "strads/transport/embedded_runs.hpp"
#include "support/threaded_cluster.hpp"

namespace strads::mf {
namespace {

/// A heavy item, so that rows are split; fits that end after different numbers of sweeps.
struct CvProblem {
  test::Shape data{.users = 120, .items = 25, .ratings = 700, .skew = 1.4};
  CvPlan plan{.points = {{2, 0.02}, {2, 0.2}, {5, 0.1}}, .folds = 3};
  MfOptions mf;
  EngineOptions engine{.schedulers = 2, .workers = 3, .depth = 2};

  explicit CvProblem(Solver solver) {
    mf.solver = solver;
    mf.width = 2;
    mf.sweeps_max = solver == Solver::cd || solver == Solver::als ? 8 : 3;
    mf.patience = 2;
  }
  [[nodiscard]] std::shared_ptr<const Ratings> all() const { return test::made_up_ratings(data); }
  /// Of a process of its own.
  [[nodiscard]] CvData own_data() const {
    return make_folds(all(), plan.folds, 0.1, engine.seed, std::make_shared<SerialChunks>(), {}).value();
  }
  [[nodiscard]] std::shared_ptr<CvModels> models() const {
    return std::make_shared<CvModels>(own_data(), plan, mf, engine);
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
std::function<void(std::size_t fit, const RunEnd& end)> collect(const CvProblem& problem, Outcomes& outcomes) {
  return [&problem, &outcomes, data = problem.own_data()](std::size_t fit, const RunEnd& end) {
    const auto& own = *data.folds[problem.plan.fold_of(fit)];
    EXPECT_TRUE(outcomes.emplace(fit, text_of(own, mf_options_of(problem.plan, fit, problem.mf), end)).second);
  };
}

std::vector<RunRequest> requests_of(const CvProblem& problem) {
  std::vector<RunRequest> requests;
  const auto models = problem.models();
  for (std::size_t fit = 0; fit < problem.plan.size(); ++fit) {
    requests.push_back({problem.engine, [models, fit] { return Result(models->make(fit)); }});
  }
  return requests;
}

Outcomes embedded_cv(const CvProblem& problem, unsigned threads, bool encode_messages = false) {
  Outcomes outcomes;
  RunsHooks hooks;
  hooks.ended = collect(problem, outcomes);
  const EmbeddedRuns run =
      run_embedded(requests_of(problem), threads + 1, {.threads = threads, .encode_messages = encode_messages}, hooks);
  EXPECT_TRUE(run.status.ok()) << run.status.message();
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

TEST_P(CrossValidationBy, HasOneOutcomeOnNodesThatHostTheFits) {
  const CvProblem problem(GetParam());
  Outcomes outcomes;
  const auto tell = collect(problem, outcomes);
  support::ThreadedCluster cluster;
  cluster.engine = problem.engine;
  const auto driver = problem.models();
  cluster.make_model = [driver] { return driver->make(0); };
  for (support::ThreadedNode& node : cluster.nodes) {
    const auto models = problem.models();
    node.make_model = [models] { return Result(models->make(0)); };
    node.further = [models, engine = problem.engine](const std::string& request) {
      return Result(LoadedModel{models->make(std::stoul(request)), engine, {}});
    };
  }
  std::size_t begun = 1;
  std::set<std::size_t> placed;  // the first fit of a fold takes its ratings
  const auto watch = [&](std::size_t fit, const ProgressEvent& event) {
    if (event.kind == ProgressEvent::Kind::started) placed.insert(fit);
    return false;
  };
  cluster.hooks.observe = [&](const ProgressEvent& event) { return watch(0, event); };
  cluster.hooks.observe_run = watch;
  cluster.hooks.more_runs = [&] {
    std::vector<FurtherRunRequest> more;
    const std::size_t first = begun < problem.plan.size() ? problem.plan.first_of(begun) : begun;
    if (begun < problem.plan.size() && begun - outcomes.size() < 3 && (first == begun || placed.contains(first))) {
      more.push_back({problem.engine, std::to_string(begun),
                      [driver, fit = begun] { return Result(driver->make(fit)); }, static_cast<std::uint32_t>(first)});
      ++begun;
    }
    return more;
  };
  cluster.hooks.more_to_come = [&] { return begun < problem.plan.size(); };
  cluster.hooks.run_ended = [&](std::uint32_t run, const RunEnd& end) { tell(run, end); };
  const auto run = support::run_threaded(std::move(cluster));
  EXPECT_TRUE(run.run.end.status.ok()) << run.run.end.status.message();
  EXPECT_EQ(outcomes, embedded_cv(problem, 1));
}

TEST_P(CrossValidationBy, ThatIsStoppedInTheMiddleTellsOfEveryFitThatHadBegun) {
  const CvProblem problem(GetParam());
  const auto expected = embedded_cv(problem, 1);
  for (const Version at : {0, 1, 30}) {
    Outcomes outcomes;
    RunsHooks hooks;
    hooks.ended = collect(problem, outcomes);
    hooks.observe = [at](std::size_t run, const ProgressEvent& event) { return run == 1 && event.version >= at; };
    const EmbeddedRuns run = run_embedded(requests_of(problem), 2, {.threads = 1}, hooks);
    EXPECT_TRUE(run.status.ok());
    EXPECT_LT(run.begun, problem.plan.size()) << at;
    EXPECT_EQ(outcomes.size(), run.begun);
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
