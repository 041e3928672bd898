// The options of `lasso path`, each written once.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "lasso/held_out/stop_rule.hpp"
#include "lasso/options/fit_options.hpp"
#include "lasso/run/cv_measure.hpp"
#include "lasso/run/fit_memory.hpp"
#include "strads/program/option_table.hpp"

namespace strads::lasso {

/// `lasso path` as the user gave it. `fit` is complete after settle_path_options().
struct PathCommandOptions {
  FitOptions fit;
  std::uint32_t lambdas = 100;
  std::optional<double> min_ratio;  ///< no value: glmnet's default
  std::string lambda_file;          ///< instead of a grid
  std::vector<double> given;        ///< the same of a program that has them in memory: descending; empty: none
  bool early_end = true;

  // Of a path on the people of --split who train.
  std::uint32_t stop_after = 5;  ///< lambdas without gain for those who validate; 0: the path goes on
  std::uint32_t stop_from = 0;   ///< as stop_rule()
  StopRule stop;                 ///< by settle_path_options() what the two say of these lambdas
  bool refit = true;
  std::string measure = "auto";  ///< by settle_path_options() the name of `error`
  Measure error = Measure::mse;

  [[nodiscard]] bool splits() const { return !fit.input.split.empty(); }
};

/// Paths of a run: with a split one on train, and one on train and val after it.
[[nodiscard]] ProblemCount problem_count_of(const PathCommandOptions& options);

/// `options` outlives the table.
[[nodiscard]] OptionTable path_option_table(PathCommandOptions& options, std::string command, std::string usage);
[[nodiscard]] OptionTable path_option_table(PathCommandOptions& options);

/// --stop-from.
void add_stop_from_option(OptionTable& table, std::uint32_t& stop_from, const char* effect);
/// Lambdas of the grid, or given. REQUIRES: settle_path_options().
[[nodiscard]] std::size_t lambdas_of_grid(const PathCommandOptions& options);

/// --lambdas, --lambda-min-ratio, --lambda-file, --lambda-scale, --early-end.
void add_path_options(OptionTable& table, PathCommandOptions& options);

[[nodiscard]] std::vector<std::string*> paths_of(PathCommandOptions& options);

/// As settle_fit_options(). Errors also: usage: a measure that the family does not have; input: --lambda-file cannot be
/// read, has something else than positive numbers, or none.
[[nodiscard]] Status settle_path_options(PathCommandOptions& options, const OptionTable& table);

}  // namespace strads::lasso
