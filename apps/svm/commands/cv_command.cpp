// `svm cv`: from a command line to scores of costs and the fit with the chosen one.
#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "regression/cv_folds.hpp"
#include "strads/base/chunks.hpp"
#include "strads/program/execution_options.hpp"
#include "strads/program/option_table.hpp"
#include "strads/program/program.hpp"
#include "strads/program/program_run.hpp"
#include "strads/program/progress_printer.hpp"
#include "strads/program/trace.hpp"
#include "svm/commands/commands.hpp"
#include "svm/report/cv_report.hpp"
#include "svm/report/model_files.hpp"
#include "svm/run/cv_models.hpp"
#include "svm/run/fit_end.hpp"
#include "svm/run/svm_memory.hpp"

namespace strads::svm {
namespace {

class CrossValidation final : public ProgramRun {
 public:
  CrossValidation(CvOptions options, const OptionTable& table)
      : ProgramRun("svm cv", options.fit, table), options_(std::move(options)) {}

 private:
  [[nodiscard]] std::vector<std::string> own_files() const override {
    std::vector<std::string> files = {kCvFile, kFoldsFile, kConfigFile, kLogFile};
    if (options_.refit != Refit::none) files.insert(files.end(), {kCoefficientsFile, kModelFile});
    return files;
  }
  [[nodiscard]] Result<MemoryPlan> plan_memory(Look look) const override { return plan_cv(options_, look); }
  [[nodiscard]] RunRecord& record() override { return result_; }
  [[nodiscard]] Trace* trace() override { return nullptr; }
  void note_event(const ProgressEvent&, double) override {}
  [[nodiscard]] ProgressPrinter::Line progress_formatter() override {
    return [this](const ProgressEvent& event, double seconds) {
      return cv_progress_line(options_, result_, ended_, event, seconds);
    };
  }

  Result<RunList> prepare(bool /*on_driver*/) override {
    const Stopwatch watch;
    threads_ = make_threads(options_.fit.machine.threads);
    KeptData nothing;
    STRADS_ASSIGN_OR_RETURN(models_, load_cv(options_, nothing));
    result_.dataset = std::shared_ptr<const Dataset>(models_, &models_->samples().dataset());
    result_.folds = models_->samples().folds();
    result_.plan = models_->plan();
    result_.fits.resize(result_.plan.size());
    for (CvFit& fit : result_.fits) fit.stop_reason = kStopLimit;  // of those that never begin
    result_.seconds_load = watch.seconds();
    note_input();
    begin_solving();
    return make_list();
  }

  void note_input() {
    for (const std::string& file : result_.dataset->files()) log_.info("read " + file);
    for (const std::string& text : notes_of_input(*result_.dataset)) report_note(text);
    log_.info(std::to_string(result_.dataset->columns().samples()) + " samples x " +
              std::to_string(result_.dataset->columns().columns) + " variables, " +
              with_unit(options_.costs.size(), "cost", "costs") + " on " +
              with_unit(result_.plan.folds, "fold", "folds") + ", loaded in " + short_text(result_.seconds_load, 3) +
              " s");
  }

  RunList make_list() {
    RunList list;
    list.at_once = runs_at_once(options_.fit.machine, options_.fit.cluster);
    list.fingerprint = models_->samples().fingerprint();
    running_.resize(models_->size());
    for (std::size_t fit = 0; fit < models_->size(); ++fit) {
      RunRequest& request = list.runs.emplace_back();
      request.engine = options_.fit.engine;
      request.name = fit < result_.plan.size() ? name_of(options_, result_, fit) : "the fit with the chosen cost";
      request.make_model = [this, fit] { return make_model(fit); };
      if (fit < result_.plan.size()) continue;
      request.may_begin = [this] { return ended_ == result_.plan.size(); };
      // It never has to wait, and yet says that it rests on the others: where one was cut off, it goes on when resumed.
      request.may_judge = [] { return true; };
    }
    return list;
  }

  Result<std::shared_ptr<Model>> make_model(std::size_t fit) {
    std::optional<double> chosen;
    if (fit == result_.plan.size()) {
      const auto choice = choice_of(scores_of(result_.plan, options_.costs, result_.fits), options_.measure);
      if (!choice.has_value()) return Status(StatusCode::stopped, "no cost has all its folds: there is none to choose");
      chosen = options_.costs[choice->of(options_.refit)];
      log_.info("chosen: cost " + short_text(*chosen));
      result_.refit_options = options_.fit;
      result_.refit_options.svm.cost = *chosen;
    }
    STRADS_ASSIGN_OR_RETURN(auto made, models_->make(fit, chosen));
    running_[fit] = std::move(made.samples);
    return std::move(made.model);
  }

  /// A fit that --max-rounds ended is scored as it is.
  [[nodiscard]] bool is_finished(const RunEnd& end) const {
    const std::uint64_t most = options_.fit.engine.rounds_max;
    return end.stop_reason != kStopLimit || (most > 0 && end.totals.rounds >= most);
  }

  void note_end(std::size_t fit, const RunEnd& end) override {
    FitResult found;
    found.loaded = *running_[fit];
    running_[fit] = nullptr;
    ++ended_;
    if (end.statuses.empty()) return;
    const bool is_refit = fit == result_.plan.size();
    const SvmOptions own = is_refit ? result_.refit_options.svm : models_->options_of(fit);
    if (Status taken = take_solution(own, end, *threads_, found); !taken.ok()) {
      if (untrue_.ok()) untrue_ = taken;
      return;
    }
    result_.seconds_check += found.seconds_check;
    if (is_refit) {
      found.classifier = classifier_of(found.loaded, found.solution);
      result_.refit = std::move(found);
    } else {
      keep(fit, end, found);
    }
  }

  void keep(std::size_t fit, const RunEnd& end, const FitResult& found) {
    CvFit& kept = result_.fits[fit];
    kept.finished = is_finished(end);
    kept.met = found.tolerance_met;
    kept.stop_reason = found.stop_reason;
    kept.model_hash = found.model_hash;
    kept.objective = found.check.objective;
    kept.relative_gap = found.check.worst_gap;
    kept.support = found.check.support;
    kept.rounds = end.totals.rounds;
    const auto rows = lasso::rows_of_fold(result_.folds, result_.plan.fold_of(fit));
    score_held_out(*result_.dataset, rows, found.loaded, found.solution, kept);
    log_.info(name_of(options_, result_, fit) + ": " + kept.stop_reason + ", gap / objective " +
              short_text(kept.relative_gap, 3) + ", " + std::to_string(kept.wrong) + " of " +
              std::to_string(kept.samples) + " held out told wrong, model_hash " + kept.model_hash);
  }

  /// The fit on all samples would be needed with its weights, which no checkpoint has.
  std::optional<KeptOfRun> kept_of(std::size_t fit) override {
    if (fit == result_.plan.size() || !untrue_.ok()) return std::nullopt;
    return kept_of_fit(result_.fits[fit]);
  }

  Status take_back(std::size_t fit, const RunEnd& /*end*/, const KeptOfRun& kept) override {
    if (fit >= result_.plan.size()) return Status::input("it has a fit on all samples that ended");
    STRADS_ASSIGN_OR_RETURN(result_.fits[fit], fit_of_kept(kept));
    ++ended_;
    return {};
  }

  Status conclude() override {
    if (!untrue_.ok()) return untrue_;
    result_.run.end.statuses.clear();
    result_.seconds_solve =
        solving_.seconds();  // with the checks of fits that ended before others: a limit counts them
    judge_end();
    result_.seconds_solve -= result_.seconds_check;
    log_.info("end: " + result_.stop_reason);
    if (Status written = write(); !written.ok()) return written;
    show(closing_lines(options_, result_, directory_), [this] { return summary_of(options_, result_); });
    return result_.finished ? Status() : Status(StatusCode::stopped, "");
  }

  void judge_end() {
    const auto loose = static_cast<std::uint64_t>(
        std::ranges::count_if(result_.fits, [](const CvFit& fit) { return fit.finished && !fit.met; }));
    if (loose > 0) {
      const auto first = std::ranges::find_if(result_.fits, [](const CvFit& fit) { return fit.finished && !fit.met; });
      report_note(with_unit(loose, "fit", "fits") + " ended above the tolerance, and count as they are: " +
                  name_of(options_, result_, static_cast<std::size_t>(first - result_.fits.begin())) + ": " +
                  first->stop_reason);
    }
    if (result_.refit.has_value()) result_.refit->stop_reason = reason_of_end(result_.refit->stop_reason);
    const bool all_ended = ended_ == models_->size() && std::ranges::all_of(result_.fits, &CvFit::finished);
    result_.finished = all_ended && loose == 0 && (!result_.refit.has_value() || result_.refit->tolerance_met);
    result_.stop_reason = all_ended ? "every fit has ended" : reason_of_end(result_.run.end.stop_reason);
  }

  Status write() {
    if (!directory_.exists()) return {};
    if (Status done = directory_.write(kCvFile, cv_table(options_, result_)); !done.ok()) return done;
    if (Status done = directory_.write(kFoldsFile, lasso::folds_table(*result_.dataset, result_.folds)); !done.ok()) {
      return done;
    }
    if (result_.refit.has_value()) {
      if (Status done = write_model_files(directory_, result_.refit->classifier); !done.ok()) return done;
    }
    return finish_files(summary_of(options_, result_));
  }

  CvOptions options_;
  CvResult result_;
  std::shared_ptr<CvModels> models_;
  std::shared_ptr<Chunks> threads_;
  std::vector<std::shared_ptr<const LoadedSamples>> running_;  ///< by fit: what those that are running learn from
  std::size_t ended_ = 0;
  Status untrue_;  ///< of the first fit whose figures are not
};

}  // namespace

Status run_cv(std::span<const std::string> arguments) {
  if (Status known = check_cv_arguments(arguments); !known.ok()) return known;
  CvOptions options;
  OptionTable table = cv_option_table(options);
  return run_command(
      "svm", table, options.fit.common, arguments, [&] { return settle_cv_options(options, table); },
      [&] { return CrossValidation(options, table).run(); });
}

}  // namespace strads::svm
