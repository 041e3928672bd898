// Sample weights: everything outside sees sqrt(w) o x~_j, so that weighted inner products are plain ones.
// docs/MODELS.md, "Sample weights".
#include <algorithm>
#include <cmath>

#include "numerics/columns/columns_sparse.hpp"
#include "numerics/columns/columns_state.hpp"

namespace strads {

std::vector<double> StandardizedColumns::State::weighted(std::span<const double> u) const {
  std::vector<double> out(u.begin(), u.end());
  weigh(0, out.size(), out.data());
  return out;
}

void StandardizedColumns::State::weigh(std::size_t begin, std::size_t end, double* v) const {
  if (roots.empty()) return;
  for (std::size_t i = begin; i < end; ++i) v[i - begin] *= roots[i];
}

double StandardizedColumns::State::weighted_dot(VarId j, std::span<const double> u, double total) const {
  if (!takes_part(j)) return 0;
  if (view.storage == Storage::sparse_f32 || view.storage == Storage::sparse_f64) {
    const double product = view.storage == Storage::sparse_f32 ? sparse_dot(sparse<float>(j), u.data(), roots.data())
                                                               : sparse_dot(sparse<double>(j), u.data(), roots.data());
    return (product - shift(j) * total) / columns[j].norm();
  }
  return dot(j, weighted(u).data(), total);
}

void StandardizedColumns::State::weighted_add(VarId j, double alpha, std::span<double> v) const {
  std::vector<double> column(v.size(), 0.0);
  add_rows(j, alpha, 0, v.size(), column.data());
  // Dropped rows have a weight of 0, but a mapped file may hold anything there.
  clear_dropped(0, v.size(), column.data());
  for (std::size_t i = 0; i < v.size(); ++i) v[i] += roots[i] * column[i];
}

ColumnStatistics StandardizedColumns::State::weighted_genotype(VarId j) const {
  const GenotypeCounts counts = kernels().genotype_counts(calls(j), keep.data(), rows());
  const auto weight_of = [&](double two, double missing, double one, double none) {
    const double values[4] = {two, missing, one, none};
    return kernels().genotype_dot(calls(j), values, weights.data(), rows());
  };
  ColumnStatistics found;
  found.missing = static_cast<std::uint32_t>(counts.missing);
  const double missing = counts.missing == 0 ? 0.0 : weight_of(0, 1, 0, 0);
  const std::uint64_t observed = view.samples() - counts.missing;
  found.mean = observed == 0 ? 0.0 : weight_of(2, 0, 1, 0) / (weight() - missing);
  const double squares = weight_of(4, 0, 1, 0);
  if (!how.center) return finish(j, found, counts.sum == 0, squares + missing * found.mean * found.mean, squares);
  // Exact integers say whether it varies; a sum of squares around the mean loses no digits.
  const bool constant = observed * counts.squares == counts.sum * counts.sum;
  const double m = found.mean;
  return finish(j, found, constant, weight_of((2 - m) * (2 - m), 0, (1 - m) * (1 - m), m * m), squares);
}

ColumnStatistics StandardizedColumns::State::weighted_values(VarId j, std::span<double> values, double first,
                                                             bool constant, int exponent) const {
  const Kernels& kernel = kernels();
  const double* const w = sample_weights.data();
  const std::size_t n = values.size();
  std::vector<double> products(n);
  const auto weighted_squares = [&] {
    for (std::size_t i = 0; i < n; ++i) products[i] = w[i] * values[i];
    return kernel.dot(products.data(), values.data(), n);
  };
  ColumnStatistics found;
  const double squares = weighted_squares();
  const double rough = n == 0 ? 0.0 : kernel.dot(w, values.data(), n) / weight();
  for (double& value : values) value -= rough;
  const double rest = n == 0 ? 0.0 : kernel.dot(w, values.data(), n) / weight();
  found.mean = constant ? first : rough + rest;
  if (!how.center) return finish(j, found, squares == 0, squares, squares, exponent);
  return finish(j, found, constant, weighted_squares(), squares, exponent);
}

template <class T>
ColumnStatistics StandardizedColumns::State::weighted_sparse(VarId j, int exponent) const {
  const SparseColumn<T> x = sparse<T>(j);
  const double unit = exponent == 0 ? 1.0 : std::ldexp(1.0, -exponent);
  double total = 0, squares = 0, first = 0, stored = 0;
  std::size_t n = 0;
  bool equal = true;
  for (std::size_t e = 0; e < x.size; ++e) {
    const double w = weights[x.rows[e]], value = unit * static_cast<double>(x.values[e]);
    if (w == 0) continue;
    if (n++ == 0) first = value;
    equal = equal && value == first;
    stored += w;
    total += w * value;
    squares += w * value * value;
  }
  if (exponent == 0) {
    const int own = scale_exponent(squares, x.size, [&x](std::size_t e) { return x.values[e]; });
    if (own != 0) return weighted_sparse<T>(j, own);
  }
  ColumnStatistics found;
  found.mean = weight() > 0 ? total / weight() : 0.0;
  if (!how.center) return finish(j, found, squares == 0, squares, squares, exponent);
  const bool constant = equal && (n == view.samples() || first == 0);
  double l = std::max(0.0, weight() - stored) * found.mean * found.mean;
  for (std::size_t e = 0; e < x.size; ++e) {
    const double centred = unit * static_cast<double>(x.values[e]) - found.mean;
    l += weights[x.rows[e]] * centred * centred;
  }
  return finish(j, found, constant, l, squares, exponent);
}

template ColumnStatistics StandardizedColumns::State::weighted_sparse<float>(VarId j, int exponent) const;
template ColumnStatistics StandardizedColumns::State::weighted_sparse<double>(VarId j, int exponent) const;

}  // namespace strads
