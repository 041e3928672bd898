#include "strads_sim/audit/plain_weights.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace strads::simulator {

PlainWeights::PlainWeights(const Ratings& ratings, const AuditedSlim& asked)
    : asked_(asked),
      user_counts_(ratings.users->size(), 0),
      item_counts_(ratings.items->size(), 0),
      pairs_(user_counts_.size() * item_counts_.size(), false),
      work_(item_counts_.size(), 0) {
  const Triplets& all = ratings.train;
  for (std::size_t t = 0; t < all.size(); ++t) {
    const double value = all.codes.empty() ? double{all.values[t]} : double{ratings.levels[all.codes[t]]};
    if (asked.positive_from.has_value() && value < *asked.positive_from) continue;
    pairs_[std::size_t{all.users[t]} * items() + all.items[t]] = true;
    ++user_counts_[all.users[t]];
    ++item_counts_[all.items[t]];
  }
  const auto power = [](std::uint64_t count, double exponent) {
    return 1 / std::pow(static_cast<double>(std::max<std::uint64_t>(count, 1)), exponent);
  };
  for (const std::uint64_t count : user_counts_) squares_.push_back(power(count, asked.user_power));
  for (const std::uint64_t count : item_counts_) scales_.push_back(power(count, asked.item_power));
  for (std::size_t u = 0; u < user_counts_.size(); ++u) {
    for (std::size_t i = 0; i < items(); ++i) work_[i] += has(u, i) ? user_counts_[u] : 0;
  }
}

double PlainWeights::half_norm(std::uint32_t item) const {
  double sum = 0;
  for (std::size_t u = 0; u < user_counts_.size(); ++u) sum += has(u, item) ? squares_[u] : 0;
  return 0.5 * sum * scales_[item] * scales_[item];
}

/// Entries are x_u y_i; a weight of these is one of the pairs as they are, times y_j / y_i.
PlainWeights::Figures PlainWeights::figures(std::uint32_t item, const std::vector<double>& weights) const {
  Figures found;
  std::vector<double> rest(user_counts_.size(), 0.0);
  for (std::size_t u = 0; u < rest.size(); ++u) {
    for (std::size_t i = 0; i < items(); ++i) {
      if (has(u, i)) rest[u] += scales_[item] * (i == item ? 1.0 : -weights[i]);
    }
    found.objective += 0.5 * squares_[u] * rest[u] * rest[u];
  }
  for (std::size_t i = 0; i < items(); ++i) {
    if (i == item) continue;
    double h = 0;
    for (std::size_t u = 0; u < rest.size(); ++u) h += has(u, i) ? squares_[u] * rest[u] * scales_[i] : 0;
    const double weight = weights[i] * scales_[item] / scales_[i];
    const double penalty = asked_.l1 * weight + 0.5 * asked_.l2 * weight * weight;
    const double excess = std::max(0.0, h - asked_.l1);
    found.objective += penalty;
    found.gap += penalty - h * weight + 0.5 * excess * excess / asked_.l2;
  }
  return found;
}

std::uint64_t PlainWeights::turns() const {
  constexpr std::uint64_t kMost = 10'000;
  const auto all = std::accumulate(work_.begin(), work_.end(), std::uint64_t{0});
  const std::uint64_t of_turn = asked_.block_work * asked_.engine.schedulers * asked_.engine.workers;
  return std::clamp<std::uint64_t>(all / of_turn + (all % of_turn == 0 ? 0 : 1), 1, kMost);
}

std::vector<std::vector<VarId>> PlainWeights::blocks(const std::vector<VarId>& slice) const {
  std::vector<VarId> order = slice;
  std::ranges::stable_sort(order, [&](VarId a, VarId b) { return work_[a] > work_[b]; });
  std::vector<std::vector<VarId>> blocks(turns() * asked_.engine.workers);
  std::vector<std::uint64_t> loads(blocks.size(), 0);
  for (const VarId item : order) {
    const auto least = static_cast<std::size_t>(std::ranges::min_element(loads) - loads.begin());
    loads[least] += work_[item] + 1;
    blocks[least].push_back(item);
  }
  for (auto& block : blocks) std::ranges::sort(block);
  return blocks;
}

}  // namespace strads::simulator
