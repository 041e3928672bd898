// model.bin of a classifier of hyperplanes: what `svm predict` needs of a fit. Later releases read it
// (docs/FORMATS.md).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "regression/model_file.hpp"
#include "strads/base/status.hpp"

namespace strads::lasso {

/// Decision values x -> offset + sum of x_j coefficient_j.
struct FittedPlane {
  double offset = 0;                 ///< --bias times its coefficient
  std::vector<double> coefficients;  ///< one for each variable of the classifier, original units
};

struct FittedClassifier {
  FittedModel shape;                 ///< the variables, with their means and without coefficients; no family of its own
  std::vector<std::string> classes;  ///< two or more, as the data call them
  /// Two classes: one, above 0 where the second class is; else one for each class, the largest value decides.
  std::vector<FittedPlane> planes;

  [[nodiscard]] bool has_one_plane() const { return classes.size() == 2; }
  /// As a model of its own, with the coefficients. REQUIRES: plane < planes.size().
  [[nodiscard]] FittedModel at(std::size_t plane) const;
};

/// The class of a sample from its decision values, one for each plane: of equal ones the first.
[[nodiscard]] std::uint32_t class_of(const FittedClassifier& classifier, const std::vector<double>& decisions);

[[nodiscard]] Status write_classifier(const std::string& path, const FittedClassifier& classifier);
/// Errors: input: no such file, damaged, of a later release.
[[nodiscard]] Result<FittedClassifier> read_classifier(const std::string& path);

}  // namespace strads::lasso
