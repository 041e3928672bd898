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
  add_traffic(summary, facts);
  summary.add("bytes_per_sweep", static_cast<double>(facts.run.traffic.bytes) / std::max(1.0, swept.sweeps));
  summary.add("ratings_per_second", swept.ratings_per_second(facts.seconds_solve));
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
  const std::string rate = short_text(swept.ratings_per_second(facts.seconds_solve), 3) + " ratings/s";
  return time_line(options, facts, rate) + files_line(directory);
}

}  // namespace strads::mf
