#include "engine/session/membership.hpp"

#include <algorithm>
#include <iterator>
#include <limits>
#include <utility>

namespace strads::engine {
namespace {

/// Seconds: a connection that was cut is open again by then; a process that has ended is not waited for.
constexpr double kReconnectAtMost = 0.5;
constexpr std::size_t kDeparturesShown = 4;

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
  if (size() < kMembersMax) return std::nullopt;
  return "more than " + std::to_string(kMembersMax) + " nodes have joined this driver";
}

std::uint32_t Membership::join_late(const wire::Hello& hello, double now) {
  Member& member = members_.emplace_back();
  member.hello = hello;
  member.last_word = now;
  member.takes_part = false;
  return size() - 1;
}

bool Membership::others_know(std::uint32_t rank) const {
  if (members_[rank].takes_part) return true;
  return std::all_of(members_.begin(), members_.begin() + rank,
                     [rank](const Member& each) { return each.lost || each.silent || each.beat.peers > rank; });
}

wire::Peer Membership::peer(std::uint32_t rank) const {
  const Member& member = members_[rank];
  return {rank, member.hello.endpoint, member.incarnation, member.hello.key};
}

std::optional<wire::Welcome> Membership::welcome(std::uint32_t rank) const {
  if (members_[rank].lost) return std::nullopt;
  wire::Welcome welcome;
  welcome.rank = rank;
  welcome.incarnation = members_[rank].incarnation;
  welcome.lease = liveness_.lease_seconds;
  welcome.schedulers = roster_.schedulers;
  welcome.workers = workers_now_;
  welcome.waits = members_[rank].takes_part ? 0 : 1;
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
                               const std::map<std::uint32_t, Counted>& counted, double now) {
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
  for (const auto& [run, at] : counted) {
    Reached all{at.version, std::numeric_limits<std::uint32_t>::max()};
    for (std::uint32_t each = 0; each < std::min(at.nodes, size()); ++each) {
      if (members_[each].lost) continue;
      const Reached reached = reached_in(members_[each].beat, run);
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
    if (!member.takes_part) return expel(rank, "its data could not be read: " + loaded.error);
    const StatusCode code = loaded.code == 0 ? StatusCode::cluster : code_of(loaded.code);
    outcome.end = Status(code, member_text(rank, member) + ": " + loaded.error);
  } else if (member.loaded.empty()) {
    outcome.notes.push_back({member_text(rank, member) + " has mapped its data", false});
  }
  member.loaded[loaded.run] = loaded;
  return outcome;
}

Membership::Outcome Membership::compare_late(std::uint32_t rank, std::uint64_t fingerprint) {
  const Member& member = members_[rank];
  const auto loaded = member.loaded.find(kFirstRun);
  if (member.takes_part || member.lost || loaded == member.loaded.end()) return {};
  if (loaded->second.fingerprint == fingerprint) return {};
  return expel(rank, "it reads other data than the driver; give every host the same files");
}

Membership::Outcome Membership::on_leave(std::uint32_t rank, const wire::Leave& leave, bool running) {
  Member& member = members_[rank];
  if (!running) {
    member.left = true;
    return {};
  }
  Outcome outcome;
  if (leave.code != 0) {
    member.left = true;
    outcome.end = Status::cluster(member_text(rank, member) + " left: " + leave.reason);
    return outcome;
  }
  if (std::exchange(member.leaving, true) || member.lost) return {};
  const std::string who = member_text(rank, member) + " leaves: " + leave.reason;
  departures_.push_back({rank, who});
  const char* what = holds_a_scheduler(rank) ? "; the runs go on without it from their next barrier"
                                             : "; its blocks go to other workers";
  if (ends_) what = "; it stays until the runs have ended";
  if (!ends_ && !all_leave().empty()) what = "; nobody else can take its roles";
  outcome.notes.push_back({who + what, true});
  if (member.takes_part && !ends_) deal_again(outcome);
  return outcome;
}

std::string Membership::all_leave() const {
  if (!begun_) return {};
  for (const std::uint8_t role : {wire::kAcceptsScheduler, wire::kAcceptsWorker}) {
    bool leave = false, stay = false;
    for (const Member& each : members_) {
      if (!each.lost && (each.hello.roles & role) != 0) (each.leaving ? leave : stay) = true;
    }
    if (leave && !stay) return departures_of(role);
  }
  return {};
}

bool Membership::others_accept_schedulers() const {
  return std::any_of(members_.begin(), members_.end(), [](const Member& each) {
    return !each.lost && !each.leaving && !each.silent && (each.takes_part || each.loaded.contains(kFirstRun)) &&
           (each.hello.roles & wire::kAcceptsScheduler) != 0;
  });
}

bool Membership::holds_a_role(std::uint32_t rank) const {
  return holds_a_scheduler(rank) || std::find(workers_now_.begin(), workers_now_.end(), rank) != workers_now_.end();
}

bool Membership::holds_a_scheduler(std::uint32_t rank) const {
  return std::find(roster_.schedulers.begin(), roster_.schedulers.end(), rank) != roster_.schedulers.end();
}

std::vector<std::uint32_t> Membership::let_go() {
  std::vector<std::uint32_t> ranks;
  for (std::uint32_t rank = 0; rank < size(); ++rank) {
    Member& member = members_[rank];
    if (!member.leaving || member.lost || ends_ || holds_a_role(rank)) continue;
    member.lost = member.left = true;
    ranks.push_back(rank);
  }
  return ranks;
}

wire::Leave Membership::too_late(std::uint32_t rank) const {
  const Member& member = members_[rank];
  if (member.leaving && !member.expelled) return {};
  return {static_cast<std::uint8_t>(StatusCode::cluster),
          member.expelled ? "this node was expelled: " + member.why_expelled
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
  const auto pair = reachability_.broken(members_, reach_seconds_);
  if (!pair.has_value()) return;
  const auto text = [this](std::uint32_t rank) {
    return rank < size() ? member_text(rank, members_[rank]) + " at " + members_[rank].hello.endpoint
                         : "the driver at " + driver_;
  };
  outcome.end = Status::cluster(
      text(pair->from) + " cannot reach " + text(pair->to) + ": no connection came about within " +
      seconds_text(reach_seconds_) +
      " (--start-seconds, at least 15); every process must reach every other one: check addresses (--address) and "
      "firewalls");
}

Membership::Outcome Membership::lose(std::uint32_t rank, const std::string& cause) {
  Outcome outcome;
  if (members_[rank].lost) return outcome;
  take_away(rank, cause, outcome);
  if (!outcome.end.has_value()) deal_again(outcome);
  return outcome;
}

Membership::Outcome Membership::expel(std::uint32_t rank, const std::string& by, Refusal last) {
  return expel(rank, expulsion_text(by, last));
}

Membership::Outcome Membership::expel(std::uint32_t rank, const std::string& why) {
  if (rank >= size() || members_[rank].lost) return {};
  members_[rank].expelled = true;
  members_[rank].why_expelled = why;
  return lose(rank, "expelled: " + why);
}

void Membership::take_away(std::uint32_t rank, const std::string& cause, Outcome& outcome) {
  Member& member = members_[rank];
  member.lost = true;
  outcome.newly_lost.push_back(rank);
  const auto schedulers = roles_on(roster_.schedulers, rank);
  const std::string who = member_text(rank, member);
  if (schedulers.empty()) {
    departures_.push_back({rank, "lost " + who + ": " + cause});
    outcome.notes.push_back({"lost " + who + ": " + cause + "; its blocks go to other workers", true});
    return;
  }
  const std::string what =
      "lost " + who + ", scheduler" + schedulers + ", last seen " + stage_name(member.beat.stage) + ": " + cause;
  departures_.push_back({rank, what});
  const bool some_stay = std::any_of(members_.begin(), members_.end(), [](const Member& each) {
    return !each.lost && (each.hello.roles & wire::kAcceptsScheduler) != 0;  // silent ones may come back
  });
  if (some_stay) {
    outcome.moves = true;
    outcome.notes.push_back(
        {what + "; others take its variables, and the runs go back to their last checkpoints", true});
  } else {
    outcome.end = Status::cluster(what + "; no node is left that accepts the role scheduler");
  }
}

void Membership::deal_again(Outcome& outcome) {
  if (outcome.moves) return;  // all of them move
  const auto workers = deal_workers(members_, roster_.workers);
  if (!workers.has_value()) {
    const bool some_may_return = std::any_of(members_.begin(), members_.end(), [](const Member& each) {
      return !each.lost && (each.hello.roles & wire::kAcceptsWorker) != 0;
    });
    if (!some_may_return) {
      outcome.end = Status::cluster("no worker is left: " + departures_of(wire::kAcceptsWorker));
    }
    return;
  }
  if (*workers != workers_now_) ++reassigned_;
  workers_now_ = *workers;
  ++roster_number_;
  outcome.roster = last_roster();
}

std::string Membership::departures_of(std::uint8_t role) const {
  std::vector<const std::string*> texts;
  for (const Departure& each : departures_) {
    if ((members_[each.rank].hello.roles & role) != 0) texts.push_back(&each.text);
  }
  const std::size_t before = texts.size() - std::min(texts.size(), kDeparturesShown);
  std::string all = before == 0 ? "" : std::to_string(before) + " before; ";
  for (std::size_t i = before; i < texts.size(); ++i) all += (i == before ? "" : "; ") + *texts[i];
  return all;
}

bool Membership::wants_move() const {
  if (ends_) return false;
  bool new_ones = false, loading = false;
  for (std::uint32_t rank = 0; rank < size(); ++rank) {
    const Member& member = members_[rank];
    if (member.lost) continue;
    if (member.leaving && holds_a_scheduler(rank)) return others_accept_schedulers();  // else it has to stay
    if (member.takes_part || member.leaving) continue;
    (member.loaded.contains(kFirstRun) ? new_ones : loading) = true;
  }
  return new_ones && !loading;  // those that come together are taken in together
}

bool Membership::works() const {
  return deal_workers(members_, roster_.workers).has_value();
}

Status Membership::move() {
  for (Member& member : members_) member.takes_part = member.takes_part || member.loaded.contains(kFirstRun);
  auto roster = deal_roles(members_, options_);
  if (!roster.ok()) {
    const std::string who = departures_of(wire::kAcceptsScheduler | wire::kAcceptsWorker);
    return Status::cluster(who + (who.empty() ? "" : "; ") + roster.status().message());
  }
  roster_ = std::move(roster).value();
  workers_now_ = deal_workers(members_, roster_.workers).value_or(roster_.workers);
  ++roster_number_;
  return {};
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

bool Membership::all_loaded(std::uint32_t run, std::uint32_t nodes) const {
  return std::all_of(members_.begin(), members_.begin() + nodes,
                     [run](const Member& each) { return each.lost || each.silent || each.loaded.contains(run); });
}

bool Membership::all_have(std::uint32_t run, std::uint32_t nodes, std::uint32_t phases) const {
  return std::all_of(members_.begin(), members_.begin() + nodes, [run, phases](const Member& each) {
    return each.lost || reached_in(each.beat, run).phases >= phases;
  });
}

void Membership::forget_run(std::uint32_t run) {
  if (run == kFirstRun) return;  // it says that the data are mapped
  for (Member& member : members_) member.loaded.erase(run);
}

std::optional<std::string> Membership::different_data(std::uint64_t fingerprint, std::uint32_t run,
                                                      std::uint32_t nodes) const {
  for (std::uint32_t rank = 0; rank < nodes; ++rank) {
    const Member& member = members_[rank];
    const auto loaded = member.loaded.find(run);
    if (!member.lost && loaded != member.loaded.end() && loaded->second.fingerprint != fingerprint) {
      return member_text(rank, member) +
             " reads other data than the driver: their fingerprints differ; give every host the same files";
    }
  }
  return std::nullopt;
}

}  // namespace strads::engine
