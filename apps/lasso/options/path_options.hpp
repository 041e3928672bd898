// The options of `lasso path`, each written once.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "lasso/options/fit_options.hpp"

namespace strads::lasso {

/// `lasso path` as the user gave it. `fit` is complete after settle_path_options().
struct PathCommandOptions {
  FitOptions fit;
  std::uint32_t lambdas = 100;
  double min_ratio = 0;     ///< 0: glmnet's default
  std::string lambda_file;  ///< instead of a grid
  bool early_end = true;
};

/// `options` outlives the table.
[[nodiscard]] OptionTable path_option_table(PathCommandOptions& options, std::string command, std::string usage);
[[nodiscard]] OptionTable path_option_table(PathCommandOptions& options);

/// --lambdas, --lambda-min-ratio, --lambda-file, --lambda-scale, --early-end.
void add_path_options(OptionTable& table, PathCommandOptions& options);

[[nodiscard]] std::vector<std::string*> paths_of(PathCommandOptions& options);

/// As settle_fit_options(). Errors also: input: --lambda-file cannot be read, has something else than positive numbers,
/// or none.
[[nodiscard]] Status settle_path_options(PathCommandOptions& options, const OptionTable& table);

}  // namespace strads::lasso
