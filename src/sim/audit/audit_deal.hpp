// Who owns which variable, worked out a second time from the rule of docs/ARCHITECTURE.md, "Words". Layer: sim. Pure.
#pragma once

#include <cstdint>
#include <vector>

#include "strads/base/types.hpp"

namespace strads::sim {

/// The variables of each of `schedulers` slices, ascending: what every node should have dealt itself. `stripe`:
/// adjacent variables that stay together.
[[nodiscard]] std::vector<std::vector<VarId>> expected_slices(std::uint64_t seed, VarId variables,
                                                              std::uint32_t schedulers, VarId stripe);

}  // namespace strads::sim
