// How blocks were solved, in counts that a run adds up (Push::tally). Layer: apps/lasso.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "strads/numerics/losses.hpp"

namespace strads {
class Summary;
}

namespace strads::lasso {

/// Places in Push::tally. Blocks of one update (the published policies) have no tally: RunTotals::updates counts them.
enum BlockCount : std::size_t {
  kResidualBlocks,    ///< solved by sweeps on a residual
  kResidualSweeps,    ///< over all variables of the block or those that can change
  kResidualFlops,     ///< counted
  kSupportSteps,      ///< of all nonzeros together, those that lowered the objective
  kSupportProducts,   ///< conjugate gradient steps that these and others were made of, and those of ridge
  kGramBlocks,        ///< solved in the block's Gram matrix
  kGramSweeps,        ///< before Newton steps or without them
  kGramProductFlops,  ///< counted for the matrix: products of columns
  kGramSolveFlops,    ///< counted in the matrix, those of Newton steps included
  kNewtonBlocks,      ///< those of kGramBlocks that Newton steps ended
  kNewtonSteps,       ///< linear systems on a support
  kBlockCounts
};
/// Behind them, of losses of the predictor: the counts above are of the quadratics of their Newton steps.
enum PredictorCount : std::size_t {
  kPredictorBlocks,  ///< solved by Newton steps on the loss
  kPredictorSteps,   ///< these steps
  kPredictorCounts
};
[[nodiscard]] constexpr std::size_t place_of(LossKind loss) {
  return kBlockCounts + static_cast<std::size_t>(loss) * kPredictorCounts;
}

/// "block_solves" of summary.json: what each way of solving blocks came to, from RunTotals::tally.
[[nodiscard]] Summary block_solves(std::span<const std::uint64_t> tally);

}  // namespace strads::lasso
