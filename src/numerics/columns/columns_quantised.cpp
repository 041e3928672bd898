#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "numerics/columns/columns_state.hpp"
#include "numerics/kernels/byte_kernels.hpp"
#include "numerics/kernels/quantised_kernels.hpp"

namespace strads {

namespace {

/// The list is read so many bytes ahead, as by dots().
constexpr std::uint64_t kAheadBytes = 2048;
/// Of columns of bytes the processor sees more coming by itself, and 2 KiB more would push out what is read now (463
/// rows, 509,000 columns: 14.5 ms, with 2 KiB 16).
constexpr std::uint64_t kAheadBytesOfBytes = 512;
constexpr std::uint64_t kLongColumn = 8192;
constexpr std::uint64_t kCacheLine = 64;
/// Of lengths that are 1 up to rounding.
constexpr double kUnitLength = 1 + 1e-12;
/// Those behind an exact sum: it as a double, two products, a difference, a quotient.
constexpr double kRoundings = 8 * std::numeric_limits<double>::epsilon();
/// Columns that are taken together: what is asked of each, their sums, then all quotients at once. One after the other
/// they wait for their divisions (463 rows: 14.2 ns a column, 7 of them outside the kernel).
constexpr std::size_t kTile = 64;
static_assert(kTile % kQuantisedColumns == 0);

}  // namespace

/// Some columns of a list on their way through a kernel.
struct StandardizedColumns::State::ApproximateTile {
  const QuantisedVector& q;
  VarId whole;  ///< columns before this one can be read for whole chunks where they are
  std::size_t size = 0;
  bool any_missing = false;
  std::array<const std::uint8_t*, kTile> places{};
  std::array<double, kTile> means{}, norms{};  ///< norms: not > 0 where the product is 0
  std::array<std::int64_t, kTile> sums{}, missing{};
  std::vector<std::uint8_t> copies{};
};

namespace {

/// out[c] = unit sums[c] / norms[c], and 0 (not -0) where the norm is not > 0. A loop without branches, of which a
/// compiler makes one for several columns at once: one division after the other is what a column waited for longest.
void divide(std::size_t count, double unit, const double* __restrict sums, const double* __restrict norms,
            double* __restrict out) {
  constexpr double kNever = std::numeric_limits<double>::infinity();
  for (std::size_t c = 0; c < count; ++c) {
    const double norm = norms[c] > 0 ? norms[c] : kNever;
    out[c] = unit * sums[c] / norm + 0.0;
  }
}

}  // namespace

const std::uint8_t* StandardizedColumns::State::whole_chunks(VarId j, std::size_t bytes, std::uint8_t* copy) const {
  const std::uint64_t own = has_bytes() ? view.rows : (view.rows + 3) / 4;
  const std::uint64_t readable = std::uint64_t{view.columns - 1 - j} * view.column_stride + own;
  if (readable >= bytes) return calls(j);
  std::fill(std::copy_n(calls(j), own, copy), copy + bytes, std::uint8_t{0});
  return copy;
}

void StandardizedColumns::State::gather(std::span<const VarId> list, ApproximateTile& tile) const {
  bool missing_calls = false;
  VarId last = 0;
  for (std::size_t c = 0; c < list.size(); ++c) {
    const VarId j = list[c];
    const ColumnSlot& slot = column(j);
    tile.means[c] = slot.mean();
    tile.norms[c] = slot.norm_where_kept();
    missing_calls |= any_missing(j);
    tile.places[c] = calls(j);
    last = std::max(last, j);
  }
  tile.size = list.size();
  tile.any_missing = missing_calls;
  // The last columns of the storage are copied where a kernel would read behind its end.
  const std::size_t bytes = tile.q.planes.size() * (has_bytes() ? kQuantisedRows : kQuantisedRows / 4);
  if (last >= tile.whole) {
    const auto is_last = [&](VarId j) { return j >= tile.whole; };
    tile.copies.resize(static_cast<std::size_t>(std::ranges::count_if(list, is_last)) * bytes);
    std::uint8_t* room = tile.copies.data();
    for (std::size_t c = 0; c < list.size(); ++c) {
      if (!is_last(list[c])) continue;
      tile.places[c] = whole_chunks(list[c], bytes, room);
      room += bytes;
    }
  }
  for (std::size_t c = list.size(); c % kQuantisedColumns != 0; ++c) tile.places[c] = tile.places[0];
}

template <class Kernel>
void StandardizedColumns::State::for_each_four(const ApproximateTile& tile, std::span<const VarId> later,
                                               const Kernel& kernel) const {
  for (std::size_t c = 0; c < tile.size; c += kQuantisedColumns) {
    for (std::size_t k = c; k < std::min(c + kQuantisedColumns, later.size()); ++k) {
      const std::byte* const next = bytes(later[k]);
      for (std::uint64_t b = 0; b < view.column_stride; b += kCacheLine) __builtin_prefetch(next + b);
      __builtin_prefetch(&columns[later[k]]);
    }
    kernel(tile.places.data() + c, c);
  }
}

void StandardizedColumns::State::approximate(std::span<const VarId> list, std::span<const VarId> later,
                                             ApproximateTile& tile, double* out) const {
  gather(list, tile);
  const QuantisedVector& q = tile.q;
  const QuantisedKernels& kernel = quantised_kernels();
  for_each_four(tile, later, [&](auto places, std::size_t c) {
    kernel.dosages(places, q.planes, &tile.sums[c]);
    if (tile.any_missing) kernel.missing(places, q.planes, &tile.missing[c]);
  });
  const auto total = static_cast<double>(q.total);
  std::array<double, kTile> sums;
  for (std::size_t c = 0; c < list.size(); ++c) {
    // Copies of A1 are 2 - f where observed, and a missing call counts one in f and the mean in x~.
    const double mean = tile.means[c];
    sums[c] = (2 - shift_of(mean)) * total - static_cast<double>(tile.sums[c]);
    if (tile.any_missing) sums[c] -= (1 - mean) * static_cast<double>(tile.missing[c]);
  }
  divide(list.size(), q.unit, sums.data(), tile.norms.data(), out);
}

void StandardizedColumns::State::approximate_bytes(std::span<const VarId> list, std::span<const VarId> later,
                                                   ApproximateTile& tile, double* out) const {
  gather(list, tile);
  const QuantisedVector& q = tile.q;
  const ByteKernels& kernel = byte_kernels();
  const bool with_sign = view.storage == Storage::dense_i8;
  const std::uint8_t flip = with_sign ? kSignedFlip : 0;
  for_each_four(tile, later,
                [&](auto places, std::size_t c) { kernel.products(places, flip, q.planes, &tile.sums[c]); });
  const auto total = static_cast<double>(q.total);
  const std::int64_t of_flip = with_sign ? 128 * q.total : 0;  // sums are of x + 128
  std::array<double, kTile> sums;
  for (std::size_t c = 0; c < list.size(); ++c) {
    sums[c] = static_cast<double>(tile.sums[c] - of_flip) - shift_of(tile.means[c]) * total;
  }
  divide(list.size(), q.unit, sums.data(), tile.norms.data(), out);
}

bool StandardizedColumns::can_approximate() const {
  return state_->view.storage == Storage::genotype_2bit || state_->has_bytes();
}

QuantisedOrder StandardizedColumns::quantised_order() const {
  return state_->has_bytes() ? QuantisedOrder::bytes : QuantisedOrder::calls;
}

void StandardizedColumns::approximate_dots(std::span<const VarId> columns, const QuantisedVector& q,
                                           std::span<double> out, Chunks& chunks) const {
  STRADS_CHECK(can_approximate(), "only genotypes and bytes have approximate products");
  STRADS_CHECK(q.order == quantised_order(), "the vector was made for columns of this storage");
  STRADS_CHECK(q.rows == state_->rows(), "vectors have one entry per row");
  STRADS_CHECK(out.size() == columns.size(), "one slot per column");
  const std::uint64_t stride = state_->view.column_stride;
  const std::uint64_t ahead_bytes = state_->has_bytes() ? kAheadBytesOfBytes : kAheadBytes;
  const std::size_t ahead =
      stride > kLongColumn ? 0 : static_cast<std::size_t>(kQuantisedColumns + ahead_bytes / stride);
  const std::size_t size =
      (state_->columns_per_piece() + kQuantisedColumns - 1) / kQuantisedColumns * kQuantisedColumns;
  // Columns that have as many others behind them as a chunk may reach into.
  const std::size_t chunk_bytes = state_->has_bytes() ? kQuantisedRows : kQuantisedRows / 4;
  const std::uint64_t beyond = stride == 0 ? state_->view.columns : chunk_bytes / stride + 1;
  const auto whole = static_cast<VarId>(state_->view.columns - std::min<std::uint64_t>(state_->view.columns, beyond));
  const PassOrder order = state_->pass_order(columns.size(), size);
  chunks.for_each(order.pieces(), [&](std::size_t k) {
    State::ApproximateTile tile{q, whole};
    const auto piece = order.piece(k);
    const std::size_t end = piece.end;
    state_->read_ahead(columns, order, piece);
    for (std::size_t i = piece.begin; i < end; i += kTile) {
      const auto list = columns.subspan(i, std::min(kTile, end - i));
      const auto later = ahead == 0 || i + ahead >= end ? std::span<const VarId>()
                                                        : columns.subspan(i + ahead, std::min(kTile, end - i - ahead));
      if (state_->has_bytes()) {
        state_->approximate_bytes(list, later, tile, out.data() + i);
      } else {
        state_->approximate(list, later, tile, out.data() + i);
      }
    }
  });
}

double StandardizedColumns::length_bound(VarId j) const {
  const ColumnSlot& slot = state_->column(j);
  if (state_->how.scale) return kUnitLength;
  double squared = state_->squared_norm(j);
  for (std::size_t k = 0; slot.kept() && k < state_->covariates.size(); ++k) {
    squared += state_->share(j, k) * state_->share(j, k);
  }
  return std::sqrt(squared) * kUnitLength;
}

double StandardizedColumns::rounding_bound(VarId j) const {
  // n terms of a sum, each within one rounding of the product and those of the sums after it; 4 for what comes after.
  // Dense columns are centred term by term. Of others the mean goes at the end, from sums that may be larger than what
  // is left, by ||1 mu_j|| against ||x~_j|| s_j.
  const ColumnSlot& slot = state_->column(j);
  const double n = static_cast<double>(state_->view.rows);
  const double weight = std::max(n, state_->weight());
  const double plain = 4 * (n + 8) * std::numeric_limits<double>::epsilon();
  const Storage storage = state_->view.storage;
  if (storage == Storage::dense_f32 || storage == Storage::dense_f64 || storage == Storage::dosage_u16) return plain;
  const double spread = slot.norm() * (state_->how.scale ? 1.0 : std::sqrt(std::max(state_->squared_norm(j), 1e-300)));
  // Bytes are centred term by term in dot(). In whole numbers the mean goes at the end, but from a sum that is exact:
  // what is lost are the roundings of single numbers.
  if (state_->has_bytes()) {
    return plain + kRoundings * (2 + std::sqrt(weight) * std::abs(slot.mean()) / spread);
  }
  return plain * (2 + std::sqrt(weight) * std::abs(slot.mean()) / spread);
}

}  // namespace strads
