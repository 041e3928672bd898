#include "mf/ranking/ranking_metrics.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace strads::mf {
namespace {

double discount(std::size_t place) {
  return 1 / std::log2(static_cast<double>(place) + 2);
}

}  // namespace

std::vector<UserMetrics> metrics_of_user(std::span<const Candidate> list, std::span<const std::uint32_t> relevant,
                                         std::uint64_t missed, std::span<const std::uint32_t> ks) {
  const std::uint64_t wanted = relevant.size() + missed;
  std::vector<UserMetrics> out;
  out.reserve(ks.size());
  double gain = 0, ideal = 0, precisions = 0, first = 0;
  std::uint64_t hits = 0;
  std::size_t place = 0;
  for (const std::uint32_t k : ks) {
    for (; place < k; ++place) {
      if (place < wanted) ideal += discount(place);
      if (place >= list.size() || !std::binary_search(relevant.begin(), relevant.end(), list[place].item)) continue;
      ++hits;
      gain += discount(place);
      precisions += static_cast<double>(hits) / static_cast<double>(place + 1);
      if (first == 0) first = 1 / static_cast<double>(place + 1);
    }
    const auto found = static_cast<double>(hits);
    const auto reachable = static_cast<double>(std::min<std::uint64_t>(k, wanted));
    out.push_back({found / static_cast<double>(wanted), found / reachable, found / k, gain / ideal,
                   precisions / reachable, first, hits > 0 ? 1.0 : 0.0});
  }
  return out;
}

RankingSums::RankingSums(std::vector<std::uint32_t> ks, const std::vector<std::uint32_t>& popularity,
                         std::uint32_t users)
    : ks_(std::move(ks)), at_(ks_.size()) {
  surprise_.reserve(popularity.size());
  for (const std::uint32_t count : popularity)
    surprise_.push_back(std::log2(static_cast<double>(users) / std::max(count, 1U)));
  for (AtK& at : at_) at.shown.assign(popularity.size(), false);
}

void RankingSums::add(std::span<const Candidate> list, std::span<const UserMetrics> metrics) {
  ++added_;
  for (std::size_t k = 0; k < ks_.size(); ++k) {
    AtK& at = at_[k];
    for (std::size_t m = 0; m < kRankingMetrics.size(); ++m) {
      at.sums[m] += metrics[k][m];
      at.squares[m] += metrics[k][m] * metrics[k][m];
    }
    const std::size_t places = std::min<std::size_t>(ks_[k], list.size());
    for (std::size_t place = 0; place < places; ++place) {
      at.shown[list[place].item] = true;
      at.surprise += surprise_[list[place].item];
    }
    at.places += places;
  }
}

RankingSums::Mean RankingSums::mean(std::size_t k, std::size_t metric) const {
  const auto n = static_cast<double>(added_);
  const double mean = at_[k].sums[metric] / n;
  if (added_ < 2) return {mean, std::numeric_limits<double>::quiet_NaN()};
  const double variance = std::max(0.0, at_[k].squares[metric] / n - mean * mean) * n / (n - 1);
  return {mean, std::sqrt(variance / n)};
}

double RankingSums::coverage(std::size_t k) const {
  const auto& shown = at_[k].shown;
  return static_cast<double>(std::count(shown.begin(), shown.end(), true)) / static_cast<double>(shown.size());
}

double RankingSums::novelty(std::size_t k) const {
  return at_[k].places == 0 ? 0 : at_[k].surprise / static_cast<double>(at_[k].places);
}

}  // namespace strads::mf
