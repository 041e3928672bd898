// SLIM as a model of the engine. Private to apps/mf.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "mf/slim/item_solver.hpp"
#include "mf/slim/slim.hpp"
#include "strads/engine/model.hpp"

namespace strads::mf {

/// replica(v): the columns of the items that are solved. Versions share them.
class SlimState final : public State {
 public:
  [[nodiscard]] std::unique_ptr<State> clone() const override { return std::make_unique<SlimState>(*this); }
  [[nodiscard]] Payload content() const override;

  std::vector<std::shared_ptr<const ItemWeights>> columns;  ///< by item; null: not solved
  double objective = 0;   ///< summed over all items; where none was solved 1/2 ||a_j||^2
  bool verified = false;  ///< slices report the columns
};

/// Items in blocks of like work: turn t of a slice has blocks t P ... t P + P - 1.
[[nodiscard]] std::vector<std::vector<VarId>> deal_items(std::span<const VarId> items,
                                                         std::span<const std::uint64_t> work, std::uint64_t turns,
                                                         std::uint32_t workers);

class SlimModel final : public Model {
 public:
  SlimModel(std::shared_ptr<const SlimData> data, const SlimOptions& options, const EngineOptions& engine);

  [[nodiscard]] ModelShape shape() const override { return {.variables = data_->items()}; }
  [[nodiscard]] std::uint64_t fingerprint() const override { return data_->fingerprint; }
  [[nodiscard]] bool acceptable(PayloadKind kind, const Payload& payload) const override;
  [[nodiscard]] std::unique_ptr<Slice> make_slice(std::vector<VarId> variables) override;
  [[nodiscard]] std::unique_ptr<Judge> make_judge() const override;
  void begin(const Payload&) override {}
  [[nodiscard]] std::unique_ptr<State> make_state() const override;
  [[nodiscard]] std::unique_ptr<State> restore_state(const Payload& content) const override;

  [[nodiscard]] Push push(const State& base, const Block& block, Chunks& chunks) const override;
  [[nodiscard]] std::uint64_t push_flops(const Block& block) const override;
  [[nodiscard]] std::shared_ptr<const Direction> combine(std::span<const Payload>, Chunks&, Cost&) const override {
    return nullptr;
  }
  [[nodiscard]] Pull pull(const State& now, std::span<const Payload> deltas, const Direction*) const override;
  void apply(State& state, const Payload& changes, double step, const Direction*, Chunks& chunks,
             Cost& cost) const override;
  void recompute(State& state, Chunks& chunks, Cost& cost) const override;
  [[nodiscard]] double objective(const State& state) const override {
    return static_cast<const SlimState&>(state).objective;
  }

  [[nodiscard]] const SlimOptions& options() const { return options_; }
  [[nodiscard]] std::uint64_t turns() const { return turns_; }
  [[nodiscard]] std::uint32_t workers() const { return workers_; }
  /// Pairs of pairs that a column of G is made of: what solving an item costs, about.
  [[nodiscard]] std::span<const std::uint64_t> work() const { return work_; }
  /// 1/2 ||a_j||^2: the objective of no weights.
  [[nodiscard]] double half_norm(std::uint32_t item) const { return half_norms_[item]; }

 private:
  /// What the objective loses.
  [[nodiscard]] double fold(SlimState& state, const Payload& changes) const;

  std::shared_ptr<const SlimData> data_;
  SlimOptions options_;
  SlimScales scales_;
  std::uint32_t schedulers_, workers_;
  std::vector<std::uint64_t> work_;
  std::vector<double> half_norms_;
  std::uint64_t turns_ = 1;  ///< of each scheduler
};

}  // namespace strads::mf
