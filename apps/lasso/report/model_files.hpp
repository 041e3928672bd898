// The models of a study and their files: model.bin and path.bin with the tables that go with them. Formats:
// docs/OUTPUT.md.
#pragma once

#include <array>
#include <string>
#include <utility>
#include <vector>

#include "lasso/study/study_result.hpp"
#include "regression/model_file.hpp"
#include "strads/program/run_directory.hpp"

namespace strads::lasso {

inline constexpr const char* kModelFile = "model.bin";
inline constexpr const char* kPathModelFile = "path.bin";
/// "fold_3.bin": the path without that fold; `fold` from 0.
[[nodiscard]] std::string fold_model_file(std::size_t fold);
/// NAME.afreq: the last part of --bfile or --pfile.
[[nodiscard]] std::string frequency_file(const std::string& prefix);

/// Of solutions that are complete.
[[nodiscard]] FittedPath fitted_path(const LassoData& data, const std::vector<Solution>& steps);
[[nodiscard]] FittedModel fitted_model(const LassoData& data, const Solution& solution);

/// A solution that was chosen: it has a folder like that of a fit.
struct ChosenModel {
  const char* folder;
  const Solution& solution;
  const LassoData& data;  ///< what it was fitted to
  bool is_refit = false;  ///< of train and val
};
/// lambda_min and lambda_1se; chosen and refit, where there is one; none without a choice.
[[nodiscard]] std::vector<ChosenModel> chosen_models(const PathResult& result);
/// Names of these folders. `folds`: of a cross-validation.
[[nodiscard]] std::array<const char*, 2> folders_of_choices(bool folds);

/// Files of one model in a folder, without its summary. `prefix`: of PLINK data, or "".
[[nodiscard]] std::vector<std::string> files_of_model(const std::string& prefix);
[[nodiscard]] std::vector<std::string> files_of_path_models(const std::string& prefix);

/// Writes one file after the other; after the first failure none.
class ModelWriter {
 public:
  /// `prefix`: as files_of_model().
  ModelWriter(RunDirectory& directory, std::string prefix) : directory_(directory), prefix_(std::move(prefix)) {}

  void text(const std::string& name, const std::string& content);
  void path(const std::string& name, const FittedPath& path);
  /// coefficients.tsv, model.bin, with alleles NAME.afreq. `lasso predict` and --warm-start take them. `folder`:
  /// made for it; "": the directory itself.
  void model(const std::string& folder, const Solution& solution, const LassoData& data);
  /// The first path of a result: its tables, picture and model; with alleles NAME.afreq of all variables that ever are
  /// nonzero, with covariates their coefficients.
  void first_path(const PathResult& result);
  [[nodiscard]] const Status& outcome() const { return outcome_; }

 private:
  void frequencies(const std::string& in, const LassoData& data, const FittedModel& model);

  RunDirectory& directory_;
  std::string prefix_;
  Status outcome_;
};

}  // namespace strads::lasso
