#include "strads/policies/slice_positions.hpp"

#include <algorithm>

namespace strads {

namespace {
/// From so many slices on positions are searched: tables of them would take J times the number of slices.
constexpr std::size_t kSearchedFrom = 64;
}  // namespace

SlicePositions::SlicePositions(std::span<const VarId> variables, std::size_t all) : variables_(variables), all_(all) {
  if (variables.size() == all || variables.size() < all / kSearchedFrom) return;
  table_.assign(all, kNone);
  for (std::size_t i = 0; i < variables.size(); ++i) table_[variables[i]] = static_cast<VarId>(i);
}

std::size_t SlicePositions::search(VarId j) const {
  const auto found = std::lower_bound(variables_.begin(), variables_.end(), j);
  return found != variables_.end() && *found == j ? static_cast<std::size_t>(found - variables_.begin()) : kNone;
}

}  // namespace strads
