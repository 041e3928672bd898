// SAP step 1: a weighted draw without replacement with O(log n) updates.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "strads/base/random.hpp"

namespace strads::engine {

/// Integer weights under a tree of sums, 16 children a node: half a million weights are 5 levels of two cache lines
/// each. Integers, so that sums are exact: a tree that was updated a million times draws the same as one that was just
/// built.
class WeightTree {
 public:
  explicit WeightTree(std::size_t size = 0) : size_(size) { assign(std::vector<std::uint64_t>(size, 0)); }

  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] std::uint64_t total() const noexcept { return total_; }
  [[nodiscard]] std::uint64_t weight(std::size_t i) const noexcept { return levels_[0][i]; }

  /// Cost: O(log n). REQUIRES: the total stays below 2^63.
  void set(std::size_t i, std::uint64_t weight);
  /// All weights at once. Cost: O(n).
  void assign(std::vector<std::uint64_t> weights);
  /// The item that owns position x of [0, total()): the first i with weight(0) + ... + weight(i) > x. Cost: O(log n).
  [[nodiscard]] std::size_t find(std::uint64_t x) const;

 private:
  std::size_t size_ = 0;
  std::uint64_t total_ = 0;
  /// The weights, then sums of 16 entries of the level before, until one node is left; padded with zeros.
  std::vector<std::vector<std::uint64_t>> levels_;
};

/// Draws items by p without replacement. Items with p = kSampleFirst come before all others, uniformly among
/// themselves (Algorithm 1: every variable is visited once first); p = 0 is never drawn.
class Sampler {
 public:
  /// `scale`: a finite p becomes the weight rint(p x scale), at least 1 if p > 0, capped so that n weights fit 2^62.
  /// All weights are 0. They take no memory until one of them is set.
  Sampler(std::size_t size, double scale);

  void set(std::size_t i, double p);
  void assign(const std::vector<double>& p);
  [[nodiscard]] std::uint64_t weight_of(double p) const;

  /// At most `count` different items in the order of drawing. Cost: O(count log n).
  [[nodiscard]] std::vector<std::size_t> draw(std::size_t count, CounterRng& rng);

  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] std::uint64_t unvisited() const noexcept { return first_.total(); }

 private:
  std::size_t size_;
  WeightTree first_;   ///< 1 where p = kSampleFirst; no items: nothing was set
  WeightTree finite_;  ///< the other weights
  double scale_;
  std::uint64_t cap_;
};

}  // namespace strads::engine
