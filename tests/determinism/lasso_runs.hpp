// What the tests of determinism share: a Lasso run described by data, options and seed, and ways to execute it.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <memory>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "lasso/model/lasso_model.hpp"
#include "lasso/problem/lasso.hpp"
#include "strads/policies/options.hpp"
#include "strads/transport/embedded.hpp"
#include "support/cluster.hpp"
#include "support/made_up_data.hpp"
#include "support/threaded_cluster.hpp"

namespace strads::lasso {

/// S, P and D.
struct Shape {
  std::uint32_t schedulers = 1, workers = 1, depth = 1;
};

inline constexpr std::array kShapes{Shape{1, 1, 1}, Shape{1, 4, 1}, Shape{2, 2, 2}, Shape{4, 3, 2}, Shape{4, 8, 4}};
inline constexpr std::array kPolicies{Policy::uniform,  Policy::fixed_structure, Policy::paper,
                                      Policy::theorem1, Policy::block_greedy,    Policy::automatic};

/// Everything that fixes the bits.
struct Problem {
  std::shared_ptr<const Dataset> dataset;
  LassoOptions lasso;
  EngineOptions engine;

  Problem(std::shared_ptr<const Dataset> data, Policy policy, const Shape& shape, std::uint64_t rounds_max)
      : dataset(std::move(data)) {
    lasso.policy = policy;
    lasso.schedulers = engine.schedulers = shape.schedulers;
    lasso.workers = engine.workers = shape.workers;
    engine.depth = shape.depth;
    engine.rounds_max = rounds_max;
    // Small data do not pay for parallel rounds. Rounds that cost nothing do: `auto` shows all that it can do.
    lasso.cost.round_seconds = lasso.cost.block_seconds = 0;
  }

  [[nodiscard]] std::string name() const {
    std::ostringstream text;
    text << policy_name(lasso.policy) << " S=" << engine.schedulers << " P=" << engine.workers << " D=" << engine.depth
         << " seed=" << engine.seed;
    return text.str();
  }
  [[nodiscard]] std::shared_ptr<Model> model() const {
    return make_lasso_model(prepare_lasso(dataset, lasso).value(), lasso);
  }
};

/// The coefficients' hash, and the numbers that a user would compare as well.
inline std::string outcome_of(const RunEnd& end, VarId variables) {
  if (!end.status.ok()) return end.status.message();
  std::ostringstream text;
  text << beta_hash(solution_of(end), variables) << ' ' << end.stop_reason << ' ' << end.totals.rounds << " rounds "
       << end.totals.updates << " updates " << end.totals.flops << " flops F=" << std::hexfloat
       << end.certificate.objective << " gap=" << end.certificate.gap;
  for (const std::uint64_t count : end.totals.tally) text << ' ' << count;
  return text.str();
}

inline std::string embedded(const Problem& problem, unsigned threads, bool encode_messages = false) {
  const auto run =
      run_embedded(problem.model(), problem.engine, {.threads = threads, .encode_messages = encode_messages}, {}, {});
  return outcome_of(run.end, problem.dataset->columns().columns);
}

/// `options.engine` is the problem's. Nodes share the mapped data and nothing else: what is known about columns
/// outside its slices, each finds out for itself, as a process would.
inline support::ClusterRun cluster(const Problem& problem, support::ClusterOptions options) {
  options.engine = problem.engine;
  return support::run_cluster([&] { return problem.model(); }, options);
}

inline std::string outcome_of(const support::ClusterRun& run, const Problem& problem) {
  if (!run.ended || !run.all_stopped) return "did not end";
  return outcome_of(run.end, problem.dataset->columns().columns);
}
inline std::string outcome_of(const support::ThreadedRun& run, const Problem& problem) {
  return outcome_of(run.run.end, problem.dataset->columns().columns);
}

/// As names of tests have it.
inline std::string name_of_shape(const testing::TestParamInfo<Shape>& shape) {
  std::ostringstream text;
  text << 'S' << shape.param.schedulers << 'P' << shape.param.workers << 'D' << shape.param.depth;
  return text.str();
}

/// 300 people, 60 variants, each in linkage with the one before.
inline std::shared_ptr<const Dataset> small_genotypes() {
  static const auto data =
      support::genotype_dataset({.rows = 300, .columns = 60, .seed = 1, .correlation = 0.3, .missing = 0.02});
  return data;
}

inline std::shared_ptr<const Dataset> small_dense() {
  static const auto data = support::dense_dataset({.rows = 61, .columns = 90, .seed = 2, .correlation = 0.2});
  return data;
}

}  // namespace strads::lasso
