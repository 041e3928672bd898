// How many schedulers and workers a problem can use. Layer: engine.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>

#include "strads/base/status.hpp"
#include "strads/engine/options.hpp"

namespace strads {

/// A scheduler beyond one for each variable owns nothing, and a worker beyond gets no block, but every one of them
/// takes part in every barrier: with tens of thousands of them the first round does not end. So many are taken of
/// either kind whatever the problem.
inline constexpr std::uint64_t kRolesAlways = 64;

/// Errors: usage: more schedulers or workers than `variables`.
[[nodiscard]] inline Status check_roles(const EngineOptions& engine, std::uint64_t variables) {
  const std::uint64_t most = std::max(variables, kRolesAlways);
  const auto refused = [&](const char* option, std::uint32_t count) {
    return Status::usage(std::string(option) + " " + std::to_string(count) + ": the problem has " +
                         std::to_string(variables) + " variables, expected at most " + std::to_string(most) +
                         "; more would have nothing to do");
  };
  if (engine.schedulers > most) return refused("--schedulers", engine.schedulers);
  if (engine.workers > most) return refused("--workers", engine.workers);
  return {};
}

}  // namespace strads
