#include "mf/check/all_pairs.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "mf/check/double_products.hpp"

namespace strads::mf {
namespace {

constexpr std::size_t kSquare = kTileSide * kTileSide;

/// kTileSide factors of some rows from `first` on, in double precision; zeros behind the last factor. Rows are far from
/// each other: those that come later are asked for.
void pack(const FactorModel& factors, Side side, std::size_t begin, std::size_t end, std::size_t first, double* out) {
  constexpr std::size_t kAhead = 16, kLine = 16;  // rows; floats of a cache line
  const std::size_t width = std::min<std::size_t>(kTileSide, factors.rank - first), rows = factors.size(side);
  for (std::size_t row = begin; row < end; ++row, out += kTileSide) {
    const float* const record = factors.row(side, static_cast<std::uint32_t>(row)) + first;
    if (row + kAhead < rows) {
      for (std::size_t k = 0; k < width; k += kLine) __builtin_prefetch(record + kAhead * factors.rank + k);
    }
    for (std::size_t k = 0; k < width; ++k) out[k] = double{record[k]};
  }
}

/// A square of the Gram matrix of a side, which begins in row `k` and column `l`: sums over its rows in order.
std::vector<double> gram_square(const FactorModel& factors, Side side, std::size_t k, std::size_t l) {
  constexpr std::size_t kRowsAtOnce = 32;
  const std::size_t rows = factors.size(side);
  std::vector<double> sums(kSquare), left(kRowsAtOnce * kTileSide), right(k == l ? 0 : left.size());
  for (std::size_t begin = 0; begin < rows; begin += kRowsAtOnce) {
    const std::size_t end = std::min(rows, begin + kRowsAtOnce);
    pack(factors, side, begin, end, k, left.data());
    if (k != l) pack(factors, side, begin, end, l, right.data());
    double_tiles()(left.data(), k == l ? left.data() : right.data(), end - begin, sums.data());
  }
  return sums;
}

struct PairProducts {
  double sum = 0, reach = 0;

  void add(double product) {
    sum += product;
    reach += std::abs(product);
  }
};

}  // namespace

void add_all_pairs(const FactorModel& factors, double alpha0, Chunks& chunks, Recounted& found) {
  struct Square {
    std::size_t k, l;
  };
  std::vector<Square> squares;  // of the lower triangle
  for (std::size_t k = 0; k < factors.rank; k += kTileSide) {
    for (std::size_t l = 0; l <= k; l += kTileSide) squares.push_back({k, l});
  }
  std::vector<PairProducts> of_square(squares.size());
  chunks.for_each(squares.size(), [&](std::size_t at) {
    const auto [k, l] = squares[at];
    const auto of_users = gram_square(factors, Side::users, k, l), of_items = gram_square(factors, Side::items, k, l);
    for (std::size_t i = 0; i < kSquare; ++i) of_square[at].add(of_users[i] * of_items[i] * (k == l ? 1 : 2));
  });
  PairProducts all;
  for (const PairProducts& more : of_square) {
    all.sum += more.sum;
    all.reach += more.reach;
  }
  found.squared += alpha0 * all.sum;
  found.reach += alpha0 * all.reach;
}

}  // namespace strads::mf
