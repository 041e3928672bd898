#include "mf/problem/partition.hpp"

#include <algorithm>
#include <bit>
#include <functional>
#include <numeric>
#include <queue>
#include <tuple>

namespace strads::mf {
namespace {

using Rows = std::vector<std::uint32_t>;

/// Equal numbers of rows, in order: the first blocks get one more.
void deal_rows(const Rows& rows, std::span<Rows> blocks) {
  std::size_t begin = 0;
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    const std::size_t end = rows.size() * (i + 1) / blocks.size();
    blocks[i].assign(rows.begin() + static_cast<std::ptrdiff_t>(begin),
                     rows.begin() + static_cast<std::ptrdiff_t>(end));
    begin = end;
  }
}

/// Gives each empty block the lightest row of the one with most rows, as long as one has two: the engine sends no empty
/// blocks, and those after one would go to another worker. `blocks`: heaviest rows first.
void fill_empty(std::span<Rows> blocks) {
  const auto by_rows = [](const Rows& a, const Rows& b) { return a.size() < b.size(); };
  for (Rows& block : blocks) {
    if (!block.empty()) continue;
    Rows& donor = *std::max_element(blocks.begin(), blocks.end(), by_rows);
    if (donor.size() < 2) return;
    block.push_back(donor.back());
    donor.pop_back();
  }
}

/// Longest first, to the block whose worker has least; `load`: what workers have from earlier slices, by place.
void deal_longest_first(Rows rows, std::span<const std::uint32_t> counts, std::span<const std::uint64_t> load,
                        std::span<Rows> blocks) {
  std::stable_sort(rows.begin(), rows.end(), [&](auto a, auto b) { return counts[a] > counts[b]; });
  using PageEntry = std::tuple<std::uint64_t, std::size_t, std::size_t>;  // load, rows, place
  std::priority_queue<PageEntry, std::vector<PageEntry>, std::greater<>> lightest;
  for (std::size_t i = 0; i < std::min(blocks.size(), rows.size()); ++i) lightest.emplace(load[i], 0, i);
  for (const std::uint32_t row : rows) {
    const auto [ratings, held, place] = lightest.top();
    lightest.pop();
    blocks[place].push_back(row);
    lightest.emplace(ratings + counts[row], held + 1, place);
  }
  fill_empty(blocks);
  for (Rows& block : blocks) std::sort(block.begin(), block.end());
}

void number(SidePartition& side) {
  std::size_t most = 1;
  for (const Rows& page : side.pages) most = std::max(most, page.size());
  side.shift = static_cast<std::uint32_t>(std::bit_width(most - 1));
  for (std::uint32_t page = 0; page < side.pages.size(); ++page) {
    side.full_pages += side.pages[page].empty() ? 0 : 1;
    for (std::uint32_t k = 0; k < side.pages[page].size(); ++k) {
      side.slots[side.pages[page][k]] = (page << side.shift) | k;
    }
  }
}

}  // namespace

double SidePartition::imbalance() const {
  const auto all = std::accumulate(ratings.begin(), ratings.end(), std::uint64_t{0});
  if (all == 0) return 1;
  const auto most = *std::max_element(ratings.begin(), ratings.end());
  return static_cast<double>(most) * static_cast<double>(ratings.size()) / static_cast<double>(all);
}

SidePartition cut(std::span<const std::uint32_t> counts, std::span<const std::vector<std::uint32_t>> slices,
                  std::uint32_t workers, Balance balance, bool may_split) {
  SidePartition side;
  side.schedulers = static_cast<std::uint32_t>(slices.size());
  side.workers = workers;
  side.pages.resize(std::size_t{side.schedulers} * workers + side.schedulers);
  side.slots.resize(counts.size());
  side.ratings.assign(workers, 0);
  const auto all = std::accumulate(counts.begin(), counts.end(), std::uint64_t{0});
  const bool splits = may_split && workers > 1 && balance == Balance::nonzeros;
  const double heavy = !splits ? static_cast<double>(all) + 1 : kHeavyShare * static_cast<double>(all) / workers;
  for (std::uint32_t s = 0; s < side.schedulers; ++s) {
    const std::span<Rows> blocks(side.pages.data() + std::size_t{s} * workers, workers);
    Rows whole;
    for (const std::uint32_t row : slices[s]) {
      if (static_cast<double>(counts[row]) <= heavy) {
        whole.push_back(row);
        continue;
      }
      side.pages[side.split_page(s)].push_back(row);
      side.any_split = true;
      for (std::uint32_t i = 0; i < workers; ++i) {
        const auto [begin, end] = part_of(counts[row], i, workers);
        side.ratings[side.worker_of(s, i)] += end - begin;
      }
    }
    std::vector<std::uint64_t> load(workers);
    for (std::uint32_t i = 0; i < workers; ++i) load[i] = side.ratings[side.worker_of(s, i)];
    if (balance == Balance::nonzeros) {
      deal_longest_first(std::move(whole), counts, load, blocks);
    } else {
      deal_rows(whole, blocks);
    }
    // Fewer rows than workers: the places at the end stay empty.
    std::stable_partition(blocks.begin(), blocks.end(), [](const Rows& block) { return !block.empty(); });
    for (std::uint32_t i = 0; i < workers; ++i) {
      for (const std::uint32_t row : blocks[i]) side.ratings[side.worker_of(s, i)] += counts[row];
    }
  }
  number(side);
  return side;
}

}  // namespace strads::mf
