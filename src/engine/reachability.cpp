#include "engine/reachability.hpp"

#include <algorithm>

namespace strads::engine {

void Reachability::says(std::uint32_t from, std::vector<std::uint32_t> unreached, double now) {
  std::sort(unreached.begin(), unreached.end());
  auto at = since_.lower_bound({from, 0});
  while (at != since_.end() && at->first.first == from) {
    const bool still = std::binary_search(unreached.begin(), unreached.end(), at->first.second);
    at = still ? std::next(at) : since_.erase(at);
  }
  for (const std::uint32_t to : unreached) since_.try_emplace({from, to}, now);
}

std::optional<Reachability::Pair> Reachability::broken(const std::vector<Member>& members, double patience,
                                                       double now) {
  const auto away = [&](std::uint32_t rank) {
    return rank > members.size() || (rank < members.size() && (members[rank].lost || members[rank].silent));
  };
  std::erase_if(since_, [&](const auto& each) { return away(each.first.first) || away(each.first.second); });
  for (const auto& [pair, since] : since_) {
    if (now - since > patience) return Pair{pair.first, pair.second};
  }
  return std::nullopt;
}

}  // namespace strads::engine
