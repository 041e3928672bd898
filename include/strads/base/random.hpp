// The only randomness of the project: a counter-based generator. Layer: base. Pure.
//
// A stream is named by what it is for, never by when it is asked: the draws of (seed, sampling, slice 3, round 17) are
// the same whoever makes them, in whatever order, on whatever machine. The streams are part of "same seed, same bits":
// tests/base/random_test.cpp pins them, and a change of any of them is a change of every result.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace strads {

/// What a stream is for. Numbers are for ever; new purposes are added at the end.
enum class Purpose : std::uint64_t {
  slices = 1,     ///< dealing the variables to the slices
  sampling = 2,   ///< drawing the candidates of a round
  start = 3,      ///< random start values of a model
  holdout = 4,    ///< which observations are kept for testing
  faults = 5,     ///< faults of a simulated cluster
  tests = 6,      ///< contents made up by tests
  bootstrap = 7,  ///< which people a replicate of a bootstrap draws
  visits = 8      ///< in which order a worker visits its variables
};

/// One stream. The key is XXH3-64 over the five words (seed, purpose, slice, round, block), little-endian; output n,
/// counted from 0, is the finaliser of SplitMix64 [Steele, Lea, Flood 2014] applied to key + n * 0x9e3779b97f4a7c15.
/// Copies go on independently from the same place. Not for secrets.
class CounterRng {
 public:
  explicit CounterRng(std::uint64_t seed, Purpose purpose, std::uint64_t slice = 0, std::uint64_t round = 0,
                      std::uint64_t block = 0);

  /// 64 uniform bits.
  std::uint64_t next();
  /// Uniform in 0 <= x < bound, without bias: multiply-shift with rejection [Lemire 2019]. REQUIRES: bound >= 1.
  std::uint64_t below(std::uint64_t bound);
  /// Uniform in [0, 1): a multiple of 2^-53.
  double unit();

 private:
  std::uint64_t state_;  // key + n * golden
};

/// Puts the items into a uniformly random order [Fisher, Yates], from the last place down. Cost: one draw an item.
template <class T>
void shuffle(std::vector<T>& items, CounterRng& random) {
  for (std::size_t left = items.size(); left > 1; --left) {
    const auto chosen = static_cast<std::size_t>(random.below(left));
    if (chosen != left - 1) std::swap(items[chosen], items[left - 1]);
  }
}

}  // namespace strads
