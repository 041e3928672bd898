// `strads_sim` and `strads_sim batch`: seeds of small clusters with faults.
#include <atomic>
#include <cstdio>
#include <map>
#include <mutex>
#include <optional>
#include <thread>

#include "strads/run.hpp"
#include "strads_sim/commands.hpp"
#include "strads_sim/small_cluster.hpp"
#include "strads_sim/tables.hpp"

namespace strads::simulator {
namespace {

struct OneSeedOptions {
  CommonOptions common;
  std::uint64_t seed = 1;
  bool trace = false;
};

void add_help_options(OptionTable& table, CommonOptions& options) {
  table.flag({.name = "help", .placeholder = "", .effect = "this page", .section = "", .common = true}, &options.help);
  table.flag({.name = "help-all", .placeholder = "", .effect = "the same with ranges", .section = ""},
             &options.help_all);
}

OptionTable one_seed_table(OneSeedOptions& options) {
  OptionTable table("strads_sim",
                    "strads_sim: one small cluster with faults drawn from a seed, checked at every commit\n"
                    "usage: strads_sim [--seed N] [--trace]\n");
  table.count({.name = "seed",
               .placeholder = "N",
               .effect = "of the cluster, the problem and the faults; the same seed, the same events byte for byte",
               .section = "",
               .common = true},
              &options.seed, {});
  table.flag({.name = "trace", .placeholder = "", .effect = "print every event", .section = "", .common = true},
             &options.trace);
  add_help_options(table, options.common);
  return table;
}

void print(const std::string& text) {
  std::fwrite(text.data(), 1, text.size(), stdout);
}

std::string tallies_text(const std::vector<sim::Tally>& tallies) {
  std::string text;
  for (const auto& tally : tallies) {
    if (tally.count > 0) text += (text.empty() ? "" : ", ") + tally.name + " " + std::to_string(tally.count);
  }
  return text.empty() ? "none" : text;
}

Status play_one(const OneSeedOptions& options) {
  const SeedCase seed_case = case_of(options.seed);
  print("seed " + std::to_string(options.seed) + ": " + seed_case.text + "\n");
  const auto print_line = [](const std::string& line) { print(line + "\n"); };
  const SeedOutcome outcome =
      play(seed_case, options.trace ? std::function<void(const std::string&)>(print_line) : nullptr);
  for (const auto& fault : outcome.run.faults) print("fault: " + fault + "\n");
  if (outcome.run.faults.empty()) print("fault: none\n");
  print("hit a round in flight: " + tallies_text(outcome.run.hits) + "\n");
  print("recovered by: " + tallies_text(outcome.run.recoveries) + "\n");
  print(outcome.ending + ", after " + short_text(outcome.run.seconds) + " virtual seconds and " +
        std::to_string(outcome.run.events) + " events\n");
  if (!outcome.hash.empty()) print("beta_hash " + outcome.hash + "\n");
  if (outcome.violation.empty()) return {};
  print("VIOLATION: " + outcome.violation + "\n");
  return {kViolation, ""};
}

// --- batch ----------------------------------------------------------------------------------------------------------

struct BatchOptions {
  CommonOptions common;
  std::string seeds = "1..2000";
  std::uint32_t threads = 0;
};

OptionTable batch_table(BatchOptions& options) {
  OptionTable table("strads_sim batch",
                    "strads_sim batch: many seeds; a violation is named with the command that replays it\n"
                    "usage: strads_sim batch --seeds A..B [--threads N]\n");
  table.text({.name = "seeds", .placeholder = "A..B", .effect = "first and last seed", .section = "", .common = true},
             &options.seeds);
  table.count({.name = "threads",
               .placeholder = "N",
               .effect = "threads, each with seeds of its own, 0 = all cores; never changes the report",
               .section = "",
               .common = true},
              &options.threads, {.min = 0, .max = 4096});
  add_help_options(table, options.common);
  return table;
}

struct Seeds {
  std::uint64_t first = 1, last = 1;
};

Result<Seeds> seeds_of(const std::string& text) {
  Seeds seeds;
  unsigned long long first = 0;
  unsigned long long last = 0;
  int end = 0;
  const bool read = std::sscanf(text.c_str(), "%llu..%llu%n", &first, &last, &end) == 2;
  if (!read || static_cast<std::size_t>(end) != text.size() || last < first) {
    return Status::usage("--seeds: found '" + text + "', expected A..B with A <= B, for instance 1..2000");
  }
  return Seeds{first, last};
}

/// What a batch met, summed. The sums do not depend on the order of the seeds.
class Report {
 public:
  void add(std::uint64_t seed, const SeedOutcome& outcome) {
    const std::lock_guard lock(mutex_);
    ++seeds_;
    if (outcome.run.ended) ++(outcome.run.end.status.ok() ? finished_ : lost_);
    sum(outcome.run.hits, hits_);
    sum(outcome.run.recoveries, recoveries_);
    if (!outcome.violation.empty()) violations_.emplace(seed, outcome.violation);
  }

  [[nodiscard]] std::string text() const {
    std::string text = std::to_string(seeds_) + " seeds: " + std::to_string(finished_) +
                       " runs finished with the bits of the undisturbed run, " + std::to_string(lost_) +
                       " ended by the loss of a scheduler or the driver\n";
    text += "faults that hit a round in flight\n" + lines(hits_) + "recoveries\n" + lines(recoveries_);
    for (const auto& [seed, violation] : violations_) {
      text += "VIOLATION: seed " + std::to_string(seed) + ": " + violation + "\n";
    }
    for (const auto& name : rare()) {
      text += "TOO RARE: " + name + ": fewer than " + std::to_string(needed()) + " times\n";
    }
    return text;
  }
  [[nodiscard]] bool good() const { return violations_.empty() && rare().empty(); }
  [[nodiscard]] std::uint64_t seeds() const { return seeds_; }

 private:
  using Sums = std::vector<sim::Tally>;
  static void sum(const Sums& tallies, Sums& sums) {
    if (sums.empty()) sums = Sums(tallies.size());
    for (std::size_t k = 0; k < tallies.size(); ++k) {
      sums[k].name = tallies[k].name;
      sums[k].count += tallies[k].count;
    }
  }
  static std::string lines(const Sums& sums) {
    std::string text;
    for (const auto& tally : sums) {
      std::string line = "  " + tally.name;
      line.resize(22, ' ');
      text += line + std::to_string(tally.count) + "\n";
    }
    return text;
  }
  /// 100 in 2,000 seeds; small batches say nothing about rarity.
  [[nodiscard]] std::uint64_t needed() const { return seeds_ >= 2000 ? seeds_ / 20 : 0; }
  [[nodiscard]] std::vector<std::string> rare() const {
    std::vector<std::string> names;
    for (const Sums* sums : {&hits_, &recoveries_}) {
      for (const auto& tally : *sums) {
        if (tally.count < needed()) names.push_back(tally.name);
      }
    }
    return names;
  }

  std::mutex mutex_;
  std::uint64_t seeds_ = 0, finished_ = 0, lost_ = 0;
  Sums hits_, recoveries_;
  std::map<std::uint64_t, std::string> violations_;
};

void play_all(const Seeds& seeds, unsigned threads, Report& report) {
  std::atomic<std::uint64_t> next = seeds.first;
  const auto work = [&] {
    for (std::uint64_t seed = next++; seed <= seeds.last && !finish_requested(); seed = next++) {
      report.add(seed, play(case_of(seed), {}));
    }
  };
  std::vector<std::thread> others;
  for (unsigned k = 1; k < threads; ++k) others.emplace_back(work);
  work();
  for (auto& other : others) other.join();
}

}  // namespace

Status run_one_seed(std::span<const std::string> arguments) {
  OneSeedOptions options;
  OptionTable table = one_seed_table(options);
  if (Status parsed = table.parse(arguments); !parsed.ok()) return parsed;
  if (answered(table, options.common, "strads_sim")) return {};
  return play_one(options);
}

Status run_batch(std::span<const std::string> arguments) {
  BatchOptions options;
  OptionTable table = batch_table(options);
  if (Status parsed = table.parse(arguments); !parsed.ok()) return parsed;
  if (answered(table, options.common, "strads_sim")) return {};
  const auto seeds = seeds_of(options.seeds);
  if (!seeds.ok()) return seeds.status();
  install_signal_handlers();
  const unsigned threads = options.threads != 0 ? options.threads : std::max(1U, std::thread::hardware_concurrency());
  Report report;
  const Stopwatch watch;
  play_all(seeds.value(), threads, report);
  print(report.text());
  std::fprintf(stderr, "%s seeds a second on %u threads\n",
               short_text(static_cast<double>(report.seeds()) / watch.seconds(), 4).c_str(), threads);
  return report.good() ? Status() : Status(kViolation, "");
}

std::string seeds_markdown() {
  OneSeedOptions one;
  BatchOptions batch;
  return one_seed_table(one).markdown() + "\n" + batch_table(batch).markdown();
}

}  // namespace strads::simulator
