// --exact: a solution at a lambda that the path of an earlier run does not have.
#pragma once

#include <string>

#include "regression/model_file.hpp"

namespace strads::lasso {

struct ExactSolution {
  FittedModel model;
  std::string note;  ///< what was done, with the certificate
};

/// Solves at `lambda` (of the solver's scale) with the data and options of the run in `folder`, a path or a
/// cross-validation of one trait, beginning with the solution of `path` that is nearest in log lambda. In this process.
/// Errors: as a fit; input: the run's data cannot be read, or are no longer those of the run; stopped: the tolerance
/// was not met. Cost: of a fit.
[[nodiscard]] Result<ExactSolution> solve_exactly(const std::string& folder, const FittedPath& path, double lambda);

}  // namespace strads::lasso
