// Pieces of a .pgen's record: bytes, counts of variable length, lists of differences. Layer: data. Private.
#pragma once

#include <cstdint>
#include <span>

namespace strads::data {

/// Walks the bytes of one record. What does not fit turns it bad, and it stays so.
class PgenCursor {
 public:
  explicit PgenCursor(std::span<const std::uint8_t> bytes) : rest_(bytes) {}

  [[nodiscard]] bool ok() const noexcept { return ok_; }
  [[nodiscard]] std::uint64_t left() const noexcept { return rest_.size(); }

  /// The next `count` bytes; none when there are fewer.
  std::span<const std::uint8_t> next_bytes(std::uint64_t count) {
    if (count > rest_.size()) return bad();
    const auto out = rest_.first(static_cast<std::size_t>(count));
    rest_ = rest_.subspan(static_cast<std::size_t>(count));
    return out;
  }
  std::uint8_t byte() {
    const auto one = next_bytes(1);
    return one.empty() ? std::uint8_t{0} : one[0];
  }
  /// A base-128 number of at most 32 bits.
  std::uint32_t number() {
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 35; shift += 7) {
      const std::uint8_t next = byte();
      value |= std::uint64_t{next & 0x7FU} << shift;
      if ((next & 0x80U) == 0) {
        if (value > 0xFFFFFFFFU) bad();
        return static_cast<std::uint32_t>(value);
      }
    }
    bad();
    return 0;
  }

  /// A list of differences: calls visit(sample, value) in order of the samples; value is 0 where none are stored.
  template <class Visit>
  void differences(std::uint64_t samples, bool with_values, const Visit& visit) {
    const std::uint64_t count = number();
    if (!ok_ || count == 0) return;
    if (count > samples) return static_cast<void>(bad());
    constexpr std::uint64_t kGroup = 64;
    const std::uint64_t groups = (count + kGroup - 1) / kGroup;
    const unsigned width = samples <= 0x100 ? 1 : samples <= 0x10000 ? 2 : samples <= 0x1000000 ? 3 : 4;
    const auto firsts = next_bytes(groups * width);
    const auto sizes = next_bytes(groups - 1);
    const auto values = next_bytes(with_values ? (count + 3) / 4 : 0);
    std::uint64_t sample = 0, group_left = 0;
    for (std::uint64_t k = 0; ok_ && k < count; ++k) {
      const bool first = k % kGroup == 0;
      if (first) {
        const std::uint64_t group = k / kGroup;
        if (group > 0 && group_left - left() != std::uint64_t{sizes[group - 1]} + 63) return static_cast<void>(bad());
        group_left = left();
        std::uint64_t id = 0;
        for (unsigned b = 0; b < width; ++b) id |= std::uint64_t{firsts[group * width + b]} << (8 * b);
        if (k > 0 && id <= sample) return static_cast<void>(bad());
        sample = id;
      } else {
        const std::uint32_t step = number();
        if (step == 0) return static_cast<void>(bad());
        sample += step;
      }
      if (!ok_ || sample >= samples) return static_cast<void>(bad());
      visit(sample, with_values ? static_cast<std::uint8_t>((values[k / 4] >> (2 * (k % 4))) & 3U) : std::uint8_t{0});
    }
  }

  std::span<const std::uint8_t> bad() {
    ok_ = false;
    rest_ = {};
    return {};
  }

 private:
  std::span<const std::uint8_t> rest_;
  bool ok_ = true;
};

}  // namespace strads::data
