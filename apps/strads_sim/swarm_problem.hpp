// What the small clusters of the swarm compute: `strads_sim --seed`, `strads_sim batch` and tests/sim ask here, so that
// a seed means the same everywhere.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "strads/cluster.hpp"
#include "strads/simulate.hpp"

namespace strads::simulator {

struct SwarmProblem {
  std::string text;  ///< for people: "30 x 57 genotypes, policy paper, lambda 0.2 lambda_max"
  LoadedModel loaded;
};

/// A Lasso of 20 to 40 rows and 40 to 80 columns, dense or genotypes, with one of the six policies. Rounds cost nothing
/// in its model of costs, so that `auto` goes parallel as well.
[[nodiscard]] SwarmProblem swarm_problem(std::uint64_t seed, const EngineOptions& engine);

/// The same as sim::SwarmModels wants it: models that share the data and nothing else.
[[nodiscard]] std::function<std::shared_ptr<Model>()> swarm_models(std::uint64_t seed, const EngineOptions& engine);

}  // namespace strads::simulator
