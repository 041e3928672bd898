#include "svm/commands/fit_command.hpp"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "strads/program/program.hpp"
#include "strads/program/progress_printer.hpp"
#include "strads/program/run_folder.hpp"
#include "strads/program/trace.hpp"
#include "svm/check/check_svm.hpp"
#include "svm/commands/commands.hpp"
#include "svm/report/model_files.hpp"
#include "svm/run/fit_data.hpp"
#include "svm/run/svm_memory.hpp"

namespace strads::svm {
namespace {

constexpr const char* kNoProgress = "no further progress in double precision";

class Fit final : public ProgramRun {
 public:
  Fit(FitOptions options, const OptionTable& table)
      : ProgramRun("svm fit", options, table), options_(std::move(options)) {}
  [[nodiscard]] FitResult& result() { return result_; }

 private:
  [[nodiscard]] std::vector<std::string> own_files() const override {
    return {kCoefficientsFile, kModelFile, kTraceFile, kConfigFile, kLogFile};
  }
  [[nodiscard]] Result<MemoryPlan> plan_memory(Look look) const override { return plan_fit(options_, look); }
  [[nodiscard]] RunRecord& record() override { return result_; }
  [[nodiscard]] Trace* trace() override { return &trace_; }
  [[nodiscard]] ProgressPrinter::Line progress_formatter() override { return progress_line; }

  void note_event(const ProgressEvent& event, double seconds) override {
    trace_.record(event, seconds);
    if (event.kind == ProgressEvent::Kind::barrier) log_.info(progress_line(event, seconds));
  }

  Result<RunList> prepare(bool /*on_driver*/) override {
    const Stopwatch watch;
    KeptData nothing;
    STRADS_ASSIGN_OR_RETURN(result_.loaded, load_samples(options_, nothing));
    result_.seconds_load = watch.seconds();
    note_input();
    begin_solving();
    return single_run(make_svm_model(result_.loaded.data, options_.svm, options_.engine));
  }

  void note_input() {
    const Dataset& dataset = *result_.loaded.dataset;
    for (const std::string& file : dataset.files()) log_.info("read " + file);
    for (const std::string& warning : dataset.warnings()) report_note(warning);
    for (const Dropped& dropped : dataset.dropped_samples()) {
      report_note(std::to_string(dropped.count) + " samples left out: " + dropped.reason);
    }
    for (const Dropped& dropped : dataset.dropped_variables()) {
      report_note(std::to_string(dropped.count) + " variables left out: " + dropped.reason);
    }
    log_.info(std::to_string(result_.loaded.data->samples()) + " samples x " +
              std::to_string(dataset.columns().columns) + " variables, " +
              std::to_string(result_.loaded.data->rows.entries()) + " entries, loaded in " +
              short_text(result_.seconds_load, 3) + " s");
  }

  Status conclude() override {
    RunEnd& end = result_.run.end;
    result_.seconds_solve = solving_.seconds();
    result_.solution = solution_of(*result_.loaded.data, options_.svm, end);
    end.statuses.clear();
    if (Status checked = check(); !checked.ok()) {
      return {checked.code(), checked.message() + "; nothing was written. " + kReportThis};
    }
    judge_end();
    result_.classifier = classifier_of(result_.loaded, result_.solution);
    result_.model_hash = model_hash(result_.solution);
    log_.info("end: " + result_.stop_reason + ", gap / objective " + short_text(result_.check.worst_gap, 4) +
              ", model_hash " + result_.model_hash);
    if (Status written = write(); !written.ok()) return written;
    show(closing_lines(options_, result_, directory_));
    return result_.tolerance_met ? Status() : Status(StatusCode::stopped, "");
  }

  /// What is told of the solution from here on was recomputed.
  Status check() {
    const Stopwatch watch;
    const auto threads = make_threads(options_.machine.threads);
    result_.check = check_solution(*result_.loaded.data, options_.svm, result_.solution, *threads);
    Status confirmed = confirm(result_.solution, result_.check, *result_.loaded.data, options_.svm);
    result_.seconds_check += watch.seconds();
    return confirmed;
  }

  /// A gap that rounding has left above the tolerance, where the run took it for met, is told as it is.
  void judge_end() {
    const RunEnd& end = result_.run.end;
    const bool met = end.certificate.converged;
    result_.tolerance_met = met && result_.check.worst_gap <= options_.svm.tolerance;
    const bool at_floor = end.stop_reason == "rounding floor" || (met && !result_.tolerance_met);
    result_.stop_reason = at_floor ? kNoProgress : reason_of_end(end.stop_reason);
  }

  Status write() {
    if (!directory_.exists()) return {};
    if (Status done = write_model_files(directory_, result_.classifier); !done.ok()) return done;
    return finish_files(summary_of(options_, result_));
  }

  FitOptions options_;
  Trace trace_;
  FitResult result_;
};

}  // namespace

Status run_fit(std::span<const std::string> arguments) {
  FitOptions options;
  OptionTable table = fit_option_table(options);
  return run_command(
      "svm", table, options.common, arguments, [&] { return settle_fit_options(options, table); },
      [&] { return Fit(options, table).run(); });
}

Status fit_in_process(const FitOptions& options, const OptionTable& table, FitResult& result) {
  Fit fit(options, table);
  Status outcome = fit.run();
  result = std::move(fit.result());
  return outcome;
}

}  // namespace strads::svm
