#include "lasso/commands/cv_command.hpp"

#include <algorithm>
#include <cstdio>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>

#include "lasso/commands/cv_files.hpp"
#include "lasso/output/cv_output.hpp"
#include "lasso/output/cv_ratios.hpp"
#include "lasso/output/cv_traits.hpp"
#include "lasso/output/output.hpp"
#include "lasso/output/run_summary.hpp"
#include "lasso/run/cv_kept.hpp"
#include "lasso/run/lasso_run.hpp"
#include "regression/foreign_options.hpp"
#include "strads/base/hash.hpp"
#include "strads/program/option_table.hpp"
#include "strads/program/progress_printer.hpp"

namespace strads::lasso {
namespace {

class CrossValidation final : public LassoRun {
 public:
  CrossValidation(const CvOptions& options, const OptionTable& table, CvConfigs configs)
      : LassoRun("lasso cv", options.path.fit, table), cv_(options), configs_(std::move(configs)) {
    all_.ratios = options.l1_ratios.size();
    all_.list.resize(std::max<std::size_t>(1, options.traits.size()) * all_.ratios);
    trace_ = Trace({kCvTraceHeader, [this](const ProgressEvent& event, double seconds) {
                      const std::lock_guard lock(mutex_);
                      return cv_trace_row(all_, event, seconds);
                    }});
  }
  [[nodiscard]] CvRunResult result() { return {std::move(run_), std::move(all_.list)}; }

 private:
  [[nodiscard]] bool has_several() const { return !cv_.traits.empty(); }

  [[nodiscard]] std::vector<std::string> own_files() const override { return files_of_cv(cv_); }

  Result<std::vector<std::shared_ptr<const Dataset>>> read_data() override { return load_traits(cv_); }
  [[nodiscard]] ProblemCount problem_count() const override { return problem_count_of(cv_); }

  /// Those of a host that has them in memory; else none.
  [[nodiscard]] std::span<const std::uint32_t> given_folds() const {
    const auto& memory = options_.input.in_memory;
    return memory == nullptr ? std::span<const std::uint32_t>() : memory->folds;
  }

  /// From the data to what each part needs.
  Result<std::vector<CvData>> make_parts() {
    auto prepared = prepare_traits(datasets_, options_.lasso, cv_.folds, options_.engine.seed, cv_.stratify,
                                   cv_.l1_ratios, given_folds());
    if (!prepared.ok()) return prepared.status();
    const std::vector<CvData> data = std::move(prepared).value();
    for (std::size_t t = 0; t < all_.list.size(); ++t) {
      CvResult& trait = all_.list[t];
      trait.cv = data[t];
      trait.data = trait.cv.parts[0];
      if (Status measured = choose_measure(t); !measured.ok()) return measured;
      trait.folds.resize(trait.cv.folds.count);
      trait.ends.resize(trait.cv.parts.size());
      ended_before_.emplace_back(trait.cv.parts.size(), false);
      for (std::size_t f = 0; t % all_.ratios == 0 && f < trait.cv.folds.count; ++f) {
        log_.info(whose_trait(t) + "fold " + trait.cv.folds.names[f] + ": " +
                  with_unit(trait.cv.folds.sizes[f], "sample", "samples") + " held out");
      }
    }
    for (std::size_t t = all_.ratios; t < all_.list.size(); t += all_.ratios) {
      note_covariates(*all_.list[t].data, whose_trait(t));
    }
    // What was made before there were folds.
    run_.data = all_.list.front().data;
    for (const CvResult& trait : all_.list) {
      if (cv_.stop.after > 0) stops_.push_back(folds_that_watch(trait.cv, trait.measure, cv_.stop));
    }
    return data;
  }

  Status choose_measure(std::size_t t) {
    CvResult& trait = all_.list[t];
    auto measure = measure_of(trait.cv, cv_.error);
    if (!measure.ok()) return Status(measure.status().code(), whose_trait(t) + measure.status().message());
    trait.measure = measure.value();
    if (trait.measure != cv_.error && t % all_.ratios == 0) {
      note(whose_trait(t) +
           "fewer than 10 samples a fold for --measure auc: deviance takes its place, as in cv.glmnet");
    }
    return {};
  }

  Result<RunList> make_runs() override {
    auto data = make_parts();
    if (!data.ok()) return data.status();
    runs_ = make_cv_runs(
        data.value(), options_.lasso, options_.engine,
        [this](const CvPart& at, const Solution& solution) {
          keep(steps_of(at), solution, part_name(at) + ", lambda " + std::to_string(solution.index + 1));
        },
        stops_);
    return RunList{std::move(runs_.requests), at_once(), fingerprint()};
  }

  /// Paths that wait for each other have to be there together.
  [[nodiscard]] std::size_t at_once() const {
    std::size_t count = runs_at_once(options_.machine, options_.cluster);
    if (stops_.empty()) return count;
    for (const CvResult& trait : all_.list) count = std::max(count, trait.cv.parts.size());
    return count;
  }

  /// Of the samples, responses and folds of all runs.
  [[nodiscard]] std::uint64_t fingerprint() const {
    Hash64 hash;
    for (const CvResult& trait : all_.list) {
      for (const auto& part : trait.cv.parts) hash.update_u64(part->dataset->fingerprint());
    }
    return hash.digest();
  }

  void note_end(std::size_t run, const RunEnd& end) override {
    runs_.note_end(run);
    const CvPart& at = runs_.places[run];
    all_.list[at.trait].ends[at.part] = end;
  }

  /// What the path on all samples tells the others; null: the run is none.
  [[nodiscard]] PathLead* lead_of(const CvPart& at) const {
    return at.part == 0 ? runs_.leads[at.trait].get() : nullptr;
  }

  [[nodiscard]] std::vector<Solution>& steps_of(const CvPart& at) {
    CvResult& trait = all_.list[at.trait];
    return at.part == 0 ? trait.steps : trait.folds[at.part - 1];
  }

  std::optional<KeptOfRun> kept_of(std::size_t run) override {
    const CvPart& at = runs_.places[run];
    const std::lock_guard lock(mutex_);
    return kept_of_path(steps_of(at), lead_of(at));
  }

  Status take_back(std::size_t run, const RunEnd& end, const KeptOfRun& kept) override {
    const CvPart& at = runs_.places[run];
    if (Status taken = take_back_path(kept, steps_of(at), lead_of(at)); !taken.ok()) return taken;
    ended_before_[at.trait][at.part] = true;
    for (const Solution& step : steps_of(at)) {
      if (!stops_.empty() && at.part > 0) stops_[at.trait]->take(at.part - 1, step);
    }
    note_end(run, end);
    return {};
  }

  /// "trait: " where there are several. `place`: in all_.list.
  [[nodiscard]] std::string whose_trait(std::size_t place) const {
    return has_several() ? field(cv_.traits[place / all_.ratios]) + ": " : "";
  }
  /// The same with "l1 ratio 0.5: " where there are several.
  [[nodiscard]] std::string whose(std::size_t place) const {
    return whose_trait(place) + (all_.ratios > 1 ? ratio_text(all_.list[place]) + ": " : "");
  }

  [[nodiscard]] std::string part_name(const CvPart& at) const { return whose(at.trait) + name_of_part(at); }
  [[nodiscard]] std::string name_of_part(const CvPart& at) const {
    return at.part == 0 ? "all samples" : "without fold " + all_.list[at.trait].cv.folds.names[at.part - 1];
  }

  [[nodiscard]] ProgressPrinter::Line progress_formatter() override {
    return [this](const ProgressEvent& event, double seconds) {
      const std::lock_guard lock(mutex_);
      return cv_progress_line(all_, event, seconds);
    };
  }

  RunFacts& facts() override { return run_; }

  Status conclude() override {
    for (std::size_t t = 0; t < all_.list.size(); ++t) {
      CvResult& trait = all_.list[t];
      if (trait.steps.empty()) keep_unfinished(t);
      finish_parts(trait, ended_before_[t]);
      finish_curve(trait);
      if (!stops_.empty()) cut_at_stop(*stops_[t], trait);
      trait.path_hash = path_hash(trait.steps);
      for (const Solution& step : trait.steps) count_unrepresented(step);
    }
    note_unrepresented();
    run_.seconds_solve = solving_.seconds();
    if (Status checked = check_parts(); !checked.ok()) return checked;
    note_zeros();
    const bool met = judge_ends();
    note_choices_at_the_end();
    for (std::size_t t = 0; t < all_.list.size(); ++t) {
      log_.info(whose(t) + "end: " + all_.list[t].stop_reason + ", path_hash " + all_.list[t].path_hash);
    }
    if (Status written = write(); !written.ok()) return written;
    show(closing_lines_of_cv());
    return ended(met);
  }

  /// Where the path on all samples was that ended before its first lambda was solved, as `lasso path` keeps it. No
  /// curve is made of where the paths without a fold were.
  void keep_unfinished(std::size_t place) {
    CvResult& trait = all_.list[place];
    trait.steps = unfinished(trait.ends[0], solving_.seconds());
    if (!trait.steps.empty()) note(whose(place) + unfinished_text("the path on all samples"));
    for (auto& fold : trait.folds) fold.clear();
  }

  /// Of each trait at its best ratio.
  void note_choices_at_the_end() {
    for (std::size_t t = 0; t < all_.list.size(); t += all_.ratios) {
      const std::size_t best = t + best_ratio(all_.of_trait(t / all_.ratios));
      const CvResult& trait = all_.list[best];
      if (!trait.tolerance_met || trait.curve.least + 1 != trait.steps.size()) continue;
      const std::string text = beyond_the_last(options_.lasso, trait.steps.size(), trait.ends[0]);
      if (!text.empty()) note(whose_trait(t) + "lambda.min" + text);
    }
  }

  /// Where a solution is false, all paths of its trait end before it: no curve is made of it.
  Status check_parts() {
    for (std::size_t t = 0; t < all_.list.size(); ++t) {
      CvResult& trait = all_.list[t];
      std::size_t sound = trait.steps.size();
      for (std::size_t part = 0; part < trait.cv.parts.size(); ++part) {
        auto& steps = part == 0 ? trait.steps : trait.folds[part - 1];
        const std::size_t count = steps.size();
        const FittedPath written = fitted_path(*trait.cv.parts[part], steps);
        Status checked = check(*trait.cv.parts[part], trait.ends[part], steps, written, part_name({t, part}) + ", ",
                               trait.cv.l1_ratio, whose_trait(t) + name_of_part({t, part}));
        if (!checked.ok()) return checked;
        std::size_t kept = 0;
        while (kept < steps.size() && steps[kept].index == kept) ++kept;
        if (kept < count) sound = std::min(sound, kept);
      }
      if (sound < trait.steps.size() || false_solutions() > 0) cut_at(trait, sound);
    }
    return {};
  }

  void cut_at(CvResult& trait, std::size_t count) const {
    trait.steps.resize(std::min(trait.steps.size(), count));
    for (auto& fold : trait.folds) fold.resize(std::min(fold.size(), count));
    trait.curve = {};
    finish_curve(trait);
    trait.path_hash = path_hash(trait.steps);
  }

  /// Why each trait, and the whole, ended. True: all of them met the tolerance.
  bool judge_ends() {
    run_.stop_reason = "converged";
    for (CvResult& trait : all_.list) {
      trait.stop_reason = "converged";
      for (const RunEnd& end : trait.ends) {
        if (end.certificate.converged || trait.stop_reason != "converged") continue;
        trait.stop_reason = reason_of_end(end.stop_reason.empty() ? run_.run.end.stop_reason : end.stop_reason);
      }
      trait.tolerance_met = trait.stop_reason == "converged" && !trait.curve.mean.empty();
      if (run_.stop_reason == "converged") run_.stop_reason = trait.stop_reason;
    }
    return std::all_of(all_.list.begin(), all_.list.end(), [](const CvResult& trait) { return trait.tolerance_met; });
  }

  /// `ended_before`: by part: nobody has looked at its columns in this process.
  void finish_parts(CvResult& trait, const std::vector<bool>& ended_before) const {
    const auto finish = [&](std::size_t part, std::vector<Solution>& steps) {
      for (Solution& step : steps) {
        complete(*trait.cv.parts[part], trait.ends[part], step, [&](std::span<const VarId> variables) {
          if (!run_.cluster.has_value() && !ended_before[part]) return;
          SerialChunks serial;
          trait.cv.parts[part]->columns->scan(variables, serial);
        });
      }
    };
    finish(0, trait.steps);
    // Folds may have gone on beyond the end of the path on all samples, of which they hear when it is there.
    for (std::size_t f = 0; f < trait.folds.size(); ++f) {
      auto& steps = trait.folds[f];
      steps.resize(std::min(steps.size(), trait.steps.size()));
      finish(f + 1, steps);
    }
  }

  /// --stop-after: the paths hear of their mean error one lambda later, which is not counted.
  static void cut_at_stop(const Watchers& stop, CvResult& trait) {
    const std::size_t count = stop.until_stop(trait.curve.mean.size());
    trait.has_stopped = stop.is_enough(count);
    if (!trait.has_stopped) return;
    trait.steps.resize(count);
    for (auto& fold : trait.folds) fold.resize(count);
    auto errors = std::move(trait.curve.errors);
    for (auto& fold : errors) fold.resize(count);
    trait.curve = curve_of(std::move(errors), trait.data->dataset->columns().samples(), trait.measure);
  }

  static void finish_curve(CvResult& trait) {
    std::size_t common = trait.steps.size();
    for (const auto& fold : trait.folds) common = std::min(common, fold.size());
    if (common == 0) return;
    std::vector<std::vector<FoldError>> errors(trait.cv.folds.count);
    for (std::uint32_t f = 0; f < trait.cv.folds.count; ++f) {
      for (std::size_t k = 0; k < common; ++k) {
        errors[f].push_back(held_out_error(trait.cv, f, trait.folds[f][k], trait.measure));
      }
    }
    trait.curve = curve_of(std::move(errors), trait.data->dataset->columns().samples(), trait.measure);
    const bool squares_of_numbers = trait.measure == Measure::mse && trait.cv.family->is_squares();
    if (squares_of_numbers) trait.variance = response_variance(trait.cv);
  }

  [[nodiscard]] std::string closing_lines_of_cv() const {
    if (has_several()) return traits_closing_lines(cv_, all_, run_, directory_);
    if (all_.ratios > 1) return ratios_closing_lines(cv_, all_.list, run_, directory_);
    return cv_closing_lines(cv_, all_.list.front(), run_, directory_);
  }

  Status write() {
    if (!directory_.exists()) return {};
    for (std::size_t t = 0; t < all_.list.size(); ++t) {
      if (all_.list[t].curve.mean.empty()) note_no_curve(t);
    }
    auto summary = write_cv(cv_, all_, configs_, run_, directory_);
    return summary.ok() ? finish_files(summary.value()) : summary.status();
  }

  void note_no_curve(std::size_t t) {
    const CvResult& trait = all_.list[t];
    const auto solved = std::count_if(trait.folds.begin(), trait.folds.end(), [](const auto& f) { return !f.empty(); });
    note(whose(t) + "no lambda was solved without every fold (" + std::to_string(solved) + " of " +
         with_unit(trait.folds.size(), "fold", "folds") + " had one): there is no curve to write" +
         (trait.steps.empty() ? "" : ", only the path on all samples"));
  }

  CvOptions cv_;
  CvConfigs configs_;
  RunFacts run_;
  CvRuns runs_;                                   ///< of a run in this process
  std::vector<std::shared_ptr<Watchers>> stops_;  ///< by place in all_; empty without --stop-after
  CvResults all_;
  std::vector<std::vector<bool>> ended_before_;  ///< the same, by part: before the program was resumed
};

}  // namespace

Status run_cv(std::span<const std::string> arguments) {
  CvOptions options;
  OptionTable table = cv_option_table(options);
  if (Status own = expect_own_options(arguments); !own.ok()) return own;
  return run_command(
      "lasso", table, options.path.fit.common, arguments, [&] { return settle_cv_options(options, table); },
      [&] {
        auto configs = configs_of_cv(options, table);
        return CrossValidation(options, table, std::move(configs)).run();
      });
}

Status cv_in_process(CvOptions& options, const OptionTable& table, CvRunResult& result) {
  CrossValidation validation(options, table, configs_of_cv(options, table));
  Status outcome = validation.run();
  result = validation.result();
  return outcome;
}

}  // namespace strads::lasso
