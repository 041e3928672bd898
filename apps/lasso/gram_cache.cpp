#include "lasso/gram_cache.hpp"

#include <algorithm>
#include <utility>

namespace strads::lasso {

void GramCache::gram(const StandardizedColumns& columns, std::span<const VarId> variables, std::vector<double>& out,
                     Chunks& chunks, Cost& cost) {
  std::vector<VarId> old_variables;
  std::vector<double> old_matrix;
  {
    const std::lock_guard lock(mutex_);
    old_variables.swap(variables_);
    old_matrix.swap(matrix_);
  }
  const std::size_t count = variables.size();
  std::vector<VarId> fresh;
  std::vector<std::size_t> fresh_at;
  std::vector<std::pair<std::size_t, std::size_t>> known;  // place now, place in the old matrix
  for (std::size_t i = 0; i < count; ++i) {
    const auto at = std::lower_bound(old_variables.begin(), old_variables.end(), variables[i]);
    if (at != old_variables.end() && *at == variables[i]) {
      known.emplace_back(i, static_cast<std::size_t>(at - old_variables.begin()));
    } else {
      fresh.push_back(variables[i]);
      fresh_at.push_back(i);
    }
  }
  out.resize(count * count);
  for (const VarId j : fresh) cost.flops += columns.work(j) * (known.size() + (fresh.size() + 1) / 2);
  if (known.empty()) {
    columns.gram(variables, out, chunks);
    return;
  }
  chunks.for_each(known.size(), [&](std::size_t a) {
    const double* from = old_matrix.data() + known[a].second * old_variables.size();
    double* to = out.data() + known[a].first * count;
    for (const auto& [now, before] : known) to[now] = from[before];
  });
  old_matrix = {};
  std::vector<double> rows(fresh.size() * count);
  columns.gram(fresh, variables, rows, chunks);
  for (std::size_t a = 0; a < fresh.size(); ++a) {
    for (std::size_t i = 0; i < count; ++i) {
      out[fresh_at[a] * count + i] = rows[a * count + i];
      out[i * count + fresh_at[a]] = rows[a * count + i];
    }
  }
}

void GramCache::keep(std::span<const VarId> variables, std::vector<double> matrix) {
  const std::lock_guard lock(mutex_);
  variables_.assign(variables.begin(), variables.end());
  matrix_ = std::move(matrix);
}

}  // namespace strads::lasso
