// The kinds of problems that the swarm has; swarm_problem() draws one.
#pragma once

#include <cstdint>
#include <string>

#include "strads/base/random.hpp"
#include "strads/engine/options.hpp"
#include "strads_sim/swarm/swarm_problem.hpp"

namespace strads::simulator {

[[nodiscard]] SwarmProblem swarm_lasso(std::uint64_t seed, const EngineOptions& engine, CounterRng& random);
[[nodiscard]] SwarmProblem swarm_mf(std::uint64_t seed, const EngineOptions& engine, CounterRng& random);
[[nodiscard]] SwarmProblem swarm_implicit(std::uint64_t seed, const EngineOptions& engine, CounterRng& random);
[[nodiscard]] SwarmProblem swarm_slim(std::uint64_t seed, const EngineOptions& engine, CounterRng& random);
[[nodiscard]] SwarmProblem swarm_svm(std::uint64_t seed, const EngineOptions& engine, CounterRng& random);
[[nodiscard]] SwarmProblem swarm_sumstats(std::uint64_t seed, const EngineOptions& engine, CounterRng& random);
[[nodiscard]] SwarmProblem swarm_lda(const EngineOptions& engine, CounterRng& random);

/// Sections [engine] and [limits] of a config file.
[[nodiscard]] std::string swarm_engine_config(const EngineOptions& engine);

}  // namespace strads::simulator
