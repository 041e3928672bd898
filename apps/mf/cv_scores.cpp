// From fits to scores: means over the folds and what to choose.
#include <algorithm>
#include <cmath>
#include <limits>

#include "mf/cv_output.hpp"
#include "mf/output.hpp"

namespace strads::mf {

CvFit cv_fit_of(const MfData& data, const MfOptions& options, const RunEnd& end, Chunks& chunks) {
  CvFit fit;
  fit.finished = end.certificate.converged;
  fit.stop_reason = end.stop_reason;
  if (end.statuses.empty()) return fit;
  MfSolution solution = solution_of(data, options, end);
  fit.objective = solution.objective;
  fit.sweeps = solution.sweeps;
  fit.best_sweep = solution.best_sweep;
  fit.train = solution.train;
  fit.validation = solution.validation;
  fit.model_hash = model_hash(solution);
  fit.test = test_quality(factor_model(data, solution, options.clip), *data.ratings, chunks);
  return fit;
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
      score.rmse += fits[f].test.rmse / folds;
      score.mae += fits[f].test.mae / folds;
      score.sweeps += fits[f].sweeps / folds;
      score.best_sweep += fits[f].best_sweep / folds;
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
