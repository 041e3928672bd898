// The ratings of each block, in the order in which its worker reads them.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "mf/problem/mf.hpp"
#include "mf/problem/partition.hpp"

namespace strads::mf {

/// One part of the ratings (training, validation or test) seen from one side, for the blocks of some workers.
class SideRatings {
 public:
  /// How blocks are wanted. `split`: rows of split pages are shared out (training); else they stay whole in the page's
  /// part 0. `narrow`: slots of 16 bits are welcome where all fit (not for ccd).
  struct Form {
    bool split = false, narrow = false;
    /// The same triplets, if nobody reads them afterwards: arrays are given back as soon as they are not needed.
    Triplets* spent = nullptr;
  };
  /// Counting sort, row by row in the order of the triplets. `workers_here`: whose blocks are taken, ascending. Cost:
  /// four passes over one array of the triplets, one over the others; memory as the ratings that are taken (and with
  /// `spent` a row's number less).
  static SideRatings sorted(const Triplets& triplets, const std::vector<float>& levels, Side side,
                            const Partition& partition, std::span<const std::uint32_t> workers_here, Form form,
                            Chunks& chunks);

  /// The ratings of a block, row by row; no value: not here. `levels`: as in Ratings.
  [[nodiscard]] std::optional<RatingRows> find(std::uint32_t page, std::uint32_t part,
                                               const std::vector<float>& levels) const;
  /// Ratings held.
  [[nodiscard]] std::uint64_t size() const { return held_; }

 private:
  /// A page, or a worker's part of a split page.
  struct Block {
    bool here = false;
    std::uint64_t first = 0;            ///< of its ratings
    std::vector<std::uint64_t> begins;  ///< of its rows, from 0
  };
  [[nodiscard]] std::size_t key(std::uint32_t page, std::uint32_t part) const {
    return page < whole_pages_ ? page : whole_pages_ + (page - whole_pages_) * workers_ + part;
  }
  void lay_out(const SidePartition& own, std::span<const std::uint32_t> counts,
               std::span<const std::uint32_t> workers_here, bool split);
  void make_room_for_values(const std::vector<float>& levels);
  void put_value(std::uint64_t at, const Triplets& triplets, std::size_t t);

  std::uint32_t workers_ = 1, whole_pages_ = 0;
  std::uint64_t held_ = 0;                   ///< ratings
  std::vector<Block> blocks_;                ///< S P pages, then P parts of each split page
  std::vector<std::uint32_t> slots_;         ///< or
  std::vector<std::uint16_t> narrow_slots_;  ///< where all fit: half the bytes
  std::vector<std::uint8_t> codes_;
  std::vector<float> values_;
};

}  // namespace strads::mf
