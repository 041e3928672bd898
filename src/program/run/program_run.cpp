#include "strads/program/program_run.hpp"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <iterator>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "data/files/memory_limit.hpp"
#include "program/output/times_file.hpp"
#include "program/process/deadline.hpp"
#include "program/run/host_notes.hpp"
#include "program/run/run_checkpoints.hpp"
#include "program/run/run_page.hpp"
#include "program/run/together.hpp"
#include "strads/program/event_log.hpp"
#include "strads/program/execution_options.hpp"
#include "strads/program/option_table.hpp"
#include "strads/program/program.hpp"
#include "strads/program/progress_printer.hpp"
#include "strads/program/run_cluster.hpp"
#include "strads/program/run_directory.hpp"
#include "strads/program/summary.hpp"
#include "strads/program/trace.hpp"
#include "strads/transport/threads.hpp"

namespace strads {

ProgramRun::ProgramRun(std::string command, RunOptions options, const OptionTable& table)
    : command_(std::move(command)),
      program_(command_.substr(0, command_.find(' '))),
      settings_(std::move(options)),
      host_notes_(std::make_unique<HostNotes>()),
      config_(table.config()),
      config_for_nodes_(table.config(kExecutionSections)) {
  std::vector<std::string_view> left_out(std::begin(kExecutionSections), std::end(kExecutionSections));
  left_out.emplace_back("limits");
  config_of_result_ = table.config(left_out);
  if (settings_.checkpoints.deadline.empty()) return;
  const double now = wall_seconds();
  const auto at = parse_deadline(settings_.checkpoints.deadline, now);
  deadline_ = at.ok() ? at.value() : now;  // it was in the future when the options were checked
}

ProgramRun::~ProgramRun() = default;

Result<std::size_t> place_in_list(const std::string& request, std::size_t size) {
  std::size_t place = 0;
  const auto [end, error] = std::from_chars(request.data(), request.data() + request.size(), place);
  if (error == std::errc() && end == request.data() + request.size() && place < size) return place;
  return Status::cluster("the driver asks for a run of its list that is none of " + std::to_string(size) +
                         "; use the same build on all hosts");
}

std::size_t runs_at_once(const MachineOptions& machine, const ClusterOptions& cluster) {
  if (cluster.wanted()) return std::size_t{1} + (cluster.processes > 0 ? cluster.processes : cluster.nodes);
  const std::size_t threads = threads_wanted(machine.threads);
  return threads == 1 ? 1 : threads + 1;
}

Result<MemoryPlan> ProgramRun::plan_memory(Look) const {
  return Status::usage("--dry-run: " + command_ + " cannot say what memory it takes");
}

/// --dry-run.
Status ProgramRun::show_memory() const {
  STRADS_ASSIGN_OR_RETURN(const auto plan, plan_memory(Look::thorough));
  const std::uint64_t left = data::memory_left();
  const std::string table = memory_table(plan, left);
  std::fwrite(table.data(), 1, table.size(), stdout);
  return expect_to_fit(plan, left);
}

Status ProgramRun::run() {
  if (settings_.dry_run) return show_memory();
  STRADS_ASSIGN_OR_RETURN(auto page, StatusPage::open(settings_.status, command_));
  page_ = std::make_unique<RunPage>(std::move(page), log_);
  if (Status opened = open_directory(); !opened.ok()) {
    (void)page_->end(opened, nullptr);
    return opened;
  }
  Status outcome = prepare_solve_write();
  if (settings_.host != nullptr) {
    if (record().cluster.has_value()) record().cluster->reading.reset();  // waits: the process is not ours to end
    host_notes_->tell(*settings_.host);
  }
  if (!outcome.ok() && !outcome.message().empty()) {
    log_.error(outcome.message());
    directory_.keep_log_of_failure(log_.text());
  }
  if (Status written = page_->end(outcome, trace()); !written.ok() && !settings_.common.quiet) {
    print_note(program_, written.message());
  }
  if (!record().cluster.has_value() || record().cluster->reading == nullptr) return outcome;
  if (live_ != nullptr) live_->finish();
  directory_ = {};  // no destructor runs any more
  end_program(program_.c_str(), outcome);
}

Status ProgramRun::open_directory() {
  if (settings_.common.out.empty()) return {};
  const bool resumes = !settings_.checkpoints.resume.empty();
  STRADS_ASSIGN_OR_RETURN(directory_,
                          RunDirectory::open(settings_.common.out, settings_.common.force || resumes, own_files()));
  if (Status none = resumes ? Status() : expect_no_checkpoint(); !none.ok()) return none;
  live_ = directory_.live_files();
  log_.show(live_, kLogFile);
  if (Trace* rows = trace(); rows != nullptr) rows->show(live_, kTraceFile);
  return {};
}

Status ProgramRun::prepare_solve_write() {
  log_.info(command_ + ", strads " + std::string(version()) + ", build " + build_id());
  if (settings_.memory_check) {
    if (Status fits = check_memory(plan_memory(Look::quick), true); !fits.ok()) return fits;
  }
  if (!settings_.trace_times.empty()) {
    STRADS_ASSIGN_OR_RETURN(times_, TimesFile::open(settings_.trace_times));
  }
  const bool clustered = settings_.cluster.wanted() && anything_is_left();
  page_->note_stage(clustered ? "waiting for nodes" : "reading the data", false);
  if (Status ran = clustered ? on_cluster() : embedded(); !ran.ok()) return ran;
  if (times_ != nullptr) {
    if (Status done = times_->finish(solving_.seconds()); !done.ok()) {
      report_note("--trace-times: " + done.message() + "; the run is as it would be without");
    }
  }
  if (Status written = directory_.write(kConfigFile, config_); !written.ok()) return written;
  page_->note_stage("checking and writing", true);
  if (checkpoints_ == nullptr) return conclude();
  if (const std::string text = checkpoints_->complaint(); !text.empty()) report_note(text);
  Status outcome = conclude();
  if (outcome.ok()) {
    checkpoints_->remove();
  } else if (outcome.code() == StatusCode::stopped && checkpoints_->any() && !settings_.common.quiet) {
    print_note(program_, "--resume " + settings_.common.out + " goes on from the last checkpoint");
  } else if (outcome.code() == StatusCode::stopped && checkpoints_->wanted() && !checkpoints_->any() &&
             checkpoints_->complaint().empty() && !settings_.common.quiet) {
    print_note(
        program_,
        "no checkpoint was written: none was due at a barrier before the one that the limit or signal made, from "
        "which a run cannot go on with the same bits");
  }
  return outcome;
}

void ProgramRun::begin_solving() {
  solving_ = Stopwatch();
  is_solving_ = true;
  page_->note_stage("solving", true);
}

Status ProgramRun::embedded() {
  if (Status fixed = use_simd(settings_.machine.simd); !fixed.ok()) return fixed;
  STRADS_ASSIGN_OR_RETURN(auto listener, listen_to_rounds());
  STRADS_ASSIGN_OR_RETURN(auto list, prepare(false));
  if (Status taken = take_up(list); !taken.ok()) return taken;
  auto progress = progress_printer();
  run_list(list, listener, progress);
  progress.finish();
  if (checkpoints_ != nullptr && checkpoints_->gave_up()) return end_at_deadline();
  const Status& outcome = record().run.end.status;
  return outcome.ok() ? end_rounds() : outcome;
}

ProgressPrinter ProgramRun::progress_printer() {
  return ProgressPrinter::for_stderr(settings_.common.quiet || settings_.host != nullptr, progress_formatter());
}

RunList ProgramRun::single_run(std::shared_ptr<Model> model) const {
  RunList list;
  list.runs.push_back({settings_.engine, [made = std::move(model)] { return Result(made); }});
  return list;
}

void ProgramRun::run_list(const RunList& list, const RoundListener& rounds, ProgressPrinter& progress) {
  Together together(*this, list);
  const std::vector<std::size_t>& places = together.to_do();
  std::vector<RunRequest> requests;
  requests.reserve(places.size());
  for (const std::size_t place : places) requests.push_back(list.runs[place]);
  RunsHooks hooks;
  hooks.observe = [&](std::size_t run, const ProgressEvent& event) {
    return observe(places[run], event, together.of(places[run], event), progress) || rounds_failed();
  };
  hooks.ended = [&](std::size_t run, RunEnd end) { together.note_end(places[run], std::move(end)); };
  hooks.finish_requested = [this] { return should_finish(); };
  hooks.rounds = rounds;
  if (times_ != nullptr) hooks.times = times_->listener();
  if (checkpoints_ != nullptr && checkpoints_->wanted()) {
    hooks.checkpoint_due = [&](std::size_t run, Version version) { return checkpoints_->is_due(places[run], version); };
    hooks.checkpoint = [&](std::size_t run, RunCheckpoint checkpoint) {
      checkpoints_->write(places[run], std::move(checkpoint), solving_.seconds(), log_);
    };
    hooks.give_up = [this] { return checkpoints_->gives_up(solving_.seconds(), log_); };
  }
  const EmbeddedOptions how{settings_.machine.threads, settings_.machine.encode_messages};
  const EmbeddedRuns done = run_embedded(requests, list.at_once, how, hooks);
  together.end(done.status);
  record().run.traffic = done.traffic;
  record().run.worker_wait_share = done.worker_wait_share;
}

/// By a signal, or by the host.
bool ProgramRun::interrupted() const {
  if (settings_.host == nullptr) return finish_requested();
  return settings_.host->finish_requested && settings_.host->finish_requested();
}

bool ProgramRun::should_finish() const {
  const double limit = settings_.max_seconds;
  return interrupted() || (limit > 0 && is_solving_ && solving_.seconds() >= limit);
}

bool ProgramRun::observe(std::size_t run, const ProgressEvent& event, const ProgressEvent& together,
                         ProgressPrinter& progress) {
  const double seconds = solving_.seconds();
  note_event(together, seconds);
  page_->note_event(run, event, together, seconds, progress, trace());
  const RunHost* const host = settings_.host.get();
  if (host == nullptr) {
    progress.show(together, seconds);
  } else if (host->progress && host->progress(together, seconds)) {
    return true;
  }
  return should_finish();
}

void ProgramRun::report_note(const std::string& text) {
  log_.warn(text);
  if (settings_.host != nullptr) {
    host_notes_->add(*settings_.host, text);
  } else if (!settings_.common.quiet) {
    print_note(program_, text);
  }
}

void ProgramRun::show(const std::string& lines, const std::function<Summary()>& summary) const {
  if (settings_.host != nullptr || lines.empty()) return;
  std::fwrite(lines.data(), 1, lines.size(), stdout);
  if (logs_json()) print_result(command_, settings_.common.out, summary());
}

/// True also of one that ended by itself just then: it is computed again rather than taken for whole by mistake.
bool ProgramRun::was_cut_off(const RunEnd& end) const {
  const std::uint64_t limit = settings_.engine.rounds_max;
  return end.stop_reason == kStopLimit || (limit > 0 && end.totals.rounds >= limit) || should_finish() ||
         rounds_failed();
}

std::string ProgramRun::reason_of_end(const std::string& stop_reason) {
  if (stop_reason != kStopLimit) return stop_reason;
  const RunEnd& end = record().run.end;
  if (interrupted()) return "signal";
  if (settings_.engine.rounds_max > 0 && end.totals.rounds >= settings_.engine.rounds_max) return "max_rounds";
  if (settings_.max_seconds > 0 && record().seconds_solve >= settings_.max_seconds) return "max_seconds";
  // Nothing else ends the runs of a cluster early but that all its nodes were asked to leave, as by a signal.
  if (settings_.host == nullptr && settings_.cluster.wanted()) return "signal";
  return stop_reason;
}

Status ProgramRun::finish_files(const Summary& summary) {
  if (live_ != nullptr) live_->finish();
  if (const Trace* rows = trace(); rows != nullptr) {
    if (Status done = directory_.write(kTraceFile, rows->csv()); !done.ok()) return done;
  }
  if (Status done = directory_.write(kLogFile, log_.text()); !done.ok()) return done;
  Summary whole = summary;
  if (checkpoints_ != nullptr) checkpoints_->add_facts(whole);
  return directory_.finish(std::move(whole));
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
