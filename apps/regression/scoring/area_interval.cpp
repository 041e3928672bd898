#include "regression/scoring/area_interval.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace strads::lasso {
namespace {

std::vector<std::uint32_t> order_of(std::span<const double> scores) {
  std::vector<std::uint32_t> order(scores.size());
  std::iota(order.begin(), order.end(), std::uint32_t{0});
  std::sort(order.begin(), order.end(),
            [&](std::uint32_t a, std::uint32_t b) { return scores[a] != scores[b] ? scores[a] < scores[b] : a < b; });
  return order;
}

/// Sum of squared distances from the mean, over k (k - 1): the variance of a mean of k placements.
double variance_of_mean(std::span<const double> values) {
  const double count = static_cast<double>(values.size());
  double mean = 0, spread = 0;
  for (const double value : values) mean += value / count;
  for (const double value : values) spread += (value - mean) * (value - mean);
  return spread / (count - 1) / count;
}

}  // namespace

AreaWithError area_with_error(std::span<const double> scores, std::span<const double> is_case) {
  const auto order = order_of(scores);
  double cases = 0;
  for (const double one : is_case) cases += one != 0 ? 1 : 0;
  const double controls = static_cast<double>(scores.size()) - cases;
  std::vector<double> of_cases, of_controls;  // placements: shares of the other class that a score beats
  double cases_below = 0, controls_below = 0;
  for (std::size_t begin = 0, end = 0; begin < order.size(); begin = end) {
    double tied_cases = 0, tied_controls = 0;
    for (; end < order.size() && scores[order[end]] == scores[order[begin]]; ++end) {
      (is_case[order[end]] != 0 ? tied_cases : tied_controls) += 1;
    }
    for (std::size_t k = begin; k < end; ++k) {
      if (is_case[order[k]] != 0) {
        of_cases.push_back((controls_below + tied_controls / 2) / controls);
      } else {
        of_controls.push_back(1 - (cases_below + tied_cases / 2) / cases);
      }
    }
    cases_below += tied_cases;
    controls_below += tied_controls;
  }
  const double sum = std::accumulate(of_cases.begin(), of_cases.end(), 0.0);
  return {sum / cases, std::sqrt(variance_of_mean(of_cases) + variance_of_mean(of_controls))};
}

AreaOfDraws::AreaOfDraws(std::span<const double> scores, std::span<const double> is_case) : order_(order_of(scores)) {
  for (std::size_t k = 0; k < order_.size(); ++k) {
    tied_.push_back(k > 0 && scores[order_[k]] == scores[order_[k - 1]] ? 1 : 0);
    is_case_.push_back(is_case[order_[k]] != 0 ? 1 : 0);
  }
}

double AreaOfDraws::area(std::span<const double> counts) const {
  double below = 0, cases = 0, won = 0;  // won: pairs, counted twice so that halves are whole
  for (std::size_t begin = 0, end = 0; begin < order_.size(); begin = end) {
    double tied_cases = 0, tied_controls = 0;
    do {
      (is_case_[end] != 0 ? tied_cases : tied_controls) += counts[order_[end]];
      ++end;
    } while (end < order_.size() && tied_[end] != 0);
    won += tied_cases * (2 * below + tied_controls);
    cases += tied_cases;
    below += tied_controls;
  }
  return cases > 0 && below > 0 ? won / (2 * cases * below) : std::numeric_limits<double>::quiet_NaN();
}

}  // namespace strads::lasso
