#include "lasso/report/model_files.hpp"

#include <filesystem>
#include <map>
#include <system_error>

#include "lasso/report/family_facts.hpp"
#include "lasso/report/pictures.hpp"
#include "lasso/report/run_summary.hpp"
#include "lasso/report/tables.hpp"
#include "regression/match_variables.hpp"
#include "regression/people.hpp"

namespace strads::lasso {
std::string fold_model_file(std::size_t fold) {
  return "fold_" + std::to_string(fold + 1) + ".bin";
}

std::string frequency_file(const std::string& prefix) {
  return base_name(prefix) + ".afreq";
}

FittedPath fitted_path(const LassoData& data, const std::vector<Solution>& steps) {
  const Dataset& dataset = *data.dataset;
  FittedPath fitted;
  FittedModel& shape = fitted.shape;
  shape.response = dataset.response_name();
  set_family(shape, data);
  shape.columns = dataset.columns().columns;
  shape.has_alleles = dataset.has_alleles();
  shape.has_names = has_names(dataset);
  shape.covariate_names = dataset.covariate_names();
  shape.covariates.resize(shape.covariate_names.size());
  shape.samples = dataset.columns().samples();
  shape.people = people_of(dataset);
  std::map<VarId, double> means;  // of all variables that ever are nonzero
  for (const Solution& step : steps) {
    for (std::size_t k = 0; k < step.variables.size(); ++k) means.emplace(step.variables[k], step.means[k]);
  }
  std::map<VarId, std::uint64_t> places;
  for (const auto& [j, mean] : means) {
    places.emplace(j, places.size());
    const auto name = dataset.variable(j);
    shape.variables.push_back({j, std::string(name.id), std::string(name.chromosome), std::string(name.position),
                               std::string(name.counted), std::string(name.other), 0.0, mean});
  }
  for (const Solution& step : steps) {
    FittedStep& own = fitted.steps.emplace_back();
    own.lambda = step.lambda;
    own.lambda_y = step.lambda_y;
    own.intercept = step.intercept;
    own.covariates = step.covariates;
    for (const VarId j : step.variables) own.places.push_back(places.at(j));
    own.coefficients = step.coefficients;
  }
  return fitted;
}

FittedModel fitted_model(const LassoData& data, const Solution& solution) {
  return fitted_path(data, {solution}).at(0);
}

std::vector<ChosenModel> chosen_models(const PathResult& result) {
  const bool folds = result.is_cross_validated(), chosen = result.has_choice();
  const auto folder = folders_of_choices(folds);
  std::vector<ChosenModel> models;
  if (chosen) models.push_back({folder[0], result.steps[result.curve.least], *result.data});
  if (chosen && folds) models.push_back({folder[1], result.steps[result.curve.simplest], *result.data});
  if (result.refit() != nullptr) {
    models.push_back({folder[1], *result.refit(), *result.group.paths[1].data, true});
  }
  return models;
}

std::array<const char*, 2> folders_of_choices(bool folds) {
  return folds ? std::array{"lambda_min", "lambda_1se"} : std::array{"chosen", "refit"};
}

std::vector<std::string> files_of_model(const std::string& prefix) {
  std::vector<std::string> files{kCoefficientsFile, kModelFile};
  if (!prefix.empty()) files.push_back(frequency_file(prefix));
  return files;
}

std::vector<std::string> files_of_path_models(const std::string& prefix) {
  std::vector<std::string> files{kPathFile, kPathCoefficientsFile, kPathCovariatesFile, kPathPicture, kPathModelFile};
  if (!prefix.empty()) files.push_back(frequency_file(prefix));
  return files;
}

void ModelWriter::text(const std::string& name, const std::string& content) {
  if (outcome_.ok()) outcome_ = directory_.write(name, content);
}

void ModelWriter::path(const std::string& name, const FittedPath& path) {
  if (outcome_.ok()) outcome_ = write_path(directory_.path_of(name), path);
  if (outcome_.ok()) directory_.note_file(name);
}

void ModelWriter::model(const std::string& folder, const Solution& solution, const LassoData& data) {
  std::error_code error;
  if (!folder.empty()) std::filesystem::create_directories(directory_.path_of(folder), error);
  const std::string in = folder.empty() ? "" : folder + "/";
  if (error && outcome_.ok()) {
    outcome_ = Status::input(directory_.path_of(folder) + ": the folder cannot be made: " + error.message());
  }
  const FittedModel model = fitted_model(data, solution);
  text(in + kCoefficientsFile, coefficients_table(model, solution.standardized));
  frequencies(in, data, model);
  if (outcome_.ok()) outcome_ = write_model(directory_.path_of(in + kModelFile), model);
  if (outcome_.ok()) directory_.note_file(in + kModelFile);
}

void ModelWriter::first_path(const PathResult& result) {
  FittedPath model = fitted_path(*result.data, result.steps);
  if (result.has_choice()) model.least = result.curve.least + 1;
  if (result.has_choice() && result.is_cross_validated()) model.simplest = result.curve.simplest + 1;
  text(kPathFile, path_table(result));
  text(kPathCoefficientsFile, path_coefficients(model, result.steps));
  if (!model.shape.covariate_names.empty()) text(kPathCovariatesFile, path_covariates(model, result.steps));
  frequencies("", *result.data, model.shape);
  text(kPathPicture, path_picture(model, result));
  path(kPathModelFile, model);
}

void ModelWriter::frequencies(const std::string& in, const LassoData& data, const FittedModel& model) {
  if (model.has_alleles) text(in + frequency_file(prefix_), frequency_table(data, model));
}

}  // namespace strads::lasso
