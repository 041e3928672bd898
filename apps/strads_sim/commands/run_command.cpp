// `strads_sim run`: a fit on a cluster that is described, in virtual time.
#include <cstdio>
#include <optional>
#include <utility>

#include "strads/program/event_log.hpp"
#include "strads/program/execution_options.hpp"
#include "strads/program/option_table.hpp"
#include "strads/program/program.hpp"
#include "strads/program/progress_printer.hpp"
#include "strads/program/run_directory.hpp"
#include "strads_sim/cluster_shape.hpp"
#include "strads_sim/commands.hpp"
#include "strads_sim/curve.hpp"
#include "strads_sim/models.hpp"
#include "strads_sim/run_output.hpp"
#include "strads_sim/tables.hpp"

namespace strads::simulator {
namespace {

constexpr const char* kCurveFile = "curve.csv";
constexpr std::size_t kHelpWidth = 100;

/// Of the model's options those that say who executes are not part of the problem; ours are not the model's.
constexpr std::string_view kNotTheModels[] = {"machine", "cluster", "output", "simulated", "simulated limits"};

struct RunOptions {
  const SimulatedModel* model = &simulated_models().front();
  ClusterShape shape;
  double virtual_seconds_max = 0;
  double target_gap = 0;
  double target_objective = 0;
  ProgramOptions program;
};

void add_own_options(OptionTable& table, RunOptions& options) {
  add_shape_options(table, options.shape);
  const OptionSection rows = table.section("simulated limits");
  rows.common().unit("seconds").number("virtual-seconds-max", "S", "stop after so much virtual time, 0 = no limit",
                                       &options.virtual_seconds_max, {});
  rows.common().number("target-gap", "G", "stop at a barrier with this relative gap, 0 = that of --tolerance",
                       &options.target_gap, {});
  rows.common().number("target-objective", "F", "stop as soon as the objective is this low, 0 = never",
                       &options.target_objective, {});
}

void declare(RunOptions& options) {
  const SimulatedModel& model = *options.model;
  const bool is_first = &model == &simulated_models().front();
  const std::string command = "strads_sim run" + (is_first ? std::string() : " " + model.name);
  std::string usage = "usage: " + command + " --config FILE [options of " + model.node.program + "]";
  const std::string cluster = " [--hosts H --cores C --preset NAME]\n";
  if (usage.size() + cluster.size() > kHelpWidth) usage += "\n      ";
  options.program = model.node.options(
      command, command + ": a fit on a cluster that you describe: real arithmetic, virtual time\n" + usage + cluster);
  options.program.table->show_only(model.shown);
  add_own_options(*options.program.table, options);
}

class SimulatedFit {
 public:
  explicit SimulatedFit(RunOptions& options)
      : options_(options), curve_(options.model->curve.row ? Curve(options.model->curve) : Curve()) {}

  Status run() {
    if (Status opened = open_directory(); !opened.ok()) return opened;
    if (Status fixed = use_simd(options_.program.machine->simd); !fixed.ok()) return fixed;
    KeptData nothing;
    STRADS_ASSIGN_OR_RETURN(auto loaded, options_.model->node.load(
                                             options_.program.table->config(kNotTheModels),
                                             [](const std::string& path) { return path; }, nothing));
    STRADS_ASSIGN_OR_RETURN(auto simulation, cluster_of(options_.shape, loaded.storage));
    return simulate_and_write(loaded, std::move(simulation));
  }

 private:
  Status open_directory() {
    const CommonOptions& common = *options_.program.common;
    if (common.out.empty()) return {};
    const std::vector<std::string> own = {kCurveFile, kConfigFile};
    STRADS_ASSIGN_OR_RETURN(directory_, RunDirectory::open(common.out, common.force, own));
    return {};
  }

  Status simulate_and_write(const LoadedModel& loaded, sim::SimulationOptions simulation) {
    simulation.engine = loaded.engine;
    simulation.seed = loaded.engine.seed;
    simulation.virtual_seconds_max = options_.virtual_seconds_max;
    simulation.lease_seconds = options_.program.cluster->lease_seconds;
    simulation.watch_liveness = !simulation.embedded;
    auto progress = ProgressPrinter::for_stderr(options_.program.common->quiet);
    const Stopwatch watch;
    double next_line = 0;
    sim::SimulationHooks hooks;
    hooks.observe = [&](const ProgressEvent& event, double seconds) {
      curve_.record(event, seconds);
      if (watch.seconds() >= next_line) {
        progress.show(event, seconds);
        next_line = watch.seconds() + 0.2;
      }
      return should_finish(event);
    };
    sim::SimulatedRun run = sim::simulate(loaded.second_model, simulation, hooks);
    progress.finish();
    if (!run.ended) return Status::internal("the simulated run hangs: nothing is left to happen");
    if (!run.end.status.ok()) return run.end.status;
    if (options_.model->recount) options_.model->recount(*loaded.model, run.end);
    const RunStory story{*options_.model,
                         run,
                         simulation,
                         loaded.summarise(run.end),
                         shape_text(options_.shape, simulation),
                         stopped_by_,
                         watch.seconds()};
    if (Status written = write(story); !written.ok()) return written;
    const std::string lines = closing_lines(story, directory_);
    std::fwrite(lines.data(), 1, lines.size(), stdout);
    if (logs_json()) print_result("strads_sim run", options_.program.common->out, summary_of(story));
    return {};
  }

  bool should_finish(const ProgressEvent& event) {
    if (finish_requested()) return stop("signal");
    if (options_.target_objective > 0) {
      const auto objective = objective_of(event);
      if (objective.has_value() && *objective <= options_.target_objective) return stop("target objective");
    }
    const Certificate& certificate = event.certificate;
    const double gap = certificate.relative_gap;
    const bool certified =
        options_.model->certifies && event.kind == ProgressEvent::Kind::barrier && certificate.gap >= 0;
    return options_.target_gap > 0 && certified && gap >= 0 && gap <= options_.target_gap && stop("target gap");
  }
  std::optional<double> objective_of(const ProgressEvent& event) const {
    if (options_.model->objective) return options_.model->objective(event);
    return event.kind == ProgressEvent::Kind::commit ? std::optional(event.objective) : std::nullopt;
  }
  bool stop(const char* why) {
    if (stopped_by_.empty()) stopped_by_ = why;
    return true;
  }

  Status write(const RunStory& story) {
    if (Status done = directory_.write(kConfigFile, options_.program.table->config()); !done.ok()) return done;
    if (Status done = directory_.write(kCurveFile, curve_.csv()); !done.ok()) return done;
    return directory_.finish(summary_of(story));
  }

  RunOptions& options_;
  RunDirectory directory_;
  Curve curve_;
  std::string stopped_by_;
};

}  // namespace

namespace {

/// Takes the model's name from the front, where there is one. Errors: usage: another word.
Status choose_model(std::span<const std::string>& arguments, RunOptions& options) {
  if (arguments.empty() || arguments.front().starts_with("-")) return {};
  const std::string& word = arguments.front();
  std::string names;
  for (const SimulatedModel& model : simulated_models()) {
    names += (names.empty() ? "" : ", ") + model.name;
    if (model.name == word) options.model = &model;
  }
  if (options.model->name != word) {
    return Status::usage("found '" + word + "' after run, expected a model (" + names + ") or an option");
  }
  arguments = arguments.subspan(1);
  return {};
}

}  // namespace

Status run_fit(std::span<const std::string> arguments) {
  RunOptions options;
  if (Status chosen = choose_model(arguments, options); !chosen.ok()) return chosen;
  declare(options);
  OptionTable& table = *options.program.table;
  if (Status parsed = table.parse(arguments); !parsed.ok()) return parsed;
  const CommonOptions& common = *options.program.common;
  const bool prints_only = common.help || common.help_all || common.version;
  if (!prints_only && options.program.settle) {
    if (Status settled = options.program.settle(); !settled.ok()) return settled;
  }
  if (answered(table, common, "strads_sim")) return {};
  if (common.force && common.out.empty()) {
    return Status::usage("--force needs --out DIR");
  }
  if (options.target_gap > 0 && !options.model->certifies) {
    return Status::usage("--target-gap goes with models that certify a gap, which " + options.model->node.program +
                         " does not; --target-objective or --sweeps end it earlier");
  }
  if (table.given("trace-times")) {
    return Status::usage("--trace-times reads clocks, and a simulated run has none; give it to " +
                         options.model->node.program);
  }
  install_signal_handlers();
  return SimulatedFit(options).run();
}

void visit_run_tables(const TableVisit& visit) {
  for (const SimulatedModel& model : simulated_models()) {
    RunOptions options;
    options.model = &model;
    declare(options);
    visit(*options.program.table);
  }
}

std::string run_markdown() {
  RunOptions options;
  OptionTable own("strads_sim run", "");
  add_own_options(own, options);
  return own.markdown() +
         "\n`strads_sim run mf` simulates `mf fit`, `run svm` `svm fit`, `run lda` `lda fit`, `run sumstats` `lasso "
         "path "
         "--sumstats`,\n`run` or `run lasso` `lasso fit`. Beside these, all options of that command. Those that say "
         "who "
         "executes for real\n(`--threads`, `--processes`, `--listen` and what belongs to it, `--max-seconds`) are "
         "read, "
         "so that a config file serves\nboth, and have no effect.\n";
}

}  // namespace strads::simulator
