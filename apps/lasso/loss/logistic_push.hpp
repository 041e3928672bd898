// What a worker does with one block of a logistic regression. Layer: apps/lasso. Pure.
#pragma once

#include "lasso/loss/logistic_data.hpp"
#include "lasso/model/lasso_state.hpp"
#include "lasso/model/penalty.hpp"
#include "strads/engine/model.hpp"
#include "strads/numerics/columns.hpp"

namespace strads::lasso {

/// As push_block(): one update of the best variable by the quadratic bound, or Newton steps on the block.
[[nodiscard]] Push push_logistic(const StandardizedColumns& columns, const LogisticData& data, const Penalty& given,
                                 const LassoState& base, const Block& block, Chunks& chunks);

}  // namespace strads::lasso
