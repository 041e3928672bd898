// Residuals of a run that never was, and what all gradients say of them.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "lasso/policies/slice_gradients.hpp"
#include "lasso/run/plain_lasso.hpp"
#include "lasso/solver/lasso_push.hpp"

namespace strads::lasso {

/// Pieces from the last to the first: what a thread pool may do at worst.
class BackwardChunks final : public Chunks {
 public:
  void for_each(std::size_t count, const std::function<void(std::size_t)>& piece) override {
    for (std::size_t i = count; i-- > 0;) piece(i);
  }
};

/// Data with the residuals of a run that never was: coefficients that come, change and go.
struct Walk {
  std::shared_ptr<LassoData> data;
  std::vector<VarId> variables;
  Vector beta, residual;
  std::vector<std::uint32_t> support;
  BackwardChunks chunks;
  Cost cost;

  explicit Walk(std::shared_ptr<const Dataset> dataset, const LassoOptions& options = {}, VarId every = 1)
      : data(prepare_lasso(std::move(dataset), options).value()), residual(data->response.standardized) {
    for (VarId j = 0; j < data->columns->size(); j += every) variables.push_back(j);
    beta.assign(variables.size(), 0.0);
  }
  [[nodiscard]] const StandardizedColumns& columns() const { return *data->columns; }

  /// Changes of about `size` in some coefficients, some of which become 0.
  void move(double size, CounterRng& random) {
    for (int k = 0; k < 12; ++k) {
      const auto i = static_cast<std::size_t>(random.below(variables.size()));
      if (columns().state(variables[i]) != ColumnState::kept) continue;
      beta[i] = random.unit() < 0.3 ? 0.0 : beta[i] + size * (random.unit() - 0.5);
    }
    support.clear();
    std::vector<VarId> members;
    Vector values;
    for (std::uint32_t i = 0; i < beta.size(); ++i) {
      if (beta[i] == 0.0) continue;
      support.push_back(i);
      members.push_back(variables[i]);
      values.push_back(beta[i]);
    }
    Vector fitted(columns().rows());
    columns().combine(members, values, fitted, chunks);
    residual = data->response.standardized;
    axpy(-1.0, fitted, residual);
  }
};

/// The same from all gradients.
struct Exact {
  Vector gradient;
  double steepest = 0;
  std::uint64_t violators = 0;
  std::vector<std::pair<double, VarId>> candidates;  ///< best first

  Exact(const Walk& run, const Penalty& penalty) : gradient(run.variables.size()) {
    SerialChunks serial;
    run.columns().dots(run.variables, run.residual, gradient, serial);
    for (std::size_t i = 0; i < gradient.size(); ++i) {
      const VariablePenalty own = penalty.of(run.variables[i]);
      steepest = std::max(steepest, own.steepness(gradient[i] - own.l2 * run.beta[i]));
      if (run.beta[i] != 0.0 || !(own.pull(gradient[i]) > own.l1)) continue;
      ++violators;
      candidates.emplace_back(-decrease(run, penalty, i, gradient[i]), i);
    }
    std::sort(candidates.begin(), candidates.end());
  }
  static double decrease(const Walk& run, const Penalty& penalty, std::size_t i, double gradient) {
    const VarId j = run.variables[i];
    return penalty.of(j).step(0.0, gradient, run.columns().squared_norm(j)).decrease;
  }
};

inline void expect_exact(const Walk& run, const SliceGradients& gradients, const SliceGradients::Answer& answer,
                         const Penalty& penalty, std::size_t best, const std::string& name) {
  Exact exact(run, penalty);
  ASSERT_EQ(answer.steepest, exact.steepest) << name;
  ASSERT_EQ(answer.violators, exact.violators) << name;
  for (const std::uint32_t i : run.support) ASSERT_EQ(gradients[i], exact.gradient[i]) << name << " variable " << i;
  std::vector<std::pair<double, VarId>> found;
  for (const std::uint32_t i : answer.candidates) {
    ASSERT_EQ(gradients[i], exact.gradient[i]) << name << " candidate " << i;
    found.emplace_back(-Exact::decrease(run, penalty, i, gradients[i]), i);
  }
  std::sort(found.begin(), found.end());
  const std::size_t count = std::min(best, exact.candidates.size());
  ASSERT_GE(found.size(), count) << name;
  for (std::size_t k = 0; k < count; ++k) ASSERT_EQ(found[k], exact.candidates[k]) << name << " place " << k;
  if (count == 0) return;
  // What is not among them looks worse than the worst that was asked for, by the number that is kept of it.
  std::vector<std::uint8_t> listed(run.variables.size());
  for (const std::uint32_t i : answer.candidates) listed[i] = 1;
  const double worst = count == best ? -found[best - 1].first : 0.0;
  for (std::size_t i = 0; i < listed.size(); ++i) {
    if (listed[i] != 0 || run.beta[i] != 0.0) continue;
    const double decrease = Exact::decrease(run, penalty, i, gradients[i]);
    ASSERT_TRUE(decrease < worst || decrease == 0.0) << name << " variable " << i;
  }
}

/// The residual whose rounding to whole numbers hides as much of column j as it can: every entry lies 0.45 units from
/// the next whole number, on the side of the column's sign. Else it points along column k, and to a third along j.
inline Vector hiding(const Walk& run, VarId j, VarId k) {
  constexpr double kUnit = 1.0 / kQuantisedMax;
  SerialChunks serial;
  const auto column = [&](VarId which) {
    Vector values(run.columns().rows());
    run.columns().combine(std::vector<VarId>{which}, Vector{1.0}, values, serial);
    return values;
  };
  const Vector hidden = column(j), main = column(k);
  Vector residual(hidden.size());
  double largest = 0;
  for (std::size_t i = 0; i < residual.size(); ++i) {
    residual[i] = main[i] + hidden[i] / 3;
    largest = std::max(largest, std::abs(residual[i]));
  }
  for (std::size_t i = 0; i < residual.size(); ++i) {
    const double whole = std::rint(residual[i] / largest * kQuantisedMax);
    const double rest = std::abs(whole) == kQuantisedMax ? 0.0 : std::copysign(0.45, hidden[i]);
    residual[i] = kUnit * (whole + rest);
  }
  return residual;
}

}  // namespace strads::lasso
