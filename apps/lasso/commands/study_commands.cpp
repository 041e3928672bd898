#include "lasso/commands/study_commands.hpp"

#include <algorithm>
#include <memory>
#include <mutex>
#include <utility>

#include "lasso/commands/study_files.hpp"
#include "lasso/held_out/split_output.hpp"
#include "lasso/output/chosen_models.hpp"
#include "lasso/output/cv_ratios.hpp"
#include "lasso/output/cv_traits.hpp"
#include "lasso/output/output.hpp"
#include "lasso/output/path_output.hpp"
#include "lasso/output/run_summary.hpp"
#include "lasso/study/study_run.hpp"
#include "regression/foreign_options.hpp"
#include "strads/program/option_table.hpp"
#include "strads/program/program.hpp"
#include "strads/program/run_directory.hpp"
#include "strads/program/trace.hpp"

namespace strads::lasso {
namespace {

std::string no_curve_text(const PathResult& result) {
  const auto solved = std::ranges::count_if(result.followers, [](const auto& fold) { return !fold.empty(); });
  return "no lambda was solved without every fold (" + std::to_string(solved) + " of " +
         with_unit(result.followers.size(), "fold", "folds") + " had one): there is no curve to write" +
         (result.steps.empty() ? "" : ", only the path on all samples");
}

class Fit final : public StudyRun {
 public:
  explicit Fit(const StudyOptions& options) : StudyRun("lasso fit", options) {}

 private:
  [[nodiscard]] std::vector<std::string> own_files() const override {
    std::vector<std::string> files = {kCoefficientsFile, kTraceFile, kConfigFile, kLogFile, kModelFile};
    if (options_.input.source.is_plink()) files.push_back(frequency_file(options_.input.source.prefix()));
    return files;
  }
  void note_event(const ProgressEvent& event, double seconds) override {
    StudyRun::note_event(event, seconds);
    log_barrier(event);
  }

  Status write() override {
    const FittedModel model = fitted_model(first());
    const ModelOfFolder folder{model, first().steps.front().standardized, *first().data};
    if (Status done = write_model_files("", folder, options_.input.source.prefix(), directory_); !done.ok())
      return done;
    return finish_files(summary_of(options_, first()));
  }
  [[nodiscard]] std::string closing_lines() const override {
    return lasso::closing_lines(options_, first(), directory_);
  }
};

/// `lasso path`, with --split too, and `lasso cv`.
class PathOrCv final : public StudyRun {
 public:
  explicit PathOrCv(StudyOptions& options) : StudyRun(options.command(), options), configs_(configs_of_study(options)) {
    if (kind_ == StudyKind::path && results_.list.size() == 1) return;
    // Objectives at different lambdas of several paths have no sum that means anything.
    trace_ = Trace({kCvTraceHeader, [this](const ProgressEvent& event, double seconds) {
                      const std::lock_guard lock(mutex_);
                      return cv_trace_row(results_, event, seconds);
                    }});
  }

 private:
  [[nodiscard]] bool splits() const { return all_.path.splits(); }
  [[nodiscard]] bool is_one_path() const { return kind_ == StudyKind::path && results_.list.size() == 1; }
  [[nodiscard]] std::vector<std::string> own_files() const override { return files_of_study(kind_, all_); }

  [[nodiscard]] std::string progress_line(const ProgressEvent& event, double seconds) const override {
    if (!is_one_path()) return cv_progress_line(results_, event, seconds);
    const bool refits = first().ends.size() > 1 && !first().ends.front().stop_reason.empty();
    if (!refits) return path_progress_line(all_.path, first(), event, seconds);
    return "train and val, at the chosen lambda: round " + std::to_string(event.totals.rounds) + "  " +
           short_text(seconds, 3) + " s";
  }

  Status write() override {
    for (std::size_t g = 0; g < results_.list.size(); ++g) {
      const PathResult& result = results_.list[g];
      if (kind_ == StudyKind::cv && !result.has_choice()) note(whose(g) + no_curve_text(result));
      if (kind_ == StudyKind::path && (result.steps.empty() || (splits() && !result.has_choice()))) {
        log_.warn(whose(g) + "no lambda was solved: there is no path to write");
      }
    }
    auto summary = write_study(all_, results_, configs_, directory_);
    return summary.ok() ? finish_files(summary.value()) : summary.status();
  }

  [[nodiscard]] std::string closing_lines() const override {
    if (!all_.path.traits.empty()) return traits_closing_lines(all_, results_, results_.run, directory_);
    if (results_.ratios > 1) return ratios_closing_lines(all_, results_.list, results_.run, directory_);
    if (kind_ == StudyKind::cv) return cv_closing_lines(all_, first(), results_.run, directory_);
    return splits() ? split_closing_lines(all_.path, first(), directory_)
                    : path_closing_lines(all_.path, first(), directory_);
  }

  StudyConfigs configs_;
};

std::unique_ptr<StudyRun> run_of(StudyOptions& options) {
  if (options.kind == StudyKind::fit) return std::make_unique<Fit>(options);
  return std::make_unique<PathOrCv>(options);
}

Status run_study(StudyKind kind, std::span<const std::string> arguments) {
  StudyOptions options(kind);
  if (Status own = expect_own_options(arguments); !own.ok()) return own;
  return run_command(
      "lasso", options.table, options.fit().common, arguments, [&] { return options.settle(); },
      [&] { return run_of(options)->run(); });
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
  const auto study = run_of(options);
  Status outcome = study->run();
  results = std::move(study->results());
  return outcome;
}

}  // namespace strads::lasso
