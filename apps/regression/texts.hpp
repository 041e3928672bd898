// What tables, summaries and closing lines of all regressions and classifiers say alike.
#pragma once

#include <string>
#include <string_view>

#include "regression/model_file.hpp"
#include "strads/data/dataset.hpp"
#include "strads/program/summary.hpp"

namespace strads::lasso {

/// A name from outside as one field of a table.
[[nodiscard]] std::string field(std::string_view name);
/// The id in the file, or the column's number from 1 on where columns have no names.
[[nodiscard]] std::string variable_id(const FittedModel& model, const FittedVariable& variable);
/// What a table of variables begins with: "id", of genotypes "id<tab>chromosome<tab>position<tab>A1<tab>A2".
[[nodiscard]] std::string variable_columns(const FittedModel& model);
/// The fields of these.
[[nodiscard]] std::string variable_fields(const FittedModel& model, const FittedVariable& variable);
/// As a field of a table.
[[nodiscard]] std::string yes_or_no(bool value);
/// The last part of a path.
[[nodiscard]] std::string base_name(const std::string& path);
/// "samples" of a summary: in the file, kept, and left out by reason.
[[nodiscard]] Summary sample_facts(const Dataset& dataset);

}  // namespace strads::lasso
