#include "engine/session/driver_session.hpp"

#include <algorithm>

#include "engine/rounds/acceptable.hpp"
#include "engine/session/speaker.hpp"

namespace strads::engine {
namespace {

constexpr double kGoodbyeAtMostSeconds = 2;
constexpr double kGoodbyeEverySeconds = 0.2;
constexpr double kOpenEverySeconds = 0.25;  ///< to those that have not loaded it yet

}  // namespace

DriverSession::DriverSession(const EngineOptions& engine, Membership membership, std::uint32_t nodes,
                             Endpoints endpoints, double start_seconds)
    : membership_(std::move(membership)),
      nodes_(nodes),
      endpoints_(std::move(endpoints)),
      start_seconds_(start_seconds) {
  runs_[kFirstRun].engine = engine;
}

void DriverSession::fail(Status status) {
  if (ended()) return;
  end_.emplace();
  end_->status = std::move(status);
}

void DriverSession::end_run(std::uint32_t number, RunEnd end) {
  DriverRun* ended_run = run(number);
  if (ended_run == nullptr || ended_run->end.has_value() || ended()) return;
  requests.ended.emplace_back(number, end);
  if (number == kFirstRun) first_end_ = end;
  const bool fails = !end.status.ok() && end.status.code() != StatusCode::stopped;
  ended_run->end = std::move(end);
  if (fails) end_ = *ended_run->end;
  end_when_no_run_is_left();
}

void DriverSession::end_when_no_run_is_left() {
  const bool any = std::any_of(runs_.begin(), runs_.end(), [](const auto& each) { return !each.second.end; });
  if (!ended() && !stays && !any) end_ = first_end_;
}

// --- the runs that it hosts ---

std::uint32_t DriverSession::open(const EngineOptions& engine, std::string request, std::optional<std::uint32_t> turn,
                                  std::function<bool()> may_judge) {
  const std::uint32_t number = next_number_++;
  DriverRun& opened = runs_[number];
  opened.number = number;
  opened.engine = engine;
  opened.turn = turn.value_or(number);
  opened.request = wire::Open{number, opened.turn, std::move(request)};
  opened.may_judge = std::move(may_judge);
  return number;
}

DriverRun* DriverSession::run(std::uint32_t number) {
  const auto held = runs_.find(number);
  return held == runs_.end() ? nullptr : &held->second;
}

/// Until it has LOADED each node is asked again.
void DriverSession::tell_requests(double now) {
  for (auto& [number, asked] : runs_) {
    if (!asked.request.has_value() || asked.coordinator != nullptr || now < asked.next_request) continue;
    asked.next_request = now + kOpenEverySeconds;
    for (std::uint32_t rank = 0; rank < membership_.size(); ++rank) {
      const Member& member = membership_.members()[rank];
      if (!member.lost && !member.loaded.contains(number)) tell(rank, *asked.request);
    }
  }
}

/// Nodes ask for verdicts until they have the last one.
void DriverSession::let_go_of_ended_runs() {
  for (auto held = runs_.begin(); held != runs_.end();) {
    const auto& [number, ended_run] = *held;
    const bool all_know = ended_run.end.has_value() && ended_run.coordinator != nullptr &&
                          membership_.all_have(number, ended_run.coordinator->phases());
    if (!all_know) {
      ++held;
      continue;
    }
    membership_.forget_run(number);
    held = runs_.erase(held);
  }
}

/// A node that holds a run which is none any more may let it go; it says so in its beats until it does.
void DriverSession::close_what_is_over(std::uint32_t rank, const wire::Beat& beat) {
  for (const std::uint32_t number : beat.runs) {
    if (number < next_number_ && run(number) == nullptr) tell(rank, wire::Close{number});
  }
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

// --- messages of members ---

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
  for (const auto& [number, each] : runs_) {
    if (each.coordinator != nullptr) counted.emplace(number, each.coordinator->counted());
  }
  wire::Beat answer = membership_.on_beat(rank, beat, counted, now);
  for (auto& [number, each] : runs_) {
    if (each.coordinator != nullptr) each.coordinator->forget(reached_in(answer, number).phases);
  }
  tell(rank, std::move(answer));
  take(membership_.on_late(beat.late));
  if (!ended()) let_go_of_ended_runs();
  close_what_is_over(rank, beat);
  for (std::size_t i = 0; i < std::min(beat.accused.size(), beat.grounds.size()); ++i) {
    take(membership_.expel(beat.accused[i], member_text(rank, membership_.members()[rank]),
                           static_cast<Refusal>(beat.grounds[i])));
  }
}

/// A node that cannot load quotes nothing of what it has read. The driver reads the same files and may: what it finds
/// is waited for.
void DriverSession::on_loaded(std::uint32_t rank, const wire::Loaded& loaded) {
  if (loaded.run >= next_number_) return refuse(Refusal::impossible, rank);
  const DriverRun* held = run(loaded.run);
  if (held == nullptr) return;
  auto outcome = membership_.on_loaded(rank, loaded);
  if (outcome.end.has_value() && held->model == nullptr) {
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

void DriverSession::on_model(std::uint32_t number, const Result<std::shared_ptr<Model>>& model,
                             std::uint64_t fingerprint) {
  DriverRun* held = run(number);
  if (held == nullptr) return;
  if (!model.ok()) return fail(model.status());
  held->model = model.value();
  held->fingerprint = fingerprint;
  if (node_failed_.has_value()) return fail(*node_failed_);
  if (membership_.begun()) coordinate_when_all_have_loaded(*held);
}

void DriverSession::coordinate_when_all_have_loaded(DriverRun& held) {
  if (held.coordinator != nullptr || held.model == nullptr || !membership_.all_loaded(held.number)) return;
  if (const auto difference = membership_.different_data(held.fingerprint, held.number))
    return fail(Status::cluster(*difference));
  held.coordinator = std::make_unique<Coordinator>(held.engine, roster_of_run(membership_.roster(), held.turn),
                                                   held.model->make_judge());
  if (held.may_judge) held.coordinator->wait_for(held.may_judge);
  for (const auto& [scheduler, early] : std::exchange(held.early, {})) take(held, early.first, early.second);
  if (finish_asked_) held.coordinator->request_finish(held.effects);
}

void DriverSession::on_message(std::uint32_t number, std::uint32_t from, wire::Message message) {
  if (number >= next_number_) return refuse(Refusal::impossible, from);
  DriverRun* held = run(number);
  if (held == nullptr) return;  // it is over everywhere: what still comes was long on its way
  if (!may_say(from, message, roster_of_run(membership_.roster(), held->turn))) return refuse(Refusal::misplaced, from);
  if (held->coordinator != nullptr) return take(*held, from, message);
  if (!may_precede_start(message)) return refuse(Refusal::impossible, from);
  const auto* ready = std::get_if<wire::Ready>(&message);
  if (ready == nullptr) return;  // it asks again
  const std::uint32_t scheduler = ready->scheduler;
  held->early.try_emplace(scheduler, from, std::move(message));
}

void DriverSession::take(DriverRun& held, std::uint32_t from, const wire::Message& message) {
  if (!acceptable(*held.model, message)) return refuse(Refusal::unacceptable, from);
  if (!held.coordinator->on_message(message, held.effects)) refuse(Refusal::impossible, from);
}

void DriverSession::request_finish() {
  if (ended()) return;
  if (std::none_of(runs_.begin(), runs_.end(), [](const auto& each) { return each.second.coordinator != nullptr; }) &&
      next_number_ == kFirstRun + 1) {
    return fail({StatusCode::stopped, "interrupted before the first round: there are no results to write"});
  }
  if (std::exchange(finish_asked_, true)) return;
  for (auto& [number, each] : runs_) {
    if (each.coordinator != nullptr) each.coordinator->request_finish(each.effects);
  }
}

// --- timers ---

bool DriverSession::look(double now) {
  if (ended()) return false;
  if (!membership_.begun()) {
    look_for_nodes(now);
    return false;
  }
  end_when_no_run_is_left();
  tell_requests(now);
  bool quiet = false;
  for (auto& [number, each] : runs_) {
    coordinate_when_all_have_loaded(each);
    if (each.coordinator != nullptr) each.coordinator->reconsider(each.effects);
    if (each.coordinator == nullptr || !each.quiet.due(each.coordinator->progress_mark(), false, now)) continue;
    each.coordinator->on_quiet(each.effects);
    quiet = true;
  }
  if (quiet) take(membership_.on_quiet());
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
  return end_->status.ok() || (end_->status.code() == StatusCode::stopped && first_end_.has_value());
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
