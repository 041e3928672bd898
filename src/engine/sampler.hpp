// SAP step 1: a weighted draw without replacement with O(log n) updates.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "strads/random.hpp"

namespace strads::engine {

/// Integer weights under a binary indexed tree (Fenwick 1994). Integers, so that sums are exact: a tree that was
/// updated a million times draws the same as one that was just built.
class WeightTree {
 public:
  explicit WeightTree(std::size_t size = 0) : weights_(size, 0), sums_(size + 1, 0) {}

  [[nodiscard]] std::size_t size() const noexcept { return weights_.size(); }
  [[nodiscard]] std::uint64_t total() const noexcept { return total_; }
  [[nodiscard]] std::uint64_t weight(std::size_t i) const noexcept { return weights_[i]; }

  /// Cost: O(log n). REQUIRES: the total stays below 2^63.
  void set(std::size_t i, std::uint64_t weight);
  /// All weights at once. Cost: O(n).
  void assign(std::vector<std::uint64_t> weights);
  /// The item that owns position x of [0, total()): the first i with weight(0) + ... + weight(i) > x. Cost: O(log n).
  [[nodiscard]] std::size_t find(std::uint64_t x) const;

 private:
  std::vector<std::uint64_t> weights_;
  std::vector<std::uint64_t> sums_;
  std::uint64_t total_ = 0;
};

/// Draws items by p without replacement. Items with p = kSampleFirst come before all others, uniformly among
/// themselves (Algorithm 1: every variable is visited once first); p = 0 is never drawn.
class Sampler {
 public:
  /// `scale`: a finite p becomes the weight rint(p x scale), at least 1 if p > 0, capped so that n weights fit 2^62.
  Sampler(std::size_t size, double scale);

  void set(std::size_t i, double p);
  void assign(const std::vector<double>& p);
  [[nodiscard]] std::uint64_t weight_of(double p) const;

  /// At most `count` different items in the order of drawing. Cost: O(count log n).
  [[nodiscard]] std::vector<std::size_t> draw(std::size_t count, CounterRng& rng);

  [[nodiscard]] std::size_t size() const noexcept { return finite_.size(); }
  [[nodiscard]] std::uint64_t unvisited() const noexcept { return first_.total(); }

 private:
  WeightTree first_;   ///< 1 where p = kSampleFirst
  WeightTree finite_;  ///< the other weights
  double scale_;
  std::uint64_t cap_;
};

}  // namespace strads::engine
