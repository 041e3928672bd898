#include "lasso/study/held_out.hpp"

#include <limits>

#include "regression/raw_columns.hpp"

namespace strads::lasso {
namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

double weighted_mean(std::span<const double> values, std::span<const double> weights) {
  double sum = 0, weight = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    sum += weights[i] * values[i];
    weight += weights[i];
  }
  return sum / weight;
}

double r2_of(const HeldOut& samples) {
  const double mean = weighted_mean(samples.response, samples.weights);
  double off = 0, spread = 0;
  for (std::size_t i = 0; i < samples.response.size(); ++i) {
    const double residual = samples.response[i] - samples.predicted[i];
    const double deviation = samples.response[i] - mean;
    off += samples.weights[i] * residual * residual;
    spread += samples.weights[i] * deviation * deviation;
  }
  return spread > 0 ? 1 - off / spread : kNone;
}

}  // namespace

HeldOut held_out_of(const Dataset& data, std::span<const std::uint32_t> rows, const Solution& solution) {
  const ColumnsView& view = data.columns();
  HeldOut out;
  out.predicted.assign(rows.size(), solution.intercept);
  for (std::size_t k = 0; k < solution.variables.size(); ++k) {
    add_raw_rows(view, solution.variables[k], solution.coefficients[k], solution.means[k], rows, out.predicted);
  }
  const auto offset = data.offset();
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (std::size_t c = 0; c < solution.covariates.size(); ++c) {
      out.predicted[i] += solution.covariates[c] * data.covariates()[c][rows[i]];
    }
    if (!offset.empty()) out.predicted[i] += offset[rows[i]];
    out.response.push_back(data.response()[rows[i]]);
    out.weights.push_back(view.weights.empty() ? 1.0 : view.weights[rows[i]]);
  }
  return out;
}

double HeldOutScore::of(Measure measure) const {
  if (samples == 0) return kNone;
  switch (measure) {
    case Measure::mse:
      return mse;
    case Measure::mae:
      return mae;
    case Measure::deviance:
      return deviance;
    case Measure::misclassification:
      return misclassification;
    case Measure::auc:
      return area;
  }
  return kNone;
}

HeldOutScore score_held_out(const HeldOut& samples, Family family) {
  const auto mean = [&](Measure measure) {
    if (family->find(measure) == nullptr) return kNone;
    const FoldError error = fold_error(samples, measure, family);
    return error.sum / error.weight;
  };
  HeldOutScore score;
  score.samples = samples.response.size();
  score.mse = mean(Measure::mse);
  score.mae = mean(Measure::mae);
  score.r2 = family->is_squares() ? r2_of(samples) : kNone;
  score.deviance = mean(Measure::deviance);
  score.misclassification = mean(Measure::misclassification);
  score.area = mean(Measure::auc);
  return score;
}

}  // namespace strads::lasso
