// How many blocks a round of the policy `auto` gets (docs/DESIGN.md, "How many blocks at once").
#pragma once

#include <cstdint>

#include "lasso/problem/lasso.hpp"
#include "lasso/solver/pair_products.hpp"

namespace strads::lasso {

/// Effective parallelism: how many blocks a round gets, from counted costs and from what earlier phases needed.
class Parallelism {
 public:
  struct Choice {
    std::uint32_t blocks = 1;
    double rounds = 1;  ///< that a phase is expected to need
  };

  Parallelism(const CostModel& cost, std::uint32_t workers, const PairProducts& products = {})
      : cost_(cost), workers_(workers), products_(products) {}

  /// What the phase that ended was and did: the rounds it needed, and realised / predicted decrease. Below 0.5 the next
  /// one gets at most half the blocks; above 0.9 twice as many are allowed.
  void feed(const Choice& expected, double rounds, double predicted, double realised);
  /// For a working set of `size` variables over `samples` rows, `work` flops a dot, `pass` flops a pass over all
  /// columns.
  [[nodiscard]] Choice choose(double size, double samples, double work, double pass = 0) const;

 private:
  CostModel cost_;
  std::uint32_t workers_;
  PairProducts products_;
  double allowed_ = 1e9;     ///< blocks that the feedback allows
  double interference_ = 1;  ///< rounds needed / rounds of a random design, as seen so far
};

}  // namespace strads::lasso
