#include "lasso/commands/fitted_solutions.hpp"

#include <cmath>
#include <filesystem>
#include <numeric>
#include <system_error>

#include "lasso/commands/exact_solution.hpp"
#include "lasso/options/path_options.hpp"
#include "lasso/report/tables.hpp"
#include "strads/program/program.hpp"
#include "strads/program/run_folder.hpp"

namespace strads::lasso {
namespace {

std::string range_text(const FittedPath& path) {
  return "the path has " + std::to_string(path.steps.size()) + " lambdas, from " +
         short_text(path.steps.front().lambda, 4) + " to " + short_text(path.steps.back().lambda, 4);
}

/// A solution of a path, and what is said of it.
struct ChosenStep {
  FittedStep step;
  std::string name{};  ///< of its column
  std::string note{};  ///< empty: nothing
};

/// The solution at a lambda: one of those that were solved, or the line between the two around it, which is said.
Result<ChosenStep> step_at(const FittedPath& path, double lambda) {
  constexpr double kSame = 1e-5;  // lambdas that people copy have lost digits
  const auto& steps = path.steps;
  for (const FittedStep& step : steps) {
    if (std::abs(step.lambda / lambda - 1) <= kSame) return ChosenStep{step, "prediction"};
  }
  if (!(lambda < steps.front().lambda && lambda > steps.back().lambda)) {
    return Status::usage("--lambda " + short_text(lambda) + " is not within what was solved: " + range_text(path) +
                         "; path.tsv lists them");
  }
  std::size_t k = 0;
  while (steps[k + 1].lambda > lambda) ++k;
  return ChosenStep{path.between(k, lambda), "prediction_interpolated",
                    "--lambda " + short_text(lambda) + " lies between lambda " + std::to_string(k + 1) + " = " +
                        short_text(steps[k].lambda) + " and " + std::to_string(k + 2) + " = " +
                        short_text(steps[k + 1].lambda) +
                        " of the path: coefficients are interpolated linearly, as glmnet does; --exact solves "
                        "there"};
}

Result<std::vector<ChosenStep>> chosen_steps(const SolutionChoice& choice, const FittedPath& path) {
  const std::size_t count = path.steps.size();
  const auto one = [&](std::size_t k) { return std::vector<ChosenStep>{{path.steps[k], "prediction"}}; };
  if (choice.lambda_index > 0) {
    if (choice.lambda_index <= count) return one(choice.lambda_index - 1);
    return Status::usage("--lambda-index " + std::to_string(choice.lambda_index) + ": " + range_text(path));
  }
  if (choice.lambda.has_value()) {
    STRADS_ASSIGN_OR_RETURN(auto step, step_at(path, *choice.lambda));
    return std::vector<ChosenStep>{std::move(step)};
  }
  const std::uint64_t chosen = choice.lambda_1se ? path.simplest : path.least;
  if (chosen > 0) return one(chosen - 1);
  if (choice.lambda_1se) return Status::usage("--lambda-1se needs the run of a cross-validation; " + range_text(path));
  std::vector<ChosenStep> all;
  for (std::size_t k = 0; k < count; ++k) {
    all.push_back({path.steps[k], count == 1 ? "prediction" : "prediction_" + std::to_string(k + 1)});
  }
  return all;
}

/// Of a folder without a model of its own that several have theirs in: says so.
Status expect_one_of(const std::string& folder) {
  std::error_code none;
  const auto is_there = [&](const char* file) { return std::filesystem::exists(folder + "/" + file, none); };
  const auto give = [&](const std::string& several, const char* one, const char* list) {
    return Status::usage("--model " + folder + ": " + several + "; give the folder of one: --model " + folder + "/" +
                         one + " (" + folder + "/" + list + " lists them)");
  };
  if (is_there(kTraitsFile)) return give("a run of several traits", "TRAIT", kTraitsFile);
  if (is_there(kRatiosFile)) {
    return give("paths at several l1 ratios, of which none was chosen", "l1_ratio_A", kRatiosFile);
  }
  return {};
}

void take_one(FittedSolutions& fitted, FittedModel model, const char* name) {
  fitted.all = model;
  fitted.models.push_back(std::move(model));
  fitted.names.emplace_back(name);
  fitted.places.emplace_back(fitted.all.variables.size());
  std::iota(fitted.places[0].begin(), fitted.places[0].end(), std::size_t{0});
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
    if (Status one = expect_one_of(choice.model); !one.ok()) return one;
    if (choice.lambda.has_value() || choice.lambda_index > 0 || choice.lambda_1se) {
      return Status::usage("--lambda, --lambda-index and --lambda-1se choose among the solutions of a path, and " +
                           choice.model + " has no path.bin");
    }
    if (Status run = expect_run_folder(choice.model, "model.bin", "lasso fit"); !run.ok()) return run;
    STRADS_ASSIGN_OR_RETURN(auto model, read_model(choice.model + "/model.bin"));
    take_one(fitted, std::move(model), "prediction");
    return fitted;
  }
  STRADS_ASSIGN_OR_RETURN(auto path, read_path(path_file));
  if (choice.exact) {
    STRADS_ASSIGN_OR_RETURN(auto solved, solve_exactly(choice.model, path, *choice.lambda));
    fitted.notes.push_back(std::move(solved.note));
    take_one(fitted, std::move(solved.model), "prediction_exact");
    return fitted;
  }
  STRADS_ASSIGN_OR_RETURN(auto steps, chosen_steps(choice, path));
  fitted.all = path.shape;
  if (steps.size() > 1) path.shape.people.clear();  // not once for each of them
  for (const ChosenStep& chosen : steps) {
    fitted.models.push_back(path.at(chosen.step));
    fitted.names.push_back(chosen.name);
    fitted.places.emplace_back(chosen.step.places.begin(), chosen.step.places.end());
    if (!chosen.note.empty()) fitted.notes.push_back(chosen.note);
  }
  return fitted;
}

Result<FittedModel> read_one_fitted(const SolutionChoice& choice, std::vector<std::string>& notes) {
  STRADS_ASSIGN_OR_RETURN(auto fitted, read_fitted(choice));
  notes.insert(notes.end(), fitted.notes.begin(), fitted.notes.end());
  if (fitted.models.size() == 1) return std::move(fitted.models.front());
  return Status::usage("--model " + choice.model + " is a path of " + std::to_string(fitted.models.size()) +
                       " solutions, one is needed: give --lambda-index K or --lambda L (path.tsv lists them)");
}

}  // namespace strads::lasso
