#include "numerics/kernels/byte_kernels.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <string_view>

#include "numerics/kernels/x86_intrinsics.hpp"

namespace strads {

namespace {

constexpr std::int64_t kByteMax = 255;
constexpr std::size_t kFields = 4;
constexpr std::size_t kFieldRows = kQuantisedRows / kFields;

// --- plain C++ ---

void products_plain(const std::uint8_t* const* columns, std::uint8_t flip, std::span<const QuantisedChunk> planes,
                    std::int64_t* sums) {
  for (std::size_t c = 0; c < kQuantisedColumns; ++c) {
    const std::uint8_t* x = columns[c];
    sums[c] = 0;
    for (const QuantisedChunk& chunk : planes) {
      std::int32_t high = 0, low = 0;  // of one chunk: far from 2^31
      for (const QuantisedChunk::Field& field : chunk.fields) {
        for (std::size_t k = 0; k < kFieldRows; ++k) {
          const std::int32_t value = x[k] ^ flip;
          high += value * field.high[k];
          low += value * field.low[k];
        }
        x += kFieldRows;
      }
      sums[c] += std::int64_t{128} * high + low;
    }
  }
}

ByteSums sums_plain(const std::uint8_t* x, std::uint8_t flip, const std::uint8_t* mask, std::size_t n) {
  ByteSums result;
  for (std::size_t begin = 0; begin < n; begin += kMaskRows) {
    std::uint32_t sum = 0, squares = 0;
    for (std::size_t i = begin; i < std::min(n, begin + kMaskRows); ++i) {
      const auto value = static_cast<std::uint32_t>((x[i] ^ flip) & mask[i]);
      sum += value;
      squares += value * value;
    }
    result.sum += sum;
    result.squares += squares;
  }
  return result;
}

constexpr ByteKernels kPlain{"plain", &products_plain, &sums_plain};

#if defined(__x86_64__)

/// The rows of the last register, zeros behind them.
using LastRows = std::array<std::uint8_t, kMaskRows>;

LastRows last_rows(const std::uint8_t* x, std::size_t count) {
  LastRows rows{};
  std::memcpy(rows.data(), x, count);
  return rows;
}

// --- SSE4.1 and AVX2: entries and whole q in 16 bits, since pairs of products in bytes would be cut off ---

/// Of one lane of 32 bits: 2 products a row pair, so many pairs.
constexpr std::int64_t kPairMax = 2 * kByteMax * kQuantisedMax;

#define STRADS_SSE STRADS_TARGET("ssse3,sse4.1")

constexpr std::size_t kSseChunks = 8;
static_assert(kPairMax * (kSseChunks * kQuantisedRows / 8) < (std::int64_t{1} << 31));

STRADS_SSE inline __m128i widened(__m128i lanes) {
  return _mm_add_epi64(_mm_cvtepi32_epi64(lanes), _mm_cvtepi32_epi64(_mm_unpackhi_epi64(lanes, lanes)));
}

STRADS_SSE inline __m128i load_8(const void* p) {
  return _mm_loadl_epi64(static_cast<const __m128i*>(p));
}

STRADS_SSE void products_sse(const std::uint8_t* const* columns, std::uint8_t flip,
                             std::span<const QuantisedChunk> planes, std::int64_t* sums) {
  const __m128i flips = _mm_set1_epi16(flip), zero = _mm_setzero_si128();
  __m128i totals[kQuantisedColumns] = {zero, zero, zero, zero};
  for (std::size_t begin = 0; begin < planes.size(); begin += kSseChunks) {
    __m128i lanes[kQuantisedColumns] = {zero, zero, zero, zero};
    for (std::size_t chunk = begin; chunk < std::min(planes.size(), begin + kSseChunks); ++chunk) {
      for (std::size_t t = 0; t < kFields; ++t) {
        const QuantisedChunk::Field& field = planes[chunk].fields[t];
        for (std::size_t k = 0; k < kFieldRows; k += 8) {
          const __m128i high = _mm_slli_epi16(_mm_cvtepi8_epi16(load_8(field.high.data() + k)), 7);
          const __m128i q = _mm_add_epi16(high, _mm_cvtepi8_epi16(load_8(field.low.data() + k)));
          for (std::size_t c = 0; c < kQuantisedColumns; ++c) {
            const std::uint8_t* const at = columns[c] + kQuantisedRows * chunk + kFieldRows * t + k;
            const __m128i x = _mm_xor_si128(_mm_cvtepu8_epi16(load_8(at)), flips);
            lanes[c] = _mm_add_epi32(lanes[c], _mm_madd_epi16(x, q));
          }
        }
      }
    }
    for (std::size_t c = 0; c < kQuantisedColumns; ++c) totals[c] = _mm_add_epi64(totals[c], widened(lanes[c]));
  }
  for (std::size_t c = 0; c < kQuantisedColumns; ++c) {
    sums[c] = _mm_cvtsi128_si64(totals[c]) + _mm_extract_epi64(totals[c], 1);
  }
}

/// Registers whose squares stay in lanes of 32 bits: 4 squares a lane and register.
constexpr std::size_t kSquaredRegisters = 8192;
static_assert(std::int64_t{kSquaredRegisters} * 4 * kByteMax * kByteMax < (std::int64_t{1} << 31));

STRADS_SSE ByteSums sums_sse(const std::uint8_t* x, std::uint8_t flip, const std::uint8_t* mask, std::size_t n) {
  const __m128i flips = _mm_set1_epi8(static_cast<char>(flip)), zero = _mm_setzero_si128();
  LastRows last;
  __m128i sum = zero, squares = zero;
  for (std::size_t piece = 0; piece < n; piece += 16 * kSquaredRegisters) {
    __m128i lanes = zero;
    for (std::size_t i = piece; i < std::min(n, piece + 16 * kSquaredRegisters); i += 16) {
      if (n - i < 16) last = last_rows(x + i, n - i);
      const std::uint8_t* const from = n - i < 16 ? last.data() : x + i;
      const __m128i kept = _mm_loadu_si128(reinterpret_cast<const __m128i*>(mask + i));
      const __m128i raw = _mm_loadu_si128(reinterpret_cast<const __m128i*>(from));
      const __m128i values = _mm_and_si128(_mm_xor_si128(raw, flips), kept);
      sum = _mm_add_epi64(sum, _mm_sad_epu8(values, zero));
      const __m128i lower = _mm_unpacklo_epi8(values, zero), upper = _mm_unpackhi_epi8(values, zero);
      lanes = _mm_add_epi32(lanes, _mm_add_epi32(_mm_madd_epi16(lower, lower), _mm_madd_epi16(upper, upper)));
    }
    squares = _mm_add_epi64(squares, widened(lanes));
  }
  return {static_cast<std::uint64_t>(_mm_cvtsi128_si64(sum) + _mm_extract_epi64(sum, 1)),
          static_cast<std::uint64_t>(_mm_cvtsi128_si64(squares) + _mm_extract_epi64(squares, 1))};
}

constexpr ByteKernels kSse{"ssse3", &products_sse, &sums_sse};

#define STRADS_AVX2 STRADS_TARGET("avx2")

constexpr std::size_t kAvx2Chunks = 16;
static_assert(kPairMax * (kAvx2Chunks * kQuantisedRows / 16) < (std::int64_t{1} << 31));

STRADS_AVX2 inline __m256i widened(__m256i lanes) {
  return _mm256_add_epi64(_mm256_cvtepi32_epi64(_mm256_castsi256_si128(lanes)),
                          _mm256_cvtepi32_epi64(_mm256_extracti128_si256(lanes, 1)));
}

STRADS_AVX2 inline std::int64_t total_of(__m256i lanes) {
  const __m128i two = _mm_add_epi64(_mm256_castsi256_si128(lanes), _mm256_extracti128_si256(lanes, 1));
  return _mm_cvtsi128_si64(two) + _mm_extract_epi64(two, 1);
}

STRADS_AVX2 inline __m128i load_16(const void* p) {
  return _mm_loadu_si128(static_cast<const __m128i*>(p));
}

STRADS_AVX2 void products_avx2(const std::uint8_t* const* columns, std::uint8_t flip,
                               std::span<const QuantisedChunk> planes, std::int64_t* sums) {
  const __m256i flips = _mm256_set1_epi16(flip), zero = _mm256_setzero_si256();
  __m256i totals[kQuantisedColumns] = {zero, zero, zero, zero};
  for (std::size_t begin = 0; begin < planes.size(); begin += kAvx2Chunks) {
    __m256i lanes[kQuantisedColumns] = {zero, zero, zero, zero};
    for (std::size_t chunk = begin; chunk < std::min(planes.size(), begin + kAvx2Chunks); ++chunk) {
      for (std::size_t t = 0; t < kFields; ++t) {
        const QuantisedChunk::Field& field = planes[chunk].fields[t];
        for (std::size_t k = 0; k < kFieldRows; k += 16) {
          const __m256i high = _mm256_slli_epi16(_mm256_cvtepi8_epi16(load_16(field.high.data() + k)), 7);
          const __m256i q = _mm256_add_epi16(high, _mm256_cvtepi8_epi16(load_16(field.low.data() + k)));
          for (std::size_t c = 0; c < kQuantisedColumns; ++c) {
            const std::uint8_t* const at = columns[c] + kQuantisedRows * chunk + kFieldRows * t + k;
            const __m256i x = _mm256_xor_si256(_mm256_cvtepu8_epi16(load_16(at)), flips);
            lanes[c] = _mm256_add_epi32(lanes[c], _mm256_madd_epi16(x, q));
          }
        }
      }
    }
    for (std::size_t c = 0; c < kQuantisedColumns; ++c) totals[c] = _mm256_add_epi64(totals[c], widened(lanes[c]));
  }
  for (std::size_t c = 0; c < kQuantisedColumns; ++c) sums[c] = total_of(totals[c]);
}

STRADS_AVX2 ByteSums sums_avx2(const std::uint8_t* x, std::uint8_t flip, const std::uint8_t* mask, std::size_t n) {
  const __m256i flips = _mm256_set1_epi8(static_cast<char>(flip)), zero = _mm256_setzero_si256();
  LastRows last;
  __m256i sum = zero, squares = zero;
  for (std::size_t piece = 0; piece < n; piece += 32 * kSquaredRegisters) {
    __m256i lanes = zero;
    for (std::size_t i = piece; i < std::min(n, piece + 32 * kSquaredRegisters); i += 32) {
      if (n - i < 32) last = last_rows(x + i, n - i);
      const std::uint8_t* const from = n - i < 32 ? last.data() : x + i;
      const __m256i kept = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(mask + i));
      const __m256i raw = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from));
      const __m256i values = _mm256_and_si256(_mm256_xor_si256(raw, flips), kept);
      sum = _mm256_add_epi64(sum, _mm256_sad_epu8(values, zero));
      const __m256i lower = _mm256_unpacklo_epi8(values, zero), upper = _mm256_unpackhi_epi8(values, zero);
      lanes =
          _mm256_add_epi32(lanes, _mm256_add_epi32(_mm256_madd_epi16(lower, lower), _mm256_madd_epi16(upper, upper)));
    }
    squares = _mm256_add_epi64(squares, widened(lanes));
  }
  return {static_cast<std::uint64_t>(total_of(sum)), static_cast<std::uint64_t>(total_of(squares))};
}

constexpr ByteKernels kAvx2{"avx2", &products_avx2, &sums_avx2};

// --- AVX-512 VNNI ---

#define STRADS_VNNI STRADS_TARGET("avx2,avx512f,avx512bw,avx512vl,avx512vnni")

/// Chunks whose planes stay in a first-level cache while one column after the other meets them: reading a column to its
/// end is what the processor foresees (463 rows: 14 ms for 509,000 columns; four columns side by side: 22 ms).
constexpr std::size_t kVnniChunks = 32;
static_assert(std::int64_t{kVnniChunks} * kQuantisedRows * kByteMax * 128 < (std::int64_t{1} << 31),
              "sums with one plane stay in 32 bits, over all lanes together");

STRADS_VNNI inline __m256i halves_of(__m512i lanes) {
  return _mm256_add_epi32(_mm512_castsi512_si256(lanes), _mm512_extracti64x4_epi64(lanes, 1));
}

/// Sums over the lanes of four registers.
STRADS_VNNI inline __m128i four_sums(const __m512i* lanes) {
  const __m256i left = _mm256_hadd_epi32(halves_of(lanes[0]), halves_of(lanes[1]));
  const __m256i right = _mm256_hadd_epi32(halves_of(lanes[2]), halves_of(lanes[3]));
  const __m256i all = _mm256_hadd_epi32(left, right);
  return _mm_add_epi32(_mm256_castsi256_si128(all), _mm256_extracti128_si256(all, 1));
}

STRADS_VNNI void products_vnni(const std::uint8_t* const* columns, std::uint8_t flip,
                               std::span<const QuantisedChunk> planes, std::int64_t* sums) {
  const __m512i flips = _mm512_set1_epi8(static_cast<char>(flip)), zero = _mm512_setzero_si512();
  __m256i total = _mm256_setzero_si256();
  for (std::size_t begin = 0; begin < planes.size(); begin += kVnniChunks) {
    __m512i high[kQuantisedColumns] = {zero, zero, zero, zero}, low[kQuantisedColumns] = {zero, zero, zero, zero};
    const std::size_t end = std::min(planes.size(), begin + kVnniChunks);
    for (std::size_t c = 0; c < kQuantisedColumns; ++c) {
      const std::uint8_t* at = columns[c] + kQuantisedRows * begin;
      for (std::size_t chunk = begin; chunk < end; ++chunk) {
        for (const QuantisedChunk::Field& field : planes[chunk].fields) {
          const __m512i x = _mm512_xor_si512(_mm512_loadu_si512(at), flips);
          high[c] = _mm512_dpbusd_epi32(high[c], x, _mm512_load_si512(field.high.data()));
          low[c] = _mm512_dpbusd_epi32(low[c], x, _mm512_load_si512(field.low.data()));
          at += kFieldRows;
        }
      }
    }
    const __m256i highs = _mm256_cvtepi32_epi64(four_sums(high)), lows = _mm256_cvtepi32_epi64(four_sums(low));
    total = _mm256_add_epi64(total, _mm256_add_epi64(_mm256_slli_epi64(highs, 7), lows));
  }
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(sums), total);
}

/// Rows whose sums of x (x - 128) stay in 32 bits, over all lanes together.
constexpr std::size_t kVnniRows = 65536;
static_assert(std::int64_t{kVnniRows} * kByteMax * (kByteMax - 128) < (std::int64_t{1} << 31));

STRADS_VNNI ByteSums sums_vnni(const std::uint8_t* x, std::uint8_t flip, const std::uint8_t* mask, std::size_t n) {
  const __m512i flips = _mm512_set1_epi8(static_cast<char>(flip)), ones = _mm512_set1_epi8(1);
  const __m512i less_128 = _mm512_set1_epi8(static_cast<char>(kSignedFlip));
  std::int64_t sum = 0, products = 0;
  for (std::size_t piece = 0; piece < n; piece += kVnniRows) {
    __m512i sums = _mm512_setzero_si512(), lanes = sums;
    const std::size_t end = std::min(n, piece + kVnniRows);
    for (std::size_t i = piece; i < end; i += 64) {
      const __mmask64 here = end - i >= 64 ? ~__mmask64{0} : (__mmask64{1} << (end - i)) - 1;
      const __m512i raw = _mm512_xor_si512(_mm512_maskz_loadu_epi8(here, x + i), flips);
      const __m512i values = _mm512_and_si512(raw, _mm512_loadu_si512(mask + i));
      sums = _mm512_dpbusd_epi32(sums, values, ones);
      lanes = _mm512_dpbusd_epi32(lanes, values, _mm512_xor_si512(values, less_128));
    }
    sum += _mm512_reduce_add_epi32(sums);
    products += _mm512_reduce_add_epi32(lanes);
  }
  return {static_cast<std::uint64_t>(sum), static_cast<std::uint64_t>(products + 128 * sum)};
}

constexpr ByteKernels kVnni{"avx512vnni", &products_vnni, &sums_vnni};

#undef STRADS_SSE
#undef STRADS_AVX2
#undef STRADS_VNNI

#endif  // x86

const ByteKernels& named(std::string_view name) {
#if defined(__x86_64__)
  for (const ByteKernels* const kernel : {&kVnni, &kAvx2, &kSse}) {
    if (kernel->name == name) return *kernel;
  }
#endif
  static_cast<void>(name);
  return kPlain;
}

struct Available {
  std::array<const ByteKernels*, 4> list{};
  std::size_t count = 0;

  Available() {
    for (const QuantisedKernels* const kernel : all_quantised_kernels()) list[count++] = &named(kernel->name);
  }
};

}  // namespace

const ByteKernels& byte_kernels() {
  return named(quantised_kernels().name);
}

std::span<const ByteKernels* const> all_byte_kernels() {
  static const Available found;
  return std::span(found.list).first(found.count);
}

}  // namespace strads
