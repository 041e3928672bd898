// What an error of a prediction is, for a sample held out, and what becomes of the errors of all folds: the rules of
// cv.glmnet (4.1-6: cv.elnet, cv.lognet, cvstats, getOptcv.glmnet).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lasso/problem/lasso.hpp"

namespace strads::lasso {

/// As --measure takes it.
[[nodiscard]] const char* measure_name(Measure measure);
/// For axes and lines: "mean squared error", "binomial deviance".
[[nodiscard]] const char* measure_text(Measure measure, Family family);
/// --measure NAME for a family; "auto" is FamilyFacts::loss_measure. Errors: usage: one that the family does not have.
[[nodiscard]] Result<Measure> measure_named(std::string_view name, Family family);
/// For the text of --measure: "; of the binomial family also deviance, class = ...". `of_area`: said of auc.
[[nodiscard]] std::string other_measures_text(const std::string& of_area);
/// The one that is used with so many samples and folds: with fewer than 10 samples a fold, cv.glmnet takes the deviance
/// in place of the area under the curve.
[[nodiscard]] Measure measure_for(Measure wanted, std::uint64_t samples, std::uint32_t folds);

/// Errors of one fold at one lambda. Of an area under the curve: sum is the area times the weight, NaN where the fold
/// has one class only.
struct FoldError {
  double sum = 0;      ///< over the samples held out, each times its weight
  double squares = 0;  ///< the same of the squares of these errors
  double weight = 0;   ///< of the samples
};

/// Samples that were held out.
struct HeldOut {
  std::vector<double> response;
  std::vector<double> predicted;  ///< of losses of the predictor: links, as log-odds
  std::vector<double> weights;    ///< as many
};
[[nodiscard]] FoldError fold_error(const HeldOut& samples, Measure measure, Family family);

/// Index of the best number of a curve: the first one, of the largest lambda, where several are as good.
/// REQUIRES: not empty, no NaN.
[[nodiscard]] std::size_t best_of(std::span<const double> curve, Measure measure);
/// Whether the last `after` numbers of a curve are no better than what was there before them; never with 0.
[[nodiscard]] bool has_stopped_improving(std::span<const double> curve, Measure measure, std::uint32_t after);

/// A measure along a path, on those who watch it: the folds of a cross-validation, or the people who validate; and its
/// choices.
struct Curve {
  std::vector<std::vector<FoldError>> errors;  ///< by watcher and lambda
  std::vector<double> mean;                    ///< by lambda
  std::vector<double> standard_error;
  std::size_t least = 0;     ///< lambda.min: largest lambda with the best mean
  std::size_t simplest = 0;  ///< lambda.1se: largest lambda with a mean within one standard error of that
  bool grouped = true;       ///< by folds; else, with fewer than 3 samples a fold, by samples
};

/// `errors`: by fold, then by lambda, all of the same length >= 1. Folds without a number count as in cv.glmnet: not in
/// means, but among the folds by whose number the standard error is divided; of one alone it is 0. `samples`: of all
/// folds.
[[nodiscard]] Curve curve_of(std::vector<std::vector<FoldError>> errors, std::uint64_t samples,
                             Measure measure = Measure::mse);

}  // namespace strads::lasso
