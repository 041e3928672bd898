#include "lasso/output/chosen_models.hpp"

#include <array>
#include <filesystem>
#include <system_error>
#include <utility>

#include "lasso/output/output.hpp"
#include "lasso/output/run_summary.hpp"
#include "strads/program/run_directory.hpp"
#include "strads/program/summary.hpp"

namespace strads::lasso {
namespace {

constexpr std::array<const char*, 2> kFolders{"lambda_min", "lambda_1se"};

Summary summary_of_chosen(const CvOptions& options, const PathResult& result, std::size_t k) {
  const Solution& step = result.steps[k];
  Summary summary = summary_head("lasso cv", *result.data);
  add_choice(summary, result, k);
  summary.add("measure", measure_name(result.measure));
  add_fields(summary, step, std::array{"objective", "duality_gap", "relative_gap"});
  summary.add("tolerance", options.path.fit.lasso.tolerance);
  add_penalty(summary, options.path.fit);
  summary.add("intercept", step.intercept);
  if (!result.data->family->is_squares()) {
    summary.add("deviance_ratio_training", step.explained);
  } else {
    summary.add("r2_training", step.explained);
    if (is_partial(*result.data)) summary.add("r2_training_whole", whole_r2(*result.data, step.explained));
  }
  add_tail(summary, {.data = result.data.get(), .problem = &step.problem, .covariates = &step.covariates});
  return summary;
}

}  // namespace

std::vector<std::string> files_of_model_folder(const std::string& folder, const std::string& bfile) {
  std::vector<std::string> files;
  for (const char* name : {kCoefficientsFile, kModelFile, kSummaryFile}) files.push_back(folder + "/" + name);
  if (!bfile.empty()) files.push_back(folder + "/" + frequency_file(bfile));
  return files;
}

Status write_model_files(const std::string& folder, const ModelOfFolder& of, const std::string& bfile,
                         RunDirectory& directory) {
  const auto put = [&](const std::string& name, const std::string& text) {
    return directory.write(folder + name, text);
  };
  if (Status done = put(kCoefficientsFile, coefficients_table(of.model, of.standardized)); !done.ok()) return done;
  if (of.model.has_alleles) {
    if (Status done = put(frequency_file(bfile), frequency_table(of.data, of.model)); !done.ok()) return done;
  }
  if (Status done = write_model(directory.path_of(folder + kModelFile), of.model); !done.ok()) return done;
  directory.note_file(folder + kModelFile);
  return {};
}

Status write_model_folder(const std::string& folder, const ModelOfFolder& of, const Summary& summary,
                          const std::string& bfile, RunDirectory& directory) {
  std::error_code error;
  std::filesystem::create_directories(directory.path_of(folder), error);
  if (error) return Status::input(directory.path_of(folder) + ": the folder cannot be made: " + error.message());
  if (Status done = write_model_files(folder + "/", of, bfile, directory); !done.ok()) return done;
  return directory.write(folder + "/" + kSummaryFile, summary.json());
}

std::vector<std::string> files_of_chosen_models(const std::string& bfile) {
  std::vector<std::string> files;
  for (const std::string folder : kFolders) {
    for (std::string& file : files_of_model_folder(folder, bfile)) files.push_back(std::move(file));
  }
  return files;
}

Status write_chosen_models(const CvOptions& options, const PathResult& result, const FittedPath& model,
                           RunDirectory& directory) {
  const std::array<std::size_t, 2> chosen{result.curve.least, result.curve.simplest};
  for (std::size_t c = 0; c < kFolders.size(); ++c) {
    const std::size_t k = chosen[c];
    const FittedModel own = model.at(k);
    const Summary summary = summary_of_chosen(options, result, k);
    const ModelOfFolder folder{own, result.steps[k].standardized, *result.data};
    Status done = write_model_folder(kFolders[c], folder, summary, options.path.fit.input.source.prefix(), directory);
    if (!done.ok()) return done;
  }
  return {};
}

}  // namespace strads::lasso
