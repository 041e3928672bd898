// What early stopping by lists of items looks at.
#pragma once

#include <memory>

#include "mf/problem/ranked_by.hpp"
#include "strads/base/status.hpp"
#include "strads/data/ratings.hpp"

namespace strads::mf {

/// From the ratings of a fit, before values become confidences or are divided by their unit: lists for the users of
/// validation pairs (from Positives::from on), without their training pairs. Null where `input` asks for no validation,
/// or no fit stops by lists (`wanted`: MfOptions::stop). Errors: input: none of the validation pairs is one that a list
/// could have.
[[nodiscard]] Result<std::shared_ptr<const StopLists>> stop_lists_of(const Ratings& ratings, const RatingsInput& input,
                                                                     bool wanted);

}  // namespace strads::mf
