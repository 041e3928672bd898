// Which rows of a factorization make up which block, worked out a second time (docs/MODELS.md, "On the engine").
#pragma once

#include <cstdint>
#include <vector>

#include "strads/base/types.hpp"
#include "strads_sim/audit/plain_factors.hpp"

namespace strads::simulator {

/// The blocks of all slices.
struct PlainPages {
  /// By slice: the users' blocks by place, then its users that are split, then the same of the items; none is empty.
  std::vector<std::vector<std::vector<VarId>>> of_slice;
  double imbalance = 1;  ///< ratings of the busiest worker over those of the mean one, the larger one of both sides

  PlainPages(const PlainRatings& ratings, const std::vector<std::vector<VarId>>& slices, std::uint32_t workers);
};

}  // namespace strads::simulator
