#include "transport/members.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace strads::transport {
namespace {

double seconds_between(Moment from, Moment to) {
  return std::chrono::duration<double>(to - from).count();
}

bool available(const Member& member) {
  return !member.lost && !member.silent && (member.hello.roles & wire::kAcceptsWorker) != 0;
}

std::vector<std::uint32_t> those_that_accept(const std::vector<Member>& members, std::uint8_t role) {
  std::vector<std::uint32_t> ranks;
  for (std::uint32_t rank = 0; rank < members.size(); ++rank) {
    if ((members[rank].hello.roles & role) != 0) ranks.push_back(rank);
  }
  return ranks;
}

}  // namespace

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

Result<engine::Roster> deal_roles(const std::vector<Member>& members, const EngineOptions& engine) {
  const auto schedulers = those_that_accept(members, wire::kAcceptsScheduler);
  const auto workers = those_that_accept(members, wire::kAcceptsWorker);
  if (schedulers.empty() || workers.empty()) {
    return Status::cluster(std::string("no node accepts the role ") + (schedulers.empty() ? "scheduler" : "worker") +
                           "; start at least one stradsd with it (--roles)");
  }
  engine::Roster roster;
  roster.nodes = static_cast<std::uint32_t>(members.size());
  roster.coordinator = roster.nodes;
  for (std::uint32_t s = 0; s < engine.schedulers; ++s) roster.schedulers.push_back(schedulers[s % schedulers.size()]);
  for (std::uint32_t w = 0; w < engine.workers; ++w) roster.workers.push_back(workers[w % workers.size()]);
  return roster;
}

std::optional<std::vector<std::uint32_t>> deal_workers(const std::vector<Member>& members,
                                                       const std::vector<std::uint32_t>& at_start) {
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

bool Liveness::silent(const Member& member, Moment now) const {
  return member.broken_since.has_value() || seconds_between(member.last_word, now) > silence_seconds();
}

std::optional<std::string> Liveness::lost(const Member& member, Moment now) const {
  if (member.broken_since.has_value() && seconds_between(*member.broken_since, now) > broken_seconds()) {
    return "its connection was closed and did not come back for " + seconds_text(broken_seconds()) +
           "; the process has ended or its host is down";
  }
  const double away = seconds_between(member.last_word, now);
  if (away > lease_seconds)
    return "no word for " + seconds_text(away) + " (the lease is " + seconds_text(lease_seconds) + ")";
  return std::nullopt;
}

std::string missing_text(const std::vector<Member>& members, const DriverOptions& options) {
  std::vector<std::string> names = options.names;
  for (const Member& member : members) {
    if (const auto at = std::find(names.begin(), names.end(), member.hello.name); at != names.end()) names.erase(at);
  }
  const std::size_t missing = options.nodes - std::min<std::size_t>(options.nodes, members.size());
  if (names.size() > missing) names.resize(missing);
  std::string text;
  for (const auto& name : names) text.append(text.empty() ? "" : ", ").append(name);
  const std::size_t unnamed = missing - names.size();
  if (unnamed == 0) return text;
  if (text.empty()) return std::to_string(unnamed);
  text.append(" and ").append(std::to_string(unnamed)).append(" more");
  return text;
}

}  // namespace strads::transport
