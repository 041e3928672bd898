// Which pairs of user and item are drawn for what: by hashes, whatever the order of the file. docs/FORMATS.md,
// "Ratings".
#pragma once

#include <cstdint>
#include <vector>

#include "strads/base/chunks.hpp"
#include "strads/data/ratings.hpp"

namespace strads::data {

/// XXH3-64 of every id.
[[nodiscard]] std::vector<std::uint64_t> id_hashes(const IdTable& ids, Chunks& chunks);

/// One draw among all pairs.
class PairDraw {
 public:
  /// Numbers are for ever: docs/FORMATS.md names them.
  enum class Use : std::uint64_t { holdout = 1, validation = 2, folds = 3 };

  /// takes() is true for `share` of the pairs, 0 <= share < 1.
  PairDraw(std::uint64_t seed, Use use, double share);
  [[nodiscard]] bool takes(std::uint64_t user_hash, std::uint64_t item_hash) const {
    return number(user_hash, item_hash) < limit_;
  }
  /// One of 0 ... count - 1, each equally often. REQUIRES: count <= 2^32.
  [[nodiscard]] std::uint32_t among(std::uint64_t count, std::uint64_t user_hash, std::uint64_t item_hash) const {
    return static_cast<std::uint32_t>(((number(user_hash, item_hash) >> 32) * count) >> 32);
  }

 private:
  // The finaliser of SplitMix64 [Steele, Lea, Flood 2014].
  static constexpr std::uint64_t mixed(std::uint64_t x) {
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9U;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebU;
    return x ^ (x >> 31);
  }
  [[nodiscard]] std::uint64_t number(std::uint64_t user_hash, std::uint64_t item_hash) const {
    return mixed(mixed(key_ + user_hash) ^ item_hash);
  }

  std::uint64_t key_ = 0;
  std::uint64_t limit_;
};

}  // namespace strads::data
