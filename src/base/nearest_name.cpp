#include "strads/base/nearest_name.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

namespace strads {
namespace {

/// Insertions, deletions, substitutions and swaps of neighbours that turn `a` into `b`. Cost: |a| |b|.
std::size_t edits(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before(b.size() + 1);
  std::vector<std::size_t> above(b.size() + 1);
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(above.begin(), above.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t k = 1; k <= b.size(); ++k) {
      row[k] = std::min({above[k] + 1, row[k - 1] + 1, above[k - 1] + (a[i - 1] == b[k - 1] ? 0U : 1U)});
      if (i > 1 && k > 1 && a[i - 1] == b[k - 2] && a[i - 2] == b[k - 1]) row[k] = std::min(row[k], before[k - 2] + 1);
    }
    before.swap(above);
    above.swap(row);
  }
  return above[b.size()];
}

}  // namespace

std::string nearest_name(std::string_view wanted, std::span<const std::string> candidates) {
  std::string best;
  // Half of the letters wrong is no longer a slip of the finger; a name cut short ("lam") is.
  std::size_t fewest = std::max<std::size_t>(2, wanted.size() / 2);
  for (const auto& candidate : candidates) {
    if (wanted.size() >= 3 && candidate.starts_with(wanted)) return candidate;
    const auto count = edits(wanted, candidate);
    if (count < fewest || (count == fewest && best.empty())) {
      fewest = count;
      best = candidate;
    }
  }
  return best;
}

}  // namespace strads
