// How many samples have which call: genotypes of two bits, counted word by word. Layer: data.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace strads::data {

/// Calls of one variant among some samples, by their codes in a .bed.
struct CallCounts {
  std::uint64_t hom_counted = 0;  ///< 00: two copies of A1
  std::uint64_t missing = 0;      ///< 01
  std::uint64_t het = 0;          ///< 10
  std::uint64_t hom_other = 0;    ///< 11: none

  [[nodiscard]] std::uint64_t observed() const noexcept { return hom_counted + het + hom_other; }
};

/// Some of the samples: bit 0 of the two bits that each has in a column.
class SampleMask {
 public:
  /// The samples i with chosen[i] != 0.
  explicit SampleMask(std::span<const std::uint8_t> chosen);

  [[nodiscard]] std::uint64_t count() const noexcept { return count_; }
  [[nodiscard]] std::span<const std::uint64_t> words() const noexcept { return words_; }

 private:
  std::vector<std::uint64_t> words_;  // 32 samples each
  std::uint64_t count_ = 0;
};

/// Counts one column. REQUIRES: it has ceil(N / 4) bytes for the N samples of the mask.
/// Cost: one pass, about 1 ns for 32 samples where the processor counts bits.
[[nodiscard]] CallCounts count_calls(std::span<const std::byte> column, const SampleMask& mask);

/// Adds 1 to the entry of each sample of the mask whose call is missing. Cost: one pass, and about 2 ns a missing call.
void add_missing(std::span<const std::byte> column, const SampleMask& mask, std::span<std::uint32_t> missing);

}  // namespace strads::data
