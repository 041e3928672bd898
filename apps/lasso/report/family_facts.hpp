// What files, summaries and closing lines say of the family of the response.
#pragma once

#include <cstdint>
#include <string>

#include "lasso/problem/lasso.hpp"
#include "regression/model_file.hpp"
#include "strads/data/dataset.hpp"
#include "strads/program/summary.hpp"

namespace strads::lasso {

/// Samples of each class, weights not counted.
struct ClassCounts {
  std::uint64_t controls = 0;  ///< class 0
  std::uint64_t cases = 0;     ///< class 1
};
/// REQUIRES: the response is one of two classes. Cost: one pass over it.
[[nodiscard]] ClassCounts class_counts(const Dataset& dataset);

/// `family`; of classes also `classes`, `cases` and `controls`.
void add_family(Summary& summary, const LassoData& data);
/// "binomial (250 case, 213 control), "; "" of least squares.
[[nodiscard]] std::string family_text(const LassoData& data);

/// Family, classes, and whether there were offsets.
void set_family(FittedModel& model, const LassoData& data);
/// Of a model that was read.
[[nodiscard]] Family family_of(const FittedModel& model);

/// The last column of tables of coefficients: "\todds_ratio"; "" of least squares.
[[nodiscard]] std::string ratio_header(const FittedModel& model);
/// "\t1.5" for log(1.5); "" of least squares.
[[nodiscard]] std::string ratio_field(const FittedModel& model, double coefficient);

}  // namespace strads::lasso
