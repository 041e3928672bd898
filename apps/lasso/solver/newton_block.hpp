// A block of a loss of the predictor, solved by Newton steps: each minimises the quadratic at the predictor, with
// weights of its own, as the Lasso solves its blocks, and goes as far that way as the true objective falls. Layer:
// apps/lasso. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "lasso/problem/lasso_state.hpp"
#include "lasso/problem/penalty.hpp"
#include "lasso/problem/predictor_data.hpp"
#include "lasso/solver/local_block.hpp"
#include "strads/numerics/columns.hpp"

namespace strads::lasso {

class NewtonBlock {
 public:
  struct Counts {
    std::uint32_t steps = 0;        ///< Newton steps
    std::uint32_t sweeps = 0;       ///< of coordinate descent on their quadratics
    std::uint32_t grams = 0;        ///< quadratics solved in their Gram matrix
    std::uint32_t inner_steps = 0;  ///< semismooth Newton steps of these
    std::uint32_t products = 0;     ///< of ridge: steps of conjugate gradients
    std::uint64_t gram_flops = 0;   ///< products for these matrices
    std::uint64_t solve_flops = 0;  ///< spent on these quadratics
  };

  NewtonBlock(const StandardizedColumns& columns, const PredictorData& data, const Penalty& penalty,
              const LassoState& base, Local local, Chunks& chunks, Cost& cost);

  /// Until the duality gap of the problem of this block alone is no larger than gap_max: the block holds every nonzero.
  /// Returns the decrease.
  double solve(double gap_max, std::uint32_t sweeps_max);
  /// Until a step brings no more than `least`, or `steps_max` of them. Returns the decrease.
  double descend(double least, std::uint32_t steps_max, std::uint32_t sweeps_max);

  [[nodiscard]] const Local& local() const { return local_; }
  [[nodiscard]] const Counts& counts() const { return counts_; }

 private:
  struct Quadratic;
  void take_gradient();
  [[nodiscard]] double gap() const;
  [[nodiscard]] std::vector<std::size_t> active() const;
  [[nodiscard]] double step(std::span<const std::size_t> places, double inner_gap, bool whole,
                            std::uint32_t sweeps_max);
  void solve_in_gram(Quadratic& quadratic, double inner_gap, std::uint32_t sweeps_max);
  void solve_by_gradients(Quadratic& quadratic, double inner_gap);
  void add_response(Quadratic& quadratic, std::vector<double>& gram) const;
  void sweep(Quadratic& quadratic, double inner_gap, std::uint32_t sweeps_max);
  void sweep_unpenalised();
  [[nodiscard]] double go(const Quadratic& quadratic);
  [[nodiscard]] bool gram_pays(std::span<const std::size_t> places) const;

  const StandardizedColumns& columns_;
  const PredictorData& data_;
  Penalty penalty_;
  Local local_;
  LassoState::Linear linear_;
  double loss_;
  std::vector<double> curvature_;  ///< of the quadratic: that of the loss, but not too small
  Chunks& chunks_;
  Cost& cost_;
  std::unique_ptr<StandardizedColumns::Reweighted> reweighted_;  ///< once there are sweeps
  Counts counts_;
};

}  // namespace strads::lasso
