// model.bin and path.bin: what `lasso predict` and --warm-start need of a fit. Later releases read them
// (docs/FORMATS.md).
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "strads/base/status.hpp"
#include "strads/base/types.hpp"

namespace strads::lasso {

/// One variable with a nonzero coefficient.
struct FittedVariable {
  VarId column = 0;  ///< in the training file, from 0
  std::string id, chromosome, position, counted, other;
  double coefficient = 0;  ///< original units, per unit of X (per copy of `counted`)
  double mean = 0;         ///< over the observed training samples: what a missing value counts as
};

/// What FittedModel::family may be.
inline constexpr const char* kGaussian = "gaussian";
inline constexpr const char* kBinomial = "binomial";
inline constexpr const char* kPoisson = "poisson";
inline constexpr std::array kFamilies{kGaussian, kBinomial, kPoisson};

struct FittedModel {
  std::string response;
  VarId columns = 0;         ///< J of the training file
  bool has_alleles = false;  ///< PLINK: matched by id and alleles
  bool has_names = false;    ///< otherwise variables match by column number
  double intercept = 0;
  std::vector<std::string> covariate_names;
  std::vector<double> covariates;
  std::vector<FittedVariable> variables;
  std::string family = kGaussian;        ///< of the binomial one all coefficients are log-odds of the second class
  std::array<std::string, 2> classes{};  ///< of the binomial family: what the two are called
  bool has_offset = false;               ///< an offset was added to what the coefficients say, and must be again
  std::uint64_t samples = 0;             ///< that it was fitted to; 0: nobody knows, of earlier releases
  std::vector<std::uint64_t> people;     ///< of these people_of(); empty: without names, or nobody knows

  [[nodiscard]] bool has_classes() const { return family == kBinomial; }
};

/// One solution of a path.
struct FittedStep {
  double lambda = 0;    ///< of the standardised problem
  double lambda_y = 0;  ///< the same in the units of y: with scaled columns that of glmnet
  double intercept = 0;
  std::vector<double> covariates;
  std::vector<std::uint64_t> places;  ///< in FittedPath::shape.variables, ascending
  std::vector<double> coefficients;   ///< of those, original units
};

/// path.bin: a model for each lambda.
struct FittedPath {
  FittedModel shape;  ///< all variables that any step has, without coefficients
  std::vector<FittedStep> steps;
  std::uint64_t least = 0;     ///< of a cross-validation: lambda.min is steps[least - 1]; 0: none
  std::uint64_t simplest = 0;  ///< the same for lambda.1se

  /// REQUIRES: step < steps.size().
  [[nodiscard]] FittedModel at(std::size_t step) const;
  [[nodiscard]] FittedModel at(const FittedStep& own) const;
  /// The line from one solution to the next, at a lambda between theirs: what glmnet's predict(s = lambda) takes
  /// without exact = TRUE (lambda.interp, 4.1-6). REQUIRES: step + 1 < steps.size(), lambda between the two.
  [[nodiscard]] FittedStep between(std::size_t step, double lambda) const;
};

[[nodiscard]] Status write_path(const std::string& path, const FittedPath& fitted);
/// Errors: as read_model().
[[nodiscard]] Result<FittedPath> read_path(const std::string& path);

[[nodiscard]] Status write_model(const std::string& path, const FittedModel& model);
/// Errors: input: no such file, damaged, of a later release.
[[nodiscard]] Result<FittedModel> read_model(const std::string& path);

}  // namespace strads::lasso
