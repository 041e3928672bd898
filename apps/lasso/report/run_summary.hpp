// What the summaries, tables and closing lines of the commands share: fields by name, texts, how a run was run.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lasso/options/fit_options.hpp"
#include "lasso/study/study_result.hpp"
#include "regression/model_file.hpp"
#include "regression/texts.hpp"
#include "strads/program/summary.hpp"

namespace strads::lasso {

/// lambda / lambda_max; not a number where lambda_max is 0.
[[nodiscard]] double over_lambda_max(double lambda, double lambda_max);
/// " = 0.5 lambda_max"; " (lambda_max is 0)".
[[nodiscard]] std::string over_lambda_max_text(double lambda, double lambda_max, int digits);
/// As a field of a table: NA where it is no number.
[[nodiscard]] std::string ratio_field(double ratio);

/// What makes this penalty another one than the Lasso's; "" or a phrase with ", " behind it.
[[nodiscard]] std::string penalty_text(const FitOptions& options, double l1_ratio);
/// "l1 ratio 0.5".
[[nodiscard]] std::string ratio_text(double l1_ratio);

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
void add_penalty(Summary& summary, const FitOptions& fit, double l1_ratio);
/// The first closing line until "... samples": "fitted   height on g: 800 samples".
[[nodiscard]] std::string fitted_text(const FitOptions& fit, const Dataset& dataset);
/// Rounds, phases and updates, for people.
[[nodiscard]] std::string work_text(const RunFacts& run);

/// What every summary of one response begins with: the command, the response, its family.
[[nodiscard]] Summary summary_head(std::string_view program, const LassoData& data);
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
