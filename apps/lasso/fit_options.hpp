// The options of `lasso fit` and `lasso predict`, each written once.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "lasso/lasso.hpp"
#include "strads/dataset.hpp"
#include "strads/run.hpp"

namespace strads::lasso {

/// `lasso fit` as the user gave it. `input` and `lasso` are complete after settle_fit_options().
struct FitOptions {
  CommonOptions common;
  InputOptions input;
  LassoOptions lasso;
  EngineOptions engine;
  MachineOptions machine;
  ClusterOptions cluster;
  std::string missing = "error";
  std::string policy = "auto";
  std::string lambda_scale = "unit";
  std::optional<double> lambda;
  double lambda_ratio = 0.1;
  double max_seconds = 0;  ///< 0: no limit
  std::string cost_model;  ///< INI file; "" = the fixed defaults
  std::string warm_start;  ///< run directory; "" = zeros
};

/// `options` outlives the table.
[[nodiscard]] OptionTable fit_option_table(FitOptions& options);
/// The same options for another command (`strads_sim run`).
[[nodiscard]] OptionTable fit_option_table(FitOptions& options, std::string command, std::string usage);

/// The options that name files (and --bfile's prefix): a node looks for them where its own rule says.
[[nodiscard]] std::vector<std::string*> paths_of(FitOptions& options);

/// Checks what concerns several options at once and fills options.input and options.lasso. Errors: usage; input when
/// the cost model or the model of the warm start cannot be read.
[[nodiscard]] Status settle_fit_options(FitOptions& options, const OptionTable& table);

struct PredictOptions {
  CommonOptions common;
  InputOptions input;
  std::string model;  ///< run directory of a fit
};

[[nodiscard]] OptionTable predict_option_table(PredictOptions& options);
[[nodiscard]] Status check_predict_options(const PredictOptions& options);

/// docs/OPTIONS.md.
[[nodiscard]] std::string options_document();

}  // namespace strads::lasso
