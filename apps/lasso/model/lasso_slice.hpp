// A scheduler's view of its slice of coefficients: p(j), d(j,k) and candidates of every policy.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "lasso/model/lasso.hpp"
#include "lasso/model/lasso_state.hpp"
#include "lasso/model/penalty.hpp"
#include "lasso/policies/slice_gradients.hpp"
#include "lasso/solver/gram_cache.hpp"
#include "strads/engine/model.hpp"

namespace strads::lasso {

class LassoSlice final : public Slice {
 public:
  LassoSlice(std::shared_ptr<LassoData> data, std::shared_ptr<BlockCaches> caches, const LassoOptions& options,
             std::vector<VarId> variables);

  [[nodiscard]] std::span<const VarId> variables() const override { return variables_; }
  [[nodiscard]] Payload scan(Chunks& chunks, Cost& cost) override;
  void begin(const Payload& problem) override;
  [[nodiscard]] Payload refresh(const State& state, Chunks& chunks, Cost& cost) override;
  void enter_phase(const PhasePlan& plan) override;
  [[nodiscard]] double define_sampling(VarId j) const override;
  [[nodiscard]] double define_dependency(VarId j, VarId k) const override;
  [[nodiscard]] double workload(VarId j) const override;
  [[nodiscard]] ScheduleRules rules() const override;
  [[nodiscard]] Block make_block(std::vector<VarId> variables) const override;
  void prepare_round(Chunks& chunks) override;
  void prepare_pairs(std::span<const VarId> lefts, std::span<const VarId> rights, Chunks& chunks) override;
  [[nodiscard]] std::optional<std::vector<Block>> schedule(Round round, const PhasePlan& plan,
                                                           CounterRng& random) override;
  [[nodiscard]] Block joint_block(const State& state, const PhasePlan& plan) const override;
  [[nodiscard]] Cost take_planning_cost() override;
  void committed(const RoundOutcome& outcome, std::vector<VarId>& touched) override;
  [[nodiscard]] bool ends_phase(const RoundOutcome& outcome) override;

 private:
  [[nodiscard]] std::size_t local(VarId j) const;
  [[nodiscard]] bool kept(VarId j) const { return data_->columns->state(j) == ColumnState::kept; }
  void count_states(Payload& summary, Chunks& chunks) const;
  void take_values(const LassoState& replica, Payload& status);
  [[nodiscard]] std::size_t candidates_asked(std::size_t nonzeros) const;
  void list_candidates(std::vector<std::pair<double, VarId>>& candidates, std::size_t nonzeros, Payload& status) const;
  [[nodiscard]] bool may_be_solved(const LassoState& replica, double steepest) const;
  void list_strong(const SliceGradients::Question& question, bool solved, Payload& status, Chunks& chunks, Cost& cost);
  void set_lambda(double lambda, double next);
  void select_working_set(const PhasePlan& plan);
  [[nodiscard]] bool enters(std::size_t i) const;
  [[nodiscard]] double importance(std::size_t i) const;
  [[nodiscard]] double coupling(std::size_t i, std::size_t k) const;
  [[nodiscard]] double counted_pair(VarId j, VarId k) const;

  std::shared_ptr<LassoData> data_;
  std::shared_ptr<BlockCaches> caches_;  ///< of the node: its workers need the same products
  LassoOptions options_;
  std::vector<VarId> variables_;
  std::vector<VarId> local_of_;  ///< position in variables_ by variable; empty: the slice is everything, or small
  Penalty penalty_;
  double lambda_ = 0;                      ///< of the phase
  double next_lambda_ = 0;                 ///< of a path: that of the next phase when this lambda is solved; 0: no path
  std::vector<double> beta_;               ///< by position
  std::vector<std::uint32_t> support_;     ///< positions where beta_ may not be 0
  std::vector<std::uint32_t> candidates_;  ///< of the last refresh, positions with exact gradients, ascending
  std::vector<std::uint32_t> strong_;      ///< the same for the next lambda of a path
  SliceGradients gradient_;                ///< at the last refresh
  /// Committed delta of the last round that drew the variable. `auto`: empty until there are parallel rounds.
  std::vector<double> last_delta_;
  std::vector<std::uint8_t> visited_;  ///< published policies only
  // Ordinary rounds of `auto`: the working set of this slice and what its planner remembers about it.
  std::vector<std::uint32_t> working_;    ///< positions, ascending
  std::vector<std::uint8_t> in_working_;  ///< by position
  std::vector<std::uint32_t> place_;      ///< place in working_ by position; kNowhere: outside
  std::vector<std::uint8_t> seen_;        ///< by position: has been in a working set of parallel rounds
  std::vector<double> couplings_;         ///< x_j'x_k by places; empty until the phase's first plan
  std::uint32_t blocks_max_ = 1;
  // What the published policies' plan of this round asks about.
  StandardizedColumns::Pairs pairs_;
  std::vector<VarId> paired_;                          ///< the columns in pairs_
  std::vector<std::uint32_t> pair_place_;              ///< by position; kNowhere: not in this round
  mutable std::atomic<std::uint64_t> pair_flops_ = 0;  ///< of single pairs
  Cost planning_;                                      ///< the rest
  double inner_gap_ = 0;
  double best_realised_ = 0;  ///< of this slice's rounds in the phase
};

}  // namespace strads::lasso
