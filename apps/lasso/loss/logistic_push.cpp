#include "lasso/loss/logistic_push.hpp"

#include <utility>

#include "lasso/loss/loss.hpp"
#include "lasso/model/lasso_push.hpp"
#include "lasso/model/payloads.hpp"
#include "lasso/solver/block_tally.hpp"
#include "lasso/solver/newton_block.hpp"

namespace strads::lasso {

Push push_logistic(const StandardizedColumns& columns, const LogisticData& data, const Penalty& given,
                   const LassoState& base, const Block& block, Chunks& chunks) {
  if (block.kind == kUpdateBest) {
    return update_single(columns, given, base, block, curvature_bound(Family::binomial), chunks);
  }
  constexpr std::uint32_t kStepsOrdinary = 3;
  const bool joint = block.kind == kSolveJoint;
  Push push;
  NewtonBlock solver(columns, data, raised(given, block), base, local_of(block), chunks, push.cost);
  push.predicted = joint ? solver.solve(block.tolerance, block.sweeps)
                         : solver.descend(block.tolerance, kStepsOrdinary, block.sweeps);
  const NewtonBlock::Counts& counts = solver.counts();
  push.tally.assign(kLogisticCounts, 0);
  push.tally[kLogisticBlocks] = 1;
  push.tally[kLogisticSteps] = counts.steps;
  push.tally[counts.grams > 0 ? kGramSweeps : kResidualSweeps] = counts.sweeps;
  push.tally[kGramProductFlops] = counts.gram_flops;
  push.tally[kGramSolveFlops] = counts.solve_flops;
  push.tally[kNewtonSteps] = counts.inner_steps;
  push.tally[kSupportProducts] = counts.products;
  put_deltas(solver.local(), block, push);
  return push;
}

}  // namespace strads::lasso
