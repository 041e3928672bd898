#include "engine/sampler.hpp"

#include <bit>
#include <cmath>
#include <utility>

#include "strads/model.hpp"
#include "strads/status.hpp"

namespace strads::engine {

void WeightTree::set(std::size_t i, std::uint64_t weight) {
  const std::uint64_t change = weight - weights_[i];  // modulo 2^64: a decrease wraps and unwraps below
  if (change == 0) return;
  weights_[i] = weight;
  total_ += change;
  for (std::size_t k = i + 1; k < sums_.size(); k += k & (~k + 1)) sums_[k] += change;
}

void WeightTree::assign(std::vector<std::uint64_t> weights) {
  weights_ = std::move(weights);
  sums_.assign(weights_.size() + 1, 0);
  total_ = 0;
  for (std::size_t i = 0; i < weights_.size(); ++i) {
    total_ += weights_[i];
    sums_[i + 1] += weights_[i];
    const std::size_t parent = (i + 1) + ((i + 1) & (~(i + 1) + 1));
    if (parent < sums_.size()) sums_[parent] += sums_[i + 1];
  }
}

std::size_t WeightTree::find(std::uint64_t x) const {
  STRADS_CHECK(x < total_, "only positions below the total have an owner");
  std::size_t position = 0;
  for (std::size_t step = std::bit_floor(sums_.size() - 1); step > 0; step >>= 1) {
    const std::size_t next = position + step;
    if (next < sums_.size() && sums_[next] <= x) {
      x -= sums_[next];
      position = next;
    }
  }
  return position;
}

Sampler::Sampler(std::size_t size, double scale)
    : first_(size), finite_(size), scale_(scale), cap_(std::uint64_t{1} << (62 - std::bit_width(size))) {}

std::uint64_t Sampler::weight_of(double p) const {
  if (!(p > 0)) return 0;
  const double scaled = p * scale_;
  if (scaled >= static_cast<double>(cap_)) return cap_;
  // At least 1: a variable with any importance stays reachable.
  return std::max<std::uint64_t>(1, static_cast<std::uint64_t>(std::nearbyint(scaled)));
}

void Sampler::set(std::size_t i, double p) {
  const bool is_first = p == kSampleFirst;
  first_.set(i, is_first ? 1 : 0);
  finite_.set(i, is_first ? 0 : weight_of(p));
}

void Sampler::assign(const std::vector<double>& p) {
  std::vector<std::uint64_t> first(p.size(), 0);
  std::vector<std::uint64_t> finite(p.size(), 0);
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
