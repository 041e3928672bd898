// The options of `lasso fit` and `lasso predict`, each written once.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "lasso/problem/lasso.hpp"
#include "strads/data/dataset.hpp"
#include "strads/program/option_facts.hpp"
#include "strads/program/option_table.hpp"
#include "strads/program/program_run.hpp"

namespace strads {}

namespace strads::lasso {

/// `lasso fit` as the user gave it. `input` and `lasso` are complete after settle_fit_options().
struct FitOptions : RunOptions {
  InputOptions input;
  LassoOptions lasso;
  std::string missing = "error";
  std::string policy = "auto";
  std::string family = "gaussian";
  std::string lambda_scale = "unit";
  std::optional<double> lambda;
  double lambda_ratio = 0.1;
  std::string cost_model;               ///< INI file; "" = the fixed defaults
  std::string warm_start;               ///< run directory; "" = zeros
  std::string trace_rounds;             ///< file; "" = none
  std::uint64_t expected_nonzeros = 0;  ///< of --dry-run; 0: guessed
};

/// `options` outlives the table.
[[nodiscard]] OptionTable fit_option_table(FitOptions& options);
/// The same options for another command (`strads_sim run`).
[[nodiscard]] OptionTable fit_option_table(FitOptions& options, std::string command, std::string usage);

/// Parts of that table, for the commands that solve at many lambdas: what is read; the penalty and the tolerance,
/// without lambda; what the run begins with; who chooses the variables.
void add_data_options(OptionTable& table, FitOptions& options);
void add_penalty_options(OptionTable& table, FitOptions& options);
/// The same where --l1-ratio lists several, as text. `several`: what is done with them.
void add_penalty_options(OptionTable& table, FitOptions& options, std::vector<std::string>& l1_ratios,
                         const std::string& several);
void add_warm_start_option(OptionTable& table, FitOptions& options);
void add_policy_options(OptionTable& table, FitOptions& options);
/// --trace-rounds, of runs that are one fit and no more.
void add_trace_option(OptionTable& table, FitOptions& options);

/// The options that name files (and --bfile's prefix): a node looks for them where its own rule says.
[[nodiscard]] std::vector<std::string*> paths_of(FitOptions& options);

/// As --lambda-scale takes it.
[[nodiscard]] LambdaScale lambda_scale_named(const std::string& name);

/// Checks what concerns several options at once and fills options.input and options.lasso. Errors: usage; input when
/// the cost model or the model of the warm start cannot be read.
[[nodiscard]] Status settle_fit_options(FitOptions& options, const OptionTable& table);

/// Errors: usage: not in [0, 1]; 0 with --nonnegative.
[[nodiscard]] Status check_l1_ratio(double ratio, bool nonnegative);

/// The same without lambda and warm start.
[[nodiscard]] Status settle_run_options(FitOptions& options, const OptionTable& table);
/// Reads the model of --warm-start, where there is one. REQUIRES: the other options are settled.
[[nodiscard]] Status settle_warm_start(FitOptions& options);

/// Which fitted model is used.
struct SolutionChoice {
  std::string model;  ///< run directory of a fit, a path or a cross-validation
  // Of a path: which of its solutions.
  std::optional<double> lambda;    ///< on the solver's scale
  bool exact = false;              ///< that at `lambda`, solved anew
  std::uint32_t lambda_index = 0;  ///< from 1, as in path.tsv; 0: not given
  bool lambda_1se = false;         ///< of a cross-validation
  std::uint32_t fold = 0;          ///< of a cross-validation: the path without that fold, from 1; 0: all samples
};
void add_solution_options(OptionTable& table, SolutionChoice& choice);
/// Errors: usage: no model, or two choices.
[[nodiscard]] Status check_solution_choice(const SolutionChoice& choice);

struct PredictOptions : SolutionChoice {
  CommonOptions common;
  InputOptions input;
};

[[nodiscard]] OptionTable predict_option_table(PredictOptions& options);
[[nodiscard]] Status check_predict_options(const PredictOptions& options);

/// Shows the table of every command of `lasso`, with the defaults.
void visit_option_tables(const TableVisit& visit);
/// docs/OPTIONS.md.
[[nodiscard]] std::string options_document();

}  // namespace strads::lasso
