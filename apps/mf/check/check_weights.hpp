// What a run says of its item weights, against the pairs. Private to apps/mf.
#pragma once

#include "mf/slim/slim.hpp"
#include "strads/base/chunks.hpp"
#include "strads/base/status.hpp"

namespace strads::mf {

/// Recomputes objective and gap of every item that is solved, from residuals over users, with the weights as they are
/// written; the solver has them from Gram matrices and scaled entries. `solution` gets what was found. Pieces are cut
/// by number and sums run item after item: the same bits for any number of threads, schedulers and workers. Errors:
/// internal, without a full stop, where a weight cannot be one, or where a figure differs by more than rounding
/// explains, with both figures.
/// Cost: for each item a pass over the users of its candidates.
[[nodiscard]] Status check_weights(const SlimData& data, const SlimOptions& options, SlimSolution& solution,
                                   Chunks& chunks);

}  // namespace strads::mf
