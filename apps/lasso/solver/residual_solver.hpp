// Blocks solved on a private residual. Layer: apps/lasso. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <vector>

#include "lasso/problem/lasso_state.hpp"
#include "lasso/problem/penalty.hpp"
#include "lasso/solver/local_block.hpp"
#include "lasso/solver/support_step.hpp"
#include "strads/base/chunks.hpp"
#include "strads/numerics/columns.hpp"

namespace strads::lasso {

/// Solves a block without its Gram matrix: pays where columns are sparse, where they are too many for one, or where
/// samples are so many that their products cost more than the sweeps. Cost of a sweep: two column passes a changed
/// variable.
class ResidualSolver {
 public:
  struct Counts {
    std::uint32_t sweeps = 0;
    std::uint32_t support_steps = 0;     ///< of all nonzeros together, those that lowered the objective
    std::uint64_t support_products = 0;  ///< conjugate gradient steps that they were made of
  };

  /// `heavy`: may be null; must outlive this. Only solve() uses it.
  ResidualSolver(const StandardizedColumns& columns, const Penalty& penalty, const LassoState& base, Local local,
                 const StandardizedColumns::Heavy* heavy, Cost& cost);

  /// Sweeps until one of them brings no more than `least`, or `sweeps_max` of them. Returns the decrease.
  double descend(double least, std::uint32_t sweeps_max);
  /// Sweeps and steps of all nonzeros together (support_step.hpp) in turn until the block's duality gap is no larger
  /// than `gap_max`, or `sweeps_max` sweeps, or until it has cost `flops_max` or is going to. Returns the decrease.
  double solve(double gap_max, std::uint32_t sweeps_max, Chunks& chunks,
               double flops_max = std::numeric_limits<double>::infinity());

  /// The last solve() came to the gap, or took all its sweeps. Else local() has the gradients at residual().
  [[nodiscard]] bool is_done() const { return is_done_; }
  [[nodiscard]] const std::vector<double>& residual() const { return residual_; }
  [[nodiscard]] const Local& local() const { return local_; }
  [[nodiscard]] const Counts& counts() const { return counts_; }

 private:
  [[nodiscard]] double sweep(std::span<const std::size_t> places);
  [[nodiscard]] double sweeps(std::span<const std::size_t> places, std::uint32_t count, Chunks& chunks);
  [[nodiscard]] bool is_heavy(std::size_t place) const;
  [[nodiscard]] double sweep_heavy(std::span<const std::size_t> places, Chunks& chunks);
  void take_gradient(Chunks& chunks);
  [[nodiscard]] std::vector<std::size_t> all() const;
  [[nodiscard]] std::vector<std::size_t> active() const;
  [[nodiscard]] double gap(Chunks& chunks);
  [[nodiscard]] double flops_of_step() const;
  [[nodiscard]] SupportStep step_together(double gap_max, Chunks& chunks);

  const StandardizedColumns& columns_;
  Penalty penalty_;
  Local local_;
  std::vector<double> squared_norm_;  ///< by place
  std::vector<VarId> swept_;
  std::vector<double> residual_;  ///< projected, but for a sweep
  bool is_done_ = false;
  double total_;  ///< 1'r: columns sum to 0 with centring (missing calls sit at the mean); without it, it is not used
  const StandardizedColumns::Heavy* heavy_;  ///< may be null
  std::vector<std::uint32_t> heavy_places_;  ///< by place, where there are heavy columns
  std::vector<double> heavy_gradient_;       ///< of all heavy columns, after sweeps()
  Cost& cost_;
  std::unique_ptr<StandardizedColumns::ByRows> by_rows_;  ///< of all variables, once they are wanted
  Counts counts_;
};

}  // namespace strads::lasso
