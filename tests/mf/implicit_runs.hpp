// Small problems of implicit feedback, and what is asked of their rows and fits: of iALS and of Hu's objective.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <memory>
#include <vector>

#include "made_up_ratings.hpp"
#include "mf/check/check_factors.hpp"
#include "mf/factors/factor_quality.hpp"
#include "mf/problem/positives.hpp"

namespace strads::mf::test {

inline MfOptions implicit_options(Solver solver) {
  MfOptions options;
  options.implicit = true;
  options.solver = solver;
  options.bias = options.mean = options.clip = false;
  options.relaxation = 1;
  options.rank = 5;
  options.width = 3;
  options.cg_steps = 4;
  options.lambda = 0.02;
  options.alpha0 = 0.05;
  options.nu = 0.7;
  options.sweeps_max = 6;
  options.tolerance = 0;
  return options;
}

/// 60 x 40 pairs with counts of 1/2 to 5 as confidences.
inline std::shared_ptr<MfData> implicit_data(Confidence confidence = Confidence::linear) {
  const auto ratings = made_up_ratings({});
  EXPECT_TRUE(to_positives({.on = true, .confidence = confidence, .from = {}}, "made", *ratings).ok());
  return prepare_mf(ratings, 1, std::make_shared<SerialChunks>(), true).value();
}

/// Within a share of the row's largest factor.
inline void expect_row(const float* found, const std::vector<double>& expected, double share = 1e-4) {
  double largest = 0;
  for (const double value : expected) largest = std::max(largest, std::abs(value));
  for (std::size_t k = 0; k < expected.size(); ++k) EXPECT_NEAR(double{found[k]}, expected[k], share * largest) << k;
}

/// A fit is refused where a factor is not the one of which it says the objective.
inline void expect_no_forged_factor(const MfOptions& options) {
  const auto data = implicit_data();
  const EngineOptions engine{.schedulers = 2, .workers = 2, .depth = 2};
  const auto model = make_mf_model(data, options, engine, true);
  auto run = run_embedded(model, engine, {}, {}, {});
  MfSolution solution = solution_of(*data, options, run.end);
  FactorModel factors = factor_model(*data, solution, false);
  factors.factors[0][3] += 0.05F;
  SerialChunks serial;
  EXPECT_EQ(check_factors(*model, factors, solution, serial).code(), StatusCode::internal);
}

}  // namespace strads::mf::test
