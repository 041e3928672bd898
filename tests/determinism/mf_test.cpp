// Matrix factorization: the same data, options and seed give the same bits, whoever computes them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <set>
#include <sstream>

#include "mf/made_up_ratings.hpp"
#include "strads/numerics/columns.hpp"
#include "strads/sim/simulate.hpp"
#include "support/cluster.hpp"

namespace strads::mf {
namespace {

using support::ClusterOptions;
using support::Order;

struct Shape {
  std::uint32_t schedulers, workers, depth;
};
constexpr Shape kShapes[] = {{1, 1, 1}, {1, 4, 1}, {2, 3, 2}, {3, 8, 3}};

/// Everything that fixes the bits. A heavy item, so that rows are split; validation, so that the best factors are kept.
struct Problem {
  test::Shape data{.users = 300, .items = 30, .ratings = 900, .skew = 1.4, .validation = 80, .test = 40};
  MfOptions mf;
  EngineOptions engine;
  std::shared_ptr<std::atomic<int>> reloads = std::make_shared<std::atomic<int>>(0);

  Problem(Solver solver, const Shape& shape) {
    mf.solver = solver;
    mf.rank = 5;
    mf.width = 2;
    mf.lambda = 0.05;
    mf.sweeps_max = solver == Solver::cd || solver == Solver::als ? 6 : 2;
    mf.tolerance = 0;
    mf.patience = 100;
    engine.schedulers = shape.schedulers;
    engine.workers = shape.workers;
    engine.depth = shape.depth;
  }
  [[nodiscard]] std::string name() const {
    std::ostringstream text;
    text << test::solver_name(mf.solver) << " S=" << engine.schedulers << " P=" << engine.workers
         << " D=" << engine.depth;
    return text.str();
  }
  /// Of a process of its own: nothing is shared with other models.
  [[nodiscard]] std::shared_ptr<MfData> own_data() const {
    auto own = test::made_up_data(data);
    own->reload = [shape = data, count = reloads]() -> Result<std::shared_ptr<const Triplets>> {
      ++*count;
      return std::make_shared<const Triplets>(test::made_up_ratings(shape)->train);
    };
    return own;
  }
  [[nodiscard]] std::shared_ptr<Model> model() const { return make_mf_model(own_data(), mf, engine, false); }
};

/// The factors' hash, and the numbers that a user would compare as well.
std::string outcome_of(const RunEnd& end, const Problem& problem) {
  if (!end.status.ok()) return end.status.message();
  const MfSolution solution = solution_of(*problem.own_data(), problem.mf, end);
  std::ostringstream text;
  text << model_hash(solution) << ' ' << end.stop_reason << ' ' << end.totals.rounds << " rounds " << end.totals.updates
       << " updates F=" << std::hexfloat << solution.objective << " validation=" << solution.validation.rmse
       << " test=" << solution.test.rmse << " sweep " << solution.best_sweep;
  return text.str();
}

std::string embedded(const Problem& problem, unsigned threads, bool encode_messages = false) {
  const auto run =
      run_embedded(problem.model(), problem.engine, {.threads = threads, .encode_messages = encode_messages}, {}, {});
  return outcome_of(run.end, problem);
}

support::ClusterRun cluster(const Problem& problem, ClusterOptions options) {
  options.engine = problem.engine;
  return support::run_cluster([&] { return problem.model(); }, options);
}

std::string outcome_of(const support::ClusterRun& run, const Problem& problem) {
  if (!run.ended || !run.all_stopped) return "did not end";
  return outcome_of(run.end, problem);
}

class EverySolver : public testing::TestWithParam<Solver> {};

TEST_P(EverySolver, HasOneHashAtAnyNumberOfThreadsAndWithEncodedMessages) {
  for (const Shape& shape : kShapes) {
    const Problem problem(GetParam(), shape);
    const std::string expected = embedded(problem, 1);
    EXPECT_THAT(expected, testing::HasSubstr("sweeps")) << expected;
    EXPECT_EQ(embedded(problem, 2), expected) << problem.name();
    EXPECT_EQ(embedded(problem, 7), expected) << problem.name();
    EXPECT_EQ(embedded(problem, 2, true), expected) << problem.name() << ", messages encoded";
  }
}

TEST_P(EverySolver, HasOneHashOnAnyNumberOfNodesInAnyOrderOfMessages) {
  for (const Shape& shape : kShapes) {
    const Problem problem(GetParam(), shape);
    const std::string expected = embedded(problem, 1);
    for (std::uint64_t seed = 0; seed < 4; ++seed) {
      const ClusterOptions options{.nodes = 1 + static_cast<std::uint32_t>(seed),
                                   .seed = seed,
                                   .order = Order::any,
                                   .duplicates = seed % 2 == 0 ? 0.2 : 0.0,
                                   .delays = 0.1,
                                   .encode_messages = seed == 1};
      EXPECT_EQ(outcome_of(cluster(problem, options), problem), expected) << problem.name() << ", order " << seed;
    }
  }
}

TEST_P(EverySolver, ReadsNothingAgainAsLongAsNobodyIsLost) {
  // Blocks go where their ratings are: in every phase, of every slice, evaluations and parts of heavy rows included.
  for (const std::uint32_t items : {120U, 12U}) {
    for (const Shape& shape : kShapes) {
      Problem problem(GetParam(), shape);
      // With 12 items some blocks of a slice are empty.
      problem.data = {
          .users = 300, .items = items, .ratings = 20 * items + 900, .skew = 1.4, .validation = 300, .test = 40};
      EXPECT_EQ(cluster(problem, {.nodes = 3}).end.status.code(), StatusCode::ok);
      EXPECT_EQ(*problem.reloads, 0) << problem.name() << ", items " << items;
    }
  }
}

TEST_P(EverySolver, HasOneHashWhenMessagesAreLost) {
  for (const Shape& shape : {kShapes[2], kShapes[3]}) {
    const Problem problem(GetParam(), shape);
    const std::string expected = embedded(problem, 1);
    for (std::uint64_t seed = 0; seed < 2; ++seed) {
      const auto run = cluster(problem, {.nodes = 3,
                                         .seed = seed,
                                         .order = Order::any,
                                         .duplicates = 0.1,
                                         .encode_messages = true,
                                         .coordinator_apart = true,
                                         .losses = 0.2});
      EXPECT_EQ(outcome_of(run, problem), expected) << problem.name() << ", seed " << seed;
      EXPECT_GT(run.lost, 0U);
    }
  }
}

TEST_P(EverySolver, HasOneHashWhenWorkersDieAndOthersReadTheirRatingsAgain) {
  const Problem problem(GetParam(), {2, 6, 2});
  const std::string expected = embedded(problem, 1);
  std::uint64_t killed = 0;
  *problem.reloads = 0;
  for (std::uint64_t seed = 0; seed < 3; ++seed) {
    const auto run = cluster(problem, {.nodes = 6,
                                       .seed = seed,
                                       .order = Order::any,
                                       .delays = 0.05,
                                       .encode_messages = true,
                                       .coordinator_apart = true,
                                       .workers_apart = true,
                                       .losses = 0.05,
                                       .quiets = 0.005,
                                       .kill_workers_every = 7});
    EXPECT_EQ(outcome_of(run, problem), expected) << problem.name() << ", seed " << seed;
    killed += run.killed;
  }
  EXPECT_GT(killed, 0U);
  EXPECT_GT(*problem.reloads, 0);
}

TEST_P(EverySolver, HasReplicasThatEndEqual) {
  const Problem problem(GetParam(), {2, 3, 2});
  const auto run = cluster(problem, {.nodes = 3, .seed = 1, .order = Order::any});
  ASSERT_EQ(run.states.size(), 3U);
  for (const auto& state : run.states) EXPECT_EQ(state->content(), run.states[0]->content());
}

TEST_P(EverySolver, HasAnotherHashWithOtherDataOrAnotherShape) {
  // So that the tests above can fail.
  const Problem problem(GetParam(), {2, 3, 2});
  const std::string expected = outcome_of(cluster(problem, {}), problem);
  Problem seeded = problem;
  seeded.data.seed = 2;
  EXPECT_NE(embedded(seeded, 1), expected);
  Problem shaped(GetParam(), {3, 3, 2});
  EXPECT_NE(embedded(shaped, 1), expected) << "another shape is another run";
}

TEST_P(EverySolver, ThatIsStoppedInTheMiddleStillReportsItsFactors) {
  for (const Version at : {-1, 0, 3, 5}) {
    const Problem problem(GetParam(), {3, 4, 3});
    const auto run = cluster(problem, {.nodes = 2, .order = Order::any, .finish_at = at});
    ASSERT_TRUE(run.ended && run.all_stopped) << at;
    EXPECT_EQ(run.end.stop_reason, "limit");
    const auto data = problem.own_data();
    const MfSolution solution = solution_of(*data, problem.mf, run.end);
    for (std::size_t item = 0; item < data->counts[1].size(); ++item) {
      if (data->counts[1][item] == 0) continue;  // nothing is known of it
      const float value = solution.factors[1][item * problem.mf.rank];
      EXPECT_GT(std::abs(value), 0.0F) << item;
      EXPECT_LT(std::abs(value), 10.0F) << item;
    }
  }
}

sim::SimulationOptions three_nodes(const Problem& problem) {
  sim::SimulationOptions options;
  options.engine = problem.engine;
  for (std::uint32_t n = 0; n < 3; ++n) {
    options.hosts.push_back({"host" + std::to_string(n), 2, 1});
    options.nodes.push_back({n, n == 0, true, 0});
  }
  // Without audit: its rules are those of one block a variable, of objectives that never rise and of replicas that
  // recompute() leaves as they are. Parts of a heavy row, sgd and the return to the best factors are none of that.
  return options;
}

TEST_P(EverySolver, HasOneHashInASimulatedCluster) {
  const Problem problem(GetParam(), {2, 6, 2});
  const auto run = sim::simulate([&] { return problem.model(); }, three_nodes(problem), {});
  ASSERT_TRUE(run.ended);
  EXPECT_EQ(run.violation.value_or(""), "");
  EXPECT_EQ(outcome_of(run.end, problem), embedded(problem, 1));
}

TEST_P(EverySolver, HasOneHashWhenANodeOfASimulatedClusterCrashes) {
  const Problem problem(GetParam(), {2, 6, 2});
  const std::string expected = embedded(problem, 1);
  auto options = three_nodes(problem);
  const double seconds = sim::simulate([&] { return problem.model(); }, options, {}).seconds;
  options.lease_seconds = 0.5;
  options.faults = {.enabled = true, .horizon_seconds = seconds, .losing_schedulers = false};
  std::uint64_t crashes = 0, ends = 0;
  for (options.seed = 1; options.seed <= 25; ++options.seed) {
    const auto run = sim::simulate([&] { return problem.model(); }, options, {});
    ASSERT_TRUE(run.ended) << "seed " << options.seed;
    EXPECT_EQ(run.violation.value_or(""), "") << "seed " << options.seed;
    if (run.lethal_at >= 0 || run.early_end != sim::EarlyEnd::none) continue;
    ++ends;
    EXPECT_EQ(outcome_of(run.end, problem), expected) << "seed " << options.seed;
    for (const auto& hit : run.hits) crashes += hit.name == "crash" ? hit.count : 0;
  }
  EXPECT_GT(ends, 10U);
  EXPECT_GT(crashes, 0U);
}

TEST_P(EverySolver, SurvivesClustersDrawnFromSeeds) {
  const auto maker_of = [](std::uint64_t seed, const EngineOptions& engine) {
    return [seed, engine, solver = GetParam()] {
      Problem problem(solver, {engine.schedulers, engine.workers, engine.depth});
      problem.engine = engine;
      problem.data.seed = seed % 3 + 1;
      return problem.model();
    };
  };
  std::uint64_t reached = 0;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    auto options = sim::draw_small_cluster(seed);
    options.audit = false;
    const auto make = maker_of(seed, options.engine);
    const auto judged = sim::judge_run(sim::simulate(make, options, {}), options, sim::run_undisturbed(options, make));
    EXPECT_EQ(judged.violation.value_or(""), "") << "seed " << seed;
    reached += judged.ended_by_loss ? 0 : 1;
  }
  EXPECT_GT(reached, 10U);
}

TEST_P(EverySolver, HasOneHashForEachSimdTarget) {
  std::size_t targets = 0;
  for (const Simd target : {Simd::sse4, Simd::avx2, Simd::avx512}) {
    if (!choose_simd(target).ok()) continue;  // this CPU lacks it
    ++targets;
    const Problem problem(GetParam(), {2, 3, 2});
    const std::string expected = embedded(problem, 1);
    EXPECT_EQ(embedded(problem, 3), expected) << simd_name();
    EXPECT_EQ(outcome_of(cluster(problem, {.nodes = 2, .seed = 4, .order = Order::any}), problem), expected)
        << simd_name();
  }
  ASSERT_TRUE(choose_simd(Simd::automatic).ok());
  EXPECT_GE(targets, 1U);
}

INSTANTIATE_TEST_SUITE_P(Mf, EverySolver, testing::ValuesIn(test::kSolvers),
                         [](const auto& solver) { return test::solver_name(solver.param); });

TEST(MfRuns, OfMovieLensHaveOneHash) {
  RatingsInput input;
  input.path = std::string(STRADS_SOURCE_DIR) + "/tests/datasets/movielens/ratings.csv.gz";
  input.validation = 0.05;
  SerialChunks chunks;
  const auto ratings = load_ratings(input, chunks);
  ASSERT_TRUE(ratings.ok()) << ratings.status().message();
  const EngineOptions engine{.schedulers = 3, .workers = 4, .depth = 3};
  for (const Solver solver : test::kSolvers) {
    MfOptions options;
    options.solver = solver;
    options.rank = 8;
    options.sweeps_max = 2;
    const auto data = [&] {
      auto made = prepare_mf(std::make_shared<Ratings>(*ratings.value()), 1, std::make_shared<SerialChunks>()).value();
      made->reload = [&]() -> Result<std::shared_ptr<const Triplets>> {
        return std::make_shared<const Triplets>(ratings.value()->train);
      };
      return made;
    };
    const auto model = [&] { return make_mf_model(data(), options, engine, false); };
    std::set<std::string> hashes;
    for (const unsigned threads : {1U, 2U}) {
      const auto run = run_embedded(model(), engine, {.threads = threads, .encode_messages = threads == 2}, {}, {});
      hashes.insert(model_hash(solution_of(*data(), options, run.end)));
    }
    const auto run =
        support::run_cluster(model, {.engine = engine, .nodes = 3, .seed = 1, .order = Order::any, .duplicates = 0.1});
    hashes.insert(model_hash(solution_of(*data(), options, run.end)));
    EXPECT_EQ(hashes.size(), 1U) << test::solver_name(solver);
  }
}

}  // namespace
}  // namespace strads::mf
