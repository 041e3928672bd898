// Kernels on PLINK's two-bit calls (docs/DESIGN.md, "Implicit standardisation"), compiled per target by kernels.cpp.
// Codes: 00 = 2 A1, 01 = missing, 10 = 1 A1, 11 = 0 A1; sample i in bits 2 (i mod 4) of byte i / 4.
#if defined(STRADS_GENOTYPE_KERNELS_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef STRADS_GENOTYPE_KERNELS_INL
#undef STRADS_GENOTYPE_KERNELS_INL
#else
#define STRADS_GENOTYPE_KERNELS_INL
#endif

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "hwy/highway.h"
#include "numerics/kernels/dense_kernels-inl.hpp"
#include "numerics/kernels/kernels.hpp"

HWY_BEFORE_NAMESPACE();
namespace strads::HWY_NAMESPACE {

/// Calls of 32 samples a word; the last word of a column may lack bytes, which read as 0.
HWY_INLINE HWY_ATTR std::uint64_t load_word(const std::uint8_t* p) {
  std::uint64_t word;
  std::memcpy(&word, p, sizeof word);
  return word;
}

HWY_INLINE HWY_ATTR std::uint64_t load_last_word(const std::uint8_t* calls, std::size_t begin, std::size_t n) {
  const std::size_t bytes = (n - begin + 3) / 4, first = begin / 4;
  // A mapped file may end with this column. Where the column itself has eight bytes, one shifted load does.
  if (first + bytes >= 8) return load_word(calls + first + bytes - 8) >> (64 - 8 * bytes);
  std::uint64_t word = 0;
  for (std::size_t k = 0; k < bytes; ++k) word |= std::uint64_t{calls[first + k]} << (8 * k);
  return word;
}

#if HWY_TARGET == HWY_AVX3

/// values[code] of eight samples by one permute: a word is broadcast, each lane shifts its own code down, and the
/// permute looks at the low three bits only, so the table is written twice and the codes above need no masking.
struct Decoder {
  hn::RebindToUnsigned<Doubles> words;
  hn::Vec<hn::RebindToUnsigned<Doubles>> shift0, shift1, shift2, shift3;
  Vector table;

  HWY_INLINE HWY_ATTR explicit Decoder(const double* values) {
    const auto lanes = hn::Iota(words, 0);
    shift0 = hn::Add(lanes, lanes);
    shift1 = hn::Add(shift0, hn::Set(words, 16));
    shift2 = hn::Add(shift0, hn::Set(words, 32));
    shift3 = hn::Add(shift0, hn::Set(words, 48));
    HWY_ALIGN const double twice[8] = {values[0], values[1], values[2], values[3],
                                       values[0], values[1], values[2], values[3]};
    table = hn::Load(Doubles(), twice);
  }
  HWY_INLINE HWY_ATTR auto broadcast(std::uint64_t word) const { return hn::Set(words, word); }
  template <class Words>
  HWY_INLINE HWY_ATTR Vector decode(Words word, Words shift) const {
    return hn::TableLookupLanes(table, hn::Indices512<double>{hn::Shr(word, shift).raw});
  }
};

HWY_ATTR double genotype_dot(const std::uint8_t* calls, const double* values, const double* u, std::size_t n) {
  const Decoder decoder(values);
  Vector acc0 = hn::Zero(Doubles()), acc1 = acc0, acc2 = acc0, acc3 = acc0;
  std::size_t i = 0;
  for (; i + 32 <= n; i += 32) {
    const auto word = decoder.broadcast(load_word(calls + i / 4));
    acc0 = hn::MulAdd(decoder.decode(word, decoder.shift0), load(u + i), acc0);
    acc1 = hn::MulAdd(decoder.decode(word, decoder.shift1), load(u + i + 8), acc1);
    acc2 = hn::MulAdd(decoder.decode(word, decoder.shift2), load(u + i + 16), acc2);
    acc3 = hn::MulAdd(decoder.decode(word, decoder.shift3), load(u + i + 24), acc3);
  }
  if (i < n) {
    std::uint64_t word = load_last_word(calls, i, n);
    for (; i + 8 <= n; i += 8, word >>= 16) {
      acc0 = hn::MulAdd(decoder.decode(decoder.broadcast(word), decoder.shift0), load(u + i), acc0);
    }
    if (i < n) {
      const Vector last = decoder.decode(decoder.broadcast(word), decoder.shift0);
      acc1 = hn::MulAdd(last, load_tail(u + i, n - i), acc1);
    }
  }
  return reduce(acc0, acc1, acc2, acc3);
}

HWY_INLINE HWY_ATTR void add_to(Vector values, double* v) {
  hn::StoreU(hn::Add(values, load(v)), Doubles(), v);
}

HWY_ATTR void genotype_add(const std::uint8_t* calls, const double* values, double* v, std::size_t n) {
  const Decoder decoder(values);
  std::size_t i = 0;
  for (; i + 32 <= n; i += 32) {
    const auto word = decoder.broadcast(load_word(calls + i / 4));
    add_to(decoder.decode(word, decoder.shift0), v + i);
    add_to(decoder.decode(word, decoder.shift1), v + i + 8);
    add_to(decoder.decode(word, decoder.shift2), v + i + 16);
    add_to(decoder.decode(word, decoder.shift3), v + i + 24);
  }
  if (i == n) return;
  std::uint64_t word = load_last_word(calls, i, n);
  for (; i + 8 <= n; i += 8, word >>= 16) add_to(decoder.decode(decoder.broadcast(word), decoder.shift0), v + i);
  if (i == n) return;
  const Vector last = decoder.decode(decoder.broadcast(word), decoder.shift0);
  store_tail(hn::Add(last, load_tail(v + i, n - i)), v + i, n - i);
}

#else  // narrower targets: two samples at a time from a table of 16 pairs (256 bytes, built per call)

constexpr std::size_t kByteParts = 4 / kLanes;  ///< vectors in the four samples of a byte

struct Decoder {
  alignas(32) double pairs[32];

  HWY_INLINE HWY_ATTR explicit Decoder(const double* values) {
    for (std::size_t code = 0; code < 16; ++code) {
      pairs[2 * code] = values[code & 3];
      pairs[2 * code + 1] = values[code >> 2];
    }
  }
  /// Samples part * kLanes ... of the four in `byte`.
  HWY_INLINE HWY_ATTR Vector decode(std::size_t byte, std::size_t part) const {
#if HWY_TARGET == HWY_AVX2
    (void)part;
    const hn::Half<Doubles> half;
    return hn::Combine(Doubles(), hn::Load(half, pairs + 2 * (byte >> 4)), hn::Load(half, pairs + 2 * (byte & 15)));
#else
    const std::size_t codes = byte >> (2 * kLanes * part);
    return hn::Load(Doubles(), pairs + 2 * (codes & (kLanes == 1 ? 3 : 15)));
#endif
  }
};

HWY_ATTR double genotype_dot(const std::uint8_t* calls, const double* values, const double* u, std::size_t n) {
  const Decoder decoder(values);
  Vector acc[4][kByteParts];
  for (auto& parts : acc) {
    for (Vector& part : parts) part = hn::Zero(Doubles());
  }
  std::size_t i = 0;
  for (; i + 16 <= n; i += 16) {
    for (std::size_t k = 0; k < 4; ++k) {
      for (std::size_t part = 0; part < kByteParts; ++part) {
        const double* const samples = u + i + 4 * k + kLanes * part;
        acc[k][part] = hn::MulAdd(decoder.decode(calls[i / 4 + k], part), load(samples), acc[k][part]);
      }
    }
  }
  for (std::size_t part = 0; i < n; part = (part + 1) % kByteParts, i += kLanes) {
    const Vector samples = i + kLanes <= n ? load(u + i) : load_tail(u + i, n - i);
    acc[0][part] = hn::MulAdd(decoder.decode(calls[i / 4], part), samples, acc[0][part]);
  }
  double total = 0;
  for (std::size_t part = 0; part < kByteParts; ++part) {
    total += reduce(acc[0][part], acc[1][part], acc[2][part], acc[3][part]);
  }
  return total;
}

HWY_ATTR void genotype_add(const std::uint8_t* calls, const double* values, double* v, std::size_t n) {
  const Decoder decoder(values);
  std::size_t i = 0;
  for (; i + 4 <= n; i += 4) {
    for (std::size_t part = 0; part < kByteParts; ++part) {
      double* const samples = v + i + kLanes * part;
      hn::StoreU(hn::Add(decoder.decode(calls[i / 4], part), load(samples)), Doubles(), samples);
    }
  }
  for (std::size_t k = 0; i + k < n; ++k) {
    v[i + k] += decoder.pairs[2 * ((calls[i / 4] >> (2 * k)) & 3)];
  }
}

#endif

// --- exact counts, on 64-bit words: the compiler's popcnt is enough ---

constexpr std::uint64_t kLowBits = 0x5555555555555555u;

/// A word of calls as bits in the low place of each pair: x >= 1, x = 2, missing; 0 at rows that are not kept.
struct CallBits {
  std::uint64_t some, two, missing;

  HWY_INLINE HWY_ATTR CallBits(std::uint64_t word, std::uint64_t keep) {
    const std::uint64_t kept = keep & kLowBits, high = word >> 1;
    some = ~word & kept;
    two = some & ~high;
    missing = word & ~high & kept;
  }
  HWY_INLINE HWY_ATTR std::uint64_t thermometer() const { return some | (two << 1); }
};

HWY_INLINE HWY_ATTR std::uint64_t both_bits(std::uint64_t low) {
  return low | (low << 1);
}

HWY_INLINE HWY_ATTR std::uint64_t ones(std::uint64_t word) {
  return static_cast<std::uint64_t>(__builtin_popcountll(word));
}

HWY_INLINE HWY_ATTR std::uint64_t word_at(const std::uint8_t* calls, std::size_t w, std::size_t n) {
  return (w + 1) * 32 <= n ? load_word(calls + 8 * w) : load_last_word(calls, 32 * w, n);
}

HWY_INLINE HWY_ATTR void count_word(std::uint64_t word, std::uint64_t keep, GenotypeCounts& counts) {
  const CallBits bits(word, keep);
  const std::uint64_t two = ones(bits.two), sum = ones(bits.thermometer());
  counts.sum += sum;
  counts.squares += sum + 2 * two;
  counts.missing += ones(bits.missing);
}

HWY_ATTR GenotypeCounts genotype_counts(const std::uint8_t* calls, const std::uint64_t* keep, std::size_t n) {
  GenotypeCounts counts;
  const std::size_t whole = n / 32;
  for (std::size_t w = 0; w < whole; ++w) count_word(load_word(calls + 8 * w), keep[w], counts);
  if (whole * 32 < n) count_word(load_last_word(calls, whole * 32, n), keep[whole], counts);
  return counts;
}

/// x_j x_k = (some_j + two_j)(some_k + two_k): two popcounts, each of two products side by side.
HWY_INLINE HWY_ATTR void pair_word(const CallBits& left, const CallBits& right, std::uint64_t keep, bool missing,
                                   GenotypeProducts& sums) {
  const std::uint64_t thermometer = left.thermometer();
  sums.product += ones(thermometer & both_bits(right.some)) + ones(thermometer & both_bits(right.two));
  if (missing) {
    sums.left += ones(thermometer & ~both_bits(right.missing));
    sums.right += ones(right.thermometer() & ~both_bits(left.missing));
    sums.both += ones(keep & kLowBits & ~(left.missing | right.missing));
  }
}

HWY_ATTR GenotypeProducts genotype_pair(const std::uint8_t* left, const std::uint8_t* right, const std::uint64_t* keep,
                                        std::size_t n, bool missing) {
  GenotypeProducts sums;
  const std::size_t whole = n / 32;
  for (std::size_t w = 0; w < whole; ++w) {
    pair_word({load_word(left + 8 * w), keep[w]}, {load_word(right + 8 * w), keep[w]}, keep[w], missing, sums);
  }
  if (whole * 32 < n) {
    pair_word({load_last_word(left, whole * 32, n), keep[whole]}, {load_last_word(right, whole * 32, n), keep[whole]},
              keep[whole], missing, sums);
  }
  return sums;
}

HWY_ATTR void genotype_planes(const std::uint8_t* calls, const std::uint64_t* keep, std::size_t n,
                              const GenotypePlanes& planes) {
  for (std::size_t w = 0; 32 * w < n; ++w) {
    const CallBits bits(word_at(calls, w, n), keep[w]);
    planes.thermometer[w] = bits.thermometer();
    planes.some[w] = both_bits(bits.some);
    planes.two[w] = both_bits(bits.two);
    planes.missing[w] = both_bits(bits.missing);
  }
}

HWY_ATTR GenotypeProducts genotype_plane_pair(const GenotypePlanes& left, const GenotypePlanes& right,
                                              const std::uint64_t* keep, std::size_t begin, std::size_t end,
                                              bool missing) {
  GenotypeProducts sums;
  std::uint64_t some = 0, two = 0;
  for (std::size_t w = begin; w < end; ++w) {
    some += ones(left.thermometer[w] & right.some[w]);
    two += ones(left.thermometer[w] & right.two[w]);
  }
  sums.product = some + two;
  if (!missing) return sums;
  for (std::size_t w = begin; w < end; ++w) {
    sums.left += ones(left.thermometer[w] & ~right.missing[w]);
    sums.right += ones(right.thermometer[w] & ~left.missing[w]);
    sums.both += ones(keep[w] & kLowBits & ~(left.missing[w] | right.missing[w]));
  }
  return sums;
}

}  // namespace strads::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
