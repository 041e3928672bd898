#include "sim/faults.hpp"

namespace strads::sim {

const char* fault_name(FaultKind kind) {
  static constexpr const char* kNames[kFaultKinds] = {"delay",  "reorder",   "duplicate",      "loss",
                                                      "cut",    "partition", "crash",          "restart",
                                                      "freeze", "slow",      "scheduler loss", "driver loss"};
  return kNames[static_cast<std::size_t>(kind)];
}

FaultPlan::FaultPlan(const SimulationOptions&) {}
Fate FaultPlan::fate(std::uint32_t, std::uint32_t, double) {
  return {};
}
bool FaultPlan::cut_between(std::uint32_t, std::uint32_t, double, double) const {
  return false;
}
bool FaultPlan::partitioned(std::uint32_t, std::uint32_t, double) const {
  return false;
}
double FaultPlan::slowdown(std::uint32_t) const {
  return 1;
}
std::vector<std::string> FaultPlan::lines() const {
  return {};
}
void FaultCounts::note(const Fate&, std::uint8_t) {}
std::vector<Tally> FaultCounts::tallies() const {
  return {};
}

}  // namespace strads::sim
