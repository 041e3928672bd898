// Which rows make up which block, on which worker: a pure function of counts, slices and P that every node computes.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "mf/problem/mf.hpp"

namespace strads::mf {

/// One side. Page s P + i is block i of slice s: worker (i + s) mod P updates it. Page S P + s holds the rows of slice
/// s that are too heavy for one worker: every worker computes a part of their normal equations.
struct SidePartition {
  std::uint32_t schedulers = 1, workers = 1;
  std::vector<std::vector<std::uint32_t>> pages;  ///< S P + S lists of rows, each ascending; may be empty
  std::vector<std::uint32_t> slots;               ///< by row: page << shift | place in the page
  std::uint32_t shift = 0;
  std::uint64_t full_pages = 0;        ///< pages with rows
  bool any_split = false;              ///< some page S P + s is not empty
  std::vector<std::uint64_t> ratings;  ///< of each worker

  [[nodiscard]] std::uint32_t page_of_row(std::uint32_t row) const { return slots[row] >> shift; }
  [[nodiscard]] std::uint32_t split_page(std::uint32_t slice) const { return schedulers * workers + slice; }
  [[nodiscard]] bool is_split(std::uint32_t page) const { return page >= schedulers * workers; }
  [[nodiscard]] std::uint32_t slice_of(std::uint32_t page) const {
    return is_split(page) ? page - schedulers * workers : page / workers;
  }
  /// Who computes block `place` of a round of slice s.
  [[nodiscard]] std::uint32_t worker_of(std::uint32_t slice, std::uint32_t place) const {
    return (place + slice) % workers;
  }
  /// Ratings of the busiest worker / ratings of the mean worker.
  [[nodiscard]] double imbalance() const;
};

struct Partition {
  SidePartition sides[kSides];

  [[nodiscard]] const SidePartition& of(Side side) const { return sides[mf::index_of(side)]; }
};

/// Ratings begin ... end - 1 of a row of `count` ratings are part `part` of `parts`.
[[nodiscard]] constexpr std::pair<std::uint64_t, std::uint64_t> part_of(std::uint64_t count, std::uint32_t part,
                                                                        std::uint32_t parts) {
  return {count * part / parts, count * (part + 1) / parts};
}

/// A row with more than this share of a worker's fair share is split.
inline constexpr double kHeavyShare = 0.5;

/// `slices`: rows of each slice, ascending. nonzeros: rows longest first, each to the worker with the fewest ratings so
/// far (LPT [Graham 1969]: at most 4/3 of the best), slice after slice. rows: runs of equally many rows.
/// `may_split`: rows that are too heavy are split (nonzeros).
/// Cost: O(rows (log rows + log P)).
[[nodiscard]] SidePartition cut(std::span<const std::uint32_t> counts,
                                std::span<const std::vector<std::uint32_t>> slices, std::uint32_t workers,
                                Balance balance, bool may_split);

}  // namespace strads::mf
