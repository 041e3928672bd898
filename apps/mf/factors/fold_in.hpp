// Rows of one side of a model from their ratings, with the other side as it is: for `mf fold-in` and `mf refit`.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "mf/factors/model_files.hpp"
#include "mf/problem/mf.hpp"
#include "strads/base/chunks.hpp"
#include "strads/data/ratings.hpp"
#include "strads/numerics/factorization.hpp"

namespace strads::mf {

/// The training ratings of some rows of one side, row by row, in the order of the file.
struct RowRatings {
  std::vector<std::uint64_t> begins{0};  ///< one more than there are rows
  std::vector<std::uint32_t> columns;    ///< of the other side, as the model counts
  std::vector<float> values;             ///< in the user's unit
  std::uint64_t unknown = 0;             ///< ratings whose column the model does not know: left out

  [[nodiscard]] std::size_t rows() const { return begins.size() - 1; }
  /// Of some rows; `of_columns`: values in their place.
  [[nodiscard]] RatingRows view(std::size_t begin, std::size_t end, std::span<const float> of_columns) const {
    RatingRows rows;
    rows.begins = std::span(begins).subspan(begin, end - begin + 1);
    rows.slots = columns;
    rows.values = of_columns;
    return rows;
  }
};

/// `rows`: of each user (item) of the ratings its row, from 0; kNoRow: it is not wanted. `count`: how many rows there
/// are. Cost: two passes over the ratings.
inline constexpr std::uint32_t kNoRow = 0xffffffff;
[[nodiscard]] RowRatings rows_of(const Ratings& ratings, Side side, std::span<const std::uint32_t> rows,
                                 std::uint32_t count, const ModelIds& model);

/// Factors and biases of rows.
struct FoldedRows {
  std::vector<float> factors, biases;
};
/// Each row becomes the exact minimum of the objective for it, with the other side of `model` as it is; its penalty
/// counts the ratings that are here. Factors are written so that all penalty weights are 1 (the weights of a fit are in
/// its factors). The same bits for any number of threads. Cost: as update_rows() or fold_in_implicit().
[[nodiscard]] FoldedRows folded_rows(const MfOptions& options, const FactorModel& model, Side side,
                                     const RowRatings& ratings, Chunks& chunks);

}  // namespace strads::mf
