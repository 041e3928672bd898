#include "engine/session/reachability.hpp"

#include <algorithm>

namespace strads::engine {

void Reachability::says(std::uint32_t from, std::vector<std::uint32_t> unreached, double now) {
  std::sort(unreached.begin(), unreached.end());
  auto at = said_.lower_bound({from, 0});
  while (at != said_.end() && at->first.first == from) {
    const bool still = std::binary_search(unreached.begin(), unreached.end(), at->first.second);
    at = still ? std::next(at) : said_.erase(at);
  }
  for (const std::uint32_t to : unreached) said_.try_emplace({from, to}, Said{now, now}).first->second.last = now;
}

std::optional<Reachability::Pair> Reachability::broken(const std::vector<Member>& members, double patience) {
  const auto away = [&](std::uint32_t rank) {
    return rank != kDriverRank && (rank >= members.size() || members[rank].lost || members[rank].silent);
  };
  std::erase_if(said_, [&](const auto& each) { return away(each.first.first) || away(each.first.second); });
  for (const auto& [pair, said] : said_) {
    if (said.last - said.first > patience) return Pair{pair.first, pair.second};
  }
  return std::nullopt;
}

}  // namespace strads::engine
