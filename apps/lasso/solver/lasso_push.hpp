// push: what a worker does with one block. Pure functions of (block, replica(base)).
#pragma once

#include "lasso/problem/lasso.hpp"
#include "lasso/problem/lasso_state.hpp"
#include "lasso/problem/penalty.hpp"
#include "lasso/solver/gram_cache.hpp"
#include "lasso/solver/local_block.hpp"
#include "strads/engine/model.hpp"
#include "strads/policies/parallelism.hpp"

namespace strads::lasso {

/// What a block asks for, without the gradient.
[[nodiscard]] Local local_of(const Block& block);
/// Writes what changed of it.
void put_deltas(const Local& local, const Block& block, Push& push);
/// The penalty at which a block is solved.
[[nodiscard]] Penalty raised(Penalty penalty, const Block& block);
/// The update of the published policies: one variable, or the best one of a static block. `curvature`: of the quadratic
/// bound, in units of ||x_j||^2.
[[nodiscard]] Push update_single(const StandardizedColumns& columns, const Penalty& penalty, const LassoState& base,
                                 const Block& block, double curvature, Chunks& chunks);

/// Dispatches on the block's kind (payloads.hpp). Cost is counted, never timed.
[[nodiscard]] Push push_block(const StandardizedColumns& columns, const Penalty& given, const LassoState& base,
                              const Block& block, BlockCaches& caches, Chunks& chunks);

}  // namespace strads::lasso
