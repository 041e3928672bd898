// What fixes a run besides the data: the engine's options. Layer: engine. Pure.
// The command line's names, defaults and ranges are written in src/program/options/option_list.cpp, once.
#pragma once

#include <cstdint>

#include "strads/base/types.hpp"

namespace strads {

/// Logical sizes and seed: the same on any machine. Threads, nodes and transports only execute.
struct EngineOptions {
  std::uint64_t seed = 1;        ///< same data, options and seed: the same bits
  std::uint32_t schedulers = 1;  ///< S >= 1 slices, one scheduler each
  std::uint32_t workers = 8;     ///< P >= 1 blocks a round at most
  std::uint32_t depth = 1;       ///< D, 1 <= D <= S: rounds dispatched and not yet committed
  std::uint64_t rounds_max = 0;  ///< the run ends with so many commits; 0: no limit
};

}  // namespace strads
