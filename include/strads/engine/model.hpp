// The interface that a model implements to be scheduled: the papers' notions under the papers' names. Layer: engine.
// Pure.
//
// The engine runs rounds (docs/ARCHITECTURE.md). In round t scheduler t mod S draws variables of its slice by
// define_sampling (p(j), SAP step 1), keeps coupled ones apart by define_dependency (d(j,k), step 2), merges them into
// blocks of like workload (step 3) and sends the blocks to workers, who push; the scheduler pulls the deltas into one
// commit, which every node applies, and p and d are updated (step 4). docs/MODELS.md writes a model in 100 lines.
//
// Everything here is called by tasks or handlers of one node. A function that is `const` may run on several threads at
// once and must be a pure function of its arguments and the data: the same arguments, the same bits, on any node.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "strads/base/chunks.hpp"
#include "strads/base/payload.hpp"
#include "strads/base/status.hpp"
#include "strads/base/types.hpp"
#include "strads/engine/phase.hpp"
#include "strads/engine/tally.hpp"

namespace strads {

class CounterRng;  // strads/base/random.hpp

/// replica(v): what one version of the model looks like on every node (the Lasso: beta and the residual y - X beta).
class State {
 public:
  virtual ~State() = default;
  /// A copy that apply() may change while tasks still read this one.
  [[nodiscard]] virtual std::unique_ptr<State> clone() const = 0;
  /// Everything that this version holds, as arrays: two replicas are the same iff these are. Cost: O(size).
  [[nodiscard]] virtual Payload content() const = 0;
};

/// The combined effect of a round's deltas on the replica (the Lasso: v = X delta). Computed by one function, used by
/// the guard and by every apply.
class Direction {
 public:
  virtual ~Direction() = default;
};

/// What one worker is asked to compute.
struct Block {
  Payload content;           ///< ids: the variables; values: what push needs besides the replica (start values)
  std::uint32_t kind = 0;    ///< model-defined: how to solve it
  std::uint32_t sweeps = 1;  ///< at most so many passes over the variables
  double tolerance = 0;      ///< model-defined: when to stop earlier
};

/// What push computed for one block.
struct Push {
  Payload deltas;        ///< ids: changed variables; values: new minus old
  double predicted = 0;  ///< decrease of the objective if this block alone were committed
  Cost cost;
  /// The model's own counts of how it was solved, which the run adds up, each by itself (RunTotals::tally): at most
  /// kTallyMax. Like all that travels they may depend on the block and the replica only.
  std::vector<std::uint64_t> tally{};
};

/// What pull decided about one round.
struct Pull {
  double step = 1;       ///< a in [0, 1]; 0: the round commits empty
  double objective = 0;  ///< after the commit
  double realised = 0;   ///< decrease of the objective
  Payload changes;       ///< model-defined: what apply needs besides the step
};

/// How the default schedule() fills the four steps (SAP, section 2).
struct ScheduleRules {
  enum class Conflicts : std::uint8_t {
    ignore,  ///< blocks are not checked against each other (Shotgun)
    drop,    ///< a drawn variable that conflicts with one kept before it is dropped (Algorithm 1)
    merge    ///< conflicting variables share a block, which one worker updates one after the other (section 2, step 2)
  };
  std::uint32_t draws = 1;                ///< P', variables drawn a round
  std::uint32_t block_variables_max = 1;  ///< 1: one-variable blocks
  Conflicts conflicts = Conflicts::ignore;
  double dependency_max = 0.1;              ///< rho: d(j,k) above it conflicts
  double sampling_scale = 1099511627776.0;  ///< 2^40: weights are rint(p(j) x scale) so that their sums are exact
  /// Slice::schedule() always gives the plan, so that no weights need be kept for the default one. The same for a run.
  bool plans_itself = false;
};

/// One committed round, as a slice sees it.
struct RoundOutcome {
  Round round = 0;
  bool own = true;  ///< a round of this slice's scheduler; joint rounds reach every slice
  std::uint32_t blocks = 0;
  double step = 1;
  double predicted = 0;  ///< sum over the blocks
  double realised = 0;
  /// Own rounds: all variables that the round's blocks held, changed or not; in a joint round those of all slices.
  std::span<const VarId> drawn{};
  const Payload* changes = nullptr;
};

/// Positive infinity as p(j): drawn before every variable of finite weight (Algorithm 1's very large constant C).
inline constexpr double kSampleFirst = std::numeric_limits<double>::infinity();

/// A scheduler's view of its slice of the variables: those that Model::make_slice() was given, for the whole run. Owned
/// by one scheduler; never used by two threads at once.
class Slice {
 public:
  virtual ~Slice() = default;

  /// Looks at every column once, before the start. Returns the model's summary (READY).
  [[nodiscard]] virtual Payload scan(Chunks& chunks, Cost& cost) = 0;
  /// The problem is fixed (START). Called after Model::begin on this node.
  virtual void begin(const Payload& problem) = 0;
  /// At a barrier: recomputes the view against replica(c); returns certificate parts and candidates (SLICE STATUS).
  [[nodiscard]] virtual Payload refresh(const State& state, Chunks& chunks, Cost& cost) = 0;
  /// The phase that begins now.
  virtual void enter_phase(const PhasePlan& plan) = 0;

  /// p(j), SAP step 1: importance, not normalised; 0: never drawn; kSampleFirst: drawn before all others.
  [[nodiscard]] virtual double define_sampling(VarId j) const = 0;
  /// d(j,k), SAP step 2: coupling; above ScheduleRules::dependency_max two variables may not be in different blocks.
  [[nodiscard]] virtual double define_dependency(VarId j, VarId k) const = 0;
  /// Cost of updating j once, in any unit (SAP step 3: load balance).
  [[nodiscard]] virtual double workload(VarId) const { return 1.0; }
  [[nodiscard]] virtual ScheduleRules rules() const { return {}; }
  /// Dresses variables as a block: start values, kind, sweeps.
  [[nodiscard]] virtual Block make_block(std::vector<VarId> variables) const = 0;

  /// Called before each plan of an ordinary round, in its task: computes what define_dependency will be asked for.
  virtual void prepare_round(Chunks& chunks) { static_cast<void>(chunks); }
  /// Says that define_dependency will be asked about pairs of `drawn`, most of them perhaps never: what makes many
  /// products cheaper may be done here. What was told before may be forgotten.
  virtual void prepare_pairs(std::span<const VarId> drawn, Chunks& chunks) {
    static_cast<void>(drawn), static_cast<void>(chunks);
  }
  /// Replaces steps 1 to 3 for round t; nullopt: the default schedule built from the functions above. `random` is the
  /// round's own stream: all randomness of the plan comes from it.
  [[nodiscard]] virtual std::optional<std::vector<Block>> schedule(Round, const PhasePlan&, CounterRng& random) {
    static_cast<void>(random);
    return std::nullopt;
  }
  /// The single block of a joint round, from candidates of all slices, on replica(c).
  [[nodiscard]] virtual Block joint_block(const State&, const PhasePlan&) const { return {}; }

  /// Work of planning (couplings computed) since this was last asked. Called between plans.
  [[nodiscard]] virtual Cost take_planning_cost() { return {}; }

  /// SAP step 4. Appends to `touched` the variables of this slice whose p(j) may have changed.
  virtual void committed(const RoundOutcome& outcome, std::vector<VarId>& touched) = 0;
  /// Asked before an own commit is sent: true iff the phase should end with it.
  [[nodiscard]] virtual bool ends_phase(const RoundOutcome&) { return false; }

  /// At a barrier: what this slice learnt from its rounds and refresh() would not find again (a checkpoint keeps it).
  [[nodiscard]] virtual Payload memory() const { return {}; }
  /// What memory() was, of a slice of the same variables; called after begin() and enter_phase(), before refresh().
  /// False: this is no such memory, and nothing was taken.
  [[nodiscard]] virtual bool remember(const Payload& memory) { return memory == Payload{}; }
};

/// The coordinator's half of a model: reduces the slices' reports in slice order. Needs no replica and no data.
class Judge {
 public:
  virtual ~Judge() = default;
  /// From the READY summaries, in slice order: the problem that START announces.
  [[nodiscard]] virtual Result<Payload> start(std::span<const Payload> summaries) = 0;
  /// From the SLICE STATUS payloads, in slice order: go on, verify or stop.
  [[nodiscard]] virtual Judgement judge(const Barrier& barrier, std::span<const Payload> statuses) = 0;
};

/// The messages that carry a payload of the model.
enum class PayloadKind : std::uint8_t {
  ready,    ///< Slice::scan() -> Judge::start()
  start,    ///< Judge::start() -> begin()
  block,    ///< Slice::make_block(), joint_block() -> push()
  deltas,   ///< push() -> combine(), pull()
  changes,  ///< pull() -> apply(), Slice::committed(); empty in an empty round
  status,   ///< Slice::refresh() -> Judge::judge()
  phase     ///< Judge::judge() -> Slice::enter_phase(), joint_block(); empty where the verdict is verify or stop
};

/// Where things are in a run: told to the model of each node before its slices are made. Valid during the call.
struct Placement {
  std::span<const std::vector<VarId>> slices;   ///< by scheduler: the variables of each, ascending
  std::uint32_t workers = 1;                    ///< P
  std::span<const std::uint32_t> workers_here;  ///< ranks of the workers on this node, ascending
};

/// What there is to be dealt to the schedulers.
struct ModelShape {
  VarId variables = 0;  ///< J: they are 0 ... J - 1
  VarId stripe = 1;     ///< so many adjacent ones stay together
};

/// A model on one node. Everything const here is pure, up to what enter_phase() changes; begin() is called once, before
/// any State is made.
class Model {
 public:
  virtual ~Model() = default;

  [[nodiscard]] virtual ModelShape shape() const = 0;
  [[nodiscard]] VarId variables() const { return shape().variables; }
  /// What nodes compare before a run.
  [[nodiscard]] virtual std::uint64_t fingerprint() const { return 0; }
  /// Asked about every payload that comes from another process, before anything else sees it: does it have a shape that
  /// the functions below can take (lengths, variables below J)? What is not acceptable is counted and dropped. Numbers
  /// that are wrong but harmless need not be found: a certificate is computed from the data. Cost: O(ids).
  [[nodiscard]] virtual bool acceptable(PayloadKind kind, const Payload& payload) const {
    static_cast<void>(kind);
    static_cast<void>(payload);
    return true;
  }

  /// Called once, before make_slice; what it says about workers is how the run begins: later, blocks of workers that
  /// were lost may come here as well.
  virtual void place(const Placement& placement) { static_cast<void>(placement); }
  /// `variables`: of the slice, ascending.
  [[nodiscard]] virtual std::unique_ptr<Slice> make_slice(std::vector<VarId> variables) = 0;
  [[nodiscard]] virtual std::unique_ptr<Judge> make_judge() const = 0;

  /// The problem is fixed (START).
  virtual void begin(const Payload& problem) = 0;
  /// A phase begins on this node, before its slices enter it. Nothing reads what this changes but pull(), objective()
  /// and later phases: push() may still be at a block of the phase before, whose answer is dropped, and must take
  /// what it needs from the block.
  virtual void enter_phase(const PhasePlan& plan) { static_cast<void>(plan); }
  /// replica(-1).
  [[nodiscard]] virtual std::unique_ptr<State> make_state() const = 0;
  /// The replica whose State::content() this was, to the last bit, at a barrier. Called after begin() and
  /// enter_phase(). nullptr: this is the content of no replica of this model, or the model keeps no checkpoints.
  [[nodiscard]] virtual std::unique_ptr<State> restore_state(const Payload& content) const {
    static_cast<void>(content);
    return nullptr;
  }

  /// Updates one block against replica(base), without changing it.
  [[nodiscard]] virtual Push push(const State& base, const Block& block, Chunks& chunks) const = 0;
  /// About how many flops push() will take for this block: small ones are computed at once instead of by a task. Never
  /// changes a result. Cost: O(ids).
  [[nodiscard]] virtual std::uint64_t push_flops(const Block& block) const {
    return std::uint64_t{block.sweeps} * 1000 * block.content.ids.size();
  }
  /// Combines the blocks' deltas, in block order. nullptr: apply works from the changes alone.
  [[nodiscard]] virtual std::shared_ptr<const Direction> combine(std::span<const Payload> deltas, Chunks& chunks,
                                                                 Cost& cost) const = 0;
  /// Chooses the step length on the current replica (version t - 1): the guard.
  [[nodiscard]] virtual Pull pull(const State& now, std::span<const Payload> deltas,
                                  const Direction* direction) const = 0;
  /// Folds one commit into a replica. `direction` is what combine() returned on this node for the same deltas, or
  /// nullptr; then it is recomputed from `changes` with the same bits.
  virtual void apply(State& state, const Payload& changes, double step, const Direction* direction, Chunks& chunks,
                     Cost& cost) const = 0;
  /// Rebuilds what a replica derives from the data (the Lasso: r = y - X beta), in defined order.
  virtual void recompute(State& state, Chunks& chunks, Cost& cost) const = 0;
  /// The objective of a replica.
  [[nodiscard]] virtual double objective(const State& state) const = 0;
};

}  // namespace strads
