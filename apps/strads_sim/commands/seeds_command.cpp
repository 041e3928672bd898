// `strads_sim` and `strads_sim batch`: seeds of small clusters with faults.
#include <atomic>
#include <cstdio>
#include <mutex>
#include <optional>

#include "strads/program/event_log.hpp"
#include "strads/program/option_table.hpp"
#include "strads/program/program.hpp"
#include "strads/program/progress_printer.hpp"
#include "strads/sim/simulate.hpp"
#include "strads/transport/threads.hpp"
#include "strads_sim/commands.hpp"
#include "strads_sim/swarm/swarm_disk.hpp"
#include "strads_sim/swarm/swarm_problem.hpp"
#include "strads_sim/tables.hpp"

namespace strads::simulator {
namespace {

struct OneSeedOptions {
  CommonOptions common;
  std::uint64_t seed = 1;
  bool trace = false;
};

void add_help_options(OptionTable& table, CommonOptions& options) {
  const OptionSection rows = table.section("");
  rows.common().flag("help", "this page", &options.help);
  rows.flag("help-all", "the same with ranges", &options.help_all);
  add_log_option(rows, options);
}

OptionTable one_seed_table(OneSeedOptions& options) {
  OptionTable table("strads_sim",
                    "strads_sim: one small cluster with faults drawn from a seed, checked at every commit\n"
                    "usage: strads_sim [--seed N] [--trace]\n"
                    "exit code 1: a rule was broken\n");
  const OptionSection rows = table.section("");
  rows.common().count("seed", "N",
                      "of the cluster, the problem and the faults; the same seed, the same events byte for byte",
                      &options.seed, {});
  rows.common().flag("trace", "print every event", &options.trace);
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

std::string ending_of(const sim::SwarmOutcome& outcome) {
  const sim::SimulatedRun& run = outcome.run;
  if (!run.ended) return outcome.ended_by_loss ? "ended by the loss of the driver" : "no end";
  if (!run.end.status.ok()) return "ended: " + run.end.status.message();
  return "ended: " + run.end.stop_reason + ", " + std::to_string(run.end.totals.rounds) + " rounds";
}

Status play_one(const OneSeedOptions& options) {
  const sim::SimulationOptions cluster = sim::draw_small_cluster(options.seed);
  const SwarmProblem problem = swarm_problem(options.seed, cluster.engine);
  print("seed " + std::to_string(options.seed) + ": " + problem.text + "\n");
  for (const auto& line : sim::cluster_lines(cluster)) print("cluster: " + line + "\n");
  for (const auto& line : sim::fault_lines(cluster)) print("fault: " + line + "\n");
  sim::SimulationHooks hooks;
  if (options.trace) hooks.trace = [](const std::string& line) { print(line + "\n"); };
  // This problem's own models: a path's hash is of the solutions that they record.
  const auto models = [&](std::uint64_t seed, const EngineOptions& engine) -> sim::SwarmSubject {
    if (engine.seed != cluster.engine.seed) return swarm_models(seed, engine);  // of a further run
    return {problem.loaded.second_model, problem.make_audit, kept_on_disk};
  };
  const sim::SwarmOutcome outcome = sim::run_swarm_seed(options.seed, models, hooks);
  const sim::SimulatedRun& run = outcome.run;
  print("hit a round in flight: " + tallies_text(run.hits) + "\n");
  print("hit the start: " + tallies_text(run.starts) + "\n");
  print("recovered by: " + tallies_text(run.recoveries) + "\n");
  print(ending_of(outcome) + "; " + short_text(run.seconds) + " virtual seconds, the last process gone after " +
        short_text(run.seconds_until_gone) + ", " + std::to_string(run.events) + " events\n");
  if (run.ended && run.end.status.ok()) print(problem.hash + " " + problem.loaded.summarise(run.end).hash + "\n");
  if (!outcome.resumed.empty()) print("resumed on another cluster: " + outcome.resumed + "\n");
  if (!outcome.violation.has_value()) return {};
  print("VIOLATION: " + *outcome.violation + "\nreplay: " + sim::replay_command(options.seed) + "\n");
  return {kViolation, ""};
}

// --- batch ----------------------------------------------------------------------------------------------------------

struct BatchOptions {
  CommonOptions common;
  std::string seeds = "1..2000";
  std::uint32_t threads = 0;
  double minutes = 0;
  std::string only = "all";
};

OptionTable batch_table(BatchOptions& options) {
  OptionTable table("strads_sim batch",
                    "strads_sim batch: many seeds; a violation is named with the command that replays it\n"
                    "usage: strads_sim batch --seeds A..B [--threads N] [--minutes M]\n"
                    "exit code 1: a violation, or from 2,000 seeds on a kind of fault or of recovery that came less\n"
                    "often than in one of 20 seeds\n");
  const OptionSection rows = table.section("");
  rows.common().text("seeds", "A..B", "first and last seed", &options.seeds);
  rows.common().count("threads", "N",
                      "threads, each with seeds of its own, 0 = all cores that it may use; never changes the report",
                      &options.threads, {.min = 0, .max = 4096});
  rows.common().unit("minutes").number(
      "minutes", "M", "go on with ascending seeds from A, past B, until so much time is over; 0 = stop at B",
      &options.minutes, {.min = 0});
  rows.choice("only", "seeds of this kind of problem; the others are passed over", &options.only,
              {"all", "lasso", "mf", "svm", "lda", "implicit", "slim", "sumstats"});
  add_help_options(table, options.common);
  return table;
}

struct Seeds {
  std::uint64_t first = 1, last = 1;
};

Result<Seeds> seeds_of(const std::string& text) {
  unsigned long long first = 0;
  unsigned long long last = 0;
  int end = 0;
  const bool read = std::sscanf(text.c_str(), "%llu..%llu%n", &first, &last, &end) == 2;
  if (!read || static_cast<std::size_t>(end) != text.size() || last < first) {
    return Status::usage("--seeds: found '" + text + "', expected A..B with A <= B, for instance 1..2000");
  }
  return Seeds{first, last};
}

/// Deals out seeds and sums up what they met. The sums do not depend on the order of the seeds.
class Batch {
 public:
  Batch(const Seeds& seeds, const BatchOptions& options)
      : next_(seeds.first), last_(seeds.last), minutes_(options.minutes), only_(options.only) {}

  void run(unsigned threads) {
    make_threads(threads)->for_each(threads, [this](std::size_t k) { work(k == 0); });
  }

  [[nodiscard]] const sim::SwarmReport& report() const { return report_; }
  [[nodiscard]] double rate() const { return static_cast<double>(report_.runs) / watch_.seconds(); }

 private:
  void work(bool speaks) {
    sim::SwarmReport own;
    while (const auto seed = next()) {
      own.add(*seed, sim::run_swarm_seed(*seed, swarm_models));
      ++done_;
      if (speaks) say_progress();
    }
    const std::lock_guard lock(mutex_);
    report_.add(own);
  }

  std::optional<std::uint64_t> next() {
    for (;;) {
      if (finish_requested()) return std::nullopt;
      if (minutes_ > 0 && watch_.seconds() >= 60 * minutes_) return std::nullopt;
      const std::uint64_t seed = next_++;
      if (minutes_ == 0 && seed > last_) return std::nullopt;
      if (only_ == "all" || swarm_kind(seed) == only_) return seed;
    }
  }

  /// After a second, then now and then.
  void say_progress() {
    constexpr double kEverySeconds = 10;
    const double now = watch_.seconds();
    if (now < next_progress_) return;
    next_progress_ = now + kEverySeconds;
    const std::uint64_t done = done_;
    print_line("strads_sim",
               std::to_string(done) + " seeds, " + short_text(static_cast<double>(done) / now, 4) + " a second");
  }

  Stopwatch watch_;
  std::atomic<std::uint64_t> next_;
  std::uint64_t last_;
  double minutes_;
  std::string only_;
  std::atomic<std::uint64_t> done_ = 0;
  double next_progress_ = 1;
  std::mutex mutex_;
  sim::SwarmReport report_;
};

/// Few seeds say nothing about rarity.
std::vector<std::string> too_rare(const sim::SwarmReport& report) {
  constexpr std::uint64_t kSeedsLeast = 2000;
  constexpr std::uint64_t kSeedsForOne = 20;
  if (report.runs < kSeedsLeast) return {};
  std::vector<std::string> lines;
  const std::uint64_t least = report.runs / kSeedsForOne;
  for (const auto& tally : report.too_rare(least)) {
    lines.push_back("TOO RARE: " + tally + ", expected at least " + std::to_string(least));
  }
  return lines;
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
  STRADS_ASSIGN_OR_RETURN(const auto seeds, seeds_of(options.seeds));
  install_signal_handlers();
  const unsigned threads = threads_wanted(options.threads);
  Batch batch(seeds, options);
  batch.run(threads);
  const auto rare = too_rare(batch.report());
  for (const auto& line : batch.report().lines()) print(line + "\n");
  for (const auto& line : rare) print(line + "\n");
  print_line("strads_sim", short_text(batch.rate(), 4) + " seeds a second on " + std::to_string(threads) + " threads");
  return batch.report().violations.empty() && rare.empty() ? Status() : Status(kViolation, "");
}

void visit_seeds_tables(const TableVisit& visit) {
  OneSeedOptions one;
  BatchOptions batch;
  visit(one_seed_table(one));
  visit(batch_table(batch));
}

}  // namespace strads::simulator
