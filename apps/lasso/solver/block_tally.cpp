#include "lasso/solver/block_tally.hpp"

#include "lasso/lasso_node.hpp"
#include "strads/program/summary.hpp"

namespace strads::lasso {

Summary block_solves(std::span<const std::uint64_t> tally) {
  const auto count = [tally](BlockCount which) { return which < tally.size() ? tally[which] : 0; };
  Summary residual;
  residual.add("blocks", count(kResidualBlocks));
  residual.add("sweeps", count(kResidualSweeps));
  residual.add("flops", count(kResidualFlops));
  residual.add("support_steps", count(kSupportSteps));
  residual.add("support_products", count(kSupportProducts));
  Summary gram;
  gram.add("blocks", count(kGramBlocks));
  gram.add("sweeps", count(kGramSweeps));
  gram.add("flops_products", count(kGramProductFlops));
  gram.add("flops_solves", count(kGramSolveFlops));
  gram.add("blocks_with_newton", count(kNewtonBlocks));
  gram.add("newton_steps", count(kNewtonSteps));
  Summary solves;
  solves.add("on_residual", residual);
  solves.add("in_gram_matrix", gram);
  if (tally.size() > kLogisticBlocks) {
    Summary logistic;
    logistic.add("blocks", count(kLogisticBlocks));
    logistic.add("newton_steps", count(kLogisticSteps));
    solves.add("on_logistic_loss", logistic);
  }
  return solves;
}

}  // namespace strads::lasso
