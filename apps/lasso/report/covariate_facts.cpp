#include "lasso/report/covariate_facts.hpp"

#include <algorithm>
#include <cmath>

#include "lasso/problem/predictor_data.hpp"
#include "regression/people.hpp"
#include "strads/program/summary.hpp"

namespace strads::lasso {
namespace {

/// Share of the largest value below which differences are rounding, as where covariates are projected.
constexpr double kConstant = 1e-10;

/// Why a covariate without a direction of its own has none.
std::string reason_of(const std::vector<double>& values, const ColumnsView& view) {
  double least = 0, most = 0;
  bool first = true;
  for (const std::uint32_t i : samples_of(view)) {
    least = first ? values[i] : std::min(least, values[i]);
    most = first ? values[i] : std::max(most, values[i]);
    first = false;
  }
  if (least == most) return "constant";
  if (most - least <= kConstant * std::max(std::abs(least), std::abs(most))) {
    return "varies by less than 1e-10 of its size: subtract a constant from it";
  }
  return "collinear with those before it";
}

/// Whether covariate k has a direction of its own: then it is explained by itself with coefficient 1, else the
/// projection gives it exactly 0. Where classes are fitted nothing is projected, and the space knows it.
bool has_direction(const LassoData& data, std::size_t k) {
  if (data.predictor != nullptr) return data.predictor->space.has_direction(k + (data.predictor->intercept ? 1 : 0));
  std::vector<double> itself = data.dataset->covariates()[k];
  const auto roots = data.columns->roots();
  for (std::size_t i = 0; i < roots.size(); ++i) itself[i] *= roots[i];
  return data.columns->covariate_coefficients(itself)[k + 1] != 0;
}

}  // namespace

CovariateFacts covariate_facts(const LassoData& data) {
  const Dataset& dataset = *data.dataset;
  CovariateFacts facts;
  facts.skipped = dataset.skipped_covariates();
  for (std::size_t k = 0; k < dataset.covariates().size(); ++k) {
    const std::string& name = dataset.covariate_names()[k];
    if (has_direction(data, k)) {
      facts.used.push_back(name);
      facts.places.push_back(k);
    } else {
      facts.skipped.push_back({name, reason_of(dataset.covariates()[k], dataset.columns())});
    }
  }
  return facts;
}

std::string covariate_line(const CovariateFacts& facts) {
  std::string line = "covariates: ";
  for (std::size_t k = 0; k < facts.used.size(); ++k) line += (k > 0 ? ", " : "") + facts.used[k];
  if (facts.used.empty()) line += "none";
  for (std::size_t k = 0; k < facts.skipped.size(); ++k) {
    line += (k == 0 ? "; left out: " : ", ") + facts.skipped[k].name + " (" + facts.skipped[k].reason + ")";
  }
  return line;
}

void add_covariates(Summary& summary, const LassoData& data, const std::vector<double>& coefficients) {
  const CovariateFacts facts = covariate_facts(data);
  if (!facts.used.empty() && coefficients.empty()) summary.add("covariates", facts.used);
  if (!facts.used.empty() && !coefficients.empty()) {
    Summary used;
    for (std::size_t k = 0; k < facts.used.size(); ++k) used.add(facts.used[k], coefficients[facts.places[k]]);
    summary.add("covariates", used);
  }
  if (facts.skipped.empty()) return;
  Summary skipped;
  for (const SkippedCovariate& one : facts.skipped) skipped.add(one.name, std::string_view(one.reason));
  summary.add("covariates_left_out", skipped);
}

}  // namespace strads::lasso
