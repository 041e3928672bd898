#include "lasso/options/path_options.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <functional>
#include <utility>

#include "strads/program/option_table.hpp"
#include "strads/program/result_files.hpp"
#include "strads/program/run_folder.hpp"

namespace strads::lasso {
namespace {

/// One lambda a line; empty lines and what follows a # are skipped. Descending, each once.
Result<std::vector<double>> read_lambdas(const std::string& path) {
  STRADS_ASSIGN_OR_RETURN(auto content, read_file(path));
  std::vector<double> lambdas;
  std::string_view rest = content;
  for (std::size_t line = 1; !rest.empty(); ++line) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    std::string_view text = rest.substr(0, std::min(end, rest.find('#')));
    rest.remove_prefix(std::min(end + 1, rest.size()));
    constexpr std::string_view kSpace = " \t\r";
    const std::size_t first = text.find_first_not_of(kSpace);
    if (first == std::string_view::npos) continue;
    text = text.substr(first, text.find_last_not_of(kSpace) + 1 - first);
    double lambda = 0;
    const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), lambda);
    if (error != std::errc() || stop != text.data() + text.size() || !(lambda > 0) || !std::isfinite(lambda)) {
      return Status::input(path + ":" + std::to_string(line) + ": '" + std::string(text) +
                           "', expected one lambda above 0 a line");
    }
    lambdas.push_back(lambda);
  }
  if (lambdas.empty()) return Status::input(path + ": no lambda, expected one above 0 a line");
  std::sort(lambdas.begin(), lambdas.end(), std::greater<>());
  lambdas.erase(std::unique(lambdas.begin(), lambdas.end()), lambdas.end());
  return lambdas;
}

}  // namespace

void add_path_options(OptionTable& table, PathCommandOptions& options) {
  const OptionSection rows = table.section("problem");
  rows.common().count("lambdas", "N", "lambdas of the grid, from lambda_max down; evenly spaced in their logarithm",
                      &options.lambdas, {.min = 1, .max = 100000});
  rows.number("lambda-min-ratio", "R",
              "last lambda / lambda_max; without it glmnet's choice: 1e-2 with fewer samples than variables, else 1e-4",
              &options.min_ratio, {.min = 0, .max = 1, .min_open = true, .max_open = true});
  rows.text("lambda-file", "FILE",
            "instead of a grid: lambdas, one a line, on the scale of --lambda-scale; all are solved, the largest first",
            &options.lambda_file);
  rows.choice(
      "lambda-scale",
      "what the numbers of --lambda-file mean: unit = columns and y of unit norm, y = lambda sy / sqrt(N) as in "
      "glmnet, ratio = lambda / lambda_max, sample = lambda sy / N; folds have the lambda of all samples times "
      "sqrt(N), or with sample times N, so that columns that are not scaled (--scale off) are penalised alike",
      &options.fit.lambda_scale, {"unit", "y", "ratio", "sample"});
  rows.on_off(
      "early-end",
      "end a grid where glmnet does: from the fifth lambda on, when more than 0.999 of the deviance is explained or "
      "less than 1e-5 was added, of what is explained; of the binomial family of the null deviance",
      &options.early_end);
}

void add_stop_from_option(OptionTable& table, std::uint32_t& stop_from, const char* effect) {
  table.section("problem").count("stop-from", "K", effect, &stop_from, {.min = 0, .max = 100000});
}

std::size_t lambdas_of_grid(const PathCommandOptions& options) {
  const std::size_t given = options.fit.lasso.path.given.size();
  return given > 0 ? given : options.lambdas;
}

namespace {

/// What only a path alone has, and no path of a cross-validation.
void add_split_options(OptionTable& table, PathCommandOptions& options) {
  const OptionSection input_rows = table.section("input");
  input_rows.common().text("split", "FILE",
                           "table that says who is train, val or test (NA: takes no part); matched as the table of the "
                           "response is; the path is fitted on train, its error on val chooses lambda",
                           &options.fit.input.samples.split);
  input_rows.text("split-name", "COLUMN", "column of --split (default: the first after the ids)",
                  &options.fit.input.samples.split_name);
  const OptionSection problem_rows = table.section("problem");
  problem_rows.choice("measure",
                      "with --split, error on val: mse = squared, mae = absolute" + other_measures_text("") +
                          "; auto = mse, " + of_families_with_link() + " deviance",
                      &options.measure, {"auto", "mse", "mae", "deviance", "class", "auc"});
  problem_rows.count("stop-after", "N",
                     "with --split, the path ends when the last N lambdas have improved on val neither the --measure "
                     "nor the loss (mse; " +
                         families_with_link(", ") + ": deviance); 0 = it goes on",
                     &options.stop_after, {.min = 0, .max = 100000});
  add_stop_from_option(
      table, options.stop_from,
      "with --split and --stop-after, lambdas of the path that are solved in any case; 0 = half of the "
      "grid");
  problem_rows.on_off("refit", "with --split, fit train and val together at the chosen lambda per sample",
                      &options.refit);
}

}  // namespace

OptionTable path_option_table(PathCommandOptions& options, std::string command, std::string usage) {
  OptionTable table(std::move(command), std::move(usage));
  add_data_options(table, options.fit);
  add_path_options(table, options);
  add_split_options(table, options);
  add_penalty_options(table, options.fit, options.l1_ratio_texts,
                      "a path for each, with --split the best one is chosen");
  add_warm_start_option(table, options.fit);
  add_policy_options(table, options.fit);
  add_run_options(table, options.fit);
  add_checkpoint_options(table, options.fit);
  add_trace_option(table, options.fit);
  return table;
}

std::vector<std::string> files_of_traits() {
  return {kTraitsFile, kTraceFile, kConfigFile, kLogFile};
}

ProblemCount problem_count_of(const PathCommandOptions& options) {
  const std::uint64_t traits = options.trait_count(), groups = traits * options.l1_ratios.size();
  const std::uint64_t each = options.splits() && options.refit ? 2 : 1;
  ProblemCount count{.problems = groups * each};
  if (groups > 1) count.at_once = std::max<std::uint64_t>(1, runs_at_once(options.fit.machine, options.fit.cluster));
  if (options.splits()) {
    count.stop_after = options.stop.after;
    count.stop_from = options.stop.from;
    count.refits = (each - 1) * groups;
  }
  if (options.has_several_ratios() && options.has_ridge()) {
    count.ridge = traits * each;
    count.ridge_written = traits;
  }
  return count;
}

OptionTable path_option_table(PathCommandOptions& options) {
  return path_option_table(
      options, "lasso path",
      "lasso path: the Lasso at many lambdas, from lambda_max down, each certified by its duality gap\n"
      "usage: lasso path --bfile PREFIX [--pheno FILE --pheno-name A,B] | --x FILE [--y FILE] [options]\n"
      "Several columns are several traits, with a folder in --out DIR each; so are several --l1-ratio.\n");
}

std::vector<std::string*> paths_of(PathCommandOptions& options) {
  auto paths = paths_of(options.fit);
  paths.push_back(&options.lambda_file);
  return paths;
}

namespace {

std::string names_option(const Source& source) {
  return !source.is_plink() ? "--y-name" : "--pheno-name";
}

bool is_own_name(const std::string& name) {
  const auto own = files_of_traits();
  return name == "summary.json" || std::find(own.begin(), own.end(), name) != own.end();
}

Status check_trait(const PathCommandOptions& options, std::size_t k) {
  const FitOptions& fit = options.fit;
  const std::string& name = options.traits[k];
  const std::string option = names_option(fit.input.source);
  const std::string& all = fit.input.response.column(fit.input.source.is_plink());
  if (name.empty())
    return Status::usage(option + " " + all + ": a name is empty, expected names between single commas");
  if (std::find(options.traits.begin(), options.traits.end(), name) !=
      options.traits.begin() + static_cast<std::ptrdiff_t>(k)) {
    return Status::usage(option + " " + all + ": '" + name + "' is there twice, expected each trait once");
  }
  const bool is_folder = name != "." && name != ".." && name.find('/') == std::string::npos && !is_own_name(name);
  if (!fit.common.out.empty() && !is_folder) {
    return Status::usage(option + " " + all + ": '" + name + "' cannot name a folder in --out " + fit.common.out +
                         ", where every trait has its own; rename the column, or fit it alone");
  }
  return {};
}

/// A comma separates traits.
Status settle_traits(PathCommandOptions& options) {
  const InputOptions& input = options.fit.input;
  std::string_view rest = input.response.column(input.source.is_plink());
  options.traits.clear();
  if (rest.find(',') == std::string_view::npos) return {};
  for (;;) {
    const std::size_t comma = rest.find(',');
    options.traits.emplace_back(rest.substr(0, comma));
    if (comma == std::string_view::npos) break;
    rest.remove_prefix(comma + 1);
  }
  for (std::size_t k = 0; k < options.traits.size(); ++k) {
    if (Status checked = check_trait(options, k); !checked.ok()) return checked;
  }
  return {};
}

/// Before anything that looks at path.fit.lasso.
Status settle_l1_ratios(PathCommandOptions& options) {
  options.l1_ratios.clear();
  for (const std::string& text : options.l1_ratio_texts) {
    double ratio = 0;
    const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), ratio);
    if (error != std::errc() || stop != text.data() + text.size()) {
      return Status::usage("--l1-ratio: found '" + text + "', expected numbers in [0, 1], separated by commas");
    }
    if (Status checked = check_l1_ratio(ratio, options.fit.lasso.nonnegative); !checked.ok()) return checked;
    if (std::find(options.l1_ratios.begin(), options.l1_ratios.end(), ratio) != options.l1_ratios.end()) {
      return Status::usage("--l1-ratio: " + text + " is there twice, expected each ratio once");
    }
    options.l1_ratios.push_back(ratio);
  }
  if (options.l1_ratios.empty()) return Status::usage("--l1-ratio: found nothing, expected numbers in [0, 1]");
  options.fit.lasso.l1_ratio = options.l1_ratios.front();
  return {};
}

Status settle_split(PathCommandOptions& options) {
  if (!options.splits()) {
    return options.fit.input.samples.split_name.empty() ? Status() : Status::usage("--split-name needs --split FILE");
  }
  STRADS_ASSIGN_OR_RETURN(options.error, measure_named(options.measure, options.fit.lasso.family));
  options.measure = measure_name(options.error);
  return {};
}

Status settle_lambdas(PathCommandOptions& options) {
  LassoOptions& lasso = options.fit.lasso;
  lasso.path.count = options.lambdas;
  lasso.path.min_ratio = options.min_ratio.value_or(0);
  lasso.path.early_end = options.early_end;
  lasso.lambda_scale = lambda_scale_named(options.fit.lambda_scale);
  if (options.lambda_file.empty() && options.given.empty()) {
    // Not whether it was given: a config file names every option. Of a grid `sample` says what folds have.
    if (options.fit.lambda_scale == "unit" || options.fit.lambda_scale == "sample") return {};
    return Status::usage("--lambda-scale " + options.fit.lambda_scale +
                         " says what the numbers of --lambda-file mean; give --lambda-file FILE");
  }
  if (options.lambda_file.empty()) {
    lasso.path.given = options.given;
    return {};
  }
  STRADS_ASSIGN_OR_RETURN(lasso.path.given, read_lambdas(options.lambda_file));
  return {};
}

}  // namespace

Status settle_path_options(PathCommandOptions& options, const OptionTable& table) {
  if (Status ratios = settle_l1_ratios(options); !ratios.ok()) return ratios;
  if (Status run = settle_run_options(options.fit, table); !run.ok()) return run;
  if (Status split = settle_split(options); !split.ok()) return split;
  if (Status lambdas = settle_lambdas(options); !lambdas.ok()) return lambdas;
  options.stop = stop_rule(options.stop_after, options.stop_from, lambdas_of_grid(options));
  if (Status warm = settle_warm_start(options.fit); !warm.ok()) return warm;
  if (Status traits = settle_traits(options); !traits.ok()) return traits;
  if (options.fit.trace_rounds.empty() || (options.traits.empty() && !options.has_several_ratios())) return {};
  return Status::usage(
      "--trace-rounds sees the rounds of one path: give one trait and one --l1-ratio, or leave it out");
}

Result<std::vector<std::shared_ptr<const Dataset>>> load_traits(const PathCommandOptions& options) {
  const InputOptions& input = options.fit.input;
  if (!options.traits.empty()) return load_datasets(input, options.traits);
  STRADS_ASSIGN_OR_RETURN(auto one, load_dataset(input));
  return std::vector<std::shared_ptr<const Dataset>>{std::move(one)};
}

}  // namespace strads::lasso
