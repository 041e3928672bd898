// Whole-number kernels on columns of bytes: products with a quantised vector, and the sums that means and norms are
// made of. Layer: numerics. Pure, private.
// As in quantised_kernels.hpp every sum is exact, so that every function gives the same numbers on every processor.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "numerics/kernels/quantised_kernels.hpp"
#include "strads/numerics/quantised.hpp"

namespace strads {

/// Signed bytes are read as x + 128, which is x with its first bit flipped: the instructions want one factor unsigned.
/// `flip` of a kernel is this, or 0 for unsigned bytes.
inline constexpr std::uint8_t kSignedFlip = 0x80;
/// Rows that a register of the widest target holds: masks end at a multiple of it.
inline constexpr std::size_t kMaskRows = 64;

/// Sums over the rows of a mask.
struct ByteSums {
  std::uint64_t sum = 0;      ///< of x ^ flip
  std::uint64_t squares = 0;  ///< of (x ^ flip)^2
};

/// The functions of one instruction set.
struct ByteKernels {
  const char* name;
  /// sums[c] = sum (x_i ^ flip) q_i.
  ///   columns: kQuantisedColumns pointers, each readable for kQuantisedRows bytes a chunk; what lies behind a column
  ///            meets zeros in the planes
  ///   planes:  in the order QuantisedOrder::bytes
  void (*products)(const std::uint8_t* const* columns, std::uint8_t flip, std::span<const QuantisedChunk> planes,
                   std::int64_t* sums);
  /// x: n bytes, not read behind them; mask: 0xFF at rows that count, 0 at others, and 0 up to a multiple of kMaskRows.
  ByteSums (*sums)(const std::uint8_t* x, std::uint8_t flip, const std::uint8_t* mask, std::size_t n);
};

/// The one of the instruction set of quantised_kernels().
[[nodiscard]] const ByteKernels& byte_kernels();
/// All that this processor runs, best first: for tests.
[[nodiscard]] std::span<const ByteKernels* const> all_byte_kernels();

}  // namespace strads
