#include "svm/report/cv_scores.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "regression/classification.hpp"
#include "regression/classifier_file.hpp"
#include "regression/raw_columns.hpp"
#include "strads/base/payload_fields.hpp"

namespace strads::svm {
namespace {

constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();
constexpr const char* kFinished = "finished";
constexpr const char* kMet = "met";
constexpr const char* kNot = "not";

double balanced(std::span<const std::uint64_t> samples, std::span<const std::uint64_t> wrong) {
  double sum = 0, classes = 0;
  for (std::size_t k = 0; k < samples.size(); ++k) {
    if (samples[k] == 0) continue;
    sum += static_cast<double>(wrong[k]) / static_cast<double>(samples[k]);
    classes += 1;
  }
  return sum / classes;
}

template <class Value>
Mean mean_over(const CvPlan& plan, std::span<const CvFit> fits, std::size_t cost, const Value& value_of) {
  const double folds = plan.folds;
  Mean mean;
  for (std::uint32_t f = 0; f < plan.folds; ++f) mean.value += value_of(fits[plan.fit_of(f, cost)]) / folds;
  double squares = 0;
  for (std::uint32_t f = 0; f < plan.folds; ++f) {
    squares += std::pow(value_of(fits[plan.fit_of(f, cost)]) - mean.value, 2);
  }
  mean.error = std::sqrt(squares / (folds - 1) / folds);
  return mean;
}

}  // namespace

KeptOfRun kept_of_fit(const CvFit& fit) {
  return {.numbers = {payload_of<CvFigures>(fit)},
          .texts = {fit.stop_reason, fit.model_hash, fit.finished ? kFinished : kNot, fit.met ? kMet : kNot}};
}

Result<CvFit> fit_of_kept(const KeptOfRun& kept) {
  std::optional<CvFigures> figures;
  if (kept.numbers.size() == 1 && kept.texts.size() == 4) {
    figures = find_fields<CvFigures>(kept.numbers.front().values);
  }
  if (!figures) return Status::input("what it says of a fit that ended is no such thing");
  CvFit fit;
  static_cast<CvFigures&>(fit) = *figures;
  fit.stop_reason = kept.texts[0];
  fit.model_hash = kept.texts[1];
  fit.finished = kept.texts[2] == kFinished;
  fit.met = kept.texts[3] == kMet;
  return fit;
}

void score_held_out(const Dataset& all, std::span<const std::uint32_t> rows, const LoadedSamples& learned,
                    const SvmSolution& solution, CvFigures& figures) {
  lasso::FittedClassifier rule;
  rule.classes = all.class_names();
  std::vector<std::vector<double>> decisions;
  for (std::size_t k = 0; k < solution.bias.size(); ++k) {
    auto& own = decisions.emplace_back(rows.size(), solution.bias[k]);
    for (std::size_t j = 0; j < solution.features; ++j) {
      const double weight = solution.weights[k * solution.features + j];
      if (weight == 0) continue;
      lasso::add_raw_rows(all.columns(), static_cast<VarId>(j), weight, learned.means[j], rows, own);
    }
  }
  std::vector<std::uint64_t> samples(rule.classes.size(), 0), wrong(rule.classes.size(), 0);
  std::vector<double> is_second, row(decisions.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (std::size_t k = 0; k < decisions.size(); ++k) row[k] = decisions[k][i];
    const auto own = static_cast<std::uint32_t>(all.response()[rows[i]]);
    ++samples[own];
    wrong[own] += lasso::class_of(rule, row) != own ? 1U : 0U;
    is_second.push_back(own == 1 ? 1.0 : 0.0);
  }
  figures.samples = rows.size();
  figures.wrong = 0;
  for (const std::uint64_t count : wrong) figures.wrong += count;
  figures.balanced_error = balanced(samples, wrong);
  figures.area = decisions.size() == 1 ? lasso::area_under_curve(decisions.front(), is_second, {}) : kUnknown;
}

Mean CvScore::by(Measure measure) const {
  switch (measure) {
    case Measure::error:
      return error;
    case Measure::balanced_error:
      return balanced_error;
    case Measure::auc:
      return {1 - area.value, area.error};
  }
  return error;
}

std::vector<CvScore> scores_of(const CvPlan& plan, std::span<const double> costs, std::span<const CvFit> fits) {
  std::vector<CvScore> scores;
  for (std::size_t c = 0; c < costs.size(); ++c) {
    CvScore& score = scores.emplace_back();
    score.cost = costs[c];
    for (std::uint32_t f = 0; f < plan.folds; ++f) {
      const CvFit& fit = fits[plan.fit_of(f, c)];
      if (!fit.finished) continue;
      ++score.finished;
      score.wrong += fit.wrong;
      score.worst_gap = std::max(score.worst_gap, fit.relative_gap);
      score.support += static_cast<double>(fit.support) / plan.folds;
    }
    score.complete = score.finished == plan.folds;
    if (score.complete) {
      score.error = mean_over(plan, fits, c, [](const CvFit& fit) { return fit.error(); });
      score.balanced_error = mean_over(plan, fits, c, [](const CvFit& fit) { return fit.balanced_error; });
      score.area = mean_over(plan, fits, c, [](const CvFit& fit) { return fit.area; });
    } else {
      score.support = score.worst_gap = kUnknown;
      score.error = score.balanced_error = score.area = {kUnknown, kUnknown};
    }
  }
  return scores;
}

std::optional<CvChoice> choice_of(std::span<const CvScore> scores, Measure measure) {
  std::optional<CvChoice> choice;
  const auto mean_of = [&](std::size_t c) { return scores[c].by(measure).value; };
  for (std::size_t c = 0; c < scores.size(); ++c) {
    if (std::isnan(mean_of(c))) continue;
    if (!choice.has_value() || mean_of(c) < mean_of(choice->best)) choice = CvChoice{c, c};
  }
  if (!choice.has_value()) return choice;
  const double enough = mean_of(choice->best) + scores[choice->best].by(measure).error;
  for (std::size_t c = choice->best + 1; c-- > 0;) {
    if (mean_of(c) <= enough) choice->simplest = c;
  }
  return choice;
}

}  // namespace strads::svm
