// The two solutions that people take from a cross-validation, as folders like that of a fit.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "lasso/output/cv_output.hpp"
#include "strads/program/run_directory.hpp"
#include "strads/program/summary.hpp"

namespace strads::lasso {

/// What a folder like that of a fit holds.
struct ModelOfFolder {
  const FittedModel& model;
  std::span<const double> standardized;  ///< its coefficients on the solver's scale
  const LassoData& data;                 ///< what it was fitted on
};
/// Its files, as FOLDER/NAME. `bfile`: PREFIX of the data, or "".
[[nodiscard]] std::vector<std::string> files_of_model_folder(const std::string& folder, const std::string& bfile);
/// Writes coefficients.tsv, model.bin, with alleles NAME.afreq. `lasso predict` and --warm-start take them. `folder`:
/// "NAME/"; "": the directory itself.
[[nodiscard]] Status write_model_files(const std::string& folder, const ModelOfFolder& of, const std::string& bfile,
                                       RunDirectory& directory);
/// The same in a folder that is made for it, with summary.json.
[[nodiscard]] Status write_model_folder(const std::string& folder, const ModelOfFolder& of, const Summary& summary,
                                        const std::string& bfile, RunDirectory& directory);

/// Files of lambda_min/ and lambda_1se/, as FOLDER/NAME. `bfile`: PREFIX of the data, or "".
[[nodiscard]] std::vector<std::string> files_of_chosen_models(const std::string& bfile);

/// Writes the folders lambda_min and lambda_1se: coefficients.tsv, model.bin, summary.json, with alleles NAME.afreq.
/// `lasso predict` and --warm-start take them. `model`: the path on all samples. REQUIRES: a curve.
[[nodiscard]] Status write_chosen_models(const CvOptions& options, const CvResult& result, const FittedPath& model,
                                         RunDirectory& directory);

}  // namespace strads::lasso
