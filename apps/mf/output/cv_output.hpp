// What `mf cv` finds, writes and shows. Formats: docs/OUTPUT.md.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "mf/grid/cv.hpp"
#include "mf/options/cv_options.hpp"
#include "mf/output/run_facts.hpp"
#include "mf/ranking/judged_lists.hpp"
#include "mf/slim/slim.hpp"
#include "strads/program/checkpoint_file.hpp"
#include "strads/program/option_table.hpp"
#include "strads/program/progress_line.hpp"
#include "strads/program/run_directory.hpp"
#include "strads/program/summary.hpp"

namespace strads::mf {

inline constexpr const char* kCvFile = "cv.tsv";

/// What a fit of a fold came to, in numbers.
struct CvFigures {
  Quality train, validation;
  Quality test;          ///< of the fold, users and items included that the others do not have
  RankedQuality ranked;  ///< where lists of items decide: at CvPlan::by
  double objective = 0;
  std::uint64_t sweeps = 0, best_sweep = 0;
  std::uint64_t weights = 0;  ///< slim

  template <class Self, class Visit>
  static constexpr void fields(Self& fit, Visit&& visit) {
    for (auto* quality : {&fit.train, &fit.validation, &fit.test}) {
      visit(quality->rmse);
      visit(quality->mae);
      visit(quality->ratings);
    }
    for (auto& mean : fit.ranked.means) visit(mean);
    visit(fit.ranked.users);
    visit(fit.objective);
    visit(fit.sweeps);
    visit(fit.best_sweep);
    visit(fit.weights);
  }
};

/// One fit of one fold.
struct CvFit : CvFigures {
  bool finished = false;  ///< not cut off by a limit or a signal
  std::string stop_reason;
  std::string model_hash;
  std::string complaint;  ///< why `stop_reason` is kStopFalse; else empty
};

/// One point of the grid over all folds. Without every fold finished the means are NaN.
struct CvScore {
  CvPoint point;
  std::uint32_t finished = 0;  ///< folds
  std::string failure;         ///< why the first fit that has failed did; "": none has
  bool complete = false;
  double rmse = 0;        ///< mean over the folds
  double rmse_error = 0;  ///< standard error of that mean: deviation between folds / root of their number
  double mae = 0, sweeps = 0, best_sweep = 0;
  // Where lists of items decide:
  bool by_lists = false;   ///< `lists` and not `rmse` says what is best
  UserMetrics lists{};     ///< means over the folds, each a mean over users
  double lists_error = 0;  ///< standard error of the mean that decides, as rmse_error
  std::uint32_t metric = 0;
  double weights = 0;  ///< slim

  /// What is to be small.
  [[nodiscard]] double loss() const { return by_lists ? -lists[metric] : rmse; }
  [[nodiscard]] double loss_error() const { return by_lists ? lists_error : rmse_error; }
};

/// Everything about a cross-validation.
struct CvResult : RunFacts {
  CvData data;
  std::vector<CvFit> fits;                ///< in the order of CvPlan
  std::vector<RankedQuality> popularity;  ///< by fold, of the most popular items
};

/// From the end of a fit of `data`: its factors are looked at and not kept. Where what the run says of them is false
/// (check_factors()), it is not finished, and its figures are those that were found.
/// `ranked`: where lists are judged; else null.
[[nodiscard]] CvFit cv_fit_of(const Model& model, const MfData& data, const MfOptions& options, const RunEnd& end,
                              Chunks& chunks, const RankedFold* ranked = nullptr, const RankedBy& by = {});

/// From the end of a fit of item weights. As cv_fit_of(), with check_weights().
[[nodiscard]] CvFit slim_cv_fit_of(const SlimData& data, const RankedFold& ranked, const CvPlan& plan,
                                   const SlimOptions& options, const RunEnd& end, Chunks& chunks);

/// For a checkpoint: all of it.
[[nodiscard]] KeptOfRun kept_of_fit(const CvFit& fit);
/// Errors: input: this is nothing that kept_of_fit() says.
[[nodiscard]] Result<CvFit> fit_of_kept(const KeptOfRun& kept);

/// Fits whose objective rose, or that came to no numbers, lost their ratings or said what is false: they are not
/// finished, whatever the limits.
[[nodiscard]] std::size_t failed_fits(const CvResult& result);
/// "fold 2, rank 10, lambda 0.1".
[[nodiscard]] std::string name_of(const CvPlan& plan, std::size_t fit);
/// "fold 2, rank 10, lambda 0.1: objective rose". REQUIRES: there is one.
[[nodiscard]] std::string first_failure(const CvPlan& plan, const CvResult& result);

/// "rank 10, lambda 0.1".
[[nodiscard]] std::string point_text(CvKind kind, const CvPoint& point);

/// In the order of the plan's points.
[[nodiscard]] std::vector<CvScore> scores_of(const CvPlan& plan, const std::vector<CvFit>& fits);

/// What to choose; no value: no point is complete.
struct CvChoice {
  std::size_t best = 0;  ///< least mean RMSE; of equal ones the first
  /// Least rank, then largest lambda, with a mean within one standard error of the best: the one-standard-error rule.
  /// Of item weights largest l1, then largest l2.
  std::size_t simplest = 0;
};
[[nodiscard]] std::optional<CvChoice> choice_of(const std::vector<CvScore>& scores);

/// cv.tsv: one row a point.
[[nodiscard]] std::string cv_table(const CvPlan& plan, const CvResult& result);
[[nodiscard]] Summary cv_summary(const CvOptions& options, const CvResult& result);

/// The mean over the folds of what lists of the most popular items are worth.
[[nodiscard]] UserMetrics popularity_of(const CvResult& result);
/// The part of the table, and of cv.tsv, that is about lists of items.
[[nodiscard]] std::string ranked_table(const CvPlan& plan, const CvResult& result, const std::vector<CvScore>& scores,
                                       const std::optional<CvChoice>& choice);
[[nodiscard]] std::string ranked_cv_table(const CvPlan& plan, const CvResult& result);
/// "rescaled ...": what becomes of a point of item weights where all pairs are fitted. "" of others.
[[nodiscard]] std::string rescaled_text(const CvPlan& plan, const CvPoint& point, const SlimOptions& slim);
/// What the summary has of a fit's or a point's lists.
void add_lists(Summary& summary, const UserMetrics& lists);

/// "12.3 s  fit 27 of 45  one in sweep 4  best so far ...": so many have ended. `event`: of one that runs.
[[nodiscard]] ProgressLine cv_progress_line(const CvPlan& plan, const CvResult& result, std::size_t ended,
                                            const ProgressEvent& event, double seconds);
/// Where the best point is at an end of what was tried: which, and the values beyond it as options of `mf cv`. ""
/// where it is not, or a value was the only one.
[[nodiscard]] std::string edge_of_grid(const CvPlan& plan, const CvPoint& best);
/// The table for people, the choice, the command that uses it, time and files.
[[nodiscard]] std::string cv_closing_lines(const CvOptions& options, const OptionTable& table, const CvResult& result,
                                           const RunDirectory& directory);

}  // namespace strads::mf
