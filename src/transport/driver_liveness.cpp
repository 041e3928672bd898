// The driver's second half: who is alive, what a loss means, the end of a run.
#include <algorithm>
#include <utility>

#include "transport/driver_process.hpp"

namespace strads::transport {
namespace {

using namespace std::chrono_literals;

constexpr auto kGoodbyeAtMost = 2s;
constexpr auto kGoodbyeEvery = 200ms;

}  // namespace

// --- liveness ---

void DriverProcess::note_ended_connections() {
  for (const int connection : control_->ended_connections()) {
    strangers_words_.erase(connection);
    for (std::uint32_t rank = 0; rank < channels_.size(); ++rank) {
      if (channels_[rank].connection != connection) continue;
      channels_[rank].ended = true;
      membership_.closed(rank, now());
    }
  }
}

void DriverProcess::check_liveness() {
  note_ended_processes();
  if (!membership_.begun() || end_.has_value()) return;
  if (Clock::now() >= next_look_) {
    next_look_ = Clock::now() + kDriverLooksEvery;
    membership_.on_unreached(mesh_->unreachable([this](auto kind, auto from) { refuse(kind, from); }), now());
  }
  carry_out(membership_.look(now()));
}

void DriverProcess::note_ended_processes() {
  if (!hooks_.ended_processes) return;
  for (const EndedProcess& ended : hooks_.ended_processes()) {
    const auto& members = membership_.members();
    // Others could take its blocks, but not from files that cannot be read any more.
    if (ended.no_input) return fail(Status::input("process " + std::to_string(ended.process) + ": " + ended.how));
    const auto at = std::find_if(members.begin(), members.end(),
                                 [&](const engine::Member& each) { return each.hello.process == ended.process; });
    if (at == members.end() || !membership_.begun()) {
      return fail(Status::cluster("process " + std::to_string(ended.process) +
                                  " that was started for this run ended before it began: " + ended.how));
    }
    carry_out(membership_.lose(static_cast<std::uint32_t>(at - members.begin()), "the process ended: " + ended.how));
    if (end_.has_value()) return;
  }
}

void DriverProcess::carry_out(const engine::Membership::Outcome& outcome) {
  for (const auto& note : outcome.notes) say(note.text, note.important);
  for (const std::uint32_t rank : outcome.newly_lost) {
    mesh_->drop(rank);
    if (!membership_.members()[rank].expelled) continue;  // others may ask what became of them
    send(rank, membership_.too_late(rank));
    if (admitted_.erase(membership_.members()[rank].hello.key) > 0) sockets_.admit(kControlDoor, admitted_);
  }
  if (outcome.end.has_value()) fail(*outcome.end);
  if (!outcome.roster.has_value()) return;
  for (std::uint32_t rank = 0; rank < membership_.size(); ++rank) {
    if (!membership_.members()[rank].lost) send(rank, *outcome.roster);
  }
}

void DriverProcess::send(std::uint32_t rank, const wire::Message& message) {
  (void)control_->send(channels_[rank].identity, encode_control(message, own_));
}

// --- the end ---

void DriverProcess::say_goodbye() {
  if (control_ == nullptr) return;
  const auto deadline = Clock::now() + kGoodbyeAtMost;
  const bool limit = end_->status.code() == StatusCode::stopped && coordinator_ != nullptr;
  const wire::Leave leave{static_cast<std::uint8_t>(limit ? StatusCode::ok : end_->status.code()),
                          end_->status.message()};
  auto next = Clock::now();
  const auto some_awaited = [this] {
    for (std::uint32_t rank = 0; rank < membership_.size(); ++rank) {
      if (membership_.awaited(rank, now())) return true;
    }
    return false;
  };
  while (Clock::now() < deadline && some_awaited()) {
    if (Clock::now() >= next) {
      next += kGoodbyeEvery;
      for (std::uint32_t rank = 0; rank < membership_.size(); ++rank) {
        if (membership_.awaited(rank, now())) send(rank, leave);
      }
    }
    sockets_.wait(*wake_, std::chrono::duration_cast<std::chrono::milliseconds>(kDriverLooksEvery));
    while (auto incoming = control_->receive()) {
      const auto control = decode_control(incoming->frames);
      if (control.ok()) on_control(*incoming, control.value());
    }
    // A member whose process has ended without a word does not answer any more.
    note_ended_connections();
    if (hooks_.ended_processes) {
      for (const EndedProcess& ended : hooks_.ended_processes()) {
        for (std::uint32_t rank = 0; rank < membership_.size(); ++rank) {
          if (membership_.members()[rank].hello.process == ended.process) membership_.note_ended(rank);
        }
      }
    }
  }
  if (coordinator_ == nullptr || leave.code != 0) return;
  for (std::uint32_t rank = 0; rank < membership_.size(); ++rank) {
    const engine::Member& member = membership_.members()[rank];
    if (member.lost || member.reported) continue;
    say("the last report of " + engine::member_text(rank, member) +
            " is missing: its totals are those of its last beat",
        true);
  }
}

ClusterRun DriverProcess::report() {
  ClusterRun run;
  run.end = std::move(*end_);
  run.refused = refused_;
  if (mesh_ != nullptr) {
    add_turned_away(mesh_->turned_away(), run.refused);
    add_turned_away(control_->turned_away(), run.refused);
    run.refused.add(Refusal::early, coordinator_ == nullptr ? 0 : coordinator_->dropped_early());
  }
  run.reassigned = membership_.reassigned();
  if (mesh_ != nullptr) run.traffic = {mesh_->counters().messages, mesh_->counters().bytes};
  double waiting = 0;
  double nodes_with_schedulers = 0;
  const engine::Roster& roster = membership_.roster();
  for (std::uint32_t rank = 0; rank < membership_.size(); ++rank) {
    const engine::Member& member = membership_.members()[rank];
    const wire::Beat& beat = member.beat;
    NodeReport node{rank,
                    member.hello.name,
                    member.hello.process,
                    {},
                    {},
                    member.lost,
                    member.reported,
                    beat.updates,
                    beat.blocks,
                    beat.messages,
                    beat.bytes,
                    Refusals(beat.refused),
                    beat.repeated,
                    beat.seconds_running,
                    beat.seconds_waiting,
                    beat.seconds_busy,
                    beat.memory_peak,
                    beat.data_mapped,
                    beat.data_resident};
    for (std::uint32_t s = 0; s < roster.schedulers.size(); ++s) {
      if (roster.schedulers[s] == rank) node.schedulers.push_back(s);
    }
    for (std::uint32_t w = 0; w < roster.workers.size(); ++w) {
      if (roster.workers[w] == rank) node.workers.push_back(w);
    }
    if (!node.schedulers.empty() && beat.seconds_running > 0) {
      waiting += beat.seconds_waiting / beat.seconds_running;
      nodes_with_schedulers += 1;
    }
    run.traffic.messages += beat.messages;
    run.traffic.bytes += beat.bytes;
    run.nodes.push_back(std::move(node));
  }
  run.worker_wait_share = nodes_with_schedulers > 0 ? waiting / nodes_with_schedulers : 0.0;
  return run;
}

}  // namespace strads::transport
