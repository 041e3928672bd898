// What a process did not take of what came in, by kind. Layer: base. Pure.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

namespace strads {

/// Why something was not taken. The first four are of connections, the others of messages. The order is that of BEAT.
enum class Refusal : std::uint8_t {
  stranger,      ///< a connection that got as far as no message
  flooding,      ///< a connection that sent without end
  crowding,      ///< a connection too many
  hurrying,      ///< a connection too soon after others
  damaged,       ///< no message, or a damaged one
  foreign,       ///< of another run, of a process that takes no part or does not any more, or in another's name
  misplaced,     ///< speaks for a role that its sender has not
  unacceptable,  ///< the model cannot take its payload
  impossible,    ///< a version, a barrier or a block that cannot be
  early,         ///< further ahead of its time than can be kept; asked for again when its time has come
};
inline constexpr std::size_t kRefusalKinds = 10;

/// As summary.json names it.
[[nodiscard]] constexpr const char* refusal_name(Refusal kind) {
  constexpr std::array<const char*, kRefusalKinds> kNames{"strangers",  "flooding", "crowding",  "hurrying",
                                                          "damaged",    "foreign",  "misplaced", "unacceptable",
                                                          "impossible", "early"};
  return kNames[static_cast<std::size_t>(kind)];
}

/// Counts by kind.
class Refusals {
 public:
  Refusals() = default;
  /// As it came over the wire: what is missing is 0, what is too much is left out.
  explicit Refusals(const std::vector<std::uint64_t>& counts) {
    std::copy_n(counts.begin(), std::min(counts.size(), kRefusalKinds), counts_.begin());
  }

  void add(Refusal kind, std::uint64_t count = 1) { counts_[static_cast<std::size_t>(kind)] += count; }
  void add(const Refusals& more) {
    for (std::size_t k = 0; k < kRefusalKinds; ++k) counts_[k] += more.counts_[k];
  }
  [[nodiscard]] std::uint64_t operator[](Refusal kind) const { return counts_[static_cast<std::size_t>(kind)]; }
  [[nodiscard]] std::uint64_t total() const {
    return std::accumulate(counts_.begin(), counts_.end(), std::uint64_t{0});
  }
  [[nodiscard]] std::vector<std::uint64_t> list() const { return {counts_.begin(), counts_.end()}; }

 private:
  std::array<std::uint64_t, kRefusalKinds> counts_{};
};

}  // namespace strads
