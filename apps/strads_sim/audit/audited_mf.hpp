// What a factorization of the swarm was asked for: its config file is written from this, and its audit goes by it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "strads/engine/options.hpp"

namespace strads::simulator {

struct AuditedMf {
  std::string solver = "cd";  ///< or "ccd", "als", "sgd"; implicit: or "cg"
  std::uint32_t rank = 2;
  double lambda = 0.1;
  bool weighted = true;  ///< penalties times the ratings of their row or column
  bool bias = true;
  bool mean = true;
  double tolerance = 1e-4;
  std::uint32_t sweeps = 5;
  std::uint32_t patience = 2;
  double unit = 1;  ///< by what the run divides the ratings (docs/MODELS.md, "The unit of the ratings")
  // Implicit feedback.
  bool implicit = false;
  double alpha0 = 0.03, nu = 1;
  bool hu = false;  ///< Hu's objective: a pair weighs 1 + alpha x its confidence where it was chosen, else 1
  double alpha = 1;
  std::string confidence = "ones";        ///< or "linear", "log"
  std::optional<double> positive_from{};  ///< pairs below it were not chosen
  EngineOptions engine;
};

}  // namespace strads::simulator
