#include "regression/classifier_file.hpp"

#include <algorithm>
#include <string_view>

#include "regression/model_archive.hpp"
#include "strads/program/sealed_file.hpp"

namespace strads::lasso {
namespace {

constexpr std::string_view kClassifierMagic = "SRDPLANE";
constexpr std::uint32_t kClassifierVersion = 1;

bool fits_together(const FittedClassifier& classifier) {
  const std::size_t classes = classifier.classes.size();
  return classes >= 2 && classifier.planes.size() == (classes == 2 ? 1 : classes) &&
         std::ranges::all_of(classifier.planes, [&](const FittedPlane& plane) {
           return plane.coefficients.size() == classifier.shape.variables.size();
         });
}

}  // namespace

FittedModel FittedClassifier::at(std::size_t plane) const {
  FittedModel model = shape;
  model.intercept = planes[plane].offset;
  for (std::size_t j = 0; j < model.variables.size(); ++j) {
    model.variables[j].coefficient = planes[plane].coefficients[j];
  }
  return model;
}

std::uint32_t class_of(const FittedClassifier& classifier, const std::vector<double>& decisions) {
  if (classifier.has_one_plane()) return decisions.front() > 0 ? 1 : 0;
  return static_cast<std::uint32_t>(std::ranges::max_element(decisions) - decisions.begin());
}

Status write_classifier(const std::string& path, const FittedClassifier& classifier) {
  const auto content = to_model_content(classifier);
  if (!content.ok()) return Status::input(path + ": " + content.status().message());
  return write_sealed_file(path, kClassifierMagic, kClassifierVersion, content.value());
}

Result<FittedClassifier> read_classifier(const std::string& path) {
  STRADS_ASSIGN_OR_RETURN(const auto content,
                          read_sealed_file(path, kClassifierMagic, kClassifierVersion, kModelAdvice));
  STRADS_ASSIGN_OR_RETURN(auto classifier, from_model_content<FittedClassifier>(path, content));
  if (!fits_together(classifier)) {
    return Status::input(path + ": what it holds does not fit together; " + kModelAdvice);
  }
  return classifier;
}

}  // namespace strads::lasso
