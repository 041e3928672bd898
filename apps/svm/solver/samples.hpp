// Products with samples, the constant feature of the bias among them. Private to apps/svm.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "strads/base/chunks.hpp"
#include "svm/problem/svm.hpp"

namespace strads::svm {

/// The rows of a data set, each with a last entry of B where there is a bias. Thread-safe.
class Samples {
 public:
  /// `rows` outlives the object.
  Samples(const Rows& rows, double bias);

  [[nodiscard]] std::size_t size() const { return rows_.size(); }
  /// Length of w: d, and one more for the bias.
  [[nodiscard]] std::size_t width() const { return rows_.features + (bias_ != 0 ? 1U : 0U); }
  [[nodiscard]] double bias() const { return bias_; }
  /// x_i'x_i.
  [[nodiscard]] double norm(std::size_t i) const { return norms_[i]; }
  [[nodiscard]] std::uint64_t entries() const { return rows_.entries(); }
  [[nodiscard]] std::uint64_t entries(std::size_t i) const { return rows_.begins[i + 1] - rows_.begins[i]; }

  /// x_i'w; `w`: width() numbers. Cost: 2 entries(i) flops.
  [[nodiscard]] double dot(std::size_t i, const double* w) const {
    const std::uint64_t begin = rows_.begins[i], end = rows_.begins[i + 1];
    const std::uint32_t* const index = rows_.index.data();
    const double* const values = rows_.values.data();
    // Four sums: an addition need not wait for the one before.
    double sums[4] = {0, 0, 0, 0};
    std::uint64_t at = begin;
    for (; at + 4 <= end; at += 4) {
      for (std::size_t k = 0; k < 4; ++k) sums[k] += values[at + k] * w[index[at + k]];
    }
    for (; at < end; ++at) sums[0] += values[at] * w[index[at]];
    const double sum = (sums[0] + sums[1]) + (sums[2] + sums[3]);
    return bias_ != 0 ? sum + bias_ * w[rows_.features] : sum;
  }
  /// w += factor x_i. Cost: 2 entries(i) flops.
  void add(std::size_t i, double factor, double* w) const {
    const std::uint64_t end = rows_.begins[i + 1];
    const std::uint32_t* const index = rows_.index.data();
    const double* const values = rows_.values.data();
    for (std::uint64_t at = rows_.begins[i]; at < end; ++at) w[index[at]] += factor * values[at];
    if (bias_ != 0) w[rows_.features] += factor * bias_;
  }
  /// The row will be asked for soon.
  void fetch(std::size_t i) const {
    const std::uint64_t begin = rows_.begins[i];
    __builtin_prefetch(rows_.index.data() + begin);
    __builtin_prefetch(rows_.values.data() + begin);
    __builtin_prefetch(rows_.values.data() + begin + 8);
  }
  /// x_i'x_k. Cost: entries(i) + entries(k).
  [[nodiscard]] double product(std::size_t i, std::size_t k) const;

  /// out[k] = x_i'w of i = chosen[k].
  void dots(std::span<const std::uint32_t> chosen, std::span<const double> w, std::span<double> out,
            Chunks& chunks) const;
  /// out = sum over k of factors[k] x_i, i = chosen[k], in an order that `chosen` fixes. `out`: width() numbers.
  void combine(std::span<const std::uint32_t> chosen, std::span<const double> factors, std::span<double> out,
               Chunks& chunks) const;

 private:
  const Rows& rows_;
  double bias_;
  std::vector<double> norms_;
};

/// Calls piece(begin, end) for parts of 0 ... count - 1 that `count` alone fixes.
template <class Piece>
void in_pieces(std::size_t count, std::size_t piece_size, Chunks& chunks, const Piece& piece) {
  const std::size_t pieces = (count + piece_size - 1) / piece_size;
  if (pieces <= 1) {
    if (count > 0) piece(std::size_t{0}, count);
    return;
  }
  chunks.for_each(pieces, [&](std::size_t p) { piece(p * piece_size, std::min(count, (p + 1) * piece_size)); });
}

}  // namespace strads::svm
