// Arithmetic of matrix factorization on blocks of ratings: what workers compute. Layer: numerics. Pure.
//
// a_ij ~ mean + b_i + b_j + w_i'h_j over the observed pairs. Everything here is symmetric: "rows" are the side that is
// updated, "columns" the other one, which does not change meanwhile. All sums have a defined order: the same arguments,
// the same bits (docs/MODELS.md, "Matrix factorization").
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "strads/base/payload.hpp"

namespace strads {

/// Floats of one record (a row of W or a column of H) in row-major pages: rank factors, the bias, then zeros up to a
/// multiple of 16, so that records begin at cache lines.
[[nodiscard]] constexpr std::size_t record_stride(std::uint32_t rank) {
  return (std::size_t{rank} + 1 + 15) / 16 * 16;
}

/// The records of one side, in pages (one a block) that versions of the model share. Owns nothing.
/// Record `slot` lies in page slot >> shift at (slot & (2^shift - 1)) x stride. Pages are 64-byte aligned.
struct FactorPages {
  const float* const* pages = nullptr;
  std::uint32_t shift = 0;
  std::size_t stride = 0;

  [[nodiscard]] const float* record(std::uint32_t slot) const {
    return pages[slot >> shift] + (slot & ((std::uint32_t{1} << shift) - 1)) * stride;
  }
};

/// Slots, or places in a page: in 16 bits where the maker of the list saw that all fit. Owns nothing.
class SlotList {
 public:
  SlotList() = default;
  SlotList(std::span<const std::uint32_t> slots) : wide_(slots.data()), size_(slots.size()) {}    // NOLINT(*explicit*)
  SlotList(std::span<const std::uint16_t> slots) : narrow_(slots.data()), size_(slots.size()) {}  // NOLINT(*explicit*)
  SlotList(const std::vector<std::uint32_t>& slots) : SlotList(std::span(slots)) {}               // NOLINT(*explicit*)
  SlotList(const std::vector<std::uint16_t>& slots) : SlotList(std::span(slots)) {}               // NOLINT(*explicit*)

  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] std::uint32_t operator[](std::size_t at) const { return narrow_ != nullptr ? narrow_[at] : wide_[at]; }
  /// nullptr: they are wide.
  [[nodiscard]] const std::uint16_t* narrow() const { return narrow_; }
  /// nullptr: they are narrow.
  [[nodiscard]] const std::uint32_t* wide() const { return wide_; }
  /// Calls act(pointer to the numbers), whichever they are.
  template <class Act>
  decltype(auto) visit(Act&& act) const {
    return narrow_ != nullptr ? act(narrow_) : act(wide_);
  }

 private:
  const std::uint16_t* narrow_ = nullptr;
  const std::uint32_t* wide_ = nullptr;
  std::size_t size_ = 0;
};

/// The ratings of some rows, row by row. Owns nothing.
struct RatingRows {
  std::span<const std::uint64_t> begins;  ///< rows + 1 offsets into slots and codes (or values)
  SlotList slots;                         ///< the column of each rating, as FactorPages counts; ccd: wide
  std::span<const std::uint8_t> codes;    ///< value = levels[code]; or
  const float* levels = nullptr;
  std::span<const float> values;  ///< where there are no codes

  [[nodiscard]] std::size_t rows() const { return begins.size() - 1; }
  [[nodiscard]] std::uint64_t ratings() const { return begins.back() - begins.front(); }
};

/// What is minimised over one side: sum over the ratings of (a - mean - b_i - b_j - w_i'h_j)^2
/// + lambda sum_i n_i^weighted (sum_k weight_k w_ik^2 + b_i^2).
struct RowProblem {
  std::uint32_t rank = 0;
  bool bias = false;  ///< the rows' bias is a variable too; else it stays what it is (0 where there are none)
  float mean = 0;
  double lambda = 0;
  bool weighted = true;            ///< the penalty of a row is times its number of ratings
  std::span<const float> weights;  ///< `rank` penalty weights, see rescaling in docs/MODELS.md; empty: all 1
  std::uint32_t width = 8;         ///< d: so many coordinates are solved at once; >= rank + 1: the row exactly (ALS)
  /// Each block moves so many times as far as its minimum, in (0, 2): the objective, a parabola on the way, never
  /// rises.
  float relaxation = 1;
};

/// Sums over the rows of a block.
struct RowSums {
  double error_before = 0, error_after = 0;  ///< squared errors
  std::uint64_t flops = 0;                   ///< counted by formula, not measured
};

// --- cd and als -----------------------------------------------------------------------------------------------------

/// One pass of block coordinate descent over the coordinates of each row, `width` at a time, in gradient form: from
/// w, e = residuals; for each block b of coordinates: (G_b + n lambda D) delta = H_b'e - n lambda D w_b, Cholesky.
/// The bias, if it is a variable, belongs to the last block. Rows without ratings become 0 (their penalty's minimum is
/// 0; with plain regularization too). `before` and `after`: rows x stride floats each; padding of `after` is set to 0.
/// Cost: about ratings x rank x (width / 2 + 3) multiplications.
void update_rows(const RatingRows& rows, const FactorPages& columns, const RowProblem& problem, const float* before,
                 float* after, RowSums& sums);

/// Number of floats of normal_equations(): the lower triangle of X'X, row by row, then X'e for e = a - mean - b_j and
/// X = [h_j, 1] (the 1 only with `bias`), then the sum of e^2 as the sum of two floats (high, low).
[[nodiscard]] std::size_t normal_size(const RowProblem& problem);
/// Part of the normal equations of one heavy row: adds over the ratings [begin, end) of row `row`, to `out` of
/// normal_size() floats, which it sets. Parts are added in part order by the caller (add_normal).
void normal_equations(const RatingRows& rows, std::size_t row, std::uint64_t begin, std::uint64_t end,
                      const FactorPages& columns, const RowProblem& problem, std::span<float> out);
/// What update_rows does with one row of `count` ratings, from its normal equations.
void update_from_normal(std::span<const double> normal, std::uint64_t count, const RowProblem& problem,
                        const float* before, float* after, RowSums& sums);

/// Adds squared and absolute errors of the ratings, one after the other, predictions clipped to [lowest, highest] where
/// clip. `records`: rows x columns.stride floats. `bias`: its place in the records of both sides (the rank; sgd_bias).
/// What is neither factor nor bias must be 0 in `records` (in the columns' it may be anything).
struct Errors {
  double squared = 0, absolute = 0;
  std::uint64_t count = 0;
};
void add_errors(const RatingRows& rows, const FactorPages& columns, std::size_t bias, float mean, const float* records,
                bool clip, float lowest, float highest, Errors& errors);
/// The same of these rows alone.
[[nodiscard]] Errors errors_of(const RatingRows& rows, const FactorPages& columns, std::size_t bias, float mean,
                               const float* records, bool clip, float lowest, float highest);

/// sum over rows of n_i^weighted w_ik^2 for each k, and of b_i^2 as the last entry: `out` has rank + 1 entries.
void penalties_of(const RatingRows& rows, std::uint32_t rank, bool weighted, const float* records,
                  std::span<double> out);

// --- ccd: feature by feature (the paper's eqs. 4 and 5)
// ---------------------------------------------------------------

/// One feature of one side: pages of single floats, slots as in FactorPages with stride 1. In place of a feature of the
/// rows a null pointer, and of the columns `pages` = null, is the constant 1: so biases are features too.
/// Residuals have the offsets of slots: that of rating r of `begins` is residual[r].
using FeaturePages = FactorPages;

/// residual[r] = a - mean - sum over features of w_if h_jf, features in order, for the rows' ratings; `row_features[f]`
/// points to feature f of the rows, `column_features[f]` to the pages of feature f of the columns.
void start_residual(const RatingRows& rows, std::span<const float* const> row_features,
                    std::span<const FeaturePages> column_features, float mean, std::span<float> residual);
/// The same for one feature that changes: residual += old_row x old_column - new_row x new_column, entry by entry: the
/// same bits wherever rows are cut, and in the copies by row and by column.
void move_residual(const RatingRows& rows, const float* old_row, const float* new_row, const FeaturePages& old_column,
                   const FeaturePages& new_column, std::span<float> residual);
/// Eqs. (4), (5): with r^ = residual + old_row x old_column, new = sum r^ h / (n^weighted lambda weight + sum h^2),
/// where h is new_column if given, else old_column (the second side of a feature already sees the first one's news).
/// `fixed_column` true: h = 1 (a bias), then nothing of the columns is read.
struct FeatureProblem {
  double lambda = 0;
  bool weighted = true;
};
void update_feature(const RatingRows& rows, const float* old_row, const FeaturePages& old_column, const FeaturePages& h,
                    bool fixed_column, const FeatureProblem& problem, std::span<const float> residual, float* new_row,
                    RowSums& sums);

// --- sgd
// --------------------------------------------------------------------------------------------------------------

/// Ratings of one cell of the grid: offsets of records in the row page and in the column page.
struct CellRatings {
  SlotList rows, columns;
  std::span<const std::uint8_t> codes;
  const float* levels = nullptr;
  std::span<const float> values;
};
/// One step of a rating: e = a - mean - b_i - b_j - w_i'h_j of the old values; then for the row (the column likewise)
/// w_i -= steps (lambda_row m_i w_i - e h_j) with m_i its multiplier, and b_i -= step (lambda_row m_i b_i - e).
/// Steps are rate / sqrt(accumulator) of the record, before this rating. Three accumulators: of the bias, of the first
/// 8 factors, of the others; each adds up the mean squared gradient of its own. Only the first 8 factors learn in the
/// first sweep: the others then refine what is left [Chin, Zhuang, Juan, Lin 2015].
struct SgdProblem {
  std::uint32_t rank = 0;
  bool bias = false;  ///< biases are variables too; else they stay what they are
  float mean = 0;
  float rate = 0.1F;       ///< eta
  bool slow_only = false;  ///< factors from 8 on, and their accumulator, stay what they are
  float lambda_row = 0, lambda_column = 0;
  /// m_i of each record of the page; empty: 1, which is the weighted penalty. Plain: 1 / number of ratings.
  std::span<const float> row_multipliers{}, column_multipliers{};
};
/// Floats of one sgd record: rank factors, zeros, and as the last four the bias and the accumulators of the bias, of
/// the slow and of the fast factors. A multiple of 16. Accumulators start at a positive number, e.g. 1.
[[nodiscard]] constexpr std::size_t sgd_stride(std::uint32_t rank) {
  return (std::size_t{rank} + 4 + 15) / 16 * 16;
}
/// Where the bias is in a record; its accumulator, the slow and the fast one follow.
[[nodiscard]] constexpr std::size_t sgd_bias(std::uint32_t rank) {
  return sgd_stride(rank) - 4;
}
/// One pass over the cell in order; changes both pages, which are 64-byte aligned. Returns the sum of squared errors
/// before each step. Fast if neighbouring ratings share no record, and rows and columns of a stretch fit a cache.
double sgd_cell(const CellRatings& cell, const SgdProblem& problem, float* row_page, float* column_page);
/// Whether records that were finite before sgd_cell() still are. Looks at the bias and the accumulators alone: a
/// gradient g changes a number by rate / sqrt(accumulator) g at most, and its square is added to an accumulator, which
/// is at least 1. So while accumulators are finite, |g| < 1.9e19 and no step is longer than that times the rate: a
/// number that overflows in this way needs more steps than anybody takes. REQUIRES: rate <= 10. Cost: 4 floats a
/// record.
[[nodiscard]] bool sgd_stays_finite(std::span<const float> records, std::uint32_t rank);

}  // namespace strads
