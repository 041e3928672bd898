// The options of `lasso path`, each written once.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "lasso/options/fit_options.hpp"
#include "lasso/study/cv_measure.hpp"
#include "lasso/study/problem_count.hpp"
#include "lasso/study/stop_rule.hpp"
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
  std::vector<std::string> traits;  ///< those that --pheno-name or --y-name lists; empty: one, whatever its name
  std::vector<std::string> l1_ratio_texts{"1"};  ///< of --l1-ratio
  std::vector<double> l1_ratios{1};              ///< the same as numbers; fit.lasso has the first

  // Of a path on the people of --split who train.
  std::uint32_t stop_after = 5;  ///< lambdas without gain for those who validate; 0: the path goes on
  std::uint32_t stop_from = 0;   ///< as stop_rule()
  StopRule stop;                 ///< by settle_path_options() what the two say of these lambdas
  bool refit = true;
  std::string measure = "auto";  ///< by settle_path_options() the name of `error`
  Measure error = Measure::mse;

  [[nodiscard]] bool splits() const { return fit.input.has_split(); }
  [[nodiscard]] std::uint64_t trait_count() const { return traits.empty() ? 1 : traits.size(); }
  [[nodiscard]] bool has_several_ratios() const { return l1_ratios.size() > 1; }
  [[nodiscard]] bool has_ridge() const { return std::ranges::find(l1_ratios, 0.0) != l1_ratios.end(); }
};

/// What --out DIR of several traits holds beside a folder for each, which no trait may be named like.
inline constexpr const char* kTraitsFile = "traits.tsv";
/// All files of this kind, without the summary.
[[nodiscard]] std::vector<std::string> files_of_traits();

/// Paths of a run: for each trait and l1 ratio one, with a split one on train, and one on train and val after it.
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

/// Data sets of all traits.
[[nodiscard]] Result<std::vector<std::shared_ptr<const Dataset>>> load_traits(const PathCommandOptions& options);

/// As settle_fit_options(). Errors also: usage: a measure that the family does not have; l1 ratios that are none or
/// twice there; names of traits that are empty, twice there, or no names of folders where --out wants some; input:
/// --lambda-file cannot be read, has something else than positive numbers, or none.
[[nodiscard]] Status settle_path_options(PathCommandOptions& options, const OptionTable& table);

}  // namespace strads::lasso
