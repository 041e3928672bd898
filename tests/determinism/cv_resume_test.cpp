// A cross-validation that is cut anywhere and goes on from what a checkpoint has of each of its runs: the same bits,
// and nothing that had ended is computed again.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <vector>

#include "cross_validated.hpp"
#include "lasso/run/cv_kept.hpp"
#include "resumed.hpp"
#include "strads/program/checkpoint_file.hpp"
#include "support/sanitized.hpp"

namespace strads::lasso {
namespace {

/// Where all runs are.
struct Moment {
  std::vector<ListedRun> runs;
  std::vector<std::string> outcomes;  ///< of those that have ended
};

struct Cut {
  std::vector<Moment> moments;        ///< after each barrier and each end
  std::vector<std::string> outcomes;  ///< by run
  std::set<std::size_t> begun;        ///< runs that were carried out
};

/// The runs of `lasso cv`, from any moment.
class ResumableCv {
 public:
  ResumableCv(Policy policy, const Shape& shape) : cv_(small_genotypes(), policy, shape) {}

  [[nodiscard]] Cut run(const Moment* from, std::size_t at_once, unsigned threads) const {
    Cut cut;
    std::map<std::size_t, std::vector<Solution>> steps;
    auto runs = make_study_runs(std::span(&cv_.data, 1), cv_.problem.lasso, cv_.problem.engine,
                                [&](const PathPlace& at, const Solution& point) { steps[at.path].push_back(point); });
    const std::size_t count = runs.requests.size();
    Moment now = from == nullptr ? Moment{std::vector<ListedRun>(count), std::vector<std::string>(count)} : *from;
    const auto lead_of = [&](std::size_t run) { return run == 0 ? runs.leads[0].get() : nullptr; };
    std::vector<std::size_t> places;
    std::vector<RunRequest> requests;
    for (std::size_t run = 0; run < count; ++run) {
      if (now.runs[run].ended) {
        EXPECT_TRUE(take_back_path(now.runs[run].kept, steps[run], lead_of(run)).ok());
        runs.note_end(run);
        continue;
      }
      places.push_back(run);
      requests.push_back(runs.requests[run]);
      requests.back().resumes = now.runs[run].at;
      requests.back().make_model = [&cut, run, make = runs.requests[run].make_model] {
        cut.begun.insert(run);
        return make();
      };
    }
    RunsHooks hooks;
    hooks.checkpoint_due = [](std::size_t, Version) { return true; };
    hooks.checkpoint = [&](std::size_t run, RunCheckpoint checkpoint) {
      now.runs[places[run]].at = std::make_shared<RunCheckpoint>(std::move(checkpoint));
      cut.moments.push_back(now);
    };
    hooks.ended = [&](std::size_t run, const RunEnd& end) {
      const std::size_t place = places[run];
      runs.note_end(place);
      now.runs[place] = {.ended = true, .end = end, .kept = kept_of_path(steps[place], lead_of(place))};
      now.outcomes[place] = cv_.end_line(end) + " phases " + std::to_string(end.totals.phases);
      cut.moments.push_back(now);
    };
    const EmbeddedRuns done = run_embedded(requests, at_once, {.threads = threads}, hooks);
    EXPECT_TRUE(done.status.ok()) << done.status.message();
    cut.outcomes = now.outcomes;
    for (std::size_t run = 0; run < count; ++run) {
      for (const Solution& step : steps[run]) cut.outcomes[run] += "\n" + cv_.line(step);
    }
    return cut;
  }

 private:
  CrossValidated cv_;
};

/// About `wanted` places of `count`.
std::vector<std::size_t> spread(std::size_t count, std::size_t wanted) {
  std::vector<std::size_t> places;
  for (std::size_t k = 0; k < std::min(count, wanted); ++k) places.push_back(k * count / std::min(count, wanted));
  return places;
}

class ResumeOfCv : public testing::TestWithParam<Policy> {};

TEST_P(ResumeOfCv, HasTheBitsAndCountsOfTheOneThatWasNotCutAndComputesNoEndedRunAgain) {
  for (const Shape& shape : {kShapes[0], kShapes[3]}) {
    const ResumableCv cv(GetParam(), shape);
    for (const std::size_t at_once : {1U, 3U}) {
      const Cut whole = cv.run(nullptr, at_once, static_cast<unsigned>(at_once));
      ASSERT_EQ(whole.begun.size(), 5U);
      ASSERT_GE(whole.moments.size(), 20U);
      for (const std::size_t k : spread(whole.moments.size(), support::repetitions<std::size_t>(20, 5))) {
        const Moment& moment = whole.moments[k];
        const Cut again = cv.run(&moment, 1 + k % 3, static_cast<unsigned>(1 + k % 2));
        EXPECT_EQ(again.outcomes, whole.outcomes) << "cut at " << k << " of " << whole.moments.size();
        for (std::size_t run = 0; run < moment.runs.size(); ++run) {
          EXPECT_EQ(again.begun.contains(run), !moment.runs[run].ended) << "run " << run << ", cut at " << k;
        }
      }
    }
  }
}

/// The barriers in one file are of different times: a run may be older there than what others took from it.
TEST_P(ResumeOfCv, GoesOnWhereThePathOnAllSamplesIsOlderThanTheOthers) {
  const ResumableCv cv(GetParam(), kShapes[1]);
  const Cut whole = cv.run(nullptr, 3, 1);
  for (const std::size_t k : spread(whole.moments.size(), support::repetitions<std::size_t>(10, 3))) {
    for (const std::size_t older : {k / 2, k / 8}) {
      Moment moment = whole.moments[k];
      moment.runs[0] = whole.moments[older].runs[0];
      moment.outcomes[0] = whole.moments[older].outcomes[0];
      EXPECT_EQ(cv.run(&moment, 3, 2).outcomes, whole.outcomes) << "cut at " << k << ", all samples at " << older;
    }
    Moment moment = whole.moments[k];
    moment.runs[0] = {};
    moment.outcomes[0].clear();
    EXPECT_EQ(cv.run(&moment, 2, 1).outcomes, whole.outcomes) << "cut at " << k << ", all samples anew";
  }
}

INSTANTIATE_TEST_SUITE_P(Policies, ResumeOfCv, testing::Values(Policy::automatic, Policy::paper),
                         [](const auto& policy) { return policy.param == Policy::paper ? "paper" : "automatic"; });

/// What a judge is told again may rest on what other runs said, who may have to say it again first.
TEST(AResumedRun, WaitsForOthersBeforeItIsToldAgainWhatItWasTold) {
  Problem problem(small_genotypes(), Policy::automatic, kShapes[1], 600);
  problem.lasso.path.count = 6;
  std::size_t points = 0;
  const auto make = [&] {
    return make_lasso_model(prepare_lasso(problem.dataset, problem.lasso).value(), problem.lasso,
                            [&](const Solution&) { ++points; });
  };
  const auto whole = support::run_from(make, problem.engine, nullptr, 1, true);
  ASSERT_EQ(points, 6U);
  const RunCheckpoint& late = whole.checkpoints.back();
  ASSERT_GE(late.judged.size(), 4U);
  std::size_t asked = 0, points_before = 1;
  points = 0;
  RunRequest request{problem.engine, [&] { return Result<std::shared_ptr<Model>>(make()); }};
  request.resumes = std::make_shared<RunCheckpoint>(late);
  request.may_judge = [&] {
    if (asked == 0) points_before = points;
    return ++asked > 1;
  };
  RunEnd end;
  RunsHooks hooks;
  hooks.ended = [&](std::size_t, RunEnd ended) { end = std::move(ended); };
  EXPECT_TRUE(run_embedded(std::span(&request, 1), 1, {.threads = 1}, hooks).status.ok());
  EXPECT_EQ(points, 6U);
  EXPECT_EQ(points_before, 0U) << "it was told something before it might judge";
  EXPECT_GT(asked, late.judged.size()) << "before each barrier of it";
  EXPECT_EQ(outcome_of(end, problem.dataset->columns().columns),
            outcome_of(whole.end, problem.dataset->columns().columns));
}

}  // namespace
}  // namespace strads::lasso
