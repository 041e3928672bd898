#include "lasso/problem/settle.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numeric>
#include <utility>

#include "strads/numerics/columns.hpp"

namespace strads::lasso {

namespace {

constexpr std::uint32_t kStepsMax = 400;
constexpr double kLongest = 1;          ///< of a step: no longer one raises the loss, by the bound on its curvature
constexpr std::uint32_t kShortMax = 8;  ///< steps shortened to that, before lines are searched
/// x the weights, or the sum of what slopes are the difference of: what such a step would still bring is far below
/// rounding.
constexpr double kDecrement = 1e-27;
constexpr double kResidual = 1e-12;  ///< of a gradient: that of a minimum, whatever the curvature says
/// A predictor of eta is off by eps eta, and a slope in its exponential tail by as large a share of it.
constexpr double kOfPredictor = 8 * std::numeric_limits<double>::epsilon();
constexpr double kShrinks = 0.5;  ///< a gradient that a step leaves larger than this share of it shrinks no more
/// And where rounding leaves more of it.
constexpr double kResidualMax = 1e-8;
constexpr int kStaysMax = 2;        ///< such steps
constexpr double kRegular = 1e-12;  ///< x the trace: added to a matrix that may have no inverse
constexpr int kDoublings = 1000;
constexpr int kNarrowings = 100;
constexpr double kNarrow = 0.1;  ///< of a step, and of a predictor: so exact is the minimum on a line
/// Towards infinity Newton's steps are about this long at most: shortened ones come to a direction that separates.
constexpr double kRunaway = 8;
constexpr double kNearly = 1e-2;
constexpr double kNearlyStep = 4;
constexpr double kViolates = 1e-10;  ///< of the largest change of a predictor: less is rounding

double longest(std::span<const double> v) {
  double most = 0;
  for (const double one : v) most = std::max(most, std::abs(one));
  return most;
}

double total(std::span<const double> v) {
  return std::accumulate(v.begin(), v.end(), 0.0);
}

/// Largest |q'u| / sum |q_i t_i|, where t_i is what u_i is the difference of: 0 at a minimum.
double residual_share(const PredictorData& data, std::span<const double> terms, std::span<const double> products) {
  double share = 0;
  for (std::size_t k = 0; k < products.size(); ++k) {
    const auto direction = data.space.direction(k);
    double whole = 0;
    for (std::size_t i = 0; i < direction.size(); ++i) whole += std::abs(direction[i] * terms[i]);
    if (whole > 0) share = std::max(share, std::abs(products[k]) / whole);
  }
  return share;
}

/// Whether no sample's loss rises along v, and that of one falls. `rounding`: of the largest change of a predictor.
bool falls(const PredictorData& data, std::span<const double> v, double rounding) {
  return data.family->falls_along(data.samples(), v, rounding * longest(v));
}

/// The way downhill: Newton's where the curvature says one, else that of the gradient. Its longest change of a
/// predictor is 1; false: there is none.
bool find_way(const PredictorData& data, const LassoState::Linear& linear, std::span<const double> slopes,
              std::vector<double>& way, std::vector<double>& v) {
  const std::size_t size = slopes.size();
  std::vector<double> matrix = data.space.curvature(linear.curvature);
  double trace = 0;
  for (std::size_t k = 0; k < size; ++k) trace += matrix[k * size + k];
  for (std::size_t k = 0; k < size; ++k) {
    matrix[k * size + k] += kRegular * trace + std::numeric_limits<double>::min();
  }
  way = solve_symmetric(matrix, slopes);
  for (const bool steepest : {false, true}) {
    if (steepest) way.assign(slopes.begin(), slopes.end());
    std::fill(v.begin(), v.end(), 0.0);
    data.space.add(way, v);
    const double length = longest(v);
    if (!std::isfinite(length) || !(length > std::numeric_limits<double>::min())) continue;
    for (double& one : way) one /= length;
    for (double& one : v) one /= length;
    if (dot(slopes, way) > 0) return true;
  }
  return false;
}

/// Step to a point close before the minimum on the line; 0: there is none before it.
double search_along(const PredictorData& data, const LassoState::Linear& linear, std::span<const double> v,
                    Chunks& chunks) {
  const auto slope_at = [&](double step) {
    return loss_change(data.samples(), linear.predictor, v, step, chunks).slope;
  };
  double before = 0, behind = 1;
  for (int k = 0; k < kDoublings && slope_at(behind) < 0; ++k) before = std::exchange(behind, 2 * behind);
  for (int k = 0; k < kNarrowings; ++k) {
    if (before > 0 && behind - before <= kNarrow * std::max(1.0, behind)) break;
    if (behind - before <= kNarrow * kNarrow * before) break;
    const double middle = before + (behind - before) / 2;
    (slope_at(middle) < 0 ? before : behind) = middle;
  }
  return before;
}

}  // namespace

Settled settle(const PredictorData& data, LassoState::Linear& linear, double loss, Chunks& chunks, Minimum minimum) {
  Settled settled{.loss = loss};
  if (data.space.size() == 0) return settled;
  const auto terms_of = data.family->slope_terms;
  const double weight = total(data.weights);
  std::vector<double> v(linear.predictor.size());
  std::uint32_t shortened = 0;
  int stays = 0;
  double residual_before = std::numeric_limits<double>::infinity();
  for (; settled.steps < kStepsMax; ++settled.steps) {
    const std::vector<double> slopes = data.space.products(linear.slope);
    std::vector<double> way = solve_symmetric(data.space.curvature(linear.curvature), slopes);
    const double decrement = dot(slopes, way);
    std::fill(v.begin(), v.end(), 0.0);
    data.space.add(way, v);
    const double length = longest(v);
    const bool is_downhill = std::isfinite(length) && decrement > 0;
    if (minimum == Minimum::unknown && is_downhill && falls(data, v, kViolates)) {
      settled.separating = std::move(way);
      break;
    }
    const std::vector<double> terms =
        terms_of == nullptr ? std::vector<double>() : terms_of(data.samples(), linear.curvature);
    if (!(decrement > kDecrement * (terms.empty() ? weight : total(terms)))) {
      // Saturated terms have next to no curvature, and what a quadratic promises says nothing there.
      settled.residual = residual_share(data, terms.empty() ? linear.slope : terms, slopes);
      if (settled.residual <= kResidual + kOfPredictor * longest(linear.predictor)) return settled;
      stays += settled.residual > kShrinks * residual_before ? 1 : 0;
      if (stays > kStaysMax) break;
      residual_before = settled.residual;
    }
    double step = 1;
    const bool is_long = length > kLongest && shortened >= kShortMax;
    if (!is_downhill || (is_long && (minimum == Minimum::exists || length > kRunaway))) {
      if (!find_way(data, linear, slopes, way, v)) break;
      if (minimum == Minimum::unknown && falls(data, v, kViolates)) {
        settled.separating = std::move(way);
        break;
      }
      step = search_along(data, linear, v, chunks);
      // A direction that is about to separate becomes clean while the terms that it moves can still be seen.
      if (minimum == Minimum::unknown && falls(data, v, kNearly)) step = std::min(step, kNearlyStep);
      if (!(step > 0)) break;
    } else if (length > kLongest) {
      step = kLongest / length;
      ++shortened;
    }
    axpy(step, v, linear.predictor);
    axpy(step, way, linear.unpenalised);
    settled.loss = refresh(data, linear, chunks);
  }
  settled.there = settled.separating.empty() && settled.residual <= kResidualMax && stays > kStaysMax;
  return settled;
}

}  // namespace strads::lasso
