// A model and a path of which every member differs from its default and from the others: what the files in
// tests/lasso/regression/model_files hold.
#pragma once

#include <limits>

#include "regression/model_file.hpp"

namespace strads::lasso {

inline FittedModel example_model() {
  FittedModel model;
  model.response = "height, cm";
  model.columns = std::numeric_limits<VarId>::max();
  model.has_alleles = true;
  model.has_names = true;
  model.intercept = -0.0;
  model.covariate_names = {"age", "\xc3\xa2ge\xc2\xb2"};
  model.covariates = {1.0 / 3.0, -2.5};
  model.variables = {{7, "rs7", "chr2", "12345678901", "A", "G", 0.1, 1.75},
                     {4'000'000'000U, "", "X", "-1", "AT", "*", -1e300, std::numeric_limits<double>::denorm_min()}};
  model.family = kBinomial;
  model.classes = {"control", "case, 2"};
  model.has_offset = true;
  model.samples = 5'000'000'000U;
  model.people = {7, 0xffffffffffffffffU};
  return model;
}

inline FittedPath example_path() {
  FittedPath path;
  path.shape = example_model();
  path.steps = {{0.5, 2.5, 1.5, {0.25, 0.75}, {}, {}}, {0.125, 0.625, 2.25, {3, 4}, {0, 1}, {-5, 6e-320}}};
  path.least = 2;
  path.simplest = 1;
  return path;
}

/// What files from before people were kept say of these two.
inline void forget_people(FittedModel& model) {
  model.samples = 0;
  model.people.clear();
}
inline void forget_people(FittedPath& path) {
  forget_people(path.shape);
}

/// What files from before there were families say of these two.
inline void forget_family(FittedModel& model) {
  model.family = kGaussian;
  model.classes = {};
  model.has_offset = false;
  forget_people(model);
}
inline void forget_family(FittedPath& path) {
  forget_family(path.shape);
}

}  // namespace strads::lasso
