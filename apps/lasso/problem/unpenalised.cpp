#include "lasso/problem/unpenalised.hpp"

#include <algorithm>

namespace strads::lasso {

Unpenalised find_unpenalised(const Dataset& dataset, const Standardization& how) {
  Unpenalised found;
  const ColumnsView& view = dataset.columns();
  const auto factors = dataset.penalty_factors();
  if (std::find(factors.begin(), factors.end(), 0.0) == factors.end()) return found;
  found.columns = std::make_shared<const StandardizedColumns>(view, how);
  found.excluded.assign(view.excluded.begin(), view.excluded.end());
  found.excluded.resize(view.columns, 0);
  for (VarId j = 0; j < view.columns; ++j) {
    if (factors[j] != 0.0 || found.columns->state(j) != ColumnState::kept) continue;
    found.variables.push_back(j);
    found.excluded[j] = 1;
  }
  return found;
}

std::vector<std::vector<double>> Unpenalised::vectors() const {
  std::vector<std::vector<double>> decoded;
  for (const VarId j : variables) {
    decoded.emplace_back(columns->rows());
    columns->decode(j, decoded.back());
    const auto roots = columns->roots();  // whoever projects them out weighs them again
    for (std::size_t i = 0; i < roots.size(); ++i) decoded.back()[i] = roots[i] > 0 ? decoded.back()[i] / roots[i] : 0;
  }
  return decoded;
}

std::vector<double> solver_factors(const Dataset& dataset) {
  const auto given = dataset.penalty_factors();
  std::vector<double> factors(given.begin(), given.end());
  for (double& factor : factors) factor = factor == 0.0 ? 1.0 : factor;
  const bool plain = std::all_of(factors.begin(), factors.end(), [](double factor) { return factor == 1.0; });
  return plain ? std::vector<double>{} : factors;
}

}  // namespace strads::lasso
