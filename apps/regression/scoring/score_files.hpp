// A fitted model as other programs read it.
#pragma once

#include <string>

#include "regression/model_file.hpp"

namespace strads::lasso {

/// What a scoring file of the PGS Catalog says of the score and the model does not know.
struct PgsFacts {
  std::string name;          ///< "": STRADS_ and the response
  std::string trait;         ///< "": the response
  std::string genome_build;  ///< "GRCh37", "GRCh38" or "NR"
};

/// PGS Catalog scoring file, format 2.0 [Lambert21]: rsID chr_name chr_position effect_allele other_allele
/// effect_weight allelefrequency_effect, separated by tabs. A variant without an id has chr:pos:other:effect in its
/// place, so that no field is empty; a position that is unknown is 0. Intercept and covariates have no place in it.
/// REQUIRES: model.has_alleles; no '=' and no end of line in `facts`.
[[nodiscard]] std::string pgs_file(const FittedModel& model, const PgsFacts& facts);

/// ID A1 WEIGHT, for `plink2 --score FILE 1 2 3 header`. REQUIRES: model.has_alleles.
[[nodiscard]] std::string plink2_weights(const FittedModel& model);
/// Frequencies of the training samples, for plink2's --read-freq: a missing call then counts as it does here.
/// REQUIRES: model.has_alleles.
[[nodiscard]] std::string plink2_frequencies(const FittedModel& model);

/// term,id,chromosome,position,A1,A2,coefficient,mean with a line for the intercept, each covariate and each variable;
/// `mean` is what a missing value counts as. Fields that do not apply are empty; those with commas or quotes are quoted
/// (RFC 4180).
[[nodiscard]] std::string csv_of_model(const FittedModel& model);

}  // namespace strads::lasso
