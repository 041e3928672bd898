#include "lasso/commands/fitted_solutions.hpp"

#include <cmath>
#include <filesystem>
#include <numeric>
#include <system_error>

#include "lasso/output/cv_traits.hpp"
#include "strads/program/run_folder.hpp"

namespace strads::lasso {
namespace {

Result<std::vector<std::size_t>> chosen_steps(const SolutionChoice& choice, const FittedPath& path) {
  const std::size_t count = path.steps.size();
  const std::string solved = "the path has " + std::to_string(count) + " lambdas, from " +
                             short_text(path.steps.front().lambda, 4) + " to " +
                             short_text(path.steps.back().lambda, 4);
  if (choice.lambda_index > 0) {
    if (choice.lambda_index <= count) return std::vector<std::size_t>{choice.lambda_index - 1};
    return Status::usage("--lambda-index " + std::to_string(choice.lambda_index) + ": " + solved);
  }
  if (choice.lambda.has_value()) {
    constexpr double kSame = 1e-5;  // lambdas that people copy have lost digits
    for (std::size_t k = 0; k < count; ++k) {
      if (std::abs(path.steps[k].lambda / *choice.lambda - 1) <= kSame) return std::vector<std::size_t>{k};
    }
    return Status::usage("--lambda " + short_text(*choice.lambda) + " is none of those that were solved: " + solved +
                         "; path.tsv lists them");
  }
  const std::uint64_t chosen = choice.lambda_1se ? path.simplest : path.least;
  if (chosen > 0) return std::vector<std::size_t>{chosen - 1};
  if (choice.lambda_1se) return Status::usage("--lambda-1se needs the run of a cross-validation; " + solved);
  std::vector<std::size_t> all(count);
  for (std::size_t k = 0; k < count; ++k) all[k] = k;
  return all;
}

}  // namespace

Result<FittedSolutions> read_fitted(const SolutionChoice& choice) {
  FittedSolutions fitted;
  std::error_code none;
  const std::string path_file =
      choice.model + (choice.fold > 0 ? "/fold_" + std::to_string(choice.fold) + ".bin" : "/path.bin");
  if (choice.fold > 0 && !std::filesystem::exists(path_file, none)) {
    return Status::usage("--fold " + std::to_string(choice.fold) + ": " + path_file +
                         " is not there; --model DIR with --fold K needs the run of a cross-validation");
  }
  if (!std::filesystem::exists(path_file, none)) {
    if (choice.lambda.has_value() || choice.lambda_index > 0 || choice.lambda_1se) {
      return Status::usage("--lambda, --lambda-index and --lambda-1se choose among the solutions of a path, and " +
                           choice.model + " has no path.bin");
    }
    if (std::filesystem::exists(choice.model + "/" + kTraitsFile, none)) {
      return Status::usage("--model " + choice.model +
                           ": a cross-validation of several traits; give the folder of one: " + "--model " +
                           choice.model + "/TRAIT (" + choice.model + "/" + kTraitsFile + " lists them)");
    }
    if (Status run = expect_run_folder(choice.model, "model.bin", "lasso fit"); !run.ok()) return run;
    auto model = read_model(choice.model + "/model.bin");
    if (!model.ok()) return model.status();
    fitted.all = model.value();
    fitted.models.push_back(std::move(model).value());
    fitted.names.emplace_back("prediction");
    fitted.places.emplace_back(fitted.all.variables.size());
    std::iota(fitted.places[0].begin(), fitted.places[0].end(), std::size_t{0});
    return fitted;
  }
  auto path = read_path(path_file);
  if (!path.ok()) return path.status();
  auto steps = chosen_steps(choice, path.value());
  if (!steps.ok()) return steps.status();
  fitted.all = path.value().shape;
  for (const std::size_t k : steps.value()) {
    fitted.models.push_back(path.value().at(k));
    fitted.names.push_back(steps.value().size() == 1 ? "prediction" : "prediction_" + std::to_string(k + 1));
    const auto& places = path.value().steps[k].places;
    fitted.places.emplace_back(places.begin(), places.end());
  }
  return fitted;
}

Result<FittedModel> read_one_fitted(const SolutionChoice& choice) {
  auto fitted = read_fitted(choice);
  if (!fitted.ok()) return fitted.status();
  if (fitted.value().models.size() == 1) return std::move(fitted.value().models.front());
  return Status::usage("--model " + choice.model + " is a path of " + std::to_string(fitted.value().models.size()) +
                       " solutions, one is needed: give --lambda-index K or --lambda L (path.tsv lists them)");
}

}  // namespace strads::lasso
