#include "lasso/study/study_result.hpp"

namespace strads::lasso {

std::size_t best_ratio(std::span<const PathResult> ratios) {
  std::vector<std::size_t> places;
  std::vector<double> best;
  for (std::size_t r = 0; r < ratios.size(); ++r) {
    if (ratios[r].curve.mean.empty()) continue;
    places.push_back(r);
    best.push_back(ratios[r].curve.mean[ratios[r].curve.least]);
  }
  return best.empty() ? 0 : places[best_of(best, ratios.front().measure)];
}

const PathResult& StudyResults::best_of_trait(std::size_t trait) const {
  const auto own = of_trait(trait);
  return own[best_ratio(own)];
}

}  // namespace strads::lasso
