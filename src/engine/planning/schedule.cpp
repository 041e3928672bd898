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

/// How many of `drawn` were looked at until `kept` was whole.
std::size_t looked_at(const std::vector<VarId>& drawn, const std::vector<VarId>& kept, std::size_t keep_max) {
  if (kept.empty() || kept.size() < keep_max) return drawn.size();
  return static_cast<std::size_t>(std::find(drawn.begin(), drawn.end(), kept.back()) - drawn.begin()) + 1;
}

Draws draws_of(std::size_t drawn, std::size_t free) {
  return {static_cast<std::uint32_t>(drawn), static_cast<std::uint32_t>(drawn - free)};
}

std::vector<std::vector<VarId>> build_blocks(Slice& slice, const ScheduleRules& rules, const std::vector<VarId>& drawn,
                                             std::uint32_t blocks_max, Chunks& chunks, Draws& draws) {
  const auto dependency = [&slice](VarId j, VarId k) { return slice.define_dependency(j, k); };
  const std::size_t keep_max = std::size_t{blocks_max} * rules.block_variables_max;
  switch (rules.conflicts) {
    case ScheduleRules::Conflicts::ignore: {
      auto blocks = single_blocks(drawn, keep_max);
      draws = draws_of(blocks.size(), blocks.size());
      return blocks;
    }
    case ScheduleRules::Conflicts::drop: {
      slice.prepare_pairs(drawn, chunks);
      const auto kept = without_conflicts(drawn, dependency, rules.dependency_max, keep_max);
      draws = draws_of(looked_at(drawn, kept, keep_max), kept.size());
      return single_blocks(kept, kept.size());
    }
    case ScheduleRules::Conflicts::merge: {
      // With one block nothing can conflict: everything drawn is that block, and no coupling need be computed.
      draws = draws_of(drawn.size(), drawn.size());
      if (blocks_max == 1) return {drawn};
      auto blocks = connected_blocks(drawn, dependency, rules.dependency_max, chunks);
      draws = draws_of(drawn.size(), blocks.size());
      return blocks;
    }
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
  const auto blocks = build_blocks(slice, rules, drawn, blocks_max, chunks, plan.draws);
  const auto merged = balance(blocks, blocks_max, [&slice](VarId j) { return slice.workload(j); });
  for (const auto& block : merged) plan.blocks.push_back(slice.make_block(block));
  return plan;
}

}  // namespace strads::engine
