// The model of a fit as files. Formats: docs/OUTPUT.md.
#pragma once

#include <string>
#include <vector>

#include "regression/classifier_file.hpp"
#include "strads/base/status.hpp"
#include "strads/program/run_directory.hpp"
#include "svm/data/loaded_samples.hpp"
#include "svm/problem/svm.hpp"

namespace strads::svm {

inline constexpr const char* kModelFile = "model.bin";
inline constexpr const char* kCoefficientsFile = "coefficients.tsv";

/// What to do about a failed check.
inline constexpr const char* kReportThis =
    "Please report it with the command line; on a cluster, look also at who else can reach the driver's "
    "port";

/// Of a solution: variables that no plane needs are left out.
[[nodiscard]] lasso::FittedClassifier classifier_of(const LoadedSamples& loaded, const SvmSolution& solution);

/// A line for each variable: id, of genotypes also chromosome, position, A1 and A2, then a coefficient for each plane,
/// per unit of X (per copy of A1), and the column's number from 1.
[[nodiscard]] std::string coefficients_table(const lasso::FittedClassifier& classifier);

/// Both files, and reads the model again. Errors: input: the system's reason; internal: it is not what was written.
[[nodiscard]] Status write_model_files(RunDirectory& directory, const lasso::FittedClassifier& classifier);

}  // namespace strads::svm
