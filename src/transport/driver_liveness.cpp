// The driver's second half: who is alive, what a loss means, the end of a run.
#include <algorithm>
#include <utility>

#include "transport/driver_process.hpp"
#include "transport/node_process.hpp"

namespace strads::transport {
namespace {

using namespace std::chrono_literals;

constexpr auto kLookEvery = 50ms;
constexpr auto kGoodbyeAtMost = 2s;
constexpr auto kGoodbyeEvery = 200ms;
constexpr auto kReconnectAtMost = 500ms;

}  // namespace

// --- liveness ---

void DriverProcess::note_ended_connections() {
  for (const int connection : control_->ended_connections()) {
    for (Member& member : members_) {
      if (member.connection == connection && !member.broken_since.has_value()) member.broken_since = Clock::now();
    }
  }
}

void DriverProcess::check_liveness() {
  if (hooks_.ended_processes) {
    for (const EndedProcess& ended : hooks_.ended_processes()) {
      const auto at = std::find_if(members_.begin(), members_.end(),
                                   [&](const Member& each) { return each.hello.process == ended.process; });
      const auto rank = static_cast<std::uint32_t>(at - members_.begin());
      if (at == members_.end() || !welcomed_) {
        return fail(Status::cluster("process " + std::to_string(ended.process) +
                                    " that was started for this run ended before it began: " + ended.how));
      }
      lose(rank, "the process ended: " + ended.how);
    }
  }
  if (!welcomed_) return;
  check_reachable();
  const auto now = Clock::now();
  bool changed = false;
  for (std::uint32_t rank = 0; rank < members_.size() && !end_.has_value(); ++rank) {
    Member& member = members_[rank];
    if (member.lost) continue;
    if (const auto cause = liveness_.lost(member, now)) {
      lose(rank, *cause);
      continue;
    }
    const bool silent = liveness_.silent(member, now);
    if (silent != member.silent) {
      member.silent = silent;
      changed = true;
      say(member_text(rank, member) + (silent ? " is silent; its workers' blocks go to others" : " is back"), false);
    }
  }
  if (changed && !end_.has_value()) deal_again();
}

void DriverProcess::check_reachable() {
  const auto now = Clock::now();
  if (now < next_look_) return;
  next_look_ = now + kLookEvery;
  const auto name_of = [this](std::uint32_t rank) {
    return rank < members_.size() ? member_text(rank, members_[rank]) + " at " + members_[rank].hello.endpoint
                                  : "the driver at " + mesh_->endpoint();
  };
  std::string pair;
  const auto note = [&](std::uint32_t from, const std::vector<std::uint32_t>& ranks) {
    for (const std::uint32_t to : ranks) {
      const bool lost = to < members_.size() && members_[to].lost;
      if (pair.empty() && !lost) pair = name_of(from) + " cannot reach " + name_of(to);
    }
  };
  note(own_.sender, mesh_->unreachable());
  for (std::uint32_t rank = 0; rank < members_.size(); ++rank) {
    if (!members_[rank].lost && members_[rank].loaded.has_value()) note(rank, members_[rank].beat.unreachable);
  }
  if (pair.empty()) {
    all_reached_ = now;
  } else if (now - all_reached_ > std::chrono::duration<double>(liveness_.broken_seconds())) {
    fail(Status::cluster(pair + ", for " + seconds_text(liveness_.broken_seconds()) +
                         "; every process must reach every other one: check addresses (--address) and firewalls"));
  }
}

void DriverProcess::lose(std::uint32_t rank, const std::string& cause) {
  Member& member = members_[rank];
  if (member.lost || end_.has_value()) return;
  member.lost = true;
  const auto schedulers = roles_on(roster_.schedulers, rank);
  const std::string who = member_text(rank, member);
  const std::string while_what = std::string(", last seen ") + stage_name(member.beat.stage);
  if (!schedulers.empty()) {
    return fail(Status::cluster("lost " + who + ", scheduler" + schedulers + while_what + ": " + cause +
                                "; a run cannot go on without a scheduler"));
  }
  say("lost " + who + ": " + cause + "; its blocks go to other workers", true);
  deal_again();
}

void DriverProcess::deal_again() {
  const auto workers = deal_workers(members_, roster_.workers);
  if (!workers.has_value()) {
    const bool some_may_return = std::any_of(members_.begin(), members_.end(), [](const Member& each) {
      return !each.lost && (each.hello.roles & wire::kAcceptsWorker) != 0;
    });
    if (!some_may_return) fail(Status::cluster("no worker is left: every node that accepted the role is lost"));
    return;
  }
  if (*workers != workers_now_) ++reassigned_;
  workers_now_ = *workers;
  wire::Roster roster{++roster_number_, workers_now_, {}};
  for (std::uint32_t rank = 0; rank < members_.size(); ++rank) {
    if (!members_[rank].lost) continue;
    roster.lost.push_back(rank);
    mesh_->drop(rank);
  }
  for (const Member& member : members_) {
    if (!member.lost) send(member, roster);
  }
}

void DriverProcess::send(const Member& member, const wire::Message& message) {
  (void)control_->send(member.identity, encode_control(message, own_));
}

// --- the end ---

void DriverProcess::say_goodbye() {
  if (control_ == nullptr) return;
  const auto deadline = Clock::now() + kGoodbyeAtMost;
  const bool limit = end_->status.code() == StatusCode::stopped && coordinator_ != nullptr;
  const wire::Leave leave{static_cast<std::uint8_t>(limit ? StatusCode::ok : end_->status.code()),
                          end_->status.message()};
  auto next = Clock::now();
  // A connection that was cut is open again within half a second; a process that has ended is not waited for.
  const auto waits_for = [](const Member& member) {
    const bool gone = member.broken_since.has_value() && Clock::now() - *member.broken_since > kReconnectAtMost;
    return !member.left && !member.lost && !gone;
  };
  while (Clock::now() < deadline && std::any_of(members_.begin(), members_.end(), waits_for)) {
    if (Clock::now() >= next) {
      next += kGoodbyeEvery;
      for (const Member& member : members_) {
        if (waits_for(member)) send(member, leave);
      }
    }
    sockets_.wait(*wake_, std::chrono::duration_cast<std::chrono::milliseconds>(kLookEvery));
    while (auto incoming = control_->receive()) {
      const auto control = decode_control(incoming->frames);
      if (control.ok()) on_control(*incoming, control.value());
    }
    // A member whose process has ended without a word does not answer any more.
    note_ended_connections();
    if (hooks_.ended_processes) {
      for (const EndedProcess& ended : hooks_.ended_processes()) {
        for (Member& member : members_) member.left = member.left || member.hello.process == ended.process;
      }
    }
  }
}

ClusterRun DriverProcess::report() {
  ClusterRun run;
  run.end = std::move(*end_);
  run.refused = refused_ + (mesh_ == nullptr ? 0 : mesh_->counters().refused + control_->strangers());
  run.reassigned = reassigned_;
  if (mesh_ != nullptr) run.traffic = {mesh_->counters().messages, mesh_->counters().bytes};
  double waiting = 0;
  double nodes_with_schedulers = 0;
  for (std::uint32_t rank = 0; rank < members_.size(); ++rank) {
    const Member& member = members_[rank];
    const wire::Beat& beat = member.beat;
    NodeReport node{rank,
                    member.hello.name,
                    member.hello.process,
                    {},
                    {},
                    member.lost,
                    beat.updates,
                    beat.blocks,
                    beat.messages,
                    beat.bytes,
                    beat.refused,
                    beat.repeated,
                    beat.seconds_running,
                    beat.seconds_waiting,
                    beat.seconds_busy,
                    beat.memory_peak,
                    beat.data_mapped,
                    beat.data_resident};
    for (std::uint32_t s = 0; s < roster_.schedulers.size(); ++s) {
      if (roster_.schedulers[s] == rank) node.schedulers.push_back(s);
    }
    for (std::uint32_t w = 0; w < roster_.workers.size(); ++w) {
      if (roster_.workers[w] == rank) node.workers.push_back(w);
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
