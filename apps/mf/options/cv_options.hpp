// The options of `mf cv`: those of `mf fit` with a grid and folds instead of a rank, a lambda and a test part.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "mf/grid/cv.hpp"
#include "mf/options/fit_options.hpp"
#include "strads/program/option_table.hpp"

namespace strads::mf {

/// --metric: ratings by their errors. All others are metrics of lists of items.
inline constexpr const char* kRmse = "rmse";

/// `mf cv` as the user gave it. `fit` and `plan` are complete after settle_cv_options(); rank and lambda of `fit` mean
/// nothing.
struct CvOptions {
  CvOptions();

  FitOptions fit;
  std::vector<std::string> ranks, lambdas;
  std::vector<std::string> alpha0s, nus;  ///< --feedback implicit
  std::vector<std::string> alphas;        ///< its --objective hu
  std::vector<std::string> l1s, l2s;      ///< --solver slim
  std::string metric = kRmse;             ///< of both lists alone: ndcg where nothing is given
  std::uint32_t at = 20;
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
[[nodiscard]] std::string fit_command_of(const CvPoint& point, const OptionTable& table, CvKind kind = CvKind::ratings);

/// The point for all pairs that means what `point` does for those of a fit to the others of K folds. Each pair is among
/// them with probability f = (K - 1) / K, two of one user with f^2: so much smaller are the co-occurrences that l1 and
/// l2 of item weights are weighed against, with powers of counts by f^(2 - user power - 2 item power). Other points
/// stay.
[[nodiscard]] CvPoint point_for_all(const CvPlan& plan, const CvPoint& point, const SlimOptions& slim);

}  // namespace strads::mf
