// Logistic regression by the book: dense doubles, one coordinate after the other, nothing shared with the program but
// the data. What the check of the program and its fits are checked with.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <utility>
#include <vector>

#include "in_memory_dataset.hpp"
#include "lasso/problem/lasso.hpp"

namespace strads::lasso {

/// min sum w_i log(1 + exp(-y_i eta_i)) + lambda sum f_j (a |b_j| + e / 2 b_j^2), eta = offset + X b + Z g, over
/// samples only; a column of zeros takes no part. e = (1 - a) / sqrt(sum w) of scaled columns, glmnet's elastic net,
/// else 1 - a.
class DenseLogistic {
 public:
  using Numbers = std::vector<double>;

  DenseLogistic(const Content& content, const LassoOptions& options)
      : l1_ratio_(options.l1_ratio), nonnegative_(options.nonnegative) {
    classes_ = samples_of(content, content.response);
    const std::size_t rows = classes_.size();
    weights_ = content.weights.empty() ? Numbers(rows, 1.0) : samples_of(content, content.weights);
    squares_ = 1 - l1_ratio_;
    if (options.scale) squares_ /= std::sqrt(std::accumulate(weights_.begin(), weights_.end(), 0.0));
    offset_ = content.offset.empty() ? Numbers(rows, 0.0) : samples_of(content, content.offset);
    if (options.intercept) z_.push_back(Numbers(rows, 1.0));
    for (const Numbers& covariate : content.covariates) {
      Numbers z = samples_of(content, covariate);
      scale(z, options.intercept, true);
      z_.push_back(std::move(z));
    }
    for (std::size_t j = 0; j < content.columns.size(); ++j) {
      Numbers column = samples_of(content, content.columns[j]);
      scale(column, options.center, options.scale);
      const double factor = content.factors.empty() ? 1.0 : content.factors[j];
      if (factor == 0) z_.push_back(column);
      const bool out = factor == 0 || (!content.excluded.empty() && content.excluded[j] != 0);
      x_.push_back(out ? Numbers(rows, 0.0) : std::move(column));
      factors_.push_back(factor == 0 ? 1.0 : factor);
    }
  }

  struct Point {
    Numbers beta, free;  ///< b and g
  };
  [[nodiscard]] Point zero() const { return settled({Numbers(x_.size(), 0.0), Numbers(z_.size(), 0.0)}); }
  /// The best g at this b.
  [[nodiscard]] Point settled(Point point) const {
    Numbers eta = scores(point);
    for (int sweep = 0; sweep < kSweeps && sweep_free(point, eta) > kStill; ++sweep) {
      if (sweep % 100 == 0) eta = scores(point);
    }
    return point;
  }
  /// Coordinate descent with the curvature's bound of 1/4, until nothing moves or for so many sweeps.
  [[nodiscard]] Point solve(double lambda, int sweeps = kSweeps) const {
    Point point = zero();
    for (int sweep = 0; sweep < sweeps; ++sweep) {
      Numbers eta = scores(point);
      double moved = sweep_free(point, eta);
      for (std::size_t j = 0; j < x_.size(); ++j) {
        const double l1 = lambda * l1_ratio_ * factors_[j], l2 = lambda * squares_ * factors_[j];
        moved = std::max(moved, update(x_[j], eta, point.beta[j], l1, l2, nonnegative_));
      }
      if (moved < kStill) break;
    }
    return settled(std::move(point));
  }

  [[nodiscard]] double objective(const Point& point, double lambda) const {
    const Numbers eta = scores(point);
    double sum = 0;
    for (std::size_t i = 0; i < eta.size(); ++i) sum += weights_[i] * std::log1p(std::exp(-sign(i) * eta[i]));
    for (std::size_t j = 0; j < x_.size(); ++j) {
      const double b = point.beta[j];
      sum += lambda * factors_[j] * (l1_ratio_ * std::abs(b) + 0.5 * squares_ * b * b);
    }
    return sum;
  }
  [[nodiscard]] double lambda_max() const {
    const Numbers u = residual(scores(zero()));
    double steepest = 0;
    for (std::size_t j = 0; j < x_.size(); ++j) steepest = std::max(steepest, pull(dot(x_[j], u)) / factors_[j]);
    return steepest / l1_ratio_;
  }
  /// sum w KL(q || p) + sum (A_j |b_j| - s h_j b_j) + (1 - s)^2 / 2 sum E_j b_j^2: no difference of two large numbers.
  [[nodiscard]] double gap(const Point& point, double lambda) const {
    const Numbers eta = scores(point), u = residual(eta);
    double s = 1;
    Numbers h(x_.size());
    for (std::size_t j = 0; j < x_.size(); ++j) {
      h[j] = dot(x_[j], u) - lambda * squares_ * factors_[j] * point.beta[j];
      if (pull(h[j]) > 0) s = std::min(s, lambda * l1_ratio_ * factors_[j] / pull(h[j]));
    }
    double sum = 0;
    for (std::size_t i = 0; i < u.size(); ++i) {
      // KL(q || p) by their distances from the class, s d and d: p = 1 - d is exp(-loss) where d is nearly 1.
      const double distance = s * std::abs(u[i]) / weights_[i];
      const double loss = std::log1p(std::exp(-sign(i) * eta[i]));
      if (distance < 1) sum += weights_[i] * (distance * std::log(s) + (1 - distance) * (std::log1p(-distance) + loss));
    }
    for (std::size_t j = 0; j < x_.size(); ++j) {
      const double b = point.beta[j], l2 = lambda * squares_ * factors_[j];
      sum += lambda * l1_ratio_ * factors_[j] * std::abs(b) - s * h[j] * b + 0.5 * (1 - s) * (1 - s) * l2 * b * b;
    }
    return sum;
  }

 private:
  static constexpr int kSweeps = 100000;
  static constexpr double kStill = 4e-15;

  static Numbers samples_of(const Content& content, const Numbers& values) {
    Numbers kept;
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (content.takes_part(i)) kept.push_back(values[i]);
    }
    return kept;
  }
  static double dot(const Numbers& a, const Numbers& b) {
    double sum = 0;
    for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
    return sum;
  }
  [[nodiscard]] double sign(std::size_t i) const { return classes_[i] > 0.5 ? 1.0 : -1.0; }
  [[nodiscard]] double pull(double h) const { return nonnegative_ ? h : std::abs(h); }
  void scale(Numbers& v, bool center, bool unit) const {
    double total = 0;
    for (const double w : weights_) total += w;
    const double mean = center ? dot(weights_, v) / total : 0.0;
    double squares = 0;
    for (std::size_t i = 0; i < v.size(); ++i) squares += weights_[i] * (v[i] - mean) * (v[i] - mean);
    for (double& value : v) value = (value - mean) / (unit ? std::sqrt(squares) : 1.0);
  }
  [[nodiscard]] Numbers scores(const Point& point) const {
    Numbers eta = offset_;
    const auto add = [&eta](const Numbers& x, double b) {
      for (std::size_t i = 0; i < eta.size(); ++i) eta[i] += b * x[i];
    };
    for (std::size_t j = 0; j < x_.size(); ++j) add(x_[j], point.beta[j]);
    for (std::size_t k = 0; k < z_.size(); ++k) add(z_[k], point.free[k]);
    return eta;
  }
  /// w_i (t_i - p_i).
  [[nodiscard]] Numbers residual(const Numbers& eta) const {
    Numbers u(eta.size());
    for (std::size_t i = 0; i < u.size(); ++i) u[i] = weights_[i] * sign(i) / (1 + std::exp(sign(i) * eta[i]));
    return u;
  }
  /// How far the scores move, about.
  double update(const Numbers& x, Numbers& eta, double& b, double l1, double l2, bool nonnegative) const {
    double squares = 0, gradient = 0;
    const Numbers u = residual(eta);
    for (std::size_t i = 0; i < x.size(); ++i) {
      squares += weights_[i] * x[i] * x[i];
      gradient += x[i] * u[i];
    }
    if (squares == 0) return 0;
    const double target = squares / 4 * b + gradient;
    double updated = std::max(0.0, std::abs(target) - l1) / (squares / 4 + l2);
    if (target < 0) updated = nonnegative ? 0.0 : -updated;
    const double change = updated - b;
    for (std::size_t i = 0; i < x.size(); ++i) eta[i] += change * x[i];
    b = updated;
    return std::abs(change) * std::sqrt(squares);
  }
  double sweep_free(Point& point, Numbers& eta) const {
    double moved = 0;
    for (std::size_t k = 0; k < z_.size(); ++k) {
      moved = std::max(moved, update(z_[k], eta, point.free[k], 0, 0, false));
    }
    return moved;
  }

  double l1_ratio_;
  double squares_ = 0;  ///< e
  bool nonnegative_;
  Numbers classes_, weights_, offset_, factors_;
  std::vector<Numbers> x_, z_;
};

}  // namespace strads::lasso
