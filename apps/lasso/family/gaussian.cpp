// A number: 1/2 ||y - X beta||^2.
#include <array>
#include <cmath>

#include "lasso/family/family.hpp"
#include "regression/model_file.hpp"

namespace strads::lasso {
namespace {

constexpr std::array kMeasuresOfNumbers{
    FamilyMeasure{Measure::mse, "mean squared error",
                  [](double y, double predicted) {
                    const double off = std::abs(y - predicted);
                    return off * off;
                  }},
    FamilyMeasure{Measure::mae, "mean absolute error",
                  [](double y, double predicted) { return std::abs(y - predicted); }},
};

}  // namespace

extern const FamilyFacts kGaussianFacts;
constinit const FamilyFacts kGaussianFacts{
    .name = kGaussian,
    .response = "a number",
    .regression = "least squares",
    .loss = {},
    .curvature_bound = 1.0,
    .loss_name = "",
    .has_classes = false,
    .growth = Growth::of_explained,
    .usable = nullptr,
    .coded = nullptr,
    .falls_along = nullptr,
    .falls_text = "",
    .slope_terms = nullptr,
    .mean_of = [](double link) { return link; },
    .mean_column = nullptr,
    .ratio_column = nullptr,
    .loss_measure = Measure::mse,
    .measures = kMeasuresOfNumbers,
};

}  // namespace strads::lasso
