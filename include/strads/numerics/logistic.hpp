// The logistic loss of many samples at once. Layer: numerics. Pure. The same arguments give the same bits on one target
// of choose_simd(), whatever the number of threads.
//
// Sample i has a class y_i = -1 or 1 (0: the row takes no part), a weight w_i and a linear predictor eta_i. With
// q_i = 1 / (1 + exp(y_i eta_i)), the probability of the other class:
//   loss       sum w_i log(1 + exp(-y_i eta_i))
//   slope      u_i = w_i y_i q_i, minus its derivative by eta_i: w_i (t_i - p_i) for t_i = 1 where y_i = 1, else 0
//   curvature  w_i q_i (1 - q_i), at most w_i / 4
#pragma once

#include <span>
#include <vector>

#include "strads/base/chunks.hpp"

namespace strads {

/// The samples of a logistic loss. All spans have one number a row.
struct LogisticSamples {
  std::span<const double> classes;    ///< y_i
  std::span<const double> weights{};  ///< w_i, 0 where y_i is; empty: all 1
};

/// Fills slope and curvature at `eta`; returns the loss. Cost: two transcendental functions a row.
double logistic_terms(const LogisticSamples& samples, std::span<const double> eta, std::span<double> slope,
                      std::span<double> curvature, Chunks& chunks);

/// The loss along a line eta + step v.
struct LogisticChange {
  double change = 0;     ///< of the loss, from eta; exact to rounding of the change itself where v is short
  double slope = 0;      ///< its derivative by the step, at the step
  double curvature = 0;  ///< the second one
};
/// Cost: three transcendental functions a row.
[[nodiscard]] LogisticChange logistic_change(const LogisticSamples& samples, std::span<const double> eta,
                                             std::span<const double> v, double step, Chunks& chunks);

/// sum w_i KL(s q_i || q_i), the Kullback-Leibler divergence of two classes: what the dual point s u lacks, of the loss
/// alone (docs/DESIGN.md, "Certificate"). 0 at s = 1. REQUIRES: 0 <= s <= 1. Cost: two transcendental functions a row.
[[nodiscard]] double logistic_divergence(const LogisticSamples& samples, std::span<const double> eta, double s,
                                         Chunks& chunks);

/// x of A x = b for a symmetric positive semidefinite A (row-major, b.size() squared entries); where A has no full rank
/// one of many. Cost: k^3 / 6 flops for k = b.size().
[[nodiscard]] std::vector<double> solve_symmetric(std::span<const double> a, std::span<const double> b);

}  // namespace strads
