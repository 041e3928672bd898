// What summary.json and the closing lines say about how a run was run, and about its nodes.
#include <vector>

#include "strads/numerics/columns.hpp"
#include "strads/program/program.hpp"
#include "strads/program/program_run.hpp"
#include "strads/program/summary.hpp"

namespace strads {
namespace {

Summary node_facts(const NodeReport& node) {
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
  facts.add("messages", node.messages);
  facts.add("bytes", node.bytes);
  add_refusals(facts, node.refused);
  facts.add("repeated", node.repeated);
  facts.add("second_workers", node.second_workers);
  facts.add("seconds_running", node.seconds_running);
  facts.add("seconds_waiting", node.seconds_waiting);
  facts.add("seconds_busy", node.seconds_busy);
  facts.add("peak_rss_bytes", node.memory_peak);
  return facts;
}

}  // namespace

void add_engine(Summary& summary, const RunOptions& options) {
  summary.add("schedulers", options.engine.schedulers);
  summary.add("workers", options.engine.workers);
  summary.add("depth", options.engine.depth);
  summary.add("seed", options.engine.seed);
  summary.add("kernel_target", simd_name());
  summary.add("version", version());
  summary.add("build", build_id());
}

void add_traffic(Summary& summary, const RunRecord& record) {
  summary.add("worker_wait_share", record.run.worker_wait_share);
  summary.add("messages", record.run.traffic.messages);
  summary.add("bytes", record.run.traffic.bytes);
}

void add_execution(Summary& summary, const RunOptions& options, const RunRecord& record) {
  summary.add("transport", transport_name(options.cluster));
  summary.add("seconds_load", record.seconds_load);
  summary.add("seconds_solve", record.seconds_solve);
  summary.add("seconds_check", record.seconds_check);
  summary.add("peak_rss_bytes", peak_rss_bytes());
}

std::string time_line(const RunOptions& options, const RunRecord& record, const std::string& rate) {
  constexpr double kMebibyte = 1024.0 * 1024.0;
  return "time     load " + short_text(record.seconds_load, 3) + " s, solve " + short_text(record.seconds_solve, 3) +
         " s, check " + short_text(record.seconds_check, 3) + " s, " + (rate.empty() ? "" : rate + ", ") +
         "peak memory " + short_text(static_cast<double>(peak_rss_bytes()) / kMebibyte, 4) + " MiB" +
         (options.cluster.wanted() ? ", " + cluster_text(options.cluster) : "") + "\n";
}

void add_cluster(Summary& summary, const RunRecord& record,
                 const std::function<void(Summary& facts, const NodeReport& node)>& own) {
  if (!record.cluster.has_value()) return;
  const ClusterRun& run = *record.cluster;
  std::vector<Summary> nodes;
  for (const auto& node : run.nodes) own(nodes.emplace_back(node_facts(node)), node);
  Summary cluster;
  cluster.add("nodes", std::uint64_t{run.nodes.size()});
  cluster.add("seconds_start", record.seconds_start);
  add_refusals(cluster, run.refused);
  cluster.add("reassigned", run.reassigned);
  cluster.add("moved", run.moved);
  cluster.add("node_list", nodes);
  summary.add("cluster", cluster);
}

std::string with_unit(std::uint64_t count, const char* one, const char* many) {
  return std::to_string(count) + " " + (count == 1 ? one : many);
}

}  // namespace strads
