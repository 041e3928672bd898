// How many samples have which call: genotypes of two bits, counted word by word; sums of dosages. Layer: data.
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

/// Copies of the counted allele among some samples.
struct AlleleCounts {
  std::uint64_t dosage = 0;    ///< in units of a dosage: kDosageOfACopy are one copy
  std::uint64_t observed = 0;  ///< samples with a dosage
};

/// Some of the samples: bit 0 of the two bits that each has in a column.
class SampleMask {
 public:
  /// The samples i with chosen[i] != 0.
  explicit SampleMask(std::span<const std::uint8_t> chosen);

  [[nodiscard]] std::uint64_t count() const noexcept { return count_; }
  [[nodiscard]] bool has(std::size_t i) const noexcept { return ((words_[i / 32] >> (2 * (i % 32))) & 1U) != 0; }
  [[nodiscard]] std::span<const std::uint64_t> words() const noexcept { return words_; }

 private:
  std::vector<std::uint64_t> words_;  // 32 samples each
  std::uint64_t count_ = 0;
};

/// Counts one column. REQUIRES: it has ceil(N / 4) bytes for the N samples of the mask.
/// Cost: one pass, about 1 ns for 32 samples where the processor counts bits.
[[nodiscard]] CallCounts count_calls(std::span<const std::byte> column, const SampleMask& mask);

/// Of calls: each is a dosage of 0, 1 or 2 copies.
[[nodiscard]] AlleleCounts alleles_of(const CallCounts& counts);
/// Of dosages as Storage::dosage_u16 has them, one for each sample of the mask. Cost: one pass.
[[nodiscard]] AlleleCounts alleles_of(std::span<const std::uint16_t> dosages, const SampleMask& mask);

/// Adds 1 to the entry of each sample of the mask whose call is missing. Cost: one pass, and about 2 ns a missing call.
void add_missing(std::span<const std::byte> column, const SampleMask& mask, std::span<std::uint32_t> missing);

}  // namespace strads::data
