#include "fuzz/rogue_cluster.hpp"

#include <utility>

#include "engine/rounds/acceptable.hpp"
#include "engine/session/reached.hpp"
#include "engine/session/speaker.hpp"
#include "fuzz/finite.hpp"
#include "strads/base/status.hpp"

namespace strads::fuzz {
namespace {

constexpr double kLeaseSeconds = 15;
constexpr double kNow = 0;      ///< nobody is ever late here
constexpr int kQuietTimes = 3;  ///< that everybody says again what is open, once nothing moves

/// What the codec takes.
bool travels(const wire::Message& message) {
  return std::visit([](const auto& said) { return payloads_are_finite(said); }, message);
}

bool is_control(const wire::Message& message) {
  return std::holds_alternative<wire::Beat>(message) || std::holds_alternative<wire::Roster>(message) ||
         std::holds_alternative<wire::Loaded>(message) || std::holds_alternative<wire::Leave>(message);
}

}  // namespace

RogueCluster::RogueCluster(const Problem& problem, std::uint32_t rogue, bool tasks_wait, Rogue& script)
    : problem_(problem),
      rogue_(rogue),
      tasks_wait_(tasks_wait),
      script_(script),
      roster_(engine::Roster::round_robin(kNodes, problem.engine)),
      members_(problem.engine, kLeaseSeconds) {
  roster_.coordinator = kDriver;
  for (std::uint32_t node = 0; node < kNodes; ++node) {
    wire::Hello hello;
    hello.process = node;
    hello.roles = wire::kAcceptsScheduler | wire::kAcceptsWorker;
    members_.join(hello, kNow);
  }
  STRADS_CHECK(members_.begin().ok(), "every node accepts every role");
  for (std::uint32_t process = 0; process < kProcesses; ++process) models_.push_back(problem.make());
  for (std::uint32_t node = 0; node < kNodes; ++node) {
    nodes_.push_back(std::make_unique<engine::Node>(node, roster_, problem.engine, models_[node]));
  }
  driver_ = std::make_unique<engine::Coordinator>(problem.engine, roster_, models_[kDriver]->make_judge());
}

void RogueCluster::run(std::uint64_t events_max) {
  for (std::uint32_t node = 0; node < kNodes; ++node) {
    engine::Effects effects;
    nodes_[node]->start(effects);
    queue_effects(node, effects);
  }
  std::uint64_t left = events_max;
  for (int quiet = 0; quiet <= kQuietTimes && !ended_; ++quiet) {
    while (!events_.empty() && left > 0) {
      Event event = std::move(events_.front());
      events_.pop_front();
      happen(event);
      if (script_.is_done()) --left;
    }
    if (!ended_) say_again();
  }
}

void RogueCluster::happen(Event& event) {
  engine::Effects effects;
  if (event.task == nullptr) {
    receive(event, effects);
  } else {
    SerialChunks serial;
    event.task->run(serial);
    event.task->done(effects);
  }
  queue_effects(event.to, effects);
}

/// As NodeProcess::receive_messages() and DriverProcess::receive_messages().
void RogueCluster::receive(const Event& event, engine::Effects& effects) {
  const bool own = event.from == event.to;
  if (is_control(event.message)) return receive_control(event, effects);
  if (!own && (!travels(event.message) || !engine::may_say(event.from, event.message, roster_) ||
               !engine::acceptable(*models_[event.to], event.message))) {
    return;
  }
  if (event.to == kDriver) {
    driver_->on_message(event.message, effects);
  } else {
    nodes_[event.to]->on_message(event.from, event.message, effects);
  }
}

/// As NodeProcess::on_control() and DriverProcess::on_member().
void RogueCluster::receive_control(const Event& event, engine::Effects& effects) {
  const auto* beat = std::get_if<wire::Beat>(&event.message);
  if (event.to != kDriver) {
    if (event.from != kDriver) return;
    if (beat != nullptr) {
      const engine::Reached all = engine::reached_in(*beat, engine::kFirstRun);
      nodes_[event.to]->forget(all.version, all.phases);
    }
    if (const auto* roster = std::get_if<wire::Roster>(&event.message)) {
      nodes_[event.to]->on_roster(roster->workers, effects);
    }
  } else if (members_.members()[event.from].lost) {
    return;
  } else if (beat != nullptr) {
    const wire::Beat answer =
        members_.on_beat(event.from, *beat, {{engine::kFirstRun, {driver_->counted(), members_.size()}}}, kNow);
    driver_->forget(engine::reached_in(answer, engine::kFirstRun).phases);
    events_.push_back({kDriver, event.from, answer, nullptr});
  } else if (const auto* loaded = std::get_if<wire::Loaded>(&event.message)) {
    carry_out(members_.on_loaded(event.from, *loaded));
  } else if (const auto* leave = std::get_if<wire::Leave>(&event.message)) {
    carry_out(members_.on_leave(event.from, *leave, true));
  }
  if (!ended_) carry_out(members_.look(kNow));
}

void RogueCluster::carry_out(const engine::Membership::Outcome& outcome) {
  ended_ = ended_ || outcome.end.has_value();
  if (!outcome.roster.has_value()) return;
  for (std::uint32_t node = 0; node < kNodes; ++node) events_.push_back({kDriver, node, *outcome.roster, nullptr});
}

void RogueCluster::queue_effects(std::uint32_t process, engine::Effects& effects) {
  while (!effects.tasks.empty() && !tasks_wait_) {
    std::vector<engine::Task> batch;
    batch.swap(effects.tasks);
    SerialChunks serial;
    for (engine::Task& task : batch) {
      task.run(serial);
      task.done(effects);
    }
  }
  for (wire::Envelope& envelope : effects.messages) send(process, envelope);
  for (engine::Task& task : effects.tasks) {
    events_.push_back({process, process, {}, std::make_shared<engine::Task>(std::move(task))});
  }
  if (effects.end.has_value()) end(*effects.end);
}

void RogueCluster::send(std::uint32_t from, wire::Envelope& envelope) {
  const std::uint32_t to = (from == kDriver ? roster_ : nodes_[from]->roster()).node_of(envelope.to);
  if (to != from) script_.overhear(envelope.message);
  if (from != rogue_ || to == from) {
    events_.push_back({from, to, std::move(envelope.message), nullptr});
    return;
  }
  for (Rogue::Said& said : script_.instead_of({to, std::move(envelope.message)})) {
    events_.push_back({from, said.to, std::move(said.message), nullptr});
  }
}

void RogueCluster::say_again() {
  for (std::uint32_t node = 0; node < kNodes; ++node) {
    engine::Effects effects;
    nodes_[node]->on_quiet(effects);
    queue_effects(node, effects);
  }
  engine::Effects effects;
  driver_->on_quiet(effects);
  queue_effects(kDriver, effects);
}

void RogueCluster::end(const RunEnd& end) {
  ended_ = true;
  if (!end.status.ok()) return;
  converged_ = end.certificate.converged;
  problem_.read(end);
}

}  // namespace strads::fuzz
