#include <array>
#include <cmath>
#include <limits>

#include "model/byte_kernels.hpp"
#include "model/columns_state.hpp"
#include "model/quantised_kernels.hpp"

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

}  // namespace

/// What approximate() needs besides, made once for many calls.
struct StandardizedColumns::State::ApproximateRoom {
  const QuantisedKernels* kernel;
  const ByteKernels* byte_kernel;
  VarId whole;  ///< columns before this one can be read for whole chunks where they are
  std::array<std::vector<std::uint8_t>, kQuantisedColumns> copies;
};

const std::uint8_t* StandardizedColumns::State::whole_chunks(VarId j, std::size_t bytes,
                                                             std::vector<std::uint8_t>& copy) const {
  const std::uint64_t own = has_bytes() ? view.rows : (view.rows + 3) / 4;
  const std::uint64_t readable = std::uint64_t{view.columns - 1 - j} * view.column_stride + own;
  if (readable >= bytes) return calls(j);
  copy.assign(bytes, 0);
  std::copy_n(calls(j), own, copy.begin());
  return copy.data();
}

void StandardizedColumns::State::approximate(std::span<const VarId> list, const QuantisedVector& q, double* out,
                                             ApproximateRoom& room) const {
  const QuantisedKernels& kernel = *room.kernel;
  const std::size_t bytes = q.planes.size() * (kQuantisedRows / 4);
  std::array<const std::uint8_t*, kQuantisedColumns> places{};
  std::array<const ColumnSlot*, kQuantisedColumns> slots{};
  bool missing_calls = false;
  for (std::size_t c = 0; c < kQuantisedColumns; ++c) {
    const VarId j = list[std::min(c, list.size() - 1)];
    slots[c] = &column(j);
    missing_calls |= any_missing(j);
    places[c] = j < room.whole ? calls(j) : whole_chunks(j, bytes, room.copies[c]);
  }
  std::array<std::int64_t, kQuantisedColumns> dosages{}, missing{};
  kernel.dosages(places.data(), q.planes, dosages.data());
  if (missing_calls) kernel.missing(places.data(), q.planes, missing.data());
  const auto total = static_cast<double>(q.total);
  for (std::size_t c = 0; c < list.size(); ++c) {
    const ColumnSlot& slot = *slots[c];
    // Copies of A1 are 2 - f where observed, and a missing call counts one in f and the mean in x~.
    const double mean = slot.mean();
    const double sum =
        (2 - shift_of(mean)) * total - static_cast<double>(dosages[c]) - (1 - mean) * static_cast<double>(missing[c]);
    out[c] = slot.kept() ? q.unit * sum / slot.norm() : 0.0;
  }
}

void StandardizedColumns::State::approximate_bytes(std::span<const VarId> list, const QuantisedVector& q, double* out,
                                                   ApproximateRoom& room) const {
  const bool with_sign = view.storage == Storage::dense_i8;
  const std::size_t bytes = q.planes.size() * kQuantisedRows;
  std::array<const std::uint8_t*, kQuantisedColumns> places{};
  for (std::size_t c = 0; c < kQuantisedColumns; ++c) {
    const VarId j = list[std::min(c, list.size() - 1)];
    places[c] = j < room.whole ? dense<std::uint8_t>(j) : whole_chunks(j, bytes, room.copies[c]);
  }
  std::array<std::int64_t, kQuantisedColumns> sums{};
  room.byte_kernel->products(places.data(), with_sign ? kSignedFlip : std::uint8_t{0}, q.planes, sums.data());
  const auto total = static_cast<double>(q.total);
  for (std::size_t c = 0; c < list.size(); ++c) {
    const ColumnSlot& slot = column(list[c]);
    const std::int64_t product = sums[c] - (with_sign ? 128 * q.total : 0);  // sums are of x + 128
    const double sum = static_cast<double>(product) - shift_of(slot.mean()) * total;
    out[c] = slot.kept() ? q.unit * sum / slot.norm() : 0.0;
  }
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
  chunks.for_each((columns.size() + size - 1) / size, [&](std::size_t piece) {
    State::ApproximateRoom room{&quantised_kernels(), &byte_kernels(), whole, {}};
    const std::size_t end = std::min(columns.size(), (piece + 1) * size);
    read_ahead(columns, piece * size, end);
    for (std::size_t i = piece * size; i < end; i += kQuantisedColumns) {
      for (std::size_t c = i + ahead; ahead != 0 && c < std::min(end, i + ahead + kQuantisedColumns); ++c) {
        const std::byte* const next = state_->bytes(columns[c]);
        for (std::uint64_t b = 0; b < stride; b += kCacheLine) __builtin_prefetch(next + b);
        __builtin_prefetch(&state_->columns[columns[c]]);
      }
      const auto four = columns.subspan(i, std::min(kQuantisedColumns, end - i));
      if (state_->has_bytes()) {
        state_->approximate_bytes(four, q, out.data() + i, room);
      } else {
        state_->approximate(four, q, out.data() + i, room);
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
  if (state_->view.storage == Storage::dense_f32 || state_->view.storage == Storage::dense_f64) return plain;
  const double spread = slot.norm() * (state_->how.scale ? 1.0 : std::sqrt(std::max(state_->squared_norm(j), 1e-300)));
  // Bytes are centred term by term in dot(). In whole numbers the mean goes at the end, but from a sum that is exact:
  // what is lost are the roundings of single numbers.
  if (state_->has_bytes()) {
    return plain + kRoundings * (2 + std::sqrt(weight) * std::abs(slot.mean()) / spread);
  }
  return plain * (2 + std::sqrt(weight) * std::abs(slot.mean()) / spread);
}

}  // namespace strads
