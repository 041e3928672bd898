#include "engine/planning/block_builder.hpp"

#include <algorithm>
#include <numeric>

namespace strads::engine {

std::vector<VarId> without_conflicts(std::span<const VarId> drawn, const Dependency& dependency, double dependency_max,
                                     std::size_t keep_max) {
  std::vector<VarId> kept;
  for (const VarId j : drawn) {
    if (kept.size() == keep_max) break;
    const bool conflicts =
        std::any_of(kept.begin(), kept.end(), [&](VarId k) { return dependency(j, k) > dependency_max; });
    if (!conflicts) kept.push_back(j);
  }
  return kept;
}

namespace {

/// Edges of row i of the conflict graph: k < i with d(i,k) above the threshold.
std::vector<std::vector<std::uint32_t>> conflict_rows(std::span<const VarId> drawn, const Dependency& dependency,
                                                      double dependency_max, Chunks& chunks) {
  std::vector<std::vector<std::uint32_t>> rows(drawn.size());
  chunks.for_each(drawn.size(), [&](std::size_t i) {
    for (std::uint32_t k = 0; k < i; ++k) {
      if (dependency(drawn[i], drawn[k]) > dependency_max) rows[i].push_back(k);
    }
  });
  return rows;
}

std::uint32_t root_of(std::vector<std::uint32_t>& parent, std::uint32_t i) {
  while (parent[i] != i) {
    parent[i] = parent[parent[i]];
    i = parent[i];
  }
  return i;
}

}  // namespace

std::vector<std::vector<VarId>> connected_blocks(std::span<const VarId> drawn, const Dependency& dependency,
                                                 double dependency_max, Chunks& chunks) {
  const auto rows = conflict_rows(drawn, dependency, dependency_max, chunks);
  std::vector<std::uint32_t> parent(drawn.size());
  std::iota(parent.begin(), parent.end(), 0U);
  for (std::uint32_t i = 0; i < drawn.size(); ++i) {
    for (const std::uint32_t k : rows[i]) {
      const std::uint32_t a = root_of(parent, i);
      const std::uint32_t b = root_of(parent, k);
      parent[std::max(a, b)] = std::min(a, b);  // the root is the first drawn: blocks come out in drawing order
    }
  }
  std::vector<std::vector<VarId>> blocks;
  std::vector<std::size_t> block_of(drawn.size());
  for (std::uint32_t i = 0; i < drawn.size(); ++i) {
    const std::uint32_t root = root_of(parent, i);
    if (root == i) {
      block_of[i] = blocks.size();
      blocks.emplace_back();
    }
    blocks[block_of[root]].push_back(drawn[i]);
  }
  return blocks;
}

}  // namespace strads::engine
