#include "lasso/problem/predictor_data.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <utility>

#include "lasso/problem/settle.hpp"
#include "strads/base/listed.hpp"
#include "strads/numerics/columns.hpp"

namespace strads::lasso {

namespace {

constexpr double kGoingShare = 1e-3;  ///< of the largest part: a covariate with less has no part in a separation
/// From the others: exp of 700 is hardly a number any more, and X beta needs its share of that.
constexpr double kOffsetMost = 500;
/// With their median so far from 0 the fit begins with an intercept that takes it up.
constexpr double kOffsetFar = 100;
/// Beyond it what the intercept takes up leaves too few digits.
constexpr double kMedianMost = 1e6;

}  // namespace

double refresh(const PredictorData& data, LassoState::Linear& linear, Chunks& chunks) {
  linear.slope.resize(linear.predictor.size());
  linear.curvature.resize(linear.predictor.size());
  return loss_terms(data.samples(), linear.predictor, linear.slope, linear.curvature, chunks);
}

std::vector<double> respond(const PredictorData& data, const LassoState::Linear& linear, std::span<double> v) {
  if (data.space.size() == 0) return {};
  std::vector<double> weighted(v.size());
  for (std::size_t i = 0; i < v.size(); ++i) weighted[i] = -linear.curvature[i] * v[i];
  std::vector<double> way = solve_symmetric(data.space.curvature(linear.curvature), data.space.products(weighted));
  data.space.add(way, v);
  return way;
}

namespace {

/// Which of the vectors a direction goes along: "'age'".
std::vector<std::string> going_to(const PredictorData& data, std::span<const double> direction,
                                  const std::vector<std::string>& names) {
  std::vector<double> parts = data.space.coefficients(direction);
  for (std::size_t k = 0; k < parts.size(); ++k) parts[k] = std::abs(parts[k]) * data.space.lengths()[k];
  const std::size_t first = data.intercept ? 1 : 0;
  const double most = *std::max_element(parts.begin() + static_cast<std::ptrdiff_t>(first), parts.end());
  std::vector<std::string> found;
  for (std::size_t k = first; k < parts.size(); ++k) {
    if (parts[k] > kGoingShare * most) found.push_back("'" + names[k - first] + "'");
  }
  return found;
}

/// Of samples that take part; 0 without any.
double median_offset(const PredictorData& data) {
  std::vector<double> own;
  for (std::size_t i = 0; i < data.offset.size(); ++i) {
    if (data.weights[i] > 0) own.push_back(data.offset[i]);
  }
  if (own.empty()) return 0;
  const auto middle = own.begin() + static_cast<std::ptrdiff_t>(own.size() / 2);
  std::nth_element(own.begin(), middle, own.end());
  return *middle;
}

/// A step of the intercept moves all of them, so that only distances count where there is one.
Status expect_offsets(const PredictorData& data, const std::function<std::string(std::size_t)>& name_of) {
  const double from = data.intercept ? median_offset(data) : 0;
  if (!(std::abs(from) <= kMedianMost)) {
    char text[128];
    std::snprintf(text, sizeof text, "the median of the offsets is %.6g, expected one within %.0f: ", from,
                  kMedianMost);
    return Status::input(
        std::string(text) +
        "an offset is added to a logarithm or to log-odds; subtract a constant from all of them, which "
        "changes the intercept alone");
  }
  for (std::size_t i = 0; i < data.offset.size(); ++i) {
    if (!(data.weights[i] > 0) || std::abs(data.offset[i] - from) <= kOffsetMost) continue;
    char text[128];
    std::snprintf(text, sizeof text, " is %.6g, expected one within %.0f of %s%.6g: ", data.offset[i], kOffsetMost,
                  data.intercept ? "their median, " : "", from);
    return Status::input(
        "the offset of " + (name_of ? name_of(i) : "row " + std::to_string(i + 1)) + text +
        "it is added to a logarithm or to log-odds, of which exp is taken; where it is a code of a missing "
        "value write NA");
  }
  return {};
}

/// The intercept as it begins where all offsets are far from 0: at exp of them nothing can be seen.
void take_up_offsets(PredictorData& data) {
  const double median = median_offset(data);
  if (!data.intercept || std::abs(median) <= kOffsetFar) return;
  std::vector<double> weighted(data.weights.begin(), data.weights.end());
  for (double& one : weighted) one *= -median;
  data.null.unpenalised = solve_symmetric(data.space.curvature(data.weights), data.space.products(weighted));
  data.space.add(data.null.unpenalised, data.null.predictor);
}

}  // namespace

Result<std::shared_ptr<const PredictorData>> prepare_predictor(Family family, std::span<const double> response,
                                                               std::span<const double> weights,
                                                               std::span<const std::uint32_t> dropped_rows,
                                                               std::span<const double> offset, bool intercept,
                                                               const std::vector<std::vector<double>>& unpenalised,
                                                               const std::vector<std::string>& names,
                                                               std::function<std::string(std::size_t)> name_of) {
  auto data = std::make_shared<PredictorData>();
  data->family = family;
  data->offset.assign(offset.begin(), offset.end());
  data->intercept = intercept;
  data->present.assign(response.size(), 1.0);
  for (const std::uint32_t row : dropped_rows) data->present[row] = 0.0;
  data->weights = weights.empty() ? std::span<const double>(data->present) : weights;
  if (Status offsets = expect_offsets(*data, name_of); !offsets.ok()) return offsets;
  if (Status usable = family->usable({response, data->weights, !weights.empty(), std::move(name_of)}); !usable.ok()) {
    return usable;
  }
  for (const double one : response) data->response.push_back(family->coded(one));
  for (const std::uint32_t row : dropped_rows) data->response[row] = 0.0;
  std::vector<std::vector<double>> vectors;
  if (intercept) vectors.push_back(data->present);
  vectors.insert(vectors.end(), unpenalised.begin(), unpenalised.end());
  data->space = UnpenalisedSpace(vectors, data->weights);
  data->null.predictor = data->offset.empty() ? std::vector<double>(response.size(), 0.0) : data->offset;
  data->null.unpenalised.assign(data->space.size(), 0.0);
  take_up_offsets(*data);
  SerialChunks chunks;
  const double start = refresh(*data, data->null, chunks);
  const Settled settled = settle(*data, data->null, start, chunks, Minimum::unknown);
  if (!settled.separating.empty()) {
    return Status::input(std::string(family->falls_text) +
                         " by what has no penalty: " + listed(going_to(*data, settled.separating, names), " and ") +
                         "; no finite coefficients fit best. Leave that out, or give it a penalty");
  }
  if (!settled.there) {
    return Status::input(
        "what has no penalty cannot be fitted in double precision: its gradient stays above rounding; rescale or leave "
        "out covariates or offsets of extreme size");
  }
  data->null_loss = settled.loss;
  return std::shared_ptr<const PredictorData>(std::move(data));
}

}  // namespace strads::lasso
