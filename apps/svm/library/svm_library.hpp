// Support vector machines inside of another program: see lasso/library/lasso_library.hpp.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "regression/classifier_file.hpp"
#include "strads/base/status.hpp"
#include "strads/data/data_in_memory.hpp"
#include "strads/program/embedding.hpp"
#include "strads/program/hosted_run.hpp"
#include "strads/program/run_host.hpp"

namespace strads::svm {

/// `svm fit`.
struct SvmCall {
  std::vector<OptionValue> options;                    ///< {"cost", "0.5"}, {"loss", "squared_hinge"} ...
  std::shared_ptr<const DataInMemory> data = nullptr;  ///< null: all data are files that the options name
  RunHost host = {};
  std::vector<OptionValue> cluster = {};  ///< as lasso::Call's: then `data` is null
};

/// How a fit went.
struct SvmOutcome : HostedOutcome {
  bool converged = false;  ///< every class meets the tolerance
  std::uint64_t samples = 0, columns = 0;
};

struct SvmFitCall : SvmOutcome {
  std::vector<double> weights;            ///< planes x columns
  std::vector<double> offsets;            ///< of each plane
  std::vector<double> primal, dual, gap;  ///< of each plane, recomputed from the data
  double relative_gap = 0;                ///< the largest of a plane
  std::uint64_t support_vectors = 0;
  std::string model_hash;
  std::vector<double> means;      ///< of each column: what a missing value counts as
  lasso::FittedClassifier model;  ///< its planes are models for lasso::call_predict()
};

/// From options to the model. Errors: usage, input: as `svm fit`, same text.
[[nodiscard]] Result<SvmFitCall> call_fit(const SvmCall& call);

/// What call_fit() takes.
[[nodiscard]] std::vector<OptionFacts> options_of_fit();

}  // namespace strads::svm
