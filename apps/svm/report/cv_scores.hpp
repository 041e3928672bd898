// From the fits of a cross-validation to scores of their costs, and what to choose.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "strads/base/status.hpp"
#include "strads/data/dataset.hpp"
#include "strads/program/checkpoint_file.hpp"
#include "svm/data/loaded_samples.hpp"
#include "svm/options/cv_options.hpp"
#include "svm/problem/svm.hpp"

namespace strads::svm {

/// The fits in their order: fold after fold, in each all costs; then, if there is one, that on all samples.
struct CvPlan {
  std::size_t costs = 1;
  std::uint32_t folds = 2;

  /// Without the one on all samples.
  [[nodiscard]] std::size_t size() const { return costs * folds; }
  [[nodiscard]] std::uint32_t fold_of(std::size_t fit) const { return static_cast<std::uint32_t>(fit / costs); }
  [[nodiscard]] std::size_t cost_of(std::size_t fit) const { return fit % costs; }
  [[nodiscard]] std::size_t fit_of(std::uint32_t fold, std::size_t cost) const { return fold * costs + cost; }
};

/// What a fit without a fold came to.
struct CvFigures {
  std::uint64_t samples = 0, wrong = 0;  ///< of the fold: all, and those whose class is told wrong
  double balanced_error = 0;             ///< mean over the classes that the fold has of the share told wrong
  double area = 0;                       ///< of two classes: under the ROC curve; NaN where the fold has one class
  double objective = 0, relative_gap = 0;
  std::uint64_t support = 0, rounds = 0;

  template <class Self, class Visit>
  static constexpr void fields(Self& fit, Visit&& visit) {
    visit(fit.samples);
    visit(fit.wrong);
    visit(fit.balanced_error);
    visit(fit.area);
    visit(fit.objective);
    visit(fit.relative_gap);
    visit(fit.support);
    visit(fit.rounds);
  }
  [[nodiscard]] double error() const { return static_cast<double>(wrong) / static_cast<double>(samples); }
};

struct CvFit : CvFigures {
  bool finished = false;  ///< not cut off by a signal or --max-seconds, nor never begun
  bool met = false;       ///< the tolerance, by every class
  std::string stop_reason;
  std::string model_hash;
};

/// For a checkpoint: all of it.
[[nodiscard]] KeptOfRun kept_of_fit(const CvFit& fit);
/// Errors: input: this is nothing that kept_of_fit() says.
[[nodiscard]] Result<CvFit> fit_of_kept(const KeptOfRun& kept);

/// Fills `figures` for the samples that were held out: their decision values are those that `svm predict` has.
///   rows: of `all`, ascending; learned: the samples of the fit
/// Cost: a pass over the columns for each plane.
void score_held_out(const Dataset& all, std::span<const std::uint32_t> rows, const LoadedSamples& learned,
                    const SvmSolution& solution, CvFigures& figures);

/// A figure over the folds. NaN where it is not known of every fold.
struct Mean {
  double value = 0;
  double error = 0;  ///< standard error: deviation between the folds / root of their number
};

/// One cost over all folds.
struct CvScore {
  double cost = 0;
  std::uint32_t finished = 0;  ///< folds
  bool complete = false;       ///< all of them; else the means are NaN
  std::uint64_t wrong = 0;     ///< over all folds
  Mean error, balanced_error, area;
  double support = 0;    ///< mean over the folds
  double worst_gap = 0;  ///< over the folds

  /// Of which less is better.
  [[nodiscard]] Mean by(Measure measure) const;
};

/// By cost, ascending. `fits`: in the order of the plan.
[[nodiscard]] std::vector<CvScore> scores_of(const CvPlan& plan, std::span<const double> costs,
                                             std::span<const CvFit> fits);

struct CvChoice {
  std::size_t best = 0;      ///< least mean; of equal ones the least cost
  std::size_t simplest = 0;  ///< least cost with a mean within one standard error of that
  [[nodiscard]] std::size_t of(Refit refit) const { return refit == Refit::simplest ? simplest : best; }
};
/// No value: no cost is complete.
[[nodiscard]] std::optional<CvChoice> choice_of(std::span<const CvScore> scores, Measure measure);

}  // namespace strads::svm
