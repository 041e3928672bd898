// What is known of finished paths that no single solution says.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "lasso/report/unseen.hpp"
#include "lasso/study/study_result.hpp"

namespace strads::lasso {

/// The one solution of a run that ended before the first lambda of its path was solved: where it was, with its gap.
/// Nothing where there is none, as of a run that never began.
[[nodiscard]] std::vector<Solution> unfinished(const RunEnd& end, double seconds);
/// What to say of it. `what`: "the path on train".
[[nodiscard]] std::string unfinished_text(const std::string& what);

/// Fills in what the driver makes of a solution that a judge has accepted. Cost: on a cluster a pass over its
/// variables, which nobody has looked at in this process.
void complete(const LassoData& data, const RunEnd& end, Solution& solution);
/// The scores of the chosen and of the refitted model. REQUIRES: a choice of those who validate, steps that are
/// complete.
void score_models(PathResult& result);

/// What to do where the best of the `solved` lambdas of a path that ended with `end` is the last of them; "": there is
/// no choice between lambdas.
[[nodiscard]] std::string beyond_the_last(const LassoOptions& lasso, std::size_t solved, const RunEnd& end);

/// Lambdas that the run was to solve.
[[nodiscard]] std::size_t planned(const RunEnd& end);
/// Indices, from 1, of the lambdas that did not meet the tolerance.
[[nodiscard]] std::vector<std::uint32_t> lambdas_unmet(const std::vector<Solution>& steps);
/// Solutions of the first path and of the others that did not meet it.
[[nodiscard]] std::uint64_t solutions_unmet(const PathResult& result);
/// Of these solutions; NaN: there is none.
[[nodiscard]] double worst_relative_gap(std::span<const Solution> steps);
/// Of the first path and the others.
[[nodiscard]] double worst_relative_gap(const PathResult& result);
/// How one or several of them ended.
struct EndOfAll {
  std::string stop_reason = "converged";  ///< of the first that has not converged
  bool tolerance_met = true;
  std::uint64_t unmet = 0;  ///< solutions
  double worst_gap;         ///< NaN: there is no solution

  explicit EndOfAll(std::span<const PathResult> results);
};
/// Why it ended; of one that met the tolerance before the end of its grid how.
[[nodiscard]] std::string end_of_path(const PathResult& result);
/// What rounding did to the residual between commits and the data, as a share of y'y or of the null deviance.
[[nodiscard]] double residual_drift(const PathResult& result);
/// gap / F(0) of a fit; of a response that leaves nothing to fit 0.
[[nodiscard]] double gap_over_null(const PathResult& result);
/// F(0), as the run was told it: 1/2 ||y~||^2; of the binomial family half of the null deviance, that of the model
/// with intercept, covariates, unpenalised variables and offset alone. REQUIRES: end.status.ok().
[[nodiscard]] double objective_at_zero(const RunEnd& end);

/// Whether there is a choice to make: folds, or people who validate.
[[nodiscard]] bool is_watched(const PathResult& result);
/// Whether there is something to show: a choice, or of a path that nobody watches a solution.
[[nodiscard]] bool has_solutions(const PathResult& result);
/// Whether there is one of these that is the best: of one l1 ratio, or where somebody watches.
[[nodiscard]] bool has_best(std::span<const PathResult> ratios);
/// Lambdas of the curve, or of a path that nobody watches.
[[nodiscard]] std::uint64_t lambdas_shown(const PathResult& result);
/// Variables that took part; those of the data where nothing was solved.
[[nodiscard]] std::uint64_t variables_of(const PathResult& result);
/// What --stop-after has left out.
[[nodiscard]] std::optional<Unseen> unseen_of(const PathResult& result);
/// 1 - error / variance of the response at point `k` of the curve; covariates count among what explains. NaN where
/// errors are no squares of numbers.
[[nodiscard]] double held_out_r2(const PathResult& result, std::size_t k);
/// The fold's own error at point `k` of the curve.
[[nodiscard]] double fold_mean(const PathResult& result, std::size_t fold, std::size_t k);

}  // namespace strads::lasso
