// What a Lasso of the swarm was asked for: its config file is written from this, and its audit goes by it.
#pragma once

#include <cstdint>
#include <string>

#include "strads/engine/options.hpp"

namespace strads::simulator {

struct AuditedLasso {
  std::string family = "gaussian";  ///< of --family
  bool intercept = true;            ///< but of the gaussian family
  bool center = true;
  std::string policy = "auto";
  double lambda_ratio = 0.1;      ///< lambda / lambda_max; of a path unused
  std::uint32_t lambdas = 0;      ///< of a path; 0: one lambda
  double lambda_min_ratio = 0.1;  ///< of a path: the last lambda / the first
  bool early_end = true;          ///< of a path
  double l1_ratio = 1;
  bool nonnegative = false;
  double tolerance = 1e-6;
  double rho = 0.1;
  double eta = 1e-6;
  double candidates = 4;             ///< P' / P
  std::uint64_t check_interval = 0;  ///< 0: one update a variable
  EngineOptions engine;

  [[nodiscard]] bool is_squares() const { return family == "gaussian"; }
};

}  // namespace strads::simulator
