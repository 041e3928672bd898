#include "support/transcript_cluster.hpp"

#include <algorithm>
#include <utility>

namespace strads::support {

namespace {

constexpr int kSettleMessagesMax = 20'000;  // a story that needs more has no end

const char* const kIndent = "  ";

std::string counted(std::uint64_t count, const std::string& what) {
  return std::to_string(count) + ' ' + what + (count == 1 ? "" : "s");
}

std::string event_text(const ProgressEvent& event) {
  switch (event.kind) {
    case ProgressEvent::Kind::started:
      return "the problem is fixed";
    case ProgressEvent::Kind::commit:
      return "commit " + std::to_string(event.version) + " is counted";
    case ProgressEvent::Kind::barrier:
      break;
  }
  return "barrier " + std::to_string(event.phase - 1) + " is judged at version " + std::to_string(event.version) +
         (event.verified ? ", verified" : "");
}

std::string end_text(const RunEnd& end) {
  if (!end.status.ok()) return "the run ends: " + end.stop_reason + ": " + end.status.message();
  return "the run ends: " + end.stop_reason + ", " + counted(end.totals.rounds, "round") + ", " +
         counted(end.totals.empty_rounds, "empty one");
}

}  // namespace

const char* text_of(engine::TaskKind kind) {
  static constexpr const char* kKinds[] = {"scan", "plan", "push", "combine", "pull", "apply", "recompute", "refresh"};
  return kKinds[static_cast<std::size_t>(kind)];
}

engine::Roster StoryOptions::roster() const {
  auto roster = engine::Roster::round_robin(nodes, engine);
  if (driver) roster.coordinator = nodes;
  if (!scheduler_nodes.empty()) roster.schedulers = scheduler_nodes;
  if (!worker_nodes.empty()) roster.workers = worker_nodes;
  return roster;
}

bool Selector::matches(std::uint32_t destination, const wire::Envelope& envelope) const {
  if (process.value_or(destination) != destination || role.value_or(envelope.to) != envelope.to) return false;
  return type.empty() || (type == type_of(envelope.message) && has_fields(envelope.message, fields));
}

StoryCluster::StoryCluster(const StoryOptions& options) : options_(options) {
  const engine::Roster roster = options.roster();
  for (std::uint32_t n = 0; n < options.nodes; ++n) {
    nodes_.push_back(
        std::make_unique<engine::Node>(n, roster, options.engine, std::make_shared<ScriptedModel>(options.script)));
  }
  if (!options.driver) return;
  driver_ = std::make_unique<engine::Coordinator>(options.engine, roster, ScriptedModel(options.script).make_judge());
}

bool StoryCluster::alive(std::uint32_t process) const {
  return is_driver(process) ? driver_ != nullptr : process < nodes_.size() && nodes_[process] != nullptr;
}

engine::Node& StoryCluster::node(std::uint32_t rank) const {
  if (is_driver(rank) || !alive(rank)) throw StoryError("node " + std::to_string(rank) + " is not there");
  return *nodes_[rank];
}

std::string StoryCluster::name_of(std::uint32_t process) const {
  return is_driver(process) ? "driver" : "node " + std::to_string(process);
}

std::vector<std::string> StoryCluster::take_lines() {
  return std::exchange(lines_, {});
}

// ---- messages ----

void StoryCluster::deliver(const Selector& selector) {
  std::vector<Flight> chosen;
  std::deque<Flight> others;
  for (Flight& flight : wire_) {
    const bool now = !flight.held && selector.matches(flight.process, flight.envelope);
    if (now) {
      chosen.push_back(std::move(flight));
    } else {
      others.push_back(std::move(flight));
    }
  }
  wire_ = std::move(others);
  if (chosen.empty()) throw StoryError("no such message is on its way, or it is held back");
  for (const Flight& flight : chosen) {
    delivered_.push_back(flight);
    receive(flight);
  }
}

void StoryCluster::deliver_again(const Selector& selector) {
  const auto found = std::find_if(delivered_.rbegin(), delivered_.rend(), [&](const Flight& flight) {
    return selector.matches(flight.process, flight.envelope);
  });
  if (found == delivered_.rend()) throw StoryError("no such message was delivered before");
  const Flight flight = *found;
  receive(flight);
}

void StoryCluster::settle() {
  for (int count = 0;; ++count) {
    const auto next = std::find_if(wire_.begin(), wire_.end(), [](const Flight& flight) { return !flight.held; });
    if (next == wire_.end()) return;
    if (count == kSettleMessagesMax) throw StoryError("this story does not settle");
    Flight flight = std::move(*next);
    wire_.erase(next);
    delivered_.push_back(flight);
    receive(flight);
  }
}

void StoryCluster::lose(const Selector& selector) {
  const std::size_t before = wire_.size();
  std::erase_if(wire_, [&](const Flight& flight) {
    const bool lost = selector.matches(flight.process, flight.envelope);
    if (lost) say("lost: " + text_of(flight.process, flight.envelope));
    return lost;
  });
  if (wire_.size() == before) throw StoryError("no such message is on its way");
}

void StoryCluster::hold(const Selector& selector) {
  holds_.push_back(selector);
  for (Flight& flight : wire_) {
    if (!selector.matches(flight.process, flight.envelope)) continue;
    flight.held = true;
    say_always("held back: " + text_of(flight.process, flight.envelope));
  }
}

void StoryCluster::release(const Selector& selector) {
  const bool all = selector == Selector{};
  const bool rule = std::erase_if(holds_, [&](const Selector& held) { return all || held == selector; }) > 0;
  bool message = false;
  for (Flight& flight : wire_) {
    if (!flight.held || !selector.matches(flight.process, flight.envelope)) continue;
    flight.held = false;
    message = true;
  }
  if (!rule && !message) throw StoryError("nothing like this is held back");
}

void StoryCluster::forge(const wire::Envelope& envelope) {
  const engine::Roster roster = options_.roster();
  const auto count = [&]() -> std::size_t {
    switch (envelope.to.role) {
      case wire::Role::scheduler:
        return roster.schedulers.size();
      case wire::Role::worker:
        return roster.workers.size();
      case wire::Role::node:
        return options_.nodes;
      case wire::Role::coordinator:
        break;
    }
    return 1;
  };
  if (envelope.to.index >= count()) throw StoryError(short_text(envelope.to) + " does not exist");
  receive({envelope, engine::kItself, roster.node_of(envelope.to)});
}

void StoryCluster::receive(const Flight& flight) {
  const std::uint32_t to = flight.process;
  const wire::Message& message = flight.envelope.message;
  if (!alive(to)) throw StoryError(name_of(to) + " is not there");
  say(place_of(to, flight.envelope.to) + " <- " + name_text(message));
  handle(to, true, [&](engine::Effects& effects) {
    if (is_driver(to)) {
      driver_->on_message(message, effects);
    } else {
      nodes_[to]->on_message(flight.from == to ? engine::kItself : flight.from, message, effects);
    }
  });
}

std::uint32_t StoryCluster::destination(std::uint32_t from, const wire::Address& to) const {
  return is_driver(from) ? options_.roster().node_of(to) : node(from).roster().node_of(to);
}

std::string StoryCluster::place_of(std::uint32_t process, const wire::Address& to) const {
  return short_text(to) + (to.role == wire::Role::worker ? " (" + name_of(process) + ")" : "");
}

std::string StoryCluster::text_of(std::uint32_t process, const wire::Envelope& envelope) const {
  return place_of(process, envelope.to) + " <- " + short_text(envelope.message);
}

// ---- handlers and tasks ----

template <class Handler>
void StoryCluster::handle(std::uint32_t process, bool answers, Handler handler) {
  engine::Effects effects;
  const Look before = look(process);
  handler(effects);
  tell_changes(process, before, effects, answers);
  queue_effects(process, effects);
  run_ready_tasks();
}

void StoryCluster::queue_effects(std::uint32_t process, engine::Effects& effects) {
  tell_progress(effects);
  send(process, effects.messages);
  for (engine::Task& task : effects.tasks) {
    const bool paused = std::any_of(pauses_.begin(), pauses_.end(),
                                    [&](const TaskSelector& selector) { return selector.matches(process, task); });
    if (paused) say_always(kIndent + std::string("paused: ") + support::text_of(task.kind) + " at " + name_of(process));
    tasks_.push_back({process, std::move(task), paused});
  }
}

void StoryCluster::tell_progress(const engine::Effects& effects) {
  for (const ProgressEvent& event : effects.progress) say_always(kIndent + event_text(event));
  if (effects.end.has_value()) say_always(kIndent + end_text(*effects.end));
}

void StoryCluster::send(std::uint32_t process, const std::vector<wire::Envelope>& messages) {
  std::vector<Flight> sent;
  for (const wire::Envelope& envelope : messages) {
    const std::uint32_t to = destination(process, envelope.to);
    const bool held = std::any_of(holds_.begin(), holds_.end(),
                                  [&](const Selector& selector) { return selector.matches(to, envelope); });
    sent.push_back({envelope, process, to, held});
    if (alive(to)) wire_.push_back(sent.back());
  }
  for (std::size_t at = 0; at < sent.size();) {
    if (goes_to_every_node(sent, at)) {
      say(kIndent + std::string("every node <- ") + short_text(sent[at].envelope.message));
      at += options_.nodes;
    } else {
      tell_sent(sent[at++]);
    }
  }
}

bool StoryCluster::goes_to_every_node(const std::vector<Flight>& sent, std::size_t at) const {
  if (options_.nodes == 1 || at + options_.nodes > sent.size()) return false;
  for (std::uint32_t n = 0; n < options_.nodes; ++n) {
    const Flight& flight = sent[at + n];
    if (flight.held || !alive(n) || flight.envelope.to != wire::Address{wire::Role::node, n} ||
        flight.envelope.message != sent[at].envelope.message) {
      return false;
    }
  }
  return true;
}

void StoryCluster::tell_sent(const Flight& flight) {
  const std::string text = text_of(flight.process, flight.envelope);
  if (flight.held) {
    say_always(kIndent + std::string("held back: ") + text);
  } else {
    say(kIndent + text + (alive(flight.process) ? "" : ", which is gone"));
  }
}

void StoryCluster::run_ready_tasks() {
  const auto next = std::find_if(tasks_.begin(), tasks_.end(), [](const WaitingTask& task) { return !task.paused; });
  if (next == tasks_.end()) return;
  WaitingTask waiting = std::move(*next);
  tasks_.erase(next);
  run(std::move(waiting));
}

void StoryCluster::run(WaitingTask waiting) {
  SerialChunks chunks;
  say(kIndent + std::string(support::text_of(waiting.task.kind)));
  waiting.task.run(chunks);
  handle(waiting.process, false, [&](engine::Effects& effects) { waiting.task.done(effects); });
}

void StoryCluster::pause(const TaskSelector& selector) {
  pauses_.push_back(selector);
}

void StoryCluster::run_first(const TaskSelector& selector) {
  const auto found = std::find_if(tasks_.begin(), tasks_.end(), [&](const WaitingTask& waiting) {
    return selector.matches(waiting.process, waiting.task);
  });
  if (found == tasks_.end()) throw StoryError("no such task waits");
  WaitingTask waiting = std::move(*found);
  tasks_.erase(found);
  say(name_of(waiting.process));
  run(std::move(waiting));
}

void StoryCluster::resume(const TaskSelector& selector) {
  if (std::erase(pauses_, selector) == 0) throw StoryError("tasks like this are not paused");
  const auto waits = [&](const WaitingTask& waiting) { return selector.matches(waiting.process, waiting.task); };
  while (std::any_of(tasks_.begin(), tasks_.end(), waits)) run_first(selector);
}

// ---- everything else that can happen to a process ----

void StoryCluster::start(std::uint32_t rank) {
  engine::Node& starting = node(rank);
  say(name_of(rank));
  handle(rank, true, [&](engine::Effects& effects) { starting.start(effects); });
}

void StoryCluster::quiet(std::uint32_t process) {
  if (!alive(process)) throw StoryError(name_of(process) + " is not there");
  say(name_of(process));
  handle(process, true, [&](engine::Effects& effects) {
    is_driver(process) ? driver_->on_quiet(effects) : nodes_[process]->on_quiet(effects);
  });
}

void StoryCluster::wait(double seconds) {
  now_ += seconds;
  for (std::uint32_t rank = 0; rank < options_.nodes; ++rank) {
    if (!alive(rank)) continue;
    nodes_[rank]->note_time(now_);
    handle(rank, false, [&](engine::Effects& effects) {
      if (nodes_[rank]->ask_second_workers(effects)) say(name_of(rank));
    });
  }
}

void StoryCluster::roster(std::uint32_t rank, const std::vector<std::uint32_t>& workers) {
  engine::Node& hearing = node(rank);
  say(name_of(rank));
  handle(rank, true, [&](engine::Effects& effects) { hearing.on_roster(workers, effects); });
}

void StoryCluster::finish() {
  const std::uint32_t process = options_.roster().coordinator;
  say(name_of(process));
  handle(process, true, [&](engine::Effects& effects) {
    driver_ != nullptr ? driver_->request_finish(effects) : node(process).request_finish(effects);
  });
}

void StoryCluster::forget(std::uint32_t process, Version version, std::uint32_t phases) {
  is_driver(process) ? driver_->forget(phases) : node(process).forget(version, phases);
}

void StoryCluster::crash(std::uint32_t rank) {
  static_cast<void>(node(rank));
  nodes_[rank].reset();
  std::erase_if(tasks_, [rank](const WaitingTask& waiting) { return waiting.process == rank; });
  std::erase_if(wire_, [&](const Flight& flight) {
    if (flight.process == rank) say("lost: " + text_of(flight.process, flight.envelope));
    return flight.process == rank;
  });
}

// ---- what can be seen ----

StoryCluster::Look StoryCluster::look(std::uint32_t process) const {
  if (is_driver(process)) {
    return {driver_->counted(),
            driver_->phases(),
            false,
            driver_->ended(),
            driver_->dropped_messages() + driver_->repeated_commits(),
            driver_->repeated_messages(),
            driver_->progress_mark()};
  }
  const engine::Node& seen = node(process);
  return {seen.replica().version(), seen.phases_seen(),       seen.started(),      seen.stopped(),
          seen.dropped_messages(),  seen.repeated_messages(), seen.progress_mark()};
}

void StoryCluster::tell_changes(std::uint32_t process, const Look& before, const engine::Effects& effects,
                                bool answers) {
  const Look now = look(process);
  const std::size_t lines_before = lines_.size();
  if (now.dropped > before.dropped) say_always(kIndent + std::string("dropped"));
  if (!is_driver(process) && now.version != before.version)
    say(kIndent + std::string("version ") + std::to_string(now.version));
  if (!is_driver(process) && now.phases != before.phases)
    say(kIndent + std::string("verdict ") + std::to_string(now.phases - 1));
  if (!is_driver(process) && now.stopped && !before.stopped) say(kIndent + std::string("stopped"));
  if (now.repeated > before.repeated)
    say(kIndent + std::string("repeats ") + counted(now.repeated - before.repeated, "message"));
  const bool silent = effects.messages.empty() && effects.tasks.empty() && effects.progress.empty() && !effects.end;
  if (!answers || !silent || lines_.size() > lines_before) return;
  say(kIndent + std::string(now.mark != before.mark ? "taken" : "nothing"));
}

std::string StoryCluster::look_text(std::uint32_t process) const {
  const Look now = look(process);
  std::string text = (is_driver(process) ? "counted " : "version ") + std::to_string(now.version) + ", " +
                     counted(now.phases, "verdict");
  if (now.dropped > 0) text += ", " + std::to_string(now.dropped) + " dropped";
  if (now.repeated > 0) text += ", " + std::to_string(now.repeated) + " repeated";
  if (is_driver(process))
    return text + ", keeps " + counted(driver_->verdicts_kept(), "verdict") + (now.stopped ? ", ended" : "");
  if (!now.started) text += ", not started";
  if (node(process).blocks_computed() > 0) text += ", computed " + counted(node(process).blocks_computed(), "block");
  if (const auto asked = node(process).second_workers(); asked > 0)
    text += ", asked " + counted(asked, "second worker");
  if (node(process).waiting_for_plan()) text += ", its turn waits for a plan";
  return text + (now.stopped ? ", stopped" : "");
}

void StoryCluster::show_process(std::uint32_t process) {
  say_always(name_of(process) + ": " + look_text(process));
  for (const WaitingTask& waiting : tasks_) {
    if (waiting.process == process) say_always(kIndent + std::string("paused: ") + support::text_of(waiting.task.kind));
  }
}

void StoryCluster::show_replica(std::uint32_t rank) {
  const engine::Replica& replica = node(rank).replica();
  if (!replica.started()) throw StoryError(name_of(rank) + " has no replica yet");
  const auto& state = static_cast<const ScriptedState&>(*replica.current());
  std::string values;
  for (const double value : state.values) values += (values.empty() ? "" : " ") + short_number(value);
  say_always(name_of(rank) + ": replica(" + std::to_string(replica.version()) + ") = [" + values + "], " +
             counted(static_cast<std::uint64_t>(state.commits), "change"));
}

void StoryCluster::show_wire() {
  for (const Flight& flight : wire_)
    say_always(text_of(flight.process, flight.envelope) + (flight.held ? ", held back" : ""));
  if (wire_.empty()) say_always("nothing is on its way");
}

}  // namespace strads::support
