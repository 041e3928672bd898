// Runs beside each other in one process: each has what it has alone, whoever is there at the same time.
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "lasso/run/cv.hpp"
#include "lasso_runs.hpp"
#include "strads/transport/embedded_runs.hpp"
#include "support/threaded_cluster.hpp"

namespace strads::lasso {
namespace {

using Outcomes = std::map<std::size_t, std::string>;

/// Every policy, shape and storage once: what such runs could share by mistake is of other sizes in each.
std::vector<Problem> different_problems() {
  std::vector<Problem> problems;
  for (const Policy policy : kPolicies) {
    const std::size_t i = problems.size();
    Problem& own =
        problems.emplace_back(i % 2 == 0 ? small_dense() : small_genotypes(), policy, kShapes[i % kShapes.size()], 400);
    own.lasso.lambda = 0.6 / static_cast<double>(1 + i);
    own.lasso.eta = 1e-3;
    own.engine.seed = i;
  }
  return problems;
}

Outcomes alone(const std::vector<Problem>& problems) {
  Outcomes outcomes;
  for (std::size_t i = 0; i < problems.size(); ++i) outcomes.emplace(i, embedded(problems[i], 1));
  return outcomes;
}

std::vector<RunRequest> requests_of(const std::vector<Problem>& problems) {
  std::vector<RunRequest> requests;
  for (const Problem& problem : problems) {
    requests.push_back({problem.engine, [&problem] { return Result<std::shared_ptr<Model>>(problem.model()); }});
  }
  return requests;
}

Outcomes beside(const std::vector<Problem>& problems, std::size_t at_once, const EmbeddedOptions& options) {
  Outcomes outcomes;
  RunsHooks hooks;
  hooks.ended = [&](std::size_t run, const RunEnd& end) {
    EXPECT_TRUE(outcomes.emplace(run, outcome_of(end, problems[run].dataset->columns().columns)).second) << run;
  };
  EXPECT_TRUE(run_embedded(requests_of(problems), at_once, options, hooks).status.ok());
  return outcomes;
}

TEST(RunsBesideEachOther, HaveEachTheBitsThatTheyHaveAlone) {
  const auto problems = different_problems();
  const Outcomes expected = alone(problems);
  for (const std::size_t at_once : {1U, 2U, 3U, 6U, 100U}) {
    EXPECT_EQ(beside(problems, at_once, {.threads = 1}), expected) << at_once << " at once";
    EXPECT_EQ(beside(problems, at_once, {.threads = 3, .encode_messages = true}), expected) << at_once << " at once";
  }
}

TEST(RunsBesideEachOther, AreNeverMoreAtATimeThanAskedFor) {
  const auto problems = different_problems();
  std::set<std::size_t> there;
  std::size_t most = 0;
  RunsHooks hooks;
  hooks.observe = [&](std::size_t run, const ProgressEvent&) {
    there.insert(run);
    most = std::max(most, there.size());
    return false;
  };
  hooks.ended = [&](std::size_t run, const RunEnd&) { there.erase(run); };
  EXPECT_EQ(run_embedded(requests_of(problems), 2, {.threads = 2}, hooks).begun, problems.size());
  EXPECT_EQ(most, 2U);
}

TEST(RunsBesideEachOther, EndWithTheFirstThatCannotBeDone) {
  auto problems = different_problems();
  auto requests = requests_of(problems);
  requests[2].make_model = [] { return Result<std::shared_ptr<Model>>(Status::input("no such file")); };
  Outcomes outcomes;
  RunsHooks hooks;
  hooks.ended = [&](std::size_t run, const RunEnd&) { outcomes[run]; };
  const EmbeddedRuns done = run_embedded(requests, 1, {.threads = 2}, hooks);
  EXPECT_EQ(done.status.message(), "no such file");
  EXPECT_EQ(outcomes.size(), 2U);
}

TEST(RunsBesideEachOther, ThatAreToFinishEndAndThoseThatWereNotBegunNeverBegin) {
  const auto problems = different_problems();
  Outcomes outcomes;
  RunsHooks hooks;
  hooks.observe = [&](std::size_t run, const ProgressEvent& event) { return run == 1 && event.version == 2; };
  hooks.ended = [&](std::size_t run, const RunEnd& end) { outcomes[run] = end.stop_reason; };
  const EmbeddedRuns done = run_embedded(requests_of(problems), 2, {.threads = 1}, hooks);
  EXPECT_TRUE(done.status.ok());
  EXPECT_LT(done.begun, problems.size());
  EXPECT_EQ(outcomes.size(), done.begun);
  EXPECT_EQ(outcomes[1], kStopLimit);
}

TEST(RunsBesideEachOther, MakeTheirModelWhenTheyBegin) {
  const auto problems = different_problems();
  auto requests = requests_of(problems);
  std::size_t ended = 0;
  for (std::size_t i = 0; i < requests.size(); ++i) {
    requests[i].make_model = [&, i] {
      EXPECT_GE(ended + 2, i + 1);  // two at once
      return Result<std::shared_ptr<Model>>(problems[i].model());
    };
  }
  RunsHooks hooks;
  hooks.ended = [&](std::size_t, const RunEnd&) { ++ended; };
  (void)run_embedded(requests, 2, {.threads = 2}, hooks);
  EXPECT_EQ(ended, requests.size());
}

// --- cross-validation ---

/// What `lasso cv` does with one trait.
struct CrossValidated {
  Problem problem;
  CvData data;

  CrossValidated(const std::shared_ptr<const Dataset>& dataset, Policy policy, const Shape& shape)
      : problem(dataset, policy, shape, 0) {
    problem.lasso.path.count = policy == Policy::automatic ? 25 : 6;
    problem.lasso.path.min_ratio = policy == Policy::automatic ? 1e-3 : 0.2;
    problem.lasso.tolerance = policy == Policy::automatic ? 1e-6 : 0.05;
    data = prepared();
  }
  [[nodiscard]] CvData prepared() const { return prepare_cv(problem.dataset, problem.lasso, "4", 3).value(); }

  [[nodiscard]] std::string line(const PathPoint& point) const {
    LassoSolution solution;
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
  static void hold_back(CvRuns& runs, const std::size_t& others) {
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
    CvRuns runs;
    Outcomes outcomes;
    std::size_t others = 0;  ///< beside the leading path

    Together(const CrossValidated& cv, bool lead_is_slow) {
      runs =
          make_cv_runs(std::span(&cv.data, 1), cv.problem.lasso, cv.problem.engine,
                       [this, &cv](const CvPart& at, const PathPoint& point) { outcomes[at.part] += cv.line(point); });
      if (lead_is_slow) hold_back(runs, others);
    }
    void note_end(const CrossValidated& cv, std::size_t run, const RunEnd& end) {
      runs.note_end(run);
      outcomes[runs.places[run].part] += cv.end_line(end);
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
      const auto own = std::make_shared<CvData>(prepared());
      node.make_model = [this, own] { return Result(make_cv_part(std::span(own.get(), 1), 0, problem.lasso)); };
      node.further = [this, own](const std::string& request) {
        const std::size_t run = std::stoul(request);
        return Result(LoadedModel{make_cv_part(std::span(own.get(), 1), run, problem.lasso), problem.engine, {}});
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

  /// `lasso path` on the samples of one part, at these lambdas in units of y, or down a grid of its own.
  [[nodiscard]] std::string path(std::size_t part, const std::vector<double>& lambdas,
                                 std::vector<double>& solved) const {
    LassoOptions options = problem.lasso;
    const LassoData& samples = *data.parts[part];
    if (!lambdas.empty()) {
      options.path.given = lambdas;
      options.lambda_scale = LambdaScale::y;
    }
    std::string text;
    const double per_y = std::sqrt(samples.columns->weight()) / samples.response.norm;
    const auto model =
        make_lasso_model(prepare_lasso(samples.dataset, options).value(), options, [&](const PathPoint& point) {
          text += line(point);
          solved.push_back(point.lambda / per_y);
        });
    const auto run = run_embedded(model, problem.engine, {.threads = 1}, {}, {});
    return text + end_line(run.end);
  }
};

class LassoCrossValidationBy : public testing::TestWithParam<Policy> {};

TEST_P(LassoCrossValidationBy, IsThePathOnEachPartsSamplesDownToWhereTheLeadingOneEnds) {
  bool ends_early = false;
  for (const Shape& shape : {kShapes[0], kShapes[3]}) {
    for (const auto& dataset : {small_dense(), small_genotypes()}) {
      const CrossValidated cv(dataset, GetParam(), shape);
      Outcomes expected;
      std::vector<double> lambdas, unused;
      expected[0] = cv.path(0, {}, lambdas);
      ends_early = ends_early || lambdas.size() < cv.problem.lasso.path.count;
      for (std::size_t part = 1; part < cv.data.parts.size(); ++part) expected[part] = cv.path(part, lambdas, unused);
      EXPECT_EQ(cv.beside(100, 1), expected) << cv.problem.name();
      EXPECT_EQ(cv.beside(2, 3), expected) << cv.problem.name();
      EXPECT_EQ(cv.beside(3, 2, true), expected) << cv.problem.name() << ", all wait for the leading path";
      EXPECT_EQ(cv.beside(1, 1), expected) << cv.problem.name();
    }
  }
  EXPECT_EQ(ends_early, GetParam() == Policy::automatic) << "else the others would end where the grid does";
}

TEST_P(LassoCrossValidationBy, HasOneOutcomeOnNodesThatHostThePaths) {
  const CrossValidated cv(small_dense(), GetParam(), kShapes[0]);
  const Outcomes expected = cv.beside(1, 1);
  EXPECT_EQ(cv.on_nodes(2), expected);
  EXPECT_EQ(cv.on_nodes(100), expected);
}

INSTANTIATE_TEST_SUITE_P(Policies, LassoCrossValidationBy, testing::Values(Policy::paper, Policy::automatic),
                         [](const auto& policy) { return std::string(policy_name(policy.param)); });

}  // namespace
}  // namespace strads::lasso
