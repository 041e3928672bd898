#include "lasso/options/cv_options.hpp"

#include <algorithm>
#include <charconv>
#include <string_view>
#include <utility>

#include "lasso/output/cv_traits.hpp"
#include "strads/program/option_table.hpp"

namespace strads::lasso {
namespace {

bool is_number(const std::string& text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

std::string names_option(const Source& source) {
  return !source.is_plink() ? "--y-name" : "--pheno-name";
}

/// What --out DIR holds besides the folders of traits.
bool is_own_name(const std::string& name) {
  const auto own = files_of_traits();
  return name == "summary.json" || std::find(own.begin(), own.end(), name) != own.end();
}

Status check_trait(const CvOptions& options, std::size_t k) {
  const FitOptions& fit = options.path.fit;
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
                         ", where every trait has its own; rename the column, or validate it alone");
  }
  return {};
}

/// A comma separates traits.
Status settle_traits(CvOptions& options) {
  const InputOptions& input = options.path.fit.input;
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
Status settle_l1_ratios(CvOptions& options) {
  options.l1_ratios.clear();
  for (const std::string& text : options.l1_ratio_texts) {
    double ratio = 0;
    const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), ratio);
    if (error != std::errc() || stop != text.data() + text.size()) {
      return Status::usage("--l1-ratio: found '" + text + "', expected numbers in [0, 1], separated by commas");
    }
    if (Status checked = check_l1_ratio(ratio, options.path.fit.lasso.nonnegative); !checked.ok()) return checked;
    if (std::find(options.l1_ratios.begin(), options.l1_ratios.end(), ratio) != options.l1_ratios.end()) {
      return Status::usage("--l1-ratio: " + text + " is there twice, expected each ratio once");
    }
    options.l1_ratios.push_back(ratio);
  }
  if (options.l1_ratios.empty()) return Status::usage("--l1-ratio: found nothing, expected numbers in [0, 1]");
  options.path.fit.lasso.l1_ratio = options.l1_ratios.front();
  return {};
}

Status settle_measure(CvOptions& options) {
  const Family family = options.path.fit.lasso.family;
  auto measure = measure_named(options.measure, family);
  if (!measure.ok()) return measure.status();
  options.error = measure.value();
  options.measure = measure_name(options.error);
  if (options.stratify && !family->has_classes) {
    return Status::usage("--stratify goes with --family binomial: numbers have no classes");
  }
  if (options.stratify && !is_number(options.folds)) {
    return Status::usage("--stratify: the folds are those of " + options.folds +
                         "; give --folds K, a number, or leave it out");
  }
  return {};
}

}  // namespace

ProblemCount problem_count_of(const CvOptions& options) {
  std::uint64_t folds = 10;
  const std::string& given = options.folds;
  std::from_chars(given.data(), given.data() + given.size(), folds);
  const FitOptions& fit = options.path.fit;
  const std::uint64_t at_once = runs_at_once(fit.machine, fit.cluster);
  const std::uint64_t traits = std::max<std::uint64_t>(1, options.traits.size());
  const bool has_ridge = std::find(options.l1_ratios.begin(), options.l1_ratios.end(), 0.0) != options.l1_ratios.end();
  ProblemCount count{traits * options.l1_ratios.size() * (folds + 1),
                     options.stop.after > 0 ? std::max(at_once, folds + 1) : at_once, options.stop.after,
                     options.stop.from};
  if (has_ridge) {
    count.ridge = traits * (folds + 1);
    count.ridge_written = traits;
  }
  return count;
}

OptionTable cv_option_table(CvOptions& options, std::string command, std::string usage) {
  OptionTable table(std::move(command), std::move(usage));
  add_data_options(table, options.path.fit);
  table.text({.name = "folds",
              .placeholder = "K|FILE",
              .effect = "number of folds, dealt by a hash of seed and sample id; or a table of sample ids and folds",
              .section = "problem",
              .common = true},
             &options.folds);
  table.choice(
      {.name = "measure",
       .placeholder = "",
       .effect = "error of a prediction for a sample held out: mse = squared, mae = absolute" +
                 other_measures_text(" of a fold (with fewer than 10 samples a fold deviance takes its place)") +
                 "; auto = mse, " + of_families_with_link() + " deviance",
       .section = "problem"},
      &options.measure, {"auto", "mse", "mae", "deviance", "class", "auc"});
  table.count({.name = "stop-after",
               .placeholder = "N",
               .effect = "the paths end when the last N lambdas have improved over the folds neither the --measure nor "
                         "the loss (mse; " +
                         families_with_link(", ") +
                         ": deviance); all folds then run at the same time, which takes the "
                         "memory of each; 0 = they go on, as cv.glmnet's do",
               .section = "problem"},
              &options.stop_after, {.min = 0, .max = 100000});
  add_stop_from_option(table, options.stop_from,
                       "with --stop-after, lambdas of the paths that are solved in any case; 0 = half of the grid");
  table.flag(
      {.name = "stratify",
       .placeholder = "",
       .effect = "folds that are drawn have the same share of each class, of the binomial family; cv.glmnet does "
                 "not do it",
       .section = "problem"},
      &options.stratify);
  add_path_options(table, options.path);
  add_penalty_options(table, options.path.fit, options.l1_ratio_texts);
  add_warm_start_option(table, options.path.fit);
  add_policy_options(table, options.path.fit);
  add_run_options(table, options.path.fit);
  add_checkpoint_options(table, options.path.fit);
  return table;
}

OptionTable cv_option_table(CvOptions& options) {
  return cv_option_table(
      options, "lasso cv",
      "lasso cv: choose lambda by cross-validation: a path on all samples, one without each fold\n"
      "usage: lasso cv --bfile PREFIX [--pheno FILE --pheno-name COLUMN,...] [--folds K|FILE] [options]\n"
      "       lasso cv --x FILE [--y FILE] [--y-name COLUMN,...] [--folds K|FILE] [options]\n"
      "Several columns: several traits in one run, a folder in --out DIR for each; so with several --l1-ratio.\n");
}

std::vector<std::string*> paths_of(CvOptions& options) {
  auto paths = paths_of(options.path);
  if (!is_number(options.folds)) paths.push_back(&options.folds);
  return paths;
}

Status settle_cv_options(CvOptions& options, const OptionTable& table) {
  if (options.folds.empty() || options.folds == "0" || options.folds == "1") {
    return Status::usage("--folds " + options.folds + ": expected a number from 2 on, or a file of folds");
  }
  if (Status ratios = settle_l1_ratios(options); !ratios.ok()) return ratios;
  if (Status path = settle_path_options(options.path, table); !path.ok()) return path;
  options.stop = stop_rule(options.stop_after, options.stop_from, lambdas_of_grid(options.path));
  if (Status measure = settle_measure(options); !measure.ok()) return measure;
  return settle_traits(options);
}

Result<std::vector<std::shared_ptr<const Dataset>>> load_traits(const CvOptions& options) {
  const InputOptions& input = options.path.fit.input;
  if (!options.traits.empty()) return load_datasets(input, options.traits);
  auto one = load_dataset(input);
  if (!one.ok()) return one.status();
  return std::vector<std::shared_ptr<const Dataset>>{std::move(one).value()};
}

}  // namespace strads::lasso
