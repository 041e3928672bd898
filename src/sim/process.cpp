#include "sim/process.hpp"

#include <algorithm>
#include <utility>

#include "strads/base/status.hpp"
#include "wire/print.hpp"

namespace strads::sim {

std::string node_name(const SimulationOptions& options, std::uint32_t rank) {
  const std::uint32_t host = options.nodes[rank].host;
  const std::string& name = options.hosts[host].name;
  return (name.empty() ? "host" + std::to_string(host) : name) + "/" + std::to_string(rank);
}

Process::Process(World& world, std::uint32_t rank, std::uint32_t host, std::string name, std::uint32_t life)
    : world_(world),
      rank_(rank),
      host_(host),
      process_id_(rank + 1 + std::uint64_t{life} * (world.options.nodes.size() + 1)),
      name_(std::move(name)) {
  slowdown_ = world.options.hosts[host].slowdown;
  use_.name = name_;
}

void Process::begin() {
  post([this] { on_begin(); });
  if (world_.options.watch_liveness) look();
}

void Process::look() {
  // Not in step: processes of a real cluster are not either.
  const Time first = time_of(kLookSeconds * (rank_ + 1) / (static_cast<double>(world_.options.nodes.size()) + 2));
  world_.queue.at(world_.queue.now() + (world_.queue.now() == 0 ? first : time_of(kLookSeconds)), [this] {
    if (!alive_) return;
    post({true, [this] { on_look(); }});
    look();
  });
}

void Process::post(Work work) {
  if (!alive_) return;
  work.wakes = !serving_;
  inbox_.push_back(std::move(work));
  if (serving_) return;
  serving_ = true;
  world_.queue.at(std::max(world_.queue.now(), cursor_), [this] { serve(); });
}

void Process::serve() {
  if (!alive_) return;
  const Time now = world_.queue.now();
  if (now < frozen_until_) {
    world_.queue.at(frozen_until_, [this] { serve(); });
    return;
  }
  thaw();
  cursor_ = now;
  const Work work = std::move(inbox_.front());
  inbox_.pop_front();
  woken_ = work.wakes;
  work.run();
  use_.loop_seconds += seconds_of(cursor_ - now);
  for (std::uint32_t place = 0; alive_ && place < world_.auditors.size(); ++place) {
    if (const engine::Node* hosted = node(place)) world_.auditors[place]->on_handled(rank_, *hosted);
  }
  serving_ = !inbox_.empty();
  if (serving_) world_.queue.at(cursor_, [this] { serve(); });
}

/// A real loop takes what has come before it looks at its timers: else a driver that wakes up would find everybody
/// silent.
void Process::thaw() {
  if (frozen_until_ == 0) return;
  frozen_until_ = 0;
  std::stable_partition(inbox_.begin(), inbox_.end(), [](const Work& work) { return !work.looks; });
}

void Process::close(std::uint32_t rank, std::uint64_t process) {
  post([this, rank, process] { on_closed(rank, process); });
}

bool Process::reaches(std::uint32_t rank, std::uint64_t process) const {
  const Process& other = *world_.processes[rank];
  const bool apart = world_.faults != nullptr && world_.faults->partitioned(rank_, rank, seconds_of(cursor_));
  return other.process_id() == process && other.awake() && !apart;
}

void Process::spend(double seconds) {
  cursor_ += time_of(seconds * slowdown_);
}

void Process::note_sent(std::uint32_t place, const wire::Envelope& envelope, const engine::Node* sender) const {
  if (place >= world_.auditors.size()) return;
  if (sender != nullptr) world_.auditors[place]->meet(rank_, *sender);
  world_.auditors[place]->on_sent(envelope, sender);
}

void Process::send(std::uint32_t to, const wire::Message& message, std::uint32_t run, std::uint64_t process) {
  auto parcel = std::make_shared<Parcel>();
  parcel->from = rank_;
  parcel->process = process_id_;
  parcel->to = process;
  parcel->run = run;
  parcel->chunks = wire::encode(message, {world_.options.seed, 0, rank_, 0, run});
  for (const auto& chunk : parcel->chunks) {
    for (const auto& frame : chunk) parcel->bytes += frame.size();
  }
  const CostConstants& costs = world_.options.costs;
  Time& awake_until = awake_until_[to];
  const bool follows = cursor_ < awake_until;
  spend((follows ? costs.message_more : costs.message) + costs.message_byte * static_cast<double>(parcel->bytes));
  awake_until = cursor_ + time_of(costs.message * slowdown_);
  ++use_.messages;
  use_.bytes += parcel->bytes;
  const auto& header = parcel->chunks.front().front();
  constexpr std::size_t kTypeAt = 6;
  const auto type = static_cast<std::uint8_t>(header[kTypeAt]);
  if (world_.hooks.passes && !world_.hooks.passes(rank_, to, type)) return;
  ship(to, std::move(parcel), type);
}

void Process::ship(std::uint32_t to, std::shared_ptr<const Parcel> parcel, std::uint8_t type) {
  Fate fate;
  if (world_.faults != nullptr) fate = world_.faults->fate(rank_, to, seconds_of(cursor_));
  if (world_.started && !world_.run.ended) {
    world_.hits.count(fate, type, world_.faults != nullptr && world_.faults->slowdown(rank_) != 1);
  }
  const Process& receiver = *world_.processes[to];
  const auto deliver_at = [&](Time there) {
    world_.queue.at(there, [&world = world_, to, parcel, there, sent = cursor_] {
      // A connection that was cut meanwhile has lost what was on it.
      if (world.faults != nullptr && world.faults->cut_between(parcel->from, to, seconds_of(sent), seconds_of(there)))
        return;
      world.processes[to]->arrive(parcel);
    });
  };
  if (!world_.started && world_.faults != nullptr && world_.faults->loses_start_word(type)) {
    world_.starts.count(StartHit::word_lost);
    return;
  }
  if (fate.lost) return;
  const Time there =
      world_.network.arrival({rank_, host_}, {to, receiver.host()}, parcel->bytes, cursor_, time_of(fate.delay));
  deliver_at(there);
  // The second copy keeps nothing back: what follows the first one on its link may come before it.
  if (fate.duplicated) deliver_at(there + time_of(fate.second_delay - fate.delay));
}

void Process::arrive(std::shared_ptr<const Parcel> parcel) {
  if (parcel->to != 0 && parcel->to != process_id_) return;
  post([this, parcel = std::move(parcel)] {
    const CostConstants& costs = world_.options.costs;
    const double each = woken_ ? costs.message : costs.message_more;
    spend(each + costs.message_byte * static_cast<double>(parcel->bytes));
    for (const auto& chunk : parcel->chunks) {
      auto decoded = decoder_.feed(chunk);
      STRADS_CHECK(decoded.ok(), decoded.status().message());
      if (!decoded.value().has_value()) continue;
      wire::Message& message = *decoded.value();
      const auto& last = chunk.size() > 1 ? chunk[1] : chunk[0];
      world_.trace.record_event(cursor_, (std::uint64_t{rank_} << 32) + parcel->from, std::span(last), [&] {
        return name_ + " <- " + world_.processes[parcel->from]->name() + ": " + wire::to_text(message);
      });
      on_message(*parcel, std::move(message));
      if (!alive_) return;
    }
  });
}

bool Process::tell(std::uint32_t place, std::vector<ProgressEvent>&& events) {
  bool finish = false;
  for (const ProgressEvent& event : events) {
    if (event.kind == ProgressEvent::Kind::started) world_.started = true;
    if (place < world_.auditors.size()) world_.auditors[place]->on_progress(event);
    if (place == 0 && world_.hooks.observe) finish = world_.hooks.observe(event, seconds_of(cursor_)) || finish;
  }
  events.clear();
  const double limit = world_.options.virtual_seconds_max;
  finish = finish || (limit > 0 && seconds_of(cursor_) > limit);
  if (!finish || asked_to_finish_) return false;
  asked_to_finish_ = true;
  return true;
}

void Process::say(const std::string& what) {
  world_.trace.record_event(cursor_, std::uint64_t{rank_} << 32, std::as_bytes(std::span(what.data(), what.size())),
                            [&] { return name_ + " " + what; });
}

void Process::leave(const std::string& why) {
  if (!alive_) return;
  say(why);
  use_.left = why;
  gone();
}

void Process::kill() {
  if (!alive_) return;
  cursor_ = std::max(cursor_, world_.queue.now());
  killed_ = true;
  say("is killed");
  use_.left = "is killed";
  gone();
}

void Process::gone() {
  alive_ = false;
  inbox_.clear();
  on_killed();
  const Time now = std::max(cursor_, world_.queue.now());
  use_.gone_seconds = seconds_of(now);
  world_.run.seconds_until_gone = std::max(world_.run.seconds_until_gone, seconds_of(now));
  // The kernel of its host closes the connections; a partition keeps that news back until it is over.
  for (auto& other : world_.processes) {
    if (other.get() == this || !other->alive()) continue;
    const double from = seconds_of(now);
    const double apart = world_.faults == nullptr ? 0 : world_.faults->partitioned_for(rank_, other->rank(), from);
    world_.queue.at(now + time_of(apart + world_.options.network.latency),
                    [&other, rank = rank_, process = process_id_] { other->close(rank, process); });
  }
}

void Process::freeze(Time until) {
  if (!alive_) return;
  frozen_until_ = std::max(frozen_until_, until);
}

}  // namespace strads::sim
