// Clusters by name: docs/SIMULATION.md has the source or the reasoning of each number.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "strads/program/calibrate.hpp"

namespace strads::simulator {

struct Preset {
  const char* name;
  const char* text;  ///< what it is, in a few words
  unsigned cores;    ///< of a host
  double slowdown;   ///< of a core against one of the reference machine, whose constants `calibration` holds
  Calibration calibration;
};

/// "this-machine", "opteron-10gbe", "modern".
[[nodiscard]] std::span<const Preset> presets();
[[nodiscard]] std::vector<std::string> preset_names();
/// REQUIRES: one of preset_names().
[[nodiscard]] const Preset& preset(std::string_view name);

}  // namespace strads::simulator
