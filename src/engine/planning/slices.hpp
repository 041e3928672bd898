// Who owns which variable: a pure function of (seed, J, S), computed by every node without a message.
#pragma once

#include <cstdint>
#include <vector>

#include "strads/base/types.hpp"

namespace strads::engine {

/// Deals variables 0 ... count - 1 to `slices` disjoint slices of nearly equal size, at random by `seed`.
/// Runs of `stripe` adjacent variables stay together if every slice then gets at least 64 of them, else single
/// variables are dealt. Each slice is ascending. Cost: O(J log J) for stripe = 1.
[[nodiscard]] std::vector<std::vector<VarId>> deal_slices(std::uint64_t seed, VarId count, std::uint32_t slices,
                                                          VarId stripe);

}  // namespace strads::engine
