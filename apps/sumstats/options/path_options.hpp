// The options of `lasso path --sumstats` and `lasso fit --sumstats`, each written once.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "strads/data/dataset.hpp"
#include "strads/data/study_in_memory.hpp"
#include "strads/data/summary_statistics.hpp"
#include "strads/program/option_facts.hpp"
#include "strads/program/option_table.hpp"
#include "strads/program/program_run.hpp"

namespace strads::sumstats {

/// What the program calls itself: to a node, in checkpoints and in summary.json.
inline constexpr const char* kPathCommand = "lasso path --sumstats";
inline constexpr const char* kFitCommand = "lasso fit --sumstats";

/// Least shrinkage s that is taken.
inline constexpr double kShrinkLeast = 1e-6;

/// The command as the user gave it. Complete after settle_path_options().
struct PathOptions : RunOptions {
  bool single = false;  ///< of a fit: a path of one lambda and one shrinkage, of which nobody chooses
  SummaryOptions summary;
  std::shared_ptr<const StudyInMemory> study_in_memory;  ///< of a call by another program, in place of the files
  InputOptions panel;
  InputOptions validation;  ///< people by whom the solution is chosen; no source: pseudo-validation
  std::vector<std::string> shrink_texts{"0.2", "0.5", "0.9", "1"};
  std::vector<std::string> lambda_texts;  ///< empty: a grid
  std::uint32_t lambdas = 20;
  double min_ratio = 0.1;
  std::optional<double> lambda;  ///< of a fit; nothing: lambda_ratio x lambda_max
  double lambda_ratio = 0.1;
  double tolerance = 1e-6;
  bool weigh_n = true;  ///< w_j = sqrt(max n / n_j)
  std::string match = "auto";
  std::vector<double> shrinks;  ///< of the texts
  std::vector<double> given;    ///< lambdas of the texts, descending; empty: a grid

  [[nodiscard]] bool has_validation() const {
    return validation.source.given() > 0 || validation.source.has_x_in_memory();
  }
};

/// What a run of these options calls itself.
[[nodiscard]] const char* command_of(const PathOptions& options);

/// `options` outlives the table.
[[nodiscard]] OptionTable path_option_table(PathOptions& options);
/// The table of a fit, which `options` become.
[[nodiscard]] OptionTable fit_option_table(PathOptions& options);
/// That of the command which `options.single` says.
[[nodiscard]] OptionTable option_table_of(PathOptions& options);
[[nodiscard]] OptionTable path_option_table(PathOptions& options, std::string command, std::string usage);

/// The options that name files.
[[nodiscard]] std::vector<std::string*> paths_of(PathOptions& options);

/// Checks what concerns several options at once and fills in what follows from the texts. Errors: usage.
[[nodiscard]] Status settle_path_options(PathOptions& options, const OptionTable& table);

/// Whether arguments, or the config file that they name, say --sumstats. A config that is not a regular file (a pipe)
/// is not looked at: with it --sumstats stands on the command line.
[[nodiscard]] bool asks_for_sumstats(std::span<const std::string> arguments);
/// What `lasso cv --sumstats` is refused with: usage, what chooses instead.
[[nodiscard]] Status no_folds();

/// Shows the table of every command, with the defaults.
void visit_option_tables(const TableVisit& visit);
/// The part of docs/OPTIONS.md that is about them.
[[nodiscard]] std::string options_document();

}  // namespace strads::sumstats
