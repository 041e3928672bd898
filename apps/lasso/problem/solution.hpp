// One solution, from the barrier that accepts it to messages, checkpoints, the check, files and callers in Python and
// R: all of them take it from this record, by the names of its fields.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "lasso/problem/payloads.hpp"
#include "strads/base/types.hpp"
#include "strads/engine/phase.hpp"

namespace strads::lasso {

struct Solution {
  std::uint64_t index = 0;    ///< on its path, from 0
  double lambda = 0;          ///< of the standardised problem
  Certificate certificate{};  ///< of the barrier that accepted it, then of the data; converged: it meets the tolerance
  double deviance_ratio = 0;  ///< as the messages of the run say it; `explained` is that of the data
  std::uint64_t phases = 0;   ///< since the lambda before
  double seconds = 0;         ///< of solving, when its certificate was there
  /// Nonzeros, ascending, and their coefficients on the solver's scale: those with a penalty, and after
  /// original_scale() all.
  std::vector<VarId> variables{};
  std::vector<double> standardized{};
  // From here on what the driver makes of it: complete().
  Start problem{};  ///< what its run was told
  std::string beta_hash{};
  double lambda_y = 0;                 ///< lambda in the units of y (lambda_in_y())
  std::vector<double> coefficients{};  ///< of `variables`, in units of the data
  std::vector<double> means{};         ///< of the same, over the samples that it was fitted to
  double intercept = 0;
  std::vector<double> covariates{};   ///< their coefficients, in order
  std::vector<double> unpenalised{};  ///< those of the unpenalised variables, in order, on the solver's scale
  double explained = 0;               ///< 1 - loss / F(0): 1 - ||r||^2 / ||y~||^2, or the deviance ratio

  /// Memory of a nonzero: its number, what it is on both scales, its mean.
  static constexpr std::uint64_t kBytesOfNonzero = sizeof(VarId) + 3 * sizeof(double);

  /// The numbers that a checkpoint keeps, in its order.
  template <class Self, class Visit>
  static constexpr void kept_fields(Self& solution, Visit&& visit) {
    visit("index", solution.index);
    visit("lambda", solution.lambda);
    visit("objective", solution.certificate.objective);
    visit("gap", solution.certificate.gap);
    visit("relative_gap", solution.certificate.relative_gap);
    visit("dual", solution.certificate.dual);
    visit("nonzeros_penalised", solution.certificate.nonzeros);
    visit("converged", solution.certificate.converged);
    visit("deviance_ratio_told", solution.deviance_ratio);
    visit("phases", solution.phases);
    visit("seconds", solution.seconds);
  }
  /// All that is written of it or handed over.
  template <class Self, class Visit>
  static constexpr void fields(Self& solution, Visit&& visit) {
    kept_fields(solution, visit);
    visit("lambda_y", solution.lambda_y);
    visit("lambda_max", solution.problem.lambda_max);
    visit("variables", solution.variables);
    visit("standardized", solution.standardized);
    visit("coefficients", solution.coefficients);
    visit("intercept", solution.intercept);
    visit("covariates", solution.covariates);
    visit("explained", solution.explained);
    visit("beta_hash", solution.beta_hash);
  }
};

}  // namespace strads::lasso
