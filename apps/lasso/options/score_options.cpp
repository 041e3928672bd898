#include "lasso/options/score_options.hpp"

#include "lasso/options/data_options.hpp"
#include "strads/program/option_table.hpp"

namespace strads::lasso {
namespace {

void add_target_options(OptionTable& table, ScoreOptions& options) {
  add_genotype_options(table, options.input.source);
  add_phenotype_options(table, options.input.response, kSeveralTraits);
  add_control_option(table, options.input.response);
  const OptionSection rows = table.section("input");
  rows.common().text("keep", "FILE", "samples to keep, FID IID (or one id) a line", &options.input.samples.keep);
  rows.common().text("covar", "FILE",
                     "table with FID IID and covariates of these samples; the response is regressed on them anew, to "
                     "say what the score adds; they change no score",
                     &options.covar);
  rows.list("covar-name", "COLUMNS",
            "columns of --covar, or of the .fam or .psam, which need no --covar; default: all numeric ones of --covar, "
            "but of the trait's own table none",
            &options.covar_names);
}

}  // namespace

OptionTable score_option_table(ScoreOptions& options) {
  OptionTable table(
      "lasso score",
      "lasso score: scores of other people, how their variants match, and what the score is worth\n"
      "usage: lasso score --model DIR --bfile PREFIX [--pheno FILE --covar FILE] [--out DIR] [options]\n");
  add_solution_options(table, options);
  add_target_options(table, options);
  const OptionSection input_rows = table.section("input");
  input_rows.common().number(
      "min-overlap", "S",
      "share of the model's variants that must be found; below it nothing is written; pgsc_calc's default",
      &options.min_overlap, {.min = 0, .max = 1});
  input_rows.common().choice("strand-ambiguous",
                             "variants A/T and C/G, whose letters do not tell the strand: use = taken as they are "
                             "written, drop = left out, as pgsc_calc does",
                             &options.strand_ambiguous, {"use", "drop"});
  const OptionSection problem_rows = table.section("problem");
  problem_rows.common().count(
      "bootstrap", "B", "replicates of the bootstrap, 0 = none; each costs some passes over responses and covariates",
      &options.bootstrap, {.max = 1e6});
  problem_rows.count("seed", "N", "of the bootstrap; same seed, same intervals", &options.seed, {});
  table.section("machine").count("threads", "T",
                                 "threads of the bootstrap, 0 = all cores that it may use; changes no bit",
                                 &options.threads, {.max = 4096});
  add_common_options(table, options.common, "DIR",
                     "directory for scores, matches, statistics and picture; without it only what the screen shows",
                     true);
  return table;
}

Status check_score_options(const ScoreOptions& options) {
  if (Status choice = check_solution_choice(options); !choice.ok()) return choice;
  if (!options.input.source.is_plink()) {
    return Status::usage(
        "no genotypes: give --bfile, --pfile or --bpfile PREFIX (lasso predict takes other formats, with --x FILE)");
  }
  return check_input(options.input);
}

OptionTable export_option_table(ExportOptions& options) {
  OptionTable table("lasso export",
                    "lasso export: hands a fitted model to other programs\n"
                    "usage: lasso export --model DIR --export pgs|plink2|csv [--out FILE] [options]\n");
  add_solution_options(table, options);
  const OptionSection rows = table.section("output");
  rows.common().choice("export",
                       "pgs = PGS Catalog scoring file 2.0, for pgsc_calc, plink2, R; plink2 = id, allele, weight, and "
                       "with --out frequencies beside it in FILE.afreq; csv = all of the model, of any data",
                       &options.format, {"pgs", "plink2", "csv"});
  rows.common().choice("genome-build",
                       "of pgs: what the positions refer to, which the data do not say; NR = not reported",
                       &options.genome_build, {"NR", "GRCh37", "GRCh38"});
  rows.common().text("pgs-name", "NAME", "of pgs: the score's name; default: STRADS_ and the response",
                     &options.pgs_name);
  rows.common().text("trait", "TEXT", "of pgs: the trait as it is reported; default: the response's name",
                     &options.trait);
  add_common_options(table, options.common, "FILE", "the file, gzip if it ends with .gz; without it: stdout", false);
  return table;
}

Status check_export_options(const ExportOptions& options) {
  if (Status choice = check_solution_choice(options); !choice.ok()) return choice;
  return check_export_format(options);
}

Status check_export_format(const ExportOptions& options) {
  for (const auto& [name, value] : {std::pair("--pgs-name", &options.pgs_name), std::pair("--trait", &options.trait)}) {
    const auto wrong = value->find_first_of("=\n\r\t");
    if (wrong != std::string::npos) {
      return Status::usage(std::string(name) + " '" + *value +
                           "': a header of a scoring file takes no '=', tab or end of line; write it without");
    }
  }
  if (options.format != "pgs" &&
      (options.genome_build != "NR" || !options.pgs_name.empty() || !options.trait.empty())) {
    return Status::usage("--genome-build, --pgs-name and --trait are lines of --export pgs");
  }
  return {};
}

}  // namespace strads::lasso
