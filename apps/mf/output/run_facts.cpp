#include "mf/output/run_facts.hpp"

#include <algorithm>
#include <vector>

#include "strads/numerics/columns.hpp"

namespace strads::mf {
namespace {

double ratio(double part, double whole) {
  return whole == 0 ? 0 : part / whole;
}

/// A link is what a node sends to the others.
Summary node_facts(const NodeReport& node, double sweeps) {
  Summary facts;
  facts.add("rank", node.rank);
  facts.add("name", node.name);
  facts.add("process", node.process);
  facts.add("schedulers", node.schedulers);
  facts.add("workers", node.workers);
  facts.add("lost", node.lost);
  facts.add("last_report", node.reported);
  facts.add("updates", node.updates);
  facts.add("blocks", node.blocks);
  facts.add("ratings_share", ratio(static_cast<double>(node.data_resident), static_cast<double>(node.data_mapped)));
  facts.add("messages", node.messages);
  facts.add("bytes", node.bytes);
  facts.add("bytes_per_sweep", static_cast<double>(node.bytes) / sweeps);
  add_refusals(facts, node.refused);
  facts.add("repeated", node.repeated);
  facts.add("seconds_running", node.seconds_running);
  facts.add("seconds_waiting", node.seconds_waiting);
  facts.add("seconds_busy", node.seconds_busy);
  facts.add("peak_rss_bytes", node.memory_peak);
  return facts;
}

}  // namespace

std::string with_unit(std::uint64_t count, const char* one, const char* many) {
  return std::to_string(count) + " " + (count == 1 ? one : many);
}

void add_work(Summary& summary, const RunFacts& facts, const Swept& swept) {
  const auto& totals = facts.run.end.totals;
  summary.add("rounds", totals.rounds);
  summary.add("phases", totals.phases);
  summary.add("blocks", totals.blocks);
  summary.add("updates", totals.updates);
  summary.add("flops", totals.flops);
  summary.add("worker_wait_share", facts.run.worker_wait_share);
  summary.add("messages", facts.run.traffic.messages);
  summary.add("bytes", facts.run.traffic.bytes);
  summary.add("bytes_per_sweep", static_cast<double>(facts.run.traffic.bytes) / std::max(1.0, swept.sweeps));
  summary.add("ratings_per_second", swept.ratings_per_second(facts.seconds_solve));
}

void add_execution(Summary& summary, const FitOptions& options, const RunFacts& facts) {
  summary.add("transport", transport_name(options.cluster));
  summary.add("seconds_load", facts.seconds_load);
  summary.add("seconds_solve", facts.seconds_solve);
  summary.add("peak_rss_bytes", peak_rss_bytes());
}

void add_engine(Summary& summary, const FitOptions& options) {
  summary.add("balance", options.balance);
  summary.add("schedulers", options.engine.schedulers);
  summary.add("workers", options.engine.workers);
  summary.add("depth", options.engine.depth);
  summary.add("seed", options.engine.seed);
  summary.add("kernel_target", simd_name());
  summary.add("version", version());
  summary.add("build", build_id());
}

void add_cluster(Summary& summary, const RunFacts& facts, const Swept& swept) {
  if (!facts.cluster.has_value()) return;
  const ClusterRun& run = *facts.cluster;
  std::vector<Summary> nodes;
  for (const auto& node : run.nodes) nodes.push_back(node_facts(node, std::max(1.0, swept.sweeps)));
  Summary cluster;
  cluster.add("nodes", std::uint64_t{run.nodes.size()});
  cluster.add("seconds_start", facts.seconds_start);
  add_refusals(cluster, run.refused);
  cluster.add("reassigned", run.reassigned);
  cluster.add("node_list", nodes);
  summary.add("cluster", cluster);
}

std::string time_and_files(const FitOptions& options, const RunFacts& facts, const Swept& swept,
                           const RunDirectory& directory) {
  constexpr double kMebibyte = 1024.0 * 1024.0;
  std::string files;
  for (const auto& file : directory.files()) files += (files.empty() ? "" : ", ") + file;
  return "time     load " + short_text(facts.seconds_load, 3) + " s, solve " + short_text(facts.seconds_solve, 3) +
         " s, " + short_text(swept.ratings_per_second(facts.seconds_solve), 3) + " ratings/s, peak memory " +
         short_text(static_cast<double>(peak_rss_bytes()) / kMebibyte, 4) + " MiB" +
         (options.cluster.wanted() ? ", " + cluster_text(options.cluster) : "") + "\nfiles    " +
         (directory.exists() ? directory.path() + ": " + files : "none written; --out DIR keeps the results") + "\n";
}

}  // namespace strads::mf
