#include "numerics/kernels/quantised_kernels.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include "numerics/kernels/x86_intrinsics.hpp"

namespace strads {

namespace {

/// Chunks whose sums stay in 32 bits: 8,192 rows x 2 copies x 16,383 < 2^31, also in a single lane.
constexpr std::size_t kChunksPerSum = 32;
static_assert(std::int64_t{kChunksPerSum} * kQuantisedRows * 2 * 16384 < (std::int64_t{1} << 31));

enum class Wanted : std::uint8_t { dosages, missing };

template <class Sum>
void in_pieces(std::span<const QuantisedChunk> planes, std::int64_t* sums, const Sum& sum) {
  std::fill_n(sums, kQuantisedColumns, std::int64_t{0});
  for (std::size_t begin = 0; begin < planes.size(); begin += kChunksPerSum) {
    sum(begin, std::min(planes.size(), begin + kChunksPerSum));
  }
}

// --- plain C++ ---

template <Wanted wanted>
unsigned fields_of(unsigned x) {
  const unsigned high = x >> 1;
  return wanted == Wanted::dosages ? x - (high & 0x55) : x & ~high & 0x55;
}

template <Wanted wanted>
void sums_plain(const std::uint8_t* const* columns, std::span<const QuantisedChunk> planes, std::int64_t* sums) {
  in_pieces(planes, sums, [&](std::size_t begin, std::size_t end) {
    for (std::size_t c = 0; c < kQuantisedColumns; ++c) {
      std::int32_t high = 0, low = 0;
      for (std::size_t chunk = begin; chunk < end; ++chunk) {
        for (std::size_t t = 0; t < 4; ++t) {
          const QuantisedChunk::Field& field = planes[chunk].fields[t];
          for (std::size_t k = 0; k < 64; ++k) {
            const auto f = static_cast<std::int32_t>(fields_of<wanted>(columns[c][64 * chunk + k]) >> (2 * t) & 3);
            high += f * field.high[k];
            low += f * field.low[k];
          }
        }
      }
      sums[c] += std::int64_t{128} * high + low;
    }
  });
}

constexpr QuantisedKernels kPlain{"plain", &sums_plain<Wanted::dosages>, &sums_plain<Wanted::missing>};

#if defined(__x86_64__)

// --- SSSE3 and AVX2: pairs of products in 16 bits (2 x 2 x 128 at most), a chunk's 16 of them too ---

#define STRADS_SSE STRADS_TARGET("ssse3,sse4.1")

template <Wanted wanted>
STRADS_SSE inline __m128i fields_of(__m128i x) {
  const __m128i high = _mm_srli_epi16(x, 1), low_bits = _mm_set1_epi8(0x55);
  if constexpr (wanted == Wanted::dosages) return _mm_sub_epi8(x, _mm_and_si128(high, low_bits));
  return _mm_and_si128(_mm_andnot_si128(high, x), low_bits);
}

STRADS_SSE inline std::int32_t total_of(__m128i lanes) {
  lanes = _mm_add_epi32(lanes, _mm_shuffle_epi32(lanes, 0x4E));
  lanes = _mm_add_epi32(lanes, _mm_shuffle_epi32(lanes, 0xB1));
  return _mm_cvtsi128_si32(lanes);
}

template <Wanted wanted>
STRADS_SSE std::int64_t sum_sse(const std::uint8_t* column, std::span<const QuantisedChunk> planes, std::size_t begin,
                                std::size_t end) {
  const __m128i three = _mm_set1_epi8(3), ones = _mm_set1_epi16(1);
  __m128i high = _mm_setzero_si128(), low = high;
  for (std::size_t chunk = begin; chunk < end; ++chunk) {
    __m128i high_pairs = _mm_setzero_si128(), low_pairs = high_pairs;
    for (std::size_t k = 0; k < 64; k += 16) {
      __m128i f = fields_of<wanted>(_mm_loadu_si128(reinterpret_cast<const __m128i*>(column + 64 * chunk + k)));
      for (const QuantisedChunk::Field& field : planes[chunk].fields) {
        const __m128i one = _mm_and_si128(f, three);
        const auto* const high_q = reinterpret_cast<const __m128i*>(field.high.data() + k);
        const auto* const low_q = reinterpret_cast<const __m128i*>(field.low.data() + k);
        high_pairs = _mm_add_epi16(high_pairs, _mm_maddubs_epi16(one, _mm_load_si128(high_q)));
        low_pairs = _mm_add_epi16(low_pairs, _mm_maddubs_epi16(one, _mm_load_si128(low_q)));
        f = _mm_srli_epi16(f, 2);
      }
    }
    high = _mm_add_epi32(high, _mm_madd_epi16(high_pairs, ones));
    low = _mm_add_epi32(low, _mm_madd_epi16(low_pairs, ones));
  }
  return total_of(_mm_add_epi32(_mm_slli_epi32(high, 7), low));
}

template <Wanted wanted>
void sums_sse(const std::uint8_t* const* columns, std::span<const QuantisedChunk> planes, std::int64_t* sums) {
  in_pieces(planes, sums, [&](std::size_t begin, std::size_t end) {
    for (std::size_t c = 0; c < kQuantisedColumns; ++c) sums[c] += sum_sse<wanted>(columns[c], planes, begin, end);
  });
}

constexpr QuantisedKernels kSse{"ssse3", &sums_sse<Wanted::dosages>, &sums_sse<Wanted::missing>};

#define STRADS_AVX2 STRADS_TARGET("avx2")

template <Wanted wanted>
STRADS_AVX2 inline __m256i fields_of(__m256i x) {
  const __m256i high = _mm256_srli_epi16(x, 1), low_bits = _mm256_set1_epi8(0x55);
  if constexpr (wanted == Wanted::dosages) return _mm256_sub_epi8(x, _mm256_and_si256(high, low_bits));
  return _mm256_and_si256(_mm256_andnot_si256(high, x), low_bits);
}

template <Wanted wanted>
STRADS_AVX2 std::int64_t sum_avx2(const std::uint8_t* column, std::span<const QuantisedChunk> planes, std::size_t begin,
                                  std::size_t end) {
  const __m256i three = _mm256_set1_epi8(3), ones = _mm256_set1_epi16(1);
  __m256i high = _mm256_setzero_si256(), low = high;
  for (std::size_t chunk = begin; chunk < end; ++chunk) {
    __m256i high_pairs = _mm256_setzero_si256(), low_pairs = high_pairs;
    for (std::size_t k = 0; k < 64; k += 32) {
      __m256i f = fields_of<wanted>(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(column + 64 * chunk + k)));
      for (const QuantisedChunk::Field& field : planes[chunk].fields) {
        const __m256i one = _mm256_and_si256(f, three);
        const auto* const high_q = reinterpret_cast<const __m256i*>(field.high.data() + k);
        const auto* const low_q = reinterpret_cast<const __m256i*>(field.low.data() + k);
        high_pairs = _mm256_add_epi16(high_pairs, _mm256_maddubs_epi16(one, _mm256_load_si256(high_q)));
        low_pairs = _mm256_add_epi16(low_pairs, _mm256_maddubs_epi16(one, _mm256_load_si256(low_q)));
        f = _mm256_srli_epi16(f, 2);
      }
    }
    high = _mm256_add_epi32(high, _mm256_madd_epi16(high_pairs, ones));
    low = _mm256_add_epi32(low, _mm256_madd_epi16(low_pairs, ones));
  }
  const __m256i lanes = _mm256_add_epi32(_mm256_slli_epi32(high, 7), low);
  __m128i four = _mm_add_epi32(_mm256_castsi256_si128(lanes), _mm256_extracti128_si256(lanes, 1));
  four = _mm_add_epi32(four, _mm_shuffle_epi32(four, 0x4E));
  four = _mm_add_epi32(four, _mm_shuffle_epi32(four, 0xB1));
  return _mm_cvtsi128_si32(four);
}

template <Wanted wanted>
void sums_avx2(const std::uint8_t* const* columns, std::span<const QuantisedChunk> planes, std::int64_t* sums) {
  in_pieces(planes, sums, [&](std::size_t begin, std::size_t end) {
    for (std::size_t c = 0; c < kQuantisedColumns; ++c) sums[c] += sum_avx2<wanted>(columns[c], planes, begin, end);
  });
}

constexpr QuantisedKernels kAvx2{"avx2", &sums_avx2<Wanted::dosages>, &sums_avx2<Wanted::missing>};

// --- AVX-512 VNNI: four columns side by side ---

#define STRADS_VNNI STRADS_TARGET("avx2,avx512f,avx512bw,avx512vl,avx512vnni")

template <Wanted wanted>
STRADS_VNNI inline __m512i fields_of(__m512i x) {
  const __m512i high = _mm512_srli_epi16(x, 1), low_bits = _mm512_set1_epi8(0x55);
  if constexpr (wanted == Wanted::dosages) return _mm512_sub_epi8(x, _mm512_and_si512(high, low_bits));
  return _mm512_and_si512(_mm512_andnot_si512(high, x), low_bits);
}

STRADS_VNNI inline __m256i halves_of(__m512i high, __m512i low) {
  const __m512i lanes = _mm512_add_epi32(_mm512_slli_epi32(high, 7), low);
  return _mm256_add_epi32(_mm512_castsi512_si256(lanes), _mm512_extracti64x4_epi64(lanes, 1));
}

template <Wanted wanted>
[[gnu::always_inline]] STRADS_VNNI inline __m128i four_sums(const std::uint8_t* const* columns,
                                                            std::span<const QuantisedChunk> planes, std::size_t begin,
                                                            std::size_t end) {
  const __m512i three = _mm512_set1_epi8(3), zero = _mm512_setzero_si512();
  __m512i high[kQuantisedColumns] = {zero, zero, zero, zero}, low[kQuantisedColumns] = {zero, zero, zero, zero};
  for (std::size_t chunk = begin; chunk < end; ++chunk) {
    __m512i f[kQuantisedColumns];
    for (std::size_t c = 0; c < kQuantisedColumns; ++c) {
      f[c] = fields_of<wanted>(_mm512_loadu_si512(columns[c] + 64 * chunk));
    }
    for (const QuantisedChunk::Field& field : planes[chunk].fields) {
      const __m512i high_q = _mm512_load_si512(field.high.data()), low_q = _mm512_load_si512(field.low.data());
      for (std::size_t c = 0; c < kQuantisedColumns; ++c) {
        const __m512i one = _mm512_and_si512(f[c], three);
        high[c] = _mm512_dpbusd_epi32(high[c], one, high_q);
        low[c] = _mm512_dpbusd_epi32(low[c], one, low_q);
        f[c] = _mm512_srli_epi16(f[c], 2);
      }
    }
  }
  const __m256i left = _mm256_hadd_epi32(halves_of(high[0], low[0]), halves_of(high[1], low[1]));
  const __m256i right = _mm256_hadd_epi32(halves_of(high[2], low[2]), halves_of(high[3], low[3]));
  const __m256i all = _mm256_hadd_epi32(left, right);
  return _mm_add_epi32(_mm256_castsi256_si128(all), _mm256_extracti128_si256(all, 1));
}

template <Wanted wanted>
STRADS_VNNI void sums_vnni(const std::uint8_t* const* columns, std::span<const QuantisedChunk> planes,
                           std::int64_t* sums) {
  __m256i total = _mm256_setzero_si256();
  for (std::size_t begin = 0; begin < planes.size(); begin += kChunksPerSum) {
    const std::size_t end = std::min(planes.size(), begin + kChunksPerSum);
    total = _mm256_add_epi64(total, _mm256_cvtepi32_epi64(four_sums<wanted>(columns, planes, begin, end)));
  }
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(sums), total);
}

constexpr QuantisedKernels kVnni{"avx512vnni", &sums_vnni<Wanted::dosages>, &sums_vnni<Wanted::missing>};

// --- counts of calls ---

#define STRADS_POPCNT STRADS_TARGET("avx512f,avx512bw,avx512vl,avx512vpopcntdq")

/// Three counts share a number of 64 bits: over so many registers of 256 rows each stays below 2^21.
constexpr std::size_t kCountedRegisters = std::size_t{1} << 12;
constexpr unsigned kCountBits = 21;
static_assert(kCountedRegisters * 256 < std::size_t{1} << kCountBits);

STRADS_POPCNT GenotypeCounts counts_wide(const std::uint8_t* calls, const std::uint64_t* keep, std::size_t n) {
  const __m512i low_bits = _mm512_set1_epi8(0x55);
  const std::size_t bytes = (n + 3) / 4;
  const auto* const kept_bytes = reinterpret_cast<const std::uint8_t*>(keep);
  std::uint64_t some_total = 0, two_total = 0, missing_total = 0;
  for (std::size_t begin = 0; begin < bytes; begin += 64 * kCountedRegisters) {
    __m512i some_counts = _mm512_setzero_si512(), two_counts = some_counts, missing_counts = some_counts;
    const std::size_t end = std::min(bytes, begin + 64 * kCountedRegisters);
    for (std::size_t b = begin; b < end; b += 64) {
      const __mmask64 here = end - b >= 64 ? ~__mmask64{0} : (__mmask64{1} << (end - b)) - 1;
      const __m512i x = _mm512_maskz_loadu_epi8(here, calls + b), high = _mm512_srli_epi64(x, 1);
      const __m512i kept = _mm512_and_si512(_mm512_maskz_loadu_epi8(here, kept_bytes + b), low_bits);
      const __m512i some = _mm512_andnot_si512(x, kept), known = _mm512_andnot_si512(high, kept);
      some_counts = _mm512_add_epi64(some_counts, _mm512_popcnt_epi64(some));
      two_counts = _mm512_add_epi64(two_counts, _mm512_popcnt_epi64(_mm512_and_si512(some, known)));
      missing_counts = _mm512_add_epi64(missing_counts, _mm512_popcnt_epi64(_mm512_and_si512(x, known)));
    }
    const __m512i packed = _mm512_add_epi64(
        some_counts,
        _mm512_add_epi64(_mm512_slli_epi64(two_counts, kCountBits), _mm512_slli_epi64(missing_counts, 2 * kCountBits)));
    constexpr std::uint64_t kMask = (std::uint64_t{1} << kCountBits) - 1;
    const auto sum = static_cast<std::uint64_t>(_mm512_reduce_add_epi64(packed));
    some_total += sum & kMask;
    two_total += (sum >> kCountBits) & kMask;
    missing_total += sum >> (2 * kCountBits);
  }
  return {some_total + two_total, some_total + 3 * two_total, missing_total};
}

/// Eight words at a time; the last ones are masked, so that nothing behind a plane is read.
template <bool missing>
[[gnu::always_inline]] STRADS_POPCNT inline GenotypeProducts plane_sums(const GenotypePlanes& left,
                                                                        const GenotypePlanes& right,
                                                                        const std::uint64_t* keep, std::size_t begin,
                                                                        std::size_t end) {
  const __m512i zero = _mm512_setzero_si512(), low_bits = _mm512_set1_epi8(0x55);
  __m512i some = zero, two = zero, lefts = zero, rights = zero, both = zero;
  for (std::size_t w = begin; w < end; w += 8) {
    const auto here = static_cast<__mmask8>(end - w >= 8 ? 0xff : (1U << (end - w)) - 1);
    const auto load = [here](const std::uint64_t* words)
                          STRADS_POPCNT { return _mm512_maskz_loadu_epi64(here, words); };
    const __m512i x = load(left.thermometer + w);
    some = _mm512_add_epi64(some, _mm512_popcnt_epi64(_mm512_and_si512(x, load(right.some + w))));
    two = _mm512_add_epi64(two, _mm512_popcnt_epi64(_mm512_and_si512(x, load(right.two + w))));
    if constexpr (missing) {
      const __m512i left_missing = load(left.missing + w), right_missing = load(right.missing + w);
      const __m512i y = load(right.thermometer + w);
      lefts = _mm512_add_epi64(lefts, _mm512_popcnt_epi64(_mm512_andnot_si512(right_missing, x)));
      rights = _mm512_add_epi64(rights, _mm512_popcnt_epi64(_mm512_andnot_si512(left_missing, y)));
      const __m512i kept = _mm512_and_si512(load(keep + w), low_bits);
      const __m512i known = _mm512_andnot_si512(_mm512_or_si512(left_missing, right_missing), kept);
      both = _mm512_add_epi64(both, _mm512_popcnt_epi64(known));
    }
  }
  GenotypeProducts sums;
  sums.product = static_cast<std::uint64_t>(_mm512_reduce_add_epi64(_mm512_add_epi64(some, two)));
  if constexpr (missing) {
    sums.left = static_cast<std::uint64_t>(_mm512_reduce_add_epi64(lefts));
    sums.right = static_cast<std::uint64_t>(_mm512_reduce_add_epi64(rights));
    sums.both = static_cast<std::uint64_t>(_mm512_reduce_add_epi64(both));
  }
  return sums;
}

STRADS_POPCNT GenotypeProducts plane_pair_wide(const GenotypePlanes& left, const GenotypePlanes& right,
                                               const std::uint64_t* keep, std::size_t begin, std::size_t end,
                                               bool missing) {
  return missing ? plane_sums<true>(left, right, keep, begin, end) : plane_sums<false>(left, right, keep, begin, end);
}

constexpr std::size_t kTileSide = 4;  ///< columns on each side whose sums stay in registers

/// The totals of four registers, in a register.
STRADS_POPCNT inline __m256i four_totals(const __m512i* sums) {
  const __m512i first =
      _mm512_add_epi64(_mm512_unpacklo_epi64(sums[0], sums[1]), _mm512_unpackhi_epi64(sums[0], sums[1]));
  const __m512i last =
      _mm512_add_epi64(_mm512_unpacklo_epi64(sums[2], sums[3]), _mm512_unpackhi_epi64(sums[2], sums[3]));
  const __m256i a = _mm256_add_epi64(_mm512_castsi512_si256(first), _mm512_extracti64x4_epi64(first, 1));
  const __m256i b = _mm256_add_epi64(_mm512_castsi512_si256(last), _mm512_extracti64x4_epi64(last, 1));
  return _mm256_add_epi64(_mm256_permute2x128_si256(a, b, 0x20), _mm256_permute2x128_si256(a, b, 0x31));
}

/// Columns at the edge stand for those that are missing there; what they give is not stored.
STRADS_POPCNT void tile_products_wide(std::span<const GenotypePlanes> lefts, std::span<const GenotypePlanes> rights,
                                      std::size_t begin, std::size_t end, std::uint64_t* sums, std::size_t stride) {
  for (std::size_t a = 0; a < lefts.size(); a += kTileSide) {
    const std::uint64_t* x[kTileSide];
    for (std::size_t s = 0; s < kTileSide; ++s) x[s] = lefts[std::min(a + s, lefts.size() - 1)].thermometer;
    for (std::size_t b = 0; b < rights.size(); b += kTileSide) {
      const GenotypePlanes* y[kTileSide];
      for (std::size_t t = 0; t < kTileSide; ++t) y[t] = &rights[std::min(b + t, rights.size() - 1)];
      __m512i counts[kTileSide][kTileSide];
      for (auto& row : counts) {
        for (__m512i& count : row) count = _mm512_setzero_si512();
      }
      for (std::size_t w = begin; w < end; w += 8) {
        const auto here = static_cast<__mmask8>(end - w >= 8 ? 0xff : (1U << (end - w)) - 1);
        __m512i left[kTileSide];
        for (std::size_t s = 0; s < kTileSide; ++s) left[s] = _mm512_maskz_loadu_epi64(here, x[s] + w);
        for (std::size_t t = 0; t < kTileSide; ++t) {
          const __m512i some = _mm512_maskz_loadu_epi64(here, y[t]->some + w);
          const __m512i two = _mm512_maskz_loadu_epi64(here, y[t]->two + w);
          for (std::size_t s = 0; s < kTileSide; ++s) {
            const __m512i both = _mm512_add_epi64(_mm512_popcnt_epi64(_mm512_and_si512(left[s], some)),
                                                  _mm512_popcnt_epi64(_mm512_and_si512(left[s], two)));
            counts[s][t] = _mm512_add_epi64(counts[s][t], both);
          }
        }
      }
      const auto kept = static_cast<__mmask8>((1U << std::min(kTileSide, rights.size() - b)) - 1);
      for (std::size_t s = 0; s < std::min(kTileSide, lefts.size() - a); ++s) {
        std::uint64_t* const out = sums + (a + s) * stride + b;
        const __m256i before = _mm256_maskz_loadu_epi64(kept, out);
        _mm256_mask_storeu_epi64(out, kept, _mm256_add_epi64(before, four_totals(counts[s])));
      }
    }
  }
}

STRADS_POPCNT void tile_pairs_wide(const std::uint64_t* products, double samples, double left_copies, double left_norm,
                                   const double* copies, const double* norms, std::size_t count, double* out) {
  const __m512d all = _mm512_set1_pd(samples), own = _mm512_set1_pd(left_copies), norm = _mm512_set1_pd(left_norm);
  for (std::size_t b = 0; b < count; b += 8) {
    const auto here = static_cast<__mmask8>(count - b >= 8 ? 0xff : (1U << (count - b)) - 1);
    const __m256i narrow = _mm512_cvtepi64_epi32(_mm512_maskz_loadu_epi64(here, products + b));
    const __m512d left = _mm512_mul_pd(all, _mm512_cvtepi32_pd(narrow));
    const __m512d spread = _mm512_sub_pd(left, _mm512_mul_pd(own, _mm512_maskz_loadu_pd(here, copies + b)));
    const __m512d both = _mm512_mul_pd(norm, _mm512_mask_loadu_pd(all, here, norms + b));
    _mm512_mask_storeu_pd(out + b, here, _mm512_div_pd(_mm512_div_pd(spread, all), both));
  }
}

constexpr GenotypeTileKernels kWideTiles{&tile_products_wide, &tile_pairs_wide};

#undef STRADS_SSE
#undef STRADS_AVX2
#undef STRADS_VNNI
#undef STRADS_POPCNT

bool has_vnni() {
  return __builtin_cpu_supports("avx512f") != 0 && __builtin_cpu_supports("avx512bw") != 0 &&
         __builtin_cpu_supports("avx512vl") != 0 && __builtin_cpu_supports("avx512vnni") != 0;
}

bool has_wide_counts() {
  return __builtin_cpu_supports("avx512f") != 0 && __builtin_cpu_supports("avx512bw") != 0 &&
         __builtin_cpu_supports("avx512vpopcntdq") != 0;
}

#endif  // x86

struct Available {
  std::array<const QuantisedKernels*, 4> list{};
  std::size_t count = 0;

  Available() {
#if defined(__x86_64__)
    if (has_vnni()) list[count++] = &kVnni;
    if (__builtin_cpu_supports("avx2") != 0) list[count++] = &kAvx2;
    if (__builtin_cpu_supports("ssse3") != 0 && __builtin_cpu_supports("sse4.1") != 0) list[count++] = &kSse;
#endif
    list[count++] = &kPlain;
  }
  [[nodiscard]] const QuantisedKernels& first_of(std::initializer_list<std::string_view> names) const {
    for (std::size_t k = 0; k < count; ++k) {
      for (const std::string_view name : names) {
        if (list[k]->name == name) return *list[k];
      }
    }
    return kPlain;
  }
};

const Available& available() {
  static const Available found;
  return found;
}

}  // namespace

std::span<const QuantisedKernels* const> all_quantised_kernels() {
  return std::span(available().list).first(available().count);
}

const QuantisedKernels& quantised_kernels() {
  const std::string_view target = kernels().name;
  if (target == "avx512") return available().first_of({"avx512vnni", "avx2"});
  if (target == "avx2") return available().first_of({"avx2"});
  if (target == "sse4") return available().first_of({"ssse3"});
  return kPlain;
}

GenotypePlanePairFunction wide_genotype_plane_pair() {
#if defined(__x86_64__)
  if (has_wide_counts()) return &plane_pair_wide;
#endif
  return nullptr;
}

const GenotypeTileKernels* wide_genotype_tiles() {
#if defined(__x86_64__)
  if (has_wide_counts()) return &kWideTiles;
#endif
  return nullptr;
}

GenotypeCountsFunction wide_genotype_counts() {
#if defined(__x86_64__)
  if (has_wide_counts()) return &counts_wide;
#endif
  return nullptr;
}

}  // namespace strads
