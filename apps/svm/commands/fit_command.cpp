#include "svm/commands/fit_command.hpp"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "strads/program/hosted_run.hpp"
#include "strads/program/program.hpp"
#include "strads/program/progress_printer.hpp"
#include "strads/program/run_folder.hpp"
#include "strads/program/trace.hpp"
#include "svm/commands/commands.hpp"
#include "svm/report/model_files.hpp"
#include "svm/run/fit_data.hpp"
#include "svm/run/fit_end.hpp"
#include "svm/run/svm_memory.hpp"

namespace strads::svm {
namespace {

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
    if (event.kind == ProgressEvent::Kind::barrier) log_.info(progress_line(event, seconds).text());
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
    for (const std::string& file : result_.loaded.dataset->files()) log_.info("read " + file);
    for (const std::string& text : notes_of_input(*result_.loaded.dataset)) report_note(text);
    log_.info(std::to_string(result_.loaded.data->samples()) + " samples x " +
              std::to_string(result_.loaded.dataset->columns().columns) + " variables, " +
              std::to_string(result_.loaded.data->rows.entries()) + " entries, loaded in " +
              short_text(result_.seconds_load, 3) + " s");
  }

  Status conclude() override {
    RunEnd& end = result_.run.end;
    result_.seconds_solve = solving_.seconds();
    const auto threads = make_threads(options_.machine.threads);
    if (Status taken = take_solution(options_.svm, end, *threads, result_); !taken.ok()) return taken;
    end.statuses.clear();
    result_.stop_reason = reason_of_end(result_.stop_reason);
    result_.classifier = classifier_of(result_.loaded, result_.solution);
    log_.info("end: " + result_.stop_reason + ", gap / objective " + short_text(result_.check.worst_gap, 4) +
              ", model_hash " + result_.model_hash);
    if (Status written = write(); !written.ok()) return written;
    show(closing_lines(options_, result_, directory_), [this] { return summary_of(options_, result_); });
    return result_.tolerance_met ? Status() : Status(StatusCode::stopped, "");
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
  return run_hosted(Fit(options, table), result);
}

}  // namespace strads::svm
