// The options of `lasso cv`: those of `lasso path`, the folds and the measure.
#pragma once

#include <string>
#include <vector>

#include "lasso/options/path_options.hpp"
#include "lasso/run/cv.hpp"
#include "lasso/run/fit_memory.hpp"

namespace strads::lasso {

struct CvOptions {
  PathCommandOptions path;
  std::string folds = "10";  ///< a number, or a file
  std::string measure = "mse";
  std::vector<std::string> traits;  ///< those that --pheno-name or --y-name lists; empty: one, whatever its name

  [[nodiscard]] Measure error() const { return measure == "mae" ? Measure::mae : Measure::mse; }
};

/// `options` outlives the table.
/// Paths of a run: one on all samples and one without each fold, for each trait. Folds of a file are taken to be ten.
[[nodiscard]] ProblemCount problem_count_of(const CvOptions& options);

[[nodiscard]] OptionTable cv_option_table(CvOptions& options, std::string command, std::string usage);
[[nodiscard]] OptionTable cv_option_table(CvOptions& options);

/// Those that name files; --folds only where it is no number.
[[nodiscard]] std::vector<std::string*> paths_of(CvOptions& options);

/// Data sets of all traits.
[[nodiscard]] Result<std::vector<std::shared_ptr<const Dataset>>> load_traits(const CvOptions& options);

/// As settle_path_options(). Errors also: usage: --folds 0 or 1; names of traits that are empty, twice there, or no
/// names of folders where --out wants some.
[[nodiscard]] Status settle_cv_options(CvOptions& options, const OptionTable& table);

}  // namespace strads::lasso
