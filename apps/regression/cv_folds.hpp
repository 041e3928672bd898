// Folds: which sample is held out when, and a data set without one fold.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "strads/base/status.hpp"
#include "strads/data/dataset.hpp"

namespace strads::lasso {

/// Who is held out when.
struct Folds {
  std::uint32_t count = 0;
  std::vector<std::uint32_t> of_row;  ///< length rows, 0 ... count - 1; rows that take no part have `count`
  std::vector<std::uint64_t> sizes;   ///< samples of each fold
  std::vector<std::string> names;     ///< of each, as people wrote them: "1" ... or those of a file
};

/// Folds of nearly the same size: samples in the order of a hash of (seed, id) are dealt out one by one, so that it
/// does not matter in which order a file has them. Samples without ids count by their row. `stratify`: those of the
/// first class first, then those of the next, so that each fold has the same share of each class up to one sample.
/// Errors: usage:
/// more folds than samples, or fewer than 2.
[[nodiscard]] Result<Folds> draw_folds(const Dataset& dataset, std::uint32_t count, std::uint64_t seed,
                                       bool stratify = false);

/// From a table: sample ids (FID and IID, or one) and the name of a fold a line, or the fold alone where samples have
/// no ids; a first line that begins with # or names no sample is a header. Errors: input: a sample without a fold or
/// with two, fewer than 2 folds.
[[nodiscard]] Result<Folds> read_folds(const Dataset& dataset, const std::string& path);

/// From numbers that a program has: one a row of the data, from 0; those of rows that take no part do not matter.
/// Errors: usage: not one a row; fewer than 2 folds, or one without samples.
[[nodiscard]] Result<Folds> folds_of_rows(const Dataset& dataset, std::span<const std::uint32_t> of_row);

/// As read_folds() reads it.
[[nodiscard]] std::string folds_table(const Dataset& dataset, const Folds& folds);

/// `all` without the samples of one fold: the same columns in the same memory, with other dropped rows.
[[nodiscard]] std::shared_ptr<const Dataset> without_fold(std::shared_ptr<const Dataset> all, const Folds& folds,
                                                          std::uint32_t fold);

/// Rows of one fold, ascending.
[[nodiscard]] std::vector<std::uint32_t> rows_of_fold(const Folds& folds, std::uint32_t fold);
/// The same of any rows: ascending, none of them dropped before. `reason`: what Dataset::dropped_samples() says of
/// them.
[[nodiscard]] std::shared_ptr<const Dataset> without_rows(std::shared_ptr<const Dataset> all,
                                                          const std::vector<std::uint32_t>& rows, std::string reason);

}  // namespace strads::lasso
