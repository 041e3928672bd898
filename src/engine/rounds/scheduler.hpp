// A scheduler role: owns one slice of the variables for ever and takes its turn every S rounds.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <vector>

#include "engine/planning/sampler.hpp"
#include "engine/planning/schedule.hpp"
#include "engine/rounds/effects.hpp"
#include "engine/rounds/lateness.hpp"
#include "engine/rounds/node_checkpoint.hpp"
#include "engine/rounds/phase_tracker.hpp"
#include "engine/rounds/replica.hpp"
#include "engine/rounds/roster.hpp"
#include "strads/engine/model.hpp"
#include "strads/engine/options.hpp"

namespace strads::engine {

/// One turn (SAP section 3): plan ahead -> wait for the turn -> dispatch -> collect -> combine -> commit.
class Scheduler {
 public:
  /// `roster`, `model`, `replica` and `phase` are the node's and outlive the scheduler.
  Scheduler(std::uint32_t index, const EngineOptions& options, const Roster& roster, Model& model, Replica& replica,
            const PhaseTracker& phase, std::vector<VarId> variables);

  /// Scans the slice and reports READY.
  void scan(Effects& effects);
  /// START: the problem is fixed; goes on to the first barrier.
  void begin(const wire::Start& start, Effects& effects);
  /// As begin(), at the barrier of a checkpoint. False: the slice does not know its memory.
  [[nodiscard]] bool begin_from(const wire::Start& start, const NodeCheckpoint& from, Effects& effects);
  /// PHASE with verdict go_on.
  void enter_phase(const wire::Phase& phase, Effects& effects);
  /// A barrier: refreshes the slice against the current replica and reports SLICE STATUS, once no plan is being made.
  void refresh(bool verified, Effects& effects);

  /// `from`: rank of the process that says it, or kItself. False: it was never asked for that block, or answers what
  /// was not asked.
  bool on_deltas(std::uint32_t from, const wire::Deltas& deltas, Effects& effects);
  /// A commit was applied to this node's replica.
  void on_applied(const wire::Commit& commit);
  /// Takes every step that is possible now.
  void advance(Effects& effects);
  /// From now on every round is also told as a RoundRecord.
  void trace_rounds() { traces_rounds_ = true; }
  /// A request to end the run with the next commit.
  void finish() { finish_requested_ = true; }

  /// Nothing has come for a while: repeats READY, SLICE STATUS or ASSIGN, whichever has not been answered.
  void on_quiet(Effects& effects);
  /// Seconds since any fixed moment. A scheduler that is never told asks nobody twice.
  void note_time(double now) { lateness_.note_time(now); }
  /// Blocks that have been out for far longer than others like them go to a second worker as well, on a node that has
  /// answered all its own: the first answer wins. True: somebody was asked.
  bool ask_second_workers(Effects& effects);
  /// The roster has changed: blocks that wait for a worker of `moved` go to its new node.
  void on_roster(const std::vector<bool>& moved, Effects& effects);
  /// Sends the own commits that the asking node lacks; nothing if it lacks none.
  void on_resend(const wire::Resend& resend, Effects& effects);
  /// Every node has applied commits up to `version`: they need not be kept.
  void forget(Version version);

  /// READY was sent and not answered.
  [[nodiscard]] bool scanned() const noexcept { return ready_.has_value(); }
  /// SLICE STATUS sent: the number of the next one.
  [[nodiscard]] std::uint32_t reports() const noexcept { return phase_number_; }
  /// The own turn has come, and its plan is still being made.
  [[nodiscard]] bool waiting_for_plan() const;
  /// For checkers: they ask d(j,k) of a plan that was just dispatched, and take the cost of asking away.
  [[nodiscard]] Slice& slice() const noexcept { return *slice_; }
  /// Work of plans since the last dispatch.
  [[nodiscard]] std::uint64_t planning_flops() const noexcept { return planning_flops_; }
  [[nodiscard]] std::span<const VarId> variables() const noexcept { return variables_; }
  /// Rises whenever a message or the end of a task changed something here.
  [[nodiscard]] std::uint64_t progress_mark() const noexcept { return progress_mark_; }
  [[nodiscard]] std::uint64_t repeated_messages() const noexcept { return repeated_; }
  [[nodiscard]] std::uint64_t late_deltas() const noexcept { return late_deltas_; }
  /// Times that one more worker was asked for a block whose node was late.
  [[nodiscard]] std::uint64_t second_workers() const noexcept { return second_workers_; }
  /// Ranks of these nodes.
  [[nodiscard]] const std::set<std::uint32_t>& late_nodes() const noexcept { return late_nodes_; }
  [[nodiscard]] std::uint64_t wrong_deltas() const noexcept { return wrong_deltas_; }

 private:
  enum class Stage { idle, planning, planned, collecting, combining, combined, pulling, committed };

  /// What is known about the own round that is being prepared or in flight.
  struct Turn {
    Round round = 0;
    Stage stage = Stage::idle;
    bool planned_early = false;  ///< the plan was ready before its turn
    Plan plan;
    std::vector<bool> received;
    std::vector<std::vector<std::uint32_t>> asked;  ///< by block index: ranks of the nodes that were asked for it
    std::vector<std::vector<std::uint32_t>> further_workers;  ///< by block index: asked besides the first one
    std::vector<Payload> deltas;                              ///< by block index
    std::vector<double> predicted;  ///< by block index: sums of doubles go by block, never by arrival
    std::uint32_t missing = 0;      ///< blocks not received
    std::shared_ptr<const Direction> direction;
    wire::Commit commit;
  };

  void begin_slice(const wire::Start& start);
  void start_plan(Effects& effects);
  void on_planned(const std::shared_ptr<Plan>& plan, Effects& effects);
  void dispatch(Effects& effects);
  /// Who is asked to compute block `index` of the current turn.
  [[nodiscard]] std::uint32_t worker_of(std::uint32_t index) const;
  void assign(std::uint32_t index, std::uint32_t worker, Effects& effects);
  [[nodiscard]] bool was_asked(std::uint32_t from, std::uint32_t index) const;
  [[nodiscard]] std::uint32_t rank_of(std::uint32_t from) const {
    return from == kItself ? roster_.schedulers[index_] : from;
  }
  void assign_again(std::uint32_t index, Effects& effects);
  void assign_late_blocks_twice(Effects& effects);
  bool ask_second_worker(std::uint32_t index, bool idle, Effects& effects);
  [[nodiscard]] std::optional<std::uint32_t> second_worker_for(std::uint32_t index, bool idle) const;
  [[nodiscard]] std::map<std::uint32_t, double> flops_out() const;
  [[nodiscard]] double flops_of(std::uint32_t index) const;
  void combine(Effects& effects);
  void pull(Effects& effects);
  void on_pulled(const Pull& pulled, Effects& effects);
  void announce(const wire::Commit& commit, Effects& effects);
  [[nodiscard]] RoundRecord record_of_turn() const;
  void run_refresh(Effects& effects);
  void report(Payload status, const Cost& cost, Effects& effects);
  void weigh_all();
  [[nodiscard]] Round next_own_round() const;
  [[nodiscard]] bool matches(const wire::Deltas& deltas) const;

  std::uint32_t index_;
  EngineOptions options_;
  const Roster& roster_;
  Model& model_;
  Replica& replica_;
  const PhaseTracker& phase_;
  std::vector<VarId> variables_;  ///< of the slice
  std::unique_ptr<Slice> slice_;
  std::unique_ptr<Sampler> sampler_;
  PhasePlan phase_plan_;
  std::uint32_t phase_number_ = 0;
  Round last_own_ = -1;
  Round last_dispatched_ = -1;  ///< nobody was asked for blocks of later rounds
  Turn turn_;
  Lateness lateness_;
  std::map<std::uint32_t, std::uint32_t>
      stand_ins_;  ///< by worker: who was asked for its blocks last, while it was late
  std::set<std::uint32_t> late_nodes_;
  std::uint64_t second_workers_ = 0;
  std::uint64_t planning_flops_ = 0;  ///< of plans since the last dispatch, those of no use included
  bool planning_ = false;             ///< a plan task runs: the slice must not change
  bool refresh_waits_ = false;        ///< a barrier came while planning
  bool verified_ = false;
  bool finish_requested_ = false;
  bool traces_rounds_ = false;
  std::optional<wire::Ready> ready_;         ///< not answered by START yet
  std::optional<wire::SliceStatus> status_;  ///< not answered by PHASE yet
  std::map<Version, wire::Commit> commits_;  ///< own ones that a node may still lack
  std::uint64_t planned_early_ = 0;
  std::uint64_t own_rounds_ = 0;
  std::uint64_t late_deltas_ = 0;
  std::uint64_t wrong_deltas_ = 0;
  std::uint64_t progress_mark_ = 0;
  std::uint64_t repeated_ = 0;
};

/// PHASE as the model's plan, and back: the message and the public struct hold the same facts.
[[nodiscard]] PhasePlan plan_of(const wire::Phase& phase);
[[nodiscard]] wire::Phase message_of(const PhasePlan& plan, std::uint32_t number, Version version);

}  // namespace strads::engine
