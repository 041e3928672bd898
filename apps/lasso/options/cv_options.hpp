// The options of `lasso cv`: those of `lasso path`, the folds and the measure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "lasso/options/path_options.hpp"
#include "lasso/study/problem_count.hpp"
#include "strads/program/option_table.hpp"

namespace strads::lasso {

struct CvOptions {
  PathCommandOptions path;
  std::string folds = "10";      ///< a number, or a file
  std::string measure = "auto";  ///< by settle_cv_options() on the name of `error`
  Measure error = Measure::mse;
  std::uint32_t stop_after = 0;  ///< lambdas without gain over the folds, after which the paths end; 0: they go on
  std::uint32_t stop_from = 0;   ///< as stop_rule()
  StopRule stop;                 ///< by settle_cv_options() what the two say of these lambdas
  bool stratify = false;         ///< folds have the same share of each class
};

/// The number of --folds; none where they are those of a file.
[[nodiscard]] std::optional<std::uint64_t> fold_count_of(const CvOptions& options);

/// Paths of a run: one on all samples and one without each fold, for each trait and l1 ratio. Folds of a file are taken
/// to be ten.
[[nodiscard]] ProblemCount problem_count_of(const CvOptions& options);

/// `options` outlives the table.
[[nodiscard]] OptionTable cv_option_table(CvOptions& options, std::string command, std::string usage);
[[nodiscard]] OptionTable cv_option_table(CvOptions& options);

/// Those that name files; --folds only where it is no number.
[[nodiscard]] std::vector<std::string*> paths_of(CvOptions& options);

/// As settle_path_options(); `measure` is then the one that "auto" stands for. Errors also: usage: --folds 0 or 1; a
/// measure that the family does not have; --stratify without classes or with folds from a file.
[[nodiscard]] Status settle_cv_options(CvOptions& options, const OptionTable& table);

}  // namespace strads::lasso
