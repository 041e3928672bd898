// One node: a replica and any number of roles. Events go in; messages, tasks and progress come out. No I/O, no clock.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "engine/rounds/coordinator.hpp"
#include "engine/rounds/early.hpp"
#include "engine/rounds/effects.hpp"
#include "engine/rounds/node_checkpoint.hpp"
#include "engine/rounds/phase_tracker.hpp"
#include "engine/rounds/replica.hpp"
#include "engine/rounds/roster.hpp"
#include "engine/rounds/scheduler.hpp"
#include "engine/rounds/worker.hpp"
#include "strads/engine/model.hpp"
#include "strads/engine/options.hpp"

namespace strads::engine {

/// Messages may come early, late, twice or never. What is early waits, what comes again is dropped, and what never came
/// is asked for or repeated when the transport says that nothing has moved for a while. So the commits, and with them
/// every replica, are the same whatever happens on the way.
class Node {
 public:
  /// Holds the schedulers that `roster` places here, a worker, and the coordinator iff roster.coordinator == index.
  Node(std::uint32_t index, const Roster& roster, const EngineOptions& options, std::shared_ptr<Model> model);

  /// Call before start(): the rounds of this node's schedulers are told in Effects::rounds.
  void trace_rounds();
  /// The node of all roles only, before start(): checkpoints will be asked for.
  void keep_checkpoints() { coordinator_->keep_checkpoints(); }
  /// Before start(): the run goes on from there, with the bits that it would have had. What does not fit ends the run
  /// with a status.
  void resume(std::shared_ptr<const NodeCheckpoint> from) { resumed_ = std::move(from); }
  /// The same of the node of all roles.
  void resume(const std::shared_ptr<const RunCheckpoint>& from);
  /// Whether checkpoint() may be asked for now: the run stands at a barrier after which it goes on. REQUIRES: the node
  /// of all roles, keep_checkpoints().
  [[nodiscard]] bool at_checkpoint() const { return replica_->paused() && coordinator_->at_checkpoint(); }
  /// Cost: a copy of the replica. REQUIRES: at_checkpoint().
  [[nodiscard]] RunCheckpoint checkpoint() const;
  /// Begins with the scan of this node's slices.
  void start(Effects& effects);
  /// Hands a message of the process `from` to the role that it is for. A message for a role that is not here, one of
  /// the transport's own, or one that no process of this run can have sent, is counted and dropped, and the answer is
  /// false: who it came from is broken or hostile. A stopped node answers RESEND only.
  bool on_message(std::uint32_t from, const wire::Message& message, Effects& effects);
  /// One of this process's own, which is believed.
  bool on_message(const wire::Message& message, Effects& effects) { return on_message(kItself, message, effects); }
  /// The workers were dealt anew, since a node went silent or came back: open assignments of those that moved are sent
  /// to their new node. A list that is not one existing node for each worker is counted and dropped.
  void on_roster(const std::vector<std::uint32_t>& workers, Effects& effects);
  /// Nothing has moved for a while (progress_mark() says so): repeats what is open and asks for what is missing. Being
  /// called too early or too often costs messages and changes nothing else.
  void on_quiet(Effects& effects);
  /// Seconds since any fixed moment, before anything else is done then. A node that is never told asks no second
  /// workers.
  void note_time(double now);
  /// To be called now and then: blocks that are long overdue go to a second worker as well. True: one did.
  bool ask_second_workers(Effects& effects);
  /// Every node, and the coordinator, has applied commits up to `version` and taken so many verdicts: what is kept of
  /// them for RESEND may go.
  void forget(Version version, std::uint32_t phases);
  /// The coordinator's node only: end the run with the next commit.
  void request_finish(Effects& effects);
  /// The coordinator's node only, as Coordinator::wait_for(), before start().
  void wait_for(std::function<bool()> may_judge) { coordinator_->wait_for(std::move(may_judge)); }
  /// Makes the verdict that waits for other runs, if one does and need not any more.
  void reconsider(Effects& effects) {
    if (coordinator_ != nullptr) coordinator_->reconsider(effects);
  }

  [[nodiscard]] const Roster& roster() const noexcept { return roster_; }
  [[nodiscard]] const Replica& replica() const noexcept { return *replica_; }
  [[nodiscard]] bool stopped() const noexcept { return stopped_; }
  /// START has come.
  [[nodiscard]] bool started() const noexcept { return problem_known_; }
  /// Verdicts taken.
  [[nodiscard]] std::uint32_t phases_seen() const noexcept { return phases_seen_; }
  /// The turn of a scheduler here has come, and its plan is still being made: workers wait for it.
  [[nodiscard]] bool waiting_for_plan() const;
  /// For checkers; nullptr: that scheduler is not here.
  [[nodiscard]] const Scheduler* scheduler(std::uint32_t number) const;
  /// By this node's worker.
  [[nodiscard]] std::uint64_t updates_computed() const noexcept { return worker_->updates_computed(); }
  [[nodiscard]] std::uint64_t blocks_computed() const noexcept { return worker_->blocks_computed(); }
  /// Messages sent again: by on_quiet() and on_roster(), in answer to RESEND, or since an ASSIGN came again.
  [[nodiscard]] std::uint64_t repeated_messages() const;
  /// Times that a scheduler here asked one more worker for a block whose node was late.
  [[nodiscard]] std::uint64_t second_workers() const;
  /// Ranks of these nodes.
  [[nodiscard]] std::set<std::uint32_t> late_nodes() const;
  /// Messages that were further ahead of their time than can be kept.
  [[nodiscard]] std::uint64_t dropped_early() const;
  /// Messages that came again, late or wrong, and were dropped.
  [[nodiscard]] std::uint64_t dropped_messages() const;
  /// Rises whenever a message or the end of a task changed this node's state.
  [[nodiscard]] std::uint64_t progress_mark() const;

 private:
  // False, as of on_message(). Only of Deltas it matters which process says it.
  bool on(std::uint32_t from, const wire::Start& start, Effects& effects);
  bool on(std::uint32_t from, const wire::Phase& phase, Effects& effects);
  bool on(std::uint32_t from, const wire::Commit& commit, Effects& effects);
  bool on(std::uint32_t from, const wire::Assign& assign, Effects& effects);
  bool on(std::uint32_t from, const wire::Deltas& deltas, Effects& effects);
  bool on(std::uint32_t from, const wire::Finish& finish, Effects& effects);
  bool on(std::uint32_t from, const wire::Resend& resend, Effects& effects);
  bool on(std::uint32_t, const wire::Ready& ready, Effects& effects) { return to_coordinator(ready, effects); }
  bool on(std::uint32_t, const wire::SliceStatus& status, Effects& effects) { return to_coordinator(status, effects); }
  bool on(std::uint32_t, const wire::Kept& kept, Effects& effects) { return to_coordinator(kept, effects); }
  bool on(std::uint32_t, const wire::Memory& memory, Effects& effects) { return to_coordinator(memory, effects); }
  template <class ControlMessage>
  bool on(std::uint32_t, const ControlMessage&, Effects&) {
    return refuse();
  }
  bool refuse();
  void begin(const wire::Start& start, Effects& effects);
  void begin_from(const wire::Start& start, Effects& effects);
  void place(const std::vector<std::vector<VarId>>& slices);
  bool to_coordinator(const wire::Message& message, Effects& effects);
  void take_verdicts(Effects& effects);
  void take_verdict(const wire::Phase& phase, Effects& effects);
  void on_advanced(const wire::Commit& commit, Effects& effects);
  void barrier(bool verified, Effects& effects);
  void keep(const wire::Phase& phase, Effects& effects);
  void tell_kept(Effects& effects) const;
  [[nodiscard]] wire::Resend missing() const;
  /// nullptr: not on this node.
  [[nodiscard]] Scheduler* scheduler(std::uint32_t index);

  std::uint32_t index_;
  Roster roster_;
  EngineOptions options_;
  std::shared_ptr<Model> model_;
  PhaseTracker phase_;
  std::unique_ptr<Replica> replica_;
  std::unique_ptr<Coordinator> coordinator_;
  std::map<std::uint32_t, std::unique_ptr<Scheduler>> schedulers_;
  std::unique_ptr<Worker> worker_;
  std::shared_ptr<const NodeCheckpoint> resumed_;  ///< null: from the beginning
  std::optional<PhasePlan> last_phase_;            ///< that was entered
  /// Of the last barrier, if a checkpoint was made there: told again when it was lost.
  std::optional<wire::Kept> kept_;
  std::vector<wire::Memory> kept_memories_;
  bool stopped_ = false;
  bool problem_known_ = false;
  bool recomputing_ = false;
  std::uint32_t phases_seen_ = 0;
  Early<std::uint32_t, wire::Phase> verdicts_;  ///< those that came early, by number
  std::uint64_t unexpected_ = 0;
  std::uint64_t progress_mark_ = 0;  ///< of what happens here and not in a role
};

}  // namespace strads::engine
