// The squared loss: 1/2 ||y - X beta||^2. What has no penalty was projected out of everything.
#pragma once

#include "lasso/model/loss.hpp"

namespace strads::lasso {

class SquaredLoss final : public Loss {
 public:
  explicit SquaredLoss(const LassoData& data) : data_(data) {}

  [[nodiscard]] std::unique_ptr<LassoState> null_state() const override;
  [[nodiscard]] std::unique_ptr<LassoState> restored(std::span<const double> values) const override;
  void recompute(LassoState& state, std::span<const double> fitted, Chunks& chunks) const override;
  [[nodiscard]] LossStep search(const LassoState& now, const LassoDirection& direction, const Moves& moves,
                                const Penalty& penalty, bool guard) const override;
  std::uint64_t move(LassoState& state, const LassoDirection& direction, double step, Chunks& chunks) const override;
  [[nodiscard]] double divergence(const LassoState& state, double s, Chunks& chunks) const override;
  [[nodiscard]] Push push(const Penalty& penalty, const LassoState& base, const Block& block, BlockCaches& caches,
                          Chunks& chunks) const override;

 private:
  const LassoData& data_;
};

}  // namespace strads::lasso
