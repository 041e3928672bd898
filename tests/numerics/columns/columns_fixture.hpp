// Small random matrices in every storage, and what plain double arithmetic says about them.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "strads/base/chunks.hpp"
#include "strads/numerics/columns.hpp"

namespace strads::test {

/// xorshift64*: the same numbers everywhere.
class Numbers {
 public:
  explicit Numbers(std::uint64_t seed) : state_(seed * 0x9E3779B97F4A7C15u + 1) {}
  std::uint64_t bits() {
    state_ ^= state_ >> 12;
    state_ ^= state_ << 25;
    state_ ^= state_ >> 27;
    return (state_ * 0x2545F4914F6CDD1Du) >> 11;
  }
  double uniform() { return static_cast<double>(bits()) / 9007199254740992.0; }
  double centred() { return 2 * uniform() - 1; }
  std::size_t below(std::size_t n) { return static_cast<std::size_t>(bits() % n); }

 private:
  std::uint64_t state_;
};

/// Pieces from the last to the first: what a thread pool may do at worst.
class BackwardChunks final : public Chunks {
 public:
  void for_each(std::size_t count, const std::function<void(std::size_t)>& piece) override {
    for (std::size_t i = count; i-- > 0;) piece(i);
  }
};

/// Odd pieces first, then even ones from the end.
class ShuffledChunks final : public Chunks {
 public:
  void for_each(std::size_t count, const std::function<void(std::size_t)>& piece) override {
    for (std::size_t i = 1; i < count; i += 2) piece(i);
    for (std::size_t i = (count + 1) / 2; i-- > 0;) piece(2 * i);
  }
};

/// What a test asks for.
struct Recipe {
  Storage storage = Storage::dense_f64;
  std::size_t rows = 37;
  std::size_t columns = 11;
  double missing = 0;  ///< share of missing calls in odd columns (genotypes, dosages)
  double fill = 0.3;   ///< share of nonzero entries (sparse)
  std::size_t dropped = 0;
  std::uint64_t seed = 1;
};

/// A matrix with its storage. `raw` is column-major; NaN = missing call.
struct Matrix {
  Recipe recipe;
  std::vector<double> raw;
  std::vector<std::uint32_t> dropped;
  std::vector<std::uint8_t> excluded;
  std::vector<double> weights;  ///< empty: all 1
  std::vector<double> values64;
  std::vector<float> values32;
  std::vector<std::uint8_t> calls;  ///< of genotypes; or the bytes of columns of bytes and dosages
  std::vector<std::uint64_t> starts;
  std::vector<std::uint32_t> row_numbers;

  explicit Matrix(const Recipe& wanted) : recipe(wanted) {
    Numbers numbers(recipe.seed);
    const std::size_t n = recipe.rows;
    for (std::size_t i = 0; i < recipe.dropped && n > 0; ++i) {
      const auto row = static_cast<std::uint32_t>((i * n) / recipe.dropped);
      if (dropped.empty() || dropped.back() < row) dropped.push_back(row);
    }
    for (std::size_t j = 0; j < recipe.columns; ++j) {
      const double frequency = 0.1 + 0.8 * numbers.uniform();
      for (std::size_t i = 0; i < n; ++i) raw.push_back(entry(j, frequency, numbers));
    }
    store();
  }

  [[nodiscard]] bool genotypes() const { return recipe.storage == Storage::genotype_2bit; }
  [[nodiscard]] bool bytes() const { return is_bytes(recipe.storage); }
  [[nodiscard]] bool dosages() const { return recipe.storage == Storage::dosage_u16; }
  [[nodiscard]] bool sparse() const {
    return recipe.storage == Storage::sparse_f32 || recipe.storage == Storage::sparse_f64;
  }
  [[nodiscard]] bool narrow() const {
    return recipe.storage == Storage::dense_f32 || recipe.storage == Storage::sparse_f32;
  }

  double entry(std::size_t j, double frequency, Numbers& numbers) const {
    if (genotypes()) {
      if (j % 2 == 1 && numbers.uniform() < recipe.missing) return std::numeric_limits<double>::quiet_NaN();
      return (numbers.uniform() < frequency ? 1.0 : 0.0) + (numbers.uniform() < frequency ? 1.0 : 0.0);
    }
    if (dosages()) {
      if (j % 2 == 1 && numbers.uniform() < recipe.missing) return std::numeric_limits<double>::quiet_NaN();
      // Every third column has hard calls, 0, 1 and 2 copies.
      return j % 3 == 0 ? static_cast<double>(numbers.below(3)) : static_cast<double>(numbers.below(32769)) / 16384;
    }
    if (bytes()) {
      // Every second column has dosages, the others whatever a byte can hold.
      const auto any = static_cast<double>(numbers.below(256)) - (recipe.storage == Storage::dense_i8 ? 128 : 0);
      return j % 2 == 0 ? static_cast<double>(numbers.below(3)) : any;
    }
    if (sparse() && numbers.uniform() > recipe.fill) return 0;
    const double value = numbers.centred() + (sparse() ? 0.0 : 3.0 * frequency);
    return narrow() ? static_cast<double>(static_cast<float>(value)) : value;
  }

  /// Writes `raw` into the storage; call again after changing it.
  void store() {
    values64.clear(), values32.clear(), calls.clear(), starts.assign(1, 0), row_numbers.clear();
    const std::size_t n = recipe.rows;
    for (std::size_t j = 0; j < recipe.columns; ++j) {
      const std::size_t base = calls.size();
      if (genotypes()) calls.resize(base + (n + 3) / 4);
      for (std::size_t i = 0; i < n; ++i) {
        const double x = raw[j * n + i];
        if (genotypes()) {
          const unsigned code = std::isnan(x) ? 1 : x == 2 ? 0 : x == 1 ? 2 : 3;
          calls[base + i / 4] = static_cast<std::uint8_t>(calls[base + i / 4] | (code << (2 * (i % 4))));
          continue;
        }
        if (bytes()) {
          calls.push_back(static_cast<std::uint8_t>(static_cast<int>(x)));
          continue;
        }
        if (dosages()) {
          const unsigned code = std::isnan(x) ? 65535 : static_cast<unsigned>(16384 * x);
          calls.push_back(static_cast<std::uint8_t>(code & 255U));
          calls.push_back(static_cast<std::uint8_t>(code >> 8));
          continue;
        }
        if (sparse() && x == 0) continue;
        if (sparse()) row_numbers.push_back(static_cast<std::uint32_t>(i));
        if (narrow()) values32.push_back(static_cast<float>(x));
        if (!narrow()) values64.push_back(x);
      }
      starts.push_back(row_numbers.size());
    }
  }

  [[nodiscard]] ColumnsView view() const {
    ColumnsView view;
    view.storage = recipe.storage;
    view.rows = recipe.rows;
    view.columns = static_cast<VarId>(recipe.columns);
    view.dropped_rows = dropped;
    view.excluded = excluded;
    view.weights = weights;
    if (genotypes() || bytes() || dosages()) {
      view.values = reinterpret_cast<const std::byte*>(calls.data());
      view.column_stride = bytes() ? recipe.rows : dosages() ? 2 * recipe.rows : (recipe.rows + 3) / 4;
      return view;
    }
    view.values = narrow() ? reinterpret_cast<const std::byte*>(values32.data())
                           : reinterpret_cast<const std::byte*>(values64.data());
    view.column_stride = recipe.rows * (narrow() ? 4 : 8);
    if (sparse()) {
      view.column_stride = 0;
      view.starts = starts;
      view.row_numbers = row_numbers;
    }
    return view;
  }

  /// Weights between 0.1 and 2 in no order, 0 at dropped rows.
  void weigh(std::uint64_t seed) {
    Numbers numbers(seed);
    for (std::size_t i = 0; i < recipe.rows; ++i) {
      const double weight = 0.1 + 1.9 * numbers.uniform();
      weights.push_back(keeps(i) ? weight : 0.0);
    }
  }
  [[nodiscard]] double weight(std::size_t row) const { return weights.empty() ? 1.0 : weights[row]; }

  [[nodiscard]] bool keeps(std::size_t row) const {
    for (const std::uint32_t gone : dropped) {
      if (gone == row) return false;
    }
    return true;
  }
  [[nodiscard]] std::vector<VarId> all() const {
    std::vector<VarId> list(recipe.columns);
    for (std::size_t j = 0; j < list.size(); ++j) list[j] = static_cast<VarId>(j);
    return list;
  }
  /// A vector of length rows with exact zeros at dropped rows.
  [[nodiscard]] std::vector<double> vector(std::uint64_t seed) const {
    Numbers numbers(seed);
    std::vector<double> v(recipe.rows);
    for (std::size_t i = 0; i < v.size(); ++i) {
      const double value = numbers.centred();
      v[i] = keeps(i) ? value : 0.0;
    }
    return v;
  }
};

/// sqrt(w) o x~_j by the book, before covariates: long double, no tricks. Empty when the column is constant.
struct Reference {
  std::vector<double> column;
  double mean = 0;     ///< over observed samples
  double norm = 1;     ///< s_j
  double squares = 0;  ///< L_j
  std::size_t missing = 0;

  Reference(const Matrix& matrix, std::size_t j, Standardization how) : column(matrix.recipe.rows, 0.0) {
    const std::size_t n = matrix.recipe.rows;
    long double total = 0;
    long double observed = 0;
    for (std::size_t i = 0; i < n; ++i) {
      if (!matrix.keeps(i)) continue;
      const double x = matrix.raw[j * n + i];
      if (std::isnan(x)) {
        ++missing;
        continue;
      }
      total += static_cast<long double>(matrix.weight(i)) * x;
      observed += matrix.weight(i);
    }
    const long double average = observed == 0 ? 0 : total / observed;
    mean = static_cast<double>(average);
    long double sum_of_squares = 0;
    std::vector<long double> exact(n, 0);
    for (std::size_t i = 0; i < n; ++i) {
      if (!matrix.keeps(i)) continue;
      const double x = matrix.raw[j * n + i];
      exact[i] = (std::isnan(x) ? average : static_cast<long double>(x)) - (how.center ? average : 0);
      exact[i] *= std::sqrt(static_cast<long double>(matrix.weight(i)));
      sum_of_squares += exact[i] * exact[i];
    }
    const long double length = how.scale ? std::sqrt(sum_of_squares) : 1;
    norm = static_cast<double>(length);
    squares = static_cast<double>(sum_of_squares / (length * length));
    for (std::size_t i = 0; i < n; ++i) column[i] = static_cast<double>(exact[i] / length);
  }
};

inline double plain_dot(const std::vector<double>& a, const std::vector<double>& b) {
  long double total = 0;
  for (std::size_t i = 0; i < a.size(); ++i) total += static_cast<long double>(a[i]) * b[i];
  return static_cast<double>(total);
}

inline bool same_bits(const std::vector<double>& a, const std::vector<double>& b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(double)) == 0);
}

inline std::string name_of(Storage storage) {
  switch (storage) {
    case Storage::dense_f32:
      return "dense_f32";
    case Storage::dense_f64:
      return "dense_f64";
    case Storage::genotype_2bit:
      return "genotype_2bit";
    case Storage::sparse_f32:
      return "sparse_f32";
    case Storage::sparse_f64:
      return "sparse_f64";
    case Storage::dense_i8:
      return "dense_i8";
    case Storage::dense_u8:
      return "dense_u8";
    case Storage::dosage_u16:
      return "dosage_u16";
  }
  return "?";
}

inline constexpr Storage kStorages[] = {Storage::dense_f32,  Storage::dense_f64,  Storage::genotype_2bit,
                                        Storage::sparse_f32, Storage::sparse_f64, Storage::dense_i8,
                                        Storage::dense_u8,   Storage::dosage_u16};

/// The targets that this CPU has.
inline std::vector<Simd> targets() {
  std::vector<Simd> result;
  for (const Simd simd : {Simd::sse4, Simd::avx2, Simd::avx512}) {
    if (choose_simd(simd).ok()) result.push_back(simd);
  }
  if (result.empty()) result.push_back(Simd::automatic);
  (void)choose_simd(Simd::automatic).ok();
  return result;
}

}  // namespace strads::test
