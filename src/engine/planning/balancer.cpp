#include "engine/planning/balancer.hpp"

#include <algorithm>
#include <functional>
#include <numeric>
#include <queue>
#include <utility>

#include "strads/base/status.hpp"

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
  // Of equally loaded bins the first: (load, bin) orders them. Ascending numbers are a heap already.
  using Bin = std::pair<double, std::size_t>;
  std::vector<Bin> bins_by_load;
  for (std::size_t k = 0; k < merged.size(); ++k) bins_by_load.emplace_back(0.0, k);
  std::priority_queue<Bin, std::vector<Bin>, std::greater<>> queue(std::greater<>(), std::move(bins_by_load));
  for (const std::size_t b : order) {
    const auto [load, lightest] = queue.top();
    queue.pop();
    queue.emplace(load + work[b], lightest);
    merged[lightest].insert(merged[lightest].end(), blocks[b].begin(), blocks[b].end());
  }
  // Blocks of no work all go to the first bin: it stays the least loaded.
  std::erase_if(merged, [](const auto& bin) { return bin.empty(); });
  return merged;
}

}  // namespace strads::engine
