// Random block problems built from explicit columns, and slow ways to judge their solutions.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <random>
#include <vector>

#include "strads/numerics/l1_quadratic.hpp"

namespace strads::test {

/// Columns of an n x k matrix and a target; G = X'X and h0 = X'(y - X start) in plain loops.
struct BlockProblem {
  std::size_t n = 0;
  std::size_t k = 0;
  double penalty = 0;
  std::vector<double> columns;  // k columns of n
  std::vector<double> target;
  std::vector<double> start;
  std::vector<double> gram;
  std::vector<double> gradient;
  double residual_squared = 0;
  std::vector<double> factors{};  // of the penalty; empty: all 1
  bool nonnegative = false;

  [[nodiscard]] std::vector<double> residual(const std::vector<double>& x) const {
    std::vector<double> r = target;
    for (std::size_t j = 0; j < k; ++j) {
      for (std::size_t i = 0; i < n; ++i) r[i] -= x[j] * columns[j * n + i];
    }
    return r;
  }
  [[nodiscard]] double column_dot(std::size_t j, const std::vector<double>& v) const {
    double sum = 0;
    for (std::size_t i = 0; i < n; ++i) sum += columns[j * n + i] * v[i];
    return sum;
  }
  /// A_j.
  [[nodiscard]] double penalty_of(std::size_t j) const { return factors.empty() ? penalty : penalty * factors[j]; }
  /// F = 1/2 ||y - Xx||^2 + sum A_j |x_j|, independent of the solver's arithmetic.
  [[nodiscard]] double objective(const std::vector<double>& x) const {
    double sum = 0;
    for (const double r : residual(x)) sum += r * r / 2;
    for (std::size_t j = 0; j < k; ++j) sum += penalty_of(j) * std::abs(x[j]);
    return sum;
  }
  /// Largest violation of the conditions of optimality: g_j = A_j sign(x_j), or |g_j| <= A_j where x_j = 0 (with x >= 0
  /// only g_j <= A_j); a negative value counts itself.
  [[nodiscard]] double violation(const std::vector<double>& x) const {
    const auto r = residual(x);
    double worst = 0;
    for (std::size_t j = 0; j < k; ++j) {
      const double g = column_dot(j, r);
      const double a = penalty_of(j);
      const double miss =
          x[j] == 0 ? std::max((nonnegative ? g : std::abs(g)) - a, 0.0) : std::abs(g - std::copysign(a, x[j]));
      if (nonnegative) worst = std::max(worst, -x[j]);
      worst = std::max(worst, miss);
    }
    return worst;
  }
  [[nodiscard]] L1Quadratic quadratic() const {
    return {gram, gradient, penalty, residual_squared, factors, nonnegative};
  }
  [[nodiscard]] L1Quadratic without_residual() const { return {gram, gradient, penalty, -1, factors, nonnegative}; }

  /// Fills what follows from columns, target and start.
  void complete() {
    start.resize(k, 0.0);
    gram.assign(k * k, 0.0);
    for (std::size_t a = 0; a < k; ++a) {
      for (std::size_t b = 0; b < k; ++b) {
        for (std::size_t i = 0; i < n; ++i) gram[a * k + b] += columns[a * n + i] * columns[b * n + i];
      }
    }
    const auto r = residual(start);
    gradient.resize(k);
    for (std::size_t j = 0; j < k; ++j) gradient[j] = column_dot(j, r);
    residual_squared = 0;
    for (const double value : r) residual_squared += value * value;
  }
};

/// What a random problem may contain.
struct BlockShape {
  std::size_t n = 20;
  std::size_t k = 10;
  double fraction = 0.1;   ///< penalty / lambda_max
  double correlation = 0;  ///< of neighbouring columns, in [0, 1)
  std::size_t copies = 0;  ///< columns that repeat an earlier one, every other one with its sign changed
  bool warm = false;       ///< start away from zero
};

inline BlockProblem random_problem(const BlockShape& shape, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  BlockProblem problem;
  problem.n = shape.n;
  problem.k = shape.k;
  problem.columns.resize(shape.n * shape.k);
  const double fresh = std::sqrt(1 - shape.correlation * shape.correlation);
  for (std::size_t j = 0; j < shape.k; ++j) {
    const bool copy = j >= shape.k - shape.copies;
    const double sign = j % 2 == 0 ? 1 : -1;
    double norm = 0;
    for (std::size_t i = 0; i < shape.n; ++i) {
      double& value = problem.columns[j * shape.n + i];
      const double before = j == 0 ? normal(random) : problem.columns[(j - 1) * shape.n + i] * std::sqrt(shape.n);
      value = copy ? sign * problem.columns[(j % (shape.k - shape.copies)) * shape.n + i]
                   : shape.correlation * before + fresh * normal(random);
      norm += value * value;
    }
    for (std::size_t i = 0; i < shape.n; ++i) problem.columns[j * shape.n + i] /= std::sqrt(norm);
  }
  problem.target.resize(shape.n);
  double norm = 0;
  for (double& value : problem.target) {
    value = normal(random);
    norm += value * value;
  }
  for (double& value : problem.target) value /= std::sqrt(norm);
  double lambda_max = 0;
  for (std::size_t j = 0; j < shape.k; ++j) {
    lambda_max = std::max(lambda_max, std::abs(problem.column_dot(j, problem.target)));
  }
  problem.penalty = shape.fraction * lambda_max;
  problem.start.assign(shape.k, 0.0);
  if (shape.warm) {
    for (std::size_t j = 0; j < shape.k; j += 2) problem.start[j] = 0.3 * normal(random);
  }
  problem.complete();
  return problem;
}

/// Cyclic coordinate descent as a textbook writes it, on the residual.
inline std::vector<double> slow_descent(const BlockProblem& problem, int sweeps) {
  std::vector<double> x = problem.start;
  auto r = problem.residual(x);
  for (int sweep = 0; sweep < sweeps; ++sweep) {
    for (std::size_t j = 0; j < problem.k; ++j) {
      const double squared = problem.gram[j * problem.k + j];
      if (squared <= 0) continue;
      const double z = squared * x[j] + problem.column_dot(j, r);
      const double value = std::copysign(std::max(std::abs(z) - problem.penalty, 0.0), z) / squared;
      for (std::size_t i = 0; i < problem.n; ++i) r[i] -= (value - x[j]) * problem.columns[j * problem.n + i];
      x[j] = value == 0 ? 0 : value;
    }
  }
  return x;
}

}  // namespace strads::test
