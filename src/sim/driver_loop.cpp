#include "sim/driver_loop.hpp"

#include <algorithm>
#include <optional>
#include <utility>

namespace strads::sim {

DriverLoop::DriverLoop(World& world, engine::Membership membership, const std::shared_ptr<Model>& model)
    : Process(world, static_cast<std::uint32_t>(world.options.nodes.size()), world.options.driver_host, "driver"),
      session_(world.options.engine, std::move(membership), static_cast<std::uint32_t>(world.options.nodes.size()),
               {"the driver", "the driver"}, world.options.start.patience_seconds) {
  const bool all_are_here = begun();
  // A run that may end before its time writes as often as it can, so that there is something to go on from.
  if (world.faults != nullptr && (world.faults->lethal_at() >= 0 || world.faults->has(FaultKind::all_leave)))
    session_.checkpoint_due = [](std::uint32_t place, Version) { return place == 0; };
  if (world.options.from != nullptr) session_.begin_first_from(world.options.from);
  for (std::uint32_t rank = 0; rank < members().size(); ++rank) places_.push_back(rank);
  session_.on_model(0, model, all_are_here ? 0 : model->fingerprint());
}

SimulatedUse DriverLoop::use() const {
  SimulatedUse use = Process::use();
  use.begun = begun();
  return use;
}

void DriverLoop::on_begin() {
  for (std::uint32_t rank = 0; rank < members().size(); ++rank) session_.heard(rank, now());
}

// --- messages ---

void DriverLoop::on_hello(std::uint32_t from, const wire::Hello& hello) {
  if (!session_.membership().find(hello).has_value()) {
    if (const auto reason = session_.membership().refusal()) return send(from, wire::Reject{*reason}, wire::kNoRun);
  }
  const auto joined = session_.on_hello(hello, now());
  if (!joined.has_value()) return;
  if (joined->is_new) places_.insert(places_.begin() + joined->rank, from);
  session_.heard(joined->rank, now());
  if (joined->late) {
    ++world_.joined_late;
    unreached_.push_back(joined->rank);
    session_.introduce(joined->rank);
  }
  session_.answer(joined->rank);
}

std::optional<std::uint32_t> DriverLoop::rank_of(const Parcel& parcel) const {
  const auto at = std::find_if(members().begin(), members().end(),
                               [&](const auto& each) { return each.hello.process == parcel.process; });
  if (at == members().end() || !begun()) return std::nullopt;
  return static_cast<std::uint32_t>(at - members().begin());
}

void DriverLoop::on_message(const Parcel& parcel, wire::Message message) {
  spend(world_.options.costs.handler);
  const bool control = parcel.run == wire::kNoRun;
  const auto rank = rank_of(parcel);
  const std::uint64_t refused = session_.refused().total();
  if (const auto* hello = std::get_if<wire::Hello>(&message)) {
    on_hello(parcel.from, *hello);
  } else if (!rank.has_value()) {
    return;
  } else if (members()[*rank].lost && !members()[*rank].leaving) {
    if (control) tell_member(*rank, session_.membership().too_late(*rank), wire::kNoRun);
    return;
  } else if (control) {
    session_.heard(*rank, now());
    session_.on_member(*rank, message, now());
  } else if (!session_.ended()) {
    session_.on_message(parcel.run, *rank, message);
  }
  // In earnest the third would expel the sender.
  if (session_.refused().total() != refused) world_.note_refused(name(), message);
  dispatch();
}

// --- what the session asks for ---

void DriverLoop::dispatch() {
  begin_further_runs();
  bool finish = false;
  for (auto& [number, run] : session_.runs()) finish = dispatch(run) || finish;
  if (finish) {
    session_.request_finish();
    return dispatch();
  }
  carry_out();
}

bool DriverLoop::dispatch(engine::DriverRun& run) {
  engine::Effects& effects = run.effects;
  std::vector<wire::Envelope> batch;
  batch.swap(effects.messages);
  for (const wire::Envelope& envelope : batch) note_sent(run.place, envelope, nullptr);
  const engine::Roster roster = engine::roster_of_run(run.roster, run.turn);
  for (const wire::Envelope& envelope : batch) tell_member(roster.node_of(envelope.to), envelope.message, run.number);
  const bool finish = tell(run.place, session_.take_progress(run));
  if (!effects.end.has_value()) return finish;
  session_.end_run(run.number, std::move(*std::exchange(effects.end, std::nullopt)));
  return false;
}

void DriverLoop::carry_out() {
  if (session_.ended()) {
    note_end();
    session_.say_goodbye(now());
  }
  engine::DriverRequests requests = std::exchange(session_.requests, {});
  if (session_.moved() != std::exchange(moved_, session_.moved())) {
    for (auto& auditor : world_.auditors) auditor->on_move();
  }
  for (const auto& note : requests.notes) {
    if (note.text.ends_with(" is back")) ++world_.rejoined;
    say("says: " + note.text);
  }
  for (const std::uint32_t rank : requests.removed) {
    world_.starts.count(StartHit::joined_again);  // it must, or another in its place
    places_.erase(places_.begin() + rank);
  }
  auto& checkpoints = world_.run.checkpoints;
  for (auto& [place, checkpoint] : requests.checkpoints) {
    if (place != 0) continue;
    checkpoints.push_back(std::move(checkpoint));
    if (checkpoints.size() > 2) checkpoints.erase(checkpoints.begin());
  }
  for (auto& [run, end] : requests.ended) {
    if (run != 0) world_.run.further.at(run - 1) = {true, std::move(end)};
    if (world_.options.run_ended) world_.options.run_ended(run);
  }
  if (requests.welcome) begin_run();
  for (auto& [rank, message] : requests.to_members) tell_member(rank, std::move(message), wire::kNoRun);
  if (session_.over(now())) leave("ends");
}

void DriverLoop::begin_run() {
  world_.run.begun = true;
  for (std::uint32_t rank = 0; rank < members().size(); ++rank) unreached_.push_back(rank);
  session_.welcome_all();
  carry_out();
}

void DriverLoop::tell_member(std::uint32_t rank, wire::Message message, std::uint32_t run) {
  if (auto* welcome = std::get_if<wire::Welcome>(&message)) welcome->incarnations.push_back(0);
  send(places_[rank], message, run, members()[rank].hello.process);
}

void DriverLoop::note_end() {
  if (world_.run.ended) return;
  if (session_.all_leave() && world_.run.early_end == EarlyEnd::none) world_.run.early_end = EarlyEnd::last_ones;
  const RunEnd& end = session_.end();
  say(end.status.ok() ? "ends the run: " + end.stop_reason : "ends the run: " + end.status.message());
  world_.run.end = end;
  world_.run.ended = true;
  world_.end_time = cursor();
}

/// Connections are tried again and again.
void DriverLoop::note_reached() {
  std::erase_if(unreached_,
                [this](std::uint32_t member) { return reaches(places_[member], members()[member].hello.process); });
  session_.on_unreached(unreached_, now());
}

void DriverLoop::on_look() {
  if (begun() && !session_.ended()) note_reached();
  session_.look(now());
  dispatch();
}

/// When the first one has all its data: as soon as production can.
void DriverLoop::begin_further_runs() {
  const auto& all = world_.options.further;
  if (session_.ended() || !session_.first_has_begun()) return;
  world_.run.further.resize(all.size());
  for (; next_further_ < all.size(); ++next_further_) {
    const FurtherRun& further = all[next_further_];
    if (further.may_begin && !further.may_begin()) break;
    const auto model = further.driver_model ? further.driver_model() : further.make_model();
    const std::uint32_t place = session_.open(further.engine, {}, further.placed_as, further.may_judge);
    session_.on_model(place, model, model->fingerprint());
  }
  session_.stays = next_further_ < all.size();
}

void DriverLoop::on_closed(std::uint32_t rank, std::uint64_t process) {
  for (std::uint32_t member = 0; member < members().size(); ++member) {
    if (places_[member] == rank && members()[member].hello.process == process) session_.closed(member, now());
  }
}

void DriverLoop::ask_to_leave() {
  post([this] {
    say("is asked to end its runs");
    session_.request_finish();
    dispatch();
  });
}

void DriverLoop::on_killed() {
  const engine::Coordinator* coordinator = session_.coordinator();
  if (coordinator == nullptr) return;
  world_.repeated += coordinator->repeated_messages();
  world_.dropped += coordinator->dropped_messages();
}

}  // namespace strads::sim
