#include "sumstats/run/path_run.hpp"

#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include "strads/engine/role_limits.hpp"
#include "strads/program/hosted_run.hpp"
#include "strads/program/memory_plan.hpp"
#include "strads/program/program.hpp"
#include "strads/program/progress_printer.hpp"
#include "strads/program/reports.hpp"
#include "strads/program/run_folder.hpp"
#include "strads/program/trace.hpp"
#include "sumstats/check/check_blocks.hpp"
#include "sumstats/choose/choose.hpp"
#include "sumstats/load/summary_load.hpp"
#include "sumstats/load/summary_work.hpp"
#include "sumstats/report/path_files.hpp"
#include "sumstats/report/path_report.hpp"

namespace strads::sumstats {
namespace {

class Path final : public ProgramRun {
 public:
  Path(PathOptions options, const OptionTable& table)
      : ProgramRun(command_of(options), options, table),
        options_(std::move(options)),
        threads_(make_threads(options_.machine.threads)) {}

  [[nodiscard]] PathResult& result() { return result_; }

 private:
  [[nodiscard]] std::vector<std::string> own_files() const override {
    auto files = files_of_path(options_);
    files.insert(files.end(), {kTraceFile, kConfigFile, kLogFile});
    return files;
  }
  [[nodiscard]] Result<MemoryPlan> plan_memory(Look look) const override {
    STRADS_ASSIGN_OR_RETURN(MemoryPlan plan, plan_summary(options_, look));
    if (look == Look::quick) return plan;
    if (check_memory(plan, true).ok()) {
      STRADS_ASSIGN_OR_RETURN(plan.work, summary_work_lines(options_));
    } else {
      plan.work = "time     not estimated: reading the data for it takes memory that is not there\n";
    }
    return plan;
  }
  [[nodiscard]] RunRecord& record() override { return result_; }
  [[nodiscard]] Trace* trace() override { return &trace_; }
  [[nodiscard]] ProgressPrinter::Line progress_formatter() override { return progress_line; }

  void note_event(const ProgressEvent& event, double seconds) override {
    trace_.record(event, seconds);
    if (event.kind == ProgressEvent::Kind::barrier) log_.info(progress_line(event, seconds).text());
  }

  Result<RunList> prepare(bool /*on_driver*/) override {
    const Stopwatch watch;
    STRADS_ASSIGN_OR_RETURN(result_.loaded, load_summary(options_, *threads_));
    result_.grid = grid_of(options_, result_.loaded->lambda_max);
    result_.seconds_load = watch.seconds();
    const SummaryProblem& problem = *result_.loaded->problem;
    for (const std::string& file : options_.summary.files) log_.info("read " + file);
    for (const std::string& file : problem.panel->files()) log_.info("read " + file);
    for (const std::string& text : problem.panel->warnings()) report_note(text);
    for (const std::string& text : notes_of_study(*result_.loaded)) report_note(text);
    if (Status roles = check_roles(options_.engine, problem.blocks()); !roles.ok()) return roles;
    begin_solving();
    return single_run(make_summary_model(result_.loaded->problem, result_.grid, options_.engine));
  }

  Status conclude() override {
    RunEnd& end = result_.run.end;
    result_.seconds_solve = solving_.seconds();
    const SummaryProblem& problem = *result_.loaded->problem;
    result_.solution = take_solution(problem, result_.grid, end);
    result_.stop_reason = reason_of_end(end.stop_reason);
    result_.model_hash = solution_hash(problem, result_.grid, result_.solution);
    const Stopwatch watch;
    Status checked = check_blocks(problem, result_.grid, result_.solution, *threads_);
    result_.seconds_check += watch.seconds();
    if (!checked.ok()) return {checked.code(), checked.message() + "; nothing was written. " + kReportThis};
    // What is told from here on was recomputed.
    for (const GridSolution& point : result_.solution.points) {
      if (point.certified == problem.blocks()) ++result_.certified;
    }
    const bool is_met = result_.certified == result_.grid.size();
    if (!is_met && result_.stop_reason == kStopCertified) result_.stop_reason = kStopUncertified;
    if (Status chosen = choose_point(); !chosen.ok()) return chosen;
    log_.info("end: " + result_.stop_reason + ", " + std::to_string(result_.certified) + " of " +
              std::to_string(result_.grid.size()) + " solutions certified, model_hash " + result_.model_hash);
    if (Status written = write(); !written.ok()) return written;
    show(closing_lines(options_, result_, directory_), [this] { return summary_of(options_, result_); });
    return is_met ? Status() : Status(StatusCode::stopped, "");
  }

  Status choose_point() {
    if (options_.single) {
      result_.choice.emplace().is_given = true;
      return {};
    }
    if (!options_.has_validation()) {
      result_.choice = pseudo_validation(*result_.loaded, result_.grid, result_.solution);
      return {};
    }
    STRADS_ASSIGN_OR_RETURN(result_.choice,
                            validation(options_, *result_.loaded, result_.grid, result_.solution, *threads_,
                                       [this](const std::string& text) { report_note(text); }));
    return {};
  }

  Status write() {
    if (!directory_.exists()) return {};
    if (Status done = write_path_files(directory_, options_, result_); !done.ok()) return done;
    return finish_files(summary_of(options_, result_));
  }

  PathOptions options_;
  std::shared_ptr<Chunks> threads_;
  Trace trace_{trace_columns()};
  PathResult result_;
};

Status run_study(bool single, std::span<const std::string> arguments) {
  PathOptions options;
  options.single = single;
  OptionTable table = option_table_of(options);
  // `--sumstats --help` says which command is meant, and names no file.
  std::vector<std::string> given(arguments.begin(), arguments.end());
  for (std::size_t k = 0; k + 1 < given.size(); ++k) {
    if (given[k] != "--sumstats" || !given[k + 1].starts_with("--")) continue;
    given.erase(given.begin() + static_cast<std::ptrdiff_t>(k));
    break;
  }
  return run_command(
      "lasso", table, options.common, given, [&] { return settle_path_options(options, table); },
      [&] { return Path(options, table).run(); });
}

}  // namespace

Status run_path(std::span<const std::string> arguments) {
  return run_study(false, arguments);
}

Status run_fit(std::span<const std::string> arguments) {
  return run_study(true, arguments);
}

Status path_in_process(const PathOptions& options, const OptionTable& table, PathResult& result) {
  return run_hosted(Path(options, table), result);
}

}  // namespace strads::sumstats
