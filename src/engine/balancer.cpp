#include "engine/balancer.hpp"

#include <algorithm>
#include <numeric>

#include "strads/status.hpp"

namespace strads::engine {

std::vector<std::vector<VarId>> balance(const std::vector<std::vector<VarId>>& blocks, std::size_t bins,
                                        const std::function<double(VarId)>& workload) {
  STRADS_CHECK(bins >= 1, "there is at least one worker");
  std::vector<double> work(blocks.size(), 0.0);
  for (std::size_t b = 0; b < blocks.size(); ++b) {
    for (const VarId j : blocks[b]) work[b] += workload(j);
  }
  std::vector<std::size_t> order(blocks.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return work[a] > work[b]; });

  std::vector<std::vector<VarId>> merged(std::min(bins, blocks.size()));
  std::vector<double> load(merged.size(), 0.0);
  for (const std::size_t b : order) {
    const auto lightest = static_cast<std::size_t>(std::min_element(load.begin(), load.end()) - load.begin());
    load[lightest] += work[b];
    merged[lightest].insert(merged[lightest].end(), blocks[b].begin(), blocks[b].end());
  }
  // Blocks of no work all go to the first bin: it stays the least loaded.
  std::erase_if(merged, [](const auto& bin) { return bin.empty(); });
  return merged;
}

}  // namespace strads::engine
