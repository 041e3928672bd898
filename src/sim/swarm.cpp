#include <algorithm>
#include <cmath>
#include <utility>

#include "strads/random.hpp"
#include "strads/simulate.hpp"

namespace strads::sim {
namespace {

constexpr double kGoodbyeSeconds =
    3;  ///< the driver's goodbye takes two at most, and timers are looked at now and then
constexpr double kLeasesUntilGone =
    3.5;  ///< one to notice, one more for those who cannot be told, and an outage on top
constexpr double kHangSeconds = 120;

std::string quoted(const std::string& text) {
  return "\"" + text + "\"";
}

void merge(std::vector<Tally>& into, const std::vector<Tally>& from) {
  for (const Tally& tally : from) {
    const auto same = [&](const Tally& each) { return each.name == tally.name; };
    const auto at = std::find_if(into.begin(), into.end(), same);
    if (at == into.end()) {
      into.push_back(tally);
    } else {
      at->count += tally.count;
    }
  }
}

/// The same problem in one process, without time, links and faults.
SimulatedRun undisturbed(const SimulationOptions& disturbed,
                         const std::function<std::shared_ptr<Model>()>& make_model) {
  SimulationOptions options;
  options.engine = disturbed.engine;
  options.hosts = {{"alone", 1, 1}};
  options.nodes = {{0, true, true, 1}};
  options.embedded = true;
  options.watch_liveness = false;
  return simulate(make_model, options, {});
}

bool driver_was_killed(const SimulatedRun& run) {
  return run.processes.back().left == "is killed";
}

std::optional<std::string> wrong_results(const SimulatedRun& run, const SimulatedRun& expected) {
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

/// A loss may end a run, but then promptly, everywhere, and with the cause named.
std::optional<std::string> wrong_end(const SimulatedRun& run, const SimulationOptions& options) {
  const double latest = run.lethal_at + kLeasesUntilGone * options.lease_seconds + kGoodbyeSeconds;
  if (run.seconds_until_gone > latest) {
    return "the last process was gone at " + std::to_string(run.seconds_until_gone) + " s, after a loss at " +
           std::to_string(run.lethal_at) + " s; expected by " + std::to_string(latest) + " s";
  }
  for (const SimulatedUse& process : run.processes) {
    const bool names_cause = process.left == "is killed" || process.left == "ends" ||
                             process.left.find("lost rank") != std::string::npos ||
                             process.left.find("the driver") != std::string::npos ||
                             process.left.find("silent for too long") != std::string::npos;
    if (!names_cause) return process.name + " left without the cause: " + quoted(process.left);
  }
  return std::nullopt;
}

void judge(SwarmOutcome& outcome, const SimulationOptions& options, const SimulatedRun& expected) {
  const SimulatedRun& run = outcome.run;
  if (run.violation.has_value()) {
    outcome.violation = run.violation;
    return;
  }
  for (const SimulatedUse& process : run.processes) {
    if (!process.left.empty()) continue;
    outcome.violation = "hangs: " + process.name + " never ended";
    return;
  }
  const bool lost =
      (!run.ended && driver_was_killed(run)) || (run.ended && run.end.status.code() == StatusCode::cluster);
  if (!lost) {
    outcome.violation = run.ended ? wrong_results(run, expected) : std::optional<std::string>("no end was announced");
  } else if (run.lethal_at < 0) {
    outcome.violation = "lost although nothing lethal happened: " + run.end.status.message();
  } else {
    outcome.ended_by_loss = true;
    outcome.violation = wrong_end(run, options);
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
  return options;
}

SwarmOutcome run_swarm_seed(std::uint64_t seed, const SwarmModels& models, const SimulationHooks& hooks) {
  const SimulationOptions options = draw_small_cluster(seed);
  const auto make_model = models(seed, options.engine);
  SwarmOutcome outcome;
  outcome.run = simulate(make_model, options, hooks);
  judge(outcome, options, undisturbed(options, make_model));
  return outcome;
}

std::string replay_command(std::uint64_t seed) {
  return "strads_sim --seed " + std::to_string(seed) + " --trace";
}

// --- the report ---

void SwarmReport::add(std::uint64_t seed, const SwarmOutcome& outcome) {
  ++runs;
  ended_by_loss += outcome.ended_by_loss ? 1 : 0;
  events += outcome.run.events;
  virtual_seconds += outcome.run.seconds_until_gone;
  merge(hits, outcome.run.hits);
  merge(recoveries, outcome.run.recoveries);
  if (outcome.violation.has_value()) violations.push_back({seed, *outcome.violation});
}

void SwarmReport::add(const SwarmReport& other) {
  runs += other.runs;
  ended_by_loss += other.ended_by_loss;
  events += other.events;
  virtual_seconds += other.virtual_seconds;
  merge(hits, other.hits);
  merge(recoveries, other.recoveries);
  violations.insert(violations.end(), other.violations.begin(), other.violations.end());
  std::sort(violations.begin(), violations.end(), [](const auto& a, const auto& b) { return a.seed < b.seed; });
}

std::vector<std::string> SwarmReport::too_rare(std::uint64_t least) const {
  std::vector<std::string> names;
  for (const auto* tallies : {&hits, &recoveries}) {
    for (const Tally& tally : *tallies) {
      if (tally.count < least) names.push_back(tally.name + ": " + std::to_string(tally.count));
    }
  }
  return names;
}

std::vector<std::string> SwarmReport::lines() const {
  std::vector<std::string> lines{std::to_string(runs) + " runs, " + std::to_string(ended_by_loss) +
                                 " ended by a loss, " + std::to_string(violations.size()) + " violations; " +
                                 std::to_string(events) + " events"};
  std::string text = "faults that hit a round in flight:";
  for (const Tally& tally : hits) text += "  " + tally.name + " " + std::to_string(tally.count);
  lines.push_back(std::move(text));
  text = "recoveries:";
  for (const Tally& tally : recoveries) text += "  " + tally.name + " " + std::to_string(tally.count);
  lines.push_back(std::move(text));
  for (const Violation& violation : violations) {
    lines.push_back("seed " + std::to_string(violation.seed) + ": " + violation.what);
    lines.push_back("  replay: " + replay_command(violation.seed));
  }
  return lines;
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
