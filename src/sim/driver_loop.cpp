#include "sim/driver_loop.hpp"

#include <algorithm>
#include <utility>

namespace strads::sim {
namespace {

constexpr double kGoodbyeAtMostSeconds = 2;
constexpr double kGoodbyeEverySeconds = 0.2;

}  // namespace

DriverLoop::DriverLoop(World& world, engine::Membership membership, std::shared_ptr<Model> model)
    : Process(world, membership.size(), world.options.driver_host, "driver"),
      membership_(std::move(membership)),
      model_(std::move(model)),
      coordinator_(world.options.engine, membership_.roster(), model_->make_judge()) {}

void DriverLoop::on_begin() {
  for (std::uint32_t rank = 0; rank < membership_.size(); ++rank) membership_.heard(rank, now());
}

void DriverLoop::on_message(std::uint32_t from, wire::Message message) {
  spend(world_.options.costs.handler);
  if (std::holds_alternative<wire::Hello>(message)) {
    return send(from, wire::Reject{membership_.refusal().value_or("it is not expected")});
  }
  const auto* beat = std::get_if<wire::Beat>(&message);
  const auto* leave = std::get_if<wire::Leave>(&message);
  if (beat == nullptr && leave == nullptr) {
    coordinator_.on_message(message, effects_);
    return dispatch();
  }
  if (membership_.members()[from].lost) return send(from, engine::Membership::too_late());
  membership_.heard(from, now());
  if (leave != nullptr) {
    take(membership_.on_leave(from, *leave, !goodbye_.has_value()));
    if (goodbye_.has_value()) say_goodbye();
    return;
  }
  const wire::Beat answer = membership_.on_beat(from, *beat, coordinator_.counted());
  coordinator_.forget(answer.phases);
  send(from, answer);
  if (goodbye_.has_value()) say_goodbye();
}

void DriverLoop::dispatch() {
  std::vector<wire::Envelope> batch;
  batch.swap(effects_.messages);
  for (const wire::Envelope& envelope : batch) note_sent(envelope);
  for (const wire::Envelope& envelope : batch) send(membership_.roster().node_of(envelope.to), envelope.message);
  const bool finish = tell(effects_.progress);
  if (effects_.end.has_value()) {
    RunEnd end = std::move(*effects_.end);
    effects_.end.reset();
    return end_run(std::move(end));
  }
  if (!finish) return;
  coordinator_.request_finish(effects_);
  dispatch();
}

void DriverLoop::take(const engine::Membership::Outcome& outcome) {
  for (const auto& note : outcome.notes) {
    if (note.text.ends_with(" is back")) ++world_.rejoined;
    say("says: " + note.text);
  }
  if (outcome.roster.has_value()) {
    for (std::uint32_t rank = 0; rank < membership_.size(); ++rank) {
      if (!membership_.members()[rank].lost) send(rank, *outcome.roster);
    }
  }
  if (!outcome.end.has_value() || goodbye_.has_value()) return;
  RunEnd end;
  end.status = *outcome.end;
  end_run(std::move(end));
}

void DriverLoop::on_look() {
  if (goodbye_.has_value()) return say_goodbye();
  if (quiet_.due(coordinator_.progress_mark(), false, now())) {
    coordinator_.on_quiet(effects_);
    take(membership_.on_quiet());
    dispatch();
  }
  if (!goodbye_.has_value()) take(membership_.look(now()));
}

void DriverLoop::on_closed(std::uint32_t rank) {
  membership_.closed(rank, now());
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
    if (membership_.awaited(rank, now())) send(rank, *goodbye_);
  }
}

void DriverLoop::on_killed() {
  world_.repeated += coordinator_.repeated_messages();
  world_.dropped += coordinator_.dropped_messages();
}

}  // namespace strads::sim
