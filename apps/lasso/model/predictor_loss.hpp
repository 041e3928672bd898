// A loss of the linear predictor, beside which what has no penalty is fitted.
#pragma once

#include "lasso/model/loss.hpp"
#include "lasso/problem/predictor_data.hpp"
#include "lasso/problem/settle.hpp"

namespace strads::lasso {

class PredictorLoss final : public Loss {
 public:
  explicit PredictorLoss(const LassoData& data) : data_(data), own_(*data.predictor) {}

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
  void show(LassoState& state, double loss) const;
  [[nodiscard]] Settled advance(LassoState::Linear& linear, std::span<const double> v, std::span<const double> way,
                                double step, double& before, Chunks& chunks) const;
  [[nodiscard]] std::vector<double> unweighted(std::span<const double> v) const;

  const LassoData& data_;
  const PredictorData& own_;
};

}  // namespace strads::lasso
