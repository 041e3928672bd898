#include "strads_sim/presets.hpp"

#include <array>

#include "strads/base/status.hpp"

namespace strads::simulator {
namespace {

/// The reference machine: two cores of a present server, measured by `strads_sim calibrate`.
Preset this_machine() {
  return {"this-machine", "2 cores of the machine of docs/SIMULATION.md", 2, 1, {}};
}

Preset opteron() {
  Preset made{"opteron-10gbe", "the paper's: 64 cores of 1.4 GHz, 10 GbE", 64, 6, {}};
  // Six times slower in arithmetic (a third of the clock, a quarter of the vectors' width), but three times in what is
  // mostly the kernel and memory.
  sim::CostConstants& costs = made.calibration.costs;
  for (double* each : {&costs.handler, &costs.handler_byte, &costs.fresh_byte, &costs.task, &costs.hand_over,
                       &costs.message, &costs.message_more, &costs.message_byte}) {
    *each /= 2;
  }
  made.calibration.message_tcp /= 2;
  made.calibration.message_more_tcp /= 2;
  made.calibration.network.latency = 50e-6;
  made.calibration.network.bandwidth = 1.25e9;
  made.calibration.network.jitter = 0.1;
  return made;
}

Preset modern() {
  Preset made{"modern", "a present one: 32 cores, 25 GbE", 32, 1, {}};
  made.calibration.network.latency = 20e-6;
  made.calibration.network.bandwidth = 3.125e9;
  made.calibration.network.jitter = 0.1;
  return made;
}

}  // namespace

std::span<const Preset> presets() {
  static const std::array kPresets = {this_machine(), opteron(), modern()};
  return kPresets;
}

std::vector<std::string> preset_names() {
  std::vector<std::string> names;
  for (const Preset& each : presets()) names.emplace_back(each.name);
  return names;
}

const Preset& preset(std::string_view name) {
  for (const Preset& each : presets()) {
    if (name == each.name) return each;
  }
  STRADS_CHECK(false, "the option table accepts names of presets only");
  return presets().front();
}

}  // namespace strads::simulator
