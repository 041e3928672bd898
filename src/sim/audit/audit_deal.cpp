#include "sim/audit/audit_deal.hpp"

#include <utility>

#include "strads/base/random.hpp"

namespace strads::sim {
namespace {

/// By variable of one deal: its slice. One slice takes everything, without a draw.
std::vector<std::uint32_t> owners(std::uint64_t seed, const Deal& deal, std::uint32_t schedulers) {
  constexpr std::uint64_t kStripesMin = 64;  // of each slice, else single variables are dealt
  std::vector<std::uint32_t> owner(deal.variables, 0);
  if (schedulers == 1) return owner;
  const std::uint64_t all = deal.variables;
  const std::uint64_t stripe = deal.stripe > 1 && all / deal.stripe >= kStripesMin * schedulers ? deal.stripe : 1;
  std::vector<std::uint64_t> order;
  for (std::uint64_t begin = 0; begin < all; begin += stripe) order.push_back(begin);
  CounterRng random(seed, Purpose::slices);
  // Fisher and Yates, from the last place down.
  for (std::size_t last = order.size(); last-- > 1;) {
    const auto other = static_cast<std::size_t>(random.below(last + 1));
    std::swap(order[other], order[last]);
  }
  // Like cards: one stripe to each slice in turn.
  for (std::size_t k = 0; k < order.size(); ++k) {
    for (std::uint64_t j = order[k]; j < order[k] + stripe && j < all; ++j) {
      owner[j] = static_cast<std::uint32_t>(k % schedulers);
    }
  }
  return owner;
}

}  // namespace

std::vector<std::vector<VarId>> expected_slices(std::uint64_t seed, const std::vector<Deal>& deals,
                                                std::uint32_t schedulers) {
  std::vector<std::vector<VarId>> slices(schedulers);
  VarId first = 0;
  for (const Deal& deal : deals) {
    const auto owner = owners(seed, deal, schedulers);
    for (VarId j = 0; j < deal.variables; ++j) slices[owner[j]].push_back(first + j);
    first += deal.variables;
  }
  return slices;
}

}  // namespace strads::sim
