#include "lasso/solver/block_tally.hpp"

#include <string>

#include "lasso/family/family.hpp"
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
  for (const Family family : Family::all()) {
    const std::size_t place = family->is_squares() ? tally.size() : place_of(*family->loss);
    if (place >= tally.size() || tally[place + kPredictorBlocks] == 0) continue;
    Summary own;
    own.add("blocks", tally[place + kPredictorBlocks]);
    own.add("newton_steps", tally[place + kPredictorSteps]);
    solves.add("on_" + std::string(family->loss_name) + "_loss", own);
  }
  return solves;
}

}  // namespace strads::lasso
