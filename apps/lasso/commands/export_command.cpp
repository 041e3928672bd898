#include "lasso/commands/export_command.hpp"

#include "lasso/commands/fitted_solutions.hpp"
#include "regression/foreign_options.hpp"
#include "regression/scoring/score_files.hpp"
#include "strads/data/packed_text.hpp"
#include "strads/program/option_table.hpp"
#include "strads/program/program.hpp"
#include "strads/program/run_files.hpp"

namespace strads::lasso {
namespace {

/// What of the model the file has no place for, or has without a meaning.
void say_what_is_left_out(const ExportOptions& options, const FittedModel& model) {
  if (options.common.quiet || options.format == "csv") return;
  std::uint64_t without_position = 0;
  for (const auto& variable : model.variables) {
    if (variable.position.empty() || variable.position == "0") ++without_position;
  }
  print_note("lasso", with_unit(model.variables.size(), "variant", "variants") + " exported; " +
                          (model.covariates.empty() ? "the intercept is" : "intercept and covariates are") +
                          " not in this format");
  if (options.format != "pgs") return;
  if (without_position > 0) {
    print_note("lasso", with_unit(without_position, "variant has", "variants have") +
                            " no position: 0, others find them by their ids alone");
  }
  if (options.genome_build == "NR") {
    print_note("lasso", "genome build NR (not reported): say it with --genome-build GRCh37 or GRCh38");
  }
}

Status write_content(const std::string& path, const std::string& content) {
  if (!path.ends_with(".gz")) return write_result(path, content);
  const auto packed = gzip(content);
  return packed.ok() ? write_result(path, packed.value()) : packed.status();
}

}  // namespace

Result<std::string> exported_text(const ExportOptions& options, const FittedModel& model) {
  if (options.format == "csv") return csv_of_model(model);
  if (!model.has_alleles) {
    return Status::usage("--export " + options.format + " is for variants with alleles, and " +
                         (options.model.empty() ? "the model" : "--model " + options.model) +
                         " was fitted to data without; --export csv takes any model");
  }
  if (options.format == "plink2") return plink2_weights(model);
  return pgs_file(model, {options.pgs_name, options.trait, options.genome_build});
}

Status run_export(std::span<const std::string> arguments) {
  if (Status own = expect_own_options(arguments); !own.ok()) return own;
  ExportOptions options;
  OptionTable table = export_option_table(options);
  if (Status parsed = table.parse(arguments); !parsed.ok()) return parsed;
  if (answered(table, options.common, "lasso")) return {};
  if (Status checked = check_export_options(options); !checked.ok()) return checked;
  std::vector<std::string> notes;
  STRADS_ASSIGN_OR_RETURN(const auto model, read_one_fitted(options, notes));
  for (const std::string& text : notes) {
    if (!options.common.quiet) print_note("lasso", text);
  }
  STRADS_ASSIGN_OR_RETURN(const auto content, exported_text(options, model));
  if (Status written = write_content(options.common.out, content); !written.ok()) return written;
  if (options.format == "plink2" && !options.common.out.empty()) {
    if (Status written = write_result(options.common.out + ".afreq", plink2_frequencies(model)); !written.ok()) {
      return written;
    }
  }
  say_what_is_left_out(options, model);
  return {};
}

}  // namespace strads::lasso
