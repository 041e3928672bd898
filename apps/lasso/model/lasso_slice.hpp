// A scheduler's slice of coefficients, under every policy: the parts of the certificate, candidates, and what commits
// do to it. What policies differ in, p(j), d(j,k), blocks and phases, is theirs.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "lasso/model/lasso_coordinates.hpp"
#include "lasso/model/loss.hpp"
#include "lasso/policies/slice_view.hpp"
#include "lasso/problem/lasso.hpp"
#include "lasso/problem/lasso_state.hpp"
#include "lasso/problem/payloads.hpp"
#include "lasso/solver/gram_cache.hpp"
#include "strads/engine/model.hpp"
#include "strads/policies/policy_slice.hpp"

namespace strads::lasso {

class LassoSlice final : public PolicySlice {
 public:
  LassoSlice(std::shared_ptr<LassoData> data, std::shared_ptr<BlockCaches> caches, const LassoOptions& options,
             std::vector<VarId> variables);

  [[nodiscard]] std::span<const VarId> variables() const { return variables_; }
  [[nodiscard]] Payload scan(Chunks& chunks, Cost& cost) override;
  void begin(const Payload& problem) override;
  [[nodiscard]] Payload refresh(const State& state, Chunks& chunks, Cost& cost) override;
  void enter_phase(const PhasePlan& plan) override;
  [[nodiscard]] Block make_block(std::vector<VarId> variables) const override;
  [[nodiscard]] Block joint_block(const State& state, const PhasePlan& plan) const override;

 private:
  void take_commit(const RoundOutcome& outcome, SliceChanges& changes) override;
  [[nodiscard]] std::size_t candidates_wanted(std::size_t nonzeros) const;
  void count_states(Ready& ready, Chunks& chunks) const;
  void look_for_pull(double steepest, Ready& ready, Chunks& chunks) const;
  void take_values(const LassoState& replica, Payload& status);
  [[nodiscard]] double list_candidates(std::size_t nonzeros, Payload& status) const;
  [[nodiscard]] double dual_part(const LassoState& replica, double steepest, Chunks& chunks) const;
  [[nodiscard]] double ridge_part() const;
  [[nodiscard]] bool may_be_solved(const LassoState& replica, const StatusHead& head) const;
  void list_strong(const SliceGradients::Question& question, bool solved, Payload& status, Chunks& chunks, Cost& cost);
  void set_lambda(double lambda, double next);
  void add_lambda(Block& block) const;

  std::shared_ptr<LassoData> data_;
  std::unique_ptr<const Loss> loss_;
  LassoOptions options_;
  std::vector<VarId> variables_;
  double lambda_ = 0;       ///< of the phase
  double next_lambda_ = 0;  ///< of a path: that of the next phase when this lambda is solved; 0: no path
  SliceView view_;
  LassoCoordinates coordinates_;
};

}  // namespace strads::lasso
