// The figures of `mf evaluate`, one after the other: of lists by a model, and of lists by popularity.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "mf/ranking/ranking_metrics.hpp"

namespace strads::mf {

inline constexpr std::string_view kRankers[] = {"model", "popularity"};

struct RankedFigure {
  std::uint32_t k = 0;
  std::string_view ranked_by{};  ///< of kRankers
  std::string_view metric{};     ///< of kRankingMetrics, "coverage" or "novelty"
  double mean = 0;
  double standard_error = 0;  ///< NaN where there is none
};

/// By k, who ranks, and metric. `sums`: of each of kRankers, at these `ks`.
[[nodiscard]] std::vector<RankedFigure> ranked_figures(std::span<const std::uint32_t> ks,
                                                       const RankingSums* const (&sums)[2]);

}  // namespace strads::mf
