#include "lasso/policies/conflict_dropping.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "lasso/problem/payloads.hpp"
#include "strads/base/all_finite.hpp"

namespace strads::lasso {

ConflictDropping::ConflictDropping(const SliceSetting& setting)
    : view_(setting.view), options_(setting.options), pairs_(setting.view.columns) {}

ScheduleRules ConflictDropping::rules() const {
  ScheduleRules rules;
  rules.draws = static_cast<std::uint32_t>(std::ceil(options_.candidates * std::max(1U, options_.workers)));
  rules.conflicts = ScheduleRules::Conflicts::drop;
  rules.dependency_max = options_.rho;
  return rules;
}

double ConflictDropping::dependency(std::size_t i, std::size_t k) const {
  return std::abs(product(i, k));
}

double ConflictDropping::product(std::size_t i, std::size_t k) const {
  // Algorithm 1 asks one after the other: a sum that several threads may add to would cost as much as the product.
  pair_flops_.store(pair_flops_.load(std::memory_order_relaxed) + view_.columns.work(view_.variables[i]),
                    std::memory_order_relaxed);
  const std::uint32_t a = place_.empty() ? SlicePositions::kNone : place_[i];
  const std::uint32_t b = place_.empty() ? SlicePositions::kNone : place_[k];
  if (a == SlicePositions::kNone || b == SlicePositions::kNone) {
    return view_.columns.pair(view_.variables[i], view_.variables[k]);
  }
  return pairs_.product(a, b);
}

/// Conflicts are looked for pair by pair, up to the first one: what is asked for is counted, and what can be done for
/// all drawn columns together is done here.
void ConflictDropping::prepare_pairs(std::span<const VarId> drawn, Chunks& chunks) {
  place_.resize(view_.variables.size(), SlicePositions::kNone);
  for (const VarId j : paired_) place_[view_.positions.of(j)] = SlicePositions::kNone;
  paired_.assign(drawn.begin(), drawn.end());
  for (std::size_t a = 0; a < drawn.size(); ++a) {
    place_[view_.positions.of(drawn[a])] = static_cast<std::uint32_t>(a);
    planning_.streamed += view_.columns.work(drawn[a]);
    planning_.scattered += view_.columns.work(drawn[a]);
  }
  pairs_.prepare(paired_, chunks);
}

Cost ConflictDropping::take_planning_cost() {
  const std::uint64_t products = pair_flops_.exchange(0);
  Cost cost = std::exchange(planning_, Cost{});
  cost.flops += products;
  cost.tiled += products;
  return cost;
}

Payload DeltaMemory::content() const {
  Payload content;
  for (std::size_t i = 0; i < visited_.size(); ++i) {
    if (!visited(i)) continue;
    content.ids.push_back(static_cast<VarId>(i));
    content.values.push_back(last_delta_[i]);
  }
  return content;
}

bool DeltaMemory::remember(const Payload& content) {
  if (!ascending_below(content.ids, visited_.size()) || content.values.size() != content.ids.size() ||
      !content.bulk.empty() || !all_finite(content.values)) {
    return false;
  }
  std::ranges::fill(visited_, std::uint8_t{0});
  std::ranges::fill(last_delta_, 0.0);
  for (std::size_t k = 0; k < content.ids.size(); ++k) {
    visited_[content.ids[k]] = 1;
    last_delta_[content.ids[k]] = content.values[k];
  }
  return true;
}

}  // namespace strads::lasso
