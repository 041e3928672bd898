// Algorithm 1 of the paper (parallel coordinate descent for the Lasso with SAP), claim by claim, seen from outside:
// policy `paper`, guard off, D = 1. [LeeKimHoGibXin14]
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "engine/planning/sampler.hpp"
#include "lasso/model/lasso_slice.hpp"
#include "lasso/problem/payloads.hpp"
#include "recorder.hpp"

namespace strads::lasso {
namespace {

constexpr double kLastDigits = 1e-12;
constexpr double kDeviations = 3.5;  ///< of a sum of independent draws; the seeds are fixed, so a pass stays a pass

/// Columns in groups of four equal ones: J = 4P, P groups.
Content fourfold(std::size_t groups) {
  const Content distinct = random_content({.rows = 200, .columns = groups, .shared = 0.0});
  Content content = distinct;
  content.columns.clear();
  for (std::size_t j = 0; j < 4 * groups; ++j) content.columns.push_back(distinct.columns[j % groups]);
  return content;
}

TEST(Section2Algorithm1, VisitsEveryVariableOnceBeforeAnyTwice) {
  // rho = 1: nothing conflicts, so that the first J / P rounds are the first visits.
  LassoOptions options = published(Policy::paper);
  options.rho = 1.1;
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    const auto run = observe(random_content({.columns = 48}), options, {.seed = seed, .workers = 4, .rounds_max = 12});
    std::set<VarId> visited;
    for (const auto& round : run.record.rounds) {
      for (const VarId j : round.variables()) EXPECT_TRUE(visited.insert(j).second) << j << " a second time";
    }
    EXPECT_EQ(visited.size(), 48u);
  }
}

TEST(Section2Algorithm1, VisitsAnOldVariableOnlyWhenTheDrawHoldsTooFewNewOnes) {
  // With conflicts a new variable may have to wait. An old one takes its place only if all that are new were drawn,
  // that is, are in the round or conflict with a variable of it.
  LassoOptions options = published(Policy::paper);
  options.rho = 0.25;
  const auto run = observe(random_content({.columns = 40, .shared = 1.0}), options, {.workers = 4, .rounds_max = 60});
  std::set<VarId> visited;
  for (const auto& round : run.record.rounds) {
    const auto chosen = round.variables();
    const bool has_old = std::any_of(chosen.begin(), chosen.end(), [&](VarId j) { return visited.contains(j); });
    for (VarId j = 0; has_old && j < 40; ++j) {
      if (visited.contains(j) || std::count(chosen.begin(), chosen.end(), j) > 0) continue;
      const bool conflicts = std::any_of(chosen.begin(), chosen.end(), [&](VarId k) {
        return std::abs(plain_dot(run.plain.x[j], run.plain.x[k])) > 0.25 - kLastDigits;
      });
      EXPECT_TRUE(conflicts) << "round " << round.commit.version << " passed over " << j;
    }
    visited.insert(chosen.begin(), chosen.end());
  }
  EXPECT_EQ(visited.size(), 40u);
}

TEST(Section2Algorithm1, DrawsPPrimeGreaterThanP) {
  // P' = 4P = J: every draw is the whole set, and one of each four equal columns survives. Had only P been drawn, most
  // rounds would hold fewer than P variables.
  const auto run = observe(fourfold(5),
                           [] {
                             LassoOptions options = published(Policy::paper);
                             options.rho = 0.9;
                             return options;
                           }(),
                           {.workers = 5, .rounds_max = 30});
  for (const auto& round : run.record.rounds) {
    std::set<VarId> groups;
    for (const VarId j : round.variables()) groups.insert(j % 5);
    EXPECT_EQ(groups.size(), 5u) << "round " << round.commit.version;
    EXPECT_EQ(round.variables().size(), 5u);
  }
}

TEST(Section2Algorithm1, TheRatioOfPPrimeToPIsAnOption) {
  for (const double ratio : {1.0, 1.5, 4.0, 10.0}) {
    LassoOptions options = published(Policy::paper);
    options.candidates = ratio;
    options.workers = 6;
    const LassoSlice slice(scanned(random_content({}), options), std::make_shared<BlockCaches>(), options, {0, 1, 2});
    EXPECT_EQ(slice.rules().draws, static_cast<std::uint32_t>(6 * ratio));
  }
}

TEST(Section2Algorithm1, KeepsAtMostPVariablesWithPairwiseCorrelationAtMostRho) {
  std::size_t full = 0, short_of = 0;
  for (const double rho : {0.05, 0.1, 0.3}) {
    LassoOptions options = published(Policy::paper);
    options.rho = rho;
    const auto run = observe(random_content({.rows = 100, .columns = 60, .shared = 0.5}), options,
                             {.workers = 8, .rounds_max = 150});
    for (const auto& round : run.record.rounds) {
      const auto chosen = round.variables();
      EXPECT_LE(chosen.size(), 8u);
      (chosen.size() == 8 ? full : short_of) += 1;
      for (std::size_t a = 0; a < chosen.size(); ++a) {
        for (std::size_t b = 0; b < a; ++b) {
          EXPECT_NE(chosen[a], chosen[b]);
          EXPECT_LE(std::abs(plain_dot(run.plain.x[chosen[a]], run.plain.x[chosen[b]])), rho + kLastDigits);
        }
      }
    }
  }
  EXPECT_GT(full, 10u) << "the check must sometimes leave P";
  EXPECT_GT(short_of, 10u) << "and sometimes bind";
}

TEST(Section2Algorithm1, BlocksHoldOneVariable) {
  const auto run = observe(random_content({}), published(Policy::paper), {.workers = 4, .rounds_max = 50});
  for (const auto& round : run.record.rounds) {
    std::set<std::uint32_t> workers;
    for (const auto& assign : round.assigns) {
      EXPECT_EQ(assign.block.ids.size(), 1u);
      EXPECT_EQ(assign.sweeps, 1u);
      EXPECT_TRUE(workers.insert(assign.worker).second) << "one block a worker";
    }
  }
}

/// The sampling weights that Algorithm 1 prescribes, kept up to date from the messages alone.
class Weights {
 public:
  Weights(std::size_t variables, double eta) : change_(variables, -1.0), eta_(eta) {}

  /// |beta^(t-2) - beta^(t-1)| + eta of every variable; C for those never visited is the caller's business.
  [[nodiscard]] double of(VarId j) const { return change_[j] + eta_; }
  [[nodiscard]] bool all_visited() const {
    return std::none_of(change_.begin(), change_.end(), [](double change) { return change < 0; });
  }
  void record_round(const RecordedRound& round) {
    for (const VarId j : round.variables()) change_[j] = 0;
    for (const auto& deltas : round.deltas) {
      for (std::size_t k = 0; k < deltas.deltas.ids.size(); ++k)
        change_[deltas.deltas.ids[k]] = std::abs(deltas.deltas.values[k]);
    }
  }
  [[nodiscard]] double total() const {
    double sum = 0;
    for (VarId j = 0; j < change_.size(); ++j) sum += of(j);
    return sum;
  }
  /// The `count` variables of largest weight.
  [[nodiscard]] std::set<VarId> top(std::size_t count) const {
    std::vector<VarId> order(change_.size());
    for (VarId j = 0; j < order.size(); ++j) order[j] = j;
    std::stable_sort(order.begin(), order.end(), [&](VarId a, VarId b) { return of(a) > of(b); });
    return {order.begin(), order.begin() + static_cast<std::ptrdiff_t>(count)};
  }

 private:
  std::vector<double> change_;
  double eta_;
};

/// Sum over rounds of (event happened) - (its probability), in standard deviations.
class Deviation {
 public:
  void add(bool happened, double probability) {
    difference_ += (happened ? 1.0 : 0.0) - probability;
    expected_ += probability;
    variance_ += probability * (1 - probability);
    ++count_;
  }
  [[nodiscard]] double in_deviations() const { return difference_ / std::sqrt(variance_); }
  [[nodiscard]] double expected_share() const { return expected_ / count_; }

 private:
  double difference_ = 0, expected_ = 0, variance_ = 0, count_ = 0;
};

TEST(Section2Algorithm1, SamplesInProportionToLastCommittedDeltaPlusEta) {
  // The first variable of a round is the first that was drawn (Algorithm 1 keeps it whatever follows): it must come
  // from p(j) of the messages before it. eta weighs as much as the changes here, so that both parts of p count.
  constexpr std::size_t kVariables = 24;
  LassoOptions options = published(Policy::paper);
  options.eta = 5e-3;
  options.lambda = 0.02;
  Deviation of_top, of_unchanged;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    const auto run = observe(random_content({.columns = kVariables, .seed = seed, .shared = 1.5}), options,
                             {.seed = seed, .workers = 2, .rounds_max = 100});
    Weights weights(kVariables, options.eta);
    for (const auto& round : run.record.rounds) {
      if (weights.all_visited()) {
        const VarId first = round.assigns.at(0).block.ids.at(0);
        const auto top = weights.top(3);
        double in_top = 0, unchanged = 0;
        for (VarId j = 0; j < kVariables; ++j) {
          if (top.contains(j)) in_top += weights.of(j) / weights.total();
          if (weights.of(j) == options.eta) unchanged += options.eta / weights.total();
        }
        of_top.add(top.contains(first), in_top);
        of_unchanged.add(weights.of(first) == options.eta, unchanged);
      }
      weights.record_round(round);
    }
  }
  EXPECT_LT(std::abs(of_top.in_deviations()), kDeviations);
  EXPECT_LT(std::abs(of_unchanged.in_deviations()), kDeviations);
  EXPECT_GT(of_top.expected_share(), 2 * 3.0 / kVariables) << "p must be far from uniform, or nothing was tested";
  EXPECT_GT(of_unchanged.expected_share(), 0.02) << "eta must matter, or nothing was tested";
}

/// A slice of twelve variables that committed one round with these deltas.
std::unique_ptr<LassoSlice> after_deltas(const LassoOptions& options, const std::vector<double>& deltas,
                                         double step = 1) {
  std::vector<VarId> variables;
  Payload changes;
  for (VarId j = 0; j < deltas.size(); ++j) {
    variables.push_back(j);
    changes.ids.push_back(j);
    changes.values.push_back(deltas[j]);
  }
  auto slice = std::make_unique<LassoSlice>(scanned(random_content({.columns = deltas.size()}), options),
                                            std::make_shared<BlockCaches>(), options, variables);
  if (step == 0) changes = {};
  RoundOutcome outcome;
  outcome.step = step;
  outcome.drawn = variables;
  outcome.changes = &changes;
  std::vector<VarId> touched;
  slice->committed(outcome, touched);
  EXPECT_EQ(touched, variables) << "their p changed";
  return slice;
}

TEST(Section2Algorithm1, WeightIsExactlyTheAbsoluteChangePlusEta) {
  const LassoOptions options = published(Policy::paper);
  const std::vector<double> deltas{0.5, -0.25, 0.0, 1e-7};
  const auto slice = after_deltas(options, deltas);
  for (VarId j = 0; j < deltas.size(); ++j) EXPECT_EQ(slice->define_sampling(j), std::abs(deltas[j]) + 1e-6);
}

TEST(Section2Algorithm1, ARejectedRoundLeavesNoImportance) {
  const auto slice = after_deltas(published(Policy::paper), {0.5, -0.25}, 0.0);
  EXPECT_EQ(slice->define_sampling(0), 1e-6) << "committed, not proposed";
}

TEST(Section2Algorithm1, DrawFrequenciesFollowTheWeights) {
  // Chi-square over 40,000 first draws from p = (8, 4, 2, 1, 1, 0, ...) / 16 + eta.
  const LassoOptions options = published(Policy::paper);
  const std::vector<double> deltas{0.8, -0.4, 0.2, 0.1, -0.1, 0.0};
  const auto slice = after_deltas(options, deltas);
  engine::Sampler sampler(deltas.size(), slice->rules().sampling_scale);
  for (VarId j = 0; j < deltas.size(); ++j) sampler.set(j, slice->define_sampling(j));
  std::vector<double> count(deltas.size(), 0);
  constexpr int kDraws = 40000;
  for (int t = 0; t < kDraws; ++t) {
    CounterRng random(1, Purpose::sampling, 0, static_cast<std::uint64_t>(t));
    count[sampler.draw(1, random).at(0)] += 1;
  }
  double chi_square = 0;
  for (std::size_t j = 0; j < 5; ++j) {
    const double expected = kDraws * std::abs(deltas[j]) / 1.6;
    chi_square += (count[j] - expected) * (count[j] - expected) / expected;
  }
  EXPECT_LT(chi_square, 18.5) << "99.9 % of chi-square with 4 degrees of freedom";
  EXPECT_LE(count[5], 5) << "eta / 1.6: one draw in 1.6 million";
}

TEST(Section2Algorithm1, EtaKeepsEveryVariableReachable) {
  LassoOptions options = published(Policy::paper);
  options.eta = 1e-3;
  const auto run = observe(random_content({.columns = 12}), options, {.workers = 2, .rounds_max = 400});
  std::map<VarId, int> after_the_first_hundred;
  for (std::size_t t = 100; t < run.record.rounds.size(); ++t) {
    for (const VarId j : run.record.rounds[t].variables()) ++after_the_first_hundred[j];
  }
  EXPECT_EQ(after_the_first_hundred.size(), 12u);
}

TEST(Section2Algorithm1, UpdatesByRule2) {
  // beta_j <- S(x_j'y - sum_{k != j} x_j'x_k beta_k, lambda), all variables of a round from the same beta.
  for (const double rho : {0.1, 1.1}) {
    LassoOptions options = published(Policy::paper);
    options.rho = rho;  // 1.1: correlated variables in one round, where old and new residuals would differ much
    const auto run = observe(random_content({.shared = 0.5}), options, {.workers = 4, .rounds_max = 80});
    Vector beta(24, 0.0);
    std::size_t changed = 0;
    for (const auto& round : run.record.rounds) {
      const Vector before = beta;
      if (!round.commit.changes.ids.empty()) {
        EXPECT_EQ(round.commit.step, 1.0) << "no guard";
      }
      for (const auto& assign : round.assigns) {
        EXPECT_EQ(assign.base, assign.round - 1) << "D = 1: the newest beta";
        const VarId j = assign.block.ids.at(0);
        EXPECT_EQ(assign.block.values.at(0), before[j]);
        double target = plain_dot(run.plain.x[j], run.plain.y);
        for (VarId k = 0; k < 24; ++k) {
          if (k != j && before[k] != 0.0) target -= plain_dot(run.plain.x[j], run.plain.x[k]) * before[k];
        }
        const double rule2 = std::copysign(std::max(std::abs(target) - run.lambda, 0.0), target);
        const auto at = std::find(round.commit.changes.ids.begin(), round.commit.changes.ids.end(), j);
        const double delta =
            at == round.commit.changes.ids.end()
                ? 0.0
                : round.commit.changes.values[static_cast<std::size_t>(at - round.commit.changes.ids.begin())];
        EXPECT_NEAR(before[j] + delta, rule2, kLastDigits) << "round " << assign.round << " variable " << j;
        if (rule2 == 0) {
          EXPECT_EQ(before[j] + delta, 0.0);
        }
        beta[j] = before[j] + delta;
        changed += delta != 0.0 ? 1 : 0;
      }
    }
    EXPECT_GT(changed, 50u);
  }
}

TEST(Section2Algorithm1, CommitsTheObjectiveOfItsBeta) {
  const auto run = observe(random_content({}), published(Policy::paper), {.workers = 4, .rounds_max = 60});
  Vector beta(24, 0.0);
  double before = run.plain.objective(beta, run.lambda);
  for (const auto& round : run.record.rounds) {
    const auto& changes = round.commit.changes;
    for (std::size_t k = 0; k < changes.ids.size(); ++k) beta[changes.ids[k]] += changes.values[k];
    const double after = run.plain.objective(beta, run.lambda);
    EXPECT_NEAR(round.commit.objective, after, kLastDigits);
    EXPECT_NEAR(round.commit.realised, before - after, kLastDigits);
    before = after;
  }
}

TEST(Section2Algorithm1, ConvergesToTheLasso) {
  LassoOptions options = published(Policy::paper);
  options.tolerance = 1e-8;
  options.eta = 1e-3;
  const auto run = observe(random_content({.shared = 0.3}), options, {.workers = 4, .rounds_max = 20000});
  const double best = run.plain.objective(run.plain.solve(run.lambda), run.lambda);
  EXPECT_EQ(run.record.end.stop_reason, "converged");
  EXPECT_NEAR(run.record.end.certificate.objective, best, 1e-8 * best);
}

TEST(Section2Algorithm1, ParametersOfTheExperimentsAreTheDefaults) {
  // Section 5: eta = 1e-6, rho = 0.1. The ratio of P' to P is not published; ours is 4.
  const LassoOptions options;
  EXPECT_EQ(options.eta, 1e-6);
  EXPECT_EQ(options.rho, 0.1);
  EXPECT_GT(options.candidates, 1);
}

}  // namespace
}  // namespace strads::lasso
