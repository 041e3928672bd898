#include <algorithm>
#include <utility>

#include "strads/sim/simulate.hpp"

namespace strads::sim {
namespace {

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

}  // namespace

std::string replay_command(std::uint64_t seed) {
  return "strads_sim --seed " + std::to_string(seed) + " --trace";
}

// --- the report ---

void SwarmReport::add(std::uint64_t seed, const SwarmOutcome& outcome) {
  ++runs;
  ended_by_loss += outcome.ended_by_loss ? 1 : 0;
  ended_early += outcome.ended_early ? 1 : 0;
  events += outcome.run.events;
  virtual_seconds += outcome.run.seconds_until_gone;
  merge(hits, outcome.run.hits);
  merge(starts, outcome.run.starts);
  merge(recoveries, outcome.run.recoveries);
  // All three, so that their order does not depend on which seed comes first.
  for (const char* from : {"begun anew", "from the newest", "from the one before"})
    merge(resumed, {{from, outcome.resumed == from ? 1U : 0U}});
  if (outcome.violation.has_value()) violations.push_back({seed, *outcome.violation});
}

void SwarmReport::add(const SwarmReport& other) {
  runs += other.runs;
  ended_by_loss += other.ended_by_loss;
  ended_early += other.ended_early;
  events += other.events;
  virtual_seconds += other.virtual_seconds;
  merge(hits, other.hits);
  merge(starts, other.starts);
  merge(recoveries, other.recoveries);
  merge(resumed, other.resumed);
  violations.insert(violations.end(), other.violations.begin(), other.violations.end());
  std::sort(violations.begin(), violations.end(), [](const auto& a, const auto& b) { return a.seed < b.seed; });
}

std::vector<std::string> SwarmReport::too_rare(std::uint64_t least) const {
  std::vector<std::string> names;
  for (const auto* tallies : {&hits, &starts, &recoveries}) {
    for (const Tally& tally : *tallies) {
      if (tally.count < least) names.push_back(tally.name + ": " + std::to_string(tally.count));
    }
  }
  return names;
}

std::vector<std::string> SwarmReport::lines() const {
  std::vector<std::string> lines{std::to_string(runs) + " runs, " + std::to_string(ended_by_loss) +
                                 " ended by a loss, " + std::to_string(ended_early) + " early since all left, " +
                                 std::to_string(violations.size()) + " violations; " + std::to_string(events) +
                                 " events"};
  std::string text = "faults that hit a round in flight:";
  for (const Tally& tally : hits) text += "  " + tally.name + " " + std::to_string(tally.count);
  lines.push_back(std::move(text));
  if (!starts.empty()) {
    text = "faults that hit the start:";
    for (const Tally& tally : starts) text += "  " + tally.name + " " + std::to_string(tally.count);
    lines.push_back(std::move(text));
  }
  text = "recoveries:";
  for (const Tally& tally : recoveries) text += "  " + tally.name + " " + std::to_string(tally.count);
  lines.push_back(std::move(text));
  if (!resumed.empty()) {
    text = "runs that were resumed:";
    for (const Tally& tally : resumed) text += "  " + tally.name + " " + std::to_string(tally.count);
    lines.push_back(std::move(text));
  }
  for (const Violation& violation : violations) {
    lines.push_back("seed " + std::to_string(violation.seed) + ": " + violation.what);
    lines.push_back("  replay: " + replay_command(violation.seed));
  }
  return lines;
}

}  // namespace strads::sim
