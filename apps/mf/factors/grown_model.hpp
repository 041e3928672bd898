// A model with users or items that it did not have, or with ratings that it did not have: what `mf fold-in` and
// `mf refit` write.
#pragma once

#include <cstdint>
#include <vector>

#include "mf/factors/fold_in.hpp"
#include "mf/factors/model_files.hpp"
#include "mf/problem/mf.hpp"
#include "strads/base/chunks.hpp"
#include "strads/base/status.hpp"
#include "strads/data/ratings.hpp"

namespace strads::mf {

/// The model of the new users alone: row k is that of user k of `ratings`, whose ratings are `given`.
[[nodiscard]] FactorModel with_new_users(FactorModel model, FoldedRows rows, const Ratings& ratings,
                                         const RowRatings& given);

/// The model with the items of `ratings`: those that it knows at their places, new ones behind all others, in the order
/// of `ratings`. One whose raters the model does not know stays as it was, and is left out where it is new. Errors: as
/// make_ids().
[[nodiscard]] Result<FactorModel> with_new_items(FactorModel model, const FoldedRows& rows, const Ratings& ratings,
                                                 const RowRatings& given);

/// The old model with the users and items of the ratings, in their order: the old rows where they are known, else
/// zeros, and the numbers of training ratings as they are now. Cost: a pass over the ratings.
[[nodiscard]] FactorModel grown_model(const FactorModel& old, const Ratings& ratings);

/// Rows of one side that are solved, and what became of the others.
struct ChangedRows {
  std::vector<std::uint32_t> rows;   ///< in the new model
  std::vector<std::uint32_t> place;  ///< of each row of the new model among `rows`; kNoRow
  std::uint32_t fresh = 0;           ///< of them unknown to the old model
  std::uint32_t gone = 0;            ///< rows of the old model without ratings now
  RowRatings ratings;
};
/// Those that have another number of training ratings than in the old model. `model`: grown_model() of these. Cost: as
/// rows_of().
[[nodiscard]] ChangedRows changed_rows(const FactorModel& old, const FactorModel& model, const Ratings& ratings,
                                       Side side);

/// Solves these rows of `model` anew, with the other side as it is; all others keep their bits. Cost: as folded_rows().
void solve_rows(const MfOptions& options, const ChangedRows& changed, Side side, FactorModel& model, Chunks& chunks);

}  // namespace strads::mf
