#include "lasso/loss/logistic_data.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>

#include "strads/numerics/columns.hpp"

namespace strads::lasso {

namespace {

constexpr std::uint32_t kStepsMax = 60;  ///< each moves a predictor by 1 at most: double precision ends before
constexpr double kLongest = 1;           ///< of a step: no longer one raises the loss, by the bound on its curvature
constexpr double kDecrement = 1e-27;     ///< x the weights: what such a step would still bring is far below rounding
constexpr double kGoingShare = 1e-3;     ///< of the largest part: a covariate with less has no part in a separation

double longest(std::span<const double> v) {
  double most = 0;
  for (const double one : v) most = std::max(most, std::abs(one));
  return most;
}

double total_weight(const LogisticData& data) {
  double sum = 0;
  for (std::size_t i = 0; i < data.classes.size(); ++i) {
    sum += data.weights.empty() ? data.classes[i] * data.classes[i] : data.weights[i];
  }
  return sum;
}

}  // namespace

double refresh(const LogisticData& data, LassoState::Linear& linear, Chunks& chunks) {
  linear.slope.resize(linear.predictor.size());
  linear.curvature.resize(linear.predictor.size());
  return logistic_terms(data.samples(), linear.predictor, linear.slope, linear.curvature, chunks);
}

Settled settle(const LogisticData& data, LassoState::Linear& linear, double loss, Chunks& chunks) {
  Settled settled{.loss = loss};
  if (data.space.size() == 0) return settled;
  const double enough = kDecrement * total_weight(data);
  std::vector<double> v(linear.predictor.size());
  for (; settled.steps < kStepsMax; ++settled.steps) {
    const std::vector<double> slopes = data.space.products(linear.slope);
    std::vector<double> way = solve_symmetric(data.space.curvature(linear.curvature), slopes);
    const double decrement = dot(slopes, way);
    if (!(decrement > enough)) return settled;
    std::fill(v.begin(), v.end(), 0.0);
    data.space.add(way, v);
    const double length = longest(v);
    if (!std::isfinite(length)) break;
    const double step = length > kLongest ? kLongest / length : 1.0;
    axpy(step, v, linear.predictor);
    axpy(step, way, linear.unpenalised);
    settled.loss = refresh(data, linear, chunks);
    settled.going = std::move(way);
  }
  settled.there = false;
  return settled;
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

/// Which of the vectors the fit was still going to.
std::vector<std::string> going_to(const LogisticData& data, const Settled& settled,
                                  const std::vector<std::string>& names) {
  std::vector<double> parts = data.space.coefficients(settled.going);
  for (std::size_t k = 0; k < parts.size(); ++k) parts[k] = std::abs(parts[k]) * data.space.lengths()[k];
  const std::size_t first = data.intercept ? 1 : 0;
  const double most = *std::max_element(parts.begin() + static_cast<std::ptrdiff_t>(first), parts.end());
  std::vector<std::string> found;
  for (std::size_t k = first; k < parts.size(); ++k) {
    if (parts[k] > kGoingShare * most) found.push_back(names[k - first]);
  }
  return found;
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
  for (const double missing : {-1.0, 1.0}) {
    if (std::ranges::find(data->classes, missing) != data->classes.end()) continue;
    return Status::input("all samples are of one class; expected some of each");
  }
  std::vector<std::vector<double>> vectors;
  if (intercept) vectors.push_back(there);
  vectors.insert(vectors.end(), unpenalised.begin(), unpenalised.end());
  data->space = UnpenalisedSpace(vectors, weights.empty() ? std::span<const double>(there) : weights);
  data->null.predictor = data->offset.empty() ? std::vector<double>(response.size(), 0.0) : data->offset;
  data->null.unpenalised.assign(data->space.size(), 0.0);
  SerialChunks chunks;
  const double start = refresh(*data, data->null, chunks);
  const Settled settled = settle(*data, data->null, start, chunks);
  if (!settled.there) {
    return Status::input(
        "the classes are separated by what has no penalty: " + listed(going_to(*data, settled, names)) +
        "; no finite coefficients fit best. Leave that out, or give it a penalty");
  }
  data->null_loss = settled.loss;
  return std::shared_ptr<const LogisticData>(std::move(data));
}

}  // namespace strads::lasso
