#include "sumstats/options/path_options.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <functional>
#include <string_view>
#include <system_error>
#include <utility>

#include "regression/data_options.hpp"
#include "strads/program/number_list.hpp"
#include "strads/program/result_files.hpp"

namespace strads::sumstats {
namespace {

constexpr std::string_view kOption = "sumstats";

void add_study_options(OptionTable& table, PathOptions& options) {
  SummaryOptions& study = options.summary;
  const OptionSection rows = table.section("input");
  rows.common().list("sumstats", "FILE,...",
                     "results of a study, a line a variant; GWAS-SSF, plink2 --glm, regenie, SAIGE, COJO .ma and LDSC "
                     ".sumstats are told by the header; several files have different variants (one a chromosome)",
                     &study.files);
  rows.text("sumstats-columns", "FIELD=COLUMN,...",
            "columns of another form, as chr=Chr,pos=Position,a1=A1,a2=A2,or=OR,p=P; a1 is the effect allele",
            &study.columns);
  rows.unit("people").common().number("n", "N", "people of the study, where the file does not say", &study.n,
                                      {.min = 2, .min_open = true});
  rows.unit("people").number("cases", "N",
                             "cases of the study, together with --controls: n = 4 / (1/cases + 1/controls)",
                             &study.cases, {.min = 0, .min_open = true});
  rows.unit("people").number("controls", "N", "controls of the study", &study.controls, {.min = 0, .min_open = true});
  rows.common().text("ld-blocks", "BED",
                     "regions whose variants may be correlated with each other; without it each chromosome is one",
                     &study.ld_blocks);
  rows.choice("match",
              "by what a row is found in the panel: place = chromosome and position, id; auto = by place where both "
              "have places",
              &options.match, {"auto", "place", "id"});
  rows.flag("drop-ambiguous", "leave out A/T and C/G variants, whose letters do not tell the strand",
            &study.drop_ambiguous);
  rows.number("min-matched", "SHARE",
              "least share of the study's or of the panel's variants that match, whichever is larger",
              &study.min_matched, {.min = 0, .max = 1});
  rows.number("min-frequency-correlation", "R",
              "least correlation of frequencies in study and panel, where both are known: below it the panel is one of "
              "another ancestry",
              &study.min_frequency_correlation, {.min = -1, .max = 1});
  rows.on_off("qc", "leave out variants whose statistics do not go with the panel; the rows below are its bounds",
              &study.quality_control);
  rows.number("qc-sd-ratio", "R", "least sd by the statistics, of that in the panel", &study.sd_ratio_min, {});
  rows.number("qc-sd-excess", "D", "largest sd by the statistics above that in the panel", &study.sd_excess_max, {});
  rows.number("qc-sd", "SD", "least sd by the statistics", &study.sd_min, {});
  rows.number("qc-panel-sd", "SD", "least sd in the panel", &study.panel_sd_min, {});
  rows.number("qc-frequency", "D", "largest difference of frequencies in study and panel",
              &study.frequency_difference_max, {});
  rows.number("qc-info", "INFO", "least quality of imputation", &study.info_min, {});
  rows.number("qc-n", "SHARE", "least n, of the largest one", &study.n_share_min, {.min = 0, .max = 1});
}

void add_validation_options(OptionTable& table, PathOptions& options) {
  const OptionSection rows = table.section("input");
  rows.common().text(
      "validate-bfile", "PREFIX",
      "people who choose s and lambda, files as of --bfile; the solution whose score has the largest R2 (two "
      "classes: AUC) is taken; without them pseudo-validation chooses, by the statistics alone",
      &options.validation.source.bfile);
  rows.text("validate-pfile", "PREFIX", "the same, files of PLINK 2", &options.validation.source.pfile);
  rows.common().text("pheno", "FILE", "table with FID IID and phenotypes of --validate-bfile; without it: its own",
                     &options.validation.response.pheno);
  rows.text("pheno-name", "COLUMN", "its column (default: the first after the ids)",
            &options.validation.response.pheno_name);
  rows.text("validate-keep", "FILE", "of --validate-bfile: people to keep", &options.validation.samples.keep);
}

void add_grid_options(OptionTable& table, PathOptions& options) {
  const OptionSection rows = table.section("problem");
  rows.common().list(
      "shrink", "S,S",
      "shrinkages s of the correlations, in (0, 1]; the panel's X'X becomes (1 - s) X'X + s I; lassosum2's delta is "
      "s / (1 - s); with 1 there are no correlations",
      &options.shrink_texts);
  rows.common().count("lambdas", "N", "lambdas of the grid, from lambda_max down, evenly spaced in their logarithm",
                      &options.lambdas, {.min = 1, .max = 10000});
  rows.common().number("lambda-min-ratio", "R", "last lambda / lambda_max", &options.min_ratio,
                       {.min = 0, .max = 1, .min_open = true, .max_open = true});
  rows.list("lambda", "L,L", "instead of a grid: these lambdas, on the scale of the correlations r",
            &options.lambda_texts);
}

void add_point_options(OptionTable& table, PathOptions& options) {
  const OptionSection rows = table.section("problem");
  rows.common().list("shrink", "S",
                     "shrinkage s of the correlations, in (0, 1]; the panel's X'X becomes (1 - s) X'X + s I; "
                     "lassosum2's delta is s / (1 - s); with 1 there are no correlations",
                     &options.shrink_texts);
  rows.common().number("lambda", "L", "penalty, on the scale of the correlations r", &options.lambda,
                       {.min = 0, .min_open = true});
  rows.common().number("lambda-ratio", "R", "instead of --lambda: lambda / lambda_max", &options.lambda_ratio,
                       {.min = 0, .min_open = true});
  table.exclusive("lambda", "lambda-ratio");
}

void add_solving_options(OptionTable& table, PathOptions& options) {
  const OptionSection rows = table.section("problem");
  rows.on_off("n-weights", "penalty factors w = sqrt(max n / n) of variants that fewer people have; off = all are 1",
              &options.weigh_n);
  rows.common().number("tolerance", "T", "each LD block is solved to a gap of so much of its |objective|",
                       &options.tolerance, {.min = 1e-20, .max = 1, .max_open = true});
}

SummaryMatch match_named(const std::string& name) {
  if (name == "place") return SummaryMatch::place;
  return name == "id" ? SummaryMatch::id : SummaryMatch::automatic;
}

/// The one point of a fit.
Status settle_point(PathOptions& options, const OptionTable& table) {
  if (options.shrinks.size() != 1) {
    return Status::usage("--shrink: " + std::to_string(options.shrinks.size()) +
                         " shrinkages, expected one; lasso path --sumstats takes several");
  }
  options.lambdas = 1;
  // A config file's --lambda is set aside by --lambda-ratio on the command line, and the other way round.
  if (options.lambda.has_value() && !table.given("lambda-ratio")) options.given = {*options.lambda};
  return {};
}

Status settle_grid(PathOptions& options, const OptionTable& table) {
  for (const std::string& text : options.shrink_texts) {
    if (parsed_number<double>(text) == 0.0) {
      return Status::usage(
          "--shrink 0: without shrinkage the problem may have no minimum, and no certificate without the study's "
          "phenotypes; give s above 0, as 0.1; with genotypes and phenotypes of the study itself use lasso path "
          "--pheno");
    }
  }
  STRADS_ASSIGN_OR_RETURN(options.shrinks,
                          read_list<double>("--shrink", options.shrink_texts, "numbers above 0, at most 1",
                                            [](double s) { return s >= kShrinkLeast && s <= 1; }));
  std::ranges::sort(options.shrinks);
  options.given.clear();
  if (options.single) return settle_point(options, table);
  if (options.lambda_texts.empty()) return {};
  STRADS_ASSIGN_OR_RETURN(options.given,
                          read_list<double>("--lambda", options.lambda_texts, "numbers above 0",
                                            [](double lambda) { return std::isfinite(lambda) && lambda > 0; }));
  std::ranges::sort(options.given, std::greater<>());
  return {};
}

Status settle_validation(PathOptions& options) {
  InputOptions& people = options.validation;
  if (!options.has_validation()) {
    const bool is_alone = !people.response.pheno.empty() || !people.response.pheno_name.empty();
    if (is_alone || !people.samples.keep.empty()) {
      return Status::usage(
          "--pheno, --pheno-name and --validate-keep are of people who choose s and lambda: give --validate-bfile "
          "PREFIX");
    }
    return {};
  }
  if (people.source.given() > 1) return Status::usage("--validate-bfile and --validate-pfile: give one of them");
  people.response.only_numbers = false;
  people.source.missing_mean = people.source.missing_stays = true;
  return check_input(people);
}

/// What both commands have.
OptionTable common_table(PathOptions& options, std::string command, std::string usage) {
  OptionTable table(std::move(command), std::move(usage));
  add_study_options(table, options);
  lasso::add_genotype_options(table, options.panel.source);
  const OptionSection rows = table.section("input");
  rows.text("keep", "FILE", "people of the panel to keep, FID IID (or one id) a line", &options.panel.samples.keep);
  rows.text("remove", "FILE", "people of the panel to leave out, FID IID (or one id) a line",
            &options.panel.samples.remove);
  lasso::add_variable_options(table, options.panel.variables);
  return table;
}

void add_end_of_table(OptionTable& table, PathOptions& options) {
  add_solving_options(table, options);
  add_run_options(table, options);
  add_checkpoint_options(table, options);
}

}  // namespace

const char* command_of(const PathOptions& options) {
  return options.single ? kFitCommand : kPathCommand;
}

OptionTable option_table_of(PathOptions& options) {
  return options.single ? fit_option_table(options) : path_option_table(options);
}

OptionTable fit_option_table(PathOptions& options) {
  options.single = true;
  options.shrink_texts = {"0.5"};
  OptionTable table = common_table(
      options, kFitCommand,
      "lasso fit --sumstats: the Lasso on a study's results and a reference panel, one solution, certified\n"
      "usage: lasso fit --sumstats FILE --bfile PANEL [--ld-blocks BED] [--shrink S] [--lambda L] [options]\n");
  add_point_options(table, options);
  add_end_of_table(table, options);
  return table;
}

OptionTable path_option_table(PathOptions& options) {
  return path_option_table(
      options, kPathCommand,
      "lasso path --sumstats: the Lasso on a study's results and a reference panel, each solution certified\n"
      "usage: lasso path --sumstats FILE --bfile PANEL [--ld-blocks BED] [--shrink S,S] [options]\n");
}

OptionTable path_option_table(PathOptions& options, std::string command, std::string usage) {
  OptionTable table = common_table(options, std::move(command), std::move(usage));
  add_validation_options(table, options);
  add_grid_options(table, options);
  add_end_of_table(table, options);
  return table;
}

std::vector<std::string*> paths_of(PathOptions& options) {
  std::vector<std::string*> paths{
      &options.summary.ld_blocks,    &options.panel.source.bfile,      &options.panel.source.pfile,
      &options.panel.source.bpfile,  &options.panel.source.scratch,    &options.panel.samples.keep,
      &options.panel.samples.remove, &options.panel.variables.extract, &options.panel.variables.exclude};
  for (std::string& file : options.summary.files) paths.push_back(&file);
  return paths;
}

Status settle_path_options(PathOptions& options, const OptionTable& table) {
  const bool in_memory = options.study_in_memory != nullptr;
  if (options.summary.files.empty() && !in_memory) return Status::usage("no statistics: give --sumstats FILE");
  if (!options.summary.files.empty() && in_memory) {
    return Status::usage("statistics are given twice, in memory and by --sumstats: give one of the two");
  }
  if (options.panel.source.given() + (options.panel.source.has_x_in_memory() ? 1 : 0) != 1) {
    return Status::usage(
        "no panel, or several: give one of --bfile PREFIX, --pfile PREFIX and --bpfile PREFIX, the "
        "genotypes of some hundred people of the study's ancestry");
  }
  options.panel.response.required = false;
  if (Status input = check_input(options.panel); !input.ok()) return input;
  if (options.summary.cases.has_value() != options.summary.controls.has_value()) {
    return Status::usage("--cases and --controls go together: give both");
  }
  if (options.summary.n.has_value() && options.summary.cases.has_value()) {
    return Status::usage("--n and --cases with --controls: give one of the two");
  }
  options.summary.match = match_named(options.match);
  if (Status grid = settle_grid(options, table); !grid.ok()) return grid;
  if (Status people = settle_validation(options); !people.ok()) return people;
  return check_run_options(table, options);
}

Status no_folds() {
  return Status::usage(
      "lasso cv leaves people out, and --sumstats has the results of a study without its people: take lasso path "
      "--sumstats, which chooses s and lambda by other people (--validate-bfile with --pheno) or, without these, by "
      "pseudo-validation");
}

bool asks_for_sumstats(std::span<const std::string> arguments) {
  std::string config;
  for (std::size_t k = 0; k < arguments.size(); ++k) {
    const std::string_view argument = arguments[k];
    if (argument == "--sumstats" || argument.starts_with("--sumstats=")) return true;
    if (argument == "--config" && k + 1 < arguments.size()) config = arguments[k + 1];
    if (argument.starts_with("--config=")) config = argument.substr(std::string_view("--config=").size());
  }
  // What comes through a pipe can be read once, by the table's own reader.
  std::error_code none;
  if (!std::filesystem::is_regular_file(config, none)) return false;
  const auto text = read_file(config);
  if (!text.ok()) return false;  // the table's own reader says what is wrong
  for (std::string_view rest = text.value(); !rest.empty();) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(line.size() + 1, rest.size()));
    if (!line.starts_with(kOption)) continue;
    const std::size_t next = line.find_first_not_of(" \t", kOption.size());
    if (next == std::string_view::npos || line[next] != '=') continue;
    if (line.find_first_not_of(" \t\r", next + 1) != std::string_view::npos) return true;
  }
  return false;
}

void visit_option_tables(const TableVisit& visit) {
  PathOptions fit, path;
  visit(fit_option_table(fit));
  visit(path_option_table(path));
}

std::string options_document() {
  return markdown_of(visit_option_tables);
}

}  // namespace strads::sumstats
