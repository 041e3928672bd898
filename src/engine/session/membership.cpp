#include "engine/session/membership.hpp"

#include <algorithm>
#include <iterator>
#include <limits>
#include <utility>

namespace strads::engine {
namespace {

/// Seconds: a connection that was cut is open again by then; a process that has ended is not waited for.
constexpr double kReconnectAtMost = 0.5;

}  // namespace

// --- before the run ---

std::optional<std::uint32_t> Membership::find(const wire::Hello& hello) const {
  const auto known = std::find_if(members_.begin(), members_.end(), [&](const Member& member) {
    return member.hello.process == hello.process && member.hello.name == hello.name &&
           member.hello.endpoint == hello.endpoint && member.hello.key == hello.key;
  });
  if (known == members_.end()) return std::nullopt;
  return static_cast<std::uint32_t>(known - members_.begin());
}

std::uint32_t Membership::join(const wire::Hello& hello, double now) {
  Member member;
  member.hello = hello;
  member.last_word = now;
  const auto place = [this](const std::string& name) {
    return std::find(names_.begin(), names_.end(), name) - names_.begin();
  };
  const auto before =
      std::upper_bound(members_.begin(), members_.end(), place(hello.name),
                       [&](auto wanted, const Member& each) { return wanted < place(each.hello.name); });
  const auto rank = static_cast<std::uint32_t>(before - members_.begin());
  members_.insert(before, std::move(member));
  return rank;
}

std::vector<std::pair<std::uint32_t, std::string>> Membership::gone(double now) const {
  std::vector<std::pair<std::uint32_t, std::string>> ranks;
  for (std::uint32_t rank = size(); rank-- > 0;) {
    if (auto cause = liveness_.lost(members_[rank], now)) ranks.emplace_back(rank, std::move(*cause));
  }
  return ranks;
}

void Membership::remove(std::uint32_t rank) {
  members_.erase(members_.begin() + static_cast<std::ptrdiff_t>(rank));
}

std::vector<Member> Membership::present(double now) const {
  std::vector<Member> present;
  std::copy_if(members_.begin(), members_.end(), std::back_inserter(present),
               [&](const Member& each) { return !liveness_.silent(each, now); });
  return present;
}

bool Membership::complete(std::uint32_t nodes, double now) const {
  return size() == nodes && present(now).size() == nodes;
}

std::optional<Status> Membership::overdue(std::uint32_t nodes, const std::string& endpoint, double start_seconds,
                                          double now) const {
  if (begun_ || now <= start_seconds) return std::nullopt;
  std::string joined;
  const auto here = present(now);
  for (const Member& member : here) joined += (joined.empty() ? "" : ", ") + member.hello.name;
  return Status::cluster(std::to_string(here.size()) + " of " + std::to_string(nodes) + " nodes joined at " + endpoint +
                         " within " + seconds_text(start_seconds) + (joined.empty() ? "" : " (" + joined + ")") +
                         "; missing: " + missing(nodes, now) +
                         "; start stradsd --join there, let a firewall open that port to it, or wait longer with "
                         "--start-seconds");
}

Status Membership::begin(const std::string& driver) {
  driver_ = driver;
  auto roster = deal_roles(members_, options_);
  if (!roster.ok()) return roster.status();
  roster_ = std::move(roster).value();
  workers_now_ = roster_.workers;
  begun_ = true;
  return {};
}

std::optional<std::string> Membership::refusal() const {
  if (!begun_) return std::nullopt;
  return "the run has all its nodes and has begun; start it with a larger --nodes";
}

std::optional<wire::Welcome> Membership::welcome(std::uint32_t rank) const {
  if (members_[rank].lost) return std::nullopt;
  wire::Welcome welcome;
  welcome.rank = rank;
  welcome.incarnation = members_[rank].incarnation;
  welcome.lease = liveness_.lease_seconds;
  welcome.schedulers = roster_.schedulers;
  welcome.workers = workers_now_;
  for (const Member& member : members_) {
    welcome.endpoints += member.hello.endpoint + "\n";
    welcome.incarnations.push_back(member.incarnation);
    if (!member.hello.key.empty()) welcome.keys += member.hello.key + "\n";
  }
  return welcome;
}

// --- messages ---

void Membership::heard(std::uint32_t rank, double now) {
  members_[rank].last_word = now;
  members_[rank].broken_since.reset();
}

void Membership::closed(std::uint32_t rank, double now) {
  if (!members_[rank].broken_since.has_value()) members_[rank].broken_since = now;
}

wire::Beat Membership::on_beat(std::uint32_t rank, const wire::Beat& beat,
                               const std::map<std::uint32_t, Version>& counted, double now) {
  Member& member = members_[rank];
  // What is not looked at every time keeps its last value.
  const wire::Beat before = member.beat;
  if (beat.number >= before.number) {  // one that was overtaken tells less
    member.beat = beat;
    reachability_.says(rank, beat.unreachable, now);
  }
  member.reported = member.reported || beat.stage == static_cast<std::uint8_t>(NodeStage::leaving);
  if (beat.memory_peak == 0) member.beat.memory_peak = before.memory_peak;
  if (beat.data_mapped == 0) member.beat.data_mapped = before.data_mapped;
  if (beat.data_mapped == 0) member.beat.data_resident = before.data_resident;
  wire::Beat answer;
  answer.number = beat.number;
  for (const auto& [run, version] : counted) {
    Reached all{version, std::numeric_limits<std::uint32_t>::max()};
    for (const Member& each : members_) {
      if (each.lost) continue;
      const Reached reached = reached_in(each.beat, run);
      all.version = std::min(all.version, reached.version);
      all.phases = std::min(all.phases, reached.phases);
    }
    add_run(answer, run, all);
  }
  return answer;
}

Membership::Outcome Membership::on_late(const std::vector<std::uint32_t>& ranks) {
  Outcome outcome;
  for (const std::uint32_t rank : ranks) {
    if (rank >= size() || members_[rank].lost || std::exchange(members_[rank].late, true)) continue;
    outcome.notes.push_back(
        {member_text(rank, members_[rank]) + " is late with its blocks; other nodes compute them as well", false});
  }
  return outcome;
}

Membership::Outcome Membership::on_loaded(std::uint32_t rank, const wire::Loaded& loaded) {
  Outcome outcome;
  Member& member = members_[rank];
  if (loaded.code != 0 || !loaded.error.empty()) {
    const StatusCode code = loaded.code == 0 ? StatusCode::cluster : code_of(loaded.code);
    outcome.end = Status(code, member_text(rank, member) + ": " + loaded.error);
  } else if (loaded.run == kFirstRun && member.loaded.empty()) {
    outcome.notes.push_back({member_text(rank, member) + " has mapped its data", false});
  }
  member.loaded[loaded.run] = loaded;
  return outcome;
}

Membership::Outcome Membership::on_leave(std::uint32_t rank, const wire::Leave& leave, bool running) {
  members_[rank].left = true;
  if (!running) return {};
  if (leave.code == 0) return lose(rank, "it left: " + leave.reason);
  Outcome outcome;
  outcome.end = Status::cluster(member_text(rank, members_[rank]) + " left: " + leave.reason);
  return outcome;
}

wire::Leave Membership::too_late(std::uint32_t rank) const {
  return {static_cast<std::uint8_t>(StatusCode::cluster),
          members_[rank].expelled ? "this node was expelled: it sent messages that no process of this run sends"
                                  : "this node was silent for too long; others do its work"};
}

// --- verdicts ---

Membership::Outcome Membership::look(double now) {
  Outcome outcome;
  bool changed = false;
  for (std::uint32_t rank = 0; rank < size() && !outcome.end.has_value(); ++rank) {
    Member& member = members_[rank];
    if (member.lost) continue;
    if (const auto cause = liveness_.lost(member, now)) {
      take_away(rank, *cause, outcome);
      changed = true;
      continue;
    }
    const bool silent = liveness_.silent(member, now);
    if (silent == member.silent) continue;
    member.silent = silent;
    changed = true;
    outcome.notes.push_back(
        {member_text(rank, member) + (silent ? " is silent; its workers' blocks go to others" : " is back"), false});
  }
  if (changed && !outcome.end.has_value()) deal_again(outcome);
  if (!outcome.end.has_value()) check_reachable(outcome);
  return outcome;
}

void Membership::check_reachable(Outcome& outcome) {
  const auto pair = reachability_.broken(members_, liveness_.broken_seconds());
  if (!pair.has_value()) return;
  const auto text = [this](std::uint32_t rank) {
    return rank < size() ? member_text(rank, members_[rank]) + " at " + members_[rank].hello.endpoint
                         : "the driver at " + driver_;
  };
  outcome.end = Status::cluster(
      text(pair->from) + " cannot reach " + text(pair->to) + ", for " + seconds_text(liveness_.broken_seconds()) +
      "; every process must reach every other one: check addresses (--address) and firewalls");
}

Membership::Outcome Membership::lose(std::uint32_t rank, const std::string& cause) {
  Outcome outcome;
  if (members_[rank].lost) return outcome;
  take_away(rank, cause, outcome);
  if (!outcome.end.has_value()) deal_again(outcome);
  return outcome;
}

Membership::Outcome Membership::expel(std::uint32_t rank, const std::string& by, Refusal last) {
  if (rank >= size() || members_[rank].lost) return {};
  members_[rank].expelled = true;
  return lose(rank, "expelled: " + expulsion_text(by, last));
}

void Membership::take_away(std::uint32_t rank, const std::string& cause, Outcome& outcome) {
  Member& member = members_[rank];
  member.lost = true;
  outcome.newly_lost.push_back(rank);
  const auto schedulers = roles_on(roster_.schedulers, rank);
  const std::string who = member_text(rank, member);
  if (!schedulers.empty()) {
    outcome.end =
        Status::cluster("lost " + who + ", scheduler" + schedulers + ", last seen " + stage_name(member.beat.stage) +
                        ": " + cause + "; a run cannot go on without a scheduler");
  } else {
    outcome.notes.push_back({"lost " + who + ": " + cause + "; its blocks go to other workers", true});
  }
}

void Membership::deal_again(Outcome& outcome) {
  const auto workers = deal_workers(members_, roster_.workers);
  if (!workers.has_value()) {
    const bool some_may_return = std::any_of(members_.begin(), members_.end(), [](const Member& each) {
      return !each.lost && (each.hello.roles & wire::kAcceptsWorker) != 0;
    });
    if (!some_may_return) {
      outcome.end = Status::cluster("no worker is left: every node that accepted the role is lost");
    }
    return;
  }
  if (*workers != workers_now_) ++reassigned_;
  workers_now_ = *workers;
  ++roster_number_;
  outcome.roster = last_roster();
}

wire::Roster Membership::last_roster() const {
  wire::Roster roster{roster_number_, workers_now_, {}};
  for (std::uint32_t rank = 0; rank < size(); ++rank) {
    if (members_[rank].lost) roster.lost.push_back(rank);
  }
  return roster;
}

Membership::Outcome Membership::on_quiet() const {
  Outcome outcome;
  if (roster_number_ > 0) outcome.roster = last_roster();
  return outcome;
}

bool Membership::awaited(std::uint32_t rank, double now) const {
  const Member& member = members_[rank];
  const bool gone = member.broken_since.has_value() && now - *member.broken_since > kReconnectAtMost;
  return !member.left && !member.reported && !member.lost && !gone;
}

bool Membership::all_loaded(std::uint32_t run) const {
  return std::all_of(members_.begin(), members_.end(),
                     [run](const Member& each) { return each.lost || each.loaded.contains(run); });
}

bool Membership::all_have(std::uint32_t run, std::uint32_t phases) const {
  return std::all_of(members_.begin(), members_.end(), [run, phases](const Member& each) {
    return each.lost || reached_in(each.beat, run).phases >= phases;
  });
}

void Membership::forget_run(std::uint32_t run) {
  for (Member& member : members_) member.loaded.erase(run);
}

std::optional<std::string> Membership::different_data(std::uint64_t fingerprint, std::uint32_t run) const {
  for (std::uint32_t rank = 0; rank < size(); ++rank) {
    const Member& member = members_[rank];
    if (!member.lost && member.loaded.at(run).fingerprint != fingerprint) {
      return member_text(rank, member) +
             " reads other data than the driver: their fingerprints differ; give every host the same files";
    }
  }
  return std::nullopt;
}

}  // namespace strads::engine
