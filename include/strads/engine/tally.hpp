// Counts of a model's own. Layer: engine. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace strads {

/// Counts of a model's own that a run adds up, at most.
inline constexpr std::size_t kTallyMax = 64;
/// sum <- sum + more, count by count; what one of them lacks is 0.
inline void add_tally(std::span<const std::uint64_t> more, std::vector<std::uint64_t>& sum) {
  if (sum.size() < more.size()) sum.resize(more.size());
  for (std::size_t k = 0; k < more.size(); ++k) sum[k] += more[k];
}

}  // namespace strads
