#include "engine/planning/sampler.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>
#include <utility>

#include "strads/base/status.hpp"
#include "strads/engine/model.hpp"

namespace strads::engine {

namespace {
constexpr std::size_t kChildren = 16;
}

void WeightTree::set(std::size_t i, std::uint64_t weight) {
  const std::uint64_t change = weight - levels_[0][i];  // modulo 2^64: a decrease wraps and unwraps below
  if (change == 0) return;
  total_ += change;
  for (auto& level : levels_) {
    level[i] += change;
    i /= kChildren;
  }
}

void WeightTree::assign(std::vector<std::uint64_t> weights) {
  size_ = weights.size();
  levels_.clear();
  levels_.push_back(std::move(weights));
  for (;;) {
    std::vector<std::uint64_t>& below = levels_.back();
    const std::size_t nodes = std::max<std::size_t>(1, (below.size() + kChildren - 1) / kChildren);
    below.resize(nodes * kChildren, 0);
    if (nodes == 1) break;
    std::vector<std::uint64_t> sums(nodes, 0);
    for (std::size_t i = 0; i < below.size(); ++i) sums[i / kChildren] += below[i];
    levels_.push_back(std::move(sums));
  }
  total_ = std::accumulate(levels_.back().begin(), levels_.back().end(), std::uint64_t{0});
}

std::size_t WeightTree::find(std::uint64_t x) const {
  STRADS_CHECK(x < total_, "only positions below the total have an owner");
  std::size_t position = 0;
  for (std::size_t level = levels_.size(); level-- > 0;) {
    position *= kChildren;
    for (const std::uint64_t* sum = levels_[level].data() + position; x >= *sum; ++sum, ++position) x -= *sum;
  }
  return position;
}

Sampler::Sampler(std::size_t size, double scale)
    : size_(size), scale_(scale), cap_(std::uint64_t{1} << (62 - std::bit_width(size))) {}

std::uint64_t Sampler::weight_of(double p) const {
  if (!(p > 0)) return 0;
  const double scaled = p * scale_;
  if (scaled >= static_cast<double>(cap_)) return cap_;
  // At least 1: a variable with any importance stays reachable.
  return std::max<std::uint64_t>(1, static_cast<std::uint64_t>(std::nearbyint(scaled)));
}

void Sampler::set(std::size_t i, double p) {
  if (first_.size() != size_) {
    first_ = WeightTree(size_);
    finite_ = WeightTree(size_);
  }
  const bool is_first = p == kSampleFirst;
  first_.set(i, is_first ? 1 : 0);
  finite_.set(i, is_first ? 0 : weight_of(p));
}

void Sampler::assign(const std::vector<double>& p) {
  size_ = p.size();
  std::vector<std::uint64_t> first(size_, 0);
  std::vector<std::uint64_t> finite(size_, 0);
  for (std::size_t i = 0; i < p.size(); ++i) {
    if (p[i] == kSampleFirst) {
      first[i] = 1;
    } else {
      finite[i] = weight_of(p[i]);
    }
  }
  first_.assign(std::move(first));
  finite_.assign(std::move(finite));
}

std::vector<std::size_t> Sampler::draw(std::size_t count, CounterRng& rng) {
  std::vector<std::size_t> drawn;
  std::vector<std::pair<WeightTree*, std::uint64_t>> taken;
  while (drawn.size() < count) {
    WeightTree& tree = first_.total() > 0 ? first_ : finite_;
    if (tree.total() == 0) break;
    const std::size_t item = tree.find(rng.below(tree.total()));
    taken.emplace_back(&tree, tree.weight(item));
    drawn.push_back(item);
    tree.set(item, 0);  // without replacement; put back below
  }
  for (std::size_t k = 0; k < drawn.size(); ++k) taken[k].first->set(drawn[k], taken[k].second);
  return drawn;
}

}  // namespace strads::engine
