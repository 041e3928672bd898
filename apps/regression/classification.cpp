#include "regression/classification.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numeric>
#include <vector>

namespace strads::lasso {

double probability_of(double link) {
  return 1 / (1 + std::exp(-link));
}

double deviance_of_count(double y, double link) {
  if (!(y >= 0)) return std::numeric_limits<double>::quiet_NaN();
  const double off = y > 0 ? link - std::log(y) : 0.0;
  return 2 * (y > 0 ? y * (std::expm1(off) - off) : std::exp(link));
}

double deviance_of(double link, bool is_case) {
  const double wrong = is_case ? -link : link;
  return 2 * (std::max(wrong, 0.0) + std::log1p(std::exp(-std::abs(wrong))));
}

double area_under_curve(std::span<const double> scores, std::span<const double> is_case,
                        std::span<const double> weights) {
  std::vector<std::size_t> order(scores.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return scores[a] < scores[b]; });
  double below = 0;  // weight of the controls with a smaller score
  double cases = 0, won = 0;
  for (std::size_t begin = 0, end = 0; begin < order.size(); begin = end) {
    double tied_cases = 0, tied_controls = 0;
    for (; end < order.size() && scores[order[end]] == scores[order[begin]]; ++end) {
      const std::size_t i = order[end];
      (is_case[i] != 0 ? tied_cases : tied_controls) += weights.empty() ? 1.0 : weights[i];
    }
    won += tied_cases * (below + tied_controls / 2);
    cases += tied_cases;
    below += tied_controls;
  }
  return cases > 0 && below > 0 ? won / (cases * below) : std::numeric_limits<double>::quiet_NaN();
}

}  // namespace strads::lasso
