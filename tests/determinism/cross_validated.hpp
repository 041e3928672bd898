// What `lasso cv` does with one trait, in every way that there is to do it: of each run its points and its end, as
// text.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <memory>
#include <span>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "lasso/model/lasso_model.hpp"
#include "lasso/study/study_runs.hpp"
#include "lasso_runs.hpp"
#include "strads/sim/simulate.hpp"
#include "strads/transport/embedded_runs.hpp"
#include "support/threaded_cluster.hpp"

namespace strads::lasso {

using Outcomes = std::map<std::size_t, std::string>;

/// What `lasso cv` does with one trait.
struct CrossValidated {
  Problem problem;
  PathGroup data;

  CrossValidated(const std::shared_ptr<const Dataset>& dataset, Policy policy, const Shape& shape)
      : problem(dataset, policy, shape, 0) {
    problem.lasso.path.count = policy == Policy::automatic ? 25 : 6;
    problem.lasso.path.min_ratio = policy == Policy::automatic ? 1e-3 : 0.2;
    problem.lasso.tolerance = policy == Policy::automatic ? 1e-6 : 0.05;
    data = prepared();
  }
  [[nodiscard]] PathGroup prepared() const {
    return make_group(problem.dataset, problem.lasso, {.kind = StudyDesign::Kind::cv, .folds = "4", .seed = 3}).value();
  }

  [[nodiscard]] std::string line(const Solution& point) const {
    Solution solution;
    solution.variables = point.variables;
    solution.standardized = point.standardized;
    std::ostringstream text;
    text << point.index << ' ' << beta_hash(solution, problem.dataset->columns().columns) << std::hexfloat << ' '
         << point.lambda << ' ' << point.certificate.objective << ' ' << point.certificate.gap << ' ' << point.phases
         << '\n';
    return text.str();
  }
  [[nodiscard]] std::string end_line(const RunEnd& end) const {
    std::ostringstream text;
    text << end.stop_reason << ' ' << end.totals.rounds << " rounds " << end.totals.updates << " updates "
         << end.totals.flops << " flops " << end.certificate.converged;
    return text.str();
  }

  /// The leading path goes on only when one of the others waits for it, or none is there.
  static void hold_back(StudyRuns& runs, const std::size_t& others) {
    const auto one_waits = std::make_shared<bool>(false);
    runs.requests[0].may_judge = [one_waits, &others] { return others == 0 || std::exchange(*one_waits, false); };
    for (std::size_t i = 1; i < runs.requests.size(); ++i) {
      auto& request = runs.requests[i];
      request.may_judge = [one_waits, asked = request.may_judge] {
        const bool may = asked();
        *one_waits = *one_waits || !may;
        return may;
      };
    }
  }

  /// The runs, and what they come to: of each its points and its end.
  struct Together {
    StudyRuns runs;
    Outcomes outcomes;
    std::size_t others = 0;  ///< beside the leading path

    Together(const CrossValidated& cv, bool lead_is_slow) {
      runs = make_study_runs(
          std::span(&cv.data, 1), cv.problem.lasso, cv.problem.engine,
          [this, &cv](const PathPlace& at, const Solution& point) { outcomes[at.path] += cv.line(point); });
      if (lead_is_slow) hold_back(runs, others);
    }
    void note_end(const CrossValidated& cv, std::size_t run, const RunEnd& end) {
      runs.note_end(run);
      outcomes[runs.places[run].path] += cv.end_line(end);
    }
  };

  [[nodiscard]] Outcomes beside(std::size_t at_once, unsigned threads, bool lead_is_slow = false) const {
    Together together(*this, lead_is_slow);
    for (std::size_t i = 1; i < together.runs.requests.size(); ++i) {
      together.runs.requests[i].make_model = [&together, make = together.runs.requests[i].make_model] {
        ++together.others;
        return make();
      };
    }
    RunsHooks hooks;
    hooks.ended = [&](std::size_t run, const RunEnd& end) {
      if (run > 0) --together.others;
      together.note_end(*this, run, end);
    };
    EXPECT_TRUE(run_embedded(together.runs.requests, at_once, {.threads = threads}, hooks).status.ok());
    return together.outcomes;
  }

  /// On two nodes that host them, each with data of its own.
  [[nodiscard]] Outcomes on_nodes(std::size_t at_once) const {
    Together together(*this, false);
    support::ThreadedCluster cluster;
    cluster.engine = problem.engine;
    cluster.make_model = [&] { return together.runs.requests[0].make_model().value(); };
    for (support::ThreadedNode& node : cluster.nodes) {
      const auto own = std::make_shared<PathGroup>(prepared());
      node.make_model = [this, own] { return Result(make_study_model(std::span(own.get(), 1), 0, problem.lasso)); };
      node.further = [this, own](const std::string& request) {
        const std::size_t run = std::stoul(request);
        return Result(LoadedModel{make_study_model(std::span(own.get(), 1), run, problem.lasso), problem.engine, {}});
      };
    }
    std::size_t begun = 1, ended = 0;
    cluster.hooks.more_to_come = [&] { return begun < together.runs.requests.size(); };
    cluster.hooks.more_runs = [&] {
      std::vector<FurtherRunRequest> more;
      while (begun < together.runs.requests.size() && begun - ended < at_once) {
        const RunRequest& next = together.runs.requests[begun];
        if (!next.may_begin()) break;
        more.push_back({next.engine, std::to_string(begun++), next.make_model, next.placed_as, next.may_judge});
      }
      return more;
    };
    cluster.hooks.run_ended = [&](std::uint32_t run, const RunEnd& end) {
      ++ended;
      together.note_end(*this, run, end);
    };
    const auto done = support::run_threaded(std::move(cluster));
    EXPECT_TRUE(done.run.end.status.ok()) << done.run.end.status.message();
    return together.outcomes;
  }

  /// In the simulator, with faults where `seed` is not 0.
  [[nodiscard]] Outcomes simulated(std::uint64_t seed, sim::SimulatedRun& run) const {
    Together together(*this, false);
    sim::SimulationOptions options;
    options.engine = problem.engine;
    for (std::uint32_t n = 0; n < 4; ++n) {
      options.hosts.push_back({"host" + std::to_string(n), 2, 1});
      options.nodes.push_back({n, n < 2, n >= 1, 0});
    }
    options.audit = true;
    options.small_task_flops = 0;
    options.seed = seed;
    options.faults.enabled = seed != 0;
    const auto on_node = [this](std::size_t at) { return make_study_model(std::span(&data, 1), at, problem.lasso); };
    const auto& requests = together.runs.requests;
    options.driver_model = [&] { return requests[0].make_model().value(); };
    for (std::size_t at = 1; at < requests.size(); ++at) {
      sim::FurtherRun& further = options.further.emplace_back();
      further.engine = requests[at].engine;
      further.make_model = [=] { return on_node(at); };
      further.driver_model = [make = requests[at].make_model] { return make().value(); };
      further.may_begin = requests[at].may_begin;
      further.may_judge = requests[at].may_judge;
    }
    options.run_ended = [&](std::uint32_t at) { together.runs.note_end(at); };
    run = sim::simulate([&] { return on_node(0); }, options, {});
    for (std::size_t at = 0; at < requests.size(); ++at) {
      const bool ended = at == 0 ? run.ended : run.further.size() >= at && run.further[at - 1].ended;
      if (ended) together.outcomes[at] += end_line(at == 0 ? run.end : run.further[at - 1].end);
    }
    return together.outcomes;
  }

  /// `lasso path` on the samples of one part, at these lambdas in units of y, or down a grid of its own.
  [[nodiscard]] std::string path(std::size_t part, const std::vector<double>& lambdas,
                                 std::vector<double>& solved) const {
    LassoOptions options = problem.lasso;
    const LassoData& samples = *data.paths[part].data;
    if (!lambdas.empty()) {
      options.path.given = lambdas;
      options.lambda_scale = LambdaScale::y;
    }
    std::string text;
    const double per_y = std::sqrt(samples.columns->weight()) / samples.response.norm;
    const auto model =
        make_lasso_model(prepare_lasso(samples.dataset, options).value(), options, [&](const Solution& point) {
          text += line(point);
          solved.push_back(point.lambda / per_y);
        });
    const auto run = run_embedded(model, problem.engine, {.threads = 1}, {}, {});
    return text + end_line(run.end);
  }
};

}  // namespace strads::lasso
