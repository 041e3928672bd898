// The Lasso's half of push, pull and apply, and the factories of its slices and its judge.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "lasso/model/loss.hpp"
#include "lasso/problem/lasso.hpp"
#include "lasso/problem/lasso_state.hpp"
#include "lasso/solver/gram_cache.hpp"
#include "strads/engine/model.hpp"

namespace strads::lasso {

class LassoModel final : public Model {
 public:
  LassoModel(std::shared_ptr<LassoData> data, const LassoOptions& options, PathRecorded recorded = {});

  [[nodiscard]] ModelShape shape() const override;
  [[nodiscard]] std::uint64_t fingerprint() const override;
  [[nodiscard]] bool acceptable(PayloadKind kind, const Payload& payload) const override;
  [[nodiscard]] std::unique_ptr<Slice> make_slice(std::vector<VarId> slice) override;
  [[nodiscard]] std::unique_ptr<Judge> make_judge() const override;
  void begin(const Payload& problem) override;
  void enter_phase(const PhasePlan& plan) override;
  [[nodiscard]] std::unique_ptr<State> make_state() const override;
  [[nodiscard]] std::unique_ptr<State> restore_state(const Payload& content) const override;
  [[nodiscard]] Push push(const State& base, const Block& block, Chunks& chunks) const override;
  [[nodiscard]] std::shared_ptr<const Direction> combine(std::span<const Payload> deltas, Chunks& chunks,
                                                         Cost& cost) const override;
  [[nodiscard]] Pull pull(const State& now, std::span<const Payload> deltas, const Direction* direction) const override;
  void apply(State& state, const Payload& changes, double step, const Direction* direction, Chunks& chunks,
             Cost& cost) const override;
  void recompute(State& state, Chunks& chunks, Cost& cost) const override;
  [[nodiscard]] double objective(const State& state) const override;

 private:
  [[nodiscard]] Penalty penalty_at(double lambda) const;
  void release_other_slices() const;
  void begin_with(const WarmStart& start);
  [[nodiscard]] std::shared_ptr<LassoDirection> direction_of(std::span<const VarId> variables,
                                                             std::span<const double> deltas, Chunks& chunks,
                                                             Cost& cost) const;

  std::shared_ptr<LassoData> data_;
  LassoOptions options_;
  std::unique_ptr<const Loss> loss_;
  PathRecorded recorded_;
  Penalty penalty_;  ///< of a path: that of the phase. Blocks say theirs
  bool on_path_ = false;
  std::unique_ptr<const LassoState> start_;  ///< replica(-1) of a warm start; null: zeros
  std::vector<bool> owned_;                  ///< by variable: in a slice of this node; not kept up when all are
  std::size_t owned_count_ = 0;
  /// Remembers, never decides: see there. Shared with this node's slices.
  std::shared_ptr<BlockCaches> caches_ = std::make_shared<BlockCaches>();
};

/// `recorded`: told of the solutions of a path; empty on nodes that hold no coordinator.
[[nodiscard]] std::shared_ptr<Model> make_lasso_model(std::shared_ptr<LassoData> data, const LassoOptions& options,
                                                      PathRecorded recorded = {});

}  // namespace strads::lasso
