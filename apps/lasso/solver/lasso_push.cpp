#include "lasso/solver/lasso_push.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "lasso/problem/payloads.hpp"
#include "lasso/solver/block_tally.hpp"
#include "lasso/solver/gram_block.hpp"
#include "lasso/solver/local_block.hpp"
#include "lasso/solver/nested_block.hpp"
#include "lasso/solver/pair_products.hpp"
#include "lasso/solver/residual_solver.hpp"
#include "lasso/solver/ridge_solver.hpp"
#include "strads/base/status.hpp"
#include "strads/numerics/l1_quadratic.hpp"

namespace strads::lasso {

/// Without the gradient.
Local local_of(const Block& block) {
  const std::size_t size = block.content.ids.size();
  STRADS_CHECK(block.content.values.size() >= size, "a block has a start value for each of its variables");
  const auto start = std::span(block.content.values).first(size);  // what follows is no start value
  return {block.content.ids, {start.begin(), start.end()}, std::vector<double>(size)};
}

namespace {

void look_at(const StandardizedColumns& columns, const LassoState& base, Local& local, Chunks& chunks, Cost& cost) {
  const std::size_t size = local.variables.size();
  if (size == 1) {
    // A worker of the published policies does little else: 1'r is known, and need not be summed for one product.
    local.gradient[0] = columns.dot(local.variables[0], base.residual, base.total);
  } else {
    columns.dots(local.variables, base.residual, local.gradient, chunks);
  }
  for (const VarId j : local.variables) count_pass(cost, columns.work(j));
  if (size == 1) cost.scattered += cost.streamed;  // nothing has brought the column near; many are fetched ahead
}

}  // namespace

void put_deltas(const Local& local, const Block& block, Push& push) {
  for (std::size_t k = 0; k < local.variables.size(); ++k) {
    const double delta = local.value[k] - block.content.values[k];
    if (delta == 0.0) continue;
    push.deltas.ids.push_back(local.variables[k]);
    push.deltas.values.push_back(delta);
  }
}

Push update_single(const StandardizedColumns& columns, const Penalty& penalty, const LassoState& base,
                   const Block& block, double curvature, Chunks& chunks) {
  Push push;
  Local local = local_of(block);
  look_at(columns, base, local, chunks, push.cost);
  std::size_t best = local.variables.size();
  Step best_step;
  for (std::size_t k = 0; k < local.variables.size(); ++k) {
    const double squared_norm = curvature * columns.squared_norm(local.variables[k]);
    if (squared_norm == 0.0) continue;
    const Step step = penalty.of(local.variables[k]).step(local.value[k], local.gradient[k], squared_norm);
    if (best == local.variables.size() || step.decrease > best_step.decrease) {
      best = k;
      best_step = step;
    }
  }
  push.cost.updates = best == local.variables.size() ? 0 : 1;
  if (best_step.delta != 0.0) {
    push.deltas.ids.push_back(local.variables[best]);
    push.deltas.values.push_back(best_step.delta);
    push.predicted = best_step.decrease;
  }
  return push;
}

namespace {

std::vector<std::uint64_t> tally_of(const ResidualSolver& solver, std::uint64_t flops) {
  std::vector<std::uint64_t> tally(kBlockCounts, 0);
  tally[kResidualBlocks] = 1;
  tally[kResidualSweeps] = solver.counts().sweeps;
  tally[kResidualFlops] = flops;
  tally[kSupportSteps] = solver.counts().support_steps;
  tally[kSupportProducts] = solver.counts().support_products;
  return tally;
}

Push solve_on_residual(const StandardizedColumns& columns, const Penalty& penalty, const LassoState& base,
                       const Block& block, Local local, Push push, BlockCaches& caches, Chunks& chunks) {
  const bool joint = block.kind == kSolveJoint;
  const auto heavy = joint ? caches.heavy.of_block(columns, local.variables, chunks) : nullptr;
  ResidualSolver solver(columns, penalty, base, std::move(local), heavy.get(), push.cost);
  const std::uint64_t flops_before = push.cost.flops;
  if (joint) {
    push.predicted = solver.solve(block.tolerance, block.sweeps, chunks);
  } else {
    push.predicted = solver.descend(block.tolerance, block.sweeps);
  }
  push.tally = tally_of(solver, push.cost.flops - flops_before);
  put_deltas(solver.local(), block, push);
  return push;
}

/// How many variables of a joint block are new since the joint round before; all, when the block does not say.
std::uint64_t fresh_of(const Block& block) {
  const auto joint = joint_of(block.content);
  return joint ? joint->fresh : block.content.ids.size();
}

}  // namespace

Penalty raised(Penalty penalty, const Block& block) {
  const auto joint = joint_of(block.content);
  if (joint && joint->raise > 1) penalty.l1 *= joint->raise;
  return penalty;
}

namespace {

/// Solves the block in its Gram matrix ("covariance updates"): one pair product per pair, then |block| flops an update.
Push solve_on_gram(const StandardizedColumns& columns, const Penalty& penalty, const LassoState& base,
                   const Block& block, Local local, Push push, BlockCaches& caches, Chunks& chunks) {
  const std::size_t k = local.variables.size();
  std::vector<double> gram_matrix;
  const bool joint = block.kind == kSolveJoint;
  const std::uint64_t flops_before = push.cost.flops;
  if (joint) {
    push.cost.tiled += caches.joint.gram(columns, local.variables, gram_matrix, chunks);
    push.cost.flops += pair_flops(columns, local.variables, fresh_of(block));
  } else {
    push.cost.tiled += caches.ordinary.gram(columns, local.variables, gram_matrix, chunks);
    for (const VarId j : local.variables) push.cost.flops += columns.work(j) * k / 2;  // as if nothing were remembered
  }
  // A joint block holds every nonzero: sum E_j b_j^2 is that of the replica.
  const double residual_squared = joint ? base.residual_squared + penalty.l2 * base.squares : -1.0;
  const L1QuadraticResult result =
      solve_in_gram({penalty, residual_squared, block.tolerance, block.sweeps}, local, gram_matrix, chunks);
  push.tally.assign(kBlockCounts, 0);
  push.tally[kGramBlocks] = 1;
  push.tally[kGramSweeps] = result.sweeps;
  push.tally[kGramProductFlops] = push.cost.flops - flops_before;
  push.tally[kGramSolveFlops] = result.flops;
  push.tally[kNewtonBlocks] = result.newton_steps > 0 ? 1 : 0;
  push.tally[kNewtonSteps] = result.newton_steps;
  push.cost.flops += result.flops;
  push.cost.local += result.flops;
  push.cost.fresh += 2 * k * k * sizeof(double);  // the matrix, and what it is copied from or to
  push.cost.updates += result.updates;
  push.predicted = result.decrease;
  if (joint) caches.joint.keep(local.variables, std::move(gram_matrix));
  put_deltas(local, block, push);
  return push;
}

/// Solves what is left of a joint block on those of its variables that move.
Push solve_nested(const StandardizedColumns& columns, const Penalty& penalty, const std::vector<double>& residual,
                  const Block& block, Local local, Push push, BlockCaches& caches, Chunks& chunks) {
  const std::uint64_t flops_before = push.cost.flops;
  NestedBlock solver(columns, penalty, residual, std::move(local), caches.joint, chunks, push.cost);
  push.predicted += solver.solve(block.tolerance, block.sweeps);
  const NestedBlock::Counts& counts = solver.counts();
  push.tally[kGramBlocks] = 1;
  push.tally[kGramSweeps] = counts.sweeps;
  push.tally[kGramProductFlops] = push.cost.flops - flops_before - counts.solve_flops;
  push.tally[kGramSolveFlops] = counts.solve_flops;
  push.tally[kNewtonBlocks] = counts.newton_steps > 0 ? 1 : 0;
  push.tally[kNewtonSteps] = counts.newton_steps;
  put_deltas(solver.local(), block, push);
  return push;
}

/// Counted: is the Gram matrix, of which `fresh` rows are new, cheaper than the passes that it saves? A sweep on the
/// residual reads every column twice.
bool gram_pays(const StandardizedColumns& columns, std::span<const VarId> variables, std::uint64_t fresh) {
  // Of coordinate descent, to a small part of the gap; in passes where steps of all nonzeros together cost so much
  // less.
  const double sweeps_expected = is_sparse(columns) ? 30 : 200;
  constexpr std::size_t kVariablesMax = 6000;  // 288 MB of Gram matrix
  if (variables.size() > kVariablesMax) return false;
  if (columns.covariates() > 0) return true;  // on the residual an update of a sparse column would change every row
  double work = 0;
  for (const VarId j : variables) work += static_cast<double>(columns.work(j));
  const auto k = static_cast<double>(variables.size());
  const double support = std::min(k, static_cast<double>(columns.rows())) / 2;  // a sweep moves no others
  const auto products = static_cast<double>(pair_flops(columns, variables, fresh));
  return pair_products(columns).price * products + sweeps_expected * 2 * k * support < sweeps_expected * 2 * work;
}

std::size_t nonzeros_of(const Local& local) {
  return local.value.size() - static_cast<std::size_t>(std::count(local.value.begin(), local.value.end(), 0.0));
}

/// Products of all pairs of a joint block would cost much, of columns for which there are any.
bool has_many_products(const StandardizedColumns& columns, const Block& block) {
  if (block.kind != kSolveJoint || is_sparse(columns)) return false;
  const std::span<const VarId> variables = block.content.ids;
  const auto flops = static_cast<double>(pair_flops(columns, variables, variables.size()));
  return pair_products(columns).price * flops >= kNestedFrom;
}

/// What a joint block would cost on those of its variables that move, in flops of a streamed column: products of new
/// pairs, and about three factors of the matrix of its nonzeros.
double flops_of_nested(const StandardizedColumns& columns, const Block& block, const Local& local) {
  constexpr double kFactors = 3;
  const auto products = static_cast<double>(pair_flops(columns, local.variables, fresh_of(block)));
  const auto size = static_cast<double>(nonzeros_of(local));
  const double price = pair_products(columns).price;
  return price * (products + kFactors * size * size * size);
}

/// A joint block of many products: sweeps and steps on the residual first, which need none. Where these would take too
/// long, since columns are alike, the rest of the work is done on the variables that move. The tally then counts it
/// among both kinds of blocks.
Push solve_many_products(const StandardizedColumns& columns, const Penalty& penalty, const LassoState& base,
                         const Block& block, Local local, Push push, BlockCaches& caches, Chunks& chunks) {
  constexpr double kTrial = 0.5;  // of what the other way costs
  const double flops_max = kTrial * flops_of_nested(columns, block, local);
  ResidualSolver solver(columns, penalty, base, std::move(local), nullptr, push.cost);
  push.predicted = solver.solve(block.tolerance, block.sweeps, chunks, flops_max);
  const bool is_left = !solver.is_done(), can_nest = NestedBlock::can_hold(nonzeros_of(solver.local()));
  if (is_left && !can_nest) push.predicted += solver.solve(block.tolerance, block.sweeps, chunks);
  push.tally = tally_of(solver, push.cost.flops);
  if (is_left && can_nest) {
    return solve_nested(columns, penalty, solver.residual(), block, solver.local(), std::move(push), caches, chunks);
  }
  put_deltas(solver.local(), block, push);
  return push;
}

}  // namespace

Push push_block(const StandardizedColumns& columns, const Penalty& given, const LassoState& base, const Block& block,
                BlockCaches& caches, Chunks& chunks) {
  if (block.kind == kUpdateBest) return update_single(columns, given, base, block, 1.0, chunks);
  const Penalty penalty = raised(given, block);
  Push push;
  Local local = local_of(block);
  if (penalty.is_ridge() && block.kind == kSolveJoint) {
    look_at(columns, base, local, chunks, push.cost);
    return solve_ridge(columns, penalty, block, std::move(local), std::move(push), chunks);
  }
  if (has_many_products(columns, block)) {
    return solve_many_products(columns, penalty, base, block, std::move(local), std::move(push), caches, chunks);
  }
  if (!gram_pays(columns, local.variables, fresh_of(block)))
    return solve_on_residual(columns, penalty, base, block, std::move(local), std::move(push), caches, chunks);
  look_at(columns, base, local, chunks, push.cost);
  return solve_on_gram(columns, penalty, base, block, std::move(local), std::move(push), caches, chunks);
}

}  // namespace strads::lasso
