// Names of chromosomes as plink2 reads them. Layer: data.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "strads/base/status.hpp"

namespace strads::data {

/// How many copies of a chromosome a person has: what frequencies, missing calls and tests depend on.
enum class Ploidy : std::uint8_t {
  diploid,  ///< 1 to 22, XY, 0, and names that are unknown
  x,        ///< males have one copy
  y,        ///< males have one copy, others none
  haploid   ///< MT
};

/// 0 to 22, X = 23, Y = 24, XY = 25, MT or M = 26, with or without "chr" and a leading 0 ("01", "0X"), in any case.
/// Empty for all other names.
[[nodiscard]] std::optional<std::uint64_t> chromosome_code(std::string_view name);
/// One name for each of these: "1" to "22", X, Y, XY, MT. Others stay, without "chr".
[[nodiscard]] std::string plain_chromosome(std::string_view name);
/// The sequence in which positions count: that of X for X, XY, PAR1 and PAR2, else plain_chromosome().
[[nodiscard]] std::string sequence_of(std::string_view chromosome);
[[nodiscard]] Ploidy ploidy_of(std::string_view chromosome);

/// One word of --chr: a chromosome, or two with a dash between them.
class ChromosomeRange {
 public:
  explicit ChromosomeRange(std::string_view word);

  /// True iff the chromosome is that of the word, or its code lies in the range.
  [[nodiscard]] bool has(std::string_view chromosome) const;
  /// True iff the word names one chromosome.
  [[nodiscard]] bool is_one() const noexcept { return !last_.has_value(); }

 private:
  std::string_view name_;
  std::optional<std::uint64_t> first_, last_;
};

}  // namespace strads::data
