// From fits to scores: means over the folds and what to choose.
#include <algorithm>
#include <cmath>
#include <limits>

#include "mf/check/check_factors.hpp"
#include "mf/output/cv_output.hpp"
#include "mf/output/output.hpp"
#include "strads/program/program.hpp"

namespace strads::mf {

namespace {

bool has_failed(const CvFit& fit) {
  return fit.stop_reason == kStopRose || fit.stop_reason == kStopNotFinite || fit.stop_reason == kStopUnread ||
         fit.stop_reason == kStopFalse;
}

}  // namespace

CvFit cv_fit_of(const Model& model, const MfData& data, const MfOptions& options, const RunEnd& end, Chunks& chunks) {
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
  fit.test = test_quality(factors, data, chunks);
  if (!std::isfinite(fit.test.rmse) || !std::isfinite(fit.objective)) {
    fit.finished = false;
    fit.stop_reason = kStopNotFinite;
  } else if (!checked.ok()) {
    fit.finished = false;
    fit.stop_reason = kStopFalse;
    fit.complaint = checked.message();
  }
  return fit;
}

std::size_t failed_fits(const CvResult& result) {
  return static_cast<std::size_t>(std::count_if(result.fits.begin(), result.fits.end(), has_failed));
}

std::string name_of(const CvPlan& plan, std::size_t fit) {
  const CvPoint& point = plan.points[plan.point_of(fit)];
  return "fold " + std::to_string(plan.fold_of(fit) + 1) + ", rank " + std::to_string(point.rank) + ", lambda " +
         short_text(point.lambda);
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
    double squares = 0;
    for (std::size_t f = p; f < fits.size(); f += plan.points.size()) {
      score.finished += fits[f].finished ? 1 : 0;
      if (score.failure.empty() && has_failed(fits[f])) score.failure = fits[f].stop_reason;
      score.rmse += fits[f].test.rmse / folds;
      score.mae += fits[f].test.mae / folds;
      score.sweeps += static_cast<double>(fits[f].sweeps) / folds;
      score.best_sweep += static_cast<double>(fits[f].best_sweep) / folds;
    }
    for (std::size_t f = p; f < fits.size(); f += plan.points.size()) {
      squares += std::pow(fits[f].test.rmse - score.rmse, 2);
    }
    score.rmse_error = std::sqrt(squares / (folds - 1) / folds);
    score.complete = score.finished == plan.folds;
    if (!score.complete) {
      score.rmse = score.rmse_error = score.mae = score.sweeps = score.best_sweep =
          std::numeric_limits<double>::quiet_NaN();
    }
    scores.push_back(score);
  }
  return scores;
}

std::optional<CvChoice> choice_of(const std::vector<CvScore>& scores) {
  std::optional<CvChoice> choice;
  for (std::size_t p = 0; p < scores.size(); ++p) {
    if (!scores[p].complete) continue;
    if (!choice.has_value() || scores[p].rmse < scores[choice->best].rmse) choice = CvChoice{p, p};
  }
  if (!choice.has_value()) return choice;
  const double enough = scores[choice->best].rmse + scores[choice->best].rmse_error;
  const auto simpler = [](const CvPoint& a, const CvPoint& b) {
    return a.rank != b.rank ? a.rank < b.rank : a.lambda > b.lambda;
  };
  for (std::size_t p = 0; p < scores.size(); ++p) {
    if (!scores[p].complete || scores[p].rmse > enough) continue;
    if (simpler(scores[p].point, scores[choice->simplest].point)) choice->simplest = p;
  }
  return choice;
}

}  // namespace strads::mf
