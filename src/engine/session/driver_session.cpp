#include "engine/session/driver_session.hpp"

#include <algorithm>

#include "engine/rounds/acceptable.hpp"
#include "engine/session/speaker.hpp"

namespace strads::engine {
namespace {

constexpr double kGoodbyeAtMostSeconds = 2;
constexpr double kGoodbyeEverySeconds = 0.2;
constexpr double kOpenEverySeconds = 0.25;     ///< to those that have not loaded it yet
constexpr double kWelcomeEverySeconds = 0.25;  ///< to those that have not answered it

}  // namespace

// What a run is when it goes on under another number: driver_moves.cpp.

DriverSession::DriverSession(const EngineOptions& engine, Membership membership, std::uint32_t nodes,
                             Endpoints endpoints, double start_seconds)
    : membership_(std::move(membership)),
      nodes_(nodes),
      endpoints_(std::move(endpoints)),
      start_seconds_(start_seconds) {
  runs_[kFirstRun].engine = engine;
  membership_.let_reach_within(start_seconds);
}

void DriverSession::fail(Status status) {
  if (ended()) return;
  end_.emplace();
  end_->status = std::move(status);
}

void DriverSession::end_run(std::uint32_t number, RunEnd end) {
  DriverRun* ended_run = run(number);
  if (ended_run == nullptr || ended_run->end.has_value() || ended()) return;
  requests.ended.emplace_back(ended_run->place, end);
  if (ended_run->place == kFirstPlace) first_end_ = end;
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
                                  std::function<bool()> may_judge, std::shared_ptr<const RunCheckpoint> from) {
  const std::uint32_t number = next_number_++;
  DriverRun& opened = runs_[number];
  opened.number = number;
  opened.place = next_place_++;
  opened.engine = engine;
  opened.roster = membership_.roster();
  opened.turn = turn.value_or(opened.place);
  opened.may_judge = std::move(may_judge);
  begin_from(opened, std::move(from));
  opened.request = request_of(opened, wire::kNoRun, std::move(request));
  return opened.place;
}

DriverRun* DriverSession::run(std::uint32_t number) {
  const auto held = runs_.find(number);
  return held == runs_.end() ? nullptr : &held->second;
}

const DriverRun* DriverSession::run_of(std::uint32_t place) const {
  const auto held =
      std::find_if(runs_.begin(), runs_.end(), [&](const auto& each) { return each.second.place == place; });
  return held == runs_.end() ? nullptr : &held->second;
}

const Coordinator* DriverSession::coordinator(std::uint32_t place) const {
  const DriverRun* held = run_of(place);
  return held == nullptr ? nullptr : held->coordinator.get();
}

/// Until it has LOADED each node is asked again: one that was silent may do so when the run goes on already.
void DriverSession::tell_requests(double now) {
  for (auto& [number, asked] : runs_) {
    if (!asked.request.has_value() || asked.end.has_value() || now < asked.next_request) continue;
    asked.next_request = now + kOpenEverySeconds;
    asked.request->roster = membership_.roster_number();
    asked.request->workers = membership_.workers_now();
    for (std::uint32_t rank = 0; rank < asked.roster.nodes; ++rank) {
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
                          membership_.all_have(number, ended_run.roster.nodes, ended_run.coordinator->phases());
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

void DriverSession::carry_out(const Membership::Outcome& outcome) {
  requests.notes.insert(requests.notes.end(), outcome.notes.begin(), outcome.notes.end());
  for (const std::uint32_t rank : outcome.newly_lost) {
    requests.drop.push_back(rank);
    if (membership_.members()[rank].expelled)
      tell(rank, membership_.too_late(rank));  // others may ask what became of them
  }
  if (outcome.end.has_value()) fail(*outcome.end);
  moves_now_ = moves_now_ || outcome.moves;
  if (!outcome.roster.has_value()) return;
  for (std::uint32_t rank = 0; rank < membership_.size(); ++rank) {
    if (!membership_.members()[rank].lost) tell(rank, *outcome.roster);
  }
}

// --- who joins ---

std::optional<DriverSession::Joined> DriverSession::on_hello(const wire::Hello& hello, double now) {
  if (const auto rank = membership_.find(hello)) return Joined{*rank, false};
  const bool late = membership_.begun();
  if (!late && membership_.size() == nodes_) return std::nullopt;
  const std::uint32_t rank = late ? membership_.join_late(hello, now) : membership_.join(hello, now);
  const std::string who = hello.name + " (process " + std::to_string(hello.process) + ") joined";
  requests.notes.push_back({late ? who + " while runs go on, as rank " + std::to_string(rank)
                                 : who + ": " + std::to_string(membership_.size()) + " of " + std::to_string(nodes_),
                            false});
  return Joined{rank, true, late};
}

void DriverSession::answer(std::uint32_t rank) {
  if (!membership_.begun() || !membership_.others_know(rank)) return tell(rank, wire::Beat{});
  auto welcome = membership_.welcome(rank);
  if (!welcome.has_value()) return tell(rank, membership_.too_late(rank));
  if (run(kFirstRun) == nullptr) welcome->waits = 1;
  tell(rank, std::move(*welcome));
  if (membership_.roster_number() > 0) tell(rank, membership_.last_roster());
}

void DriverSession::introduce(std::uint32_t rank) {
  for (std::uint32_t other = 0; other < rank; ++other) {
    if (!membership_.members()[other].lost) tell(other, membership_.peer(rank));
  }
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

/// A WELCOME that was lost is not waited for until the node's next HELLO, which may be lost as well.
void DriverSession::welcome_again(double now) {
  if (now < next_welcome_) return;
  next_welcome_ = now + kWelcomeEverySeconds;
  for (std::uint32_t rank = 0; rank < membership_.size(); ++rank) {
    const Member& member = membership_.members()[rank];
    if (!member.lost && member.takes_part && member.beat.number == 0) answer(rank);
  }
}

void DriverSession::welcome_all() {
  next_welcome_ = now_ + kWelcomeEverySeconds;
  runs_.at(kFirstRun).roster = membership_.roster();
  if (records_[kFirstPlace].checkpoint != nullptr || !first_request_.empty()) go_on_elsewhere(runs_.at(kFirstRun));
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
    carry_out(membership_.on_leave(rank, *leave, !ended()));
    end_before_all_have_left();
    // It says so with each beat; the answer may be long in coming.
    const Member& member = membership_.members()[rank];
    if (!ended() && finish_asked_ && member.leaving && !member.lost) tell(rank, wire::Finish{});
  } else if (const auto* fetch = std::get_if<wire::Fetch>(&message)) {
    on_fetch(rank, *fetch);
  } else {
    refuse(Refusal::misplaced, rank);
  }
}

void DriverSession::on_beat(std::uint32_t rank, const wire::Beat& beat, double now) {
  std::map<std::uint32_t, Membership::Counted> counted;
  for (const auto& [number, each] : runs_) {
    if (each.coordinator != nullptr) counted[number] = {each.coordinator->counted(), each.roster.nodes};
  }
  wire::Beat answer = membership_.on_beat(rank, beat, counted, now);
  for (auto& [number, each] : runs_) {
    if (each.coordinator == nullptr) continue;
    const Reached all = reached_in(answer, number);
    each.coordinator->forget(all.phases);
    if (each.from != nullptr && all.phases > each.from->judged.size()) each.snapshot = {};  // all have begun
  }
  tell(rank, std::move(answer));
  const bool joins = beat.stage == static_cast<std::uint8_t>(NodeStage::joining);
  for (std::uint32_t other = std::max(beat.peers, nodes_); !joins && other < membership_.size(); ++other)
    tell(rank, membership_.peer(other));
  carry_out(membership_.on_late(beat.late));
  if (!ended()) let_go_of_ended_runs();
  close_what_is_over(rank, beat);
  for (std::size_t i = 0; i < std::min(beat.accused.size(), beat.grounds.size()); ++i) {
    carry_out(membership_.expel(beat.accused[i], member_text(rank, membership_.members()[rank]),
                                static_cast<Refusal>(beat.grounds[i])));
  }
}

/// A node that cannot load quotes nothing of what it has read. The driver reads the same files and may: what it finds
/// is waited for.
void DriverSession::on_loaded(std::uint32_t rank, const wire::Loaded& loaded) {
  if (loaded.run >= next_number_) return refuse(Refusal::impossible, rank);
  const bool is_late = !membership_.members()[rank].takes_part && loaded.run == kFirstRun;
  const DriverRun* held = run(loaded.run);
  if (held == nullptr && !is_late) return;
  auto outcome = membership_.on_loaded(rank, loaded);
  if (outcome.end.has_value() && held != nullptr && held->model == nullptr) {
    if (!node_failed_.has_value()) node_failed_ = std::move(outcome.end);
    outcome.end.reset();
  }
  carry_out(outcome);
  if (held == nullptr || held->coordinator == nullptr || ended()) return;
  // It was silent when the run began.
  if (const auto difference = membership_.different_data(held->fingerprint, held->number, held->roster.nodes))
    fail(Status::cluster(*difference));
}

void DriverSession::on_fetch(std::uint32_t rank, const wire::Fetch& fetch) {
  const DriverRun* held = run(fetch.run);
  if (held == nullptr || fetch.part >= parts_of(held->snapshot.size())) return;
  tell(rank, wire::Part{fetch.run, fetch.part, part_of(held->snapshot, fetch.part)});
}

void DriverSession::refuse(Refusal kind, std::optional<std::uint32_t> from) {
  refused_.add(kind);
  if (from.has_value() && offences_.count_offence(*from, kind)) carry_out(membership_.expel(*from, "the driver", kind));
}

void DriverSession::on_ended_process(std::uint32_t rank, const std::string& how) {
  if (ended()) return membership_.note_ended(rank);  // it does not answer any more
  carry_out(membership_.lose(rank, "the process ended: " + how));
}

// --- the run ---

void DriverSession::on_model(std::uint32_t place, const Result<std::shared_ptr<Model>>& model,
                             std::uint64_t fingerprint) {
  DriverRun* held = run_of(place);
  if (held == nullptr) return;
  if (!model.ok()) return fail(model.status());
  held->model = model.value();
  held->fingerprint = fingerprint;
  if (place == kFirstPlace) first_fingerprint_ = fingerprint;
  if (node_failed_.has_value()) return fail(*node_failed_);
  if (membership_.begun()) coordinate_when_all_have_loaded(*held);
}

void DriverSession::coordinate_when_all_have_loaded(DriverRun& held) {
  if (held.number == kFirstRun) held.roster = membership_.roster();
  if (held.coordinator != nullptr || held.model == nullptr || !membership_.all_loaded(held.number, held.roster.nodes))
    return;
  if (const auto difference = membership_.different_data(held.fingerprint, held.number, held.roster.nodes))
    return fail(Status::cluster(*difference));
  first_has_begun_ = true;
  held.coordinator =
      std::make_unique<Coordinator>(held.engine, roster_of_run(held.roster, held.turn), held.model->make_judge());
  if (held.may_judge) held.coordinator->wait_for(held.may_judge);
  held.coordinator->keep_checkpoints([this, place = held.place](Version version) { return keeper_at(place, version); });
  if (held.from != nullptr) held.coordinator->resume(held.from);
  records_[held.place].asked = now_;
  for (const auto& [scheduler, early] : std::exchange(held.early, {})) hand_on(held, early.first, early.second);
  if (finish_asked_) held.coordinator->request_finish(held.effects);
}

void DriverSession::on_message(std::uint32_t number, std::uint32_t from, wire::Message message) {
  if (number >= next_number_) return refuse(Refusal::impossible, from);
  DriverRun* held = run(number);
  if (held == nullptr) return;  // it is over everywhere: what still comes was long on its way
  if (!may_say(from, message, roster_of_run(held->roster, held->turn))) return refuse(Refusal::misplaced, from);
  if (held->coordinator != nullptr) return hand_on(*held, from, message);
  if (!may_precede_start(message)) return refuse(Refusal::impossible, from);
  const auto* ready = std::get_if<wire::Ready>(&message);
  if (ready == nullptr) return;  // it asks again
  const std::uint32_t scheduler = ready->scheduler;
  held->early.try_emplace(scheduler, from, std::move(message));
}

void DriverSession::hand_on(DriverRun& held, std::uint32_t from, const wire::Message& message) {
  if (!acceptable(*held.model, message)) return refuse(Refusal::unacceptable, from);
  if (!held.coordinator->on_message(message, held.effects)) refuse(Refusal::impossible, from);
}

void DriverSession::request_finish() {
  if (ended()) return;
  if (!first_has_begun_) {
    return fail({StatusCode::stopped, "interrupted before the first round: there are no results to write"});
  }
  if (std::exchange(finish_asked_, true)) return;
  membership_.end_in_order();
  for (auto& [number, each] : runs_) {
    if (each.coordinator != nullptr) each.coordinator->request_finish(each.effects);
  }
}

/// A run that ends with its next commit has a result, with a certificate; one whose nodes are gone has none.
void DriverSession::end_before_all_have_left() {
  if (ended() || finish_asked_) return;
  const std::string who = membership_.all_leave();
  if (who.empty()) return;
  all_leave_ = true;
  if (!first_has_begun_) {
    return fail({StatusCode::stopped,
                 "no node would be left: " + who + "; the first round had not begun: there are no results to write"});
  }
  requests.notes.push_back({"no node would be left: the runs end with their next commits, then the nodes go", true});
  request_finish();
}

// --- timers ---

bool DriverSession::look(double now) {
  now_ = now;
  if (ended()) return false;
  if (!membership_.begun()) {
    look_for_nodes(now);
    return false;
  }
  end_when_no_run_is_left();
  bool quiet = false;
  for (auto& [number, each] : runs_) {
    coordinate_when_all_have_loaded(each);
    if (each.coordinator != nullptr) each.coordinator->reconsider(each.effects);
    look_at_checkpoints(each);
    if (each.coordinator == nullptr || !each.quiet.due(each.coordinator->progress_mark(), false, now)) continue;
    each.coordinator->on_quiet(each.effects);
    quiet = true;
  }
  if (quiet) carry_out(membership_.on_quiet());
  if (!ended()) carry_out(membership_.look(now));
  end_before_all_have_left();
  if (!ended()) look_for_moves();
  if (!ended()) welcome_again(now);
  if (!ended()) tell_requests(now);
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
