#include <algorithm>
#include <cmath>
#include <utility>

#include "sim/faults.hpp"
#include "strads/base/random.hpp"
#include "strads/sim/simulate.hpp"

namespace strads::sim {
namespace {

constexpr double kGoodbyeSeconds = 2;   ///< the driver's goodbye takes so long at most
constexpr double kLeasesUntilGone = 2;  ///< one to notice, another for those who cannot be told
constexpr double kHangSeconds = 120;
constexpr std::uint64_t kHostsEvery = 8;                     ///< seeds of which one hosts several runs
constexpr std::uint32_t kFurtherRuns = 2;                    ///< besides the first
constexpr std::uint64_t kFurtherStream = 7;                  ///< of random numbers: further runs
constexpr std::uint64_t kProblemSeeds = 10'000;              ///< that their problems are drawn from
constexpr std::uint64_t kDiskStream = 10;                    ///< of random numbers: how the disk was left
constexpr std::uint64_t kOtherCluster = 0x9e3779b97f4a7c15;  ///< between a seed's cluster and that on which it goes on
constexpr double kPatienceLeases = 6;  ///< for nodes to join: longer than all outages of a seed that come early

std::string quoted(const std::string& text) {
  return "\"" + text + "\"";
}

bool driver_was_killed(const SimulatedRun& run) {
  return run.processes.back().left == "is killed";
}

std::optional<std::string> wrong_results(const SimulatedRun& run, const SimulatedRun& expected) {
  if (!expected.ended || !expected.end.status.ok()) {
    return "fails without faults as well: " + quoted(expected.end.status.message());
  }
  if (run.end.status.message() != expected.end.status.message()) {
    return "ended with " + quoted(run.end.status.message()) + ", without faults with " +
           quoted(expected.end.status.message());
  }
  if (run.end.stop_reason != expected.end.stop_reason) {
    return "stopped for " + quoted(run.end.stop_reason) + ", without faults for " + quoted(expected.end.stop_reason);
  }
  if (run.end.totals.rounds != expected.end.totals.rounds) {
    return std::to_string(run.end.totals.rounds) + " rounds, without faults " +
           std::to_string(expected.end.totals.rounds);
  }
  if (run.end.statuses != expected.end.statuses) return "another solution than without faults";
  if (run.state_hash != 0 && run.state_hash != expected.state_hash) return "another replica than without faults";
  return std::nullopt;
}

/// Where all, or those that a loss has left, are asked to leave, runs end before their time, with what they have.
std::optional<std::string> wrong_early_end(const SimulatedRun& run, const SimulatedRun& expected) {
  if (run.lethal_at < 0 && run.early_end != EarlyEnd::all)
    return "ended before its time, though nobody was lost or asked to leave";
  if (run.end.status.code() == StatusCode::stopped) {
    const std::string& why = run.end.status.message();
    if (why.find("there are no results to write") != std::string::npos) return std::nullopt;
    return "stopped without results: " + quoted(why);
  }
  // The phase that was cut off may have been the last one that was needed: the model's audit looks at the certificate.
  const bool enough = run.end.stop_reason == expected.end.stop_reason && run.end.certificate.converged;
  if ((run.end.stop_reason == kStopLimit || enough) && run.end.totals.rounds <= expected.end.totals.rounds)
    return std::nullopt;
  return "stopped for " + quoted(run.end.stop_reason) + " after " + std::to_string(run.end.totals.rounds) +
         " rounds, without the early end after " + std::to_string(expected.end.totals.rounds);
}

bool ended_early(const RunEnd& end, const SimulatedRun& expected) {
  if (!end.status.ok()) return end.status.code() == StatusCode::stopped;
  return end.totals.rounds < expected.end.totals.rounds ||
         (end.stop_reason == kStopLimit && expected.end.stop_reason != kStopLimit);
}

/// A further run that has ended, as one that ended by itself.
std::optional<std::string> wrong_further_results(const SimulatedRun& run, const std::vector<SimulatedRun>& expected) {
  if (run.further.size() != expected.size()) return "not all runs were asked for";
  for (std::size_t i = 0; i < expected.size(); ++i) {
    if (run.early_end != EarlyEnd::none && run.further[i].ended && ended_early(run.further[i].end, expected[i]))
      continue;
    SimulatedRun hosted;
    hosted.end = run.further[i].end;
    hosted.state_hash = run.further[i].state_hash;
    const auto wrong = run.further[i].ended ? wrong_results(hosted, expected[i]) : std::string("no end was announced");
    if (wrong.has_value()) return "run " + std::to_string(i + 1) + ": " + *wrong;
  }
  return std::nullopt;
}

/// Who was lost; before all had joined: who is missing. A process that is started again beside its own dead one may
/// take the last place, so that another has none and nobody a role that is needed.
bool names_cause(const std::string& text, const SimulatedRun& run) {
  if (text.find("lost rank") != std::string::npos) return true;
  if (!run.begun && text.find("; missing: ") != std::string::npos) return true;
  return !run.returned.empty() && text.find("no node accepts the role") != std::string::npos;
}

/// Who is still there when nobody should be. A node that has not been welcomed knows of no lease yet, and a driver that
/// waits for nodes has not begun one: they have the patience of the start.
std::optional<std::string> lingers(const std::vector<SimulatedUse>& processes, const SimulatedRun& run,
                                   const SimulationOptions& options) {
  const bool ended_before = run.ended && run.seconds < run.lethal_last;
  const double loss = run.lethal_at < 0 ? run.seconds : ended_before ? run.lethal_at : run.lethal_last;
  for (const SimulatedUse& process : processes) {
    double latest = loss + kLeasesUntilGone * options.lease_seconds + kGoodbyeSeconds;
    if (!process.begun) latest += options.start.patience_seconds;
    if (process.gone_seconds <= latest) continue;
    return process.name + " was gone at " + std::to_string(process.gone_seconds) + " s, after a loss at " +
           std::to_string(loss) + " s; expected by " + std::to_string(latest) + " s";
  }
  return std::nullopt;
}

/// It was asked to, or the runs were over.
bool left_in_order(const SimulatedUse& process) {
  return process.left == "leaves: the run is over" || process.left.find("left the run: asked to") != std::string::npos;
}

/// All were asked to leave. Some went while others took their roles, and these were lost: a role is left to nobody.
bool nobody_was_left(const SimulatedRun& run, const SimulationOptions& options) {
  const auto is_gone = [&](std::uint32_t rank) {
    const SimulatedUse& process = run.processes[rank];
    return process.doomed || (left_in_order(process) && process.gone_seconds < run.seconds);
  };
  bool schedules = false, works = false;
  for (std::uint32_t rank = 0; rank < options.nodes.size(); ++rank) {
    schedules = schedules || (options.nodes[rank].schedules && !is_gone(rank));
    works = works || (options.nodes[rank].works && !is_gone(rank));
  }
  return run.early_end == EarlyEnd::all && !(schedules && works);
}

/// Of those that have left.
std::optional<std::string> without_cause(const SimulatedRun& run) {
  for (const SimulatedUse& process : run.processes) {
    const bool named = process.left == "is killed" || process.left == "ends" || left_in_order(process) ||
                       names_cause(process.left, run) || process.left.find("the driver") != std::string::npos ||
                       process.left.find("silent for too long") != std::string::npos ||
                       process.left.find("no driver answered") != std::string::npos;
    if (!named) return process.name + " left without the cause: " + quoted(process.left);
  }
  return std::nullopt;
}

/// A run that ends in order lets everybody go; who was away then hears of it, or misses the driver.
std::optional<std::string> stays_too_long(const SimulatedRun& run, const SimulationOptions& options) {
  for (const SimulatedUse& process : run.processes) {
    const double latest = run.seconds + kLeasesUntilGone * options.lease_seconds + kGoodbyeSeconds +
                          (process.begun ? 0 : options.start.patience_seconds);
    if (process.gone_seconds <= latest) continue;
    return process.name + " was gone at " + std::to_string(process.gone_seconds) + " s, after an end at " +
           std::to_string(run.seconds) + " s; expected by " + std::to_string(latest) + " s";
  }
  return std::nullopt;
}

/// A loss may end a run, but then promptly, everywhere, and with the cause named.
std::optional<std::string> wrong_end(const SimulatedRun& run, const SimulationOptions& options) {
  if (auto late = lingers(run.processes, run, options)) return late;
  if (auto late = lingers(run.returned, run, options)) return late;
  if (run.ended && !names_cause(run.end.status.message(), run)) {
    return "the driver ended without the cause: " + quoted(run.end.status.message());
  }
  return without_cause(run);
}

/// A process that was started again finds the driver and takes part, or the run is over before.
std::optional<std::string> wrong_return(const SimulatedRun& run) {
  for (const SimulatedUse& process : run.returned) {
    if (process.left.empty()) return "hangs: " + process.name + " never ended";
    const bool alone = process.left.find("no driver answered") != std::string::npos ||
                       process.left.find("the driver") != std::string::npos;
    const bool replaced = process.left == "is killed" || names_cause(process.left, run);
    if (!left_in_order(process) && !alone && !replaced)
      return process.name + " left without the cause: " + quoted(process.left);
  }
  return std::nullopt;
}

std::optional<std::string> hanging(const SimulatedRun& run) {
  for (const SimulatedUse& process : run.processes) {
    if (process.left.empty()) return "hangs: " + process.name + " never ended";
  }
  return std::nullopt;
}

/// Problems of other seeds, of other lengths.
void draw_further_runs(std::uint64_t seed, const SwarmModels& models, SimulationOptions& options) {
  CounterRng random(seed, Purpose::faults, kFurtherStream);
  for (std::uint32_t i = 0; i < kFurtherRuns; ++i) {
    FurtherRun& further = options.further.emplace_back();
    further.engine = options.engine;
    further.engine.seed = random.next();
    further.engine.rounds_max = 10 + random.below(60);
    const SwarmSubject subject = models(random.below(kProblemSeeds), further.engine);
    further.make_model = subject.make_model;
    further.make_audit = subject.make_audit;
    if (i % 2 == 0) further.placed_as = 0;
  }
}

}  // namespace

SimulationOptions draw_small_cluster(std::uint64_t seed) {
  CounterRng random(seed, Purpose::faults, 0);
  const auto up_to = [&](std::uint32_t most) { return 1 + static_cast<std::uint32_t>(random.below(most)); };
  SimulationOptions options;
  options.seed = seed;
  options.engine.seed = random.next();
  options.engine.schedulers = up_to(4);
  options.engine.workers = up_to(8);
  options.engine.depth = up_to(options.engine.schedulers);
  options.engine.rounds_max = 20 + random.below(60);
  const std::uint32_t hosts = up_to(4);
  for (std::uint32_t h = 0; h < hosts; ++h) options.hosts.push_back({"host" + std::to_string(h), up_to(4), 1});
  const std::uint32_t nodes = 1 + up_to(5);
  const bool apart = random.unit() < 0.5;
  for (std::uint32_t n = 0; n < nodes; ++n) {
    SimulatedNode node;
    node.host = static_cast<std::uint32_t>(random.below(hosts));
    if (apart) {  // node 0 schedules, node 1 works, the others as it comes
      const double what = random.unit();
      node.schedules = n == 0 || (n > 1 && what < 0.3);
      node.works = n == 1 || (n > 1 && what >= 0.2);
    }
    options.nodes.push_back(node);
  }
  options.driver_host = static_cast<std::uint32_t>(random.below(hosts));
  // So slow that leases, beats and repetition matter while a few dozen rounds are computed.
  options.network.latency = 1e-3 * std::pow(10.0, random.unit());
  options.network.local_latency = 0.5 * options.network.latency;
  options.network.jitter = random.unit() < 0.5 ? 0 : random.unit();
  options.lease_seconds = 2 + random.unit();
  options.audit = true;
  options.give_up_seconds = kHangSeconds;
  options.faults.enabled = true;
  // A round is three messages on their way.
  options.faults.horizon_seconds = 3 * options.network.latency * static_cast<double>(options.engine.rounds_max);
  // About as long as leases, so that deaths are noticed while others still join and load.
  options.start = {.enabled = true,
                   .spread_seconds = 0.2 + 0.6 * random.unit(),
                   .load_seconds = 0.05 + (random.unit() < 0.3 ? 2 : 0.5) * random.unit(),
                   .patience_seconds = kPatienceLeases * options.lease_seconds};
  // Tiny tasks that take as long as messages do; in half of the seeds on threads, so that things happen meanwhile.
  if (random.unit() < 0.5) options.small_task_flops = 0;
  const double dearer = std::pow(10.0, 3.5 * random.unit());
  CostConstants& costs = options.costs;
  for (double* flop : {&costs.streamed_flop, &costs.quantised_flop, &costs.swept_flop, &costs.scattered_flop,
                       &costs.tiled_flop, &costs.local_flop}) {
    *flop *= dearer;
  }
  if (random.unit() < 0.5) options.thread_wait_seconds = 2 * options.network.latency * random.unit();
  return options;
}

std::vector<std::string> fault_lines(const SimulationOptions& options) {
  return FaultPlan(options).lines();
}

std::vector<std::string> cluster_lines(const SimulationOptions& options) {
  std::vector<std::string> lines;
  for (std::uint32_t host = 0; host < options.hosts.size(); ++host) {
    std::string line = options.hosts[host].name + " with " + std::to_string(options.hosts[host].cores) + " cores:";
    for (std::uint32_t rank = 0; rank < options.nodes.size(); ++rank) {
      const SimulatedNode& node = options.nodes[rank];
      if (node.host != host) continue;
      line += " node " + std::to_string(rank);
      line += node.schedules && node.works ? "," : node.works ? " (works)," : " (schedules),";
    }
    if (options.driver_host == host) line += " driver,";
    line.back() = line.back() == ',' ? ' ' : line.back();
    lines.push_back(line.back() == ' ' ? line.substr(0, line.size() - 1) : line + " nobody");
  }
  const EngineOptions& engine = options.engine;
  lines.push_back(std::to_string(engine.schedulers) + " schedulers, " + std::to_string(engine.workers) +
                  " workers, depth " + std::to_string(engine.depth) + ", at most " + std::to_string(engine.rounds_max) +
                  " rounds");
  lines.push_back(std::string("tasks run on ") +
                  (options.small_task_flops == 0 ? "threads" : "the loop if they are small") +
                  ", a million streamed flops take " + milliseconds(1e6 * options.costs.streamed_flop) +
                  ", threads wait for " + milliseconds(options.thread_wait_seconds));
  lines.push_back("latency " + milliseconds(options.network.latency) + " between hosts, " +
                  milliseconds(options.network.local_latency) + " on one; lease " +
                  milliseconds(options.lease_seconds));
  return lines;
}

SimulatedRun run_undisturbed(const SimulationOptions& disturbed,
                             const std::function<std::shared_ptr<Model>()>& make_model) {
  SimulationOptions options;
  options.engine = disturbed.engine;
  options.hosts = {{"alone", 1, 1}};
  options.nodes = {{0, true, true, 1}};
  options.embedded = true;
  options.watch_liveness = false;
  return simulate(make_model, options, {});
}

SwarmOutcome judge_run(SimulatedRun finished, const SimulationOptions& options, const SimulatedRun& expected,
                       const std::vector<SimulatedRun>& further) {
  SwarmOutcome outcome;
  outcome.run = std::move(finished);
  const SimulatedRun& run = outcome.run;
  outcome.violation = run.violation;
  if (!outcome.violation.has_value()) outcome.violation = hanging(run);
  if (!outcome.violation.has_value()) outcome.violation = wrong_return(run);
  if (outcome.violation.has_value()) return outcome;
  const bool lost =
      (!run.ended && driver_was_killed(run)) || (run.ended && run.end.status.code() == StatusCode::cluster);
  outcome.ended_early = run.early_end != EarlyEnd::none && run.ended && ended_early(run.end, expected);
  if (outcome.ended_early) {
    outcome.violation = wrong_early_end(run, expected);
    if (!outcome.violation.has_value() && run.end.status.ok()) outcome.violation = wrong_further_results(run, further);
    if (!outcome.violation.has_value()) outcome.violation = without_cause(run);
    if (!outcome.violation.has_value()) outcome.violation = stays_too_long(run, options);
  } else if (!lost) {
    outcome.violation = run.ended ? wrong_results(run, expected) : std::optional<std::string>("no end was announced");
    if (!outcome.violation.has_value()) outcome.violation = wrong_further_results(run, further);
  } else if (run.lethal_at < 0 && !nobody_was_left(run, options)) {
    outcome.violation = "lost although nothing lethal happened: " + run.end.status.message();
  } else if (run.ended && run.seconds < run.lethal_at) {
    outcome.violation = "lost before anything lethal happened: " + run.end.status.message();
  } else {
    outcome.ended_by_loss = true;
    outcome.violation = wrong_end(run, options);
  }
  return outcome;
}

/// Goes on with a run that was lost or ended early, without faults, on a cluster of another size, as --resume does.
void resume(std::uint64_t seed, const SimulationOptions& lost, const SwarmSubject& subject,
            const SimulatedRun& expected, SwarmOutcome& outcome) {
  const auto& written = outcome.run.checkpoints;
  if (written.empty() || !lost.further.empty() || !subject.disk) return;
  CounterRng random(seed, Purpose::faults, kDiskStream);
  const auto state = static_cast<DiskState>(random.below(4));
  SimulationOptions options = draw_small_cluster(seed + kOtherCluster);
  options.engine = lost.engine;
  options.faults.enabled = options.audit = false;
  options.from = subject.disk(written, state, random);
  const bool newest_is_whole = state == DiskState::whole;
  if (options.from == nullptr) {
    outcome.resumed = "begun anew";
    if (newest_is_whole || written.size() > 1) outcome.violation = "resumed: no checkpoint can be read, one is whole";
    return;
  }
  outcome.resumed = newest_is_whole ? "from the newest" : "from the one before";
  const Version version = (newest_is_whole ? written.back() : written.front())->barrier.version;
  if (options.from->barrier.version != version || (!newest_is_whole && written.size() < 2)) {
    outcome.violation = "resumed: found the checkpoint of version " + std::to_string(options.from->barrier.version) +
                        ", expected that of version " + std::to_string(version) + ", the newest that is whole";
    return;
  }
  const SimulatedRun run = simulate(subject.make_model, options, {});
  const auto wrong = run.ended ? wrong_results(run, expected) : std::optional<std::string>("no end was announced");
  if (wrong.has_value()) outcome.violation = "resumed " + outcome.resumed + ": " + *wrong;
}

SwarmOutcome run_swarm_seed(std::uint64_t seed, const SwarmModels& models, const SimulationHooks& hooks) {
  SimulationOptions options = draw_small_cluster(seed);
  const SwarmSubject subject = models(seed, options.engine);
  if (seed % kHostsEvery == 0) draw_further_runs(seed, models, options);
  SimulationHooks audited = hooks;
  if (!audited.make_audit) audited.make_audit = subject.make_audit;
  SimulatedRun run = simulate(subject.make_model, options, audited);
  std::vector<SimulatedRun> further;
  for (const FurtherRun& each : options.further) {
    SimulationOptions alone = options;
    alone.engine = each.engine;
    further.push_back(run_undisturbed(alone, each.make_model));
  }
  const SimulatedRun expected = run_undisturbed(options, subject.make_model);
  SwarmOutcome outcome = judge_run(std::move(run), options, expected, further);
  if ((outcome.ended_by_loss || outcome.ended_early) && !outcome.violation.has_value())
    resume(seed, options, subject, expected, outcome);
  return outcome;
}

SwarmReport run_swarm(std::uint64_t first, std::uint64_t end, std::uint64_t step, const SwarmModels& models,
                      const std::function<bool()>& stop) {
  SwarmReport report;
  for (std::uint64_t seed = first; seed < end; seed += step) {
    if (stop && stop()) break;
    report.add(seed, run_swarm_seed(seed, models));
  }
  return report;
}

}  // namespace strads::sim
