// What the small clusters of the swarm compute: `strads_sim --seed`, `strads_sim batch` and tests/sim ask here, so that
// a seed means the same everywhere.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "strads/sim/model_audit.hpp"
#include "strads/sim/simulate.hpp"
#include "strads/transport/cluster.hpp"

namespace strads::simulator {

struct SwarmProblem {
  std::string text;  ///< for people: "30 x 57 genotypes, policy paper, lambda 0.2 lambda_max"
  std::string hash;  ///< how its solution's hash is called: "beta_hash", "path_hash"
  LoadedModel loaded;
  std::function<std::unique_ptr<sim::ModelAudit>()> make_audit;
};

/// A Lasso of 20 to 40 rows and 40 to 80 columns, dense, sparse or genotypes, with one of the six policies, at one
/// lambda or along a path, with every kind of penalty; or a factorization with one of the four solvers. Rounds cost
/// nothing in the Lasso's model of costs, so that `auto` goes parallel as well.
/// Or a support vector machine of 16 to 45 samples with one of the six policies, or a topic model of some hundred
/// tokens with one of the three samplers, or a factorization of choices, or item weights (SLIM), or a path on
/// summary statistics of some ten blocks.
[[nodiscard]] SwarmProblem swarm_problem(std::uint64_t seed, const EngineOptions& engine);

/// What a seed's problem is of: "lasso", "mf", "svm", "lda", "implicit", "slim", "sumstats".
/// Cost: nothing.
[[nodiscard]] std::string_view swarm_kind(std::uint64_t seed);

/// The same as sim::SwarmModels wants it: models that share the data and nothing else, and what audits them.
[[nodiscard]] sim::SwarmSubject swarm_models(std::uint64_t seed, const EngineOptions& engine);

}  // namespace strads::simulator
