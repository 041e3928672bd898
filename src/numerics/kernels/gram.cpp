#include "numerics/kernels/gram.hpp"

#include <algorithm>

#include "strads/numerics/columns.hpp"

namespace strads {

std::vector<GramTile> gram_tiles(std::size_t left_count, std::size_t right_count, bool symmetric) {
  std::vector<GramTile> tiles;
  for (std::size_t left = 0; left < left_count; left += kGramColumns) {
    for (std::size_t right = symmetric ? left : 0; right < right_count; right += kGramColumns) {
      tiles.push_back(
          {left, std::min(kGramColumns, left_count - left), right, std::min(kGramColumns, right_count - right)});
    }
  }
  return tiles;
}

double sum(std::span<const double> a) {
  return kernels().sum(a.data(), a.size());
}

double dot(std::span<const double> a, std::span<const double> b) {
  STRADS_CHECK(a.size() == b.size(), "the vectors of a product have one length");
  return kernels().dot(a.data(), b.data(), a.size());
}

void axpy(double alpha, std::span<const double> x, std::span<double> y) {
  STRADS_CHECK(x.size() == y.size(), "a vector is added to one of its length");
  kernels().axpy(alpha, x.data(), y.data(), x.size());
}

void gram(std::span<const double> left, std::span<const double> right, std::size_t n, std::span<double> out,
          Chunks& chunks) {
  if (out.empty()) return;
  if (n == 0) {
    std::fill(out.begin(), out.end(), 0.0);
    return;
  }
  const std::size_t left_count = left.size() / n, right_count = right.size() / n;
  STRADS_CHECK(left_count * n == left.size() && right_count * n == right.size(), "whole columns of n rows");
  STRADS_CHECK(out.size() == left_count * right_count, "one entry per pair of columns");
  const bool symmetric = left.data() == right.data() && left.size() == right.size();
  const auto tiles = gram_tiles(left_count, right_count, symmetric);
  const Kernels& kernel = kernels();
  chunks.for_each(tiles.size(), [&](std::size_t piece) {
    const GramTile& tile = tiles[piece];
    std::vector<double> partials(kGramPartials, 0.0);
    for (std::size_t row = 0; row < n; row += kGramRows) {
      kernel.gram_add(left.data() + tile.left * n + row, n, tile.left_count, right.data() + tile.right * n + row, n,
                      tile.right_count, std::min(kGramRows, n - row), partials.data());
    }
    store_tile(tile, symmetric, right_count, out.data(),
               [&](std::size_t a, std::size_t b) { return kernel.gram_entry(partials.data(), a, b); });
  });
}

}  // namespace strads
