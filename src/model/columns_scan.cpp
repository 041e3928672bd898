#include <cmath>

#include "model/columns_state.hpp"

namespace strads {

namespace {

/// Share of the sum of squares below which centring left nothing but rounding.
constexpr double kConstant = 1e-22;  // both passes are exact to about 1e-16 of the values
/// Share of ||x~_j||^2 below which the covariates left nothing but rounding.
constexpr double kCollinear = 1e-10;

}  // namespace

std::size_t StandardizedColumns::State::columns_per_piece() const {
  std::uint64_t bytes_per_column = view.column_stride;
  if (is_sparse()) {
    const std::uint64_t entry = view.storage == Storage::sparse_f32 ? 8 : 12;
    bytes_per_column = view.columns == 0 ? 0 : entry * view.row_numbers.size() / view.columns;
  }
  return static_cast<std::size_t>(
      std::max<std::uint64_t>(1, kPieceBytes / std::max<std::uint64_t>(1, bytes_per_column)));
}

void StandardizedColumns::State::finish(VarId j, bool constant, double l, double squares) {
  Column& column = columns[j];
  column.norm = 1;
  column.squared_norm = 0;
  column.state = static_cast<std::uint8_t>(ColumnState::constant);
  if (constant || !(l > kConstant * squares)) return;
  if (how.scale) column.norm = std::sqrt(l);
  column.squared_norm = l / (column.norm * column.norm);
  column.state = static_cast<std::uint8_t>(ColumnState::kept);
  if (covariates.size() > 0) project_statistics(j);
}

void StandardizedColumns::State::project_statistics(VarId j) {
  Column& column = columns[j];
  double* const share = shares.get() + std::size_t{j} * covariates.size();
  double projected = 0;
  for (std::size_t k = 0; k < covariates.size(); ++k) {
    share[k] = dot(j, covariates.direction(k).data(), covariates.total(k));
    projected += share[k] * share[k];
  }
  const double before = column.squared_norm;
  column.squared_norm = before - projected;
  if (column.squared_norm < kCollinear * before) {
    column.squared_norm = 0;
    column.state = static_cast<std::uint8_t>(ColumnState::collinear);
  }
}

void StandardizedColumns::State::scan_genotype(VarId j) {
  const GenotypeCounts counts = kernels().genotype_counts(calls(j), keep.data(), rows());
  const std::uint64_t observed = view.samples() - counts.missing;
  Column& column = columns[j];
  column.missing = static_cast<std::uint32_t>(counts.missing);
  const double k = static_cast<double>(observed), k1 = static_cast<double>(counts.sum);
  column.mean = observed == 0 ? 0.0 : k1 / k;
  // Exact integers: k k2 <= 4 N^2 < 2^64 for N < 2^31.
  const std::uint64_t spread = observed * counts.squares - counts.sum * counts.sum;
  const double squares = static_cast<double>(counts.squares);
  if (how.center) return finish(j, spread == 0, spread == 0 ? 0.0 : static_cast<double>(spread) / k, squares);
  const double imputed = static_cast<double>(counts.missing) * column.mean * column.mean;
  finish(j, counts.sum == 0, squares + imputed, squares);
}

template <class T>
void StandardizedColumns::State::scan_dense(VarId j, std::vector<double>& scratch) {
  const T* const x = dense<T>(j);
  Column& column = columns[j];
  scratch.resize(rows());
  // Only samples go into the buffer, so dropped rows may hold anything.
  std::size_t n = 0;
  for (std::size_t i = 0; i < rows(); ++i) {
    if (kept.empty() || kept[i] != 0) scratch[n++] = static_cast<double>(x[i]);
  }
  const Kernels& kernel = kernels();
  const double* const values = scratch.data();
  const double squares = kernel.dot(values, values, n);
  const double first = n == 0 ? 0.0 : values[0];
  const bool constant = std::all_of(values, values + n, [&](double value) { return value == first; });
  const double samples = static_cast<double>(std::max<std::size_t>(1, n));
  const double rough = kernel.sum(values, n) / samples;
  for (std::size_t i = 0; i < n; ++i) scratch[i] -= rough;
  // The second pass measures the rounding of the first: many samples with a large mean need it. On l it has no effect.
  const double rest = kernel.sum(values, n) / samples;
  column.mean = constant ? first : rough + rest;
  if (!how.center) return finish(j, squares == 0, squares, squares);
  finish(j, constant, kernel.dot(values, values, n), squares);
}

template <class T>
void StandardizedColumns::State::scan_sparse(VarId j) {
  const SparseColumn<T> x = sparse<T>(j);
  double total = 0, squares = 0, first = 0;
  std::size_t n = 0;
  bool equal = true;
  for (std::size_t e = 0; e < x.size; ++e) {
    if (!kept.empty() && kept[x.rows[e]] == 0) continue;
    const double value = static_cast<double>(x.values[e]);
    if (n++ == 0) first = value;
    equal = equal && value == first;
    total += value;
    squares += value * value;
  }
  const double samples = static_cast<double>(view.samples());
  const double mean = samples > 0 ? total / samples : 0.0;
  columns[j].mean = mean;
  if (!how.center) return finish(j, squares == 0, squares, squares);
  const bool constant = equal && (n == view.samples() || first == 0);
  double l = (samples - static_cast<double>(n)) * mean * mean;
  for (std::size_t e = 0; e < x.size; ++e) {
    if (!kept.empty() && kept[x.rows[e]] == 0) continue;
    const double centred = static_cast<double>(x.values[e]) - mean;
    l += centred * centred;
  }
  finish(j, constant, l, squares);
}

void StandardizedColumns::State::scan(VarId j, std::vector<double>& scratch) {
  columns[j] = Column{};
  if (!view.excluded.empty() && view.excluded[j] != 0) {
    columns[j].state = static_cast<std::uint8_t>(ColumnState::excluded);
    return;
  }
  switch (view.storage) {
    case Storage::dense_f32:
      return scan_dense<float>(j, scratch);
    case Storage::dense_f64:
      return scan_dense<double>(j, scratch);
    case Storage::genotype_2bit:
      return scan_genotype(j);
    case Storage::sparse_f32:
      return scan_sparse<float>(j);
    case Storage::sparse_f64:
      return scan_sparse<double>(j);
  }
}

void StandardizedColumns::scan(std::span<const VarId> columns, Chunks& chunks) {
  const std::size_t size = state_->columns_per_piece();
  chunks.for_each((columns.size() + size - 1) / size, [&](std::size_t piece) {
    std::vector<double> scratch;
    const std::size_t end = std::min(columns.size(), (piece + 1) * size);
    for (std::size_t i = piece * size; i < end; ++i) state_->scan(columns[i], scratch);
  });
}

}  // namespace strads
