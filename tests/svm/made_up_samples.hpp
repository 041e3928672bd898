// Samples of tests, how they are solved, and what is true of a solution, by arithmetic of the tests' own.
#pragma once

#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

#include "strads/base/random.hpp"
#include "strads/engine/progress.hpp"
#include "strads/policies/policies.hpp"
#include "strads/transport/embedded.hpp"
#include "svm/problem/svm.hpp"

namespace strads::svm::made_up {

/// Rows of numbers, zeros left out.
inline Rows rows_of(const std::vector<std::vector<double>>& dense) {
  Rows rows;
  rows.features = static_cast<std::uint32_t>(dense.empty() ? 0 : dense[0].size());
  rows.begins.push_back(0);
  for (const auto& row : dense) {
    for (std::uint32_t j = 0; j < row.size(); ++j) {
      if (row[j] == 0) continue;
      rows.index.push_back(j);
      rows.values.push_back(row[j]);
    }
    rows.begins.push_back(rows.index.size());
  }
  return rows;
}

inline std::shared_ptr<SvmData> data_of(const std::vector<std::vector<double>>& dense,
                                        std::vector<std::uint32_t> labels, std::uint32_t classes = 2) {
  auto data = std::make_shared<SvmData>();
  data->rows = rows_of(dense);
  data->labels = std::move(labels);
  data->classes = classes;
  data->fingerprint = 7;
  return data;
}

struct Shape {
  std::size_t samples = 40;
  std::size_t features = 6;
  std::uint32_t classes = 2;
  double density = 0.6;
  double noise = 0.8;
};

/// Classes that overlap; every class has a sample.
inline std::shared_ptr<SvmData> random_data(std::uint64_t seed, const Shape& shape) {
  CounterRng random(seed, Purpose::tests);
  std::vector<std::vector<double>> centers(shape.classes, std::vector<double>(shape.features));
  for (auto& center : centers) {
    for (double& value : center) value = random.unit() - 0.5;
  }
  std::vector<std::vector<double>> dense(shape.samples, std::vector<double>(shape.features, 0.0));
  std::vector<std::uint32_t> labels(shape.samples);
  for (std::size_t i = 0; i < shape.samples; ++i) {
    labels[i] = static_cast<std::uint32_t>(i < shape.classes ? i : random.below(shape.classes));
    for (std::size_t j = 0; j < shape.features; ++j) {
      if (random.unit() > shape.density) continue;
      dense[i][j] = centers[labels[i]][j] + shape.noise * (2 * random.unit() - 1);
    }
  }
  return data_of(dense, std::move(labels), shape.classes);
}

inline RunEnd run(const std::shared_ptr<SvmData>& data, const SvmOptions& options, const EngineOptions& engine = {},
                  unsigned threads = 1) {
  SvmOptions all = options;
  all.policies.workers = engine.workers;
  all.policies.schedulers = engine.schedulers;
  return run_embedded(make_svm_model(data, all, engine), engine, {.threads = threads}, {}, {}).end;
}

inline SvmSolution solve(const std::shared_ptr<SvmData>& data, const SvmOptions& options,
                         const EngineOptions& engine = {}, unsigned threads = 1) {
  return solution_of(*data, options, run(data, options, engine, threads));
}

/// y_i f(x_i).
inline double margin(const SvmData& data, const SvmSolution& solution, std::size_t problem, std::size_t i) {
  double sum = solution.bias[problem];
  for (std::uint64_t at = data.rows.begins[i]; at < data.rows.begins[i + 1]; ++at) {
    sum += data.rows.values[at] * solution.weights[problem * solution.features + data.rows.index[at]];
  }
  const bool positive = data.classes == 2 ? data.labels[i] == 1 : data.labels[i] == problem;
  return positive ? sum : -sum;
}

/// How far a solution is from the conditions of Karush, Kuhn and Tucker: w = sum a y x, and margin and a_i fit.
struct Kkt {
  double stationarity = 0;     ///< largest |w_j - sum a_i y_i x_ij|
  double complementarity = 0;  ///< largest difference of a margin from what a_i allows
};

inline Kkt kkt_of(const SvmData& data, const SvmOptions& options, const SvmSolution& solution) {
  Kkt found;
  const std::size_t n = data.rows.size();
  for (std::size_t problem = 0; problem < data.problems(); ++problem) {
    std::vector<double> rest(solution.weights.begin() + static_cast<std::ptrdiff_t>(problem * solution.features),
                             solution.weights.begin() + static_cast<std::ptrdiff_t>((problem + 1) * solution.features));
    double bias = options.bias != 0 ? solution.bias[problem] / options.bias : 0;
    for (std::size_t i = 0; i < n; ++i) {
      const double alpha = solution.alpha[problem * n + i];
      const bool positive = data.classes == 2 ? data.labels[i] == 1 : data.labels[i] == problem;
      const double factor = positive ? alpha : -alpha;
      for (std::uint64_t at = data.rows.begins[i]; at < data.rows.begins[i + 1]; ++at) {
        rest[data.rows.index[at]] -= factor * data.rows.values[at];
      }
      bias -= factor * options.bias;
      const double cost = options.cost * data.weight(problem, i), m = margin(data, solution, problem, i);
      double off = 0;
      if (options.loss == Loss::squared_hinge) {
        off = std::abs(alpha - 2 * cost * std::max(0.0, 1 - m));
      } else {
        if (alpha < cost) off = std::max(off, 1 - m);  // more of it would pay
        if (alpha > 0) off = std::max(off, m - 1);
      }
      found.complementarity = std::max(found.complementarity, off);
    }
    for (const double value : rest) found.stationarity = std::max(found.stationarity, std::abs(value));
    found.stationarity = std::max(found.stationarity, std::abs(bias));
  }
  return found;
}

}  // namespace strads::svm::made_up
