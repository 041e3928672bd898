// What `mf cv` tells of points that are compared by lists of items.
#include <cmath>
#include <limits>
#include <string>

#include "mf/output/cv_output.hpp"
#include "strads/program/program.hpp"
#include "strads/program/summary.hpp"

namespace strads::mf {
namespace {

/// The metrics that the table for people has beside the one that decides.
constexpr std::size_t kShown[] = {0, 3};  ///< recall, ndcg

std::string right_aligned(const std::string& text, std::size_t width) {
  return text.size() < width ? std::string(width - text.size(), ' ') + text : text;
}

std::vector<std::size_t> shown_metrics(const CvPlan& plan) {
  std::vector<std::size_t> shown{plan.by.metric};
  for (const std::size_t metric : kShown) {
    if (metric != plan.by.metric) shown.push_back(metric);
  }
  return shown;
}

std::string optional_field(double value) {
  return "\t" + (std::isfinite(value) ? exact_text(value) : std::string());
}

}  // namespace

UserMetrics popularity_of(const CvResult& result) {
  UserMetrics means{};
  const double folds = static_cast<double>(result.popularity.size());
  for (const RankedQuality& fold : result.popularity) {
    for (std::size_t m = 0; m < means.size(); ++m) means[m] += fold.means[m] / folds;
  }
  return means;
}

std::string ranked_table(const CvPlan& plan, const CvResult& result, const std::vector<CvScore>& scores,
                         const std::optional<CvChoice>& choice) {
  constexpr std::size_t kAxis = 10, kMetric = 14, kError = 10, kRmseWidth = 12;
  const bool of_ratings = plan.kind == CvKind::ratings;
  const auto metrics = shown_metrics(plan);
  std::string head, text;
  for (const CvAxis& axis : axes_of(plan.kind, plan.points.front())) head += right_aligned(axis.name, kAxis);
  const std::size_t axes = head.size();
  for (std::size_t m = 0; m < metrics.size(); ++m) {
    head += right_aligned(strads::mf::name_of(RankedBy{static_cast<std::uint32_t>(metrics[m]), plan.by.at}), kMetric);
    if (m == 0) head += right_aligned("+- error", kError);
  }
  if (of_ratings) head += right_aligned("test RMSE", kRmseWidth);
  text += head + right_aligned(plan.kind == CvKind::slim ? "weights" : "sweeps", kError) + "\n";
  for (std::size_t p = 0; p < scores.size(); ++p) {
    const CvScore& score = scores[p];
    const auto cell = [&](double value, int digits) {
      return score.complete ? short_text(value, digits) : std::string("-");
    };
    for (const CvAxis& axis : axes_of(plan.kind, score.point)) text += right_aligned(short_text(axis.value), kAxis);
    for (std::size_t m = 0; m < metrics.size(); ++m) {
      text += right_aligned(cell(score.lists[metrics[m]], 4), kMetric);
      if (m == 0) text += right_aligned(cell(score.lists_error, 2), kError);
    }
    if (of_ratings) text += right_aligned(cell(score.rmse, 5), kRmseWidth);
    text +=
        right_aligned(plan.kind == CvKind::slim ? cell(std::round(score.weights), 9) : cell(score.sweeps, 3), kError);
    if (!score.complete) {
      text += "  incomplete: " + std::to_string(score.finished) + " of " + with_unit(plan.folds, "fold", "folds");
      if (!score.failure.empty()) text += ", " + score.failure;
    }
    if (choice.has_value() && p == choice->best) text += "  best";
    if (choice.has_value() && p == choice->simplest) text += "  simplest within one error";
    text += "\n";
  }
  const UserMetrics floor = popularity_of(result);
  text += right_aligned("popularity", axes);
  for (std::size_t m = 0; m < metrics.size(); ++m) {
    text += right_aligned(short_text(floor[metrics[m]], 4), kMetric);
    if (m == 0) text += std::string(kError, ' ');
  }
  return text + "\n";
}

std::string ranked_cv_table(const CvPlan& plan, const CvResult& result) {
  std::string text;
  for (const CvAxis& axis : axes_of(plan.kind, plan.points.front())) text += std::string(axis.name) + "\t";
  text += "folds_finished\tk";
  for (const auto name : kRankingMetrics) text += "\t" + std::string(name);
  text += "\tstandard_error\tsweeps\tweights";
  if (plan.kind == CvKind::ratings) text += "\ttest_rmse";
  for (std::uint32_t k = 1; k <= plan.folds; ++k) {
    text += "\tfold" + std::to_string(k) + "_" + std::string(kRankingMetrics[plan.by.metric]);
  }
  text += "\n";
  const auto add_row = [&](std::uint32_t finished, const UserMetrics& lists, double error, double sweeps,
                           double weights, double rmse) {
    text += std::to_string(finished) + "\t" + std::to_string(plan.by.at);
    for (const double mean : lists) text += optional_field(mean);
    for (const double value : {error, sweeps, weights}) text += optional_field(value);
    if (plan.kind == CvKind::ratings) text += optional_field(rmse);
  };
  const auto scores = scores_of(plan, result.fits);
  const double none = std::numeric_limits<double>::quiet_NaN();
  for (std::size_t p = 0; p < scores.size(); ++p) {
    const CvScore& score = scores[p];
    for (const CvAxis& axis : axes_of(plan.kind, score.point)) text += exact_text(axis.value) + "\t";
    const bool slim = plan.kind == CvKind::slim;
    add_row(score.finished, score.lists, score.lists_error, slim ? none : score.sweeps, slim ? score.weights : none,
            score.rmse);
    for (std::size_t f = p; f < result.fits.size(); f += plan.points.size()) {
      const CvFit& fit = result.fits[f];
      text += optional_field(fit.finished ? fit.ranked.means[plan.by.metric] : none);
    }
    text += "\n";
  }
  const std::size_t axes = axes_of(plan.kind, plan.points.front()).size();
  text += "popularity" + std::string(axes, '\t');
  add_row(static_cast<std::uint32_t>(result.popularity.size()), popularity_of(result), none, none, none, none);
  for (const RankedQuality& fold : result.popularity) text += optional_field(fold.means[plan.by.metric]);
  return text + "\n";
}

std::string rescaled_text(const CvPlan& plan, const CvPoint& point, const SlimOptions& slim) {
  if (plan.kind != CvKind::slim) return "";
  const CvPoint all = point_for_all(plan, point, slim);
  const double share = (plan.folds - 1.0) / plan.folds;
  const double factor = all.l2 / point.l2;
  return "l1 " + short_text(point.l1) + " -> " + short_text(all.l1) + ", l2 " + short_text(point.l2) + " -> " +
         short_text(all.l2) + ": a fold's fit has " + short_text(share, 4) + " of the pairs, and so " +
         short_text(1 / factor, 4) + " of what l1 and l2 are weighed against";
}

void add_lists(Summary& summary, const UserMetrics& lists) {
  for (std::size_t m = 0; m < lists.size(); ++m) summary.add(std::string(kRankingMetrics[m]), lists[m]);
}

}  // namespace strads::mf
