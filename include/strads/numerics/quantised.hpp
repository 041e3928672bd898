// A vector in whole numbers of 15 bits, with the length of what rounding lost: for bounds on many products at once.
// Layer: numerics. Pure. Formulas: docs/DESIGN.md, "Passes".
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace strads {

/// Rows of a chunk: 64 bytes of two-bit calls.
inline constexpr std::size_t kQuantisedRows = 256;
/// |q_i| at most: 127 x 128 + 127.
inline constexpr int kQuantisedMax = 16383;

/// Which row of a chunk byte k of field t belongs to: that columns meet their rows without any permutation.
enum class QuantisedOrder : std::uint8_t {
  calls,  ///< 4 k + t: four calls of two bits lie in a byte
  bytes   ///< 64 t + k: columns of bytes
};

/// q of 256 rows as two planes of bytes, q = 128 high + low with low in [0, 127].
struct alignas(64) QuantisedChunk {
  struct Field {
    std::array<std::int8_t, 64> high, low;
  };
  std::array<Field, 4> fields;
};

/// u = unit q + e; with sample weights w, whose roots columns multiply in (columns.hpp): sqrt(w) o u = unit q + e.
struct QuantisedVector {
  std::vector<QuantisedChunk> planes;  ///< q, zero behind the last row
  QuantisedOrder order = QuantisedOrder::calls;
  std::size_t rows = 0;
  double unit = 0;         ///< largest entry / 16383; 0 when there is none
  std::int64_t total = 0;  ///< 1'q
  double error = 0;        ///< >= ||e / sqrt(w)||, computed from e itself: about unit x sqrt(rows / 12)
  double length = 0;       ///< ||u||; not finite: q is 0 and says nothing

  /// `roots`, `wanted`: StandardizedColumns::roots() and quantised_order() of the columns that it will meet.
  /// Cost: some 10 flops a row.
  void assign(std::span<const double> u, std::span<const double> roots = {},
              QuantisedOrder wanted = QuantisedOrder::calls);
};

}  // namespace strads
