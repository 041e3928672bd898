// The Lasso on summary statistics as a model of the engine. Private to apps/sumstats.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "strads/engine/model.hpp"
#include "sumstats/model/paused_solvers.hpp"
#include "sumstats/problem/block_record.hpp"
#include "sumstats/problem/sumstats.hpp"

namespace strads::sumstats {

/// replica(v): the records of the blocks that are solved or begun. Versions share them.
class SummaryState final : public State {
 public:
  [[nodiscard]] std::unique_ptr<State> clone() const override { return std::make_unique<SummaryState>(*this); }
  [[nodiscard]] Payload content() const override;

  std::vector<std::shared_ptr<const StoredRecord>> records;  ///< by block; null: not begun
  double objective = 0;                                      ///< summed over blocks and points
  bool verified = false;                                     ///< slices report the records
};

/// Time of a flop of coordinate descent in rows of a Gram matrix, which a nearer cache does not hold, by that of other
/// arithmetic in the caches: for the simulator, and for what is said before a run.
inline constexpr double kSweepSlower = 1.5;

/// Blocks are what is scheduled: a variable of the engine is an LD block.
class SummaryModel final : public Model {
 public:
  SummaryModel(std::shared_ptr<const SummaryProblem> problem, Grid grid, const EngineOptions& engine,
               const TurnSize& turn = {});

  [[nodiscard]] ModelShape shape() const override { return {.variables = problem_->blocks()}; }
  [[nodiscard]] std::uint64_t fingerprint() const override { return fingerprint_; }
  [[nodiscard]] bool acceptable(PayloadKind kind, const Payload& payload) const override {
    return well_formed(kind, payload, *problem_, grid_);
  }
  [[nodiscard]] std::unique_ptr<Slice> make_slice(std::vector<VarId> variables) override;
  [[nodiscard]] std::unique_ptr<Judge> make_judge() const override;
  void begin(const Payload&) override {}
  [[nodiscard]] std::unique_ptr<State> make_state() const override;
  [[nodiscard]] std::unique_ptr<State> restore_state(const Payload& content) const override;

  [[nodiscard]] Push push(const State& base, const Block& block, Chunks& chunks) const override;
  [[nodiscard]] std::uint64_t push_flops(const Block& block) const override;
  [[nodiscard]] Pull pull(const State& now, std::span<const Payload> deltas, const Direction*) const override;
  void apply(State& state, const Payload& changes, double step, const Direction*, Chunks& chunks,
             Cost& cost) const override;
  void recompute(State& state, Chunks& chunks, Cost& cost) const override;
  [[nodiscard]] std::shared_ptr<const Direction> combine(std::span<const Payload>, Chunks&, Cost&) const override {
    return nullptr;
  }
  [[nodiscard]] double objective(const State& state) const override {
    return static_cast<const SummaryState&>(state).objective;
  }

  [[nodiscard]] const SummaryProblem& problem() const { return *problem_; }
  [[nodiscard]] const Grid& grid() const { return grid_; }
  [[nodiscard]] std::uint32_t workers() const { return workers_; }
  /// p(block) before it is solved: its certified gap at b = 0, summed over the points.
  [[nodiscard]] double gap_at_zero_of(std::uint32_t block) const { return gaps_[block]; }
  /// About what solving it costs: BlockWork::weight().
  [[nodiscard]] std::uint64_t work_of(std::uint32_t block) const { return work_[block]; }
  /// What a turn of a slice takes.
  [[nodiscard]] std::uint64_t work_of_turn() const { return work_of_turn_; }

 private:
  /// The record of a block that is not done.
  [[nodiscard]] StoredRecord cut_off(const BlockSolver& solver, std::span<BlockSolution> solutions) const;
  /// What the objective loses.
  [[nodiscard]] double fold(SummaryState& state, const Payload& records, std::size_t before) const;

  std::shared_ptr<const SummaryProblem> problem_;
  Grid grid_;
  std::uint32_t workers_;
  std::vector<double> gaps_;
  std::vector<std::uint64_t> work_;
  std::uint64_t work_of_turn_ = 0;
  std::uint64_t work_of_push_ = 0;
  mutable PausedSolvers paused_;
  std::uint64_t fingerprint_ = 0;  ///< of problem and grid
};

}  // namespace strads::sumstats
