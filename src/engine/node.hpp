// One node: a replica and any number of roles. Events go in; messages, tasks and progress come out. No I/O, no clock.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "engine/coordinator.hpp"
#include "engine/effects.hpp"
#include "engine/phase_tracker.hpp"
#include "engine/replica.hpp"
#include "engine/scheduler.hpp"
#include "engine/worker.hpp"
#include "strads/model.hpp"
#include "strads/options.hpp"

namespace strads::engine {

/// Which roles live where. Dealt in rank order: scheduler s on node s mod nodes, worker w on node w mod nodes.
struct Roster {
  std::uint32_t nodes = 1;

  [[nodiscard]] std::uint32_t node_of(const wire::Address& address) const noexcept {
    switch (address.role) {
      case wire::Role::coordinator:
        return 0;
      case wire::Role::node:
        return address.index;
      default:
        return address.index % nodes;
    }
  }
};

class Node {
 public:
  Node(std::uint32_t index, const Roster& roster, const EngineOptions& options, std::shared_ptr<Model> model);

  /// Begins with the scan of this node's slices.
  void start(Effects& effects);
  /// REQUIRES: the roster places `to` on this node.
  void on_message(const wire::Address& to, const wire::Message& message, Effects& effects);
  /// Node 0 only: end the run with the next commit.
  void request_finish(Effects& effects);

  [[nodiscard]] const Replica& replica() const noexcept { return *replica_; }
  [[nodiscard]] bool stopped() const noexcept { return stopped_; }
  /// Messages that came again, late or wrong, and were dropped.
  [[nodiscard]] std::uint64_t dropped_messages() const;

 private:
  void on_node_message(const wire::Message& message, Effects& effects);
  void on_start(const wire::Start& start, Effects& effects);
  void on_phase(const wire::Phase& phase, Effects& effects);
  void take_verdicts(Effects& effects);
  void take_verdict(const wire::Phase& phase, Effects& effects);
  void on_advanced(const wire::Commit& commit, Effects& effects);
  void barrier(bool verified, Effects& effects);
  [[nodiscard]] Scheduler* scheduler(std::uint32_t index);
  [[nodiscard]] Worker* worker(std::uint32_t index);

  std::uint32_t index_;
  Roster roster_;
  EngineOptions options_;
  std::shared_ptr<Model> model_;
  PhaseTracker phase_;
  std::unique_ptr<Replica> replica_;
  std::unique_ptr<Coordinator> coordinator_;
  std::vector<std::unique_ptr<Scheduler>> schedulers_;  ///< by rank / nodes
  std::vector<std::unique_ptr<Worker>> workers_;
  bool stopped_ = false;
  bool problem_known_ = false;
  bool recomputing_ = false;
  std::uint32_t phases_seen_ = 0;
  std::map<std::uint32_t, wire::Phase> verdicts_;  ///< those that came early, by number
  std::uint64_t unexpected_ = 0;
};

}  // namespace strads::engine
