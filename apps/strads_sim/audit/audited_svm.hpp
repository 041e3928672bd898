// What a support vector machine of the swarm was asked for: its config file is written from this, and its audit goes by
// it.
#pragma once

#include <cstdint>
#include <string>

#include "strads/engine/options.hpp"

namespace strads::simulator {

struct AuditedSvm {
  std::string policy = "auto";
  bool hinge = true;  ///< else its square
  double cost = 1;
  double bias = 1;
  double tolerance = 1e-6;
  double rho = 0.1;
  double eta = 1e-6;
  double candidates = 4;             ///< P' / P
  std::uint64_t check_interval = 0;  ///< 0: one update a variable
  EngineOptions engine;
};

}  // namespace strads::simulator
