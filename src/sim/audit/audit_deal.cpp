#include "sim/audit/audit_deal.hpp"

#include <utility>

#include "strads/base/random.hpp"

namespace strads::sim {
namespace {

/// By variable: its slice. One slice takes everything, without a draw.
std::vector<std::uint32_t> owners(std::uint64_t seed, VarId variables, std::uint32_t schedulers, VarId width) {
  constexpr std::uint64_t kStripesMin = 64;  // of each slice, else single variables are dealt
  std::vector<std::uint32_t> owner(variables, 0);
  if (schedulers == 1) return owner;
  const std::uint64_t all = variables;
  const std::uint64_t stripe = width > 1 && all / width >= kStripesMin * schedulers ? width : 1;
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

std::vector<std::vector<VarId>> expected_slices(std::uint64_t seed, VarId variables, std::uint32_t schedulers,
                                                VarId stripe) {
  std::vector<std::vector<VarId>> slices(schedulers);
  const auto owner = owners(seed, variables, schedulers, stripe);
  for (VarId j = 0; j < variables; ++j) slices[owner[j]].push_back(j);
  return slices;
}

}  // namespace strads::sim
