#include "engine/session/driver_session.hpp"

#include <algorithm>

#include "engine/rounds/acceptable.hpp"
#include "engine/session/speaker.hpp"

namespace strads::engine {
namespace {

constexpr double kGoodbyeAtMostSeconds = 2;
constexpr double kGoodbyeEverySeconds = 0.2;

}  // namespace

DriverSession::DriverSession(const EngineOptions& engine, Membership membership, std::uint32_t nodes,
                             Endpoints endpoints, double start_seconds)
    : engine_(engine),
      membership_(std::move(membership)),
      nodes_(nodes),
      endpoints_(std::move(endpoints)),
      start_seconds_(start_seconds) {}

void DriverSession::fail(Status status) {
  RunEnd failed;
  failed.status = std::move(status);
  end_run(std::move(failed));
}

void DriverSession::end_run(RunEnd end) {
  if (!end_.has_value()) end_ = std::move(end);
}

void DriverSession::take(const Membership::Outcome& outcome) {
  requests.notes.insert(requests.notes.end(), outcome.notes.begin(), outcome.notes.end());
  for (const std::uint32_t rank : outcome.newly_lost) {
    requests.drop.push_back(rank);
    if (membership_.members()[rank].expelled)
      tell(rank, membership_.too_late(rank));  // others may ask what became of them
  }
  if (outcome.end.has_value()) fail(*outcome.end);
  if (!outcome.roster.has_value()) return;
  for (std::uint32_t rank = 0; rank < membership_.size(); ++rank) {
    if (!membership_.members()[rank].lost) tell(rank, *outcome.roster);
  }
}

// --- who joins ---

std::optional<DriverSession::Joined> DriverSession::on_hello(const wire::Hello& hello, double now) {
  if (const auto rank = membership_.find(hello)) return Joined{*rank, false};
  if (membership_.size() == nodes_) return std::nullopt;
  const std::uint32_t rank = membership_.join(hello, now);
  requests.notes.push_back({hello.name + " (process " + std::to_string(hello.process) +
                                ") joined: " + std::to_string(membership_.size()) + " of " + std::to_string(nodes_),
                            false});
  return Joined{rank, true};
}

void DriverSession::answer(std::uint32_t rank) {
  if (!membership_.begun()) return tell(rank, wire::Beat{});
  if (auto welcome = membership_.welcome(rank)) return tell(rank, std::move(*welcome));
  tell(rank, membership_.too_late(rank));
}

void DriverSession::look_for_nodes(double now) {
  if (membership_.complete(nodes_, now)) {
    if (Status begun = membership_.begin(endpoints_.data); !begun.ok()) return fail(std::move(begun));
    requests.welcome = true;
    return;
  }
  // Whoever went away before the beginning makes room for another.
  for (const auto& [rank, cause] : membership_.gone(now)) {
    requests.notes.push_back(
        {membership_.members()[rank].hello.name + " went away while others were missing: " + cause, true});
    membership_.remove(rank);
    requests.removed.push_back(rank);
  }
  if (auto end = membership_.overdue(nodes_, endpoints_.control, start_seconds_, now)) {
    fail({end->code(), end->message() + advice});
  }
}

void DriverSession::welcome_all() {
  for (std::uint32_t rank = 0; rank < membership_.size(); ++rank) {
    const auto schedulers = roles_on(membership_.roster().schedulers, rank);
    const auto workers = roles_on(membership_.roster().workers, rank);
    requests.notes.push_back({member_text(rank, membership_.members()[rank]) + ": schedulers" +
                                  (schedulers.empty() ? " none" : schedulers) + "; workers" +
                                  (workers.empty() ? " none" : workers),
                              false});
    answer(rank);
  }
}

// --- words of members ---

void DriverSession::on_member(std::uint32_t rank, const wire::Message& message, double now) {
  if (const auto* beat = std::get_if<wire::Beat>(&message)) {
    on_beat(rank, *beat, now);
  } else if (const auto* loaded = std::get_if<wire::Loaded>(&message)) {
    on_loaded(rank, *loaded);
  } else if (const auto* leave = std::get_if<wire::Leave>(&message)) {
    take(membership_.on_leave(rank, *leave, !ended()));
  } else {
    refuse(Refusal::misplaced, rank);
  }
}

void DriverSession::on_beat(std::uint32_t rank, const wire::Beat& beat, double now) {
  std::map<std::uint32_t, Version> counted;
  if (coordinator_ != nullptr) counted.emplace(kFirstRun, coordinator_->counted());
  wire::Beat answer = membership_.on_beat(rank, beat, counted, now);
  if (coordinator_ != nullptr) coordinator_->forget(reached_in(answer, kFirstRun).phases);
  tell(rank, std::move(answer));
  for (std::size_t i = 0; i < std::min(beat.accused.size(), beat.grounds.size()); ++i) {
    take(membership_.expel(beat.accused[i], member_text(rank, membership_.members()[rank]),
                           static_cast<Refusal>(beat.grounds[i])));
  }
}

/// A node that cannot load quotes nothing of what it has read. The driver reads the same files and may: what it finds
/// is waited for.
void DriverSession::on_loaded(std::uint32_t rank, const wire::Loaded& loaded) {
  if (loaded.run != kFirstRun) return refuse(Refusal::impossible, rank);
  auto outcome = membership_.on_loaded(rank, loaded);
  if (outcome.end.has_value() && model_ == nullptr) {
    if (!node_failed_.has_value()) node_failed_ = std::move(outcome.end);
    outcome.end.reset();
  }
  take(outcome);
}

void DriverSession::refuse(Refusal kind, std::optional<std::uint32_t> from) {
  refused_.add(kind);
  if (from.has_value() && offences_.note(*from, kind)) take(membership_.expel(*from, "the driver", kind));
}

void DriverSession::on_ended_process(std::uint32_t rank, const std::string& how) {
  if (ended()) return membership_.note_ended(rank);  // it does not answer any more
  take(membership_.lose(rank, "the process ended: " + how));
}

// --- the run ---

void DriverSession::on_model(const Result<std::shared_ptr<Model>>& model, std::uint64_t fingerprint) {
  if (!model.ok()) return fail(model.status());
  model_ = model.value();
  fingerprint_ = fingerprint;
  if (node_failed_.has_value()) return fail(*node_failed_);
  if (membership_.begun()) coordinate_when_all_have_loaded();
}

void DriverSession::coordinate_when_all_have_loaded() {
  if (coordinator_ != nullptr || model_ == nullptr || !membership_.all_loaded()) return;
  if (const auto difference = membership_.different_data(fingerprint_)) return fail(Status::cluster(*difference));
  coordinator_ = std::make_unique<Coordinator>(engine_, membership_.roster(), model_->make_judge());
  for (const auto& [scheduler, early] : std::exchange(early_, {})) take(early.first, early.second);
}

void DriverSession::on_message(std::uint32_t run, std::uint32_t from, wire::Message message) {
  if (run != kFirstRun) return refuse(Refusal::impossible, from);
  if (!may_say(from, message, membership_.roster())) return refuse(Refusal::misplaced, from);
  if (coordinator_ != nullptr) return take(from, message);
  if (!may_precede_start(message)) return refuse(Refusal::impossible, from);
  const auto* ready = std::get_if<wire::Ready>(&message);
  if (ready == nullptr) return;  // it asks again
  const std::uint32_t scheduler = ready->scheduler;
  early_.try_emplace(scheduler, from, std::move(message));
}

void DriverSession::take(std::uint32_t from, const wire::Message& message) {
  if (!acceptable(*model_, message)) return refuse(Refusal::unacceptable, from);
  if (!coordinator_->on_message(message, effects)) refuse(Refusal::impossible, from);
}

void DriverSession::request_finish() {
  if (ended()) return;
  if (coordinator_ == nullptr) {
    return fail({StatusCode::stopped, "interrupted before the first round: there are no results to write"});
  }
  if (!std::exchange(finish_asked_, true)) coordinator_->request_finish(effects);
}

// --- timers ---

bool DriverSession::look(double now) {
  if (ended()) return false;
  if (!membership_.begun()) {
    look_for_nodes(now);
    return false;
  }
  coordinate_when_all_have_loaded();
  const bool quiet = coordinator_ != nullptr && quiet_.due(coordinator_->progress_mark(), false, now);
  if (quiet) {
    coordinator_->on_quiet(effects);
    take(membership_.on_quiet());
  }
  if (!ended()) take(membership_.look(now));
  return quiet;
}

void DriverSession::say_goodbye(double now) {
  if (!goodbye_since_.has_value()) goodbye_since_ = next_goodbye_ = now;
  if (now < next_goodbye_) return;
  next_goodbye_ += kGoodbyeEverySeconds;
  const wire::Leave leave{static_cast<std::uint8_t>(totals_count() ? StatusCode::ok : end_->status.code()),
                          end_->status.message()};
  for (std::uint32_t rank = 0; rank < membership_.size(); ++rank) {
    if (membership_.awaited(rank, now)) tell(rank, leave);
  }
}

bool DriverSession::totals_count() const {
  return end_->status.ok() || (end_->status.code() == StatusCode::stopped && coordinator_ != nullptr);
}

bool DriverSession::over(double now) const {
  if (!ended()) return false;
  if (goodbye_since_.has_value() && now - *goodbye_since_ > kGoodbyeAtMostSeconds) return true;
  for (std::uint32_t rank = 0; rank < membership_.size(); ++rank) {
    if (membership_.awaited(rank, now)) return false;
  }
  return true;
}

}  // namespace strads::engine
