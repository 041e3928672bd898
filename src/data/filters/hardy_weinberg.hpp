// Exact tests of Hardy-Weinberg equilibrium, as plink2 --hwe has them without its modifiers. Layer: data.
#pragma once

#include <cstdint>

namespace strads::data {

/// Calls of a variant with two alleles, A and B.
struct HardyCounts {
  std::uint64_t hets = 0;    ///< A B
  std::uint64_t hom_a = 0;   ///< A A
  std::uint64_t hom_b = 0;   ///< B B
  std::uint64_t male_a = 0;  ///< of chromosome X: males with A; hets among them are no calls
  std::uint64_t male_b = 0;
};

/// p of the exact test (Wigginton, Cutler, Abecasis 2005): the share of all genotype tables with these allele counts
/// that are no more probable than this one. Males are not looked at; 1 without calls. 0 where p is below 1e-280.
/// Cost: some square roots of the number of calls, at most their number.
[[nodiscard]] double hardy_p(const HardyCounts& counts);

/// The same of chromosome X (Graffelman and Weir 2016): males carry alleles too, so tables differ in how these are
/// split between the sexes. Once the sum has reached `enough` it is returned: more is not asked. Cost: a sum over two
/// numbers, mostly a few hundred terms where p is larger than `enough`.
[[nodiscard]] double hardy_p_x(const HardyCounts& counts, double enough = 2);

}  // namespace strads::data
