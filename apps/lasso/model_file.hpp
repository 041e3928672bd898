// model.bin: what `lasso predict` needs of a fit.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "strads/dataset.hpp"
#include "strads/run.hpp"
#include "strads/types.hpp"

namespace strads::lasso {

/// One variable with a nonzero coefficient.
struct FittedVariable {
  VarId column = 0;  ///< in the training file, from 0
  std::string id, chromosome, position, counted, other;
  double coefficient = 0;  ///< original units, per unit of X (per copy of `counted`)
  double mean = 0;         ///< over the observed training samples: what a missing value counts as
};

struct FittedModel {
  std::string response;
  VarId columns = 0;         ///< J of the training file
  bool has_alleles = false;  ///< PLINK: matched by id and alleles
  bool has_names = false;    ///< otherwise variables match by column number
  double intercept = 0;
  std::vector<std::string> covariate_names;
  std::vector<double> covariates;
  std::vector<FittedVariable> variables;
};

/// Content of the sealed file and back. decode: errors: input, naming `path`, when the content does not parse.
[[nodiscard]] std::string encode_model(const FittedModel& model);
[[nodiscard]] Result<FittedModel> decode_model(const std::string& path, std::string_view content);

[[nodiscard]] Status write_model(const std::string& path, const FittedModel& model);
/// Errors: input: no such file, damaged, another version.
[[nodiscard]] Result<FittedModel> read_model(const std::string& path);

}  // namespace strads::lasso
