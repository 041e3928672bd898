// Rows of ratings with their factors, and what plain double arithmetic makes of them.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>
#include <string>
#include <vector>

#include "numerics/columns/columns_fixture.hpp"
#include "strads/numerics/factorization.hpp"

namespace strads::test {

/// Factors after one pass, float against double; entries are of size 1.
inline constexpr double kFactorError = 2e-4;
/// Sums of squared errors, relative.
inline constexpr double kErrorError = 2e-6;

struct RowsRecipe {
  std::uint32_t rank = 8;
  bool bias = true;
  bool weighted = true;
  bool weights = false;
  std::uint32_t width = 8;
  bool codes = true;
  double lambda = 0.05;
  float relaxation = 1;
  std::vector<std::size_t> counts{0, 1, 2, 3, 7, 15, 16, 17, 40, 64, 65, 130, 300};
  std::size_t columns = 97;
  std::uint32_t shift = 3;
};

/// Random rows, pages of columns, and what plain double arithmetic makes of them.
class MadeRows {
 public:
  explicit MadeRows(const RowsRecipe& recipe, std::uint64_t seed = 1)
      : recipe_(recipe), stride_(record_stride(recipe.rank)), numbers_(seed) {
    levels_ = {1, 2, 3, 4, 5};
    make_ratings();
    make_records(columns_, recipe.columns, true);
    make_records(before_, recipe.counts.size(), recipe.bias);
    after_.assign(before_.size(), -7.0F);
    for (std::uint32_t k = 0; k < recipe.rank; ++k) weights_.push_back(static_cast<float>(0.5 + numbers_.uniform()));
    make_pages();
  }

  [[nodiscard]] RatingRows rows() const {
    RatingRows rows;
    rows.begins = begins_;
    rows.slots = slots_;
    if (recipe_.codes) {
      rows.codes = codes_;
      rows.levels = levels_.data();
    } else {
      rows.values = values_;
    }
    return rows;
  }
  [[nodiscard]] FactorPages pages() const { return {page_list_.data(), recipe_.shift, stride_}; }
  [[nodiscard]] RowProblem problem() const {
    RowProblem problem;
    problem.rank = recipe_.rank;
    problem.bias = recipe_.bias;
    problem.mean = 3.25F;
    problem.lambda = recipe_.lambda;
    problem.weighted = recipe_.weighted;
    problem.width = recipe_.width;
    problem.relaxation = recipe_.relaxation;
    if (recipe_.weights) problem.weights = weights_;
    return problem;
  }
  [[nodiscard]] const float* before() const { return before_.data(); }
  [[nodiscard]] std::vector<float>& start() { return before_; }
  [[nodiscard]] std::size_t stride() const { return stride_; }
  [[nodiscard]] std::size_t coordinates() const { return std::size_t{recipe_.rank} + (recipe_.bias ? 1 : 0); }
  [[nodiscard]] std::vector<float>& after() { return after_; }
  [[nodiscard]] std::size_t size() const { return recipe_.counts.size(); }

  RowSums update() {
    RowSums sums;
    update_rows(rows(), pages(), problem(), before_.data(), after_.data(), sums);
    return sums;
  }

  [[nodiscard]] double value(std::uint64_t rating) const {
    return static_cast<double>(recipe_.codes ? levels_[codes_[rating]] : values_[rating]);
  }
  [[nodiscard]] const float* column(std::uint64_t rating) const {
    return columns_.data() + std::size_t{slots_[rating]} * stride_;
  }
  /// value - mean - b_i - b_j - w'h
  [[nodiscard]] double residual(std::uint64_t rating, const double* record) const {
    const float* const h = column(rating);
    double e = value(rating) - 3.25 - record[recipe_.rank] - static_cast<double>(h[recipe_.rank]);
    for (std::size_t k = 0; k < recipe_.rank; ++k) e -= record[k] * static_cast<double>(h[k]);
    return e;
  }
  [[nodiscard]] std::vector<double> record(const std::vector<float>& records, std::size_t row) const {
    return {records.begin() + static_cast<std::ptrdiff_t>(row * stride_),
            records.begin() + static_cast<std::ptrdiff_t>((row + 1) * stride_)};
  }
  [[nodiscard]] double error(std::size_t row, const std::vector<double>& record) const {
    double sum = 0;
    for (std::uint64_t r = begins_[row]; r < begins_[row + 1]; ++r) sum += std::pow(residual(r, record.data()), 2);
    return sum;
  }
  [[nodiscard]] double weight(std::size_t k) const {
    return recipe_.weights && k < recipe_.rank ? static_cast<double>(weights_[k]) : 1.0;
  }
  [[nodiscard]] double penalty(std::size_t row) const {
    return recipe_.lambda * (recipe_.weighted ? static_cast<double>(recipe_.counts[row]) : 1.0);
  }
  [[nodiscard]] double objective(std::size_t row, const std::vector<double>& record) const {
    double sum = error(row, record);
    for (std::size_t k = 0; k < coordinates(); ++k) sum += penalty(row) * weight(k) * record[k] * record[k];
    return sum;
  }

  /// One pass over the blocks of a row, as the header says.
  [[nodiscard]] std::vector<double> expected(std::size_t row) const {
    std::vector<double> record = this->record(before_, row);
    if (recipe_.counts[row] == 0) {
      std::fill_n(record.begin(), coordinates(), 0.0);
      return record;
    }
    for (std::size_t first = 0; first < coordinates(); first += recipe_.width) {
      const std::size_t width = std::min<std::size_t>(recipe_.width, coordinates() - first);
      std::vector<double> matrix(width * width), right(width);
      for (std::uint64_t r = begins_[row]; r < begins_[row + 1]; ++r) {
        const double e = residual(r, record.data());
        std::vector<double> x(width);
        for (std::size_t i = 0; i < width; ++i) {
          x[i] = first + i == recipe_.rank ? 1.0 : static_cast<double>(column(r)[first + i]);
        }
        for (std::size_t i = 0; i < width; ++i) {
          right[i] += x[i] * e;
          for (std::size_t j = 0; j < width; ++j) matrix[i * width + j] += x[i] * x[j];
        }
      }
      for (std::size_t i = 0; i < width; ++i) {
        matrix[i * width + i] += penalty(row) * weight(first + i);
        right[i] -= penalty(row) * weight(first + i) * record[first + i];
      }
      eliminate(matrix, right);
      for (std::size_t i = 0; i < width; ++i) record[first + i] += static_cast<double>(recipe_.relaxation) * right[i];
    }
    return record;
  }

 private:
  /// Gauss, for positive definite matrices.
  static void eliminate(std::vector<double>& matrix, std::vector<double>& right) {
    const std::size_t n = right.size();
    for (std::size_t k = 0; k < n; ++k) {
      for (std::size_t i = k + 1; i < n; ++i) {
        const double factor = matrix[i * n + k] / matrix[k * n + k];
        for (std::size_t j = k; j < n; ++j) matrix[i * n + j] -= factor * matrix[k * n + j];
        right[i] -= factor * right[k];
      }
    }
    for (std::size_t k = n; k-- > 0;) {
      for (std::size_t j = k + 1; j < n; ++j) right[k] -= matrix[k * n + j] * right[j];
      right[k] /= matrix[k * n + k];
    }
  }

  void make_ratings() {
    begins_.push_back(0);
    for (const std::size_t count : recipe_.counts) {
      for (std::size_t r = 0; r < count; ++r) {
        slots_.push_back(static_cast<std::uint32_t>(numbers_.below(recipe_.columns)));
        codes_.push_back(static_cast<std::uint8_t>(numbers_.below(levels_.size())));
        values_.push_back(static_cast<float>(1 + 4 * numbers_.uniform()));
      }
      begins_.push_back(slots_.size());
    }
  }
  void make_records(std::vector<float>& records, std::size_t count, bool bias) {
    const double size = 1 / std::sqrt(static_cast<double>(recipe_.rank));
    records.assign(count * stride_, 0.0F);
    for (std::size_t i = 0; i < count; ++i) {
      for (std::size_t k = 0; k < recipe_.rank; ++k) {
        records[i * stride_ + k] = static_cast<float>(2 * size * numbers_.centred());
      }
      if (bias) records[i * stride_ + recipe_.rank] = static_cast<float>(0.3 * numbers_.centred());
    }
  }
  /// Pages in scattered memory, the last one shorter.
  void make_pages() {
    const std::size_t page = (std::size_t{1} << recipe_.shift) * stride_;
    for (std::size_t first = 0; first < columns_.size(); first += page) {
      SharedFloats floats(std::min(page, columns_.size() - first));
      std::copy_n(columns_.begin() + static_cast<std::ptrdiff_t>(first), floats.size(), floats.writable().begin());
      held_.push_back(floats);
      page_list_.push_back(floats.data());
    }
  }

  RowsRecipe recipe_;
  std::size_t stride_;
  Numbers numbers_;
  std::vector<float> levels_, values_, columns_, before_, after_, weights_;
  std::vector<std::uint64_t> begins_;
  std::vector<std::uint32_t> slots_;
  std::vector<std::uint8_t> codes_;
  std::vector<SharedFloats> held_;
  std::vector<const float*> page_list_;
};

inline std::string name_of(const RowsRecipe& r) {
  return std::string(simd_name()) + " rank=" + std::to_string(r.rank) + " width=" + std::to_string(r.width) +
         " bias=" + std::to_string(r.bias) + " weighted=" + std::to_string(r.weighted) +
         " weights=" + std::to_string(r.weights) + " codes=" + std::to_string(r.codes);
}

inline void expect_close(const std::vector<double>& found, const std::vector<double>& expected,
                         const std::string& where) {
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t k = 0; k < found.size(); ++k) {
    ASSERT_NEAR(found[k], expected[k], kFactorError * (1 + std::abs(expected[k]))) << where << " entry " << k;
  }
}

inline void expect_update(const RowsRecipe& recipe, std::uint64_t seed = 1) {
  MadeRows problem(recipe, seed);
  const RowSums sums = problem.update();
  double before = 0, after = 0;
  for (std::size_t row = 0; row < problem.size(); ++row) {
    expect_close(problem.record(problem.after(), row), problem.expected(row),
                 name_of(recipe) + " row " + std::to_string(row));
    if (::testing::Test::HasFatalFailure()) return;
    before += problem.error(row, problem.record(problem.start(), row));
    after += problem.error(row, problem.record(problem.after(), row));
  }
  EXPECT_NEAR(sums.error_before, before, kErrorError * before) << name_of(recipe);
  EXPECT_NEAR(sums.error_after, after, kErrorError * before) << name_of(recipe);
}

class FactorRows : public ::testing::Test {
 protected:
  void TearDown() override { ASSERT_TRUE(choose_simd(Simd::automatic).ok()); }

  template <class Act>
  void on_every_target(Act&& act) {
    for (const Simd simd : targets()) {
      ASSERT_TRUE(choose_simd(simd).ok());
      act();
      if (HasFatalFailure()) return;
    }
  }
};

}  // namespace strads::test
