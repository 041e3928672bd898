// Whole-number kernels on two-bit calls that Highway 1.0 cannot express. Layer: numerics. Pure, private.
// Sums of whole numbers are exact, so that every function below gives the same numbers on every processor: which of
// them runs is free (unlike kernels.hpp, whose targets each have bits of their own).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "numerics/kernels/kernels.hpp"
#include "strads/numerics/quantised.hpp"

namespace strads {

/// Columns that one call takes: their loads of the planes and their sums over lanes are shared.
inline constexpr std::size_t kQuantisedColumns = 4;

/// The functions of one instruction set. `columns`: kQuantisedColumns pointers, each readable for 64 bytes a chunk;
/// what lies behind a column meets zeros in the planes. `sums`: one slot a column.
struct QuantisedKernels {
  const char* name;
  /// sums[c] = sum f_i q_i, f = copies of A2, a missing call counting as one: x - ((x >> 1) & 01) in each field.
  void (*dosages)(const std::uint8_t* const* columns, std::span<const QuantisedChunk> planes, std::int64_t* sums);
  /// sums[c] = sum of q_i over the missing calls.
  void (*missing)(const std::uint8_t* const* columns, std::span<const QuantisedChunk> planes, std::int64_t* sums);
};

/// What goes with the target of kernels(), at most: AVX-512 VNNI, AVX2, SSSE3, or plain C++.
[[nodiscard]] const QuantisedKernels& quantised_kernels();
/// All that this processor runs, best first: for tests.
[[nodiscard]] std::span<const QuantisedKernels* const> all_quantised_kernels();

/// genotype_counts of kernels.hpp with counting instructions for whole registers (AVX-512 VPOPCNTDQ); nullptr where
/// this processor has none. It is in the table of AVX-512 then.
using GenotypeCountsFunction = GenotypeCounts (*)(const std::uint8_t* calls, const std::uint64_t* keep, std::size_t n);
[[nodiscard]] GenotypeCountsFunction wide_genotype_counts();
/// The same for genotype_plane_pair.
using GenotypePlanePairFunction = decltype(Kernels::genotype_plane_pair);
[[nodiscard]] GenotypePlanePairFunction wide_genotype_plane_pair();

/// Products of many columns with many, where no call is missing. The bits of `pairs` are those of one product after the
/// other: sums are exact, and the rest is element by element.
struct GenotypeTileKernels {
  /// sums[a * stride + b] += sum of products of columns a and b over the words [begin, end).
  void (*products)(std::span<const GenotypePlanes> lefts, std::span<const GenotypePlanes> rights, std::size_t begin,
                   std::size_t end, std::uint64_t* sums, std::size_t stride);
  /// out[b] = (samples products[b] - copies copies[b]) / samples / (norm norms[b]). REQUIRES: products below 2^31.
  void (*pairs)(const std::uint64_t* products, double samples, double left_copies, double left_norm,
                const double* copies, const double* norms, std::size_t count, double* out);
};
/// nullptr where this processor has no counting instructions for whole registers.
[[nodiscard]] const GenotypeTileKernels* wide_genotype_tiles();

}  // namespace strads
