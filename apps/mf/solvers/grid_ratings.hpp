// sgd: the training ratings as a grid of cells, users' pages x items' pages.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "mf/problem/mf.hpp"
#include "mf/problem/partition.hpp"

namespace strads::mf {

/// The cells of one users' page, one for each items' page, in the order in which they are learnt from.
struct CellRow {
  std::vector<std::uint64_t> begins;                       ///< of each cell
  std::vector<std::uint32_t> rows, columns;                ///< or
  std::vector<std::uint16_t> narrow_rows, narrow_columns;  ///< where no page has more than 2^16 records
  std::vector<std::uint8_t> codes;
  std::vector<float> values;

  [[nodiscard]] CellRatings cell(std::uint32_t items_page, const std::vector<float>& levels) const;
};

class GridRatings {
 public:
  /// The cell rows of the users' pages of `workers_here`. Counting sort by cell; in a cell by groups of 64
  /// users that lie side by side, at random in a group: neighbours share no record, and those of a group stay in a
  /// cache. `seed`: of that order. A page has less than 2^32
  /// ratings. `spent`: the same triplets, if nobody reads them afterwards: arrays are given back as soon as they are
  /// not needed. Cost: two passes over the triplets; memory beside the ratings: users / 8 counters for each page of
  /// items.
  static GridRatings sorted(const Triplets& triplets, const std::vector<float>& levels, const Partition& partition,
                            std::span<const std::uint32_t> workers_here, std::uint64_t seed, Chunks& chunks,
                            Triplets* spent = nullptr);
  /// nullptr: not here.
  [[nodiscard]] const CellRow* find(std::uint32_t page) const {
    return page < pages_.size() ? pages_[page].get() : nullptr;
  }
  [[nodiscard]] std::uint64_t size() const;

 private:
  std::vector<std::unique_ptr<CellRow>> pages_;
};

}  // namespace strads::mf
