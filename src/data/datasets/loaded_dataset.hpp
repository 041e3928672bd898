// The one implementation of Dataset: what a reader found, put together. Layer: data.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "data/files/mapped_file.hpp"
#include "data/files/string_list.hpp"
#include "data/filters/variable_names.hpp"
#include "data/samples/samples.hpp"
#include "strads/data/dataset.hpp"

namespace strads::data {

/// Everything that a Dataset hands out, for each row of `columns`. `columns.dropped_rows` and `columns.excluded` are
/// set from the vectors here.
struct DatasetParts : SampleValues {
  ColumnsView columns;
  std::vector<std::shared_ptr<const void>> owners;  ///< of what `columns` points to
  std::shared_ptr<const MappedFile> mapped;         ///< the file in which `columns` lie, or null when they were parsed
  std::uint64_t memory = 0;                         ///< Source::memory
  std::vector<std::uint32_t> dropped_rows;
  std::vector<std::uint8_t> excluded;
  std::vector<double> penalty_factors;  ///< J, or empty
  std::vector<std::uint8_t> sexes;      ///< as Dataset::sexes()
  StringList family;                    ///< one per row of `columns`, or empty
  StringList individual;                ///< one per row of `columns`, or empty
  std::unique_ptr<const VariableNames> names;
  std::vector<Dropped> dropped_samples;
  std::vector<Dropped> dropped_variables;
  std::uint64_t missing_imputed = 0;
  std::vector<std::string> files;
  std::vector<std::string> warnings;
};

/// What a data set tells of its samples.
class DatasetOfParts : public Dataset {
 public:
  explicit DatasetOfParts(DatasetParts parts) : parts_(std::move(parts)) {}

  [[nodiscard]] std::span<const double> response() const override { return parts_.response; }
  [[nodiscard]] std::string_view response_name() const override { return parts_.response_name; }
  [[nodiscard]] const std::array<std::string, 2>& classes() const override { return parts_.classes; }
  [[nodiscard]] const std::vector<std::string>& class_names() const override { return parts_.class_names; }
  [[nodiscard]] std::span<const double> offset() const override { return parts_.offset; }
  [[nodiscard]] std::span<const SamplePart> split() const override { return parts_.split; }
  [[nodiscard]] const std::vector<std::vector<double>>& covariates() const override { return parts_.covariates; }
  [[nodiscard]] const std::vector<std::string>& covariate_names() const override { return parts_.covariate_names; }
  [[nodiscard]] const std::vector<SkippedCovariate>& skipped_covariates() const override {
    return parts_.skipped_covariates;
  }
  [[nodiscard]] const std::vector<Dropped>& dropped_samples() const override { return parts_.dropped_samples; }
  [[nodiscard]] const std::vector<std::string>& warnings() const override { return parts_.warnings; }

 protected:
  DatasetParts parts_;
};

/// REQUIRES: vectors of matching lengths, names for all columns.
std::shared_ptr<const Dataset> make_dataset(DatasetParts parts);

/// `first` with another response: the same columns in the same memory, other samples.
///   own: response, covariates, weights, offsets and why samples are left out; `dropped_rows` as far as the columns
///   have them; `excluded` where other columns take part than in the first, with `dropped_variables`, else empty.
///        Nothing else of it is looked at
/// REQUIRES: vectors of length first->columns().rows.
std::shared_ptr<const Dataset> with_other_response(std::shared_ptr<const Dataset> first, DatasetParts own);

/// XXH3-64 over shape, storage, all column bytes, dropped rows, excluded columns, response, covariates, penalty
/// factors, weights and offsets.
/// Cost: reads everything once, about 10 GB/s from memory. The pages of a mapped file are given back piece by piece, so
/// that a process which needs part of the columns does not end up with all of them.
std::uint64_t fingerprint_of(const DatasetParts& parts);

}  // namespace strads::data
