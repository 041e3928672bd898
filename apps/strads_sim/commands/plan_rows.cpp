#include "strads_sim/commands/plan_rows.hpp"

#include <algorithm>
#include <charconv>
#include <utility>

namespace strads::simulator {

void add_host_memory(const OptionSection& rows, double& gibibytes) {
  rows.common().unit("GiB").number("host-memory", "G", "what a host has for it; the verdict is about that", &gibibytes,
                                   {.min = 0, .max = 1e6, .min_open = true});
}

Status bad_data_shape(const std::string& text, const std::string& expected) {
  if (text.empty()) return Status::usage("no data: give --data-shape " + expected);
  return Status::usage("--data-shape: found '" + text + "', expected " + expected);
}

Result<std::vector<std::uint64_t>> numbers_of_shape(const std::string& text, const std::string& expected) {
  if (text.empty()) return bad_data_shape(text, expected);
  std::vector<std::uint64_t> numbers;
  const char* const end = text.data() + text.size();
  for (const char* at = text.data(); at <= end;) {
    std::uint64_t number = 0;
    const auto [stop, error] = std::from_chars(at, end, number);
    if (error != std::errc{} || number == 0 || (stop != end && *stop != ',')) return bad_data_shape(text, expected);
    numbers.push_back(number);
    at = stop + 1;
  }
  if (numbers.size() < 2 || numbers.size() > 3) return bad_data_shape(text, expected);
  return numbers;
}

Status check_hosts(const ClusterShape& shape) {
  if (shape.nodes_per_host == 1 && shape.node_threads == 0 && shape.roles.empty() && shape.slowdowns.size() < 2)
    return {};
  return Status::usage(
      "a plan is for hosts that are alike, with one node each on all cores; leave out --nodes-per-host, "
      "--node-threads, "
      "--roles and lists of --slowdown, or simulate a fit: strads_sim run");
}

Result<std::vector<sim::SimulationOptions>> clusters_of(const ClusterShape& shape, const std::string& storage) {
  std::vector<sim::SimulationOptions> clusters;
  for (const std::uint32_t hosts : numbers_of_hosts(shape.hosts)) {
    ClusterShape own = shape;
    own.hosts = hosts;
    own.embedded = false;
    STRADS_ASSIGN_OR_RETURN(auto cluster, cluster_of(own, storage));
    clusters.push_back(std::move(cluster));
  }
  return clusters;
}

std::string plan_row(const std::vector<std::string>& cells) {
  constexpr std::size_t kNarrow = 10, kWide = 12, kFirstWide = 6;
  std::string text;
  for (std::size_t k = 0; k < cells.size(); ++k) {
    const std::size_t width = k < kFirstWide || k == 8 ? kNarrow : kWide;
    text += std::string(width - std::min(width, cells[k].size()), ' ') + cells[k];
  }
  return text + "\n";
}

double core_hours(double seconds, const sim::SimulationOptions& cluster) {
  constexpr double kHour = 3600;
  return seconds / kHour * static_cast<double>(cluster.hosts.size()) * cluster.hosts.front().cores;
}

}  // namespace strads::simulator
