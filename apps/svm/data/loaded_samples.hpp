// From a data set to what the model computes with: its samples as sparse rows.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "strads/base/status.hpp"
#include "strads/data/dataset.hpp"
#include "svm/problem/svm.hpp"

namespace strads::svm {

/// What was read, and the rows that were made of it. Feature j of the rows is column j of the data set.
struct LoadedSamples {
  std::shared_ptr<const Dataset> dataset;
  std::shared_ptr<const SvmData> data;
  std::vector<double> means;  ///< of each column over the samples that have a value: what a missing one counts as
  std::vector<std::uint64_t> counts;  ///< samples of each class
  std::uint64_t missing = 0;          ///< entries that are missing, and count as their column's mean
};

/// Columns that take part, in the order of their numbers; a missing value counts as its column's mean over the samples
/// that have one (weighted as the samples are), zeros are left out. `class_weights`: what --class-weights says.
/// Errors: usage: class weights of no class; input: more samples times classes than the engine has numbers for.
/// Cost: two passes over the columns; 12 bytes for each entry that is not 0.
[[nodiscard]] Result<LoadedSamples> rows_of(std::shared_ptr<const Dataset> dataset,
                                            const std::vector<std::string>& class_weights);

}  // namespace strads::svm
