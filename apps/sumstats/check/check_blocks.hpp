// What a run says of its solutions, against the columns. Private to apps/sumstats.
#pragma once

#include "strads/base/chunks.hpp"
#include "strads/base/status.hpp"
#include "sumstats/problem/sumstats.hpp"

namespace strads::sumstats {

/// Recomputes objective and gap of every solved block at every point of the grid from plain columns, which share no
/// code with those that the solver reads, and fills in solution.points. Pieces are blocks, and sums run block after
/// block: the same bits for any number of threads, schedulers and workers. Errors: internal, without a full stop, where
/// a coefficient cannot be one, or where a figure differs by more than rounding explains, with both figures.
/// Cost: for each nonempty solution two passes over the block's columns; eight solutions share the second one.
[[nodiscard]] Status check_blocks(const SummaryProblem& problem, const Grid& grid, SummarySolution& solution,
                                  Chunks& chunks);

}  // namespace strads::sumstats
