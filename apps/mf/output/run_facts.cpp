#include "mf/output/run_facts.hpp"

#include <algorithm>

#include "strads/numerics/columns.hpp"
#include "strads/program/program.hpp"
#include "strads/program/run_cluster.hpp"
#include "strads/program/run_directory.hpp"
#include "strads/program/summary.hpp"

namespace strads::mf {
namespace {

double ratio(double part, double whole) {
  return whole == 0 ? 0 : part / whole;
}

}  // namespace

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
  summary.add("seconds_check", facts.seconds_check);
  summary.add("peak_rss_bytes", peak_rss_bytes());
}

void add_cluster(Summary& summary, const RunFacts& facts, const Swept& swept) {
  // A link is what a node sends to the others.
  strads::add_cluster(summary, facts, [&swept](Summary& own, const NodeReport& node) {
    own.add("ratings_share", ratio(static_cast<double>(node.data_resident), static_cast<double>(node.data_mapped)));
    own.add("bytes_per_sweep", static_cast<double>(node.bytes) / std::max(1.0, swept.sweeps));
  });
}

std::string time_and_files(const FitOptions& options, const RunFacts& facts, const Swept& swept,
                           const RunDirectory& directory) {
  constexpr double kMebibyte = 1024.0 * 1024.0;
  std::string files;
  for (const auto& file : directory.files()) files += (files.empty() ? "" : ", ") + file;
  return "time     load " + short_text(facts.seconds_load, 3) + " s, solve " + short_text(facts.seconds_solve, 3) +
         " s, check " + short_text(facts.seconds_check, 3) + " s, " +
         short_text(swept.ratings_per_second(facts.seconds_solve), 3) + " ratings/s, peak memory " +
         short_text(static_cast<double>(peak_rss_bytes()) / kMebibyte, 4) + " MiB" +
         (options.cluster.wanted() ? ", " + cluster_text(options.cluster) : "") + "\nfiles    " +
         (directory.exists() ? directory.path() + ": " + files : "none written; --out DIR keeps the results") + "\n";
}

}  // namespace strads::mf
