#include "lasso/problem/lasso_state.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "strads/numerics/columns.hpp"

namespace strads::lasso {

LassoState::LassoState(std::vector<double> start, std::span<const double> roots) : residual(std::move(start)) {
  refresh_sums({}, roots);
}

Payload LassoState::content() const {
  Payload content{variables, beta};
  const auto add = [&content](const std::vector<double>& more) {
    content.values.insert(content.values.end(), more.begin(), more.end());
  };
  if (linear.predictor.empty()) {
    add(residual);
  } else {
    add(linear.predictor);
    add(linear.unpenalised);
  }
  return content;
}

double LassoState::value(VarId j) const {
  const auto at = std::lower_bound(variables.begin(), variables.end(), j);
  if (at == variables.end() || *at != j) return 0.0;
  return beta[static_cast<std::size_t>(at - variables.begin())];
}

std::vector<double> LassoState::values(std::span<const VarId> wanted) const {
  std::vector<double> found(wanted.size());
  for (std::size_t k = 0; k < wanted.size(); ++k) found[k] = value(wanted[k]);
  return found;
}

void LassoState::set_values(std::span<const VarId> changed, std::span<const double> new_values) {
  std::vector<std::size_t> order(changed.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return changed[a] < changed[b]; });
  std::vector<VarId> merged;
  std::vector<double> merged_beta;
  merged.reserve(variables.size() + changed.size());
  merged_beta.reserve(variables.size() + changed.size());
  const auto put = [&](VarId j, double value) {
    if (value == 0.0) return;
    merged.push_back(j);
    merged_beta.push_back(value);
  };
  std::size_t old = 0;
  for (const std::size_t k : order) {
    for (; old < variables.size() && variables[old] < changed[k]; ++old) put(variables[old], beta[old]);
    if (old < variables.size() && variables[old] == changed[k]) ++old;
    put(changed[k], new_values[k]);
  }
  for (; old < variables.size(); ++old) put(variables[old], beta[old]);
  variables = std::move(merged);
  beta = std::move(merged_beta);
}

void LassoState::refresh_sums(std::span<const double> factors, std::span<const double> roots) {
  total = roots.empty() ? strads::sum(residual) : dot(roots, residual);
  residual_squared = dot(residual, residual);
  if (linear.predictor.empty()) loss = 0.5 * residual_squared;
  l1 = 0;
  squares = 0;
  for (std::size_t k = 0; k < beta.size(); ++k) {
    const double factor = factors.empty() ? 1.0 : factors[variables[k]];
    l1 += factor * std::abs(beta[k]);
    squares += factor * beta[k] * beta[k];
  }
}

}  // namespace strads::lasso
