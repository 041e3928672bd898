// SAP step 2: the conflict graph of the drawn variables and the blocks that it allows.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "strads/base/chunks.hpp"
#include "strads/base/types.hpp"

namespace strads::engine {

/// d(j,k). Must be safe to call from several threads at once.
using Dependency = std::function<double(VarId, VarId)>;

/// Algorithm 1: walks `drawn` in order and keeps a variable iff its coupling to every one kept before is at most
/// `dependency_max`; stops at `keep_max`. Cost: at most |drawn| x keep_max couplings.
[[nodiscard]] std::vector<VarId> without_conflicts(std::span<const VarId> drawn, const Dependency& dependency,
                                                   double dependency_max, std::size_t keep_max);

/// SAP section 2, step 2: connected components of the conflict graph: variables with coupling above `dependency_max`
/// share a block. Components are ordered by their first variable in `drawn`, and keep its order inside.
/// Cost: |drawn|^2 / 2 couplings, spread over threads.
[[nodiscard]] std::vector<std::vector<VarId>> connected_blocks(std::span<const VarId> drawn,
                                                               const Dependency& dependency, double dependency_max,
                                                               Chunks& chunks);

}  // namespace strads::engine
