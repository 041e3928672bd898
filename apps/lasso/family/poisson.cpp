// A count: half of the deviance, sum w_i (mu_i - y_i - y_i (eta_i - log y_i)) with mu_i = exp(eta_i), which is the loss
// but for a constant and is not negative.
#include <array>
#include <cmath>
#include <cstdio>
#include <string>

#include "lasso/family/family.hpp"
#include "regression/classification.hpp"
#include "regression/model_file.hpp"

namespace strads::lasso {
namespace {

constexpr std::array kMeasuresOfCounts{
    FamilyMeasure{Measure::mse, "mean squared error",
                  [](double y, double link) { return (y - std::exp(link)) * (y - std::exp(link)); }},
    FamilyMeasure{Measure::mae, "mean absolute error",
                  [](double y, double link) { return std::abs(y - std::exp(link)); }},
    FamilyMeasure{Measure::deviance, "Poisson deviance", deviance_of_count},
};

constexpr double kSquaresLeast = 1e-200, kSquaresMost = 1e300;

/// Counts, some of them above 0: else no finite intercept fits best. Their squares are in norms and in the check.
Status expect_counts(const FamilySamples& samples) {
  double squares = 0;
  bool found = false;
  for (std::size_t i = 0; i < samples.response.size(); ++i) {
    const double y = samples.response[i];
    if (!(y >= 0) || !std::isfinite(y)) {
      char text[32];
      std::snprintf(text, sizeof text, "%.10g", y);
      return Status::input("the response of " + (samples.name ? samples.name(i) : "row " + std::to_string(i + 1)) +
                           " is " + text +
                           ", expected a count, a number of 0 or more; leave the sample out (NA), or fit a number with "
                           "--family gaussian");
    }
    found = found || (y > 0 && samples.weights[i] > 0);
    squares += samples.weights[i] * y * y;
  }
  if (found && !(squares > kSquaresLeast && squares < kSquaresMost)) {
    return Status::input(std::string("the counts are too ") + (squares < 1 ? "small" : "large") +
                         " for their squares to be represented; multiply them by a constant, which the intercept takes "
                         "up as its logarithm");
  }
  if (found) return {};
  return Status::input(std::string("all counts") + (samples.weighted ? " of samples with a weight above 0" : "") +
                       " are 0; expected some above it: there is nothing to fit");
}

/// mu -> 0 where y = 0, and nothing changes elsewhere.
bool ends_at_zero(const LossSamples& samples, std::span<const double> way, double allowed) {
  bool falls = false;
  for (std::size_t i = 0; i < way.size(); ++i) {
    if (samples.weights[i] == 0) continue;
    if (way[i] > allowed || (samples.response[i] > 0 && way[i] < -allowed)) return false;
    falls = falls || way[i] < -allowed;
  }
  return falls;
}

/// w (y + mu).
std::vector<double> count_terms(const LossSamples& samples, std::span<const double> curvature) {
  std::vector<double> terms(curvature.begin(), curvature.end());
  for (std::size_t i = 0; i < terms.size(); ++i) terms[i] += samples.weights[i] * samples.response[i];
  return terms;
}

}  // namespace

extern const FamilyFacts kPoissonFacts;
constinit const FamilyFacts kPoissonFacts{
    .name = kPoisson,
    .response = "a count",
    .regression = "Poisson regression",
    .loss = LossKind::poisson,
    .curvature_bound = {},
    .loss_name = "poisson",
    .has_classes = false,
    .growth = Growth::of_explained,
    .usable = expect_counts,
    .coded = [](double y) { return y; },
    .falls_along = ends_at_zero,
    .falls_text = "the counts of 0 are separated from the others",
    .slope_terms = count_terms,
    .mean_of = [](double link) { return std::exp(link); },
    .mean_column = "mean",
    .ratio_column = "rate_ratio",
    .loss_measure = Measure::deviance,
    .measures = kMeasuresOfCounts,
};

}  // namespace strads::lasso
