#include "lasso/options/cv_options.hpp"

#include <algorithm>
#include <charconv>
#include <string_view>
#include <system_error>
#include <utility>

#include "strads/program/option_table.hpp"

namespace strads::lasso {
namespace {

bool is_number(const std::string& text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

Status settle_measure(CvOptions& options) {
  const Family family = options.path.fit.lasso.family;
  STRADS_ASSIGN_OR_RETURN(options.error, measure_named(options.measure, family));
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

std::optional<std::uint64_t> fold_count_of(const CvOptions& options) {
  const std::string& given = options.folds;
  std::uint64_t folds = 0;
  if (!is_number(given) || std::from_chars(given.data(), given.data() + given.size(), folds).ec != std::errc())
    return {};
  return folds;
}

ProblemCount problem_count_of(const CvOptions& options) {
  constexpr std::uint64_t kFoldsOfFile = 10;
  const std::uint64_t folds = fold_count_of(options).value_or(kFoldsOfFile);
  const FitOptions& fit = options.path.fit;
  const std::uint64_t at_once = runs_at_once(fit.machine, fit.cluster);
  const std::uint64_t traits = options.path.trait_count();
  const bool together = options.stop.after > 0;
  ProblemCount count{.problems = traits * options.path.l1_ratios.size() * (folds + 1),
                     .at_once = together ? std::max(at_once, folds + 1) : at_once,
                     .side_by_side = together,
                     .stop_after = options.stop.after,
                     .stop_from = options.stop.from};
  if (options.path.has_ridge()) {
    count.ridge = traits * (folds + 1);
    count.ridge_written = traits;
  }
  return count;
}

OptionTable cv_option_table(CvOptions& options, std::string command, std::string usage) {
  OptionTable table(std::move(command), std::move(usage));
  add_data_options(table, options.path.fit);
  const OptionSection rows = table.section("problem");
  rows.common().text("folds", "K|FILE",
                     "number of folds, dealt by a hash of seed and sample id; or a table of sample ids and folds",
                     &options.folds);
  rows.choice("measure",
              "error of a prediction for a sample held out: mse = squared, mae = absolute" +
                  other_measures_text(" of a fold (with fewer than 10 samples a fold deviance takes its place)") +
                  "; auto = mse, " + of_families_with_link() + " deviance",
              &options.measure, {"auto", "mse", "mae", "deviance", "class", "auc"});
  rows.count(
      "stop-after", "N",
      "the paths end when the last N lambdas have improved over the folds neither the --measure nor the loss (mse; " +
          families_with_link(", ") +
          ": deviance); all folds then run at the same time, which takes the memory of each; 0 = they go on, as "
          "cv.glmnet's do",
      &options.stop_after, {.min = 0, .max = 100000});
  add_stop_from_option(table, options.stop_from,
                       "with --stop-after, lambdas of the paths that are solved in any case; 0 = half of the grid");
  rows.flag("stratify",
            "folds that are drawn have the same share of each class, of the binomial family; cv.glmnet does not do it",
            &options.stratify);
  add_path_options(table, options.path);
  add_penalty_options(table, options.path.fit, options.path.l1_ratio_texts,
                      "all are cross-validated on the same folds, and the best one is chosen");
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
      "usage: lasso cv --bfile PREFIX [--pheno FILE --pheno-name A,B] | --x FILE [--y FILE] [options]\n"
      "Several columns are several traits, with a folder in --out DIR each; so are several --l1-ratio.\n");
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
  if (Status path = settle_path_options(options.path, table); !path.ok()) return path;
  options.stop = stop_rule(options.stop_after, options.stop_from, lambdas_of_grid(options.path));
  return settle_measure(options);
}

}  // namespace strads::lasso
