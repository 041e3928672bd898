// Section 5 of the paper: what STRADS is compared with, on the same engine. Guard off, D = 1.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "recorder.hpp"

namespace strads::lasso {
namespace {

/// Chi-square of `count` against equal frequencies.
double chi_square(const std::map<VarId, int>& count, std::size_t kinds) {
  double total = 0;
  for (const auto& [j, times] : count) total += times;
  const double expected = total / static_cast<double>(kinds);
  double sum = static_cast<double>(kinds - count.size()) * expected;
  for (const auto& [j, times] : count) sum += (times - expected) * (times - expected) / expected;
  return sum;
}

constexpr double kChiSquare15 = 37.7;  ///< 99.9 % with 15 degrees of freedom

/// How often each of 16 variables was the first of a round.
std::map<VarId, int> first_of_rounds(Policy policy) {
  LassoOptions options = published(policy);
  options.lambda = 0.02;
  std::map<VarId, int> count;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const auto run = observe(random_content({.columns = 16, .shared = 1.0}), options,
                             {.seed = seed, .workers = 2, .rounds_max = 60});
    for (const auto& round : run.record.rounds) ++count[round.assigns.at(0).block.ids.at(0)];
  }
  return count;
}

// --- unstructured: Shotgun ---

TEST(Section5Uniform, DrawsEveryVariableEquallyOften) {
  EXPECT_LT(chi_square(first_of_rounds(Policy::uniform), 16), kChiSquare15);
}

TEST(Section5Uniform, UpdatesPDifferentVariablesARound) {
  const auto run = observe(random_content({}), published(Policy::uniform), {.workers = 6, .rounds_max = 60});
  for (const auto& round : run.record.rounds) {
    const auto all = round.variables();
    EXPECT_EQ(all.size(), 6u);
    EXPECT_EQ(std::set<VarId>(all.begin(), all.end()).size(), 6u);
    for (const auto& assign : round.assigns) EXPECT_EQ(assign.block.ids.size(), 1u);
  }
}

TEST(Section5Uniform, DoesNotCheckDependencies) {
  // Equal columns meet in a round: rho = 0.1 does not keep them apart.
  Content content = random_content({.columns = 8});
  for (auto& column : content.columns) column = content.columns[0];
  const auto run = observe(content, published(Policy::uniform), {.workers = 4, .rounds_max = 10});
  for (const auto& round : run.record.rounds) EXPECT_EQ(round.variables().size(), 4u);
}

TEST(Section5Uniform, DivergesOnCorrelatedVariables) {
  // P equal columns each take the whole step: the objective rises. This is what the dependency check is for.
  Content content = random_content({.columns = 8});
  for (auto& column : content.columns) column = content.columns[0];
  const auto run = observe(content, published(Policy::uniform), {.workers = 4, .rounds_max = 10});
  EXPECT_GT(run.record.rounds.back().commit.objective, 10 * 0.5);
}

TEST(Section5Uniform, UnderTheGuardTheObjectiveNeverRises) {
  Content content = random_content({.columns = 8});
  for (auto& column : content.columns) column = content.columns[0];
  LassoOptions options = published(Policy::uniform);
  options.guard = true;
  const auto run = observe(content, options, {.workers = 4, .rounds_max = 50});
  double before = 0.5;
  for (const auto& round : run.record.rounds) {
    EXPECT_LE(round.commit.objective, before + 0.5e-12);
    before = round.commit.objective;
  }
}

TEST(Section5Uniform, UpdatesInParallelFromTheSameResidual) {
  // Shotgun, Algorithm 2 of [BraKyrBicGue11], with the exact step: every delta is that of the round's base.
  const auto run =
      observe(random_content({.shared = 0.3}), published(Policy::uniform), {.workers = 5, .rounds_max = 40});
  Vector beta(24, 0.0);
  for (const auto& round : run.record.rounds) {
    const Vector r = run.plain.residual(beta);
    Vector next = beta;
    for (const auto& assign : round.assigns) {
      const VarId j = assign.block.ids.at(0);
      const double target = beta[j] + plain_dot(run.plain.x[j], r);
      next[j] = std::copysign(std::max(std::abs(target) - run.lambda, 0.0), target);
    }
    const auto& changes = round.commit.changes;
    for (std::size_t k = 0; k < changes.ids.size(); ++k) beta[changes.ids[k]] += changes.values[k];
    for (std::size_t j = 0; j < 24; ++j) EXPECT_NEAR(beta[j], next[j], 1e-11);
  }
}

// --- static correlation scheduling ---

TEST(Section5Static, DrawsEveryVariableEquallyOften) {
  EXPECT_LT(chi_square(first_of_rounds(Policy::fixed_structure), 16), kChiSquare15);
}

TEST(Section5Static, ThePapersSamplingIsNotUniform) {
  EXPECT_GT(chi_square(first_of_rounds(Policy::paper), 16), kChiSquare15) << "else the two tests above prove nothing";
}

TEST(Section5Static, DispatchesNearlyIndependentVariablesOnly) {
  LassoOptions options = published(Policy::fixed_structure);
  options.rho = 0.1;
  const auto run =
      observe(random_content({.rows = 100, .columns = 60, .shared = 0.5}), options, {.workers = 8, .rounds_max = 100});
  std::size_t fewer = 0;
  for (const auto& round : run.record.rounds) {
    const auto chosen = round.variables();
    EXPECT_LE(chosen.size(), 8u);
    fewer += chosen.size() < 8 ? 1 : 0;
    for (std::size_t a = 0; a < chosen.size(); ++a) {
      for (std::size_t b = 0; b < a; ++b) {
        EXPECT_LE(std::abs(plain_dot(run.plain.x[chosen[a]], run.plain.x[chosen[b]])), 0.1 + 1e-12);
      }
    }
  }
  EXPECT_GT(fewer, 0u) << "the check must bind somewhere";
}

// --- block-greedy [SchTewHalHag12] ---

TEST(Section5BlockGreedy, UpdatesTheBestVariableOfEachBlock) {
  const auto run = observe(random_content({.columns = 300, .shared = 0.1, .causes = 30}),
                           published(Policy::block_greedy), {.workers = 3, .rounds_max = 60});
  Vector beta(300, 0.0);
  for (const auto& round : run.record.rounds) {
    const Vector r = run.plain.residual(beta);
    const auto worth = [&](VarId j) {
      const double g = plain_dot(run.plain.x[j], r);
      const double target = beta[j] + g;
      const double updated = std::copysign(std::max(std::abs(target) - run.lambda, 0.0), target);
      const double d = updated - beta[j];
      return g * d - 0.5 * d * d - run.lambda * (std::abs(updated) - std::abs(beta[j]));
    };
    EXPECT_EQ(round.deltas.size(), round.assigns.size());
    for (const auto& deltas : round.deltas) {
      EXPECT_LE(deltas.deltas.ids.size(), 1u) << "one variable a block";
      const auto& block = round.assigns.at(deltas.index).block.ids;
      double best = 0;
      for (const VarId j : block) best = std::max(best, worth(j));
      const double chosen = deltas.deltas.ids.empty() ? 0.0 : worth(deltas.deltas.ids[0]);
      EXPECT_NEAR(chosen, best, 1e-12);
    }
    const auto& changes = round.commit.changes;
    for (std::size_t k = 0; k < changes.ids.size(); ++k) beta[changes.ids[k]] += changes.values[k];
  }
}

TEST(Section5BlockGreedy, BlocksAreStaticAndDisjoint) {
  const auto run =
      observe(random_content({.columns = 300}), published(Policy::block_greedy), {.workers = 3, .rounds_max = 100});
  std::set<std::vector<VarId>> blocks;
  for (const auto& round : run.record.rounds) {
    EXPECT_EQ(round.assigns.size(), 3u) << "P random blocks";
    std::set<std::vector<VarId>> in_round;
    for (const auto& assign : round.assigns) EXPECT_TRUE(in_round.insert(assign.block.ids).second);
    blocks.insert(in_round.begin(), in_round.end());
  }
  std::set<VarId> all;
  std::size_t members = 0;
  for (const auto& block : blocks) {
    all.insert(block.begin(), block.end());
    members += block.size();
  }
  EXPECT_EQ(all.size(), 300u);
  EXPECT_EQ(members, 300u) << "no variable in two blocks";
}

TEST(Section5BlockGreedy, ChoosesBlocksAtRandom) {
  const auto run = observe(random_content({.columns = 16 * 64, .shared = 0.0}), published(Policy::block_greedy),
                           {.workers = 1, .rounds_max = 800});
  std::map<VarId, int> count;
  for (const auto& round : run.record.rounds) ++count[round.assigns.at(0).block.ids.at(0) / 64];
  EXPECT_LT(chi_square(count, 16), kChiSquare15);
}

// --- what the experiments showed, in small ---

TEST(Section5, StradsEndsLowerThanBothBaselinesAfterTheFirstVisits) {
  // "an early sharp drop ... after all variables have been updated at least once".
  int wins = 0;
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    const Content content = random_content({.rows = 60, .columns = 200, .seed = seed, .shared = 0.1, .causes = 10});
    const EngineOptions engine{.seed = seed, .workers = 4, .rounds_max = 150};
    const auto objective = [&](Policy policy) {
      return observe(content, published(policy), engine).record.end.certificate.objective;
    };
    const double strads = objective(Policy::paper);
    wins += strads < objective(Policy::uniform) && strads < objective(Policy::fixed_structure) ? 1 : 0;
  }
  EXPECT_GE(wins, 9);
}

}  // namespace
}  // namespace strads::lasso
