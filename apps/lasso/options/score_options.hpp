// The options of `lasso score` and `lasso export`, each written once.
#pragma once

#include <string>

#include "lasso/options/fit_options.hpp"
#include "strads/program/option_table.hpp"

namespace strads::lasso {

struct ScoreOptions : SolutionChoice {
  CommonOptions common;
  InputOptions input;  ///< without covariates: everybody is scored
  std::string covar;   ///< of the statistics
  std::vector<std::string> covar_names;
  double min_overlap = 0.75;             ///< share of the model's variants that must be found
  std::string strand_ambiguous = "use";  ///< A/T and C/G: "use" or "drop"
  std::uint64_t bootstrap = 1000;        ///< replicates; 0: none
  std::uint64_t seed = 1;
  std::uint32_t threads = 0;

  [[nodiscard]] bool has_covariates() const noexcept { return !covar.empty() || !covar_names.empty(); }
};
[[nodiscard]] OptionTable score_option_table(ScoreOptions& options);
[[nodiscard]] Status check_score_options(const ScoreOptions& options);

struct ExportOptions : SolutionChoice {
  CommonOptions common;
  std::string format = "pgs";       ///< "pgs", "plink2", "csv"
  std::string genome_build = "NR";  ///< the user's word
  std::string pgs_name;             ///< "": "STRADS_" and the response
  std::string trait;                ///< "": the response
};
[[nodiscard]] OptionTable export_option_table(ExportOptions& options);
[[nodiscard]] Status check_export_options(const ExportOptions& options);
/// What it says of the file alone; check_export_options() does this as well.
[[nodiscard]] Status check_export_format(const ExportOptions& options);

}  // namespace strads::lasso
