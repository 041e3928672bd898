// iALS++: rows of implicit feedback by blocks of coordinates, many rows at a time.
//
// In the basis of block_basis_of() a block has D = alpha0 diag(g) + r I and the right side q = X'e - alpha0 (V'GV w) -
// r w, with X the row's pairs in the block and e their residuals. The coordinates of V'GV w come from one product of
// matrices for some rows; what is left of a row costs what its pairs are.
#include "numerics/implicit/implicit_blocks.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "numerics/implicit/implicit_cholesky.hpp"
#include "strads/base/status.hpp"

namespace strads {
namespace {

/// Rows that share a product with V'GV.
constexpr std::size_t kRowsOfTile = 64;
/// Pairs of the next row whose numbers are asked for ahead.
constexpr std::size_t kFetchedAhead = 64;

struct CoordinateBlock {
  std::size_t first, width, padded;
};

/// Calls act(block) for each block of coordinates in order.
template <class Act>
void each_block(std::uint32_t rank, std::uint32_t width, Act&& act) {
  for (std::size_t first = 0; first < rank; first += width) {
    const std::size_t own = std::min<std::size_t>(width, rank - first);
    act(CoordinateBlock{first, own, padded_lanes(own)});
  }
}

/// out[r] += rows[r] times a matrix with a block for each block of coordinates, as ImplicitBasis has them. Padding adds
/// zeros to the coordinates behind a block, which come later.
void times_blocks(const std::vector<float>& matrix, std::uint32_t rank, std::uint32_t width, const float* rows,
                  std::size_t count, std::size_t row, float* out, std::size_t out_row) {
  const float* own = matrix.data();
  each_block(rank, width, [&](const CoordinateBlock& block) {
    implicit_kernels().product({.a = rows + block.first,
                                .a_row = row,
                                .a_deep = 1,
                                .b = own,
                                .b_row = block.padded,
                                .depth = block.width,
                                .rows = count,
                                .columns = block.padded,
                                .out = out + block.first,
                                .out_row = out_row});
    own += block.width * block.padded;
  });
}

/// The pairs of some rows.
struct TilePairs {
  std::vector<std::size_t> begins;    ///< of each row's
  std::vector<const float*> records;  ///< turned
  std::vector<float> roots, aims;     ///< ImplicitTarget
  std::vector<float> left;            ///< residuals: aim - root h'w
};

/// Room for one row in one block.
struct BlockRoom {
  std::vector<float> diagonal, inverse, right;  ///< D, D^-1, q and what solves
  std::vector<const float*> slices;
  std::vector<float> x, equations, step, moved;
};

/// Some rows of a page, and room for the equations of one of them.
class RowTile {
 public:
  RowTile(const RatingRows& rows, const FactorPages& columns, const ImplicitBasis& basis,
          const ImplicitProblem& problem)
      : rows_(rows),
        columns_(columns),
        basis_(basis),
        problem_(problem),
        row_(implicit_size(problem.rank) + kImplicitLanes),
        values_(basis.values.begin(), basis.values.end()),
        now_(kRowsOfTile * row_),
        back_(kRowsOfTile * row_) {}

  void update(std::size_t begin, std::size_t count, const float* before, float* after, RowSums& sums);

 private:
  void take(std::size_t begin, std::size_t count);
  void multiply(const CoordinateBlock& block, const float* panel, std::size_t count);
  void fetch(const CoordinateBlock& block, std::size_t r);
  void step(const CoordinateBlock& block, std::size_t r, RowSums& sums);
  void add_to_right(const CoordinateBlock& block, const float* factors, std::size_t count, bool minus);
  void solve_low_rank(const CoordinateBlock& block, std::size_t count);
  void solve_whole(const CoordinateBlock& block, std::size_t count);
  [[nodiscard]] double error_of_pairs() const;
  [[nodiscard]] std::uint64_t flops_of(std::uint64_t count) const;

  const RatingRows& rows_;
  const FactorPages& columns_;
  const ImplicitBasis& basis_;
  const ImplicitProblem& problem_;
  const ImplicitKernels& kernels_ = implicit_kernels();
  std::size_t row_;                ///< floats of a row of now_
  std::vector<float> values_;      ///< g
  std::vector<float> now_, back_;  ///< w of each row, in the basis and out of it
  std::vector<float> penalties_;   ///< of each row
  TilePairs pairs_;
  std::vector<float> earlier_, later_;  ///< V'GV w from the blocks before and behind, row by row
  BlockRoom own_;
};

void RowTile::take(std::size_t begin, std::size_t count) {
  pairs_.begins.assign(1, 0);
  penalties_.clear();
  pairs_.records.clear();
  pairs_.roots.clear();
  pairs_.aims.clear();
  for (std::size_t r = begin; r < begin + count; ++r) {
    for (std::uint64_t j = rows_.begins[r]; j < rows_.begins[r + 1]; ++j) {
      const ImplicitTarget target = target_of(problem_, rows_, j);
      pairs_.records.push_back(columns_.record(rows_.slots[j]));
      pairs_.roots.push_back(target.root);
      pairs_.aims.push_back(target.aim);
    }
    pairs_.begins.push_back(pairs_.records.size());
    penalties_.push_back(
        static_cast<float>(problem_.lambda * problem_.scale(pairs_.begins.back() - pairs_.begins.end()[-2])));
  }
}

/// Of all pairs of the tile: c (1 - s)^2, and of Hu's objective alpha0 (1 - 2 s).
double RowTile::error_of_pairs() const {
  double sum = 0, ones = 0;
  for (std::size_t j = 0; j < pairs_.records.size(); ++j) {
    const auto error = static_cast<double>(pairs_.left[j] - (pairs_.aims[j] - pairs_.roots[j]));
    sum += error * error;
    if (problem_.hu)
      ones += 1 - 2 * static_cast<double>(pairs_.aims[j] - pairs_.left[j]) / static_cast<double>(pairs_.roots[j]);
  }
  return sum + problem_.alpha0 * ones;
}

std::uint64_t RowTile::flops_of(std::uint64_t count) const {
  const std::uint64_t rank = problem_.rank, width = std::min(problem_.width, problem_.rank);
  const std::uint64_t blocks = (rank + width - 1) / width, less = std::min(count, width);
  return 2 * rank * rank + 4 * rank * width + count * less * rank + blocks * less * less * less / 3 + 10 * count * rank;
}

void RowTile::multiply(const CoordinateBlock& block, const float* panel, std::size_t count) {
  earlier_.assign(count * block.padded, 0.0F);
  later_.assign(count * block.padded, 0.0F);
  ImplicitProduct product = {.a = now_.data(),
                             .a_row = row_,
                             .a_deep = 1,
                             .b = panel,
                             .b_row = block.padded,
                             .depth = block.first,
                             .rows = count,
                             .columns = block.padded,
                             .out = earlier_.data(),
                             .out_row = block.padded};
  kernels_.product(product);
  const std::size_t behind = block.first + block.width;
  product.a += behind;
  product.b += behind * block.padded;
  product.depth = problem_.rank - behind;
  product.out = later_.data();
  kernels_.product(product);
}

/// A row's pairs in the block, side by side.
void RowTile::fetch(const CoordinateBlock& block, std::size_t r) {
  const std::size_t begin = pairs_.begins[r], end = pairs_.begins[r + 1];
  if (own_.x.size() < (end - begin) * block.padded) own_.x.resize((end - begin) * block.padded);
  own_.slices.clear();
  for (std::size_t j = begin; j < end; ++j) own_.slices.push_back(pairs_.records[j] + block.first);
  kernels_.fetch(own_.slices.data(), pairs_.roots.data() + begin, end - begin, block.width, block.padded,
                 own_.x.data());
  // The next row's come from far away.
  const std::size_t next = r + 2 < pairs_.begins.size() ? std::min(pairs_.begins[r + 2], end + kFetchedAhead) : end;
  for (std::size_t j = end; j < next; ++j) {
    for (std::size_t k = 0; k < block.width; k += kImplicitLanes)
      __builtin_prefetch(pairs_.records[j] + block.first + k);
  }
}

/// The block of a row to its minimum.
void RowTile::step(const CoordinateBlock& block, std::size_t r, RowSums& sums) {
  const std::size_t count = pairs_.begins[r + 1] - pairs_.begins[r];
  const float alpha0 = static_cast<float>(problem_.alpha0), penalty = penalties_[r];
  const float* const earlier = earlier_.data() + r * block.padded;
  const float* const later = later_.data() + r * block.padded;
  const float* const values = values_.data() + block.first;
  float* const w = now_.data() + r * row_ + block.first;
  // What w makes of all pairs: what two blocks make together is counted with the later one before, with the earlier one
  // after, when each is what it was or will be.
  double all = 0;
  own_.right.assign(block.padded, 0.0F);
  own_.diagonal.assign(block.padded, 0.0F);
  own_.inverse.assign(block.padded, 0.0F);
  for (std::size_t i = 0; i < block.width; ++i) {
    all += static_cast<double>(w[i] * (2 * later[i] + values[i] * w[i]));
    own_.diagonal[i] = alpha0 * values[i] + penalty;
    own_.inverse[i] = own_.diagonal[i] > 0 ? 1 / own_.diagonal[i] : 0;
    own_.right[i] = -alpha0 * (earlier[i] + later[i]) - own_.diagonal[i] * w[i];
  }
  sums.error_before += problem_.alpha0 * all;
  if (count == 0) {
    std::fill_n(w, block.width, 0.0F);
    return;
  }
  fetch(block, r);
  float* const left = pairs_.left.data() + pairs_.begins[r];
  add_to_right(block, left, count, false);
  if (count < block.width) {
    solve_low_rank(block, count);
  } else {
    solve_whole(block, count);
  }
  all = 0;
  for (std::size_t i = 0; i < block.width; ++i) {
    w[i] += own_.right[i];
    all += static_cast<double>(w[i] * (2 * earlier[i] + values[i] * w[i]));
  }
  sums.error_after += problem_.alpha0 * all;
  own_.moved.resize(std::max(own_.moved.size(), count));
  kernels_.dots(own_.x.data(), block.padded, count, own_.right.data(), block.padded, own_.moved.data());
  for (std::size_t j = 0; j < count; ++j) left[j] -= own_.moved[j];
}

/// own_.right += X'factors, or -=.
void RowTile::add_to_right(const CoordinateBlock& block, const float* factors, std::size_t count, bool minus) {
  kernels_.product({.a = factors,
                    .a_row = 0,
                    .a_deep = 1,
                    .b = own_.x.data(),
                    .b_row = block.padded,
                    .depth = count,
                    .rows = 1,
                    .columns = block.padded,
                    .out = own_.right.data(),
                    .out_row = block.padded,
                    .minus = minus});
}

/// own_.right = (D + X'X)^-1 own_.right = D^-1 (own_.right - X'z), where (I + X D^-1 X') z = X D^-1 own_.right.
void RowTile::solve_low_rank(const CoordinateBlock& block, std::size_t count) {
  const std::size_t row = padded_lanes(count);
  own_.step.resize(block.padded);
  for (std::size_t i = 0; i < block.padded; ++i) own_.step[i] = own_.inverse[i] * own_.right[i];
  own_.moved.assign(row, 0.0F);
  kernels_.dots(own_.x.data(), block.padded, count, own_.step.data(), block.padded, own_.moved.data());
  own_.equations.assign(count * row, 0.0F);
  kernels_.inner({.rows = own_.x.data(),
                  .row = block.padded,
                  .between = own_.inverse.data(),
                  .depth = block.padded,
                  .count = count,
                  .out = own_.equations.data(),
                  .out_row = row});
  for (std::size_t j = 0; j < count; ++j) own_.equations[j * row + j] += 1;
  solve_by_cholesky(kernels_, own_.equations.data(), count, row, own_.moved.data());
  add_to_right(block, own_.moved.data(), count, true);
  for (std::size_t i = 0; i < block.padded; ++i) own_.right[i] *= own_.inverse[i];
}

/// own_.right = (D + X'X)^-1 own_.right.
void RowTile::solve_whole(const CoordinateBlock& block, std::size_t count) {
  own_.equations.assign(block.width * block.padded, 0.0F);
  kernels_.product({.a = own_.x.data(),
                    .a_row = 1,
                    .a_deep = block.padded,
                    .b = own_.x.data(),
                    .b_row = block.padded,
                    .depth = count,
                    .rows = block.width,
                    .columns = block.padded,
                    .out = own_.equations.data(),
                    .out_row = block.padded,
                    .lower = true});
  for (std::size_t i = 0; i < block.width; ++i) own_.equations[i * block.padded + i] += own_.diagonal[i];
  solve_by_cholesky(kernels_, own_.equations.data(), block.width, block.padded, own_.right.data());
}

void RowTile::update(std::size_t begin, std::size_t count, const float* before, float* after, RowSums& sums) {
  const std::size_t stride = record_stride(problem_.rank), size = implicit_size(problem_.rank);
  take(begin, count);
  std::ranges::fill(now_, 0.0F);
  times_blocks(basis_.vectors, problem_.rank, problem_.width, before + begin * stride, count, stride, now_.data(),
               row_);
  pairs_.left.resize(pairs_.records.size());
  for (std::size_t r = 0; r < count; ++r) {
    sums.flops += flops_of(pairs_.begins[r + 1] - pairs_.begins[r]);
    for (std::size_t j = pairs_.begins[r]; j < pairs_.begins[r + 1]; ++j) {
      pairs_.left[j] = pairs_.aims[j] - pairs_.roots[j] * kernels_.dot(pairs_.records[j], now_.data() + r * row_, size);
    }
  }
  sums.error_before += error_of_pairs();
  const float* panel = basis_.panels.data();
  each_block(problem_.rank, problem_.width, [&](const CoordinateBlock& block) {
    multiply(block, panel, count);
    for (std::size_t r = 0; r < count; ++r) step(block, r, sums);
    panel += problem_.rank * block.padded;
  });
  sums.error_after += error_of_pairs();
  std::ranges::fill(back_, 0.0F);
  times_blocks(basis_.back, problem_.rank, problem_.width, now_.data(), count, row_, back_.data(), row_);
  for (std::size_t r = 0; r < count; ++r) {
    std::copy_n(back_.data() + r * row_, problem_.rank, after + (begin + r) * stride);
  }
}

}  // namespace

ImplicitTarget target_of(const ImplicitProblem& problem, const RatingRows& rows, std::uint64_t pair) {
  float confidence = rows.codes.empty() ? rows.values[pair] : rows.levels[rows.codes[pair]];
  if (problem.alpha != 1) {
    confidence = std::max(static_cast<float>(problem.alpha * static_cast<double>(confidence)),
                          std::numeric_limits<float>::min());
  }
  const float root = confidence == 1 ? 1.0F : std::sqrt(confidence);
  return {root, problem.hu ? root + static_cast<float>(problem.alpha0) / root : root};
}

ImplicitBasis block_basis_of(std::span<const double> gram, std::uint32_t rank, std::uint32_t width) {
  const std::size_t size = implicit_size(rank);
  ImplicitBasis basis;
  basis.values.assign(size, 0.0);
  each_block(rank, width, [&](const CoordinateBlock& block) {
    std::vector<double> own(block.padded * block.padded);
    for (std::size_t i = 0; i < block.width; ++i) {
      for (std::size_t j = 0; j <= i; ++j) own[i * block.padded + j] = gram[(block.first + i) * size + block.first + j];
    }
    const ImplicitBasis turned = basis_of(own, static_cast<std::uint32_t>(block.width));
    const auto used = static_cast<std::ptrdiff_t>(block.width * block.padded);
    basis.vectors.insert(basis.vectors.end(), turned.vectors.begin(), turned.vectors.begin() + used);
    basis.back.insert(basis.back.end(), turned.back.begin(), turned.back.begin() + used);
    std::copy_n(turned.values.begin(), block.width, basis.values.begin() + static_cast<std::ptrdiff_t>(block.first));
  });
  std::vector<float> whole(rank * size), half;
  for (std::size_t i = 0; i < rank; ++i) {
    for (std::size_t j = 0; j <= i; ++j) {
      whole[i * size + j] = whole[j * size + i] = static_cast<float>(gram[i * size + j]);
    }
  }
  const float* of_columns = basis.vectors.data();
  each_block(rank, width, [&](const CoordinateBlock& columns) {
    half.assign(rank * columns.padded, 0.0F);
    implicit_kernels().product({.a = whole.data() + columns.first,
                                .a_row = size,
                                .a_deep = 1,
                                .b = of_columns,
                                .b_row = columns.padded,
                                .depth = columns.width,
                                .rows = rank,
                                .columns = columns.padded,
                                .out = half.data(),
                                .out_row = columns.padded});
    of_columns += columns.width * columns.padded;
    const std::size_t begin = basis.panels.size();
    basis.panels.resize(begin + rank * columns.padded);
    const float* of_rows = basis.vectors.data();
    each_block(rank, width, [&](const CoordinateBlock& rows) {
      implicit_kernels().product({.a = of_rows,
                                  .a_row = 1,
                                  .a_deep = rows.padded,
                                  .b = half.data() + rows.first * columns.padded,
                                  .b_row = columns.padded,
                                  .depth = rows.width,
                                  .rows = rows.width,
                                  .columns = columns.padded,
                                  .out = basis.panels.data() + begin + rows.first * columns.padded,
                                  .out_row = columns.padded});
      of_rows += rows.width * rows.padded;
    });
  });
  return basis;
}

void turn_blocks(const ImplicitBasis& basis, std::uint32_t rank, std::uint32_t width, const float* records,
                 std::size_t count, std::size_t stride, float* out) {
  const std::size_t size = implicit_size(rank);
  std::fill_n(out, count * size, 0.0F);
  times_blocks(basis.vectors, rank, width, records, count, stride, out, size);
}

void update_rows_by_blocks(const RatingRows& rows, const FactorPages& columns, const ImplicitBasis& basis,
                           const ImplicitProblem& problem, const float* before, float* after, RowSums& sums) {
  STRADS_CHECK(!basis.panels.empty(), "the basis of blocks");
  RowTile tile(rows, columns, basis, problem);
  std::fill_n(after, rows.rows() * record_stride(problem.rank), 0.0F);
  for (std::size_t begin = 0; begin < rows.rows(); begin += kRowsOfTile) {
    tile.update(begin, std::min(kRowsOfTile, rows.rows() - begin), before, after, sums);
  }
}

}  // namespace strads
