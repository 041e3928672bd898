// What one committed round did, block by block: for whoever checks a policy against its paper. Layer: engine. Pure.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "strads/base/payload.hpp"
#include "strads/base/types.hpp"

namespace strads {

/// One block as its scheduler sent it out and got it back.
struct RoundBlock {
  std::uint32_t worker = 0;        ///< who was asked to compute it first
  std::vector<VarId> variables{};  ///< of the block, in its order
  Payload deltas{};                ///< the model's; the Lasso: ids: changed variables; values: new minus old
};

/// What a plan drew.
struct Draws {
  std::uint32_t drawn = 0;  ///< variables that were looked at; 0: the plan draws none
  std::uint32_t conflicts =
      0;  ///< of these: dropped, or put into the block of another, since their couplings are strong
};

/// A round when its step was chosen. A round whose plan was empty has no blocks.
struct RoundRecord {
  Round round = 0;
  std::uint32_t scheduler = 0;
  double step = 0;  ///< what the deltas were multiplied with; 0: nothing was changed
  Draws draws{};
  std::vector<RoundBlock> blocks{};  ///< by index
};

/// Called in the order of the rounds.
using RoundListener = std::function<void(const RoundRecord&)>;

}  // namespace strads
