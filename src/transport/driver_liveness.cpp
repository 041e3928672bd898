// The driver's second half: who is alive, what a loss means, the end of a run.
#include <algorithm>
#include <utility>

#include "transport/driver_process.hpp"

namespace strads::transport {
namespace {

/// A look is a call of the system for each process.
constexpr std::chrono::milliseconds kProcessesLookEvery{5};

/// `schedulers`, `workers`: the ranks of those that have them.
NodeReport report_of(std::uint32_t rank, const engine::Member& member, const std::vector<std::uint32_t>& schedulers,
                     const std::vector<std::uint32_t>& workers) {
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
                  beat.second_workers,
                  beat.seconds_running,
                  beat.seconds_waiting,
                  beat.seconds_busy,
                  beat.memory_peak,
                  beat.data_mapped,
                  beat.data_resident};
  for (std::uint32_t s = 0; s < schedulers.size(); ++s) {
    if (schedulers[s] == rank) node.schedulers.push_back(s);
  }
  for (std::uint32_t w = 0; w < workers.size(); ++w) {
    if (workers[w] == rank) node.workers.push_back(w);
  }
  return node;
}

}  // namespace

std::vector<NodeState> states_of(const engine::Membership& membership, double now) {
  std::vector<NodeState> states;
  for (std::uint32_t rank = 0; rank < membership.size(); ++rank) {
    const engine::Member& member = membership.members()[rank];
    states.push_back({report_of(rank, member, membership.roster().schedulers, membership.workers_now()),
                      engine::stage_name(member.beat.stage), now - member.last_word, member.silent, member.late,
                      member.left});
  }
  return states;
}

// --- liveness ---

void DriverProcess::note_ended_connections() {
  for (const int connection : control_->ended_connections()) {
    strangers_words_.erase(connection);
    for (std::uint32_t rank = 0; rank < channels_.size(); ++rank) {
      if (channels_[rank].connection != connection) continue;
      channels_[rank].ended = true;
      session_->closed(rank, now());
    }
  }
}

void DriverProcess::note_unreached() {
  if (!session_->membership().begun() || session_->ended() || Clock::now() < next_look_) return;
  next_look_ = Clock::now() + kDriverLooksEvery;
  session_->on_unreached(mesh_->unreachable([this](auto kind, auto from) { session_->refuse(kind, from); }), now());
}

void DriverProcess::note_ended_processes() {
  if (!hooks_.ended_processes || Clock::now() < next_look_at_processes_) return;
  next_look_at_processes_ = Clock::now() + kProcessesLookEvery;
  for (const EndedProcess& ended : hooks_.ended_processes()) {
    const auto at = std::find_if(members().begin(), members().end(),
                                 [&](const engine::Member& each) { return each.hello.process == ended.process; });
    const std::string process = "process " + std::to_string(ended.process);
    if (!session_->ended() && ended.no_input) {
      // Others could take its blocks, but not from files that cannot be read any more.
      session_->fail(Status::input(process + ": " + ended.how));
    } else if (!session_->ended() && (at == members().end() || !session_->membership().begun())) {
      session_->fail(Status::cluster(process + " that was started for this run ended before it began: " + ended.how));
    }
    if (at != members().end())
      session_->on_ended_process(static_cast<std::uint32_t>(at - members().begin()), ended.how);
  }
}

// --- the end ---

void DriverProcess::note_missing_reports() const {
  if (session_->coordinator() == nullptr || !session_->totals_count()) return;
  for (std::uint32_t rank = 0; rank < members().size(); ++rank) {
    const engine::Member& member = members()[rank];
    if (member.lost || member.reported || !member.takes_part) continue;
    say("the last report of " + engine::member_text(rank, member) +
            " is missing: its totals are those of its last beat",
        true);
  }
}

ClusterRun DriverProcess::report() {
  ClusterRun run;
  const engine::Membership& membership = session_->membership();
  const engine::Coordinator* coordinator = session_->coordinator();
  run.end = session_->end();
  run.refused = refused_;
  run.refused.add(session_->refused());
  add_turned_away(mesh_->turned_away(), run.refused);
  add_turned_away(control_->turned_away(), run.refused);
  run.refused.add(Refusal::early, coordinator == nullptr ? 0 : coordinator->dropped_early());
  run.reassigned = membership.reassigned();
  run.moved = session_->moved();
  run.traffic = {mesh_->counters().messages, mesh_->counters().bytes};
  double waiting = 0;
  double nodes_with_schedulers = 0;
  for (std::uint32_t rank = 0; rank < membership.size(); ++rank) {
    NodeReport node =
        report_of(rank, membership.members()[rank], membership.roster().schedulers, membership.roster().workers);
    if (!node.schedulers.empty() && node.seconds_running > 0) {
      waiting += node.seconds_waiting / node.seconds_running;
      nodes_with_schedulers += 1;
    }
    run.traffic.messages += node.messages;
    run.traffic.bytes += node.bytes;
    run.nodes.push_back(std::move(node));
  }
  run.worker_wait_share = nodes_with_schedulers > 0 ? waiting / nodes_with_schedulers : 0.0;
  return run;
}

}  // namespace strads::transport
