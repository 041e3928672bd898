#include "strads_sim/run_output.hpp"

#include <algorithm>

#include "strads/numerics/columns.hpp"
#include "strads/program/program.hpp"
#include "strads/program/run_directory.hpp"
#include "strads/program/summary.hpp"

namespace strads::simulator {
namespace {

std::string percent(double share) {
  return short_text(100 * share, 3) + " %";
}

std::string stop_reason(const RunStory& story) {
  return story.stopped_by.empty() ? story.run.end.stop_reason : story.stopped_by;
}

std::string where_line(const TimeShares& shares) {
  constexpr double kWorthNaming = 5e-4;
  std::string text;
  for (const auto& kind : shares.tasks) {
    if (kind.seconds >= kWorthNaming) text += kind.name + " " + percent(kind.seconds) + ", ";
  }
  return text + "messages and events " + percent(shares.loops) + ", waiting " + percent(shares.waiting) +
         " of the cores' time";
}

std::string curve_files(const RunDirectory& directory) {
  if (!directory.exists()) return "none written; --out DIR keeps the curve";
  std::string text = directory.path() + ":";
  for (const auto& file : directory.files()) text += " " + file;
  return text;
}

Summary process_facts(const sim::SimulatedUse& use) {
  Summary facts;
  facts.add("name", use.name);
  facts.add("busy_seconds", use.busy_seconds);
  facts.add("loop_seconds", use.loop_seconds);
  facts.add("plan_wait_seconds", use.plan_wait_seconds);
  facts.add("messages", use.messages);
  facts.add("bytes", use.bytes);
  facts.add("updates", use.updates);
  facts.add("blocks", use.blocks);
  return facts;
}

Summary constants_facts(const sim::SimulationOptions& options) {
  Summary facts;
  facts.add("streamed_flop", options.costs.streamed_flop);
  facts.add("quantised_flop", options.costs.quantised_flop);
  facts.add("swept_flop", options.costs.swept_flop);
  facts.add("scattered_flop", options.costs.scattered_flop);
  facts.add("tiled_flop", options.costs.tiled_flop);
  facts.add("local_flop", options.costs.local_flop);
  facts.add("fresh_byte", options.costs.fresh_byte);
  facts.add("gathered_byte", options.costs.gathered_byte);
  facts.add("handler", options.costs.handler);
  facts.add("handler_byte", options.costs.handler_byte);
  facts.add("task", options.costs.task);
  facts.add("hand_over", options.costs.hand_over);
  facts.add("message", options.costs.message);
  facts.add("message_more", options.costs.message_more);
  facts.add("message_byte", options.costs.message_byte);
  facts.add("latency", options.network.latency);
  facts.add("local_latency", options.network.local_latency);
  facts.add("bandwidth", options.network.bandwidth);
  facts.add("jitter", options.network.jitter);
  facts.add("slowdown", options.hosts.front().slowdown);
  return facts;
}

void add_work(Summary& summary, const RunStory& story) {
  const RunTotals& totals = story.run.end.totals;
  std::uint64_t messages = 0;
  std::uint64_t bytes = 0;
  for (const auto& use : story.run.processes) {
    messages += use.messages;
    bytes += use.bytes;
  }
  summary.add("rounds", totals.rounds);
  summary.add("empty_rounds", totals.empty_rounds);
  summary.add("phases", totals.phases);
  summary.add("blocks", totals.blocks);
  summary.add("updates", totals.updates);
  summary.add("updates_critical_path", totals.updates_path);
  summary.add("flops", totals.flops);
  summary.add("flops_critical_path", totals.flops_path);
  const auto& solves = story.model.block_solves;
  if (solves && !totals.tally.empty()) summary.add("block_solves", solves(totals.tally));
  summary.add("planned_early", totals.planned_early);
  summary.add("messages", messages);
  summary.add("bytes", bytes);
  summary.add("events", story.run.events);
}

void add_time(Summary& summary, const RunStory& story) {
  summary.add("seconds_virtual", story.run.seconds);
  summary.add("seconds_real", story.seconds_real);
  Summary tasks;
  for (const auto& kind : story.run.task_seconds) tasks.add(kind.name, kind.seconds);
  summary.add("task_core_seconds", tasks);
  const TimeShares shares = time_shares(story.run, story.options);
  Summary parts;
  for (const auto& kind : shares.tasks) parts.add(kind.name, kind.seconds);
  parts.add("messages_and_events", shares.loops);
  parts.add("waiting", shares.waiting);
  summary.add("shares_of_core_time", parts);
}

}  // namespace

TimeShares time_shares(const sim::SimulatedRun& run, const sim::SimulationOptions& options) {
  double cores = 0;
  for (const auto& host : options.hosts) cores += host.cores;
  const double total = std::max(1e-300, cores * run.seconds);
  TimeShares shares;
  double used = 0;
  for (const auto& kind : run.task_seconds) {
    shares.tasks.push_back({kind.name, kind.seconds / total});
    used += kind.seconds;
  }
  std::stable_sort(shares.tasks.begin(), shares.tasks.end(),
                   [](const auto& a, const auto& b) { return a.seconds > b.seconds; });
  double loops = 0;
  for (const auto& use : run.processes) loops += use.loop_seconds;
  shares.loops = loops / total;
  shares.waiting = std::max(0.0, 1 - (used + loops) / total);
  return shares;
}

std::string closing_lines(const RunStory& story, const RunDirectory& directory) {
  const RunEnd& end = story.run.end;
  const RunTotals& totals = end.totals;
  return "fitted   " + story.result.what + "\n" +  //
         "quality  " + stop_reason(story) + ": objective " + short_text(end.certificate.objective, 10) +
         story.model.quality_text(end.certificate) + "; " + story.model.hash + " " + story.result.hash + "\n" +  //
         "time     " + short_text(story.run.seconds, 4) + " virtual seconds on " + story.cluster + "; " +
         std::to_string(totals.rounds) + " rounds in " + std::to_string(totals.phases) + " phases, " +
         std::to_string(totals.updates) + " updates\n" +                           //
         "where    " + where_line(time_shares(story.run, story.options)) + "\n" +  //
         "files    " + curve_files(directory) + "\n";
}

Summary summary_of(const RunStory& story) {
  const RunEnd& end = story.run.end;
  Summary summary;
  summary.add("what", story.result.what);
  summary.add("stop_reason", stop_reason(story));
  summary.add("objective", end.certificate.objective);
  story.model.add_quality(summary, end.certificate);
  summary.add(story.model.hash, story.result.hash);
  summary.add("cluster", story.cluster);
  summary.add("hosts", std::uint64_t{story.options.hosts.size()});
  summary.add("nodes", std::uint64_t{story.options.nodes.size()});
  summary.add("cores_per_host", std::uint64_t{story.options.hosts.front().cores});
  summary.add("schedulers", story.options.engine.schedulers);
  summary.add("workers", story.options.engine.workers);
  summary.add("depth", story.options.engine.depth);
  summary.add("seed", story.options.engine.seed);
  add_time(summary, story);
  add_work(summary, story);
  std::vector<Summary> processes;
  for (const auto& use : story.run.processes) processes.push_back(process_facts(use));
  summary.add("processes", processes);
  summary.add("constants", constants_facts(story.options));
  summary.add("kernel_target", simd_name());
  summary.add("version", version());
  return summary;
}

}  // namespace strads::simulator
