// The options of `svm cv`: those of `svm fit` with several costs and folds instead of one cost.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "strads/program/option_table.hpp"
#include "svm/options/fit_options.hpp"

namespace strads::svm {

/// What the costs are compared by; of all of them less is better.
enum class Measure : std::uint8_t {
  error,           ///< share of the samples held out of which the class is told wrong
  balanced_error,  ///< mean over the classes of that share
  auc              ///< of two classes: 1 - area under the ROC curve
};

/// Which cost is fitted on all samples.
enum class Refit : std::uint8_t { best, simplest, none };

/// `svm cv` as the user gave it. `fit`, `costs` and what follows are complete after settle_cv_options(); the cost of
/// `fit` means nothing.
struct CvOptions {
  FitOptions fit;
  std::vector<std::string> cost_texts = {"0.01", "0.1", "1", "10", "100"};
  std::string folds = "5";
  std::string measure_name = "error";
  std::string refit_name = "best";

  std::vector<double> costs;  ///< ascending
  Measure measure = Measure::error;
  Refit refit = Refit::best;
};

/// `options` outlives the table.
[[nodiscard]] OptionTable cv_option_table(CvOptions& options);

/// As paths_of() of a fit, with a file of folds.
[[nodiscard]] std::vector<std::string*> paths_of(CvOptions& options);

/// --cost has no meaning here: says what to give instead. Errors: usage.
[[nodiscard]] Status check_cv_arguments(std::span<const std::string> arguments);

/// Checks costs and folds and what settle_fit_options() checks; fills `options`. Errors: usage.
[[nodiscard]] Status settle_cv_options(CvOptions& options, const OptionTable& table);

/// How many folds there are, as far as the options say it: of a file 10 are taken, for memory plans.
[[nodiscard]] std::uint32_t folds_planned(const CvOptions& options);

}  // namespace strads::svm
