#include "data/filters/genotype_counts.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include "data/genotypes/pgen.hpp"
#include "strads/data/dataset.hpp"

namespace strads::data {

namespace {

constexpr std::size_t kSamplesPerWord = 32;

// Word k of a column, which may end within it: what lies behind reads as 0.
std::uint64_t word_at(std::span<const std::byte> column, std::size_t k) {
  std::uint64_t word = 0;
  const std::size_t begin = k * sizeof(word);
  std::memcpy(&word, column.data() + begin, std::min(sizeof(word), column.size() - begin));
  return word;
}

struct BitCounts {
  std::uint64_t low = 0, high = 0, both = 0;
};

// Written once, compiled for two instruction sets below.
[[gnu::always_inline]] inline BitCounts count_bits(std::span<const std::byte> column,
                                                   std::span<const std::uint64_t> mask) {
  BitCounts bits;
  const auto add = [&](std::uint64_t word, std::uint64_t chosen) {
    const std::uint64_t low = word & chosen, high = (word >> 1) & chosen;
    bits.low += static_cast<std::uint64_t>(std::popcount(low));
    bits.high += static_cast<std::uint64_t>(std::popcount(high));
    bits.both += static_cast<std::uint64_t>(std::popcount(low & high));
  };
  const std::size_t whole = column.size() / sizeof(std::uint64_t);
  for (std::size_t k = 0; k < whole; ++k) {
    std::uint64_t word = 0;
    std::memcpy(&word, column.data() + k * sizeof(word), sizeof(word));
    add(word, mask[k]);
  }
  for (std::size_t k = whole; k < mask.size(); ++k) add(word_at(column, k), mask[k]);
  return bits;
}

#if defined(__x86_64__)
[[gnu::target("popcnt")]] BitCounts count_bits_by_instruction(std::span<const std::byte> column,
                                                              std::span<const std::uint64_t> mask) {
  return count_bits(column, mask);
}

bool counts_bits() {
  static const bool has = __builtin_cpu_supports("popcnt") != 0;
  return has;
}
#endif

BitCounts bits_of(std::span<const std::byte> column, std::span<const std::uint64_t> mask) {
#if defined(__x86_64__)
  if (counts_bits()) return count_bits_by_instruction(column, mask);
#endif
  return count_bits(column, mask);
}

}  // namespace

SampleMask::SampleMask(std::span<const std::uint8_t> chosen)
    : words_((chosen.size() + kSamplesPerWord - 1) / kSamplesPerWord, 0) {
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    if (chosen[i] == 0) continue;
    words_[i / kSamplesPerWord] |= std::uint64_t{1} << (2 * (i % kSamplesPerWord));
    ++count_;
  }
}

CallCounts count_calls(std::span<const std::byte> column, const SampleMask& mask) {
  const BitCounts bits = bits_of(column, mask.words());
  return {.hom_counted = mask.count() - bits.low - bits.high + bits.both,
          .missing = bits.low - bits.both,
          .het = bits.high - bits.both,
          .hom_other = bits.both};
}

AlleleCounts alleles_of(const CallCounts& counts) {
  return {kDosageOfACopy * (2 * counts.hom_counted + counts.het), counts.observed()};
}

AlleleCounts alleles_of(std::span<const std::uint16_t> dosages, const SampleMask& mask) {
  AlleleCounts out;
  for (std::size_t i = 0; i < dosages.size(); ++i) {
    if (dosages[i] == kMissingDosage || !mask.has(i)) continue;
    out.dosage += dosages[i];
    ++out.observed;
  }
  return out;
}

void add_missing(std::span<const std::byte> column, const SampleMask& mask, std::span<std::uint32_t> missing) {
  const auto chosen = mask.words();
  for (std::size_t k = 0; k < chosen.size(); ++k) {
    const std::uint64_t word = word_at(column, k);
    for (std::uint64_t left = word & ~(word >> 1) & chosen[k]; left != 0; left &= left - 1) {
      ++missing[k * kSamplesPerWord + static_cast<std::size_t>(std::countr_zero(left)) / 2];
    }
  }
}

}  // namespace strads::data
