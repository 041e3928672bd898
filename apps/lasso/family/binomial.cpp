// One of two classes: sum w_i log(1 + exp(-y_i (x_i'beta + b + offset_i))), y_i = -1 or 1.
#include <algorithm>
#include <array>
#include <cmath>

#include "lasso/family/family.hpp"
#include "regression/classification.hpp"
#include "regression/model_file.hpp"

namespace strads::lasso {
namespace {

// Both are cv.glmnet's.
constexpr double kProbabilityMin = 1e-5;  ///< in deviances
constexpr double kClassThreshold = 0.5;   ///< above it a probability says class 1

// Errors of y = 0 or 1. mse and mae of the other class are the same once more.
constexpr std::array kMeasuresOfClasses{
    FamilyMeasure{Measure::mse, "mean squared error over both classes",
                  [](double y, double link) {
                    const double p = probability_of(link);
                    return 2 * (y - p) * (y - p);
                  }},
    FamilyMeasure{Measure::mae, "mean absolute error over both classes",
                  [](double y, double link) { return 2 * std::abs(y - probability_of(link)); }},
    FamilyMeasure{Measure::deviance, "binomial deviance",
                  [](double y, double link) {
                    const double cut = std::clamp(probability_of(link), kProbabilityMin, 1 - kProbabilityMin);
                    return -2 * std::log(y != 0 ? cut : 1 - cut);
                  }},
    FamilyMeasure{
        Measure::misclassification, "misclassification error",
        [](double y, double link) { return (probability_of(link) > kClassThreshold) == (y != 0) ? 0.0 : 1.0; }},
    FamilyMeasure{Measure::auc, "area under the ROC curve", nullptr},
};

double coded_class(double y) {
  return y > 0.5 ? 1.0 : -1.0;
}

/// Samples of weight 0 are none.
Status expect_both_classes(const FamilySamples& samples) {
  for (const double wanted : {-1.0, 1.0}) {
    bool found = false;
    for (std::size_t i = 0; i < samples.response.size() && !found; ++i) {
      found = samples.weights[i] > 0 && coded_class(samples.response[i]) == wanted;
    }
    if (!found) {
      return Status::input(std::string("all samples") + (samples.weighted ? " with a weight above 0" : "") +
                           " are of one class; expected some of each");
    }
  }
  return {};
}

bool separates(const LossSamples& samples, std::span<const double> way, double allowed) {
  bool falls = false;
  for (std::size_t i = 0; i < way.size(); ++i) {
    if (samples.weights[i] == 0) continue;
    const double gain = samples.response[i] * way[i];
    if (gain < -allowed) return false;
    falls = falls || gain > allowed;
  }
  return falls;
}

}  // namespace

extern const FamilyFacts kBinomialFacts;
constinit const FamilyFacts kBinomialFacts{
    .name = kBinomial,
    .response = "a class",
    .regression = "logistic regression",
    .loss = LossKind::logistic,
    .curvature_bound = 0.25,
    .loss_name = "logistic",
    .has_classes = true,
    .growth = Growth::of_null,
    .usable = expect_both_classes,
    .coded = coded_class,
    .falls_along = separates,
    .falls_text = "the classes are separated",
    .slope_terms = nullptr,
    .mean_of = probability_of,
    .mean_column = "probability",
    .ratio_column = "odds_ratio",
    .loss_measure = Measure::deviance,
    .measures = kMeasuresOfClasses,
};

}  // namespace strads::lasso
