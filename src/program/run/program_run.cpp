#include "strads/program/program_run.hpp"

#include <algorithm>
#include <thread>
#include <utility>

namespace strads {

ProgramRun::ProgramRun(std::string command, RunOptions options, const OptionTable& table)
    : command_(std::move(command)),
      program_(command_.substr(0, command_.find(' '))),
      settings_(std::move(options)),
      config_(table.config()),
      config_for_nodes_(table.config(kExecutionSections)) {}

std::size_t runs_at_once(const MachineOptions& machine) {
  const std::size_t threads =
      machine.threads != 0 ? machine.threads : std::max(1U, std::thread::hardware_concurrency());
  return threads == 1 ? 1 : threads + 1;
}

Status ProgramRun::run() {
  if (Status opened = open_directory(); !opened.ok()) return opened;
  Status outcome = prepare_solve_write();
  if (!outcome.ok() && !outcome.message().empty()) {
    log_.error(outcome.message());
    directory_.keep_log_of_failure(log_.text());
  }
  if (!record().cluster.has_value() || record().cluster->reading == nullptr) return outcome;
  if (live_ != nullptr) live_->finish();
  directory_ = {};  // no destructor runs any more
  end_program(program_.c_str(), outcome);
}

Status ProgramRun::open_directory() {
  if (settings_.common.out.empty()) return {};
  auto directory = RunDirectory::open(settings_.common.out, settings_.common.force, own_files());
  if (!directory.ok()) return directory.status();
  directory_ = std::move(directory).value();
  live_ = directory_.live_files();
  log_.show(live_, kLogFile);
  if (Trace* rows = trace(); rows != nullptr) rows->show(live_, kTraceFile);
  return {};
}

Status ProgramRun::prepare_solve_write() {
  log_.info(command_ + ", strads " + std::string(version()) + ", build " + build_id());
  if (Status ran = settings_.cluster.wanted() ? on_cluster() : embedded(); !ran.ok()) return ran;
  if (Status written = directory_.write(kConfigFile, config_); !written.ok()) return written;
  return conclude();
}

void ProgramRun::begin_solving() {
  solving_ = Stopwatch();
  is_solving_ = true;
}

Status ProgramRun::embedded() {
  if (Status fixed = use_simd(settings_.machine.simd); !fixed.ok()) return fixed;
  auto listener = listen_to_rounds();
  if (!listener.ok()) return listener.status();
  auto list = prepare_runs();
  if (!list.ok()) return list.status();
  auto progress = ProgressPrinter::for_stderr(settings_.common.quiet, progress_formatter());
  run_list(list.value(), listener.value(), progress);
  progress.finish();
  const Status& outcome = record().run.end.status;
  return outcome.ok() ? end_rounds() : outcome;
}

Result<RunList> ProgramRun::prepare_runs() {
  auto model = prepare(false);
  if (!model.ok()) return model.status();
  return single_run(std::move(model).value());
}

RunList ProgramRun::single_run(std::shared_ptr<Model> model) const {
  RunList list;
  list.runs.push_back({settings_.engine, [made = std::move(model)] { return Result(made); }});
  return list;
}

void ProgramRun::run_list(const RunList& list, const RoundListener& rounds, ProgressPrinter& progress) {
  const bool several = list.runs.size() > 1;
  if (several) {
    log_.info(std::to_string(list.runs.size()) + " runs, " + std::to_string(list.at_once) + " at a time");
  }
  RunEnd& end = record().run.end;
  end = RunEnd{};
  bool all_ended = true, all_converged = true;
  std::vector<ProgressEvent> last(list.runs.size());  // of each run
  RunsHooks hooks;
  hooks.observe = [&](std::size_t run, const ProgressEvent& event) {
    last[run] = event;
    if (!several) return observe(event, progress) || rounds_failed();
    ProgressEvent together = event;
    together.totals = {};
    together.phase = 0;
    for (const ProgressEvent& each : last) {
      together.totals += each.totals;
      together.phase += each.phase;
    }
    return observe(together, progress) || rounds_failed();
  };
  hooks.ended = [&](std::size_t run, RunEnd ended) {
    if (!several) {
      end = std::move(ended);
      return;
    }
    end.totals += ended.totals;
    all_ended = all_ended && ended.stop_reason != kStopLimit;
    all_converged = all_converged && ended.certificate.converged;
    note_end(run, ended);
  };
  hooks.finish_requested = [this] { return should_finish(); };
  hooks.rounds = rounds;
  const EmbeddedOptions how{settings_.machine.threads, settings_.machine.encode_messages};
  const EmbeddedRuns done = run_embedded(list.runs, list.at_once, how, hooks);
  EmbeddedRun& run = record().run;
  if (!done.status.ok()) end.status = done.status;
  all_ended = all_ended && done.begun == list.runs.size();
  if (several) end.stop_reason = all_ended ? "every run has ended" : kStopLimit;
  if (several) end.certificate.converged = all_ended && all_converged;
  run.traffic = done.traffic;
  run.worker_wait_share = done.worker_wait_share;
}

/// The driver's own data serve for what it writes; its nodes load for themselves.
Status ProgramRun::on_cluster() {
  const Stopwatch starting;
  auto progress = ProgressPrinter::for_stderr(settings_.common.quiet, progress_formatter());
  DriverHooks hooks;
  hooks.say = [&](const std::string& line, bool important) {
    progress.finish();
    important ? note(line) : log_.info(line);
  };
  hooks.observe = [&](const ProgressEvent& event) { return observe(event, progress); };
  hooks.finish_requested = [this] { return should_finish(); };
  const auto make = [this, starting] {
    record().seconds_start = starting.seconds();
    return prepare(true);
  };
  auto run = run_cluster(make, settings_.engine, settings_.machine, settings_.cluster, {command_, config_for_nodes_},
                         std::move(hooks));
  progress.finish();
  record().run = {run.end, run.traffic, run.worker_wait_share};
  record().cluster = std::move(run);
  const RunEnd& end = record().run.end;
  if (end.status.ok() && end.statuses.empty()) {
    return {StatusCode::stopped, "stopped before the first round: there is nothing to write"};
  }
  return end.status;
}

bool ProgramRun::should_finish() const {
  const double limit = settings_.max_seconds;
  return finish_requested() || (limit > 0 && is_solving_ && solving_.seconds() >= limit);
}

bool ProgramRun::observe(const ProgressEvent& event, ProgressPrinter& progress) {
  const double seconds = solving_.seconds();
  note_event(event, seconds);
  progress.show(event, seconds);
  return should_finish();
}

void ProgramRun::note(const std::string& text) {
  log_.warn(text);
  if (!settings_.common.quiet) print_note(program_, text);
}

std::string ProgramRun::reason_of_end(const std::string& stop_reason) {
  if (stop_reason != kStopLimit) return stop_reason;
  const RunEnd& end = record().run.end;
  if (finish_requested()) return "signal";
  if (settings_.engine.rounds_max > 0 && end.totals.rounds >= settings_.engine.rounds_max) return "max_rounds";
  if (settings_.max_seconds > 0 && record().seconds_solve >= settings_.max_seconds) return "max_seconds";
  return stop_reason;
}

Status ProgramRun::finish_files(const Summary& summary) {
  if (live_ != nullptr) live_->finish();
  if (const Trace* rows = trace(); rows != nullptr) {
    if (Status done = directory_.write(kTraceFile, rows->csv()); !done.ok()) return done;
  }
  if (Status done = directory_.write(kLogFile, log_.text()); !done.ok()) return done;
  return directory_.finish(summary);
}

Status run_command(std::string_view program, OptionTable& table, const CommonOptions& common,
                   std::span<const std::string> arguments, const std::function<Status()>& settle,
                   const std::function<Status()>& run) {
  if (Status parsed = table.parse(arguments); !parsed.ok()) return parsed;
  const bool prints_only = common.help || common.help_all || common.version;
  if (prints_only) return answered(table, common, program) ? Status() : Status::internal("no answer");
  if (Status settled = settle(); !settled.ok()) return settled;
  if (answered(table, common, program)) return {};  // --print-config, once it is known to make sense
  install_signal_handlers();
  return run();
}

Status take_options(OptionTable& table, const std::string& config, std::span<std::string* const> names,
                    const PathRule& path, const std::function<Status()>& settle) {
  if (Status parsed = table.parse_config_text("options of the driver", config); !parsed.ok()) return parsed;
  for (std::string* name : names) *name = name->empty() ? *name : path(*name);
  return settle();
}

}  // namespace strads
