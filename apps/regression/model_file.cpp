// Sealed files: version 2 holds an archive (model_archive.cpp), version 1 plain members (plain_model.cpp).
#include "regression/model_file.hpp"

#include <algorithm>
#include <map>
#include <optional>

#include "regression/model_archive.hpp"
#include "regression/path_in_pieces.hpp"
#include "regression/plain_model.hpp"
#include "strads/program/sealed_file.hpp"

namespace strads::lasso {
namespace {

constexpr std::string_view kModelMagic = "SRDLASSO";
constexpr std::string_view kPathMagic = "SRDLPATH";
constexpr std::uint32_t kPlainVersion = 1;
constexpr std::uint32_t kArchiveVersion = 2;

bool family_fits(const FittedModel& model) {
  return std::ranges::find(kFamilies, model.family) != kFamilies.end() &&
         (!model.has_classes() || model.classes[0] != model.classes[1]);
}

bool fits_together(const FittedModel& model) {
  return family_fits(model) && model.covariates.size() == model.covariate_names.size();
}

bool fits_together(const FittedPath& path) {
  const auto fits = [&](const FittedStep& step) {
    return step.places.size() == step.coefficients.size() &&
           step.covariates.size() == path.shape.covariate_names.size() &&
           std::all_of(step.places.begin(), step.places.end(),
                       [&](std::uint64_t place) { return place < path.shape.variables.size(); });
  };
  return family_fits(path.shape) && !path.steps.empty() && path.least <= path.steps.size() &&
         path.simplest <= path.steps.size() && std::all_of(path.steps.begin(), path.steps.end(), fits);
}

template <class T>
Status write_fitted(const std::string& path, std::string_view magic, const T& fitted) {
  return write_sealed_file(path, magic, kArchiveVersion,
                           [&fitted](const PieceTaker& take) { return model_content_in_pieces(fitted, take); });
}

template <class T>
Result<T> read_fitted(const std::string& path, std::string_view magic) {
  STRADS_ASSIGN_OR_RETURN(const auto sealed,
                          read_sealed_file(path, magic, {kPlainVersion, kArchiveVersion}, kModelAdvice));
  const std::string& content = sealed.content;
  std::optional<T> fitted;
  if (sealed.version == kPlainVersion) {
    fitted = from_plain_content<T>(content);
  } else {
    STRADS_ASSIGN_OR_RETURN(fitted, from_model_content<T>(path, content));
  }
  if (!fitted.has_value() || !fits_together(*fitted)) {
    return Status::input(path + ": what it holds does not fit together; " + kModelAdvice);
  }
  return std::move(*fitted);
}

}  // namespace

FittedModel FittedPath::at(std::size_t step) const {
  return at(steps[step]);
}

FittedStep FittedPath::between(std::size_t step, double lambda) const {
  const FittedStep &high = steps[step], &low = steps[step + 1];
  const double share = (lambda - low.lambda) / (high.lambda - low.lambda);  // of the larger lambda
  const auto mixed = [share](double of_high, double of_low) { return share * of_high + (1 - share) * of_low; };
  FittedStep out;
  out.lambda = lambda;
  out.lambda_y = mixed(high.lambda_y, low.lambda_y);
  out.intercept = mixed(high.intercept, low.intercept);
  for (std::size_t c = 0; c < high.covariates.size(); ++c) {
    out.covariates.push_back(mixed(high.covariates[c], low.covariates[c]));
  }
  std::map<std::uint64_t, double> coefficients;
  for (std::size_t k = 0; k < high.places.size(); ++k) coefficients[high.places[k]] += share * high.coefficients[k];
  for (std::size_t k = 0; k < low.places.size(); ++k) coefficients[low.places[k]] += (1 - share) * low.coefficients[k];
  for (const auto& [place, coefficient] : coefficients) {
    out.places.push_back(place);
    out.coefficients.push_back(coefficient);
  }
  return out;
}

FittedModel FittedPath::at(const FittedStep& own) const {
  FittedModel model = shape;
  model.intercept = own.intercept;
  model.covariates = own.covariates;
  model.variables.clear();
  for (std::size_t k = 0; k < own.places.size(); ++k) {
    model.variables.push_back(shape.variables[own.places[k]]);
    model.variables.back().coefficient = own.coefficients[k];
  }
  return model;
}

Status write_path(const std::string& path, const FittedPath& fitted) {
  return write_fitted(path, kPathMagic, fitted);
}

Status write_path(const std::string& path, const PathInPieces& pieces) {
  return write_fitted(path, kPathMagic, pieces);
}

Result<FittedPath> read_path(const std::string& path) {
  return read_fitted<FittedPath>(path, kPathMagic);
}

Status write_model(const std::string& path, const FittedModel& model) {
  return write_fitted(path, kModelMagic, model);
}

Result<FittedModel> read_model(const std::string& path) {
  return read_fitted<FittedModel>(path, kModelMagic);
}

}  // namespace strads::lasso
