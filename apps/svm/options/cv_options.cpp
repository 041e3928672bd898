#include "svm/options/cv_options.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "strads/program/number_list.hpp"

namespace strads::svm {
namespace {

std::optional<std::uint32_t> number_of_folds(const CvOptions& options) {
  return parsed_number<std::uint32_t>(options.folds);
}

}  // namespace

OptionTable cv_option_table(CvOptions& options) {
  OptionTable table("svm cv",
                    "svm cv: which cost predicts best what a fit has not seen, and the fit with it on all samples\n"
                    "usage: svm cv --x FILE [--y FILE] [--y-name COLUMN] [--costs C,C] [--folds K|FILE] [options]\n"
                    "       svm cv --bfile PREFIX [--pheno FILE --pheno-name COLUMN] [options]\n");
  add_data_options(table, options.fit);
  const OptionSection rows = table.section("problem");
  rows.common().list("costs", "C,C",
                     "costs to try; weights of the losses beside 1/2 ||w||^2, each is fitted without each fold",
                     &options.cost_texts);
  rows.common().text(
      "folds", "K|FILE",
      "number of folds, or a table of sample ids and folds; as a number dealt by a hash of seed and sample id, "
      "each with the same share of every class",
      &options.folds);
  rows.choice("measure",
              "what is best: error = share of the samples held out whose class is told wrong, balanced_error = mean of "
              "that share over the classes; auc = of two classes the area under the ROC curve",
              &options.measure_name, {"error", "balanced_error", "auc"});
  rows.choice("refit",
              "cost of the fit on all samples: best = of the best measure, simplest = the least one within a standard "
              "error of it; none = there is no such fit",
              &options.refit_name, {"best", "simplest", "none"});
  add_problem_options(table, options.fit);
  add_policy_options(table, options.fit);
  add_run_options(table, options.fit);
  add_checkpoint_options(table, options.fit);
  return table;
}

std::vector<std::string*> paths_of(CvOptions& options) {
  auto paths = paths_of(options.fit);
  if (!number_of_folds(options).has_value()) paths.push_back(&options.folds);
  return paths;
}

Status check_cv_arguments(std::span<const std::string> arguments) {
  for (const std::string& argument : arguments) {
    if (argument.substr(0, argument.find('=')) != "--cost") continue;
    return Status::usage("--cost: svm cv tries several: give --costs C,C");
  }
  return {};
}

Status settle_cv_options(CvOptions& options, const OptionTable& table) {
  if (options.folds.empty() || number_of_folds(options).value_or(2) < 2) {
    return Status::usage("--folds " + options.folds + ": expected a number from 2 on, or a file of folds");
  }
  STRADS_ASSIGN_OR_RETURN(options.costs,
                          read_list<double>("--costs", options.cost_texts, "numbers above 0",
                                            [](double cost) { return std::isfinite(cost) && cost > 0; }));
  std::ranges::sort(options.costs);
  options.measure = options.measure_name == "auc"              ? Measure::auc
                    : options.measure_name == "balanced_error" ? Measure::balanced_error
                                                               : Measure::error;
  options.refit = options.refit_name == "none"       ? Refit::none
                  : options.refit_name == "simplest" ? Refit::simplest
                                                     : Refit::best;
  return settle_fit_options(options.fit, table);
}

std::uint32_t folds_planned(const CvOptions& options) {
  constexpr std::uint32_t kFoldsOfAFile = 10;
  return number_of_folds(options).value_or(kFoldsOfAFile);
}

}  // namespace strads::svm
