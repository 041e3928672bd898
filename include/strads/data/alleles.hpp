// Whether two files mean the same variant: their letters, and their places in the genome. Layer: data.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace strads::data {

/// The allele whose copies (or effect) are counted, and the other one.
struct Alleles {
  std::string_view counted, other;
};

/// How two files' letters go together.
struct AlleleMatch {
  enum class How : std::uint8_t {
    absent,  ///< other letters
    same,
    swapped  ///< the one counts what is the other allele of the other
  };
  How how = How::absent;
  bool other_strand = false;   ///< the letters are those of the other strand: A for T, C for G
  bool unseen_allele = false;  ///< what was found has 0, . or - for one allele: taken for the other one that is wanted
};

/// Single letters that are complements count with `other_strand`. An allele that is 0, . or - in `found` is one that
/// nobody there carries: the other one decides.
[[nodiscard]] AlleleMatch compare_alleles(const Alleles& wanted, const Alleles& found, bool other_strand);

/// Whether two alleles are each other's complements (A and T, C and G): letters then do not tell the strands apart.
[[nodiscard]] bool is_strand_ambiguous(std::string_view counted, std::string_view other);

/// Sequence and position, "1:1234", by which places are compared: "chr1" and "01" are "1", "23" is "X", XY and PAR1
/// lie on X, zeros before a position mean nothing. "" where either is unknown (empty, or 0).
[[nodiscard]] std::string place_of(std::string_view chromosome, std::string_view position);

/// A negative position: left out by plink2, and so by a fit.
[[nodiscard]] bool is_left_out(std::string_view position);

}  // namespace strads::data
