// The Lasso by the book: dense doubles, no tricks, nothing shared with the program but the data. What fits are checked
// with.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "in_memory_dataset.hpp"
#include "lasso/check/dense_problem.hpp"
#include "lasso/model/lasso_model.hpp"
#include "lasso/problem/lasso.hpp"
#include "strads/policies/options.hpp"
#include "strads/transport/embedded.hpp"

namespace strads::lasso {

using Vector = std::vector<double>;

inline double plain_dot(const Vector& a, const Vector& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

inline double plain_mean(const Vector& values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return sum / static_cast<double>(values.size());
}

/// y <- y + alpha x.
inline void plain_add(double alpha, const Vector& x, Vector& y) {
  for (std::size_t i = 0; i < y.size(); ++i) y[i] += alpha * x[i];
}

/// min 1/2 ||y - X b||^2 + lambda sum f_j (a |b_j| + (1 - a) / 2 b_j^2) with columns x[0] ... x[J - 1]; a column of
/// zeros takes no part.
struct PlainProblem {
  std::vector<Vector> x;
  Vector y;
  double l1_ratio = 1;  ///< a
  Vector factors{};     ///< f; empty: all 1
  bool nonnegative = false;

  /// What a penalty must hold against.
  [[nodiscard]] double pull(double h) const { return nonnegative ? std::max(h, 0.0) : std::abs(h); }

  [[nodiscard]] double factor(std::size_t j) const { return factors.empty() ? 1.0 : factors[j]; }
  [[nodiscard]] double l1(double lambda, std::size_t j) const { return factor(j) * lambda * l1_ratio; }
  [[nodiscard]] double l2(double lambda, std::size_t j) const { return factor(j) * lambda * (1 - l1_ratio); }

  [[nodiscard]] Vector residual(const Vector& beta) const {
    Vector r = y;
    for (std::size_t j = 0; j < x.size(); ++j) {
      if (beta[j] != 0.0) plain_add(-beta[j], x[j], r);
    }
    return r;
  }
  [[nodiscard]] double objective(const Vector& beta, double lambda) const {
    const Vector r = residual(beta);
    double penalty = 0;
    for (std::size_t j = 0; j < beta.size(); ++j)
      penalty += l1(lambda, j) * std::abs(beta[j]) + 0.5 * l2(lambda, j) * beta[j] * beta[j];
    return 0.5 * plain_dot(r, r) + penalty;
  }
  [[nodiscard]] double lambda_max() const {
    double largest = 0;
    const double ratio = l1_ratio == 0 ? 0.001 : l1_ratio;  // of ridge as glmnet has it
    for (std::size_t j = 0; j < x.size(); ++j)
      largest = std::max(largest, pull(plain_dot(x[j], y)) / (factor(j) * ratio));
    return largest;
  }
  /// By the plain certificate.
  [[nodiscard]] double gap(const Vector& beta, double lambda) const {
    LassoOptions options;
    options.center = options.scale = options.center_y = options.scale_y = false;
    const DenseProblem written_out(dataset_of({.columns = x, .response = y, .factors = factors}), options);
    return written_out.certificate(beta, {lambda * l1_ratio, lambda * (1 - l1_ratio), nonnegative}).gap;
  }
  /// Cyclic coordinate descent until nothing moves.
  [[nodiscard]] Vector solve(double lambda) const {
    Vector beta(x.size(), 0.0);
    Vector r = y;
    for (int sweep = 0; sweep < 200000; ++sweep) {
      double moved = 0;
      for (std::size_t j = 0; j < x.size(); ++j) {
        const double squares = plain_dot(x[j], x[j]);
        if (squares == 0) continue;
        const double target = squares * beta[j] + plain_dot(x[j], r);
        const double size = std::max(0.0, pull(target) - l1(lambda, j)) / (squares + l2(lambda, j));
        const double updated = target < 0 ? -size : size;
        plain_add(beta[j] - updated, x[j], r);
        moved = std::max(moved, std::abs(updated - beta[j]) * std::sqrt(squares));
        beta[j] = updated;
      }
      if (moved < 1e-14 * std::sqrt(plain_dot(y, y))) break;
    }
    return beta;
  }
};

/// How the plain problem came from the data: x = (raw - mean) / norm.
struct PlainData {
  PlainProblem problem;
  Vector means, norms;
  double response_mean = 0;
  double response_norm = 1;
};

/// Standardises by definition; rows that take no part are left out, and the others multiplied by the square
/// roots of their weights. Covariates and columns without a penalty: residuals of least squares on [1, covariates],
/// found by Gram-Schmidt.
inline PlainData plain_data(const Content& content, const LassoOptions& options) {
  const auto samples_of = [&content](const Vector& values) {
    Vector kept;
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (content.takes_part(i)) kept.push_back(values[i]);
    }
    return kept;
  };
  const Vector weights =
      content.weights.empty() ? Vector(samples_of(content.response).size(), 1.0) : samples_of(content.weights);
  const double total = plain_mean(weights) * static_cast<double>(weights.size());
  const auto mean_of = [&weights, total](const Vector& v) { return plain_dot(weights, v) / total; };
  const auto weigh = [&weights](Vector& v) {
    for (std::size_t i = 0; i < v.size(); ++i) v[i] *= std::sqrt(weights[i]);
  };
  std::vector<Vector> basis;
  const auto project = [&basis](Vector& v) {
    for (int twice = 0; twice < 2; ++twice) {
      for (const auto& q : basis) plain_add(-plain_dot(q, v), q, v);
    }
  };
  std::vector<Vector> projected = content.covariates;
  for (std::size_t j = 0; j < content.factors.size(); ++j) {
    if (content.factors[j] == 0) projected.push_back(content.columns[j]);
  }
  for (const auto& covariate : projected) {
    Vector v = samples_of(covariate);
    const double mean = mean_of(v);
    for (double& value : v) value -= mean;
    weigh(v);
    project(v);
    const double norm = std::sqrt(plain_dot(v, v));
    for (double& value : v) value /= norm;
    basis.push_back(std::move(v));
  }
  PlainData plain;
  plain.problem.l1_ratio = options.l1_ratio;
  plain.problem.nonnegative = options.nonnegative;
  plain.problem.y = samples_of(content.response);
  if (options.center_y) plain.response_mean = mean_of(plain.problem.y);
  for (double& value : plain.problem.y) value -= plain.response_mean;
  weigh(plain.problem.y);
  if (options.scale_y) plain.response_norm = std::sqrt(plain_dot(plain.problem.y, plain.problem.y));
  for (double& value : plain.problem.y) value /= plain.response_norm;
  project(plain.problem.y);
  for (const auto& column : content.columns) {
    Vector v = samples_of(column);
    const bool constant = std::all_of(v.begin(), v.end(), [&v](double value) { return value == v[0]; });
    plain.means.push_back(options.center ? mean_of(v) : 0.0);
    for (double& value : v) value -= plain.means.back();
    weigh(v);
    plain.norms.push_back(options.scale && !(constant && options.center) ? std::sqrt(plain_dot(v, v)) : 1.0);
    for (double& value : v) value = constant && options.center ? 0.0 : value / plain.norms.back();
    project(v);
    if (!content.factors.empty()) {
      const double factor = content.factors[plain.problem.x.size()];
      if (factor == 0) std::fill(v.begin(), v.end(), 0.0);
      plain.problem.factors.push_back(factor == 0 ? 1 : factor);
    }
    plain.problem.x.push_back(std::move(v));
  }
  return plain;
}

/// A fit with everything that a test may ask about.
struct Fit {
  std::shared_ptr<LassoData> data;
  EmbeddedRun run;
  Solution solution;

  [[nodiscard]] const Certificate& certificate() const { return run.end.certificate; }
  /// All J standardised coefficients.
  [[nodiscard]] Vector beta() const {
    Vector all(data->columns->size(), 0.0);
    for (std::size_t k = 0; k < solution.variables.size(); ++k) all[solution.variables[k]] = solution.standardized[k];
    return all;
  }
};

/// The program's own fit, in this process on one thread.
inline Fit fit(std::shared_ptr<const Dataset> dataset, LassoOptions options, const EngineOptions& engine = {}) {
  options.workers = engine.workers;
  options.schedulers = engine.schedulers;
  auto data = prepare_lasso(std::move(dataset), options);
  Fit result;
  if (!data.ok()) {
    ADD_FAILURE() << data.status().message();
    result.run.end.status = data.status();
    return result;
  }
  result.data = std::move(data).value();
  EmbeddedOptions embedded;
  embedded.threads = 1;
  result.run = run_embedded(make_lasso_model(result.data, options), engine, embedded, nullptr, nullptr);
  EXPECT_TRUE(result.run.end.status.ok()) << result.run.end.status.message();
  if (result.run.end.status.ok()) result.solution = solution_of(result.run.end);
  return result;
}

/// Fits and compares the objective with that of plain coordinate descent, within the gap that was asked for.
inline Fit check(const Content& content, const LassoOptions& options, const EngineOptions& engine = {}) {
  Fit result = fit(dataset_of(content), options, engine);
  if (!result.run.end.status.ok()) return result;
  const PlainProblem plain = plain_data(content, options).problem;
  const double lambda = result.solution.lambda;
  EXPECT_NEAR(result.solution.problem.lambda_max, plain.lambda_max(), 1e-12 * plain.lambda_max());
  const double best = plain.objective(plain.solve(lambda), lambda);
  const double found = plain.objective(result.beta(), lambda);
  EXPECT_LE(found - best, 1.001 * options.tolerance * found);
  EXPECT_GE(found - best, -1e-11 * found) << "better than the optimum: the reference is wrong";
  EXPECT_NEAR(result.certificate().objective, found, 1e-11 * found);
  EXPECT_LE(result.certificate().relative_gap, options.tolerance);
  EXPECT_GE(result.certificate().gap, found - best - 1e-12 * found) << "a certificate is an upper bound";
  EXPECT_EQ(result.run.end.stop_reason, "converged");
  return result;
}

/// The six policies as parameters of a test, and their names as those of its cases.
inline auto all_policies() {
  return ::testing::Values(Policy::uniform, Policy::fixed_structure, Policy::paper, Policy::theorem1,
                           Policy::block_greedy, Policy::automatic);
}
inline std::string name_of_case(const ::testing::TestParamInfo<Policy>& policy) {
  std::string name = policy_name(policy.param);
  std::erase(name, '-');
  return name;
}

/// Prepared and scanned data, for what is tested below the engine.
inline std::shared_ptr<LassoData> scanned(const Content& content, const LassoOptions& options = {}) {
  auto data = prepare_lasso(dataset_of(content), options);
  EXPECT_TRUE(data.ok()) << data.status().message();
  std::vector<VarId> all;
  for (VarId j = 0; j < data.value()->columns->size(); ++j) all.push_back(j);
  SerialChunks chunks;
  data.value()->columns->scan(all, chunks);
  return data.value();
}

/// Weights, two covariates, and factors of the penalty: 0, 30 and 0.01 among ones.
inline Content with_all_kinds_of_penalties(Content content) {
  const std::size_t rows = content.rows();
  for (std::size_t i = 0; i < rows; ++i) content.weights.push_back(1.0 + static_cast<double>(i * 7 % 5));
  content.covariates.assign(2, Vector(rows));
  for (std::size_t i = 0; i < rows; ++i) {
    content.covariates[0][i] = static_cast<double>(i % 7);
    content.covariates[1][i] = std::sin(static_cast<double>(i));
  }
  content.factors.assign(content.columns.size(), 1.0);
  content.factors[2] = 0;
  content.factors[5] = 30;
  content.factors[6] = 0.01;
  return content;
}

}  // namespace strads::lasso
