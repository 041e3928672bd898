#include "lasso/report/path_facts.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "lasso/problem/payloads.hpp"
#include "strads/program/program.hpp"

namespace strads::lasso {
namespace {

constexpr double kNoNumber = std::numeric_limits<double>::quiet_NaN();

/// What every lambda of the grid has; the one at which a path ended is the last of its steps.
HeldOutScore score_of_step(const PathGroup& group, std::span<const std::uint32_t> rows, const Solution& step) {
  if (rows.empty()) return {};
  return score_held_out(held_out_of(*group.dataset, rows, step), group.family);
}

}  // namespace

std::vector<Solution> unfinished(const RunEnd& end, double seconds) {
  if (end.statuses.empty() || planned(end) == 0 || !(end.certificate.gap >= 0)) return {};
  Solution solution = solution_of(end);
  solution.certificate.converged = false;
  solution.deviance_ratio = 1 - head_of(end.statuses.front()).loss / objective_at_zero(end);
  solution.seconds = seconds;
  return {solution};
}

std::string unfinished_text(const std::string& what) {
  return what + " ended before its first lambda was solved: it is kept where it was, with its gap";
}

void complete(const LassoData& data, const RunEnd& end, Solution& solution) {
  solution.problem = read_fields<Start>(end.problem.values);
  solution.lambda_y = lambda_in_y(data, solution.lambda);
  solution.beta_hash = beta_hash(solution, data.columns->size());
  solution = original_scale(data, std::move(solution));
}

void score_models(PathResult& result) {
  const Solution& chosen = result.steps[result.curve.least];
  result.validation_score = score_of_step(result.group, result.group.validate(), chosen);
  result.test_score = score_of_step(result.group, result.group.test, chosen);
  if (result.refit() != nullptr) {
    result.refit_score = score_of_step(result.group, result.group.test, *result.refit());
  }
}

std::string beyond_the_last(const LassoOptions& lasso, std::size_t solved, const RunEnd& end) {
  if (solved < 2 || solution_of(end).problem.lambda_max == 0) return "";
  const auto lambdas = lambdas_of(end.problem);
  const std::string last = " is the last lambda that was solved, and a smaller one may be better: ";
  if (!lasso.path.given.empty()) return last + "give smaller ones, too";
  const std::string least = short_text(lambdas.back() / lambdas.front(), 3);
  if (solved < lambdas.size()) {
    return last + "the path ended early, --early-end off goes on to " + least + " lambda_max";
  }
  return last + "give a --lambda-min-ratio below " + least;
}

std::size_t planned(const RunEnd& end) {
  return end.problem.values.empty() ? 0 : lambdas_of(end.problem).size();
}

std::vector<std::uint32_t> lambdas_unmet(const std::vector<Solution>& steps) {
  std::vector<std::uint32_t> indices;
  for (const Solution& step : steps) {
    if (!step.certificate.converged) indices.push_back(static_cast<std::uint32_t>(step.index + 1));
  }
  return indices;
}

std::uint64_t solutions_unmet(const PathResult& result) {
  std::uint64_t count = lambdas_unmet(result.steps).size();
  for (const auto& follower : result.followers) count += lambdas_unmet(follower).size();
  return count;
}

double worst_relative_gap(std::span<const Solution> steps) {
  double worst = kNoNumber;
  for (const Solution& step : steps) worst = std::fmax(worst, step.certificate.relative_gap);
  return worst;
}

double worst_relative_gap(const PathResult& result) {
  double worst = worst_relative_gap(result.steps);
  for (const auto& follower : result.followers) worst = std::fmax(worst, worst_relative_gap(follower));
  return worst;
}

EndOfAll::EndOfAll(std::span<const PathResult> results) : worst_gap(kNoNumber) {
  for (const PathResult& one : results) {
    if (stop_reason == "converged") stop_reason = one.stop_reason;
    tolerance_met = tolerance_met && one.tolerance_met;
    unmet += solutions_unmet(one);
    worst_gap = std::fmax(worst_gap, worst_relative_gap(one));
  }
}

std::string end_of_path(const PathResult& result) {
  const bool early = result.tolerance_met && result.steps.size() < planned(result.run.end);
  if (early && result.has_stopped) return "stopped on val";
  return early ? "early end" : result.stop_reason;
}

double residual_drift(const PathResult& result) {
  double worst = 0;
  for (const Solution& step : result.steps) worst = std::max(worst, std::abs(step.explained - step.deviance_ratio));
  return worst;
}

double gap_over_null(const PathResult& result) {
  const double null_objective = objective_at_zero(result.run.end);
  return null_objective > 0 ? result.run.end.certificate.gap / null_objective : 0.0;
}

double objective_at_zero(const RunEnd& end) {
  return read_fields<Start>(end.problem.values).response_squared / 2;
}

bool is_watched(const PathResult& result) {
  return !result.group.watched().empty();
}

bool has_solutions(const PathResult& result) {
  return is_watched(result) ? result.has_choice() : !result.steps.empty();
}

bool has_best(std::span<const PathResult> ratios) {
  return ratios.size() == 1 || is_watched(ratios.front());
}

std::uint64_t lambdas_shown(const PathResult& result) {
  return is_watched(result) ? result.curve.mean.size() : result.steps.size();
}

std::uint64_t variables_of(const PathResult& result) {
  return result.steps.empty() ? result.data->dataset->columns().columns : result.steps.front().problem.kept;
}

std::optional<Unseen> unseen_of(const PathResult& result) {
  return result.has_stopped ? unseen_of(result.ends.front(), result.curve.mean.size()) : std::nullopt;
}

double held_out_r2(const PathResult& result, std::size_t k) {
  return result.variance.value_or(0) > 0 ? 1 - result.curve.mean[k] / *result.variance : kNoNumber;
}

double fold_mean(const PathResult& result, std::size_t fold, std::size_t k) {
  return result.curve.errors[fold][k].sum / result.curve.errors[fold][k].weight;
}

}  // namespace strads::lasso
