#include "strads/policies/parallelism.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace strads {

void Parallelism::feed(const Choice& expected, double rounds, double predicted, double realised) {
  if (expected.blocks <= 1 || !(predicted > 0)) return;
  const double ratio = realised / predicted;
  if (ratio < 0.5) allowed_ = std::max(1.0, expected.blocks / 2.0);
  if (ratio > 0.9) allowed_ = std::max(allowed_, 2.0 * expected.blocks);
  // Columns in linkage repeat more work than independent ones: what was seen corrects the next estimate.
  // Never below 1: a phase may end early because its rounds bring little, not because it is solved.
  interference_ = std::max({1.0, 0.7 * interference_, interference_ * rounds / expected.rounds});
}

Parallelism::Choice Parallelism::choose(double size, double samples, double work, double pass) const {
  // Counted seconds to solve the working set once. Sample correlations of `size` columns over `samples` rows make
  // parallel blocks repeat part of their work: the condition number of a random design with ratio kappa,
  // ((1 + sqrt kappa) / (1 - sqrt kappa))^2 (Marchenko, Pastur 1967), is the number of rounds. Columns in linkage count
  // double.
  constexpr double kSweeps = 60;
  constexpr double kNestedShare = 0.15;  // of all pairs: those of variables that begin to move
  constexpr double kMorePhases = 2;      // that several blocks need, each with a pass over all columns
  const auto gram = [&](double own) { return products_.price * work * own * own / 2; };
  const auto joint = [&](double own) { return gram(own) < kNestedFrom ? gram(own) : kNestedShare * gram(own); };
  const auto sweeps = [&](double own) { return kSweeps * 2 * own * own; };
  const auto on_residual = [&](double own) { return products_.sweeps_instead * 2 * work * own; };
  // Who plans parallel blocks needs the products of all pairs, of a sample of the rows or of all; then they are
  // remembered, and the blocks find theirs.
  const double couplings = products_.sampled * gram(size);
  const double passes = products_.nested && gram(size) >= kNestedFrom ? kMorePhases * pass : 0.0;
  double best_cost = std::numeric_limits<double>::infinity();
  Choice best;
  const double allowed = std::min({allowed_, static_cast<double>(workers_), std::max(1.0, size)});
  for (std::uint32_t blocks = 1; blocks <= allowed;
       blocks = blocks < workers_ ? std::min(2 * blocks, workers_) : blocks + 1) {
    const double kappa = std::min(0.9999, 2 * size / samples * (1 - 1.0 / blocks));
    const double root = std::sqrt(kappa);
    const double rounds = blocks == 1 ? 1.0 : interference_ * (1 + root) * (1 + root) / ((1 - root) * (1 - root));
    const double own = size / blocks;
    const bool known = blocks > 1 && products_.sampled == 1;
    const double pairs = known ? 0.0 : blocks == 1 && products_.nested ? joint(own) : gram(own);
    const double solve = std::min(pairs + sweeps(own), on_residual(own));
    const double messages = cost_.round_seconds + blocks * cost_.block_seconds;
    const double plan = blocks == 1 ? 0.0 : couplings + passes;
    const double cost = cost_.flop_seconds * plan + rounds * (messages + cost_.flop_seconds * (2 * work * own + solve));
    if (cost < best_cost) {
      best_cost = cost;
      best = {blocks, rounds};
    }
  }
  return best;
}

}  // namespace strads
