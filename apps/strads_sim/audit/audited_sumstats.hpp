// What a path on summary statistics of the swarm was asked for: its model is made from this, and its audit goes by it.
#pragma once

#include "strads/engine/options.hpp"
#include "sumstats/problem/sumstats.hpp"

namespace strads::simulator {

struct AuditedSumstats {
  sumstats::Grid grid;
  sumstats::TurnSize turn;
  EngineOptions engine;
};

}  // namespace strads::simulator
