// How a square or rectangular table of column products is cut into tiles. Layer: numerics. Pure, private.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "numerics/kernels/kernels.hpp"

namespace strads {

/// A tile: up to kGramColumns left columns from `left`, right columns from `right`.
struct GramTile {
  std::size_t left;
  std::size_t left_count;
  std::size_t right;
  std::size_t right_count;
};

/// Tiles of a left_count x right_count table; `symmetric`: only those on and above the diagonal.
[[nodiscard]] std::vector<GramTile> gram_tiles(std::size_t left_count, std::size_t right_count, bool symmetric);

/// Writes entry(a, b) of a tile into the row-major table `out` with `columns` columns, mirrored when `symmetric`.
template <class Entry>
void store_tile(const GramTile& tile, bool symmetric, std::size_t columns, double* out, const Entry& entry) {
  for (std::size_t a = 0; a < tile.left_count; ++a) {
    for (std::size_t b = 0; b < tile.right_count; ++b) {
      const double value = entry(a, b);
      out[(tile.left + a) * columns + tile.right + b] = value;
      // A diagonal tile writes both of its halves; their bits agree because every entry is symmetric in its columns.
      if (symmetric) out[(tile.right + b) * columns + tile.left + a] = value;
    }
  }
}

}  // namespace strads
