#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "sumstats/choose/choose.hpp"

namespace strads::sumstats {

std::vector<double> local_false_discovery_rates(std::span<const double> p) {
  const std::size_t count = p.size();
  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, [&](std::size_t a, std::size_t b) { return p[a] < p[b] || (p[a] == p[b] && a < b); });
  const auto above = static_cast<double>(std::ranges::count_if(p, [](double own) { return own > 0.5; }));
  const double noise = count == 0 ? 1.0 : std::min(1.0, 2 * above / static_cast<double>(count));
  // Corners of the least concave majorant of the distribution function, from (0, 0) on.
  struct Corner {
    double p, share;
    std::size_t end;  ///< in `order`, of what lies up to it
  };
  std::vector<Corner> corners{{0, 0, 0}};
  const auto slope = [](const Corner& a, const Corner& b) {
    return b.p > a.p ? (b.share - a.share) / (b.p - a.p) : std::numeric_limits<double>::infinity();
  };
  const auto push = [&](const Corner& next) {
    while (corners.size() > 1 && slope(corners[corners.size() - 2], corners.back()) <= slope(corners.back(), next)) {
      corners.pop_back();
    }
    corners.push_back(next);
  };
  for (std::size_t k = 0; k < count; ++k) {
    if (k + 1 < count && p[order[k + 1]] == p[order[k]]) continue;
    push({p[order[k]], static_cast<double>(k + 1) / static_cast<double>(count), k + 1});
  }
  if (corners.back().p < 1) push({1, 1, count});
  std::vector<double> rates(count, 1.0);
  for (std::size_t c = 1; c < corners.size(); ++c) {
    const double density = slope(corners[c - 1], corners[c]);
    for (std::size_t k = corners[c - 1].end; k < corners[c].end; ++k) {
      rates[order[k]] = std::isfinite(density) ? std::min(1.0, density > 0 ? noise / density : 1.0) : 0.0;
    }
  }
  return rates;
}

std::optional<Choice> pseudo_validation(const LoadedSummary& loaded, const Grid& grid,
                                        const SummarySolution& solution) {
  const SummaryProblem& problem = *loaded.problem;
  std::vector<double> p;
  p.reserve(problem.r.size());
  for (std::size_t v = 0; v < problem.r.size(); ++v) {
    const double r = problem.r[v], n = loaded.n[v];
    const double z = std::abs(r) * std::sqrt((n - 2) / std::max(1 - r * r, 1e-300));
    p.push_back(std::erfc(z / std::sqrt(2.0)));
  }
  const auto rates = local_false_discovery_rates(p);
  Choice choice;
  choice.measure = "pseudo_correlation";
  choice.measured.assign(grid.size(), std::numeric_limits<double>::quiet_NaN());
  bool is_found = false;
  for (std::size_t k = 0; k < grid.size(); ++k) {
    double product = 0;
    for (std::uint32_t block = 0; block < problem.blocks(); ++block) {
      if (solution.blocks[block].empty()) continue;
      const BlockSolution& own = solution.blocks[block][k];
      for (std::size_t i = 0; i < own.places.size(); ++i) {
        const std::size_t v = problem.begins[block] + own.places[i];
        product += problem.r[v] * (1 - rates[v]) * own.values[i];
      }
    }
    const double squares = solution.points[k].squares;
    if (!(squares > 0)) continue;
    choice.measured[k] = product / std::sqrt(squares);
    if (is_found && !(choice.measured[k] > choice.measured[choice.point])) continue;
    choice.point = k;
    is_found = true;
  }
  if (!is_found) return std::nullopt;
  return choice;
}

}  // namespace strads::sumstats
