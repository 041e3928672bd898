#include "lasso/study/cv_measure.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "regression/classification.hpp"
#include "strads/base/listed.hpp"

namespace strads::lasso {
namespace {

// All of them cv.glmnet's.
constexpr double kGroupedMin = 3;  ///< samples a fold
constexpr double kAreaMin = 10;    ///< samples a fold

struct MeasureName {
  Measure measure;
  const char* name;
  const char* meaning = "";  ///< where the name does not say it
};
constexpr std::array<MeasureName, 5> kMeasures{{{Measure::mse, "mse"},
                                                {Measure::mae, "mae"},
                                                {Measure::deviance, "deviance"},
                                                {Measure::misclassification, "class", " = misclassified or not"},
                                                {Measure::auc, "auc", " = area under the ROC curve"}}};

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
  return std::ranges::find(kMeasures, measure, &MeasureName::measure)->name;
}

const char* measure_text(Measure measure, Family family) {
  return family->find(measure)->text;
}

Result<Measure> measure_named(std::string_view name, Family family) {
  if (name == "auto") return family->loss_measure;
  for (const FamilyMeasure& one : family->measures) {
    if (measure_name(one.measure) == name) return one.measure;
  }
  std::vector<std::string> names;
  for (const FamilyMeasure& one : family->measures) names.emplace_back(measure_name(one.measure));
  return Status::usage("--measure " + std::string(name) +
                       " is an error of predicted classes and goes with --family binomial; expected " +
                       listed(names, " or "));
}

std::string other_measures_text(const std::string& of_area) {
  std::string text;
  for (const Family family : Family::all()) {
    std::vector<std::string> others;
    for (const MeasureName& one : kMeasures) {
      const bool is_other = one.measure != Measure::mse && one.measure != Measure::mae;
      if (!is_other || family->find(one.measure) == nullptr) continue;
      others.push_back(one.name + std::string(one.meaning) + (one.measure == Measure::auc ? of_area : ""));
    }
    if (!others.empty()) text += "; of the " + (family->name + (" family also " + listed(others, ", ")));
  }
  return text;
}

Measure measure_for(Measure wanted, std::uint64_t samples, std::uint32_t folds) {
  const bool enough = static_cast<double>(samples) / folds >= kAreaMin;
  return wanted == Measure::auc && !enough ? Measure::deviance : wanted;
}

FoldError fold_error(const HeldOut& samples, Measure measure, Family family) {
  const auto error_of = family->find(measure)->error;
  if (error_of == nullptr) return area_error(samples);
  FoldError error;
  for (std::size_t i = 0; i < samples.predicted.size(); ++i) {
    const double one = error_of(samples.response[i], samples.predicted[i]);
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
