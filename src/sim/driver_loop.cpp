#include "sim/driver_loop.hpp"

#include <algorithm>
#include <utility>

#include "engine/session/speaker.hpp"

namespace strads::sim {
namespace {

constexpr double kGoodbyeAtMostSeconds = 2;
constexpr double kGoodbyeEverySeconds = 0.2;

}  // namespace

DriverLoop::DriverLoop(World& world, engine::Membership membership, std::shared_ptr<Model> model)
    : Process(world, static_cast<std::uint32_t>(world.options.nodes.size()), world.options.driver_host, "driver"),
      membership_(std::move(membership)),
      model_(std::move(model)) {
  if (!membership_.begun()) return;
  for (std::uint32_t rank = 0; rank < membership_.size(); ++rank) places_.push_back(rank);
  coordinate();
}

SimulatedUse DriverLoop::use() const {
  SimulatedUse use = Process::use();
  use.begun = begun();
  return use;
}

void DriverLoop::coordinate() {
  coordinator_ =
      std::make_unique<engine::Coordinator>(world_.options.engine, membership_.roster(), model_->make_judge());
}

void DriverLoop::on_begin() {
  for (std::uint32_t rank = 0; rank < membership_.size(); ++rank) membership_.heard(rank, now());
}

// --- the start, as DriverProcess ---

void DriverLoop::on_hello(std::uint32_t from, const wire::Hello& hello) {
  auto rank = membership_.find(hello);
  if (!rank.has_value()) {
    if (const auto reason = membership_.refusal()) return send(from, wire::Reject{*reason});
    if (membership_.size() == world_.options.nodes.size()) return;  // it asks again
    rank = membership_.join(hello, now());
    places_.insert(places_.begin() + static_cast<std::ptrdiff_t>(*rank), from);
    say("says: " + hello.name + " (process " + std::to_string(hello.process) + ") joined");
  }
  membership_.heard(*rank, now());
  if (membership_.begun()) return welcome(*rank);
  tell_member(*rank, wire::Beat{});
}

void DriverLoop::welcome(std::uint32_t rank) {
  auto welcome = membership_.welcome(rank);
  if (!welcome.has_value()) return tell_member(rank, membership_.too_late(rank));
  welcome->incarnations.push_back(0);
  tell_member(rank, *welcome);
}

void DriverLoop::look_at_start() {
  const auto nodes = static_cast<std::uint32_t>(world_.options.nodes.size());
  if (!membership_.begun()) {
    for (const auto& [rank, cause] : membership_.gone(now())) {
      say("says: " + membership_.members()[rank].hello.name + " went away while others were missing: " + cause);
      world_.starts.note(StartHit::joined_again);  // it must, or another in its place
      membership_.remove(rank);
      places_.erase(places_.begin() + static_cast<std::ptrdiff_t>(rank));
    }
    if (auto end = membership_.overdue(nodes, "the driver", world_.options.start.patience_seconds, now())) {
      RunEnd failed;
      failed.status = std::move(*end);
      return end_run(std::move(failed));
    }
    if (membership_.complete(nodes, now())) begin_run();
  }
  if (membership_.begun() && coordinator_ == nullptr && membership_.all_loaded()) {
    const auto different = membership_.different_data(model_->fingerprint());
    STRADS_CHECK(!different.has_value(), *different);
    coordinate();
    for (const wire::Message& message : early_) take(message);
    early_.clear();
    dispatch();
  }
}

void DriverLoop::begin_run() {
  if (Status begun = membership_.begin("the driver"); !begun.ok()) {
    RunEnd failed;
    failed.status = std::move(begun);
    return end_run(std::move(failed));
  }
  world_.run.begun = true;
  for (std::uint32_t rank = 0; rank < membership_.size(); ++rank) {
    unreached_.push_back(rank);
    welcome(rank);
  }
}

/// Connections are tried again and again.
void DriverLoop::note_reached() {
  std::erase_if(unreached_, [this](std::uint32_t member) {
    return reaches(places_[member], membership_.members()[member].hello.process);
  });
  membership_.on_unreached(unreached_, now());
}

// --- words ---

void DriverLoop::on_message(const Parcel& parcel, wire::Message message) {
  spend(world_.options.costs.handler);
  const bool member = std::holds_alternative<wire::Beat>(message) || std::holds_alternative<wire::Leave>(message) ||
                      std::holds_alternative<wire::Loaded>(message);
  if (const auto* hello = std::get_if<wire::Hello>(&message)) {
    on_hello(parcel.from, *hello);
  } else if (member) {
    on_member(parcel, message);
  } else if (coordinator_ == nullptr) {
    if (!engine::may_precede_start(message)) return world_.note_refused(name(), message);
    early_.push_back(std::move(message));
  } else {
    take(message);
    dispatch();
  }
}

void DriverLoop::take(const wire::Message& message) {
  if (!coordinator_->on_message(message, effects_)) world_.note_refused(name(), message);
}

void DriverLoop::on_member(const Parcel& parcel, const wire::Message& message) {
  const auto& members = membership_.members();
  const auto at = std::find_if(members.begin(), members.end(),
                               [&](const auto& each) { return each.hello.process == parcel.process; });
  if (at == members.end() || !membership_.begun()) return;
  const auto rank = static_cast<std::uint32_t>(at - members.begin());
  if (at->lost) return tell_member(rank, membership_.too_late(rank));
  membership_.heard(rank, now());
  if (const auto* leave = std::get_if<wire::Leave>(&message)) {
    take(membership_.on_leave(rank, *leave, !goodbye_.has_value()));
  } else if (const auto* loaded = std::get_if<wire::Loaded>(&message)) {
    take(membership_.on_loaded(rank, *loaded));
  } else if (const auto* beat = std::get_if<wire::Beat>(&message)) {
    const bool counts = coordinator_ != nullptr;
    const wire::Beat answer = membership_.on_beat(
        rank, *beat, counts ? std::optional<Version>(coordinator_->counted()) : std::nullopt, now());
    if (counts) coordinator_->forget(answer.phases);
    tell_member(rank, answer);
  }
  if (goodbye_.has_value()) say_goodbye();
}

void DriverLoop::dispatch() {
  std::vector<wire::Envelope> batch;
  batch.swap(effects_.messages);
  for (const wire::Envelope& envelope : batch) note_sent(envelope);
  for (const wire::Envelope& envelope : batch) tell_member(membership_.roster().node_of(envelope.to), envelope.message);
  const bool finish = tell(effects_.progress);
  if (effects_.end.has_value()) {
    RunEnd end = std::move(*effects_.end);
    effects_.end.reset();
    return end_run(std::move(end));
  }
  if (!finish) return;
  coordinator_->request_finish(effects_);
  dispatch();
}

void DriverLoop::take(const engine::Membership::Outcome& outcome) {
  for (const auto& note : outcome.notes) {
    if (note.text.ends_with(" is back")) ++world_.rejoined;
    say("says: " + note.text);
  }
  if (outcome.roster.has_value()) {
    for (std::uint32_t rank = 0; rank < membership_.size(); ++rank) {
      if (!membership_.members()[rank].lost) tell_member(rank, *outcome.roster);
    }
  }
  if (!outcome.end.has_value() || goodbye_.has_value()) return;
  RunEnd end;
  end.status = *outcome.end;
  end_run(std::move(end));
}

void DriverLoop::on_look() {
  if (goodbye_.has_value()) return say_goodbye();
  look_at_start();
  if (goodbye_.has_value() || !alive()) return;
  if (coordinator_ != nullptr && quiet_.due(coordinator_->progress_mark(), false, now())) {
    coordinator_->on_quiet(effects_);
    take(membership_.on_quiet());
    dispatch();
  }
  if (goodbye_.has_value() || !membership_.begun()) return;
  note_reached();
  take(membership_.look(now()));
}

void DriverLoop::on_closed(std::uint32_t rank, std::uint64_t process) {
  for (std::uint32_t member = 0; member < membership_.size(); ++member) {
    if (places_[member] == rank && membership_.members()[member].hello.process == process) {
      membership_.closed(member, now());
    }
  }
}

void DriverLoop::end_run(RunEnd end) {
  if (goodbye_.has_value()) return;
  say(end.status.ok() ? "ends the run: " + end.stop_reason : "ends the run: " + end.status.message());
  goodbye_ = wire::Leave{static_cast<std::uint8_t>(end.status.code()), end.status.message()};
  goodbye_since_ = now();
  next_goodbye_ = now();
  world_.run.end = std::move(end);
  world_.run.ended = true;
  world_.end_time = cursor();
  say_goodbye();
}

void DriverLoop::say_goodbye() {
  bool waits = false;
  for (std::uint32_t rank = 0; rank < membership_.size(); ++rank) waits = waits || membership_.awaited(rank, now());
  if (!waits || now() - goodbye_since_ > kGoodbyeAtMostSeconds) return leave("ends");
  if (now() < next_goodbye_) return;
  next_goodbye_ = now() + kGoodbyeEverySeconds;
  for (std::uint32_t rank = 0; rank < membership_.size(); ++rank) {
    if (membership_.awaited(rank, now())) tell_member(rank, *goodbye_);
  }
}

void DriverLoop::on_killed() {
  if (coordinator_ == nullptr) return;
  world_.repeated += coordinator_->repeated_messages();
  world_.dropped += coordinator_->dropped_messages();
}

}  // namespace strads::sim
