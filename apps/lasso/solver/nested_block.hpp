// A joint block whose products of pairs would cost more than everything else: it is solved on those of its variables
// that move, a few more at a time, as a working set within the working set. Layer: apps/lasso. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "lasso/problem/penalty.hpp"
#include "lasso/solver/gram_cache.hpp"
#include "lasso/solver/local_block.hpp"
#include "strads/numerics/columns.hpp"

namespace strads::lasso {

class NestedBlock {
 public:
  struct Counts {
    std::uint32_t steps = 0;         ///< inner sets that were solved
    std::uint32_t sweeps = 0;        ///< of coordinate descent in their Gram matrices
    std::uint32_t newton_steps = 0;  ///< linear systems on a support
    std::uint64_t solve_flops = 0;   ///< in these matrices
  };

  /// Whether an inner set with this many nonzeros has room for more.
  [[nodiscard]] static bool can_hold(std::size_t nonzeros) noexcept;

  /// `local`: every nonzero of the model is among its variables, and its gradients are those at `residual`.
  NestedBlock(const StandardizedColumns& columns, const Penalty& penalty, std::vector<double> residual, Local local,
              GramCache& cache, Chunks& chunks, Cost& cost);

  /// Until the duality gap of the problem of this block alone is at most gap_max, or rounding allows no further
  /// progress. Returns the decrease of the objective.
  /// Cost: products of the pairs of the inner set that hold a variable which was zero, and for each step a pass over
  /// the block's columns.
  double solve(double gap_max, std::uint32_t sweeps_max);

  [[nodiscard]] const Local& local() const { return local_; }
  [[nodiscard]] const Counts& counts() const { return counts_; }

 private:
  [[nodiscard]] double gap() const;
  [[nodiscard]] double excess_of(std::size_t place) const;
  [[nodiscard]] bool can_grow() const;
  [[nodiscard]] std::size_t grow();
  double step(std::size_t fresh, double gap_max, std::uint32_t sweeps_max);
  void follow(const Local& inner);

  const StandardizedColumns& columns_;
  const Penalty& penalty_;
  std::vector<double> residual_;
  Local local_;
  GramCache& cache_;
  Chunks& chunks_;
  Cost& cost_;
  std::vector<std::size_t> places_;      ///< the inner set, ascending
  std::vector<std::uint8_t> is_inside_;  ///< by place
  Counts counts_;
};

}  // namespace strads::lasso
