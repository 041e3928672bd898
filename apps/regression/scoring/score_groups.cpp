#include "regression/scoring/score_groups.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace strads::lasso {

std::vector<ScoreGroup> groups_by_score(std::span<const double> scores, std::span<const double> response,
                                        std::size_t count) {
  std::vector<std::size_t> order(scores.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return scores[a] < scores[b]; });
  count = std::min(count, order.size());
  std::vector<ScoreGroup> groups(count);
  for (std::size_t g = 0; g < count; ++g) {
    ScoreGroup& group = groups[g];
    const std::size_t begin = g * order.size() / count;
    const std::size_t end = (g + 1) * order.size() / count;
    group.people = end - begin;
    const double size = static_cast<double>(group.people);
    for (std::size_t k = begin; k < end; ++k) {
      group.score += scores[order[k]] / size;
      group.response += response[order[k]] / size;
    }
    double spread = 0;
    for (std::size_t k = begin; k < end; ++k) {
      spread += (response[order[k]] - group.response) * (response[order[k]] - group.response);
    }
    group.standard_error =
        group.people > 1 ? std::sqrt(spread / (size - 1) / size) : std::numeric_limits<double>::quiet_NaN();
  }
  return groups;
}

}  // namespace strads::lasso
