#include "lasso/loss/logistic_data.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>

#include "lasso/loss/settle.hpp"
#include "strads/numerics/columns.hpp"

namespace strads::lasso {

namespace {

constexpr double kGoingShare = 1e-3;  ///< of the largest part: a covariate with less has no part in a separation

}  // namespace

double refresh(const LogisticData& data, LassoState::Linear& linear, Chunks& chunks) {
  linear.slope.resize(linear.predictor.size());
  linear.curvature.resize(linear.predictor.size());
  return logistic_terms(data.samples(), linear.predictor, linear.slope, linear.curvature, chunks);
}

std::vector<double> respond(const LogisticData& data, const LassoState::Linear& linear, std::span<double> v) {
  if (data.space.size() == 0) return {};
  std::vector<double> weighted(v.size());
  for (std::size_t i = 0; i < v.size(); ++i) weighted[i] = -linear.curvature[i] * v[i];
  std::vector<double> way = solve_symmetric(data.space.curvature(linear.curvature), data.space.products(weighted));
  data.space.add(way, v);
  return way;
}

namespace {

/// "'age' and 'sex'".
std::string listed(const std::vector<std::string>& names) {
  std::string text;
  for (std::size_t k = 0; k < names.size(); ++k) {
    text += (k == 0 ? "" : k + 1 == names.size() ? " and " : ", ") + ("'" + names[k] + "'");
  }
  return text;
}

/// Which of the vectors a direction goes along.
std::vector<std::string> going_to(const LogisticData& data, std::span<const double> direction,
                                  const std::vector<std::string>& names) {
  std::vector<double> parts = data.space.coefficients(direction);
  for (std::size_t k = 0; k < parts.size(); ++k) parts[k] = std::abs(parts[k]) * data.space.lengths()[k];
  const std::size_t first = data.intercept ? 1 : 0;
  const double most = *std::max_element(parts.begin() + static_cast<std::ptrdiff_t>(first), parts.end());
  std::vector<std::string> found;
  for (std::size_t k = first; k < parts.size(); ++k) {
    if (parts[k] > kGoingShare * most) found.push_back(names[k - first]);
  }
  return found;
}

/// Samples of weight 0 are none.
Status expect_both_classes(const LogisticSamples& samples) {
  for (const double wanted : {-1.0, 1.0}) {
    bool found = false;
    for (std::size_t i = 0; i < samples.classes.size() && !found; ++i) {
      found = samples.classes[i] == wanted && (samples.weights.empty() || samples.weights[i] > 0);
    }
    if (!found) {
      return Status::input(std::string("all samples") + (samples.weights.empty() ? "" : " with a weight above 0") +
                           " are of one class; expected some of each");
    }
  }
  return {};
}

}  // namespace

Result<std::shared_ptr<const LogisticData>> prepare_logistic(std::span<const double> response,
                                                             std::span<const double> weights,
                                                             std::span<const std::uint32_t> dropped_rows,
                                                             std::span<const double> offset, bool intercept,
                                                             const std::vector<std::vector<double>>& unpenalised,
                                                             const std::vector<std::string>& names) {
  auto data = std::make_shared<LogisticData>();
  data->weights = weights;
  data->offset.assign(offset.begin(), offset.end());
  data->intercept = intercept;
  for (const double one : response) data->classes.push_back(one > 0.5 ? 1.0 : -1.0);
  std::vector<double> there(response.size(), 1.0);
  for (const std::uint32_t row : dropped_rows) data->classes[row] = there[row] = 0.0;
  if (Status both = expect_both_classes(data->samples()); !both.ok()) return both;
  std::vector<std::vector<double>> vectors;
  if (intercept) vectors.push_back(there);
  vectors.insert(vectors.end(), unpenalised.begin(), unpenalised.end());
  data->space = UnpenalisedSpace(vectors, weights.empty() ? std::span<const double>(there) : weights);
  data->null.predictor = data->offset.empty() ? std::vector<double>(response.size(), 0.0) : data->offset;
  data->null.unpenalised.assign(data->space.size(), 0.0);
  SerialChunks chunks;
  const double start = refresh(*data, data->null, chunks);
  const Settled settled = settle(*data, data->null, start, chunks, Minimum::unknown);
  if (!settled.separating.empty()) {
    return Status::input(
        "the classes are separated by what has no penalty: " + listed(going_to(*data, settled.separating, names)) +
        "; no finite coefficients fit best. Leave that out, or give it a penalty");
  }
  if (!settled.there) {
    return Status::input(
        "what has no penalty cannot be fitted in double precision: its gradient stays above rounding; rescale or leave "
        "out covariates or offsets of extreme size");
  }
  data->null_loss = settled.loss;
  return std::shared_ptr<const LogisticData>(std::move(data));
}

}  // namespace strads::lasso
