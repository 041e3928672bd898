// A data set made up by a test, without files.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "strads/base/random.hpp"
#include "strads/data/dataset.hpp"

namespace strads::lasso {

/// What a test puts into it. `columns`: J vectors of length N; the others as in Dataset.
struct Content {
  std::vector<std::vector<double>> columns{};
  std::vector<double> response{};
  std::vector<std::uint32_t> dropped_rows{};
  std::vector<std::uint8_t> excluded{};
  std::vector<std::vector<double>> covariates{};
  std::vector<double> factors{};         ///< of the penalty
  std::vector<double> weights{};         ///< of the samples, 0 at dropped rows
  std::vector<double> offset{};          ///< 0 at dropped rows
  std::array<std::string, 2> classes{};  ///< of a response of 0 and 1: their names; empty: it has none
  bool sparse = false;                   ///< stored as compressed columns without the zeros
  /// Stored as bytes (whole numbers that fit) or as genotypes (0, 1, 2).
  std::optional<Storage> whole{};

  [[nodiscard]] std::size_t rows() const { return response.size(); }
  [[nodiscard]] bool takes_part(std::size_t row) const {
    for (const std::uint32_t gone : dropped_rows) {
      if (gone == row) return false;
    }
    return true;
  }
};

class InMemoryDataset : public Dataset {
 public:
  explicit InMemoryDataset(Content content) : content_(std::move(content)) {
    view_.storage = content_.sparse ? Storage::sparse_f64 : Storage::dense_f64;
    view_.rows = content_.rows();
    view_.columns = static_cast<VarId>(content_.columns.size());
    starts_.push_back(0);
    for (const auto& column : content_.columns) {
      for (std::size_t i = 0; i < column.size(); ++i) {
        if (content_.sparse && column[i] == 0.0) continue;
        values_.push_back(column[i]);
        rows_.push_back(static_cast<std::uint32_t>(i));
      }
      starts_.push_back(values_.size());
    }
    if (content_.sparse) {
      view_.starts = starts_;
      view_.row_numbers = rows_;
    } else {
      view_.column_stride = content_.rows() * sizeof(double);
    }
    view_.values = reinterpret_cast<const std::byte*>(values_.data());
    if (content_.whole) store_whole_numbers();
    view_.dropped_rows = content_.dropped_rows;
    view_.excluded = content_.excluded;
    view_.weights = content_.weights;
  }

  [[nodiscard]] const ColumnsView& columns() const override { return view_; }
  [[nodiscard]] std::span<const double> response() const override { return content_.response; }
  [[nodiscard]] std::string_view response_name() const override { return "y"; }
  [[nodiscard]] const std::array<std::string, 2>& classes() const override { return content_.classes; }
  [[nodiscard]] std::span<const double> offset() const override { return content_.offset; }
  [[nodiscard]] const std::vector<std::vector<double>>& covariates() const override { return content_.covariates; }
  [[nodiscard]] const std::vector<std::string>& covariate_names() const override { return none_; }
  [[nodiscard]] std::span<const double> penalty_factors() const override { return content_.factors; }
  [[nodiscard]] VariableName variable(VarId) const override { return {}; }
  [[nodiscard]] SampleName sample(std::uint64_t) const override { return {}; }
  [[nodiscard]] bool has_alleles() const override { return false; }
  [[nodiscard]] const std::vector<Dropped>& dropped_samples() const override { return no_reasons_; }
  [[nodiscard]] std::uint64_t missing_imputed() const override { return 0; }
  [[nodiscard]] std::uint64_t fingerprint() const override { return 1; }
  [[nodiscard]] const std::vector<std::string>& files() const override { return none_; }

 private:
  void store_whole_numbers() {
    const std::size_t rows = content_.rows();
    const bool calls = content_.whole == Storage::genotype_2bit;
    view_.storage = *content_.whole;
    view_.column_stride = calls ? (rows + 3) / 4 : rows;
    bytes_.resize(view_.column_stride * view_.columns);
    for (std::size_t j = 0; j < content_.columns.size(); ++j) {
      for (std::size_t i = 0; i < rows; ++i) {
        const auto x = static_cast<int>(content_.columns[j][i]);
        std::uint8_t& byte = bytes_[j * view_.column_stride + (calls ? i / 4 : i)];
        const int code = x == 2 ? 0 : x == 1 ? 2 : 3;
        byte = static_cast<std::uint8_t>(calls ? byte | code << (2 * (i % 4)) : x);
      }
    }
    view_.values = reinterpret_cast<const std::byte*>(bytes_.data());
  }

  Content content_;
  ColumnsView view_;
  std::vector<std::uint8_t> bytes_;
  std::vector<double> values_;
  std::vector<std::uint64_t> starts_;
  std::vector<std::uint32_t> rows_;
  std::vector<std::string> none_;
  std::vector<Dropped> no_reasons_;
};

/// What random_content() makes.
struct Recipe {
  std::size_t rows = 40;
  std::size_t columns = 24;
  std::uint64_t seed = 1;
  double shared = 0.5;     ///< weight of a factor that all columns have in common: 0 = nearly uncorrelated
  double fill = 1.0;       ///< share of the entries that are not 0
  std::size_t causes = 4;  ///< columns that the response depends on
  double noise = 0.5;
};

/// Columns with means and scales of their own; the response is a sum of the first `causes` columns and noise.
inline Content random_content(const Recipe& recipe) {
  CounterRng random(recipe.seed, Purpose::tests);
  const auto centred = [&random] { return 2 * random.unit() - 1; };
  Content content;
  std::vector<double> factor(recipe.rows);
  for (double& value : factor) value = centred();
  content.response.assign(recipe.rows, 3.0);
  for (double& value : content.response) value += recipe.noise * centred();
  for (std::size_t j = 0; j < recipe.columns; ++j) {
    const double mean = 2 * centred();
    const double scale = 0.5 + random.unit();
    std::vector<double> column(recipe.rows);
    for (std::size_t i = 0; i < recipe.rows; ++i) {
      const double value = mean + scale * (centred() + recipe.shared * factor[i]);
      column[i] = random.unit() < recipe.fill ? value : 0.0;
      if (j < recipe.causes) content.response[i] += (j % 2 == 0 ? 1.0 : -0.7) * column[i];
    }
    content.columns.push_back(std::move(column));
  }
  return content;
}

[[nodiscard]] inline std::shared_ptr<const Dataset> dataset_of(Content content) {
  return std::make_shared<InMemoryDataset>(std::move(content));
}

}  // namespace strads::lasso
