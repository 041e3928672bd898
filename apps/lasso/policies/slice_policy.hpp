// The scheduler's half of a policy: who chooses the variables of a round, and how. One class for each policy, in a file
// of its own (policies.hpp lists them).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "lasso/policies/slice_view.hpp"
#include "lasso/problem/lasso.hpp"
#include "lasso/problem/lasso_state.hpp"
#include "lasso/solver/gram_cache.hpp"
#include "strads/engine/model.hpp"

namespace strads::lasso {

/// What a commit did to the variables of one slice, by position.
struct SliceChanges {
  std::vector<std::uint32_t> drawn;    ///< that the round's blocks held, changed or not
  std::vector<std::uint32_t> changed;  ///< some of them,
  std::vector<double> deltas;          ///< and for each new minus old value, as it was committed

  /// What each variable did when it was last drawn. `last`: by position.
  void write_deltas(std::span<double> last) const {
    for (const std::uint32_t i : drawn) last[i] = 0.0;
    for (std::size_t k = 0; k < changed.size(); ++k) last[changed[k]] = deltas[k];
  }
};

/// Numbers i and k are positions in the slice. The functions are asked in the order of the four steps of SAP (Lee et
/// al., section 2); a policy says only where it differs from the simplest one, Shotgun (uniform.cpp).
class SlicePolicy {
 public:
  virtual ~SlicePolicy() = default;

  // What a phase is.
  /// How many of the best candidates a barrier looks for and reports to the judge; 0: the judge asks for none.
  /// `nonzeros`: of the replica.
  [[nodiscard]] virtual std::size_t candidates_wanted(std::size_t nonzeros) const {
    static_cast<void>(nonzeros);
    return 0;
  }
  virtual void enter_phase(const PhasePlan& plan) { static_cast<void>(plan); }
  /// True iff the phase ends with this round of the own scheduler.
  [[nodiscard]] virtual bool ends_phase(const RoundOutcome& outcome) {
    static_cast<void>(outcome);
    return false;
  }

  // Steps 1 to 3: the plan of a round.
  /// p(j) of a variable that is kept: importance, not normalised; kSampleFirst: before all others.
  [[nodiscard]] virtual double sampling(std::size_t i) const = 0;
  /// d(j,k): coupling. Asked where rules() says that conflicts matter.
  [[nodiscard]] virtual double dependency(std::size_t i, std::size_t k) const {
    static_cast<void>(i), static_cast<void>(k);
    return 0;
  }
  /// Draws, conflicts and sizes of blocks.
  [[nodiscard]] virtual ScheduleRules rules() const = 0;
  /// Called before each plan: computes what dependency() needs in any case.
  virtual void prepare_round(Chunks& chunks) { static_cast<void>(chunks); }
  /// dependency() will be asked about pairs of these variables, about most of them perhaps never.
  virtual void prepare_pairs(std::span<const VarId> drawn, Chunks& chunks) {
    static_cast<void>(drawn), static_cast<void>(chunks);
  }
  /// Blocks of a policy that does not draw single variables, at most `blocks_max`; nullopt: by p(j) and d(j,k).
  [[nodiscard]] virtual std::optional<std::vector<std::vector<VarId>>> choose_blocks(std::uint32_t blocks_max,
                                                                                     CounterRng& random) {
    static_cast<void>(blocks_max), static_cast<void>(random);
    return std::nullopt;
  }
  /// Says how a worker treats a block; as a block is made, it is one update, of its best variable.
  virtual void instruct(Block& block) const { static_cast<void>(block); }
  /// The single block of a joint round. Asked where the judge orders such rounds.
  [[nodiscard]] virtual Block joint_block(const LassoState& replica, const PhasePlan& plan) const {
    static_cast<void>(replica), static_cast<void>(plan);
    return {};
  }
  /// Work of planning since this was last asked.
  [[nodiscard]] virtual Cost take_planning_cost() { return {}; }

  // Step 4: feedback.
  /// Returns true iff p(j) of what was drawn may have changed.
  [[nodiscard]] virtual bool learn(const SliceChanges& changes) {
    static_cast<void>(changes);
    return false;
  }

  // Checkpoints: Slice::memory(), Slice::remember().
  [[nodiscard]] virtual Payload memory() const { return {}; }
  [[nodiscard]] virtual bool remember(const Payload& memory) { return memory == Payload{}; }
};

/// What a policy is made for. The slice, which owns both, keeps view and options where they are.
struct SliceSetting {
  const SliceView& view;
  const LassoOptions& options;
  std::shared_ptr<BlockCaches> caches;  ///< of the node: its workers need the same products
};

}  // namespace strads::lasso
