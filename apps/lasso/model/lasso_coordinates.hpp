// The Lasso's variables as policies see them.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "lasso/policies/slice_view.hpp"
#include "lasso/problem/lasso.hpp"
#include "lasso/solver/gram_cache.hpp"
#include "strads/numerics/columns.hpp"
#include "strads/policies/coordinate_problem.hpp"

namespace strads::lasso {

/// The coupling of two variables is x_j'x_k: with scaled columns their correlation.
class LassoCoordinates final : public CoordinateProblem {
 public:
  /// `view` and `options` outlive the object. `caches`: of the node, whose workers need the same products.
  LassoCoordinates(const SliceView& view, const LassoOptions& options, std::shared_ptr<BlockCaches> caches);

  /// `strong`: the first phase of a lambda, whose candidates are those of the strong rule and count by steepness.
  void enter_phase(bool strong) { strong_ = strong; }

  [[nodiscard]] const SlicePositions& positions() const override { return view_.positions; }
  [[nodiscard]] bool takes_part(std::size_t i) const override { return view_.kept(i); }
  [[nodiscard]] CoordinateStep step(std::size_t i) const override;
  [[nodiscard]] double importance(std::size_t i) const override { return view_.decrease(i); }
  [[nodiscard]] std::vector<std::uint32_t> working_set(double threshold) const override;
  [[nodiscard]] double coupling(std::size_t i, std::size_t k) const override;
  void prepare_couplings(std::span<const std::uint32_t> drawn, Chunks& chunks) override;
  [[nodiscard]] CouplingsTaken couplings(std::span<const std::uint32_t> members, std::size_t fresh,
                                         std::vector<double>& out, Chunks& chunks) override;
  [[nodiscard]] std::uint64_t work(std::size_t i) const override { return view_.columns.work(view_.variables[i]); }

 private:
  [[nodiscard]] std::vector<std::uint32_t> exact_ones() const;

  const SliceView& view_;
  const LassoOptions& options_;
  std::shared_ptr<BlockCaches> caches_;
  bool strong_ = false;
  StandardizedColumns::Pairs pairs_;   ///< of what this round drew
  std::vector<std::uint32_t> paired_;  ///< the positions in pairs_
  std::vector<std::uint32_t> place_;   ///< in paired_, by position; SlicePositions::kNone: not drawn
};

}  // namespace strads::lasso
