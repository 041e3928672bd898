#include "lasso/cv_options.hpp"

#include <algorithm>

namespace strads::lasso {
namespace {

bool is_number(const std::string& text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

}  // namespace

OptionTable cv_option_table(CvOptions& options, std::string command, std::string usage) {
  OptionTable table(std::move(command), std::move(usage));
  add_data_options(table, options.path.fit);
  table.text({.name = "folds",
              .placeholder = "K|FILE",
              .effect = "number of folds, dealt by a hash of seed and sample id; or a table of sample ids and folds",
              .section = "problem",
              .common = true},
             &options.folds);
  table.choice({.name = "measure",
                .placeholder = "",
                .effect = "error of a prediction for a sample held out: mse = squared, mae = absolute",
                .section = "problem"},
               &options.measure, {"mse", "mae"});
  add_path_options(table, options.path);
  add_penalty_options(table, options.path.fit);
  add_run_options(table, options.path.fit);
  return table;
}

OptionTable cv_option_table(CvOptions& options) {
  return cv_option_table(
      options, "lasso cv",
      "lasso cv: choose lambda by cross-validation: the paths of all folds in one schedule\n"
      "usage: lasso cv --bfile PREFIX [--pheno FILE --pheno-name COLUMN] [--folds K|FILE] [options]\n"
      "       lasso cv --x FILE [--y FILE] [--y-name COLUMN] [--folds K|FILE] [options]\n");
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
  return settle_path_options(options.path, table);
}

}  // namespace strads::lasso
