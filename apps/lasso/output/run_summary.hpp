// What the summaries, tables and closing lines of `lasso fit`, `lasso path` and `lasso cv` share.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lasso/options/fit_options.hpp"
#include "lasso/study/study_result.hpp"
#include "regression/model_file.hpp"
#include "strads/program/run_directory.hpp"
#include "strads/program/summary.hpp"

namespace strads::lasso {

/// lambda / lambda_max; not a number where lambda_max is 0.
[[nodiscard]] double over_lambda_max(double lambda, double lambda_max);
/// " = 0.5 lambda_max"; " (lambda_max is 0)".
[[nodiscard]] std::string over_lambda_max_text(double lambda, double lambda_max, int digits);
/// As a field of a table: NA where it is no number.
[[nodiscard]] std::string ratio_field(double ratio);
/// Where a lambda stands in a picture: -log10(lambda / lambda_max), or -log10(lambda) where lambda_max is 0.
[[nodiscard]] double place_of_lambda(double lambda, double lambda_max);

/// A name from outside as one field of a table.
[[nodiscard]] std::string field(std::string_view name);
/// The id in the file, or the column's number from 1 on where columns have no names.
[[nodiscard]] std::string variable_id(const FittedModel& model, const FittedVariable& variable);
/// As a field of a table.
[[nodiscard]] std::string yes_or_no(bool value);
/// The last part of a path.
[[nodiscard]] std::string base_name(const std::string& path);
/// What makes this penalty another one than the Lasso's; "" or a phrase with ", " behind it.
[[nodiscard]] std::string penalty_text(const FitOptions& options);

/// F(0), as the run was told it: 1/2 ||y~||^2; of the binomial family half of the null deviance, that of the model
/// with intercept, covariates, unpenalised variables and offset alone. REQUIRES: end.status.ok().
[[nodiscard]] double objective_at_zero(const RunEnd& end);

/// Whether an R2 is that of what covariates and unpenalised variables leave of the response.
[[nodiscard]] bool is_partial(const LassoData& data);
/// From that R2 to the one of the whole response about its mean. REQUIRES: least squares. Cost: one pass over the
/// response.
[[nodiscard]] double whole_r2(const LassoData& data, double partial);

/// Adds fields of a solution by the names that files have for them: those of Solution::fields(), and "index" from 1,
/// "lambda_ratio", "nonzeros", "deviance_ratio", "duality_gap", "tolerance_met".
void add_fields(Summary& summary, const Solution& solution, std::span<const char* const> names);
/// The same as fields of a line, a tab before each but the first.
[[nodiscard]] std::string line_of(const Solution& solution, std::span<const char* const> names);
/// The header of such lines.
[[nodiscard]] std::string header_of(std::span<const char* const> names);

/// What the penalty was, where it was not the Lasso's.
void add_penalty(Summary& summary, const FitOptions& fit);
/// The first closing line until "... samples": "fitted   height on g: 800 samples".
[[nodiscard]] std::string fitted_text(const FitOptions& fit, const Dataset& dataset);
/// Rounds, phases and updates, for people.
[[nodiscard]] std::string work_text(const RunFacts& run);
/// Where the time went, and what was written: the last two of the closing lines. `each`: what has a folder, where there
/// are many; null: every file is named.
[[nodiscard]] std::string time_and_files(const FitOptions& fit, const RunFacts& run, const RunDirectory& directory,
                                         const char* each = nullptr);

[[nodiscard]] Summary sample_facts(const Dataset& dataset);
[[nodiscard]] Summary variable_facts(const LassoData& data, const Start& problem);
/// What every summary of one response begins with: the command, the response, its family.
[[nodiscard]] Summary summary_head(const char* program, const LassoData& data);
/// What summaries end with; each part only where it is there.
struct SummaryTail {
  const FitOptions* options = nullptr;  ///< policy, engine, warm start
  const RunFacts* run = nullptr;        ///< work, traffic, time and memory before them, nodes at the very end
  const LassoData* data = nullptr;      ///< samples, variables, covariates
  const Start* problem = nullptr;       ///< of the variables
  bool says_imputed = false;            ///< how many entries of X
  const std::vector<double>* covariates = nullptr;  ///< their coefficients; null: only the names of those used
};
void add_tail(Summary& summary, const SummaryTail& tail);

}  // namespace strads::lasso
