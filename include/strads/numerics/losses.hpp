// Losses of a linear predictor, of many samples at once. Layer: numerics. Pure. The same arguments give the same bits
// on one target of choose_simd(), whatever the number of threads.
//
// Sample i has a response y_i, a weight w_i and a linear predictor eta_i. A loss is a sum of w_i l(y_i, eta_i):
//   slope      u_i = minus the derivative of its term by eta_i
//   curvature  the second one
//
// LossKind::logistic, y_i = -1 or 1. With q_i = 1 / (1 + exp(y_i eta_i)), the probability of the other class:
//   l = log(1 + exp(-y_i eta_i)); u_i = w_i y_i q_i, which is w_i (t_i - p_i) for t_i = 1 where y_i = 1, else 0;
//   curvature w_i q_i (1 - q_i), at most w_i / 4; divergence sum w_i KL(s q_i || q_i) of two classes
//
// LossKind::poisson, y_i >= 0. With mu_i = exp(eta_i), the expected count:
//   l = mu_i - y_i - y_i (eta_i - log y_i), mu_i where y_i = 0: half of the deviance; u_i = w_i (y_i - mu_i);
//   curvature w_i mu_i; divergence sum w_i (m_i log(m_i / mu_i) - m_i + mu_i) for m_i = y_i - s (y_i - mu_i)
// Predictors above 700 count as 700.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "strads/base/chunks.hpp"

namespace strads {

enum class LossKind : std::uint8_t { logistic, poisson };
inline constexpr std::size_t kLossKinds = 2;

/// The samples of a loss. All spans have one number a row.
struct LossSamples {
  std::span<const double> response;   ///< y_i
  std::span<const double> weights{};  ///< w_i, 0 at rows that take no part; logistic: empty: all 1, and 0 where y_i is
  LossKind loss = LossKind::logistic;
};

/// Fills slope and curvature at `eta`; returns the loss. Cost: two transcendental functions a row.
double loss_terms(const LossSamples& samples, std::span<const double> eta, std::span<double> slope,
                  std::span<double> curvature, Chunks& chunks);

/// The loss along a line eta + step v.
struct LossChange {
  double change = 0;     ///< of the loss, from eta; exact to rounding of the change itself where v is short
  double slope = 0;      ///< its derivative by the step, at the step
  double curvature = 0;  ///< the second one
};
/// Cost: three transcendental functions a row.
[[nodiscard]] LossChange loss_change(const LossSamples& samples, std::span<const double> eta, std::span<const double> v,
                                     double step, Chunks& chunks);

/// What the dual point s u lacks, of the loss alone: l and its conjugate at s u_i, less their product (docs/DESIGN.md,
/// "Certificate"). 0 at s = 1. REQUIRES: 0 <= s <= 1. Cost: two transcendental functions a row.
[[nodiscard]] double loss_divergence(const LossSamples& samples, std::span<const double> eta, double s, Chunks& chunks);

/// x of A x = b for a symmetric positive semidefinite A (row-major, b.size() squared entries); where A has no full rank
/// one of many. Cost: k^3 / 6 flops for k = b.size().
[[nodiscard]] std::vector<double> solve_symmetric(std::span<const double> a, std::span<const double> b);

}  // namespace strads
