// Options of drivers that run on several processes, each written once.
#include <charconv>

#include "strads/program/execution_options.hpp"
#include "strads/program/option_table.hpp"
#include "strads/program/run_cluster.hpp"

namespace strads {
namespace {

constexpr std::uint32_t kProcessesMax = 1024;
constexpr std::uint32_t kProcessesImplied = 2;
constexpr std::size_t kSocketPathMax = 107;  // sun_path of a Unix socket, without its end

/// "host:5570", "*:0", "[::1]:5570".
bool is_address_and_port(std::string_view text) {
  const auto colon = text.rfind(':');
  if (colon == std::string_view::npos || colon == 0) return false;
  const auto port = text.substr(colon + 1);
  std::uint16_t number = 0;
  const auto [stop, error] = std::from_chars(port.data(), port.data() + port.size(), number);
  return !port.empty() && error == std::errc{} && stop == port.data() + port.size();
}

Status check_endpoint(const std::string& endpoint) {
  constexpr std::string_view kTcp = "tcp://";
  constexpr std::string_view kIpc = "ipc://";
  const std::string_view text = endpoint;
  if (text.starts_with(kTcp) && is_address_and_port(text.substr(kTcp.size()))) return {};
  if (text.starts_with(kIpc) && text.size() > kIpc.size()) {
    if (text.size() - kIpc.size() <= kSocketPathMax) return {};
    return Status::usage("--listen: the path of '" + endpoint + "' is longer than the " +
                         std::to_string(kSocketPathMax) + " bytes that a socket's may have; choose a shorter one");
  }
  return Status::usage("--listen: found '" + endpoint + "', expected tcp://ADDRESS:PORT (port 0: any) or ipc://PATH");
}

void add_listen_options(OptionTable& table, ClusterOptions& options) {
  const OptionSection rows = table.section("cluster");
  rows.text("listen", "ENDPOINT",
            "wait for stradsd --join ENDPOINT; tcp://ADDRESS:PORT (0.0.0.0 or *: all interfaces; port 0: any) or "
            "ipc://PATH; needs --key, but for ipc in a folder of mode 0700",
            &options.listen);
  rows.count("nodes", "N", "with --listen: the run begins when so many stradsd have joined", &options.nodes,
             {.min = 1, .max = kProcessesMax});
  rows.list("expect", "NAMES",
            "with --listen: names of the nodes (stradsd --name, else the host's), to say who is missing",
            &options.expect);
}

}  // namespace

void add_cluster_options(OptionTable& table, ClusterOptions& options) {
  const OptionSection rows = table.section("cluster");
  rows.common().optional_count(
      "processes", "N",
      "run on N local processes, same bits; they are started and always ended by this program; 0 = in this process",
      &options.processes, {.min = 0, .max = kProcessesMax}, kProcessesImplied);
  add_listen_options(table, options);
  add_key_options(table, options.keys, "cluster");
  rows.unit("seconds").number("start-seconds", "S",
                              "all nodes must have joined by then, else the run ends and says who is missing",
                              &options.start_seconds, {.min = 0, .max = 86400, .min_open = true});
  // Nodes say a word every second: below 3 a slow scheduler of the system would end healthy runs.
  rows.unit("seconds").number(
      "lease", "S",
      "a process without a word for so long counts as lost; less ends broken runs sooner, more bears longer stalls",
      &options.lease_seconds, {.min = 3, .max = 86400});
  rows.text("endpoint-file", "FILE", "the endpoint to join is written there once the driver listens; for launchers",
            &options.endpoint_file);
  rows.text("stradsd", "PATH", "program of the local processes; without it: stradsd beside this program",
            &options.stradsd);
  // A flag of one way sets aside a config file's options of the other way.
  table.exclusive("processes", "listen");
  table.exclusive("processes", "nodes");
  table.exclusive("processes", "expect");
  table.exclusive("processes", "key");
  table.exclusive("processes", "insecure");
  table.exclusive("processes", "endpoint-file");
  table.exclusive("stradsd", "listen");
}

Status check_cluster_options(const OptionTable& table, const ClusterOptions& options) {
  if (options.listen.empty()) {
    for (const char* name : {"nodes", "expect", "key", "insecure", "endpoint-file"}) {
      if (table.given(name)) return Status::usage("--" + std::string(name) + " needs --listen ENDPOINT");
    }
    return {};
  }
  if (options.expect.size() > options.nodes) {
    return Status::usage("--expect names " + std::to_string(options.expect.size()) + " nodes, but --nodes is " +
                         std::to_string(options.nodes) + "; give the number of nodes that must join");
  }
  return check_endpoint(options.listen);
}

std::string transport_name(const ClusterOptions& options) {
  if (options.processes > 0) return "ipc";
  return options.listen.empty() ? "embedded" : options.listen.substr(0, options.listen.find(':'));
}

std::string cluster_text(const ClusterOptions& options) {
  const auto count = options.processes > 0 ? options.processes : options.nodes;
  const char* noun = options.processes > 0 ? "process" : "node";
  const char* plural = options.processes > 0 ? "es" : "s";
  return std::to_string(count) + " " + noun + (count == 1 ? "" : plural) + " over " + transport_name(options);
}

}  // namespace strads
