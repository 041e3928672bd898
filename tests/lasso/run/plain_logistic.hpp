// Logistic regression by the book: dense doubles, no tricks, nothing shared with the program but the data.
#pragma once

#include "plain_lasso.hpp"

namespace strads::lasso {

/// min sum w_i log(1 + exp(-y_i eta_i)) + lambda sum f_j (a |b_j| + e / 2 b_j^2), eta = offset + Z c + X b, with e = (1
/// - a) / sqrt(W) of scaled columns and 0 < a < 1, glmnet's elastic net on columns of norm 1, else 1 - a.
struct PlainLogistic {
  std::vector<Vector> x, z;
  Vector y, weights, offset, factors{};
  double l1_ratio = 1;
  bool unit = true;  ///< columns are scaled
  bool nonnegative = false;

  [[nodiscard]] double factor(std::size_t j) const { return factors.empty() ? 1.0 : factors[j]; }
  [[nodiscard]] double squares_weight() const {
    double total = 0;
    for (const double w : weights) total += w;
    return (1 - l1_ratio) / (unit && l1_ratio > 0 ? std::sqrt(total) : 1.0);
  }
  [[nodiscard]] double pull(double h) const { return nonnegative ? std::max(h, 0.0) : std::abs(h); }
  [[nodiscard]] Vector predictor(const Vector& b, const Vector& c) const {
    Vector eta = offset;
    for (std::size_t j = 0; j < x.size(); ++j) plain_add(b[j], x[j], eta);
    for (std::size_t k = 0; k < z.size(); ++k) plain_add(c[k], z[k], eta);
    return eta;
  }
  [[nodiscard]] double loss(const Vector& eta) const {
    double sum = 0;
    for (std::size_t i = 0; i < eta.size(); ++i) {
      const double m = y[i] * eta[i];
      sum += weights[i] * (m > 0 ? std::log1p(std::exp(-m)) : std::log1p(std::exp(m)) - m);
    }
    return sum;
  }
  /// Minus the derivative of the loss.
  [[nodiscard]] Vector slope(const Vector& eta) const {
    Vector u(eta.size());
    for (std::size_t i = 0; i < u.size(); ++i) u[i] = weights[i] * y[i] / (1 + std::exp(y[i] * eta[i]));
    return u;
  }
  /// Coordinates of z that fit best, each by its own Newton steps in turn.
  void fit_z(const Vector& b, Vector& c) const {
    for (int round = 0; round < 2000; ++round) {
      double moved = 0;
      for (std::size_t k = 0; k < z.size(); ++k) {
        const Vector u = slope(predictor(b, c));
        double curvature = 0;
        for (std::size_t i = 0; i < u.size(); ++i) {
          const double p = weights[i] == 0 ? 0 : std::abs(u[i]) / weights[i];
          curvature += weights[i] * p * (1 - p) * z[k][i] * z[k][i];
        }
        const double step = std::clamp(plain_dot(u, z[k]) / curvature, -1.0, 1.0);
        c[k] += step;
        moved = std::max(moved, std::abs(step));
      }
      if (moved < 1e-14) return;
    }
  }
  [[nodiscard]] double objective(const Vector& b, double lambda) const {
    Vector c(z.size(), 0.0);
    fit_z(b, c);
    return loss(predictor(b, c)) + penalty(b, lambda);
  }
  [[nodiscard]] double penalty(const Vector& b, double lambda) const {
    double sum = 0;
    for (std::size_t j = 0; j < b.size(); ++j) {
      sum += lambda * factor(j) * (l1_ratio * std::abs(b[j]) + 0.5 * squares_weight() * b[j] * b[j]);
    }
    return sum;
  }
  /// F - D at the shortened slope, from its definition.
  [[nodiscard]] double gap(const Vector& b, double lambda) const {
    Vector c(z.size(), 0.0);
    fit_z(b, c);
    const Vector eta = predictor(b, c), u = slope(eta);
    double s = 1, squares = 0;
    for (std::size_t j = 0; j < x.size(); ++j) {
      const double h = plain_dot(x[j], u) - lambda * factor(j) * squares_weight() * b[j];
      if (pull(h) > 0 && l1_ratio > 0) s = std::min(s, lambda * factor(j) * l1_ratio / pull(h));
      squares += lambda * factor(j) * squares_weight() * b[j] * b[j];
    }
    double dual = -0.5 * s * s * squares;
    if (l1_ratio == 0) {  // at s = 1, with the conjugate of the squares
      dual = 0;
      for (std::size_t j = 0; j < x.size(); ++j) dual -= std::pow(plain_dot(x[j], u), 2) / (2 * lambda * factor(j));
    }
    const auto entropy = [](double q) { return q > 0 ? q * std::log(q) : 0.0; };
    for (std::size_t i = 0; i < u.size(); ++i) {
      if (weights[i] == 0) continue;
      const double q = s * std::abs(u[i]) / weights[i];
      dual -= weights[i] * (entropy(q) + entropy(1 - q)) + s * u[i] * offset[i];
    }
    return loss(eta) + penalty(b, lambda) - dual;
  }
  [[nodiscard]] double lambda_max() const {
    Vector c(z.size(), 0.0);
    const Vector none(x.size(), 0.0);
    fit_z(none, c);
    const Vector u = slope(predictor(none, c));
    double largest = 0, total = 0;
    for (const double w : weights) total += w;
    const double ratio = l1_ratio == 0 ? 0.001 * std::sqrt(total) : l1_ratio;  // of ridge as glmnet has it
    for (std::size_t j = 0; j < x.size(); ++j) {
      largest = std::max(largest, pull(plain_dot(x[j], u)) / (factor(j) * ratio));
    }
    return largest;
  }
  /// Coordinate descent on the quadratic bound of each variable until nothing moves.
  [[nodiscard]] Vector solve(double lambda) const {
    Vector b(x.size(), 0.0), c(z.size(), 0.0);
    for (int sweep = 0; sweep < 40000; ++sweep) {
      double moved = 0;
      if (sweep % 20 == 0) fit_z(b, c);
      Vector eta = predictor(b, c);
      for (std::size_t j = 0; j < x.size(); ++j) {
        double bound = 0;
        for (std::size_t i = 0; i < eta.size(); ++i) bound += 0.25 * weights[i] * x[j][i] * x[j][i];
        if (bound == 0) continue;
        const double target = bound * b[j] + plain_dot(x[j], slope(eta));
        const double size = std::max(0.0, pull(target) - lambda * factor(j) * l1_ratio) /
                            (bound + lambda * factor(j) * squares_weight());
        const double updated = target < 0 ? -size : size;
        plain_add(updated - b[j], x[j], eta);
        moved = std::max(moved, std::abs(updated - b[j]));
        b[j] = updated;
      }
      if (sweep % 20 == 0 && moved < 1e-12) break;
    }
    return b;
  }
};

/// Standardises by definition; rows that take no part are left out.
inline PlainLogistic plain_logistic(const Content& content, const LassoOptions& options, const Vector& offset = {}) {
  PlainLogistic plain;
  const auto samples_of = [&content](const Vector& values) {
    Vector kept;
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (content.takes_part(i)) kept.push_back(values[i]);
    }
    return kept;
  };
  for (const double one : samples_of(content.response)) plain.y.push_back(one > 0.5 ? 1 : -1);
  plain.weights = content.weights.empty() ? Vector(plain.y.size(), 1.0) : samples_of(content.weights);
  plain.offset = offset.empty() ? Vector(plain.y.size(), 0.0) : samples_of(offset);
  plain.l1_ratio = options.l1_ratio;
  plain.unit = options.scale;
  plain.nonnegative = options.nonnegative;
  double total = 0;
  for (const double w : plain.weights) total += w;
  const auto standardised = [&](const Vector& column) {
    Vector v = samples_of(column);
    const double mean = options.center ? plain_dot(plain.weights, v) / total : 0.0;
    double squares = 0;
    for (std::size_t i = 0; i < v.size(); ++i) {
      v[i] -= mean;
      squares += plain.weights[i] * v[i] * v[i];
    }
    for (double& value : v) value /= options.scale && squares > 0 ? std::sqrt(squares) : 1.0;
    return v;
  };
  if (options.intercept) plain.z.emplace_back(plain.y.size(), 1.0);
  for (const auto& covariate : content.covariates) {
    Vector v = samples_of(covariate);
    // The same space, in which one coordinate at a time gets somewhere.
    const double mean = options.intercept ? plain_mean(v) : 0.0;
    for (double& value : v) value -= mean;
    plain.z.push_back(std::move(v));
  }
  for (std::size_t j = 0; j < content.columns.size(); ++j) {
    const bool free = !content.factors.empty() && content.factors[j] == 0;
    Vector v = standardised(content.columns[j]);
    if (free) plain.z.push_back(v);
    plain.x.push_back(free ? Vector(v.size(), 0.0) : std::move(v));
    if (!content.factors.empty()) plain.factors.push_back(free ? 1.0 : content.factors[j]);
  }
  return plain;
}

/// random_content() with a response of 0 and 1: above its median or not, some of them the other way round.
inline Content random_classes(const Recipe& recipe) {
  Content content = random_content(recipe);
  Vector sorted = content.response;
  std::nth_element(sorted.begin(), sorted.begin() + static_cast<std::ptrdiff_t>(sorted.size() / 2), sorted.end());
  const double median = sorted[sorted.size() / 2];
  for (std::size_t i = 0; i < content.response.size(); ++i) {
    const bool above = content.response[i] > median;
    content.response[i] = above != (i % 7 == 3) ? 1.0 : 0.0;
  }
  return content;
}

class WithOffset final : public InMemoryDataset {
 public:
  WithOffset(Content content, Vector offset) : InMemoryDataset(std::move(content)), offset_(std::move(offset)) {}
  [[nodiscard]] std::span<const double> offset() const override { return offset_; }

 private:
  Vector offset_;
};

/// Fits and compares with the plain solver, within the gap that was asked for.
inline Fit check_logistic(const Content& content, LassoOptions options, const EngineOptions& engine = {},
                          const Vector& offset = {}) {
  options.family = Family::binomial;
  Fit result = fit(std::make_shared<WithOffset>(content, offset), options, engine);
  if (!result.run.end.status.ok()) return result;
  const PlainLogistic plain = plain_logistic(content, options, offset);
  const double lambda = result.solution.lambda;
  EXPECT_NEAR(result.solution.problem.lambda_max, plain.lambda_max(), 1e-10 * plain.lambda_max());
  const double best = plain.objective(plain.solve(lambda), lambda);
  const double found = plain.objective(result.beta(), lambda);
  EXPECT_LE(found - best, 1.001 * options.tolerance * found);
  EXPECT_GE(found - best, -1e-9 * found) << "better than the optimum: the reference is wrong";
  EXPECT_NEAR(result.certificate().objective, found, 1e-11 * found);
  EXPECT_NEAR(result.certificate().gap, std::max(0.0, plain.gap(result.beta(), lambda)), 1e-10 * found);
  EXPECT_LE(result.certificate().relative_gap, options.tolerance);
  EXPECT_EQ(result.run.end.stop_reason, "converged");
  return result;
}

}  // namespace strads::lasso
