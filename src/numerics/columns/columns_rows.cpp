#include <algorithm>
#include <utility>

#include "numerics/columns/columns_state.hpp"
#include "numerics/columns/sparse_rows.hpp"

namespace strads {

namespace {
/// Of multiply(): entries that a piece reads for each number that it adds up.
constexpr std::size_t kEntriesPerSum = 16;
}  // namespace

struct StandardizedColumns::ByRows::Packed {
  virtual ~Packed() = default;
  // Rows [begin, end) of the data are whole blocks of SparseRows.
  [[nodiscard]] virtual std::uint64_t entries() const = 0;
  /// As in SparseRows.
  [[nodiscard]] virtual std::size_t block_after(std::uint64_t entries) const = 0;
  /// v_i += sum_k scales[k] x_ik for rows [begin, end), in the order of the list; v is by row of the data.
  virtual void add(std::span<const double> scales, std::size_t begin, std::size_t end, double* v) const = 0;
  /// sum_k += sum_i w_i x_ik (sum_l scale_l x_il - level) for rows [begin, end); without weights w_i = 1.
  virtual void multiply(std::span<const double> scales, double level, std::span<const double> weights,
                        std::size_t begin, std::size_t end, double* sums) const = 0;
  /// sum_k += sum_i v_i x_ik for rows [begin, end).
  virtual void sum(const double* v, std::size_t begin, std::size_t end, double* sums) const = 0;
};

namespace {

/// By type of value.
template <class T, class Place, class Base>
struct PackedRows final : Base {
  explicit PackedRows(SparseRows<T, Place> made) : rows(std::move(made)) {}
  [[nodiscard]] std::uint64_t entries() const override { return rows.entries(); }
  [[nodiscard]] std::size_t block_after(std::uint64_t entries) const override { return rows.block_after(entries); }
  void add(std::span<const double> scales, std::size_t begin, std::size_t end, double* v) const override {
    for (std::size_t i = begin; i < end; ++i) {
      const auto row = rows.row(i);
      double sum = v[row.id];
      for (std::size_t e = 0; e < row.size; ++e) sum += scales[row.places[e]] * static_cast<double>(row.values[e]);
      v[row.id] = sum;
    }
  }
  void multiply(std::span<const double> scales, double level, std::span<const double> weights, std::size_t begin,
                std::size_t end, double* sums) const override {
    for (std::size_t i = begin; i < end; ++i) {
      const auto row = rows.row(i);
      double image = row_dot(row, scales.data()) - level;
      if (!weights.empty()) image *= weights[row.id];
      row_add(row, image, sums);
    }
  }
  void sum(const double* v, std::size_t begin, std::size_t end, double* sums) const override {
    for (std::size_t i = begin; i < end; ++i) {
      const auto row = rows.row(i);
      row_add(row, v[row.id], sums);
    }
  }

  SparseRows<T, Place> rows;
};

}  // namespace

template <class T>
std::unique_ptr<StandardizedColumns::ByRows::Packed> StandardizedColumns::ByRows::pack(Chunks& chunks) const {
  const State& state = *columns_.state_;
  const auto column = [&](std::size_t k) {
    const bool here = state.takes_part(list_[k]) && heavy_place(k) == Heavy::kNone;
    return here ? state.sparse<T>(list_[k]) : SparseColumn<T>{nullptr, nullptr, 0};
  };
  const auto packed_with = [&](auto place) -> std::unique_ptr<Packed> {
    using Place = decltype(place);
    return std::make_unique<PackedRows<T, Place, Packed>>(
        SparseRows<T, Place>(state.rows(), list_.size(), column, state.kept, chunks));
  };
  constexpr std::size_t kShort = std::size_t{1} << 16;  // two bytes a place: a block stays in the cache
  return list_.size() <= kShort ? packed_with(std::uint16_t{}) : packed_with(std::uint32_t{});
}

StandardizedColumns::ByRows::ByRows(const StandardizedColumns& columns, std::span<const VarId> list, Chunks& chunks,
                                    const Heavy* heavy)
    : columns_(columns), list_(list), heavy_(heavy) {
  const State& state = *columns_.state_;
  if (heavy_ != nullptr) {
    for (const VarId j : list_) heavy_places_.push_back(heavy_->place(j));
    heavy_scales_.assign(heavy_->size(), 0.0);
  }
  columns_.prepare(list_, chunks);
  if (state.view.storage == Storage::sparse_f32) packed_ = pack<float>(chunks);
  if (state.view.storage == Storage::sparse_f64) packed_ = pack<double>(chunks);
  if (packed_ == nullptr) return;
  for (const VarId j : list_) {
    norms_.push_back(state.takes_part(j) ? state.columns[j].norm() : 0.0);
    shifts_.push_back(state.shift(j));
  }
  scales_.resize(list_.size());
}

StandardizedColumns::ByRows::~ByRows() = default;

/// kNone also where there are no heavy columns.
std::uint32_t StandardizedColumns::ByRows::heavy_place(std::size_t k) const {
  return heavy_ == nullptr ? Heavy::kNone : heavy_places_[k];
}

/// Fills scales_ and heavy_scales_; returns what centring subtracts from every row.
double StandardizedColumns::ByRows::scale(std::span<const double> coefficients) {
  double level = 0;
  for (std::size_t k = 0; k < list_.size(); ++k) {
    scales_[k] = norms_[k] > 0 ? coefficients[k] / norms_[k] : 0.0;
    level += scales_[k] * shifts_[k];
    if (heavy_place(k) != Heavy::kNone) heavy_scales_[heavy_place(k)] = scales_[k];
  }
  return level;
}

/// v = sum_k scales_[k] x_k - level at rows [begin, end) but for heavy columns, without weights.
void StandardizedColumns::ByRows::image(double level, std::size_t begin, std::size_t end, std::span<double> v) const {
  std::fill_n(v.data() + begin, end - begin, 0.0 - level);
  packed_->add(scales_, begin, end, v.data());
}

void StandardizedColumns::ByRows::combine(std::span<const double> coefficients, std::span<double> v, Chunks& chunks) {
  if (packed_ == nullptr) return columns_.combine(list_, coefficients, v, chunks);
  const State& state = *columns_.state_;
  STRADS_CHECK(v.size() == state.rows(), "vectors have one entry per row");
  STRADS_CHECK(coefficients.size() == list_.size(), "one coefficient per column");
  const double level = scale(coefficients);
  const std::size_t size = rows_of_block(v.size());
  chunks.for_each((v.size() + size - 1) / size, [&](std::size_t block) {
    const std::size_t begin = block * size, end = std::min(v.size(), begin + size);
    image(level, begin, end, v);
    if (heavy_ != nullptr) heavy_->add(heavy_scales_, begin, end, v.data());
    state.clear_dropped(begin, end, v.data() + begin);
    state.weigh(begin, end, v.data() + begin);
  });
  state.project(v);
}

/// Where a piece of multiply() begins: at a block.
std::size_t StandardizedColumns::ByRows::begin_of(std::size_t piece, std::size_t pieces) const {
  const std::size_t rows = columns_.state_->rows(), size = rows_of_block(rows);
  if (heavy_ == nullptr) return packed_->block_after(packed_->entries() * piece / pieces);
  return std::min(rows, (rows + size - 1) / size * piece / pieces * size);
}

void StandardizedColumns::ByRows::multiply(std::span<const double> coefficients, std::span<double> out,
                                           Chunks& chunks) {
  const State& state = *columns_.state_;
  STRADS_CHECK(coefficients.size() == list_.size() && out.size() == list_.size(), "one slot per column");
  image_.resize(state.rows());
  if (packed_ == nullptr || state.covariates.size() > 0) {
    combine(coefficients, image_, chunks);
    return columns_.dots(list_, image_, out, chunks);
  }
  const double level = scale(coefficients);
  const std::size_t heavy_size = heavy_scales_.size(), size = heavy_size + list_.size();
  // Each piece adds up a vector of its own: the more entries a column has, the less it matters. Their number depends on
  // the data alone, and so do the bits.
  const std::uint64_t entries = packed_->entries() + (heavy_ == nullptr ? 0 : heavy_->entries_);
  const std::size_t pieces = std::clamp<std::size_t>(entries / (kEntriesPerSum * (size + 1)), 2, 16);
  sums_.resize(pieces * size);
  chunks.for_each(pieces, [&](std::size_t piece) {
    const std::size_t begin = begin_of(piece, pieces), end = begin_of(piece + 1, pieces);
    double* const heavy_sums = sums_.data() + piece * size;
    double* const sums = heavy_sums + heavy_size;
    std::fill_n(heavy_sums, size, 0.0);
    if (heavy_ == nullptr) return packed_->multiply(scales_, level, state.weights, begin, end, sums);
    const std::size_t step = rows_of_block(state.rows());  // so much of the image stays in a cache
    for (std::size_t at = begin; at < end; at += step) {
      const std::size_t stop = std::min(end, at + step);
      image(level, at, stop, image_);
      heavy_->add_and_sum(heavy_scales_, at, stop, image_.data(), heavy_sums);
      packed_->sum(image_.data(), at, stop, sums);
    }
  });
  for (std::size_t piece = 1; piece < pieces; ++piece) {
    for (std::size_t k = 0; k < size; ++k) sums_[k] += sums_[piece * size + k];
  }
  for (std::size_t k = 0; k < list_.size(); ++k) {
    const double sum = sums_[heavy_place(k) == Heavy::kNone ? heavy_size + k : heavy_place(k)];
    out[k] = norms_[k] > 0 ? sum / norms_[k] : 0.0;
  }
}

}  // namespace strads
