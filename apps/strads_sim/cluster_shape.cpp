#include "strads_sim/cluster_shape.hpp"

#include <algorithm>
#include <cstdlib>

#include "strads/program/calibrate.hpp"
#include "strads/program/option_table.hpp"
#include "strads_sim/presets.hpp"

namespace strads::simulator {
namespace {

constexpr std::uint32_t kHostsMax = 4096;

void add_host_options(OptionTable& table, ClusterShape& shape) {
  table.choice({.name = "preset",
                .placeholder = "",
                .effect = "cores, links and prices of work by name",
                .section = "simulated",
                .common = true},
               &shape.preset, preset_names());
  table.text({.name = "constants",
              .placeholder = "FILE",
              .effect = "what strads_sim calibrate --out FILE found, instead of the preset's prices and links",
              .section = "simulated",
              .common = true},
             &shape.constants);
  table.count({.name = "hosts", .placeholder = "H", .effect = "hosts", .section = "simulated", .common = true},
              &shape.hosts, {.min = 1, .max = kHostsMax});
  table.count({.name = "cores",
               .placeholder = "C",
               .effect = "cores of each host, 0 = the preset's",
               .section = "simulated",
               .common = true},
              &shape.cores, {.min = 0, .max = 65536});
  table.list(
      {.name = "slowdown",
       .placeholder = "LIST",
       .effect = "computing takes so much longer on the first, second ... host; the last one stands for the rest",
       .section = "simulated"},
      &shape.slowdowns);
}

void add_node_options(OptionTable& table, ClusterShape& shape) {
  table.flag({.name = "embedded",
              .placeholder = "",
              .effect = "one process with all roles, as a fit without a cluster",
              .section = "simulated",
              .common = true},
             &shape.embedded);
  table.count({.name = "nodes-per-host", .placeholder = "K", .effect = "stradsd on each host", .section = "simulated"},
              &shape.nodes_per_host, {.min = 1, .max = 1024});
  table.count({.name = "node-threads",
               .placeholder = "T",
               .effect = "threads of each stradsd, 0 = its share of the host's cores",
               .section = "simulated"},
              &shape.node_threads, {.min = 0, .max = 65536});
  table.list({.name = "roles",
              .placeholder = "LIST",
              .effect = "both, scheduler or worker: what the first, second ... node accepts; the last one stands for "
                        "the rest",
              .section = "simulated"},
             &shape.roles);
}

void add_link_options(OptionTable& table, ClusterShape& shape) {
  const Range positive{.min = 0, .min_open = true};
  table.flag({.name = "tcp",
              .placeholder = "",
              .effect = "processes of one host talk over tcp, not ipc; several hosts always do",
              .section = "simulated"},
             &shape.tcp);
  table.number({.name = "latency",
                .placeholder = "S",
                .effect = "of a link between two hosts, one way",
                .section = "simulated",
                .unit = "seconds"},
               &shape.latency, positive);
  table.number({.name = "bandwidth",
                .placeholder = "B",
                .effect = "out of or into a host",
                .section = "simulated",
                .unit = "bytes a second"},
               &shape.bandwidth, positive);
  table.number({.name = "jitter",
                .placeholder = "J",
                .effect = "mean of a random delay on top, as a share of the latency",
                .section = "simulated"},
               &shape.jitter, {});
}

/// The entry of a list for item k: the last one stands for the rest.
const std::string* entry(const std::vector<std::string>& list, std::size_t k) {
  return list.empty() ? nullptr : &list[std::min(k, list.size() - 1)];
}

Status add_hosts(const ClusterShape& shape, const Preset& preset, sim::SimulationOptions& options) {
  for (std::uint32_t h = 0; h < shape.hosts; ++h) {
    sim::SimulatedHost host{"host" + std::to_string(h), shape.cores != 0 ? shape.cores : preset.cores, preset.slowdown};
    if (const std::string* text = entry(shape.slowdowns, h)) {
      char* end = nullptr;
      const double factor = std::strtod(text->c_str(), &end);
      if (end == text->c_str() || *end != '\0' || !(factor > 0)) {
        return Status::usage("--slowdown: found '" + *text + "', expected numbers above 0, separated by commas");
      }
      host.slowdown *= factor;
    }
    options.hosts.push_back(std::move(host));
  }
  return {};
}

Status add_nodes(const ClusterShape& shape, sim::SimulationOptions& options) {
  for (std::uint32_t n = 0; n < shape.hosts * shape.nodes_per_host; ++n) {
    sim::SimulatedNode node;
    node.host = n / shape.nodes_per_host;
    const unsigned share = std::max(1U, options.hosts[node.host].cores / shape.nodes_per_host);
    node.threads = shape.node_threads != 0 ? shape.node_threads : share;
    if (const std::string* role = entry(shape.roles, n)) {
      if (*role != "both" && *role != "scheduler" && *role != "worker") {
        return Status::usage("--roles: found '" + *role + "', expected both, scheduler or worker");
      }
      node.schedules = *role != "worker";
      node.works = *role != "scheduler";
    }
    options.nodes.push_back(node);
  }
  const auto any = [&](auto accepts) { return std::any_of(options.nodes.begin(), options.nodes.end(), accepts); };
  if (!any([](const auto& node) { return node.schedules; }) || !any([](const auto& node) { return node.works; })) {
    return Status::usage("--roles leaves nobody to schedule or nobody to work; give at least one of each");
  }
  return {};
}

}  // namespace

void add_shape_options(OptionTable& table, ClusterShape& shape) {
  add_host_options(table, shape);
  add_node_options(table, shape);
  add_link_options(table, shape);
}

Result<sim::SimulationOptions> cluster_of(const ClusterShape& shape, const std::string& storage) {
  if (shape.embedded && shape.hosts * shape.nodes_per_host > 1) {
    return Status::usage("--embedded is one process; leave out --hosts and --nodes-per-host");
  }
  const Preset& chosen = preset(shape.preset);
  Calibration calibration = chosen.calibration;
  if (!shape.constants.empty()) {
    auto read = read_calibration(shape.constants);
    if (!read.ok()) return read.status();
    // Links between hosts are not measured on one host: they stay the preset's.
    const sim::NetworkConstants links = calibration.network;
    calibration = std::move(read).value();
    calibration.network.latency = links.latency;
    calibration.network.bandwidth = links.bandwidth;
    calibration.network.jitter = links.jitter;
  }
  sim::SimulationOptions options;
  options.costs = costs_for(calibration, storage);
  options.network = calibration.network;
  if (shape.tcp || shape.hosts > 1) {
    options.costs.message = calibration.message_tcp;
    options.costs.message_more = calibration.message_more_tcp;
    options.network.local_latency = calibration.local_latency_tcp;
  }
  options.network.latency = shape.latency.value_or(options.network.latency);
  options.network.bandwidth = shape.bandwidth.value_or(options.network.bandwidth);
  options.network.jitter = shape.jitter.value_or(options.network.jitter);
  options.embedded = shape.embedded;
  if (Status added = add_hosts(shape, chosen, options); !added.ok()) return added;
  if (Status added = add_nodes(shape, options); !added.ok()) return added;
  return options;
}

std::string shape_text(const ClusterShape& shape, const sim::SimulationOptions& options) {
  const auto hosts = options.hosts.size();
  std::string text = std::to_string(hosts) + (hosts == 1 ? " host x " : " hosts x ") +
                     std::to_string(options.hosts.front().cores) + " cores, ";
  if (options.embedded) text += "one process, ";
  if (shape.nodes_per_host > 1) text += std::to_string(shape.nodes_per_host) + " nodes each, ";
  return text + (shape.constants.empty() ? shape.preset : "constants of " + shape.constants);
}

}  // namespace strads::simulator
