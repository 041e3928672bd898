// The default schedule(): SAP's steps 1 to 3 from a slice's p(j), d(j,k) and workload(j).
#pragma once

#include <span>
#include <vector>

#include "engine/planning/sampler.hpp"
#include "strads/base/chunks.hpp"
#include "strads/engine/model.hpp"
#include "strads/engine/rounds.hpp"

namespace strads::engine {

/// The plan of one round: the blocks, in index order.
struct Plan {
  std::vector<Block> blocks;
  Cost cost;  ///< of making it
  Draws draws{};
  [[nodiscard]] std::vector<VarId> variables() const;
};

/// Draws, blocks and merges for round `t` of `slice`, which has `variables`: at most `blocks_max` blocks. A pure
/// function of the arguments.
[[nodiscard]] Plan plan_round(Slice& slice, std::span<const VarId> variables, Sampler& sampler, CounterRng rng,
                              std::uint32_t blocks_max, Chunks& chunks);

}  // namespace strads::engine
