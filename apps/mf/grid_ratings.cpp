#include "mf/grid_ratings.hpp"

#include <algorithm>
#include <utility>

#include "strads/random.hpp"

namespace strads::mf {
namespace {
constexpr std::size_t kPieces = 4;  ///< each reads all users and takes its own pages
constexpr std::uint64_t kGroup = 64;

/// `ends`: of each bin.
void shuffle_groups(CellRow& row, std::span<const std::uint64_t> ends, std::uint64_t seed, std::uint32_t page) {
  CounterRng random(seed, Purpose::start, kSides, page);
  std::uint64_t begin = 0;
  for (const std::uint64_t end : ends) {
    for (std::uint64_t left = end; left > begin + 1; --left) {
      const std::uint64_t chosen = begin + random.below(left - begin);
      std::swap(row.rows[chosen], row.rows[left - 1]);
      std::swap(row.columns[chosen], row.columns[left - 1]);
      row.codes.empty() ? std::swap(row.values[chosen], row.values[left - 1])
                        : std::swap(row.codes[chosen], row.codes[left - 1]);
    }
    begin = end;
  }
}

}  // namespace

CellRatings CellRow::cell(std::uint32_t items_page, const std::vector<float>& levels) const {
  const std::uint64_t begin = begins[items_page], count = begins[items_page + 1] - begin;
  CellRatings cell;
  cell.rows = std::span(rows).subspan(begin, count);
  cell.columns = std::span(columns).subspan(begin, count);
  cell.levels = levels.data();
  if (codes.empty()) {
    cell.values = std::span(values).subspan(begin, count);
  } else {
    cell.codes = std::span(codes).subspan(begin, count);
  }
  return cell;
}

std::uint64_t GridRatings::size() const {
  std::uint64_t sum = 0;
  for (const auto& page : pages_) sum += page == nullptr ? 0 : page->rows.size();
  return sum;
}

GridRatings GridRatings::take(const Triplets& triplets, const std::vector<float>& levels, const Partition& partition,
                              std::span<const std::uint32_t> workers_here, std::uint64_t seed, Chunks& chunks) {
  const SidePartition& users = partition.of(Side::users);
  const SidePartition& items = partition.of(Side::items);
  const bool coded = !levels.empty();
  const std::uint32_t user_mask = (std::uint32_t{1} << users.shift) - 1;
  const std::uint32_t item_mask = (std::uint32_t{1} << items.shift) - 1;
  GridRatings grid;
  grid.pages_.resize(users.pages.size());
  for (std::uint32_t page = 0; page < users.pages.size(); ++page) {
    const std::uint32_t worker = users.worker_of(users.slice_of(page), page % users.workers);
    const bool here = std::find(workers_here.begin(), workers_here.end(), worker) != workers_here.end();
    if (here && !users.pages[page].empty()) grid.pages_[page] = std::make_unique<CellRow>();
  }
  // Pieces are pages; each finds its ratings itself, which costs less than bringing them there.
  chunks.for_each(kPieces, [&](std::size_t piece) {
    const auto is_mine = [&](std::uint32_t page) { return page % kPieces == piece && grid.pages_[page] != nullptr; };
    std::vector<std::uint64_t> groups(users.pages.size());
    std::vector<std::vector<std::uint64_t>> next(users.pages.size());
    for (std::uint32_t page = 0; page < users.pages.size(); ++page) {
      groups[page] = (users.pages[page].size() + kGroup - 1) / kGroup;
      if (is_mine(page)) next[page].resize(items.pages.size() * groups[page] + 1);
    }
    // Bin of a rating: its cell, then its group of users.
    const auto bin_of = [&](std::uint32_t page, std::uint32_t user, std::uint32_t item) {
      return items.page_of_row(item) * groups[page] + (users.slots[user] & user_mask) / kGroup;
    };
    for (std::size_t t = 0; t < triplets.size(); ++t) {
      const std::uint32_t page = users.page_of_row(triplets.users[t]);
      if (is_mine(page)) ++next[page][bin_of(page, triplets.users[t], triplets.items[t]) + 1];
    }
    for (std::uint32_t page = 0; page < users.pages.size(); ++page) {
      if (!is_mine(page)) continue;
      CellRow& row = *grid.pages_[page];
      for (std::size_t bin = 1; bin < next[page].size(); ++bin) next[page][bin] += next[page][bin - 1];
      const std::uint64_t count = next[page].back();
      row.rows.resize(count);
      row.columns.resize(count);
      coded ? row.codes.resize(count) : row.values.resize(count);
      for (std::size_t cell = 0; cell <= items.pages.size(); ++cell)
        row.begins.push_back(next[page][cell * groups[page]]);
    }
    for (std::size_t t = 0; t < triplets.size(); ++t) {
      const std::uint32_t user = triplets.users[t], item = triplets.items[t];
      const std::uint32_t page = users.page_of_row(user);
      if (!is_mine(page)) continue;
      CellRow& row = *grid.pages_[page];
      const std::uint64_t to = next[page][bin_of(page, user, item)]++;
      row.rows[to] = users.slots[user] & user_mask;
      row.columns[to] = items.slots[item] & item_mask;
      if (coded) {
        row.codes[to] = triplets.codes[t];
      } else {
        row.values[to] = triplets.values[t];
      }
    }
    for (std::uint32_t page = 0; page < users.pages.size(); ++page) {
      if (is_mine(page)) shuffle_groups(*grid.pages_[page], next[page], seed, page);
    }
  });
  return grid;
}

}  // namespace strads::mf
