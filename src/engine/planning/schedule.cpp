#include "engine/planning/schedule.hpp"

#include <algorithm>

#include "engine/planning/balancer.hpp"
#include "engine/planning/block_builder.hpp"

namespace strads::engine {

namespace {

std::vector<std::vector<VarId>> single_blocks(const std::vector<VarId>& variables, std::size_t count) {
  std::vector<std::vector<VarId>> blocks;
  for (std::size_t k = 0; k < std::min(count, variables.size()); ++k) blocks.push_back({variables[k]});
  return blocks;
}

std::vector<std::vector<VarId>> build_blocks(Slice& slice, const ScheduleRules& rules, const std::vector<VarId>& drawn,
                                             std::uint32_t blocks_max, Chunks& chunks) {
  const auto dependency = [&slice](VarId j, VarId k) { return slice.define_dependency(j, k); };
  const std::size_t keep_max = std::size_t{blocks_max} * rules.block_variables_max;
  switch (rules.conflicts) {
    case ScheduleRules::Conflicts::ignore:
      return single_blocks(drawn, keep_max);
    case ScheduleRules::Conflicts::drop: {
      slice.prepare_pairs(drawn, chunks);
      const auto kept = without_conflicts(drawn, dependency, rules.dependency_max, keep_max);
      return single_blocks(kept, kept.size());
    }
    case ScheduleRules::Conflicts::merge:
      // With one block nothing can conflict: everything drawn is that block, and no coupling need be computed.
      if (blocks_max == 1) return {drawn};
      return connected_blocks(drawn, dependency, rules.dependency_max, chunks);
  }
  return {};
}

}  // namespace

std::vector<VarId> Plan::variables() const {
  std::vector<VarId> all;
  for (const Block& block : blocks) all.insert(all.end(), block.content.ids.begin(), block.content.ids.end());
  return all;
}

Plan plan_round(Slice& slice, std::span<const VarId> variables, Sampler& sampler, CounterRng rng,
                std::uint32_t blocks_max, Chunks& chunks) {
  const ScheduleRules rules = slice.rules();
  std::vector<VarId> drawn;
  for (const std::size_t local : sampler.draw(rules.draws, rng)) drawn.push_back(variables[local]);
  Plan plan;
  if (drawn.empty()) return plan;
  const auto blocks = build_blocks(slice, rules, drawn, blocks_max, chunks);
  const auto merged = balance(blocks, blocks_max, [&slice](VarId j) { return slice.workload(j); });
  for (const auto& block : merged) plan.blocks.push_back(slice.make_block(block));
  return plan;
}

}  // namespace strads::engine
