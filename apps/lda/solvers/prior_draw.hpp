// Topics drawn from a row's prior: uniform, or by Walker's alias table. Pure.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

namespace strads::lda {

/// One entry of a table that draws from K weights in constant time (Walker 1977).
class PriorDraw {
 public:
  /// `weights`: K numbers above 0.
  explicit PriorDraw(std::span<const double> weights) : topics_(static_cast<std::uint32_t>(weights.size())) {
    for (const double weight : weights) mass_ += weight;
    uniform_ = std::all_of(weights.begin(), weights.end(), [&](double weight) { return weight == weights[0]; });
    if (uniform_) {
      mass_ = weights[0] * static_cast<double>(topics_);
    } else {
      fill(weights);
    }
    scale_ = static_cast<double>(topics_) / mass_;
  }
  [[nodiscard]] double mass() const { return mass_; }
  /// `x`: uniform in [0, mass).
  [[nodiscard]] std::uint32_t topic(double x) const {
    const double place = x * scale_;
    const auto k = std::min(static_cast<std::uint32_t>(place), topics_ - 1);
    if (uniform_) return k;
    return place - static_cast<double>(k) < share_[k] ? k : other_[k];
  }

 private:
  void fill(std::span<const double> weights) {
    share_.assign(topics_, 1);
    other_.resize(topics_);
    std::vector<std::uint32_t> small, large;
    for (std::uint32_t k = 0; k < topics_; ++k) {
      share_[k] = weights[k] * static_cast<double>(topics_) / mass_;
      other_[k] = k;
      (share_[k] < 1 ? small : large).push_back(k);
    }
    while (!small.empty() && !large.empty()) {
      const std::uint32_t less = small.back(), more = large.back();
      small.pop_back();
      other_[less] = more;
      share_[more] -= 1 - share_[less];
      if (share_[more] >= 1) continue;
      large.pop_back();
      small.push_back(more);
    }
    // What rounding has left over is full.
    for (const std::uint32_t k : small) share_[k] = 1;
    for (const std::uint32_t k : large) share_[k] = 1;
  }

  std::uint32_t topics_;
  double mass_ = 0, scale_ = 0;
  bool uniform_ = true;
  std::vector<double> share_;
  std::vector<std::uint32_t> other_;
};

}  // namespace strads::lda
