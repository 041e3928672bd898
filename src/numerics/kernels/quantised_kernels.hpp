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

}  // namespace strads
