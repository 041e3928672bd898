#include "strads/numerics/columns.hpp"

#include <cmath>
#include <iterator>

#include "numerics/columns/columns_sparse.hpp"
#include "numerics/columns/columns_state.hpp"
#include "numerics/columns/read_ahead.hpp"
#include "numerics/kernels/byte_kernels.hpp"

namespace strads {

namespace {

/// Rows of a piece of combine() when columns are sparse: each piece searches every column.
constexpr std::size_t kSparsePieceRows = 128 * kPieceRows;

/// Short columns end before the processor's own prefetching is under way: the list is read this many bytes ahead
/// (measured: 450 f32 rows 234 -> 170 ns a column, 463 genotypes 56 -> 47 ns).
constexpr std::uint64_t kAheadBytes = 2048;
constexpr std::uint64_t kLongColumn = 8192;
constexpr std::uint64_t kCacheLine = 64;
/// Of a sparse column so many entries are fetched ahead: those after them come by the processor's own prefetching.
constexpr std::uint64_t kFetchedEntries = 64;
/// Sparse columns: so many ahead of the current one where they lie is fetched, and their entries.
constexpr std::size_t kPlaceAhead = 16, kEntriesAhead = 6;

/// How many columns ahead of the current one to fetch; 0 = none.
std::size_t columns_ahead(const ColumnsView& view) {
  const bool in_place = view.storage != Storage::sparse_f32 && view.storage != Storage::sparse_f64;
  if (!in_place || view.column_stride == 0 || view.column_stride > kLongColumn) return 0;
  return static_cast<std::size_t>(1 + kAheadBytes / view.column_stride);
}

void fetch(const std::byte* column, std::uint64_t bytes) {
  for (std::uint64_t b = 0; b < bytes; b += kCacheLine) __builtin_prefetch(column + b);
}

std::vector<std::uint8_t> kept_flags(const ColumnsView& view) {
  if (view.dropped_rows.empty()) return {};
  std::vector<std::uint8_t> kept(static_cast<std::size_t>(view.rows), std::uint8_t{1});
  for (const std::uint32_t row : view.dropped_rows) kept[row] = 0;
  return kept;
}

std::vector<double> roots_of(std::span<const double> weights) {
  std::vector<double> roots(weights.size());
  std::transform(weights.begin(), weights.end(), roots.begin(), [](double weight) { return std::sqrt(weight); });
  return roots;
}

std::vector<double> positive(std::span<const double> weights) {
  std::vector<double> out;
  std::copy_if(weights.begin(), weights.end(), std::back_inserter(out), [](double weight) { return weight > 0; });
  return out;
}

std::vector<std::uint64_t> keep_words(const ColumnsView& view) {
  if (view.storage != Storage::genotype_2bit) return {};
  const auto rows = static_cast<std::size_t>(view.rows);
  std::vector<std::uint64_t> words((rows + 31) / 32, ~std::uint64_t{0});
  if (rows % 32 != 0) words.back() >>= 64 - 2 * (rows % 32);
  for (const std::uint32_t row : view.dropped_rows) words[row / 32] &= ~(std::uint64_t{3} << (2 * (row % 32)));
  return words;
}

std::vector<std::uint8_t> mask_bytes(const ColumnsView& view) {
  if (!is_bytes(view.storage)) return {};
  const auto rows = static_cast<std::size_t>(view.rows);
  std::vector<std::uint8_t> mask((rows + kMaskRows - 1) / kMaskRows * kMaskRows, 0);
  std::fill_n(mask.begin(), rows, std::uint8_t{0xFF});
  for (const std::uint32_t row : view.dropped_rows) mask[row] = 0;
  return mask;
}

}  // namespace

StandardizedColumns::State::State(ColumnsView view_of_data, Standardization how_to,
                                  const std::vector<std::vector<double>>& covariate_vectors)
    : view(view_of_data),
      how(how_to),
      keep(keep_words(view)),
      mask(mask_bytes(view)),
      kept(kept_flags(view)),
      roots(roots_of(view.weights)),
      weights(view.weights.begin(), view.weights.end()),
      sample_weights(positive(view.weights)),
      weight_(roots.empty() ? static_cast<double>(view.samples()) : kernels().sum(weights.data(), rows())),
      columns(view.columns),
      seldom(view.columns, how.scale && covariate_vectors.empty()),
      covariates(covariate_vectors, view.dropped_rows, roots) {
  STRADS_CHECK(how.center || covariate_vectors.empty(), "covariates are projected out together with the constant");
  if (covariates.size() > 0) {
    shares = std::make_unique_for_overwrite<double[]>(std::size_t{view.columns} * covariates.size());
  }
}

double StandardizedColumns::State::dot(VarId j, const double* u, double total) const {
  return takes_part(j) ? dot(j, columns[j].mean(), columns[j].norm(), u, total) : 0.0;
}

double StandardizedColumns::State::dot(VarId j, double mean, double norm, const double* u, double total) const {
  const double mu = shift_of(mean);
  switch (view.storage) {
    case Storage::dense_f32:
      return kernels().dense_dot_f32(dense<float>(j), mu, u, rows()) / norm;
    case Storage::dense_f64:
      return kernels().dense_dot_f64(dense<double>(j), mu, u, rows()) / norm;
    case Storage::dense_i8:
      return kernels().dense_dot_i8(dense<std::int8_t>(j), mu, u, rows()) / norm;
    case Storage::dense_u8:
      return kernels().dense_dot_u8(dense<std::uint8_t>(j), mu, u, rows()) / norm;
    case Storage::dosage_u16:
      return kernels().dosage_dot(dense<std::uint16_t>(j), mean, mu, u, rows()) / norm;
    case Storage::genotype_2bit: {
      // A missing call stands for the mean, so one table serves columns with and without them.
      const double values[4] = {2, mean, 1, 0};
      return (kernels().genotype_dot(calls(j), values, u, rows()) - mu * total) / norm;
    }
    case Storage::sparse_f32:
      return (sparse_dot(sparse<float>(j), u) - mu * total) / norm;
    case Storage::sparse_f64:
      return (sparse_dot(sparse<double>(j), u) - mu * total) / norm;
  }
  return 0;
}

template <class T>
void StandardizedColumns::State::dots_sparse(std::span<const VarId> list, std::size_t begin, std::size_t end,
                                             const double* u, double total, std::span<double> out) const {
  const std::uint64_t* const starts = view.starts.data();
  const std::uint32_t* const rows = view.row_numbers.data();
  const T* const values = reinterpret_cast<const T*>(view.values);
  const std::uint64_t stored = view.row_numbers.size();
  for (std::size_t i = begin; i < end; ++i) {
    const VarId j = list[i];
    if (i + kPlaceAhead < end) {
      __builtin_prefetch(&columns[list[i + kPlaceAhead]]);
      __builtin_prefetch(starts + list[i + kPlaceAhead]);
    }
    if (i + kEntriesAhead < end) {
      const std::uint64_t first = starts[list[i + kEntriesAhead]];
      __builtin_prefetch(rows + first);
      __builtin_prefetch(values + first);
    }
    const ColumnSlot& slot = column(j);
    const std::uint64_t first = starts[j], size = starts[std::size_t{j} + 1] - first;
    const SparseColumn<T> x{rows + first, values + first, static_cast<std::size_t>(size)};
    const double product = first + size + 4 <= stored ? sparse_dot_readable(x, u) : sparse_dot(x, u);
    const double norm = slot.norm_where_kept();
    const double quotient = (product - shift_of(slot.mean()) * total) / norm;
    // Not a choice of the processor's: which columns have no entries it would have to guess.
    out[i] = std::bit_cast<double>(std::bit_cast<std::uint64_t>(quotient) & -static_cast<std::uint64_t>(norm > 0));
  }
}

void StandardizedColumns::State::add_entries(VarId j, double alpha, std::size_t begin, std::size_t end,
                                             double* v) const {
  if (!takes_part(j)) return;
  const double mean = columns[j].mean(), mu = shift_of(mean), scale = alpha / columns[j].norm();
  switch (view.storage) {
    case Storage::dense_f32:
      return kernels().dense_add_f32(dense<float>(j) + begin, mu, scale, v, end - begin);
    case Storage::dense_f64:
      return kernels().dense_add_f64(dense<double>(j) + begin, mu, scale, v, end - begin);
    case Storage::dense_i8:
      return kernels().dense_add_i8(dense<std::int8_t>(j) + begin, mu, scale, v, end - begin);
    case Storage::dense_u8:
      return kernels().dense_add_u8(dense<std::uint8_t>(j) + begin, mu, scale, v, end - begin);
    case Storage::dosage_u16:
      return kernels().dosage_add(dense<std::uint16_t>(j) + begin, mean, mu, scale, v, end - begin);
    case Storage::genotype_2bit: {
      const double values[4] = {scale * (2 - mu), scale * (mean - mu), scale * (1 - mu), scale * -mu};
      return kernels().genotype_add(calls(j) + begin / 4, values, v, end - begin);
    }
    case Storage::sparse_f32:
      return sparse_add(entries_in(sparse<float>(j), begin, end), scale, begin, v);
    case Storage::sparse_f64:
      return sparse_add(entries_in(sparse<double>(j), begin, end), scale, begin, v);
  }
}

void StandardizedColumns::State::add_rows(VarId j, double alpha, std::size_t begin, std::size_t end, double* v) const {
  if (!takes_part(j)) return;
  const double level = is_sparse() ? alpha / columns[j].norm() * shift(j) : 0.0;
  if (level != 0) {
    for (std::size_t i = 0; i < end - begin; ++i) v[i] -= level;
  }
  add_entries(j, alpha, begin, end, v);
}

void StandardizedColumns::State::expect(std::span<const VarId> list) const {
  if (view.read_ahead == nullptr) return;
  for (const auto& part : parts_of(list, view.column_stride)) view.read_ahead->expect(part.begin, part.end);
}

void StandardizedColumns::State::clear_dropped(std::size_t begin, std::size_t end, double* v) const {
  const auto dropped = view.dropped_rows;
  for (auto row = std::lower_bound(dropped.begin(), dropped.end(), begin); row != dropped.end() && *row < end; ++row) {
    v[*row - begin] = 0;
  }
}

void StandardizedColumns::State::project(std::span<double> v) const {
  if (!how.center || view.samples() == 0) return;
  if (roots.empty()) {
    const double mean = kernels().sum(v.data(), v.size()) / static_cast<double>(view.samples());
    for (double& value : v) value -= mean;
    clear_dropped(0, v.size(), v.data());
  } else {
    kernels().axpy(-kernels().dot(roots.data(), v.data(), v.size()) / weight(), roots.data(), v.data(), v.size());
  }
  covariates.project(v);
}

// --- the public face ---

StandardizedColumns::StandardizedColumns(ColumnsView view, Standardization how,
                                         const std::vector<std::vector<double>>& covariates)
    : state_(std::make_unique<State>(view, how, covariates)) {}

StandardizedColumns::~StandardizedColumns() = default;

const ColumnsView& StandardizedColumns::view() const {
  return state_->view;
}
std::uint64_t StandardizedColumns::rows() const {
  return state_->view.rows;
}
std::uint64_t StandardizedColumns::samples() const {
  return state_->view.samples();
}
double StandardizedColumns::weight() const {
  return state_->weight();
}
std::size_t StandardizedColumns::covariates() const {
  return state_->covariates.size();
}

double StandardizedColumns::share(VarId j, std::size_t k) const {
  return state_->share(j, k);
}

VarId StandardizedColumns::size() const {
  return state_->view.columns;
}

void StandardizedColumns::expect(std::span<const VarId> columns) const {
  state_->expect(columns);
}

void StandardizedColumns::read_ahead(std::span<const VarId> columns, std::size_t begin, std::size_t end) const {
  state_->read_ahead(columns, {.size = columns.size()}, {begin, end});
}

void StandardizedColumns::State::read_ahead(std::span<const VarId> list, const PassOrder& order,
                                            const Part<std::size_t>& piece) const {
  if (view.read_ahead == nullptr) return;
  const auto window = static_cast<std::size_t>(std::max<std::uint64_t>(1, kWindowBytes / view.column_stride));
  const auto wanted = order.asked_by(window, piece);
  expect(list.subspan(wanted.begin, wanted.end - wanted.begin));
}

PassOrder StandardizedColumns::State::pass_order(std::size_t size, std::size_t per_piece) const {
  const bool long_enough = size * view.column_stride >= kLongPass * kWindowBytes;
  const bool turns = view.read_ahead != nullptr && long_enough;
  return {size, per_piece, turns && next_pass_is_backwards.fetch_xor(1, std::memory_order_relaxed) != 0};
}

ColumnState StandardizedColumns::state(VarId j) const {
  return state_->column(j).state();
}
double StandardizedColumns::mean(VarId j) const {
  return state_->shift_of(state_->column(j).mean());
}
double StandardizedColumns::observed_mean(VarId j) const {
  return state_->column(j).mean();
}
double StandardizedColumns::norm(VarId j) const {
  return state_->column(j).norm();
}
double StandardizedColumns::squared_norm(VarId j) const {
  static_cast<void>(state_->column(j));
  return state_->squared_norm(j);
}
std::uint64_t StandardizedColumns::missing(VarId j) const {
  static_cast<void>(state_->column(j));
  return state_->missing(j);
}

std::uint64_t StandardizedColumns::work(VarId j) const {
  if (!state_->is_sparse()) return 2 * state_->view.rows;
  return 2 * (state_->view.starts[std::size_t{j} + 1] - state_->view.starts[j]);
}

std::span<const double> StandardizedColumns::roots() const {
  return state_->roots;
}

double StandardizedColumns::total(std::span<const double> u) const {
  STRADS_CHECK(u.size() == state_->rows(), "vectors have one entry per row");
  return state_->roots.empty() ? sum(u) : strads::dot(state_->roots, u);
}

double StandardizedColumns::dot(VarId j, std::span<const double> u, double total) const {
  STRADS_CHECK(u.size() == state_->rows(), "vectors have one entry per row");
  return state_->roots.empty() ? state_->dot(j, u.data(), total) : state_->weighted_dot(j, u, total);
}

void StandardizedColumns::fetch_ahead(std::span<const VarId> list, std::size_t i, std::size_t end) const {
  if (!state_->is_sparse()) return;
  if (i + kPlaceAhead < end) {
    const VarId j = list[i + kPlaceAhead];
    __builtin_prefetch(&state_->columns[j]);
    __builtin_prefetch(&state_->view.starts[j]);
  }
  if (i + kEntriesAhead < end) {
    const VarId j = list[i + kEntriesAhead];
    const std::uint64_t begin = state_->view.starts[j];
    const std::uint64_t size = std::min(kFetchedEntries, state_->view.starts[std::size_t{j} + 1] - begin);
    const std::uint64_t value = state_->view.storage == Storage::sparse_f32 ? sizeof(float) : sizeof(double);
    fetch(reinterpret_cast<const std::byte*>(state_->view.row_numbers.data() + begin), size * sizeof(std::uint32_t));
    fetch(state_->view.values + begin * value, size * value);
  }
}

void StandardizedColumns::dots(std::span<const VarId> columns, std::span<const double> u, std::span<double> out,
                               Chunks& chunks) const {
  STRADS_CHECK(u.size() == state_->rows(), "vectors have one entry per row");
  const std::vector<double> weighted = state_->roots.empty() ? std::vector<double>{} : state_->weighted(u);
  const std::span<const double> right = weighted.empty() ? u : weighted;
  STRADS_CHECK(out.size() == columns.size(), "one slot per column");
  const double total = state_->how.center ? sum(right) : 0.0;  // without centring nothing is subtracted
  const std::size_t size = state_->columns_per_piece(), ahead = columns_ahead(state_->view);
  const PassOrder order = state_->pass_order(columns.size(), size);
  chunks.for_each(order.pieces(), [&](std::size_t k) {
    const auto piece = order.piece(k);
    const std::size_t end = piece.end;
    if (state_->view.storage == Storage::sparse_f32)
      return state_->dots_sparse<float>(columns, piece.begin, end, right.data(), total, out);
    if (state_->view.storage == Storage::sparse_f64)
      return state_->dots_sparse<double>(columns, piece.begin, end, right.data(), total, out);
    state_->read_ahead(columns, order, piece);
    for (std::size_t i = piece.begin; i < end; ++i) {
      if (ahead != 0 && i + ahead < end) fetch(state_->bytes(columns[i + ahead]), state_->view.column_stride);
      out[i] = state_->dot(columns[i], right.data(), total);
    }
  });
}

void StandardizedColumns::add(VarId j, double alpha, std::span<double> v) const {
  STRADS_CHECK(v.size() == state_->rows(), "vectors have one entry per row");
  if (!state_->roots.empty()) return state_->weighted_add(j, alpha, v);
  state_->add_rows(j, alpha, 0, v.size(), v.data());
  state_->clear_dropped(0, v.size(), v.data());
}

bool StandardizedColumns::can_add_entries() const {
  return state_->is_sparse() && state_->roots.empty() && state_->covariates.size() == 0;
}

double StandardizedColumns::add_entries(VarId j, double alpha, std::span<double> v) const {
  STRADS_CHECK(can_add_entries() && v.size() == state_->rows(), "see can_add_entries(); one entry per row");
  const State& state = *state_;
  if (!state.takes_part(j)) return 0;
  const double scale = alpha / state.columns[j].norm();
  if (state.kept.empty()) {
    state.add_entries(j, alpha, 0, v.size(), v.data());
  } else if (state.view.storage == Storage::sparse_f32) {
    sparse_add_kept(state.sparse<float>(j), scale, state.kept, v.data());
  } else {
    sparse_add_kept(state.sparse<double>(j), scale, state.kept, v.data());
  }
  return scale * state.shift(j);
}

void StandardizedColumns::lower(double level, std::span<double> v) const {
  STRADS_CHECK(v.size() == state_->rows(), "vectors have one entry per row");
  if (level == 0) return;
  for (double& value : v) value -= level;
  state_->clear_dropped(0, v.size(), v.data());
}

void StandardizedColumns::combine(std::span<const VarId> columns, std::span<const double> coefficients,
                                  std::span<double> v, Chunks& chunks) const {
  STRADS_CHECK(v.size() == state_->rows(), "vectors have one entry per row");
  STRADS_CHECK(coefficients.size() == columns.size(), "one coefficient per column");
  expect(columns);
  prepare(columns, chunks);  // else every piece of rows would scan them all
  // Sparse columns shift every row by the same amount: added up first, so that a piece touches entries only.
  double level = 0;
  for (std::size_t k = 0; state_->is_sparse() && k < columns.size(); ++k) {
    if (!state_->takes_part(columns[k])) continue;
    level += coefficients[k] / state_->columns[columns[k]].norm() * state_->shift(columns[k]);
  }
  const std::size_t size = state_->is_sparse() ? kSparsePieceRows : kPieceRows;
  chunks.for_each((v.size() + size - 1) / size, [&](std::size_t piece) {
    const std::size_t begin = piece * size, end = std::min(v.size(), begin + size);
    double* const out = v.data() + begin;
    std::fill(out, out + (end - begin), 0.0 - level);
    for (std::size_t k = 0; k < columns.size(); ++k) {
      if (coefficients[k] != 0) state_->add_entries(columns[k], coefficients[k], begin, end, out);
    }
    state_->clear_dropped(begin, end, out);
    state_->weigh(begin, end, out);
  });
  state_->project(v);
}

void StandardizedColumns::project(std::span<double> v) const {
  STRADS_CHECK(v.size() == state_->rows(), "vectors have one entry per row");
  state_->project(v);
}

void StandardizedColumns::decode(VarId j, std::span<double> out) const {
  std::fill(out.begin(), out.end(), 0.0);
  add(j, 1.0, out);
  if (state_->covariates.size() > 0 && state_->takes_part(j)) state_->project(out);
}

std::vector<double> StandardizedColumns::covariate_coefficients(std::span<const double> e) const {
  STRADS_CHECK(e.size() == state_->rows(), "vectors have one entry per row");
  return state_->covariates.coefficients(e, state_->roots, state_->weight());
}

}  // namespace strads
