// Item weights of pairs that have grown, from the weights that there are.
#pragma once

#include <vector>

#include "mf/slim/slim.hpp"
#include "strads/base/chunks.hpp"

namespace strads::mf {

/// Every item solved to its certificate from `starts` (by item, as ItemSolver::solve() takes it). An item whose start
/// has a gap within the tolerance keeps it to the last bit. Pieces are cut by number: the same bits on any threads. The
/// figures are those of the solver; check_weights() replaces them.
/// Cost: for each item a column of G, and for those that change what a fit does after its first pass.
[[nodiscard]] SlimSolution refitted_weights(const SlimData& data, const SlimOptions& options,
                                            const std::vector<ItemWeights>& starts, Chunks& chunks);

}  // namespace strads::mf
