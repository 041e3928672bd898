// The options that describe a simulated cluster.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "strads/program/option_table.hpp"
#include "strads/sim/simulate.hpp"

namespace strads::simulator {

struct ClusterShape {
  std::string preset = "this-machine";
  std::string constants;  ///< file of `strads_sim calibrate`; "": the preset's
  std::uint32_t hosts = 1;
  std::uint32_t cores = 0;  ///< of each host; 0: the preset's
  std::uint32_t nodes_per_host = 1;
  std::uint32_t node_threads = 0;      ///< 0: the host's cores, shared by its nodes
  std::vector<std::string> roles;      ///< of the nodes, in order, the last one for the rest
  std::vector<std::string> slowdowns;  ///< of the hosts, likewise, on top of the preset's
  std::optional<double> latency, bandwidth, jitter;
  bool embedded = false;
  bool tcp = false;
};

/// Section [simulated].
void add_shape_options(OptionTable& table, ClusterShape& shape);

/// Fills hosts, nodes, constants and links. `storage`: LoadedModel::storage. Errors: usage: what does not go together;
/// input: the file of constants.
[[nodiscard]] Result<sim::SimulationOptions> cluster_of(const ClusterShape& shape, const std::string& storage);
/// "4 hosts x 60 cores, opteron-10gbe".
[[nodiscard]] std::string shape_text(const ClusterShape& shape, const sim::SimulationOptions& options);

}  // namespace strads::simulator
