// What item weights of the swarm were asked for: their config file is written from this, and their audit goes by it.
#pragma once

#include <cstdint>
#include <optional>

#include "strads/engine/options.hpp"

namespace strads::simulator {

struct AuditedSlim {
  double l1 = 1, l2 = 30;
  double user_power = 0, item_power = 0;
  double tolerance = 1e-6;
  std::optional<double> positive_from{};  ///< pairs below it were not chosen
  std::uint64_t block_work = 1'000'000;   ///< SlimOptions::block_work
  EngineOptions engine;
};

}  // namespace strads::simulator
