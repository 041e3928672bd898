// How the rows of a replica become those of the model that is written. Private to apps/mf.
#pragma once

#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

#include "mf/problem/mf.hpp"

namespace strads::mf {

/// Of one side: features are rescaled by the weights of their penalties, all is in the unit of the user again.
class WrittenRows {
 public:
  WrittenRows(std::span<const double> weights, Side side, double unit) : unit_(unit) {
    const double root = std::sqrt(unit);
    for (const double weight : weights) scales_.push_back(std::sqrt(side == Side::users ? weight : 1 / weight) * root);
  }
  [[nodiscard]] float factor(const float* record, std::size_t k) const {
    return static_cast<float>(record[k] * scales_[k]);
  }
  [[nodiscard]] float bias(float of_record) const { return static_cast<float>(double{of_record} * unit_); }

 private:
  double unit_;
  std::vector<double> scales_;
};

}  // namespace strads::mf
