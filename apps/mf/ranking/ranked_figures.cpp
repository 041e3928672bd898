#include "mf/ranking/ranked_figures.hpp"

#include <cstddef>
#include <limits>

namespace strads::mf {

std::vector<RankedFigure> ranked_figures(std::span<const std::uint32_t> ks, const RankingSums* const (&sums)[2]) {
  constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  std::vector<RankedFigure> out;
  for (std::size_t k = 0; k < ks.size(); ++k) {
    for (std::size_t who = 0; who < 2; ++who) {
      for (std::size_t m = 0; m < kRankingMetrics.size(); ++m) {
        const auto mean = sums[who]->mean(k, m);
        out.push_back({ks[k], kRankers[who], kRankingMetrics[m], mean.mean, mean.standard_error});
      }
      out.push_back({ks[k], kRankers[who], "coverage", sums[who]->coverage(k), kNone});
      out.push_back({ks[k], kRankers[who], "novelty", sums[who]->novelty(k), kNone});
    }
  }
  return out;
}

}  // namespace strads::mf
