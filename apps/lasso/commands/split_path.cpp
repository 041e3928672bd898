#include "lasso/commands/split_path.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>

#include "lasso/held_out/split_output.hpp"
#include "lasso/output/chosen_models.hpp"
#include "lasso/output/run_summary.hpp"
#include "lasso/run/cv_kept.hpp"
#include "lasso/run/lasso_run.hpp"
#include "strads/program/option_table.hpp"
#include "strads/program/program.hpp"
#include "strads/program/progress_printer.hpp"

namespace strads::lasso {
namespace {

class SplitPath final : public LassoRun {
 public:
  SplitPath(const PathCommandOptions& options, const OptionTable& table)
      : LassoRun("lasso path", options.fit, table), path_(options) {}

 private:
  [[nodiscard]] std::vector<std::string> own_files() const override {
    std::vector<std::string> files = files_of_path();
    files.emplace_back(kValidationPicture);
    for (const char* folder : {kChosenFolder, kRefitFolder}) {
      for (std::string& file : files_of_model_folder(folder, options_.input.prefix())) files.push_back(std::move(file));
    }
    return files;
  }

  [[nodiscard]] ProblemCount problem_count() const override { return problem_count_of(path_); }

  Result<RunList> make_runs() override {
    auto prepared = prepare_split(dataset_, options_.lasso, path_.error, path_.refit);
    if (!prepared.ok()) return prepared.status();
    result_.split = std::move(prepared).value();
    run_.data = result_.data = result_.split.train;  // what was made of all samples goes
    note("split: " + split_text(result_.split) + " samples");
    validating_ = those_who_validate(result_.split, path_.error, path_.stop);
    runs_ = make_split_runs(result_.split, options_.lasso, options_.engine, *validating_,
                            [this](std::size_t run, const Solution& point) { keep(run, point); });
    return RunList{std::move(runs_.requests), 1, split_fingerprint(result_.split)};
  }

  [[nodiscard]] std::vector<Solution>& steps_of(std::size_t run) { return run == 0 ? result_.steps : result_.refit; }

  /// On the coordinator's thread.
  void keep(std::size_t run, const Solution& solution) {
    const std::string error =
        run == 0 ? ", " + path_.measure + " on val " + short_text(validating_->curve(solution.index + 1).mean.back(), 6)
                 : "";
    LassoRun::keep(steps_of(run), solution,
                   run == 0 ? "train, lambda " + std::to_string(solution.index + 1) : "train and val, lambda", error);
  }

  void note_end(std::size_t run, const RunEnd& end) override {
    ends_[run] = end;
    if (run != 0) return;
    const std::lock_guard lock(mutex_);
    train_has_ended_ = true;
    choose();
    // Of a path that ended before its first lambda was solved, that one, where the scan has said what it is: what train
    // has come to there is chosen for want of another.
    const bool has_any = result_.has_choice() || !runs_.train->lambdas.empty();
    runs_.choose(has_any ? std::optional(result_.curve.least) : std::nullopt);
  }

  /// Where a run was that ended before its (first) lambda was solved, as `lasso fit` keeps it.
  void keep_unfinished() {
    if (result_.steps.empty()) {
      result_.steps = unfinished(ends_[0], solving_.seconds());
      for (const Solution& step : result_.steps) validating_->take(0, step);
      choose();
      if (result_.has_choice()) note(unfinished_text("the path on train") + "; that is what is chosen");
    }
    if (!result_.refit.empty()) return;
    result_.refit = unfinished(ends_[1], solving_.seconds());
    if (!result_.refit.empty()) note(unfinished_text("the fit of train and val"));
  }

  /// A point that was asked about and then not accepted has an error and no step.
  void choose() {
    result_.curve = validating_->curve(result_.steps.size());
    result_.measure = path_.error;
    result_.is_validated = result_.has_choice();
    result_.has_stopped = validating_->is_enough(result_.curve.mean.size());
  }

  std::optional<KeptOfRun> kept_of(std::size_t run) override {
    const std::lock_guard lock(mutex_);
    return kept_of_path(steps_of(run), lead_of(run));
  }

  [[nodiscard]] PathLead* lead_of(std::size_t run) const { return run == 0 ? runs_.train.get() : nullptr; }

  Status take_back(std::size_t run, const RunEnd& end, const KeptOfRun& kept) override {
    if (Status taken = take_back_path(kept, steps_of(run), lead_of(run)); !taken.ok()) return taken;
    if (run == 0) {
      for (const Solution& step : result_.steps) validating_->take(0, step);
    }
    note_end(run, end);
    return {};
  }

  [[nodiscard]] ProgressPrinter::Line progress_formatter() override {
    return [this](const ProgressEvent& event, double seconds) {
      const std::lock_guard lock(mutex_);
      if (!train_has_ended_) return path_progress_line(path_, result_, event, seconds);
      return "train and val, at the chosen lambda: round " + std::to_string(event.totals.rounds) + "  " +
             short_text(seconds, 3) + " s";
    };
  }

  RunFacts& facts() override { return run_; }

  Status conclude() override {
    if (result_.split.runs() == 1) note_end(0, run_.run.end);  // nobody tells of the one run
    keep_unfinished();
    finish_steps();
    run_.seconds_solve = solving_.seconds();
    if (Status checked = check_all(); !checked.ok()) return checked;
    note_zeros();
    judge_ends();
    if (result_.tolerance_met && result_.curve.least + 1 == result_.steps.size()) {
      const std::string text = beyond_the_last(options_.lasso, result_.steps.size(), ends_[0]);
      if (!text.empty()) note("the best of val" + text);
    }
    take_facts();
    log_.info("end: " + result_.stop_reason + ", " + with_unit(result_.steps.size(), "lambda", "lambdas") +
              ", path_hash " + result_.path_hash);
    if (Status written = write(); !written.ok()) return written;
    show(split_closing_lines(path_, result_, directory_));
    return ended(result_.tolerance_met);
  }

  void finish_steps() {
    const auto finish = [this](const LassoData& data, const RunEnd& end, Solution& step) {
      complete(data, end, step, [](std::span<const VarId>) {});  // columns that nobody has read here are read now
      count_unrepresented(step);
    };
    for (Solution& step : result_.steps) finish(*result_.data, ends_[0], step);
    result_.path_hash = path_hash(result_.steps);
    if (!result_.refit.empty()) finish(*result_.split.refit, ends_[1], result_.refit.back());
    note_unrepresented();
    if (result_.has_choice()) score_models(result_);
  }

  /// Of a false solution nothing is written. Those behind the chosen one may be left out; without that one, or one
  /// before it, nothing that was chosen would be true.
  Status check_all() {
    const std::size_t count = result_.steps.size();
    const FittedPath path = fitted_path(*result_.data, result_.steps);
    if (Status checked = check(*result_.data, ends_[0], result_.steps, path, "", {}, "train"); !checked.ok())
      return checked;
    std::size_t kept = 0;
    while (kept < result_.steps.size() && result_.steps[kept].index == kept) ++kept;
    if (count > kept && kept <= result_.curve.least) return ended(false, false);
    result_.steps.resize(kept);
    result_.curve = validating_->curve(kept);
    if (result_.refit.empty()) return {};
    result_.refit.erase(result_.refit.begin(), result_.refit.end() - 1);
    const FittedPath refit = fitted_path(*result_.split.refit, result_.refit);
    Status checked =
        check(*result_.split.refit, ends_[1], result_.refit, refit, "train and val, ", {}, "train and val");
    return checked.ok() && result_.refit.empty() ? ended(false, false) : checked;
  }

  void judge_ends() {
    const bool refitted = path_.refit && !result_.refit.empty();
    result_.tolerance_met = ends_[0].certificate.converged && result_.has_choice() &&
                            (!path_.refit || (refitted && ends_[1].certificate.converged));
    result_.stop_reason = "converged";
    for (std::size_t run = 0; run < result_.split.runs(); ++run) {
      if (ends_[run].certificate.converged || result_.stop_reason != "converged") continue;
      const std::string& reason = ends_[run].stop_reason;
      result_.stop_reason = reason_of_end(reason.empty() ? run_.run.end.stop_reason : reason);
    }
  }

  /// What the whole took, and where the path on train ended.
  void take_facts() {
    static_cast<RunFacts&>(result_) = [this] {
      RunFacts facts = run_;
      facts.data = result_.split.train;
      facts.stop_reason = result_.stop_reason;
      facts.run.end = ends_[0];
      facts.run.end.totals = run_.run.end.totals;
      return facts;
    }();
  }

  Status write() {
    if (!directory_.exists()) return {};
    if (!result_.has_choice()) {
      log_.warn("no lambda was solved: there is no path to write");
      return finish_files(split_summary(path_, result_));
    }
    FittedPath model = fitted_path(*result_.data, result_.steps);
    model.least = result_.curve.least + 1;
    if (Status done = write_path_files(result_, model, options_.input.prefix(), directory_); !done.ok()) return done;
    const std::string picture = validation_picture(result_);
    if (Status done = directory_.write(kValidationPicture, picture); !done.ok()) return done;
    if (Status done = write_split_models(path_, result_, model, directory_); !done.ok()) return done;
    return finish_files(split_summary(path_, result_));
  }

  PathCommandOptions path_;
  RunFacts run_;
  SplitResult result_;
  std::optional<Watchers> validating_;  ///< once there is data
  SplitRuns runs_;
  std::array<RunEnd, 2> ends_;
  bool train_has_ended_ = false;
};

}  // namespace

Status run_split_path(const PathCommandOptions& options, const OptionTable& table) {
  return SplitPath(options, table).run();
}

}  // namespace strads::lasso
