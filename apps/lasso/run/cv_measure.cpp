#include "lasso/run/cv_measure.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "regression/classification.hpp"

namespace strads::lasso {
namespace {

// All of them cv.glmnet's.
constexpr double kGroupedMin = 3;         ///< samples a fold
constexpr double kAreaMin = 10;           ///< samples a fold
constexpr double kProbabilityMin = 1e-5;  ///< in deviances
constexpr double kClassThreshold = 0.5;   ///< above it a probability says class 1

struct MeasureText {
  Measure measure;
  const char* name;
  const char* text;
  const char* of_classes;  ///< what it is called of the binomial family
};
constexpr std::array<MeasureText, 5> kMeasures{{
    {Measure::mse, "mse", "mean squared error", "mean squared error over both classes"},
    {Measure::mae, "mae", "mean absolute error", "mean absolute error over both classes"},
    {Measure::deviance, "deviance", "", "binomial deviance"},
    {Measure::misclassification, "class", "", "misclassification error"},
    {Measure::auc, "auc", "", "area under the ROC curve"},
}};

const MeasureText& text_of(Measure measure) {
  return *std::find_if(kMeasures.begin(), kMeasures.end(), [&](const auto& one) { return one.measure == measure; });
}

/// Of one sample; y is 0 or 1. In both families mse and mae of the other class are the same once more.
double class_error(double y, double link, Measure measure) {
  const double p = probability_of(link);
  switch (measure) {
    case Measure::mse:
      return 2 * (y - p) * (y - p);
    case Measure::mae:
      return 2 * std::abs(y - p);
    case Measure::misclassification:
      return (p > kClassThreshold) == (y != 0) ? 0 : 1;
    case Measure::deviance:
    case Measure::auc:
      break;
  }
  const double cut = std::clamp(p, kProbabilityMin, 1 - kProbabilityMin);
  return -2 * std::log(y != 0 ? cut : 1 - cut);
}

FoldError area_error(const HeldOut& samples) {
  // Of probabilities, as in cv.glmnet: log-odds that differ may be the same one.
  std::vector<double> probabilities;
  probabilities.reserve(samples.predicted.size());
  for (const double link : samples.predicted) probabilities.push_back(probability_of(link));
  FoldError error;
  for (const double weight : samples.weights) error.weight += weight;
  const double area = area_under_curve(probabilities, samples.response, samples.weights);
  error.sum = error.weight * area;
  error.squares = error.weight * area * area;
  return error;
}

}  // namespace

const char* measure_name(Measure measure) {
  return text_of(measure).name;
}

const char* measure_text(Measure measure, Family family) {
  return family == Family::binomial ? text_of(measure).of_classes : text_of(measure).text;
}

Result<Measure> measure_named(std::string_view name, Family family) {
  const bool binomial = family == Family::binomial;
  if (name == "auto") return binomial ? Measure::deviance : Measure::mse;
  for (const MeasureText& one : kMeasures) {
    if (one.name != name) continue;
    if (binomial || *one.text != '\0') return one.measure;
  }
  return Status::usage("--measure " + std::string(name) +
                       " is an error of predicted classes and goes with --family binomial; expected mse or mae");
}

Measure measure_for(Measure wanted, std::uint64_t samples, std::uint32_t folds) {
  const bool enough = static_cast<double>(samples) / folds >= kAreaMin;
  return wanted == Measure::auc && !enough ? Measure::deviance : wanted;
}

FoldError fold_error(const HeldOut& samples, Measure measure, Family family) {
  if (measure == Measure::auc) return area_error(samples);
  FoldError error;
  for (std::size_t i = 0; i < samples.predicted.size(); ++i) {
    const double off = std::abs(samples.response[i] - samples.predicted[i]);
    const double one = family == Family::binomial ? class_error(samples.response[i], samples.predicted[i], measure)
                       : measure == Measure::mse  ? off * off
                                                  : off;
    const double weight = samples.weights[i];
    error.sum += weight * one;
    error.squares += weight * one * one;
    error.weight += weight;
  }
  return error;
}

std::size_t best_of(std::span<const double> curve, Measure measure) {
  const double sign = measure == Measure::auc ? -1 : 1;
  const auto better = [sign](double a, double b) { return sign * a < sign * b; };
  return static_cast<std::size_t>(std::min_element(curve.begin(), curve.end(), better) - curve.begin());
}

bool has_stopped_improving(std::span<const double> curve, Measure measure, std::uint32_t after) {
  return after > 0 && curve.size() > after && best_of(curve, measure) + after < curve.size();
}

Curve curve_of(std::vector<std::vector<FoldError>> errors, std::uint64_t samples, Measure measure) {
  Curve curve;
  const auto folds = static_cast<double>(errors.size());
  const auto count = static_cast<double>(samples);
  curve.grouped = count / folds >= kGroupedMin;
  for (std::size_t k = 0; k < errors[0].size(); ++k) {
    FoldError all;
    for (const auto& fold : errors) {
      if (std::isnan(fold[k].sum)) continue;
      all.sum += fold[k].sum;
      all.squares += fold[k].squares;
      all.weight += fold[k].weight;
    }
    const double mean = all.sum / all.weight;
    double spread = all.squares / all.weight - mean * mean;
    if (curve.grouped) {
      spread = 0;
      for (const auto& fold : errors) {
        if (std::isnan(fold[k].sum)) continue;
        const double off = fold[k].sum / fold[k].weight - mean;
        spread += fold[k].weight / all.weight * off * off;
      }
    }
    curve.mean.push_back(mean);
    curve.standard_error.push_back(
        std::sqrt(std::max(spread, 0.0) / std::max(1.0, (curve.grouped ? folds : count) - 1)));
  }
  const double sign = measure == Measure::auc ? -1 : 1;
  curve.least = best_of(curve.mean, measure);
  const double enough = sign * curve.mean[curve.least] + curve.standard_error[curve.least];
  const auto simplest =
      std::find_if(curve.mean.begin(), curve.mean.end(), [&](double mean) { return sign * mean <= enough; });
  curve.simplest = static_cast<std::size_t>(simplest - curve.mean.begin());
  curve.errors = std::move(errors);
  return curve;
}

}  // namespace strads::lasso
