// Section 3 of the paper: S schedulers with slices of their own take turns. Policy `paper`, guard off, D = 1.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <set>

#include "engine/planning/slices.hpp"
#include "recorder.hpp"

namespace strads::lasso {
namespace {

constexpr std::uint32_t kSchedulers = 4;
constexpr VarId kVariables = 48;

Observed four_schedulers(std::uint64_t seed = 1, std::uint64_t rounds = 120) {
  return observe(random_content({.columns = kVariables}), published(Policy::paper),
                 {.seed = seed, .schedulers = kSchedulers, .workers = 3, .depth = 1, .rounds_max = rounds});
}

/// Everything that each scheduler ever dispatched.
std::vector<std::set<VarId>> drawn_by(const Record& record) {
  std::vector<std::set<VarId>> sets(kSchedulers);
  for (std::size_t t = 0; t < record.rounds.size(); ++t) {
    const auto all = record.rounds[t].variables();
    sets[t % kSchedulers].insert(all.begin(), all.end());
  }
  return sets;
}

TEST(Section3, SlicesAreDisjointAndCoverEverything) {
  const auto sets = drawn_by(four_schedulers().record);
  std::set<VarId> all;
  for (const auto& set : sets) {
    EXPECT_EQ(set.size(), kVariables / kSchedulers) << "J / S variables each";
    all.insert(set.begin(), set.end());
  }
  EXPECT_EQ(all.size(), kVariables);
}

TEST(Section3, SlicesAreRandom) {
  std::set<std::vector<VarId>> different;
  for (std::uint64_t seed = 1; seed <= 20; ++seed)
    different.insert(engine::deal_slices(seed, kVariables, kSchedulers, 1)[0]);
  EXPECT_EQ(different.size(), 20u);
  // A variable is in slice 0 for a quarter of the seeds; adjacent ones together for a sixteenth or so (12/48 x 11/47).
  double alone = 0, together = 0;
  constexpr int kSeeds = 4000;
  for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
    const auto slice = engine::deal_slices(seed, kVariables, kSchedulers, 1)[0];
    const bool first = std::binary_search(slice.begin(), slice.end(), 0U);
    alone += first ? 1 : 0;
    together += first && std::binary_search(slice.begin(), slice.end(), 1U) ? 1 : 0;
  }
  EXPECT_NEAR(alone / kSeeds, 0.25, 0.025);
  EXPECT_NEAR(together / kSeeds, 12.0 / 48 * 11 / 47, 0.014);
}

TEST(Section3, SlicesAreFixed) {
  // What a scheduler draws in the first half of a run and in the second belongs to the same J / S variables.
  const auto record = four_schedulers(3, 400).record;
  ASSERT_GE(record.rounds.size(), 200u);
  for (std::uint32_t s = 0; s < kSchedulers; ++s) {
    std::set<VarId> all;
    for (std::size_t t = s; t < record.rounds.size(); t += kSchedulers) {
      for (const VarId j : record.rounds[t].variables()) all.insert(j);
    }
    EXPECT_EQ(all.size(), kVariables / kSchedulers);
  }
}

TEST(Section3, EachSchedulerDrawsFromItsOwnSliceOnly) {
  const auto record = four_schedulers(5).record;
  const auto slices = engine::deal_slices(5, kVariables, kSchedulers, 1);
  for (std::size_t t = 0; t < record.rounds.size(); ++t) {
    for (const VarId j : record.rounds[t].variables()) {
      EXPECT_TRUE(std::binary_search(slices[t % kSchedulers].begin(), slices[t % kSchedulers].end(), j))
          << "round " << t;
    }
  }
}

TEST(Section3, SchedulersTakeTurns) {
  // Thread 1 dispatches first, then thread 2, and so on until thread S, before returning to thread 1.
  Version next = 0;
  for (const auto& message : four_schedulers().record.messages) {
    const auto* commit = std::get_if<wire::Commit>(&message);
    if (commit == nullptr) continue;
    EXPECT_EQ(commit->version, next);
    EXPECT_EQ(commit->scheduler, static_cast<std::uint32_t>(next % kSchedulers));
    ++next;
  }
  EXPECT_EQ(next, 120);
}

TEST(Section3, BlocksOfDifferentSchedulersAreUpdatedAtDifferentIterations) {
  // With D = 1 a round is dispatched when the one before it is committed: no dependency between slices can be hurt.
  Round committed = -1;
  for (const auto& message : four_schedulers().record.messages) {
    if (const auto* commit = std::get_if<wire::Commit>(&message)) committed = commit->version;
    if (const auto* assign = std::get_if<wire::Assign>(&message)) {
      EXPECT_EQ(assign->round, committed + 1);
      EXPECT_EQ(assign->base, committed);
    }
  }
}

TEST(Section3, StaleSchedulersPlanAheadOfTheirTurn) {
  // Each thread has S-fold more time: its next plan is made from its own last commit, S - 1 rounds before it is needed.
  const auto planned_early = [](const Record& record) {
    std::uint64_t most = 0;
    for (const auto& status : record.statuses) most = std::max(most, status.planned_early);
    return most;
  };
  EXPECT_GT(planned_early(four_schedulers(1, 200).record), 20u) << "a quarter of 200 rounds is 50; barriers cost some";
  const auto alone = observe(random_content({.columns = kVariables}), published(Policy::paper),
                             {.schedulers = 1, .workers = 3, .rounds_max = 200});
  EXPECT_EQ(planned_early(alone.record), 0u) << "one scheduler must wait for its own commit";
}

TEST(Section3, APlanDependsOnTheSchedulersOwnSliceOnly) {
  // ps(j) is made from the changes of the slice's own variables. Another lambda changes every delta, but which
  // variables are visited first in each slice depends on nothing but the seed: the first J / (S P) turns are the same.
  LassoOptions options = published(Policy::paper);
  options.rho = 1.1;
  std::vector<std::vector<VarId>> chosen[2];
  for (int which = 0; which < 2; ++which) {
    options.lambda = which == 0 ? 0.1 : 0.5;
    const auto run = observe(random_content({.columns = kVariables}), options,
                             {.schedulers = kSchedulers, .workers = 3, .rounds_max = 16});
    for (const auto& round : run.record.rounds) chosen[which].push_back(round.variables());
  }
  EXPECT_EQ(chosen[0], chosen[1]);
}

TEST(Section3, VisitsEveryVariableOfASliceOnceBeforeAnyTwice) {
  LassoOptions options = published(Policy::paper);
  options.rho = 1.1;
  const auto run = observe(random_content({.columns = kVariables}), options,
                           {.schedulers = kSchedulers, .workers = 3, .rounds_max = 16});
  std::set<VarId> visited;
  for (const auto& round : run.record.rounds) {
    for (const VarId j : round.variables()) EXPECT_TRUE(visited.insert(j).second);
  }
  EXPECT_EQ(visited.size(), kVariables) << "16 rounds of 3";
}

TEST(Section3, ManySchedulersConvergeToTheSameLasso) {
  LassoOptions options = published(Policy::paper);
  options.tolerance = 1e-7;
  options.eta = 1e-3;
  const auto run = observe(random_content({.columns = kVariables, .shared = 0.3}), options,
                           {.schedulers = kSchedulers, .workers = 3, .rounds_max = 50000});
  const double best = run.plain.objective(run.plain.solve(run.lambda), run.lambda);
  EXPECT_EQ(run.record.end.stop_reason, "converged");
  EXPECT_NEAR(run.record.end.certificate.objective, best, 1e-7 * best);
}

TEST(Section3, TheSameSeedGivesTheSameMessages) {
  EXPECT_EQ(four_schedulers(9).record.messages, four_schedulers(9).record.messages);
}

}  // namespace
}  // namespace strads::lasso
