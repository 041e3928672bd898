// Cross-validation of the Lasso: a path on all samples and one without each fold, in one schedule; their errors.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "lasso/cv_folds.hpp"
#include "lasso/lasso.hpp"
#include "lasso/path_output.hpp"
#include "strads/many_models.hpp"
#include "strads/options.hpp"

namespace strads::lasso {

/// What an error is.
enum class Measure : std::uint8_t {
  mse,  ///< squared
  mae   ///< absolute
};

/// What one process knows about the data: part 0 has all samples, part f + 1 all but those of fold f.
struct CvData {
  std::shared_ptr<const Dataset> dataset;
  Folds folds;
  std::vector<std::shared_ptr<LassoData>> parts;
};

/// `folds`: a number or a file (read_folds). Errors: as prepare_lasso(), draw_folds() and read_folds(), naming the fold
/// without which a response does not vary.
[[nodiscard]] Result<CvData> prepare_cv(std::shared_ptr<const Dataset> dataset, const LassoOptions& options,
                                        const std::string& folds, std::uint64_t seed);

/// Told of every solution of every part, in the process that holds the coordinator.
using CvRecorded = std::function<void(std::size_t part, const PathPoint& point)>;

/// All parts in one schedule. The path on all samples says at which lambdas the others are solved, in units of y, and
/// where they end.
[[nodiscard]] std::shared_ptr<Model> make_cv_model(const CvData& data, const LassoOptions& options,
                                                   const EngineOptions& engine, const CvRecorded& recorded = {},
                                                   PartEnded ended = {});

/// Errors of one fold at one lambda.
struct FoldError {
  double sum = 0;      ///< over the samples held out, each times its weight
  double squares = 0;  ///< the same of the squares of these errors
  double weight = 0;   ///< of the samples
};

/// Held-out errors of a solution without fold `fold`. Cost: one pass over its variables.
[[nodiscard]] FoldError held_out_error(const CvData& data, std::uint32_t fold, const PathStep& step, Measure measure);

/// The curve and its choices, by the rules of cv.glmnet.
struct CvCurve {
  std::vector<double> mean;  ///< by lambda
  std::vector<double> standard_error;
  std::size_t least = 0;     ///< lambda.min: largest lambda with the least mean
  std::size_t simplest = 0;  ///< lambda.1se: largest lambda with a mean at most that and its standard error
  bool grouped = true;       ///< by folds; else, with fewer than 3 samples a fold, by samples
};

/// `errors`: by fold, then by lambda, all of the same length >= 1. `samples`: of all folds.
[[nodiscard]] CvCurve cv_curve(const std::vector<std::vector<FoldError>>& errors, std::uint64_t samples);

}  // namespace strads::lasso
