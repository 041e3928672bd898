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
  const OptionSection rows = table.section("simulated");
  rows.common().choice("preset", "cores, links and prices of work by name", &shape.preset, preset_names());
  rows.common().text("constants", "FILE",
                     "what strads_sim calibrate --out FILE found, instead of the preset's prices and links",
                     &shape.constants);
  rows.common().count("hosts", "H", "hosts", &shape.hosts, {.min = 1, .max = kHostsMax});
  rows.common().count("cores", "C", "cores of each host, 0 = the preset's", &shape.cores, {.min = 0, .max = 65536});
  rows.list("slowdown", "LIST",
            "computing takes so much longer on the first, second ... host; the last one stands for the rest",
            &shape.slowdowns);
}

void add_node_options(OptionTable& table, ClusterShape& shape) {
  const OptionSection rows = table.section("simulated");
  rows.common().flag("embedded", "one process with all roles, as a fit without a cluster", &shape.embedded);
  rows.count("nodes-per-host", "K", "stradsd on each host", &shape.nodes_per_host, {.min = 1, .max = 1024});
  rows.count("node-threads", "T", "threads of each stradsd, 0 = its share of the host's cores", &shape.node_threads,
             {.min = 0, .max = 65536});
  rows.list("roles", "LIST",
            "both, scheduler or worker: what the first, second ... node accepts; the last one stands for the rest",
            &shape.roles);
}

void add_link_options(OptionTable& table, ClusterShape& shape) {
  const Range positive{.min = 0, .min_open = true};
  const OptionSection rows = table.section("simulated");
  rows.flag("tcp", "processes of one host talk over tcp, not ipc; several hosts always do", &shape.tcp);
  rows.unit("seconds").number("latency", "S", "of a link between two hosts, one way", &shape.latency, positive);
  rows.unit("bytes a second").number("bandwidth", "B", "out of or into a host", &shape.bandwidth, positive);
  rows.number("jitter", "J", "mean of a random delay on top, as a share of the latency", &shape.jitter, {});
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
    STRADS_ASSIGN_OR_RETURN(auto read, read_calibration(shape.constants));
    // Links between hosts are not measured on one host: they stay the preset's.
    const sim::NetworkConstants links = calibration.network;
    calibration = std::move(read);
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
