// A cluster of engine nodes under the auditor's eyes, without time: a seed decides what happens next. It shares nothing
// with src/sim but the auditor, so that neither hides the other's mistakes.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/rounds/coordinator.hpp"
#include "engine/rounds/node.hpp"
#include "sim/audit/audit_hashes.hpp"
#include "sim/audit/auditor.hpp"
#include "strads/base/random.hpp"

namespace strads::sim {

/// Changes a message that goes from one process to another; processes: nodes by rank, then the driver.
using MessageFilter = std::function<void(std::uint32_t from, std::uint32_t to, wire::Message& message)>;

struct AuditedOptions {
  EngineOptions engine{};
  std::uint32_t nodes = 2;
  bool coordinator_apart = true;
  std::uint64_t seed = 1;
  double duplicates = 0;  ///< share of the messages that arrive twice
  double quiets = 0;      ///< share of the steps before which a process is told that it is quiet
  AuditOptions audit{};
  std::function<std::unique_ptr<ModelAudit>()> make_audit{};
  MessageFilter as_sent{};     ///< before the auditor sees a message: a bug of its sender
  MessageFilter on_the_way{};  ///< afterwards
  std::uint64_t steps_max = 2'000'000;
};

struct AuditedRun {
  bool ended = false;
  RunEnd end;
  std::optional<std::string> violation;
  std::optional<Rule> rule;
  AuditCounts counts;
  Version version = -1;
  std::uint64_t final_hash = 0;
  std::uint64_t content_hash = 0;  ///< of node 0 at the end
};

class AuditedCluster {
 public:
  /// `make_model`: called for the auditor first, then for the nodes by rank, then for the driver, as simulate() does.
  AuditedCluster(const std::function<std::shared_ptr<Model>()>& make_model, AuditedOptions options)
      : options_(std::move(options)),
        random_(options_.seed, Purpose::tests),
        roster_(engine::Roster::round_robin(options_.nodes, options_.engine)),
        auditor_(make_model(), options_.engine, options_.audit, options_.make_audit ? options_.make_audit() : nullptr) {
    if (options_.coordinator_apart) roster_.coordinator = options_.nodes;
    for (std::uint32_t n = 0; n < options_.nodes; ++n) {
      nodes_.push_back(std::make_unique<engine::Node>(n, roster_, options_.engine, make_model()));
    }
    if (!options_.coordinator_apart) return;
    driver_model_ = make_model();
    driver_ = std::make_unique<engine::Coordinator>(options_.engine, roster_, driver_model_->make_judge());
    driver_->keep_checkpoints([](Version) { return 0U; });
  }

  AuditedRun run() {
    for (std::uint32_t n = 0; n < nodes_.size(); ++n) {
      engine::Effects effects;
      nodes_[n]->start(effects);
      queue_effects(n, effects);
    }
    std::uint64_t steps = 0;
    while (!events_.empty() && steps++ < options_.steps_max && !auditor_.violation().has_value()) step();
    std::map<std::uint32_t, const engine::Node*> left;
    for (std::uint32_t n = 0; n < nodes_.size(); ++n) left[n] = nodes_[n].get();
    auditor_.at_end(run_.ended && run_.end.status.ok(), left);
    run_.violation = auditor_.violation();
    run_.rule = auditor_.broken_rule();
    run_.counts = auditor_.counts();
    run_.version = auditor_.version();
    run_.final_hash = auditor_.final_hash();
    if (nodes_[0]->started()) run_.content_hash = hash_of(nodes_[0]->replica().current()->content());
    return std::move(run_);
  }

 private:
  /// A message, or a task: picked once it runs, picked again its end is handled.
  struct Event {
    std::uint32_t process = 0;
    wire::Message message;
    std::shared_ptr<engine::Task> task;
    bool ran = false;
  };

  void step() {
    engine::Effects effects;
    if (options_.quiets > 0 && random_.unit() < options_.quiets) {
      const auto process = static_cast<std::uint32_t>(random_.below(nodes_.size()));
      nodes_[process]->on_quiet(effects);
      return queue_effects(process, effects);
    }
    const auto picked = static_cast<std::size_t>(random_.below(events_.size()));
    if (events_[picked].task != nullptr && !events_[picked].ran) {
      SerialChunks chunks;
      events_[picked].ran = true;
      (void)events_[picked].task->run(chunks);
      return;
    }
    const Event event = std::move(events_[picked]);
    events_.erase(events_.begin() + static_cast<std::ptrdiff_t>(picked));
    if (event.task != nullptr) {
      event.task->done(effects);
    } else if (event.process == options_.nodes) {
      driver_->on_message(event.message, effects);
    } else {
      nodes_[event.process]->on_message(event.message, effects);
    }
    queue_effects(event.process, effects);
  }

  void queue_effects(std::uint32_t process, engine::Effects& effects) {
    for (wire::Envelope& envelope : effects.messages) send(process, std::move(envelope));
    for (engine::Task& task : effects.tasks) {
      Event event;
      event.process = process;
      event.task = std::make_shared<engine::Task>(std::move(task));
      events_.push_back(std::move(event));
    }
    for (const ProgressEvent& event : effects.progress) auditor_.on_progress(event);
    if (effects.end.has_value()) {
      auditor_.on_end(*effects.end);
      run_.ended = true;
      run_.end = std::move(*effects.end);
    }
    if (process < options_.nodes) auditor_.on_handled(process, *nodes_[process]);
  }

  void send(std::uint32_t from, wire::Envelope envelope) {
    const std::uint32_t to = roster_.node_of(envelope.to);
    if (options_.as_sent) options_.as_sent(from, to, envelope.message);
    auditor_.on_sent(envelope, from < options_.nodes ? nodes_[from].get() : nullptr);
    if (options_.on_the_way) options_.on_the_way(from, to, envelope.message);
    const bool twice = options_.duplicates > 0 && random_.unit() < options_.duplicates;
    if (twice) events_.push_back({to, envelope.message, nullptr, false});
    events_.push_back({to, std::move(envelope.message), nullptr, false});
  }

  AuditedOptions options_;
  CounterRng random_;
  engine::Roster roster_;
  Auditor auditor_;
  std::vector<std::unique_ptr<engine::Node>> nodes_;
  std::shared_ptr<Model> driver_model_;
  std::unique_ptr<engine::Coordinator> driver_;
  std::vector<Event> events_;
  AuditedRun run_;
};

inline AuditedRun run_audited(const std::function<std::shared_ptr<Model>()>& make_model,
                              const AuditedOptions& options) {
  return AuditedCluster(make_model, options).run();
}

}  // namespace strads::sim
