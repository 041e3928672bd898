// What files, summaries and closing lines say of the binomial family, and do not of least squares.
#pragma once

#include <cstdint>
#include <string>

#include "regression/model_file.hpp"
#include "strads/data/dataset.hpp"
#include "strads/program/summary.hpp"

namespace strads::lasso {

/// Whether the response was read as one of two classes: so it is in the binomial family, and only there.
[[nodiscard]] bool is_binomial(const Dataset& dataset);

/// Samples of each class, weights not counted.
struct ClassCounts {
  std::uint64_t controls = 0;  ///< class 0
  std::uint64_t cases = 0;     ///< class 1
};
/// REQUIRES: is_binomial(dataset). Cost: one pass over the response.
[[nodiscard]] ClassCounts class_counts(const Dataset& dataset);

/// `family`; of the binomial one also `classes`, `cases` and `controls`.
void add_family(Summary& summary, const Dataset& dataset);
/// "binomial (250 case, 213 control), "; "" of least squares.
[[nodiscard]] std::string family_text(const Dataset& dataset);

/// Family, classes, and whether there were offsets.
void set_family(FittedModel& model, const Dataset& dataset);

/// The last column of tables of coefficients: "\todds_ratio"; "" of least squares.
[[nodiscard]] std::string odds_ratio_header(const FittedModel& model);
/// "\t1.5" for log(1.5); "" of least squares.
[[nodiscard]] std::string odds_ratio_field(const FittedModel& model, double coefficient);

}  // namespace strads::lasso
