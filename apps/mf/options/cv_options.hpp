// The options of `mf cv`: those of `mf fit` with a grid and folds instead of a rank, a lambda and a test part.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "mf/grid/cv.hpp"
#include "mf/options/fit_options.hpp"
#include "strads/program/option_table.hpp"

namespace strads::mf {

/// `mf cv` as the user gave it. `fit` and `plan` are complete after settle_cv_options(); rank and lambda of `fit` mean
/// nothing.
struct CvOptions {
  CvOptions();

  FitOptions fit;
  std::vector<std::string> ranks, lambdas;
  CvPlan plan;
};

/// `options` outlives the table.
[[nodiscard]] OptionTable cv_option_table(CvOptions& options);

/// Options of `mf fit` that have no meaning here: says what to give instead. Errors: usage.
[[nodiscard]] Status check_cv_arguments(std::span<const std::string> arguments);

/// Checks the grid and what settle_fit_options() checks; fills options.fit and options.plan. Errors: usage.
[[nodiscard]] Status settle_cv_options(CvOptions& options, const OptionTable& table);

/// The `mf fit` command that learns from all ratings with what was found, with the options of `table` that the user
/// gave and that fix the result.
[[nodiscard]] std::string fit_command_of(const CvPoint& point, const OptionTable& table);

}  // namespace strads::mf
