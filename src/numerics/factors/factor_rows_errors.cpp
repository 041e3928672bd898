// Errors and penalties of given factors.
#include <algorithm>
#include <array>
#include <cmath>

#include "numerics/factors/factor_kernels.hpp"
#include "strads/base/status.hpp"
#include "strads/numerics/factorization.hpp"

namespace strads {
namespace {

/// Ratings whose records are fetched at a time.
constexpr std::size_t kFetched = 256;

/// Predictions of up to kFetched ratings at a time, in order.
class ErrorSums {
 public:
  ErrorSums(const RatingRows& rows, const FactorPages& columns, std::size_t bias, float mean, const float* records)
      : rows_(rows), columns_(columns), bias_(bias), mean_(mean), records_(records) {}

  template <class Visit>
  void each(Visit&& visit) {
    for (std::size_t row = 0; row < rows_.rows(); ++row) {
      const float* const record = records_ + row * columns_.stride;
      for (std::uint64_t rating = rows_.begins[row]; rating < rows_.begins[row + 1]; ++rating) {
        add(record, rating);
        if (count_ == kFetched) finish(visit);
      }
    }
    finish(visit);
  }

 private:
  void add(const float* record, std::uint64_t rating) {
    left_[count_] = record;
    right_[count_] = columns_.record(rows_.slots[rating]);
    values_[count_] = rows_.codes.empty() ? rows_.values[rating] : rows_.levels[rows_.codes[rating]];
    for (std::size_t k = 0; k < columns_.stride; k += 16) __builtin_prefetch(right_[count_] + k);
    ++count_;
  }

  template <class Visit>
  void finish(Visit& visit) {
    factor_kernels().dots(left_.data(), right_.data(), count_, columns_.stride, dots_.data());
    for (std::size_t i = 0; i < count_; ++i) {
      // The product over whole records has the product of the biases in it; their sum is meant.
      const float own = left_[i][bias_], other = right_[i][bias_];
      visit(values_[i], dots_[i] - own * other + (mean_ + own + other));
    }
    count_ = 0;
  }

  const RatingRows& rows_;
  const FactorPages& columns_;
  std::size_t bias_;
  float mean_;
  const float* records_;
  std::size_t count_ = 0;
  std::array<const float*, kFetched> left_{}, right_{};
  std::array<float, kFetched> values_{}, dots_{};
};

}  // namespace

void add_errors(const RatingRows& rows, const FactorPages& columns, std::size_t bias, float mean, const float* records,
                bool clip, float lowest, float highest, Errors& errors) {
  STRADS_CHECK(bias < columns.stride, "the bias is in the record");
  errors.count += rows.ratings();
  ErrorSums(rows, columns, bias, mean, records).each([&](float value, float predicted) {
    if (clip) predicted = std::clamp(predicted, lowest, highest);
    const double error = static_cast<double>(value) - static_cast<double>(predicted);
    errors.squared += error * error;
    errors.absolute += std::abs(error);
  });
}

Errors errors_of(const RatingRows& rows, const FactorPages& columns, std::size_t bias, float mean, const float* records,
                 bool clip, float lowest, float highest) {
  Errors errors;
  add_errors(rows, columns, bias, mean, records, clip, lowest, highest, errors);
  return errors;
}

void penalties_of(const RatingRows& rows, std::uint32_t rank, bool weighted, const float* records,
                  std::span<double> out) {
  STRADS_CHECK(out.size() == std::size_t{rank} + 1, "one sum a factor and one of the biases");
  std::ranges::fill(out, 0.0);
  const std::size_t stride = record_stride(rank);
  for (std::size_t row = 0; row < rows.rows(); ++row) {
    const double times = weighted ? static_cast<double>(rows.begins[row + 1] - rows.begins[row]) : 1.0;
    const float* const record = records + row * stride;
    for (std::size_t k = 0; k <= rank; ++k) {
      const double value = static_cast<double>(record[k]);
      out[k] += times * value * value;
    }
  }
}

}  // namespace strads
