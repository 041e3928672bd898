#include <algorithm>
#include <utility>
#include <variant>

#include "numerics/columns/columns_state.hpp"
#include "numerics/columns/sparse_rows.hpp"
#include "strads/numerics/columns.hpp"

namespace strads {

namespace {

/// A heavy column has an entry in one row of so many at least.
constexpr std::uint64_t kRowsAnEntry = 16;
/// Places take a byte, and the Gram matrix stays in a cache.
constexpr std::size_t kHeavyMax = 256;
/// Pieces of the rows; by the data alone, and so are the bits.
constexpr std::size_t kPieces = 16;
/// Of these every one holds a Gram matrix.
constexpr std::size_t kProductPieces = 4;

/// Calls work(piece, begin, end) for pieces of whole blocks of rows with about as many entries each.
template <class Rows, class Work>
void for_pieces(const Rows& rows, std::size_t pieces, Chunks& chunks, const Work& work) {
  chunks.for_each(pieces, [&](std::size_t piece) {
    const std::size_t begin = rows.block_after(rows.entries() * piece / pieces);
    // Rows without entries at the end matter to nobody.
    work(piece, begin, rows.block_after(rows.entries() * (piece + 1) / pieces));
  });
}

/// Adds the slots of `size` numbers to the first of them, in order.
void add_up(std::vector<double>& slots, std::size_t size) {
  for (std::size_t at = size; at < slots.size(); at += size) {
    for (std::size_t k = 0; k < size; ++k) slots[k] += slots[at + k];
  }
  slots.resize(size);
}

}  // namespace

struct StandardizedColumns::Heavy::Packed {
  template <class T>
  using Rows = SparseRows<T, std::uint8_t>;

  explicit Packed(Rows<float> packed) : rows(std::move(packed)) {}
  explicit Packed(Rows<double> packed) : rows(std::move(packed)) {}

  std::variant<Rows<float>, Rows<double>> rows;
};

std::vector<VarId> StandardizedColumns::Heavy::choose(const StandardizedColumns& columns) {
  std::vector<VarId> list;
  if (!columns.can_add_entries()) return list;
  const auto entries = [&](VarId j) { return columns.work(j) / 2; };
  for (VarId j = 0; j < columns.size(); ++j) {
    if (entries(j) > 0 && entries(j) * kRowsAnEntry >= columns.rows()) list.push_back(j);
  }
  if (list.size() > kHeavyMax) {
    std::stable_sort(list.begin(), list.end(), [&](VarId a, VarId b) { return entries(a) > entries(b); });
    list.resize(kHeavyMax);
    std::sort(list.begin(), list.end());
  }
  return list;
}

StandardizedColumns::Heavy::Heavy(const StandardizedColumns& columns, std::span<const VarId> list, Chunks& chunks)
    : columns_(columns), list_(list.begin(), list.end()) {
  STRADS_CHECK(columns.can_add_entries() && list.size() <= kHeavyMax, "see the constructor");
  columns_.prepare(list_, chunks);
  const State& state = *columns_.state_;
  for (const VarId j : list_) {
    norms_.push_back(state.takes_part(j) ? state.columns[j].norm() : 0.0);
    shifts_.push_back(state.shift(j));
  }
  if (state.view.storage == Storage::sparse_f32) {
    pack<float>(chunks);
  } else {
    pack<double>(chunks);
  }
}

StandardizedColumns::Heavy::~Heavy() = default;

std::size_t StandardizedColumns::Heavy::size() const {
  return list_.size();
}

std::uint32_t StandardizedColumns::Heavy::place(VarId j) const {
  const auto at = std::lower_bound(list_.begin(), list_.end(), j);
  return at != list_.end() && *at == j ? static_cast<std::uint32_t>(at - list_.begin()) : kNone;
}

std::span<const double> StandardizedColumns::Heavy::products(std::size_t h) const {
  return std::span(products_).subspan(h * list_.size(), list_.size());
}

template <class T>
void StandardizedColumns::Heavy::pack(Chunks& chunks) {
  const State& state = *columns_.state_;
  const std::size_t size = list_.size();
  const auto column = [&](std::size_t h) {
    return state.takes_part(list_[h]) ? state.sparse<T>(list_[h]) : SparseColumn<T>{nullptr, nullptr, 0};
  };
  packed_ = std::make_unique<Packed>(Packed::Rows<T>(state.rows(), size, column, state.kept, chunks));
  std::vector<double> sums(kProductPieces * size * size, 0.0);
  const auto& rows = std::get<Packed::Rows<T>>(packed_->rows);
  entries_ = rows.entries();
  for_pieces(rows, kProductPieces, chunks, [&](std::size_t piece, std::size_t begin, std::size_t end) {
    double* const own = sums.data() + piece * size * size;
    for (std::size_t r = begin; r < end; ++r) {
      const auto row = rows.row(r);
      for (std::size_t a = 0; a < row.size; ++a) {
        const auto value = static_cast<double>(row.values[a]);
        double* const line = own + row.places[a] * size;
        for (std::size_t b = 0; b <= a; ++b) line[row.places[b]] += value * static_cast<double>(row.values[b]);
      }
    }
  });
  add_up(sums, size * size);
  products_.resize(size * size);
  for (std::size_t a = 0; a < size; ++a) {
    for (std::size_t b = 0; b <= a; ++b) {
      const double raw = state.sparse_product(list_[a], list_[b], sums[a * size + b]);
      products_[a * size + b] = products_[b * size + a] = state.standardised_pair(list_[a], list_[b], raw);
    }
  }
}

void StandardizedColumns::Heavy::dots(std::span<const double> u, double total, std::span<double> out,
                                      Chunks& chunks) const {
  STRADS_CHECK(u.size() == columns_.rows() && out.size() == list_.size(), "one entry per row, one slot per column");
  const std::size_t size = list_.size();
  std::vector<double> sums(kPieces * size, 0.0);
  const auto pass = [&](const auto& rows) {
    for_pieces(rows, kPieces, chunks, [&](std::size_t piece, std::size_t begin, std::size_t end) {
      for (std::size_t r = begin; r < end; ++r) {
        const auto row = rows.row(r);
        row_add(row, u[row.id], sums.data() + piece * size);
      }
    });
  };
  std::visit(pass, packed_->rows);
  add_up(sums, size);
  for (std::size_t h = 0; h < size; ++h) out[h] = norms_[h] > 0 ? (sums[h] - shifts_[h] * total) / norms_[h] : 0.0;
}

double StandardizedColumns::Heavy::add_entries(std::span<const double> coefficients, std::span<double> v,
                                               Chunks& chunks) const {
  STRADS_CHECK(v.size() == columns_.rows() && coefficients.size() == list_.size(), "as in dots()");
  std::vector<double> scales(list_.size());
  double level = 0;
  for (std::size_t h = 0; h < scales.size(); ++h) {
    scales[h] = norms_[h] > 0 ? coefficients[h] / norms_[h] : 0.0;
    level += scales[h] * shifts_[h];
  }
  const auto pass = [&](const auto& rows) {
    for_pieces(rows, kPieces, chunks,
               [&](std::size_t, std::size_t begin, std::size_t end) { add(scales, begin, end, v.data()); });
  };
  std::visit(pass, packed_->rows);
  return level;
}

void StandardizedColumns::Heavy::add(std::span<const double> scales, std::size_t begin, std::size_t end,
                                     double* v) const {
  const auto pass = [&](const auto& rows) {
    for (std::size_t r = begin; r < end; ++r) {
      const auto row = rows.row(r);
      v[row.id] += row_dot(row, scales.data());
    }
  };
  std::visit(pass, packed_->rows);
}

void StandardizedColumns::Heavy::add_and_sum(std::span<const double> scales, std::size_t begin, std::size_t end,
                                             double* v, double* sums) const {
  const auto pass = [&](const auto& rows) {
    for (std::size_t r = begin; r < end; ++r) {
      const auto row = rows.row(r);
      const double image = v[row.id] + row_dot(row, scales.data());
      v[row.id] = image;
      row_add(row, image, sums);
    }
  };
  std::visit(pass, packed_->rows);
}

}  // namespace strads
