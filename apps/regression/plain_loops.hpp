// The inner loops of PlainColumns: four doubles at a time in the compiler's own vectors, compiled once for any machine
// and once for one with AVX2. Nothing is shared with the kernels of StandardizedColumns.
// Precision: sums run over at most kTileRows rows before they are added up, so that rounding does not grow with the
// rows. Products of genotypes and residuals are exact, since calls are 0, 1 and 2.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

#define STRADS_PLAIN [[gnu::always_inline]] inline

namespace strads::lasso::plain {

constexpr std::size_t kTileRows = 512;  ///< 8 residuals of so many rows and a table of calls stay in the first cache
constexpr std::uint64_t kLowBits = 0x5555555555555555;

typedef double Four __attribute__((vector_size(32)));  // NOLINT(modernize-use-using): clang wants it so in templates
using Flags = decltype(Four{} != Four{});

#if defined(__x86_64__)
template <class Body>
[[gnu::target("avx2,fma,popcnt")]] void run_wide(const Body& body) {
  body();
}
inline bool is_wide() {
  static const bool wide =
      __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("popcnt");
  return wide;
}
#endif

/// Calls `body`, a lambda that is always inlined, with the widest registers that the machine has.
template <class Body>
void on_widest(const Body& body) {
#if defined(__x86_64__)
  if (is_wide()) return run_wide(body);
#endif
  body();
}

template <class T>
STRADS_PLAIN void load(const T* from, Four& to) {
  typedef T Narrow __attribute__((vector_size(4 * sizeof(T))));  // NOLINT(modernize-use-using)
  Narrow values;
  std::memcpy(&values, from, sizeof values);
  to = __builtin_convertvector(values, Four);
}

STRADS_PLAIN double sum_of(const Four& v) {
  return (v[0] + v[1]) + (v[2] + v[3]);
}

/// What one reading finds about values x_i with weights w_i (null: all 1); those of weight 0 may hold anything.
struct Spread {
  double weight = 0;    ///< sum of w_i
  double sum = 0;       ///< of w_i (unit x_i - around)
  double squares = 0;   ///< of w_i (unit x_i)^2
  bool varies = false;  ///< some x_i is not `first`
};

template <bool kWeighted, class T>
STRADS_PLAIN Spread spread_of(const T* x, const double* weights, std::size_t n, double first, double around,
                              double unit) {
  Four weight{}, sum{}, squares{};
  Flags varies{};
  const Four firsts = Four{} + first;
  std::size_t i = 0;
  for (; i + 4 <= n; i += 4) {
    Four v, w;
    load(x + i, v);
    if constexpr (kWeighted) {
      load(weights + i, w);
      v = w == 0.0 ? firsts : v;
    }
    varies |= v != firsts;
    v *= unit;
    const Four off = v - around;
    if constexpr (kWeighted) {
      weight += w;
      sum += w * off;
      squares += w * v * v;
    } else {
      sum += off;
      squares += v * v;
    }
  }
  Spread found{sum_of(weight), sum_of(sum), sum_of(squares), (varies[0] | varies[1] | varies[2] | varies[3]) != 0};
  if (!kWeighted) found.weight = static_cast<double>(i);
  for (; i < n; ++i) {
    const double w = kWeighted ? weights[i] : 1.0;
    if (w == 0) continue;
    const double v = static_cast<double>(x[i]);
    found.varies = found.varies || v != first;
    found.weight += w;
    found.sum += w * (v * unit - around);
    found.squares += w * (v * unit) * (v * unit);
  }
  return found;
}

/// Sum of w_i ((unit x_i - around) - rest)^2.
template <bool kWeighted, class T>
STRADS_PLAIN double squares_off(const T* x, const double* weights, std::size_t n, double around, double rest,
                                double unit) {
  Four sum{};
  std::size_t i = 0;
  for (; i + 4 <= n; i += 4) {
    Four v, w;
    load(x + i, v);
    v = (v * unit - around) - rest;
    if constexpr (kWeighted) {
      load(weights + i, w);
      v = w == 0.0 ? Four{} : v;
      sum += w * v * v;
    } else {
      sum += v * v;
    }
  }
  double total = sum_of(sum);
  for (; i < n; ++i) {
    const double w = kWeighted ? weights[i] : 1.0;
    if (w == 0) continue;
    const double v = (static_cast<double>(x[i]) * unit - around) - rest;
    total += w * v * v;
  }
  return total;
}

/// Copies of A1 in the four calls of a byte, 0 where there is no call.
inline constexpr auto kCopies = [] {
  std::array<double, 256 * 4> copies{};
  constexpr std::array<double, 4> kOfCode = {2, 0, 1, 0};
  for (std::size_t byte = 0; byte < 256; ++byte) {
    for (std::size_t i = 0; i < 4; ++i) copies[4 * byte + i] = kOfCode[(byte >> (2 * i)) & 3];
  }
  return copies;
}();

/// 32 calls from byte `at` on, those behind the last byte 0.
STRADS_PLAIN std::uint64_t calls_at(const std::uint8_t* calls, std::size_t at, std::size_t bytes) {
  std::uint64_t word = 0;
  if (at + 8 <= bytes) {
    std::memcpy(&word, calls + at, 8);
    return word;
  }
  for (std::size_t b = at; b < bytes; ++b) word |= std::uint64_t{calls[b]} << (8 * (b - at));
  return word;
}

/// Numbers of some calls.
struct CallCounts {
  std::uint64_t two = 0, missing = 0, one = 0;
};

/// Of those where `samples` has the low bit of the call.
STRADS_PLAIN CallCounts count_calls(const std::uint8_t* calls, std::size_t bytes, const std::uint64_t* samples) {
  CallCounts counts;
  for (std::size_t at = 0; at < bytes; at += 8) {
    const std::uint64_t word = calls_at(calls, at, bytes), mask = samples[at / 8], high = word >> 1;
    counts.two += static_cast<std::uint64_t>(__builtin_popcountll(~(word | high) & mask));
    counts.missing += static_cast<std::uint64_t>(__builtin_popcountll(word & ~high & mask));
    counts.one += static_cast<std::uint64_t>(__builtin_popcountll(~word & high & mask));
  }
  return counts;
}

/// Adds scale * (copies of A1, `mean` where there is no call)'r to K sums. `r`: entry (i, k) at (4 K) (i / 4) + 4 k +
/// i % 4, 0 behind the last row.
template <std::size_t K>
STRADS_PLAIN void add_genotypes(const std::uint8_t* calls, std::size_t bytes, const double* r, double mean,
                                double scale, double* sums) {
  constexpr std::size_t kChains = K >= 8 ? 1 : K >= 4 ? 2 : 4;  // additions wait for each other
  Four chains[kChains][K] = {};
  std::size_t b = 0;
  for (; b + kChains <= bytes; b += kChains) {
    for (std::size_t c = 0; c < kChains; ++c) {
      Four x, u;
      load(kCopies.data() + 4 * std::size_t{calls[b + c]}, x);
      for (std::size_t k = 0; k < K; ++k) {
        load(r + 4 * ((b + c) * K + k), u);
        chains[c][k] += x * u;
      }
    }
  }
  for (; b < bytes; ++b) {
    Four x, u;
    load(kCopies.data() + 4 * std::size_t{calls[b]}, x);
    for (std::size_t k = 0; k < K; ++k) {
      load(r + 4 * (b * K + k), u);
      chains[0][k] += x * u;
    }
  }
  std::array<double, K> missing{};
  for (std::size_t at = 0; at < bytes; at += 8) {
    const std::uint64_t word = calls_at(calls, at, bytes);
    for (std::uint64_t without = word & ~(word >> 1) & kLowBits; without != 0; without &= without - 1) {
      const std::size_t row = 4 * at + static_cast<std::size_t>(__builtin_ctzll(without)) / 2;
      for (std::size_t k = 0; k < K; ++k) missing[k] += r[4 * (row / 4 * K + k) + row % 4];
    }
  }
  for (std::size_t k = 0; k < K; ++k) {
    for (std::size_t c = 1; c < kChains; ++c) chains[0][k] += chains[c][k];
    sums[k] += scale * (sum_of(chains[0][k]) + mean * missing[k]);
  }
}

/// Adds sum scale (x_i - mean) r_i to K sums, `r` as above. `weights`: null, or 0 at rows that may hold anything.
template <std::size_t K, bool kGuarded, class T>
STRADS_PLAIN void add_dense(const T* x, const double* weights, std::size_t n, const double* r, double mean,
                            double scale, double* sums) {
  Four chains[K] = {};
  const auto add = [&](Four & v, const double* residuals) __attribute__((always_inline)) {
    Four u;
    v = (v - mean) * scale;
    for (std::size_t k = 0; k < K; ++k) {
      load(residuals + 4 * k, u);
      chains[k] += v * u;
    }
  };
  std::size_t i = 0;
  for (; i + 4 <= n; i += 4) {
    Four v, w;
    load(x + i, v);
    if constexpr (kGuarded) {
      load(weights + i, w);
      v = w == 0.0 ? Four{} + mean : v;
    }
    add(v, r + i * K);
  }
  if (i < n) {
    Four v = Four{} + mean;
    for (std::size_t k = i; k < n; ++k) {
      if (!kGuarded || weights[k] != 0) v[k - i] = static_cast<double>(x[k]);
    }
    add(v, r + i * K);
  }
  for (std::size_t k = 0; k < K; ++k) sums[k] += sum_of(chains[k]);
}

/// Adds sum scale x_e r_row(e) to K sums; `r`: entry (i, k) at K i + k. `weights`: null, or 0 at rows that may hold
/// anything.
template <std::size_t K, bool kGuarded, class T>
STRADS_PLAIN void add_sparse(const T* x, const std::uint32_t* rows, const double* weights, std::size_t n,
                             const double* r, double scale, double* sums) {
  std::array<double, K> total{};
  for (std::size_t begin = 0; begin < n; begin += kTileRows) {
    std::array<double, K> here{};
    for (std::size_t e = begin; e < n && e < begin + kTileRows; ++e) {
      if (kGuarded && weights[rows[e]] == 0) continue;
      const double value = static_cast<double>(x[e]) * scale;
      const double* const residuals = r + std::size_t{rows[e]} * K;
      for (std::size_t k = 0; k < K; ++k) here[k] += value * residuals[k];
    }
    for (std::size_t k = 0; k < K; ++k) total[k] += here[k];
  }
  for (std::size_t k = 0; k < K; ++k) sums[k] += total[k];
}

/// r_k -= coefficients_k x for K residuals; `r` as in add_dense(), of as many rows as `x` has, or up to 3 more.
template <std::size_t K>
STRADS_PLAIN void subtract(const double* x, std::size_t n, const double* coefficients, double* r) {
  for (std::size_t i = 0; i < n; i += 4) {
    Four v{}, u;
    if (i + 4 <= n) {
      load(x + i, v);
    } else {
      for (std::size_t k = i; k < n; ++k) v[k - i] = x[k];
    }
    for (std::size_t k = 0; k < K; ++k) {
      load(r + i * K + 4 * k, u);
      u -= coefficients[k] * v;
      std::memcpy(r + i * K + 4 * k, &u, sizeof u);
    }
  }
}

}  // namespace strads::lasso::plain
