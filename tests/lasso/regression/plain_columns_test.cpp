// Products of plain columns and several vectors at once against sums by definition: all storages, more rows than a tile
// has, rows that are no samples and hold no numbers, calls that are missing.
#include "regression/plain_columns.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "strads/base/random.hpp"

namespace strads::lasso {
namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();  ///< no sample, or no call

/// Columns as they are stored, and as numbers.
struct Stored {
  std::vector<std::vector<double>> numbers;
  std::vector<std::byte> bytes;
  std::vector<std::uint64_t> starts{0};
  std::vector<std::uint32_t> row_numbers, dropped_rows;
  std::vector<double> weights;
  ColumnsView view;

  template <class T>
  void append(double value) {
    const auto narrow = static_cast<T>(value);
    bytes.resize(bytes.size() + sizeof narrow);
    std::memcpy(bytes.data() + bytes.size() - sizeof narrow, &narrow, sizeof narrow);
  }
  void put_entry(double value) {
    switch (view.storage) {
      case Storage::dense_f32:
      case Storage::sparse_f32:
        return append<float>(value);
      case Storage::dense_i8:
        return append<std::int8_t>(std::isnan(value) ? 77 : value);
      case Storage::dense_u8:
        return append<std::uint8_t>(std::isnan(value) ? 77 : value);
      case Storage::dosage_u16:
        return append<std::uint16_t>(std::isnan(value) ? kMissingDosage : value * kDosageUnits);
      default:
        return append<double>(value);
    }
  }
  void put_calls(const std::vector<double>& column) {
    for (std::size_t i = 0; i < column.size(); i += 4) {
      unsigned byte = 0;
      for (std::size_t k = i; k < std::min(column.size(), i + 4); ++k) {
        const unsigned code = std::isnan(column[k]) ? 1 : column[k] == 2 ? 0 : column[k] == 1 ? 2 : 3;
        byte |= code << (2 * (k % 4));
      }
      bytes.push_back(static_cast<std::byte>(byte));
    }
  }
};

/// Whole numbers 0, 1, 2, more in the columns of numbers; row 5 and one in the second tile are dropped in `dropped`.
Stored stored_as(Storage storage, std::size_t rows, bool dropped, bool weighted) {
  Stored made;
  const bool sparse = storage == Storage::sparse_f32 || storage == Storage::sparse_f64;
  const bool calls = storage == Storage::genotype_2bit;
  const bool dosages = storage == Storage::dosage_u16;
  const bool real = !calls && !dosages && !is_bytes(storage);
  made.view.storage = storage;
  made.view.rows = rows;
  made.view.columns = 5;
  if (dropped) made.dropped_rows = {5, static_cast<std::uint32_t>(rows - 2)};
  CounterRng random(7, Purpose::tests);
  for (std::size_t j = 0; j < made.view.columns; ++j) {
    auto& column = made.numbers.emplace_back(rows);
    for (double& value : column) {
      value = std::floor(3 * random.unit());
      if (real && value > 0) value += 0.25 * static_cast<double>(j) + 0.5 * std::floor(4 * random.unit());
      if (real && !sparse && j == 2) value += 1e6;
      if (dosages && value < 2) value += std::floor(kDosageUnits * random.unit()) / kDosageUnits;
      if ((calls || dosages) && j == 3 && random.unit() < 0.1) value = kNone;
    }
    if (j == 4) column.assign(rows, 1.0);  // takes no part
    for (const std::uint32_t row : made.dropped_rows) column[row] = kNone;
    if (calls) made.put_calls(column);
    for (std::size_t i = 0; i < rows && !calls; ++i) {
      if (sparse && column[i] == 0) continue;
      made.put_entry(column[i]);
      made.row_numbers.push_back(static_cast<std::uint32_t>(i));
    }
    made.starts.push_back(made.row_numbers.size());
  }
  made.view.column_stride = made.bytes.size() / made.view.columns;
  if (weighted) {
    for (std::size_t i = 0; i < rows; ++i) made.weights.push_back(0.5 + static_cast<double>(i % 3));
    for (const std::uint32_t row : made.dropped_rows) made.weights[row] = 0;
  }
  return made;
}

/// sqrt(w_i) (x_i - mean) / norm; empty: constant.
std::vector<double> standardised(const Stored& made, std::size_t j) {
  const auto& x = made.numbers[j];
  std::vector<std::uint8_t> sample(x.size(), 1);
  for (const std::uint32_t row : made.dropped_rows) sample[row] = 0;
  const auto weight = [&](std::size_t i) {
    return sample[i] == 0 ? 0.0 : made.weights.empty() ? 1.0 : made.weights[i];
  };
  long double sum = 0, total = 0, squares = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (std::isnan(x[i])) continue;
    sum += weight(i) * x[i];
    total += weight(i);
  }
  const double mean = static_cast<double>(sum / total);
  std::vector<double> out(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) {
    out[i] = std::isnan(x[i]) ? 0.0 : std::sqrt(weight(i)) * (x[i] - mean);
    squares += out[i] * out[i];
  }
  if (squares == 0) return {};
  for (double& value : out) value /= static_cast<double>(std::sqrt(squares));
  return out;
}

void expect_products_by_definition(Storage storage, std::size_t rows, std::size_t width, bool dropped, bool weighted) {
  SCOPED_TRACE(std::to_string(static_cast<int>(storage)) + ", rows " + std::to_string(rows) + ", width " +
               std::to_string(width) + (dropped ? ", dropped" : "") + (weighted ? ", weighted" : ""));
  Stored made = stored_as(storage, rows, dropped, weighted);
  made.view.values = made.bytes.data();
  made.view.starts = made.starts;
  made.view.row_numbers = made.row_numbers;
  made.view.dropped_rows = made.dropped_rows;
  made.view.weights = made.weights;
  const PlainColumns columns(made.view, true, true);
  std::vector<std::vector<double>> vectors(width, std::vector<double>(rows));
  std::vector<double> side_by_side(columns.places(width)), totals(width);
  CounterRng random(8, Purpose::tests);
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t k = 0; k < width; ++k) {
      vectors[k][i] = 2 * random.unit() - 1;
      const double there = columns.roots()[i] * vectors[k][i];
      side_by_side[columns.place(i, k, width)] = there;
      totals[k] += there;
    }
  }
  std::vector<PlainColumns::Facts> facts;
  for (VarId j = 0; j < made.view.columns; ++j) facts.push_back(columns.facts_of(j));
  std::vector<double> products(width * 4, 77.0);
  columns.products(1, 5, std::span(facts).subspan(1), {width, side_by_side.data(), totals.data()}, products.data());
  for (VarId j = 1; j < 5; ++j) {
    const auto x = standardised(made, j);
    ASSERT_EQ(facts[j].takes_part(), !x.empty());
    for (std::size_t k = 0; k < width; ++k) {
      long double expected = 0;
      for (std::size_t i = 0; i < x.size(); ++i) expected += x[i] * vectors[k][i];
      // A mean of 10^6 standard deviations takes six digits from a column of floats or doubles.
      EXPECT_NEAR(products[(j - 1) * width + k], static_cast<double>(expected), j == 2 ? 1e-9 : 1e-13) << j << " " << k;
    }
  }
}

TEST(PlainColumns, GiveProductsByDefinitionWhateverTheStorage) {
  for (const Storage storage :
       {Storage::dense_f32, Storage::dense_f64, Storage::dense_i8, Storage::dense_u8, Storage::genotype_2bit,
        Storage::dosage_u16, Storage::sparse_f32, Storage::sparse_f64}) {
    for (const bool dropped : {false, true}) {
      for (const bool weighted : {false, true}) {
        for (const std::size_t width : {1U, 2U, 4U, 8U}) {
          for (const std::size_t rows : {21U, 512U, 1033U}) {
            expect_products_by_definition(storage, rows, width, dropped, weighted);
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace strads::lasso
