#include "lasso/commands/study_commands.hpp"

#include <algorithm>
#include <mutex>
#include <utility>

#include "lasso/report/closing_lines.hpp"
#include "lasso/report/study_files.hpp"
#include "lasso/run/study_run.hpp"
#include "regression/foreign_options.hpp"
#include "strads/program/option_table.hpp"
#include "strads/program/program.hpp"
#include "strads/program/trace.hpp"

namespace strads::lasso {
namespace {

std::string no_curve_text(const PathResult& result) {
  const auto solved = std::ranges::count_if(result.followers, [](const auto& fold) { return !fold.empty(); });
  return "no lambda was solved without every fold (" + std::to_string(solved) + " of " +
         with_unit(result.followers.size(), "fold", "folds") + " had one): there is no curve to write" +
         (result.steps.empty() ? "" : ", only the path on all samples");
}

/// `lasso fit`, `lasso path`, with --split too, and `lasso cv`.
class Command final : public StudyRun {
 public:
  explicit Command(StudyOptions& options)
      : StudyRun(command_of(options.kind), options), configs_(configs_of_study(options)) {
    if (kind_ == StudyKind::fit || is_one_path()) return;
    // Objectives at different lambdas of several paths have no sum that means anything.
    trace_ = Trace({kPathsTraceHeader, [this](const ProgressEvent& event, double seconds) {
                      const std::lock_guard lock(mutex_);
                      return paths_trace_row(results_, event, seconds);
                    }});
  }

 private:
  [[nodiscard]] bool splits() const { return all_.path.splits(); }
  [[nodiscard]] bool is_one_path() const { return kind_ == StudyKind::path && results_.list.size() == 1; }
  [[nodiscard]] std::vector<std::string> own_files() const override { return files_of_study(kind_, all_); }
  void note_event(const ProgressEvent& event, double seconds) override {
    StudyRun::note_event(event, seconds);
    if (kind_ == StudyKind::fit) log_barrier(event);
  }

  [[nodiscard]] ProgressLine progress_line(const ProgressEvent& event, double seconds) const override {
    if (!is_one_path()) return paths_progress_line(all_, results_, event, seconds);
    const bool refits = first().ends.size() > 1 && !first().ends.front().stop_reason.empty();
    if (!refits) return path_progress_line(all_.path, first(), event, seconds);
    return ProgressLine(seconds)
        .text(ProgressRank::count, "the chosen lambda on train and val")
        .number(ProgressRank::round, "round", "round", event.totals.rounds);
  }

  Status write() override {
    for (std::size_t g = 0; g < results_.list.size(); ++g) {
      const PathResult& result = results_.list[g];
      if (kind_ == StudyKind::cv && !result.has_choice()) report_note(whose(g) + no_curve_text(result));
      if (kind_ == StudyKind::path && (result.steps.empty() || (splits() && !result.has_choice()))) {
        log_.warn(whose(g) + "no lambda was solved: there is no path to write");
      }
    }
    auto summary = write_study(kind_, all_, results_, configs_, directory_);
    return summary.ok() ? finish_files(summary.value()) : summary.status();
  }

  [[nodiscard]] std::string closing_lines() const override {
    return lasso::closing_lines(kind_, all_, results_, directory_);
  }

  StudyConfigs configs_;
};

Status run_study(StudyKind kind, std::span<const std::string> arguments) {
  StudyOptions options(kind);
  if (Status own = expect_own_options(arguments); !own.ok()) return own;
  return run_command(
      "lasso", options.table, options.fit().common, arguments, [&] { return options.settle(); },
      [&] { return Command(options).run(); });
}

}  // namespace

Status run_fit(std::span<const std::string> arguments) {
  return run_study(StudyKind::fit, arguments);
}

Status run_path(std::span<const std::string> arguments) {
  return run_study(StudyKind::path, arguments);
}

Status run_cv(std::span<const std::string> arguments) {
  return run_study(StudyKind::cv, arguments);
}

Status study_in_process(StudyOptions& options, StudyResults& results) {
  Command study(options);
  Status outcome = study.run();
  results = std::move(study.results());
  return outcome;
}

}  // namespace strads::lasso
