#include "model/columns_state.hpp"
#include "model/sparse_rows.hpp"

namespace strads {

namespace {
/// Rows of a piece of a combination.
constexpr std::size_t kRowsPerPiece = 4096;
/// Of multiply(): entries that a piece reads for each number that it adds up.
constexpr std::size_t kEntriesPerSum = 16;
}  // namespace

struct StandardizedColumns::ByRows::Packed {
  virtual ~Packed() = default;
  [[nodiscard]] virtual std::uint64_t entries() const = 0;
  /// As in SparseRows.
  [[nodiscard]] virtual std::size_t row_after(std::uint64_t entries) const = 0;
  /// v_i += sum_k scales[k] x_ik for packed rows [begin, end), in the order of the list; v is by row of the data.
  virtual void add(std::span<const double> scales, std::size_t begin, std::size_t end, double* v) const = 0;
  /// sum_k += sum_i w_i x_ik (sum_l scale_l x_il - level) for packed rows [begin, end); without weights w_i = 1.
  virtual void multiply(std::span<const double> scales, double level, std::span<const double> weights,
                        std::size_t begin, std::size_t end, double* sums) const = 0;
};

namespace {

/// By type of value.
template <class T, class Place, class Base>
struct PackedRows final : Base {
  explicit PackedRows(SparseRows<T, Place> made) : rows(std::move(made)) {}
  [[nodiscard]] std::uint64_t entries() const override { return rows.entries(); }
  [[nodiscard]] std::size_t row_after(std::uint64_t entries) const override { return rows.row_after(entries); }
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
      // Four at a time: converting and multiplying is done for all of them at once, only the look-ups are not.
      double parts[4] = {0, 0, 0, 0}, products[4];
      std::size_t e = 0;
      for (; e + 4 <= row.size; e += 4) {
        for (std::size_t k = 0; k < 4; ++k) {
          parts[k] += scales[row.places[e + k]] * static_cast<double>(row.values[e + k]);
        }
      }
      for (; e < row.size; ++e) parts[0] += scales[row.places[e]] * static_cast<double>(row.values[e]);
      double image = (parts[0] + parts[1]) + (parts[2] + parts[3]) - level;
      if (!weights.empty()) image *= weights[row.id];
      for (e = 0; e + 4 <= row.size; e += 4) {
        for (std::size_t k = 0; k < 4; ++k) products[k] = image * static_cast<double>(row.values[e + k]);
        for (std::size_t k = 0; k < 4; ++k) sums[row.places[e + k]] += products[k];
      }
      for (; e < row.size; ++e) sums[row.places[e]] += image * static_cast<double>(row.values[e]);
    }
  }

  SparseRows<T, Place> rows;
};

}  // namespace

template <class T>
std::unique_ptr<StandardizedColumns::ByRows::Packed> StandardizedColumns::ByRows::pack(Chunks& chunks) const {
  const State& state = *columns_.state_;
  const auto column = [&](std::size_t k) {
    return state.takes_part(list_[k]) ? state.sparse<T>(list_[k]) : SparseColumn<T>{nullptr, nullptr, 0};
  };
  const auto packed_with = [&](auto place) -> std::unique_ptr<Packed> {
    using Place = decltype(place);
    return std::make_unique<PackedRows<T, Place, Packed>>(
        SparseRows<T, Place>(state.rows(), list_.size(), column, state.kept, chunks));
  };
  constexpr std::size_t kShort = std::size_t{1} << 16;  // two bytes a place: a block stays in the cache
  return list_.size() <= kShort ? packed_with(std::uint16_t{}) : packed_with(std::uint32_t{});
}

StandardizedColumns::ByRows::ByRows(const StandardizedColumns& columns, std::span<const VarId> list, Chunks& chunks)
    : columns_(columns), list_(list) {
  const State& state = *columns_.state_;
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

/// Fills scales_; returns what centring subtracts from every row.
double StandardizedColumns::ByRows::scale(std::span<const double> coefficients) {
  double level = 0;
  for (std::size_t k = 0; k < list_.size(); ++k) {
    scales_[k] = norms_[k] > 0 ? coefficients[k] / norms_[k] : 0.0;
    level += scales_[k] * shifts_[k];
  }
  return level;
}

void StandardizedColumns::ByRows::combine(std::span<const double> coefficients, std::span<double> v, Chunks& chunks) {
  if (packed_ == nullptr) return columns_.combine(list_, coefficients, v, chunks);
  const State& state = *columns_.state_;
  STRADS_CHECK(v.size() == state.rows(), "vectors have one entry per row");
  STRADS_CHECK(coefficients.size() == list_.size(), "one coefficient per column");
  const double level = scale(coefficients);
  const auto for_rows = [&](const auto& work) {
    chunks.for_each((v.size() + kRowsPerPiece - 1) / kRowsPerPiece, [&](std::size_t piece) {
      const std::size_t begin = piece * kRowsPerPiece;
      work(begin, std::min(v.size(), begin + kRowsPerPiece));
    });
  };
  // Packed rows are in another order: who adds to a row is not who fills it.
  for_rows([&](std::size_t begin, std::size_t end) { std::fill_n(v.data() + begin, end - begin, 0.0 - level); });
  for_rows([&](std::size_t begin, std::size_t end) { packed_->add(scales_, begin, end, v.data()); });
  for_rows([&](std::size_t begin, std::size_t end) {
    state.clear_dropped(begin, end, v.data() + begin);
    state.weigh(begin, end, v.data() + begin);
  });
  state.project(v);
}

void StandardizedColumns::ByRows::multiply(std::span<const double> coefficients, std::span<double> out,
                                           Chunks& chunks) {
  const State& state = *columns_.state_;
  STRADS_CHECK(coefficients.size() == list_.size() && out.size() == list_.size(), "one slot per column");
  if (packed_ == nullptr || state.covariates.size() > 0) {
    std::vector<double> image(state.rows());
    combine(coefficients, image, chunks);
    return columns_.dots(list_, image, out, chunks);
  }
  const double level = scale(coefficients);
  const std::size_t size = list_.size();
  // Each piece adds up a vector of its own: the more entries a column has, the less it matters. Their number depends on
  // the data alone, and so do the bits.
  const std::size_t pieces = std::clamp<std::size_t>(packed_->entries() / (kEntriesPerSum * (size + 1)), 2, 16);
  sums_.resize(pieces * size);
  chunks.for_each(pieces, [&](std::size_t piece) {
    const std::uint64_t entries = packed_->entries();  // as many to each: rows are sorted by length
    const std::size_t begin = packed_->row_after(entries * piece / pieces);
    const std::size_t end = packed_->row_after(entries * (piece + 1) / pieces);
    const auto sums = std::span(sums_).subspan(piece * size, size);
    std::fill(sums.begin(), sums.end(), 0.0);
    packed_->multiply(scales_, level, state.weights, begin, end, sums.data());
  });
  for (std::size_t piece = 1; piece < pieces; ++piece) {
    for (std::size_t k = 0; k < size; ++k) sums_[k] += sums_[piece * size + k];
  }
  for (std::size_t k = 0; k < size; ++k) out[k] = norms_[k] > 0 ? sums_[k] / norms_[k] : 0.0;
}

}  // namespace strads
