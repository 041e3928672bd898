// `mf cv`: from a command line to a table of scores.
#include <algorithm>
#include <memory>
#include <optional>
#include <vector>

#include "mf/check/check_factors.hpp"
#include "mf/commands/commands.hpp"
#include "mf/factors/model_files.hpp"
#include "mf/grid/fit_data.hpp"
#include "mf/output/cv_output.hpp"
#include "mf/ranking/best_items.hpp"
#include "mf/ranking/judged_lists.hpp"
#include "mf/run/clicks_cv.hpp"
#include "mf/run/engine_run.hpp"
#include "strads/base/hash.hpp"
#include "strads/program/option_table.hpp"
#include "strads/program/program.hpp"
#include "strads/program/progress_printer.hpp"
#include "strads/program/reports.hpp"
#include "strads/program/trace.hpp"

namespace strads::mf {
namespace {

class CrossValidation final : public EngineRun {
 public:
  CrossValidation(const CvOptions& options, const OptionTable& table)
      : EngineRun("mf cv", options.fit, table), cv_(options), table_(table) {
    result_.fits.resize(cv_.plan.size());
    for (CvFit& fit : result_.fits) fit.stop_reason = kStopLimit;  // of those that never begin
  }

 private:
  [[nodiscard]] std::vector<std::string> own_files() const override { return {kCvFile, kConfigFile, kLogFile}; }

  [[nodiscard]] GridSizes grid_sizes() const override { return strads::mf::grid_sizes(cv_.plan); }

  Status load(const Progress& progress) override {
    KeptData nothing;
    STRADS_ASSIGN_OR_RETURN(result_.data, load_folds(options_.input, cv_.plan, true, threads_, progress, nothing));
    if (Status roles = check_cv_roles(result_.data, options_.engine); !roles.ok()) return roles;
    note_input(result_.data.duplicates, result_.data.unended, result_.data.notes);
    if (cv_.plan.kind == CvKind::ratings) {
      if (const std::string text = about_unit(result_.data.folds.front()->unit); !text.empty()) report_note(text);
    }
    log_.info(std::to_string(result_.data.users) + " users x " + std::to_string(result_.data.items) + " items, " +
              std::to_string(result_.data.ratings) + " ratings, " + std::to_string(cv_.plan.points.size()) +
              " points on " + std::to_string(cv_.plan.folds) + " folds");
    return {};
  }

  /// Fits of a fold share its ratings, which the first of them that is computed took: that model stays until the last
  /// of them has ended.
  Result<RunList> make_runs(bool on_driver) override {
    on_driver_ = on_driver;
    RunList list;
    list.at_once = runs_at_once(options_.machine, options_.cluster);
    models_.resize(cv_.plan.size());
    begun_.assign(cv_.plan.size(), false);
    ended_before_.assign(cv_.plan.size(), false);
    maker_ = std::make_shared<CvModels>(result_.data, cv_.plan, options_.mf, options_.engine, options_.slim);
    Hash64 hash;
    for (const auto& fold : result_.data.folds) hash.update_u64(fold->ratings->fingerprint);
    for (const auto& fold : result_.data.pairs) hash.update_u64(fold->fingerprint);
    list.fingerprint = hash.digest();
    for (std::size_t fit = 0; fit < cv_.plan.size(); ++fit) {
      RunRequest& request = list.runs.emplace_back();
      request.engine = options_.engine;
      request.name = name_of(cv_.plan, fit);
      request.make_model = [this, maker = maker_, fit] { return Result(models_[fit] = maker->make(fit)); };
      request.placed_as = static_cast<std::uint32_t>(cv_.plan.first_of(fit));
      request.may_begin = [this, fit] { return fit == first_to_do(fit) || begun_[first_to_do(fit)]; };
    }
    return list;
  }

  /// The first fit of the same fold that had not ended when the program was resumed. REQUIRES: `fit` had not.
  [[nodiscard]] std::size_t first_to_do(std::size_t fit) const {
    std::size_t first = cv_.plan.first_of(fit);
    while (ended_before_[first]) ++first;
    return first;
  }

  void note_begin(std::size_t fit) override { begun_[fit] = true; }
  void note_end(std::size_t fit, const RunEnd& end) override {
    keep(fit, *models_[fit], end);
    models_[fit] = nullptr;
    ++ended_;
  }

  /// One whose ratings could not be read again says nothing about its point, and neither does one that is not true.
  std::optional<KeptOfRun> kept_of(std::size_t fit) override {
    const CvFit& ended = result_.fits[fit];
    return ended.stop_reason == kStopUnread || ended.stop_reason == kStopFalse ? std::nullopt
                                                                               : std::optional(kept_of_fit(ended));
  }

  Status take_back(std::size_t fit, const RunEnd& /*end*/, const KeptOfRun& kept) override {
    STRADS_ASSIGN_OR_RETURN(result_.fits[fit], fit_of_kept(kept));
    ended_before_[fit] = true;
    maker_->leave_out(fit);
    ++ended_;
    return {};
  }

  /// On a driver, whose models take no ratings: those of one fold are there, which its fits are looked at with one
  /// after the other.
  void hold_ratings(std::size_t fold) {
    if (!on_driver_ || held_ == fold) return;
    if (held_) result_.data.folds[*held_]->train.reset();
    MfData& data = *result_.data.folds[fold];
    data.train = data.make_train();
    held_ = fold;
  }

  void keep(std::size_t fit, const Model& model, const RunEnd& end) {
    const Stopwatch watch;
    const CvPlan& plan = cv_.plan;
    const std::size_t fold = plan.fold_of(fit);
    const RankedFold* const ranked = plan.by_lists() ? result_.data.ranked[fold].get() : nullptr;
    if (plan.kind == CvKind::slim) {
      const SlimOptions own = slim_options_of(plan, fit, options_.slim);
      result_.fits[fit] = slim_cv_fit_of(*result_.data.pairs[fold], *ranked, plan, own, end, *threads_);
    } else {
      const MfOptions own = mf_options_of(plan, fit, options_.mf);
      hold_ratings(fold);
      result_.fits[fit] = cv_fit_of(model, *result_.data.folds[fold], own, end, *threads_, ranked, plan.by);
    }
    result_.seconds_check += watch.seconds();
    const CvFit& kept = result_.fits[fit];
    log_.info(name_of(plan, fit) + ": " + kept.stop_reason +
              (plan.kind == CvKind::slim ? ", " + with_unit(kept.weights, "weight", "weights")
                                         : " after " + with_unit(kept.sweeps, "sweep", "sweeps")) +
              (ranked == nullptr
                   ? ", test RMSE " + short_text(kept.test.rmse, 6)
                   : ", " + strads::mf::name_of(plan.by) + " " + short_text(kept.ranked.means[plan.by.metric], 6)) +
              ", model_hash " + kept.model_hash);
  }

  [[nodiscard]] ProgressLine progress_text(const ProgressEvent& event, double seconds) const override {
    return cv_progress_line(cv_.plan, result_, ended_, event, seconds);
  }

  [[nodiscard]] Trace* trace() override { return nullptr; }
  void note_event(const ProgressEvent&, double) override {}

  Status conclude() override {
    result_.run.end.statuses.clear();
    judge_end();
    const auto untrue = std::ranges::find(result_.fits, kStopFalse, &CvFit::stop_reason);
    if (untrue != result_.fits.end()) result_.finished = false;
    if (result_.finished) result_.stop_reason = "every fit has ended";
    if (const std::size_t failed = failed_fits(result_); failed > 0) {
      const std::string what = with_unit(failed, "fit has", "fits have") + " failed";
      report_note(what + ": " + first_failure(cv_.plan, result_));
      if (result_.run.end.stop_reason != kStopLimit) result_.stop_reason = what;
    }
    log_.info("end: " + result_.stop_reason);
    for (const auto& fold : result_.data.ranked) {
      const auto items = fold->ids.known(Side::items);
      const auto ranker = rank_by_scores(scores_of_popularity(fold->rated, items), items);
      result_.popularity.push_back(ranked_quality(*fold, cv_.plan.by, *ranker, *threads_));
    }
    if (directory_.exists()) {
      if (Status done = directory_.write(kCvFile, cv_table(cv_.plan, result_)); !done.ok()) return done;
      if (Status done = finish_files(cv_summary(cv_, result_)); !done.ok()) return done;
    }
    const bool unread = std::ranges::find(result_.fits, kStopUnread, &CvFit::stop_reason) != result_.fits.end();
    Status outcome =
        closed(cv_closing_lines(cv_, table_, result_, directory_), unread, [this] { return cv_summary(cv_, result_); });
    if (untrue == result_.fits.end()) return outcome;
    return Status::internal(untrue->complaint + "; the scores leave out " +
                            name_of(cv_.plan, static_cast<std::size_t>(untrue - result_.fits.begin())) +
                            " and every other fit of which this is so. " + kReportThis);
  }

  RunFacts& facts() override { return result_; }

  CvOptions cv_;
  const OptionTable& table_;  ///< what the user gave
  CvResult result_;
  std::vector<std::shared_ptr<Model>> models_;  ///< by fit: of those that are running
  std::vector<bool> begun_;                     ///< by fit: placed on all nodes
  std::vector<bool> ended_before_;              ///< by fit: before the program was resumed
  std::shared_ptr<CvModels> maker_;
  std::size_t ended_ = 0;
  bool on_driver_ = false;
  std::optional<std::size_t> held_;  ///< the fold whose ratings hold_ratings() has made
};

}  // namespace

Status run_cv(std::span<const std::string> arguments) {
  if (Status known = check_cv_arguments(arguments); !known.ok()) return known;
  CvOptions options;
  OptionTable table = cv_option_table(options);
  return run_command(
      "mf", table, options.fit.common, arguments, [&] { return settle_cv_options(options, table); },
      [&] { return CrossValidation(options, table).run(); });
}

}  // namespace strads::mf
