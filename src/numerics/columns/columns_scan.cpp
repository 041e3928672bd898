#include <cmath>

#include "numerics/columns/columns_state.hpp"
#include "numerics/kernels/byte_kernels.hpp"

namespace strads {

namespace {

/// Share of the centred sum of squares above which the rounding of the mean is taken out of it.
constexpr double kFlat = 1e-14;
/// Share of ||x~_j||^2 below which the covariates left nothing but rounding.
constexpr double kCollinear = 1e-10;

}  // namespace

SeldomAsked::SeldomAsked(std::size_t columns, bool near_one)
    : bytes_(columns),
      squared_norms_(near_one ? nullptr : std::make_unique_for_overwrite<double[]>(columns)),
      missing_(std::make_unique_for_overwrite<std::uint32_t[]>(columns)) {}

void SeldomAsked::publish(VarId j, const ColumnStatistics& found) {
  std::uint8_t byte = 0;
  if (squared_norms_) {
    std::atomic_ref(squared_norms_[j]).store(found.squared_norm, std::memory_order_relaxed);
  } else if (found.state == ColumnState::kept) {
    const std::uint64_t steps = std::bit_cast<std::uint64_t>(found.squared_norm) - kZeroSteps;
    STRADS_CHECK(steps <= kStepsMask, "the squared norm of a scaled column is 1 up to rounding");
    byte = static_cast<std::uint8_t>(steps);
  }
  if (found.missing != 0) {
    std::atomic_ref(missing_[j]).store(found.missing, std::memory_order_relaxed);
    byte |= kAnyMissing;
  }
  bytes_[j].store(byte, std::memory_order_relaxed);
}

std::size_t StandardizedColumns::State::columns_per_piece() const {
  std::uint64_t bytes_per_column = view.column_stride;
  if (is_sparse()) {
    const std::uint64_t entry = view.storage == Storage::sparse_f32 ? 8 : 12;
    bytes_per_column = view.columns == 0 ? 0 : entry * view.row_numbers.size() / view.columns;
  }
  return static_cast<std::size_t>(
      std::max<std::uint64_t>(1, kPieceBytes / std::max<std::uint64_t>(1, bytes_per_column)));
}

ColumnStatistics StandardizedColumns::State::finish_extreme(VarId j, ColumnStatistics found, double l,
                                                            int exponent) const {
  found.mean = std::ldexp(found.mean, exponent);
  if (how.scale) {
    const double length = std::sqrt(l);
    found.norm = std::ldexp(length, exponent);
    found.squared_norm = l / (length * length);
  } else {
    found.squared_norm = std::ldexp(l, 2 * exponent);
  }
  const auto representable = [](double value) { return value > kScaleMin && value < kScaleMax; };
  if (!representable(found.norm) || !representable(found.squared_norm) || !(std::abs(found.mean) < kScaleMax)) {
    found.norm = 1;
    found.squared_norm = 0;
    return found;
  }
  if (!is_plain_norm(found.norm)) has_extreme_norms.store(true, std::memory_order_relaxed);
  found.state = ColumnState::kept;
  if (covariates.size() > 0) project_statistics(j, found);
  return found;
}

void StandardizedColumns::State::project_statistics(VarId j, ColumnStatistics& found) const {
  double* const shares_of_column = shares.get() + std::size_t{j} * covariates.size();
  double projected = 0;
  for (std::size_t k = 0; k < covariates.size(); ++k) {
    const double share = dot(j, found.mean, found.norm, covariates.probe(k).data(), covariates.total(k));
    std::atomic_ref(shares_of_column[k]).store(share, std::memory_order_relaxed);
    projected += share * share;
  }
  const double before = found.squared_norm;
  found.squared_norm = before - projected;
  if (found.squared_norm < kCollinear * before) {
    found.squared_norm = 0;
    found.state = ColumnState::collinear;
  }
}

ColumnStatistics StandardizedColumns::State::scan_genotype(VarId j) const {
  const GenotypeCounts counts = kernels().genotype_counts(calls(j), keep.data(), rows());
  const std::uint64_t observed = view.samples() - counts.missing;
  ColumnStatistics found;
  found.missing = static_cast<std::uint32_t>(counts.missing);
  const double k = static_cast<double>(observed), k1 = static_cast<double>(counts.sum);
  found.mean = observed == 0 ? 0.0 : k1 / k;
  // Exact integers: k k2 <= 4 N^2 < 2^64 for N < 2^31.
  const std::uint64_t spread = observed * counts.squares - counts.sum * counts.sum;
  const double squares = static_cast<double>(counts.squares);
  if (how.center) return finish(j, found, spread == 0, spread == 0 ? 0.0 : static_cast<double>(spread) / k, squares);
  const double imputed = static_cast<double>(counts.missing) * found.mean * found.mean;
  return finish(j, found, counts.sum == 0, squares + imputed, squares);
}

ColumnStatistics StandardizedColumns::State::scan_bytes(VarId j) const {
  __extension__ using Wide = unsigned __int128;
  const bool with_sign = view.storage == Storage::dense_i8;
  const ByteSums sums =
      byte_kernels().sums(dense<std::uint8_t>(j), with_sign ? kSignedFlip : std::uint8_t{0}, mask.data(), rows());
  // Of x + 128 where x has a sign: exact whole numbers, so that nothing is lost by taking it away again.
  const std::uint64_t n = view.samples();
  const std::int64_t off = with_sign ? 128 : 0, count = static_cast<std::int64_t>(n);
  const std::int64_t sum = static_cast<std::int64_t>(sums.sum) - off * count;
  const std::int64_t squared = static_cast<std::int64_t>(sums.squares) - 2 * off * sum - off * off * count;
  const double samples = static_cast<double>(std::max<std::uint64_t>(1, n)), squares = static_cast<double>(squared);
  ColumnStatistics found;
  found.mean = static_cast<double>(sum) / samples;
  if (!how.center) return finish(j, found, squared == 0, squares, squares);
  const Wide spread = Wide{n} * sums.squares - Wide{sums.sum} * sums.sum;
  return finish(j, found, spread == 0, static_cast<double>(spread) / samples, squares);
}

template <class T>
ColumnStatistics StandardizedColumns::State::scan_dense(VarId j, std::vector<double>& scratch) const {
  const T* const x = dense<T>(j);
  ColumnStatistics found;
  scratch.resize(rows());
  // Only samples go into the buffer, so dropped rows may hold anything.
  std::size_t n = 0;
  for (std::size_t i = 0; i < rows(); ++i) {
    if (kept.empty() || kept[i] != 0) scratch[n++] = static_cast<double>(x[i]);
  }
  const Kernels& kernel = kernels();
  const double* const values = scratch.data();
  double squares = kernel.dot(values, values, n);
  const int exponent = scale_exponent(squares, n, [values](std::size_t i) { return values[i]; });
  if (exponent != 0) {
    for (std::size_t i = 0; i < n; ++i) scratch[i] = std::ldexp(scratch[i], -exponent);
    squares = kernel.dot(values, values, n);
  }
  const double first = n == 0 ? 0.0 : values[0];
  const bool constant = std::all_of(values, values + n, [&](double value) { return value == first; });
  if (!roots.empty()) return weighted_values(j, {scratch.data(), n}, first, constant, exponent);
  const double samples = static_cast<double>(std::max<std::size_t>(1, n));
  const double rough = kernel.sum(values, n) / samples;
  for (std::size_t i = 0; i < n; ++i) scratch[i] -= rough;
  // The second pass measures the rounding of the first: many samples with a large mean need it. On l it has an effect
  // only where the mean is some 10^9 times the deviation.
  const double rest = kernel.sum(values, n) / samples;
  found.mean = constant ? first : rough + rest;
  if (!how.center) return finish(j, found, squares == 0, squares, squares, exponent);
  double l = kernel.dot(values, values, n);
  if (rest * rest * samples > kFlat * l) {
    for (std::size_t i = 0; i < n; ++i) scratch[i] -= rest;
    l = kernel.dot(values, values, n);
  }
  return finish(j, found, constant, l, squares, exponent);
}

template <class T>
ColumnStatistics StandardizedColumns::State::scan_sparse(VarId j, int exponent) const {
  if (!roots.empty()) return weighted_sparse<T>(j);
  const SparseColumn<T> x = sparse<T>(j);
  const double unit = exponent == 0 ? 1.0 : std::ldexp(1.0, -exponent);
  double total = 0, squares = 0, first = 0;
  std::size_t n = 0;
  bool equal = true;
  for (std::size_t e = 0; e < x.size; ++e) {
    if (!kept.empty() && kept[x.rows[e]] == 0) continue;
    const double value = unit * static_cast<double>(x.values[e]);
    if (n++ == 0) first = value;
    equal = equal && value == first;
    total += value;
    squares += value * value;
  }
  if (exponent == 0) {
    const int own = scale_exponent(squares, x.size, [&x](std::size_t e) { return x.values[e]; });
    if (own != 0) return scan_sparse<T>(j, own);
  }
  const double samples = static_cast<double>(view.samples());
  const double mean = samples > 0 ? total / samples : 0.0;
  ColumnStatistics found;
  found.mean = mean;
  if (!how.center) return finish(j, found, squares == 0, squares, squares, exponent);
  const bool constant = equal && (n == view.samples() || first == 0);
  double l = (samples - static_cast<double>(n)) * mean * mean;
  for (std::size_t e = 0; e < x.size; ++e) {
    if (!kept.empty() && kept[x.rows[e]] == 0) continue;
    const double centred = unit * static_cast<double>(x.values[e]) - mean;
    l += centred * centred;
  }
  return finish(j, found, constant, l, squares, exponent);
}

ColumnStatistics StandardizedColumns::State::statistics(VarId j, std::vector<double>& scratch) const {
  ColumnStatistics found;
  if (!view.excluded.empty() && view.excluded[j] != 0) {
    found.state = ColumnState::excluded;
    return found;
  }
  switch (view.storage) {
    case Storage::dense_f32:
      return scan_dense<float>(j, scratch);
    case Storage::dense_f64:
      return scan_dense<double>(j, scratch);
    case Storage::dense_i8:
      return roots.empty() ? scan_bytes(j) : scan_dense<std::int8_t>(j, scratch);
    case Storage::dense_u8:
      return roots.empty() ? scan_bytes(j) : scan_dense<std::uint8_t>(j, scratch);
    case Storage::dosage_u16:
      return scan_dosages(j);
    case Storage::genotype_2bit:
      return roots.empty() ? scan_genotype(j) : weighted_genotype(j);
    case Storage::sparse_f32:
      return scan_sparse<float>(j);
    case Storage::sparse_f64:
      return scan_sparse<double>(j);
  }
  return found;
}

void StandardizedColumns::State::scan(VarId j, std::vector<double>& scratch) const {
  const ColumnStatistics found = statistics(j, scratch);
  seldom.publish(j, found);
  columns[j].publish(found);
}

void StandardizedColumns::State::scan_alone(VarId j) const {
  std::vector<double> scratch;
  scan(j, scratch);
}

void StandardizedColumns::scan(std::span<const VarId> columns, Chunks& chunks) const {
  const std::size_t size = state_->columns_per_piece();
  chunks.for_each((columns.size() + size - 1) / size, [&](std::size_t piece) {
    std::vector<double> scratch;
    const std::size_t end = std::min(columns.size(), (piece + 1) * size);
    read_ahead(columns, piece * size, end);
    for (std::size_t i = piece * size; i < end; ++i) state_->scan(columns[i], scratch);
  });
}

void StandardizedColumns::prepare(std::span<const VarId> columns, Chunks& chunks) const {
  std::vector<VarId> unknown;
  for (const VarId j : columns) {
    if (!state_->columns[j].known()) unknown.push_back(j);
  }
  if (!unknown.empty()) scan(unknown, chunks);
}

}  // namespace strads
