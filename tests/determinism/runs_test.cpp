// Runs beside each other in one process: each has what it has alone, whoever is there at the same time.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "cross_validated.hpp"
#include "lasso_runs.hpp"
#include "strads/transport/embedded_runs.hpp"

namespace strads::lasso {
namespace {

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
      for (std::size_t part = 1; part < cv.data.paths.size(); ++part) expected[part] = cv.path(part, lambdas, unused);
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
