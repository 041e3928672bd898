// What a topic model of the swarm was asked for: its config file is written from this, and its audit goes by it.
#pragma once

#include <cstdint>
#include <string>

#include "strads/engine/options.hpp"

namespace strads::simulator {

struct AuditedLda {
  std::string sampler = "delayed";  ///< or "rotation", "stale"
  std::uint32_t topics = 2;
  double alpha = 0.5;  ///< of each topic
  double beta = 0.1;
  std::uint32_t sweeps = 5;
  std::uint32_t proposals = 1;
  bool optimise = false;
  std::uint32_t optimise_after = 0;
  std::uint32_t measure_every = 1;
  EngineOptions engine;
};

}  // namespace strads::simulator
