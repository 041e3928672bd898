#include "mf/run/engine_run.hpp"

#include <cstdio>
#include <utility>

#include "mf/output/model_files.hpp"
#include "strads/numerics/columns.hpp"

namespace strads::mf {

EngineRun::EngineRun(std::string command, FitOptions options, const OptionTable& table)
    : options_(std::move(options)),
      command_(std::move(command)),
      config_(table.config()),
      config_for_nodes_(table.config(kExecutionSections)) {}

Status EngineRun::run() {
  if (Status opened = open_directory(); !opened.ok()) return opened;
  Status outcome = load_solve_write();
  if (!outcome.ok() && !outcome.message().empty()) {
    log_.error(outcome.message());
    directory_.keep_log_of_failure(log_.text());
  }
  if (!is_loading_) return outcome;
  if (live_ != nullptr) live_->finish();
  directory_ = {};  // no destructor runs any more
  end_program("mf", outcome);
}

Status EngineRun::open_directory() {
  if (options_.common.out.empty()) return {};
  auto directory = RunDirectory::open(options_.common.out, options_.common.force, own_files());
  if (!directory.ok()) return directory.status();
  directory_ = std::move(directory).value();
  live_ = directory_.live_files();
  log_.show(live_, kLogFile);
  if (Trace* rows = trace(); rows != nullptr) rows->show(live_, kTraceFile);
  return {};
}

Status EngineRun::load_solve_write() {
  log_.info(command_ + ", strads " + std::string(version()) + ", build " + build_id());
  threads_ = make_threads(options_.machine.threads);
  if (Status ran = options_.cluster.wanted() ? on_cluster() : embedded(); !ran.ok()) return ran;
  if (Status written = directory_.write(kConfigFile, config_); !written.ok()) return written;
  return conclude();
}

Result<std::shared_ptr<Model>> EngineRun::prepare(const Progress& progress, bool on_driver) {
  const Stopwatch watch;
  if (Status loaded = load(progress); !loaded.ok()) return loaded;
  facts().seconds_load = watch.seconds();
  log_.info("loaded in " + short_text(facts().seconds_load, 3) + " s, kernels " + std::string(simd_name()));
  solving_ = Stopwatch();  // from here on the time counts as seconds_solve
  is_solving_ = true;
  return make_model(on_driver);
}

ProgressPrinter EngineRun::printer() {
  return ProgressPrinter::for_stderr(options_.common.quiet, [this](const ProgressEvent& event, double seconds) {
    return progress_text(event, seconds);
  });
}

Status EngineRun::embedded() {
  if (Status fixed = use_simd(options_.machine.simd); !fixed.ok()) return fixed;
  const Stopwatch reading;
  auto reads = ProgressPrinter::for_stderr(options_.common.quiet);
  const auto show = [&](double share) {
    const auto text = [share] { return "reading ratings: " + short_text(100 * share, 3) + " %"; };
    reads.show_text(text, reading.seconds());
  };
  auto model = prepare(show, false);
  reads.finish();
  if (!model.ok()) return model.status();
  auto progress = printer();
  const EmbeddedOptions how{options_.machine.threads, options_.machine.encode_messages};
  facts().run = run_embedded(
      model.value(), options_.engine, how, [&](const ProgressEvent& event) { return observe(event, progress); },
      [this] { return should_finish(); });
  progress.finish();
  return facts().run.end.status;
}

/// The driver's own ratings serve for ids, counts and the test errors; its nodes load for themselves.
Status EngineRun::on_cluster() {
  const Stopwatch starting;
  auto progress = printer();
  DriverHooks hooks;
  hooks.say = [&](const std::string& line, bool important) {
    progress.finish();
    important ? note(line) : log_.info(line);
  };
  hooks.observe = [&](const ProgressEvent& event) {
    is_loading_ = false;
    return observe(event, progress);
  };
  hooks.finish_requested = [this] { return should_finish(); };
  const auto make = [self = shared_from_this(), starting]() -> Result<std::shared_ptr<Model>> {
    self->is_loading_ = true;
    self->facts().seconds_start = starting.seconds();
    return self->prepare({}, true);
  };
  auto run = run_cluster(make, options_.engine, options_.machine, options_.cluster, {command_, config_for_nodes_},
                         std::move(hooks));
  progress.finish();
  facts().run = {run.end, run.traffic, run.worker_wait_share};
  facts().cluster = std::move(run);
  const RunEnd& end = facts().run.end;
  if (end.status.ok() && end.statuses.empty()) {
    return {StatusCode::stopped, "stopped before the first round: there is nothing to write"};
  }
  return end.status;
}

bool EngineRun::should_finish() const {
  return finish_requested() || (options_.max_seconds > 0 && is_solving_ && solving_.seconds() >= options_.max_seconds);
}

bool EngineRun::observe(const ProgressEvent& event, ProgressPrinter& progress) {
  const double seconds = solving_.seconds();
  note_event(event, seconds);
  progress.show(event, seconds);
  return should_finish();
}

void EngineRun::note(const std::string& text) {
  log_.warn(text);
  if (!options_.common.quiet) print_note("mf", text);
}

void EngineRun::note_input(std::uint64_t duplicates, const std::vector<std::string>& unended,
                           const std::vector<std::string>& notes) {
  log_.info("read " + options_.input.path);
  if (!options_.input.test_path.empty()) log_.info("read " + options_.input.test_path);
  for (const std::string& path : unended) {
    note(path + ": the last line has no line end; if the file was cut short, its last rating may be wrong");
  }
  for (const std::string& text : notes) note(text);
  if (duplicates == 0) return;
  note(std::to_string(duplicates) + " ratings of pairs that were rated before: --duplicates " + options_.duplicates);
}

void EngineRun::judge_end() {
  RunFacts& known = facts();
  const auto& end = known.run.end;
  known.seconds_solve = solving_.seconds();
  known.finished = end.certificate.converged;
  known.stop_reason = end.stop_reason;
  if (known.finished || end.stop_reason != kStopLimit) return;
  if (finish_requested()) {
    known.stop_reason = "signal";
  } else if (options_.engine.rounds_max > 0 && end.totals.rounds >= options_.engine.rounds_max) {
    known.stop_reason = "max_rounds";
  } else if (options_.max_seconds > 0 && known.seconds_solve >= options_.max_seconds) {
    known.stop_reason = "max_seconds";
  }
}

void EngineRun::note_failure() {
  const std::string& reason = facts().stop_reason;
  if (reason == kStopRose) {
    note("the objective rose: the fit does not come closer to a minimum; the best sweep is kept" +
         std::string(options_.mf.solver == Solver::sgd ? "; use a smaller --rate or --lambda" : ""));
  } else if (reason == kStopNotFinite) {
    note("the fit came to numbers that are too large for single precision; the best sweep is kept; " +
         std::string(options_.mf.solver == Solver::sgd ? "use a smaller --rate, or " : "") +
         "divide the ratings by a constant");
  }
}

Status EngineRun::finish_files(const Summary& summary) {
  if (live_ != nullptr) live_->finish();
  if (const Trace* rows = trace(); rows != nullptr) {
    if (Status done = directory_.write(kTraceFile, rows->csv()); !done.ok()) return done;
  }
  if (Status done = directory_.write(kLogFile, log_.text()); !done.ok()) return done;
  return directory_.finish(summary);
}

Status EngineRun::closed(const std::string& lines) {
  std::fwrite(lines.data(), 1, lines.size(), stdout);
  return facts().finished ? Status() : Status(StatusCode::stopped, "");
}

}  // namespace strads::mf
