#include "strads_sim/audit/plain_pages.hpp"

#include <algorithm>
#include <numeric>
#include <tuple>
#include <utility>

namespace strads::simulator {
namespace {

using Rows = std::vector<VarId>;
using Loads = std::vector<std::uint64_t>;

/// Longest first, each to the block with the least load; of equal ones to the one with fewer rows.
std::vector<Rows> deal(Rows rows, const std::vector<std::uint32_t>& counts, Loads loads) {
  std::ranges::stable_sort(rows, [&](VarId a, VarId b) { return counts[a] > counts[b]; });
  std::vector<Rows> blocks(loads.size());
  const std::size_t used = std::min(blocks.size(), rows.size());
  for (const VarId row : rows) {
    std::size_t to = 0;
    for (std::size_t place = 1; place < used; ++place) {
      if (std::pair(loads[place], blocks[place].size()) < std::pair(loads[to], blocks[to].size())) to = place;
    }
    loads[to] += counts[row];
    blocks[to].push_back(row);
  }
  return blocks;
}

/// A block that got nothing takes the lightest row of the one with most rows; what stays empty has no place.
void close_gaps(std::vector<Rows>& blocks) {
  for (Rows& block : blocks) {
    if (!block.empty()) continue;
    Rows& donor = *std::ranges::max_element(blocks, {}, &Rows::size);
    if (donor.size() < 2) break;
    block.push_back(donor.back());
    donor.pop_back();
  }
  std::erase_if(blocks, [](const Rows& block) { return block.empty(); });
  for (Rows& block : blocks) std::ranges::sort(block);
}

double imbalance_of(const Loads& workers) {
  const auto all = std::accumulate(workers.begin(), workers.end(), std::uint64_t{0});
  if (all == 0) return 1;
  return static_cast<double>(std::ranges::max(workers)) * static_cast<double>(workers.size()) /
         static_cast<double>(all);
}

}  // namespace

PlainPages::PlainPages(const PlainRatings& ratings, const std::vector<std::vector<VarId>>& slices,
                       std::uint32_t workers)
    : of_slice(slices.size()) {
  const std::vector<std::uint32_t>& counts = ratings.counts();
  const VarId users = ratings.ratings().users->size();
  for (const bool of_users : {true, false}) {
    Loads busy(workers, 0);  // by worker: block i of slice s is that of worker (i + s) mod P
    for (std::size_t s = 0; s < slices.size(); ++s) {
      Rows whole, split;
      for (const VarId row : slices[s]) {
        if ((row < users) == of_users) (ratings.is_split(row) ? split : whole).push_back(row);
      }
      for (const VarId row : split) {
        for (std::uint64_t i = 0; i < workers; ++i) {
          busy[(i + s) % workers] += counts[row] * (i + 1) / workers - counts[row] * i / workers;
        }
      }
      Loads loads(workers);
      for (std::size_t i = 0; i < workers; ++i) loads[i] = busy[(i + s) % workers];
      std::vector<Rows> blocks = deal(std::move(whole), counts, std::move(loads));
      close_gaps(blocks);
      for (std::size_t i = 0; i < blocks.size(); ++i) {
        for (const VarId row : blocks[i]) busy[(i + s) % workers] += counts[row];
      }
      if (!split.empty()) blocks.push_back(std::move(split));
      std::ranges::move(blocks, std::back_inserter(of_slice[s]));
    }
    imbalance = std::max(imbalance, imbalance_of(busy));
  }
}

}  // namespace strads::simulator
