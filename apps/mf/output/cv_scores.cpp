// From fits to scores: means over the folds and what to choose.
#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <utility>

#include "mf/check/check_factors.hpp"
#include "mf/check/check_weights.hpp"
#include "mf/factors/slim_files.hpp"
#include "mf/output/cv_output.hpp"
#include "mf/output/output.hpp"
#include "mf/ranking/factor_ranker.hpp"
#include "mf/ranking/scorer.hpp"
#include "strads/program/program.hpp"

namespace strads::mf {

namespace {

bool has_failed(const CvFit& fit) {
  return fit.stop_reason == kStopRose || fit.stop_reason == kStopNotFinite || fit.stop_reason == kStopUnread ||
         fit.stop_reason == kStopFalse;
}

}  // namespace

CvFit cv_fit_of(const Model& model, const MfData& data, const MfOptions& options, const RunEnd& end, Chunks& chunks,
                const RankedFold* ranked, const RankedBy& by) {
  CvFit fit;
  fit.finished = end.certificate.converged;
  fit.stop_reason = end.stop_reason;
  if (end.statuses.empty()) return fit;
  Status checked = check_reports(data, end);
  MfSolution solution = solution_of(data, options, end);
  fit.sweeps = solution.sweeps;
  fit.best_sweep = solution.best_sweep;
  fit.model_hash = model_hash(solution);
  const FactorModel factors = factor_model(data, solution, options.clip);
  const Status figures = check_factors(model, factors, solution, chunks);
  if (checked.ok()) checked = figures;
  fit.objective = solution.objective;
  fit.train = solution.train;
  fit.validation = solution.validation;
  if (!options.implicit) fit.test = test_quality(factors, data, chunks);
  // Lists of a fit that was cut off count for nothing, and take long where factors are still alike.
  const bool is_judged = ranked != nullptr && fit.finished;
  if (is_judged && gives_numbers(factors)) {
    fit.ranked = ranked_quality(*ranked, by, *rank_by_factors(factors), chunks);
  }
  const bool has_test = (options.implicit || std::isfinite(fit.test.rmse)) && (!is_judged || fit.ranked.users > 0);
  if (!has_test || !std::isfinite(fit.objective)) {
    fit.finished = false;
    fit.stop_reason = kStopNotFinite;
  } else if (!checked.ok()) {
    fit.finished = false;
    fit.stop_reason = kStopFalse;
    fit.complaint = checked.message();
  }
  return fit;
}

CvFit slim_cv_fit_of(const SlimData& data, const RankedFold& ranked, const CvPlan& plan, const SlimOptions& options,
                     const RunEnd& end, Chunks& chunks) {
  CvFit fit;
  fit.finished = end.certificate.converged;
  fit.stop_reason = end.stop_reason;
  if (end.statuses.empty()) return fit;
  SlimSolution solution = slim_solution_of(data, end);
  fit.model_hash = slim_hash(solution);
  fit.weights = solution.nonzeros;
  if (Status checked = check_weights(data, options, solution, chunks); !checked.ok()) {
    fit.finished = false;
    fit.stop_reason = kStopFalse;
    fit.complaint = checked.message();
    return fit;
  }
  if (solution.certified != data.items()) fit.finished = false;
  fit.objective = solution.objective;
  if (!fit.finished) return fit;  // lists of some items alone
  auto weights = std::make_shared<SlimWeights>();
  weights->weights = weights_by_row(solution);
  const auto items = ranked.ids.known(Side::items);
  const auto ranker = rank_by_scores(scores_of_weights(std::move(weights), ranked.positives), items);
  fit.ranked = ranked_quality(ranked, plan.by, *ranker, chunks);
  return fit;
}

std::size_t failed_fits(const CvResult& result) {
  return static_cast<std::size_t>(std::count_if(result.fits.begin(), result.fits.end(), has_failed));
}

std::string point_text(CvKind kind, const CvPoint& point) {
  std::string text;
  for (const CvAxis& axis : axes_of(kind, point)) {
    text += std::string(text.empty() ? "" : ", ") + axis.name + " " + short_text(axis.value);
  }
  return text;
}

std::string name_of(const CvPlan& plan, std::size_t fit) {
  return "fold " + std::to_string(plan.fold_of(fit) + 1) + ", " +
         point_text(plan.kind, plan.points[plan.point_of(fit)]);
}

std::string first_failure(const CvPlan& plan, const CvResult& result) {
  const auto found = std::find_if(result.fits.begin(), result.fits.end(), has_failed);
  return name_of(plan, static_cast<std::size_t>(found - result.fits.begin())) + ": " + found->stop_reason;
}

std::vector<CvScore> scores_of(const CvPlan& plan, const std::vector<CvFit>& fits) {
  std::vector<CvScore> scores;
  const double folds = plan.folds;
  for (std::size_t p = 0; p < plan.points.size(); ++p) {
    CvScore score;
    score.point = plan.points[p];
    score.by_lists = plan.by_lists();
    score.metric = plan.by.metric;
    double squares = 0, squares_of_lists = 0;
    for (std::size_t f = p; f < fits.size(); f += plan.points.size()) {
      score.finished += fits[f].finished ? 1 : 0;
      if (score.failure.empty() && has_failed(fits[f])) score.failure = fits[f].stop_reason;
      score.rmse += fits[f].test.rmse / folds;
      score.mae += fits[f].test.mae / folds;
      score.sweeps += static_cast<double>(fits[f].sweeps) / folds;
      score.best_sweep += static_cast<double>(fits[f].best_sweep) / folds;
      score.weights += static_cast<double>(fits[f].weights) / folds;
      for (std::size_t m = 0; m < score.lists.size(); ++m) score.lists[m] += fits[f].ranked.means[m] / folds;
    }
    for (std::size_t f = p; f < fits.size(); f += plan.points.size()) {
      squares += std::pow(fits[f].test.rmse - score.rmse, 2);
      squares_of_lists += std::pow(fits[f].ranked.means[score.metric] - score.lists[score.metric], 2);
    }
    score.rmse_error = std::sqrt(squares / (folds - 1) / folds);
    score.lists_error = std::sqrt(squares_of_lists / (folds - 1) / folds);
    score.complete = score.finished == plan.folds;
    if (!score.complete) {
      score.rmse = score.rmse_error = score.mae = score.sweeps = score.best_sweep = score.weights = score.lists_error =
          std::numeric_limits<double>::quiet_NaN();
      score.lists.fill(std::numeric_limits<double>::quiet_NaN());
    }
    scores.push_back(score);
  }
  return scores;
}

std::optional<CvChoice> choice_of(const std::vector<CvScore>& scores) {
  std::optional<CvChoice> choice;
  for (std::size_t p = 0; p < scores.size(); ++p) {
    if (!scores[p].complete) continue;
    if (!choice.has_value() || scores[p].loss() < scores[choice->best].loss()) choice = CvChoice{p, p};
  }
  if (!choice.has_value()) return choice;
  const double enough = scores[choice->best].loss() + scores[choice->best].loss_error();
  const auto simpler = [](const CvPoint& a, const CvPoint& b) {
    if (a.rank != b.rank) return a.rank < b.rank;
    if (a.lambda != b.lambda) return a.lambda > b.lambda;
    return a.l1 != b.l1 ? a.l1 > b.l1 : a.l2 > b.l2;
  };
  for (std::size_t p = 0; p < scores.size(); ++p) {
    if (!scores[p].complete || scores[p].loss() > enough) continue;
    if (simpler(scores[p].point, scores[choice->simplest].point)) choice->simplest = p;
  }
  return choice;
}

}  // namespace strads::mf
