#include "engine/session/members.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace strads::engine {
namespace {

/// Of those that answer: one that asked to go is still here, and computes until others do.
bool answers(const Member& member, std::uint8_t role, bool leaving) {
  return member.takes_part && !member.lost && !member.silent && member.leaving == leaving &&
         (member.hello.roles & role) != 0;
}

/// Those that asked to go only where nobody else does, and those that are silent only where these do not either: they
/// may never come back. Who has asked to go and is silent is waited for as well, until it is lost.
std::vector<std::uint32_t> those_that_accept(const std::vector<Member>& members, std::uint8_t role) {
  std::vector<std::uint32_t> ranks, leaving, silent, both;
  for (std::uint32_t rank = 0; rank < members.size(); ++rank) {
    const Member& member = members[rank];
    if (answers(member, role, false)) ranks.push_back(rank);
    if (answers(member, role, true)) leaving.push_back(rank);
    if (member.takes_part && !member.lost && member.silent && (member.hello.roles & role) != 0)
      (member.leaving ? both : silent).push_back(rank);
  }
  for (auto* accept : {&ranks, &leaving, &silent}) {
    if (!accept->empty()) return std::move(*accept);
  }
  return both;
}

}  // namespace

const char* stage_name(std::uint8_t stage) {
  switch (static_cast<NodeStage>(stage)) {
    case NodeStage::joining:
      return "joined";
    case NodeStage::loading:
      return "loading the data";
    case NodeStage::scanning:
      return "scanning columns";
    case NodeStage::running:
      return "running";
    case NodeStage::stopped:
      return "stopped";
    case NodeStage::leaving:
      return "leaving";
  }
  return "unknown";
}

StatusCode code_of(std::uint8_t code) {
  switch (static_cast<StatusCode>(code)) {
    case StatusCode::ok:
    case StatusCode::usage:
    case StatusCode::stopped:
    case StatusCode::input:
    case StatusCode::internal:
      return static_cast<StatusCode>(code);
    default:
      return StatusCode::cluster;
  }
}

std::string seconds_text(double seconds) {
  const auto tenths = std::lround(std::max(0.0, seconds) * 10);
  std::string text = std::to_string(tenths / 10);
  if (tenths % 10 != 0) text.append(1, '.').append(std::to_string(tenths % 10));
  return text.append(" s");
}

std::string member_text(std::uint32_t rank, const Member& member) {
  return "rank " + std::to_string(rank) + " (" + member.hello.name + ", process " +
         std::to_string(member.hello.process) + ")";
}

std::string roles_on(const std::vector<std::uint32_t>& ranks, std::uint32_t rank) {
  std::string text;
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    if (ranks[i] == rank) text.append(" ").append(std::to_string(i));
  }
  return text;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::size_t begin = 0;
  while (begin < text.size()) {
    const auto end = std::min(text.find('\n', begin), text.size());
    lines.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return lines;
}

Result<Roster> roster_of(const wire::Welcome& welcome, const std::vector<std::string>& endpoints) {
  const auto nodes = static_cast<std::uint32_t>(endpoints.size());
  const auto known = [nodes](std::uint32_t rank) { return rank < nodes; };
  if (welcome.rank >= nodes || welcome.incarnations.size() != endpoints.size() + 1 || !(welcome.lease > 0) ||
      !std::all_of(welcome.schedulers.begin(), welcome.schedulers.end(), known) ||
      !std::all_of(welcome.workers.begin(), welcome.workers.end(), known)) {
    return Status::cluster("the driver's WELCOME contradicts itself; use the same build on all hosts");
  }
  return Roster{nodes, kDriverRank, welcome.schedulers, welcome.workers};
}

Result<Roster> deal_roles(const std::vector<Member>& members, const EngineOptions& engine) {
  const auto schedulers = those_that_accept(members, wire::kAcceptsScheduler);
  const auto workers = those_that_accept(members, wire::kAcceptsWorker);
  if (schedulers.empty() || workers.empty()) {
    return Status::cluster(std::string("no node accepts the role ") + (schedulers.empty() ? "scheduler" : "worker") +
                           "; start at least one stradsd with it (--roles)");
  }
  Roster roster;
  roster.nodes = static_cast<std::uint32_t>(members.size());
  roster.coordinator = kDriverRank;
  for (std::uint32_t s = 0; s < engine.schedulers; ++s) roster.schedulers.push_back(schedulers[s % schedulers.size()]);
  for (std::uint32_t w = 0; w < engine.workers; ++w) roster.workers.push_back(workers[w % workers.size()]);
  return roster;
}

std::optional<std::vector<std::uint32_t>> deal_workers(const std::vector<Member>& members,
                                                       const std::vector<std::uint32_t>& at_start) {
  const bool all_leave = std::none_of(members.begin(), members.end(),
                                      [](const Member& each) { return answers(each, wire::kAcceptsWorker, false); });
  const auto available = [all_leave](const Member& each) { return answers(each, wire::kAcceptsWorker, all_leave); };
  std::vector<std::uint64_t> load(members.size(), 0);
  for (const std::uint32_t rank : at_start) {
    if (available(members[rank])) ++load[rank];
  }
  std::vector<std::uint32_t> workers = at_start;
  for (std::uint32_t& rank : workers) {
    if (available(members[rank])) continue;
    std::optional<std::uint32_t> best;
    for (std::uint32_t other = 0; other < members.size(); ++other) {
      if (available(members[other]) && (!best.has_value() || load[other] < load[*best])) best = other;
    }
    if (!best.has_value()) return std::nullopt;
    rank = *best;
    ++load[*best];
  }
  return workers;
}

bool Liveness::silent(const Member& member, double now) const {
  return member.broken_since.has_value() || now - member.last_word > silence_seconds();
}

std::optional<std::string> Liveness::lost(const Member& member, double now) const {
  if (member.broken_since.has_value() && now - *member.broken_since > broken_seconds()) {
    return "its connection was closed and did not come back for " + seconds_text(broken_seconds()) +
           "; the process has ended or its host is down";
  }
  const double away = now - member.last_word;
  if (away > lease_seconds)
    return "no word for " + seconds_text(away) + " (the lease is " + seconds_text(lease_seconds) + ")";
  return std::nullopt;
}

void DriverWatch::note_connection(bool connected, double now) {
  if (connected) {
    broken_since_.reset();
  } else if (!broken_since_.has_value()) {
    broken_since_ = now;
  }
}

std::optional<std::string> DriverWatch::lost(double now) const {
  const double silent = now - last_word_;
  if (silent > liveness_.lease_seconds) {
    return "no word from the driver at " + driver_ + " for " + seconds_text(silent) +
           "; this node ends, as the others do";
  }
  if (broken_since_.has_value() && std::min(now - *broken_since_, silent) > liveness_.broken_seconds()) {
    return "the connection to the driver at " + driver_ + " was closed and could not be opened again for " +
           seconds_text(now - *broken_since_) + "; the driver is gone";
  }
  return std::nullopt;
}

std::string missing_text(const std::vector<Member>& members, std::vector<std::string> names, std::uint32_t nodes) {
  for (const Member& member : members) {
    if (const auto at = std::find(names.begin(), names.end(), member.hello.name); at != names.end()) names.erase(at);
  }
  const std::size_t missing = nodes - std::min<std::size_t>(nodes, members.size());
  if (names.size() > missing) names.resize(missing);
  std::string text;
  for (const auto& name : names) text.append(text.empty() ? "" : ", ").append(name);
  const std::size_t unnamed = missing - names.size();
  if (unnamed == 0) return text;
  if (text.empty()) return std::to_string(unnamed);
  text.append(" and ").append(std::to_string(unnamed)).append(" more");
  return text;
}

}  // namespace strads::engine
