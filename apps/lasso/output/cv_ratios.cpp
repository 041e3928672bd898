#include "lasso/output/cv_ratios.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "lasso/held_out/split_output.hpp"
#include "lasso/output/family_facts.hpp"
#include "lasso/output/output.hpp"
#include "lasso/output/run_summary.hpp"
#include "regression/picture.hpp"
#include "strads/program/program.hpp"
#include "strads/program/run_directory.hpp"
#include "strads/program/summary.hpp"

namespace strads::lasso {
namespace {

constexpr std::size_t kRatioLinesMax = 8;  ///< of ratios, where people read them all

}  // namespace

std::string ratio_folder(double l1_ratio) {
  return "l1_ratio_" + exact_text(l1_ratio);
}

std::string ratio_text(const PathResult& result) {
  return "l1 ratio " + short_text(result.group.l1_ratio);
}

CvOptions options_at(const CvOptions& options, const PathResult& result) {
  CvOptions own = options;
  own.path.fit.lasso.l1_ratio = result.group.l1_ratio;
  own.path.l1_ratios = {result.group.l1_ratio};
  return own;
}

bool is_watched(const PathResult& result) {
  return !result.group.watched().empty();
}

namespace {

bool has_solutions(const PathResult& result) {
  return is_watched(result) ? result.has_choice() : !result.steps.empty();
}

/// "\tlambda_min\t ...".
std::string choice_columns_of(std::span<const char* const> columns, const char* choice) {
  std::string out;
  for (const char* const column : columns) out.append("\t").append(column).append("_").append(choice);
  return out;
}

std::string lambda_fields(const Solution& solution) {
  return "\t" + line_of(solution, std::array{"lambda", "lambda_y", "lambda_ratio"});
}

std::string size_field(const Solution& solution) {
  return "\t" + line_of(solution, std::array{"nonzeros"});
}

/// Of a cross-validation, at point `k` of its curve.
std::string curve_fields(const PathResult& result, std::size_t k) {
  return lambda_fields(result.steps[k]) + "\t" + ratio_field(result.curve.mean[k]) + "\t" +
         ratio_field(result.curve.standard_error[k]) + size_field(result.steps[k]) + "\t" +
         ratio_field(held_out_r2(result, k));
}

/// Of what was chosen on val, then of the fit of train and val.
std::string split_fields(const PathResult& result) {
  const std::size_t k = result.curve.least;
  const auto test = [&](const HeldOutScore& score) { return "\t" + ratio_field(score.of(result.measure)); };
  return lambda_fields(result.steps[k]) + "\t" + ratio_field(result.curve.mean[k]) + size_field(result.steps[k]) +
         test(result.test_score) +
         (result.refit() == nullptr ? "\tNA\tNA" : size_field(*result.refit()) + test(result.refit_score));
}

std::string test_text(const PathResult& result) {
  if (result.group.test.empty()) return "";
  return ", test " + held_out_score_text(result.test_score, result.group.family) +
         (result.refit() == nullptr
              ? ""
              : ", of train and val together " + held_out_score_text(result.refit_score, result.group.family));
}

}  // namespace

std::uint64_t lambdas_shown(const PathResult& result) {
  return is_watched(result) ? result.curve.mean.size() : result.steps.size();
}

std::string choice_columns(const PathResult& result) {
  constexpr std::array kLambda{"lambda", "lambda_y", "lambda_ratio", "nonzeros"};
  if (!is_watched(result)) return choice_columns_of(kLambda, "last");
  if (result.is_cross_validated()) {
    constexpr std::array kCurve{"lambda", "lambda_y", "lambda_ratio", "error", "standard_error", "nonzeros", "r2"};
    return choice_columns_of(kCurve, "min") + choice_columns_of(kCurve, "1se");
  }
  constexpr std::array kSplit{"lambda", "lambda_y", "lambda_ratio", "error", "nonzeros", "test"};
  return choice_columns_of(kSplit, "chosen") + choice_columns_of(std::array{"nonzeros", "test"}, "refit");
}

std::string choice_fields(const PathResult& result) {
  if (!has_solutions(result)) {
    std::string fields;
    const std::string columns = choice_columns(result);
    for (auto count = std::ranges::count(columns, '\t'); count > 0; --count) fields += "\tNA";
    return fields;
  }
  if (result.is_cross_validated()) {
    return curve_fields(result, result.curve.least) + curve_fields(result, result.curve.simplest);
  }
  if (is_watched(result)) return split_fields(result);
  return lambda_fields(result.steps.back()) + size_field(result.steps.back());
}

std::string choices_text(const PathResult& result) {
  if (!has_solutions(result)) {
    return result.is_cross_validated() ? "no lambda was solved without every fold" : "no lambda was solved";
  }
  if (result.is_cross_validated()) {
    return chosen_text(result, "lambda.min", result.curve.least) + ", " +
           chosen_text(result, "lambda.1se", result.curve.simplest);
  }
  const bool watched = is_watched(result);
  const Solution& step = watched ? result.steps[result.curve.least] : result.steps.back();
  const std::string lambda = short_text(step.lambda, 4) + over_lambda_max_text(step.lambda, step.problem.lambda_max, 3);
  const std::string nonzeros = with_unit(step.variables.size(), "nonzero", "nonzeros");
  if (!watched) {
    return with_unit(result.steps.size(), "lambda", "lambdas") + " down to " + lambda + ", " + nonzeros +
           ", path_hash " + result.path_hash;
  }
  return "lambda " + lambda + " (" + measure_name(result.measure) + " " +
         short_text(result.curve.mean[result.curve.least], 5) + " on val, " + nonzeros + ")" + test_text(result);
}

void add_choices(Summary& summary, const PathResult& result) {
  summary.add("lambdas", lambdas_shown(result));
  add_unseen(summary, unseen_of(result));
  if (!has_solutions(result)) return;
  if (result.is_cross_validated()) {
    summary.add("lambda_min", chosen(result, result.curve.least));
    summary.add("lambda_1se", chosen(result, result.curve.simplest));
  } else if (is_watched(result)) {
    add_split_choice(summary, result);
  } else {
    Summary last;
    add_fields(last, result.steps.back(),
               std::array{"index", "lambda", "lambda_y", "lambda_ratio", "nonzeros", "beta_hash"});
    summary.add("lambda_last", last);
  }
}

double worst_relative_gap(std::span<const PathResult> results) {
  double worst = std::numeric_limits<double>::quiet_NaN();
  for (const PathResult& result : results) worst = std::fmax(worst, worst_relative_gap(result));
  return worst;
}

std::string ratios_table(std::span<const PathResult> ratios) {
  const bool compared = is_watched(ratios.front());
  std::string out = std::string("l1_ratio") + (compared ? "\tbest" : "") + "\tlambdas\tstop_reason" +
                    choice_columns(ratios.front()) + "\tpath_hash\n";
  const std::size_t best = best_ratio(ratios);
  for (std::size_t r = 0; r < ratios.size(); ++r) {
    const PathResult& result = ratios[r];
    out += exact_text(result.group.l1_ratio) +
           (compared ? "\t" + yes_or_no(r == best && !result.curve.mean.empty()) : "") + "\t" +
           std::to_string(lambdas_shown(result)) + "\t" + result.stop_reason + choice_fields(result) + "\t" +
           result.path_hash + "\n";
  }
  return out;
}

std::string ratios_picture(std::span<const PathResult> ratios) {
  const std::size_t best = best_ratio(ratios);
  const PathResult& chosen = ratios[best];
  std::vector<double> xs, ys;
  std::vector<std::vector<std::pair<double, double>>> lines;
  for (const PathResult& result : ratios) {
    auto& line = lines.emplace_back();
    for (std::size_t k = 0; k < result.curve.mean.size(); ++k) {
      const Solution& step = result.steps[k];
      line.emplace_back(place_of_lambda(step.lambda, step.problem.lambda_max), result.curve.mean[k]);
      xs.push_back(line.back().first);
      ys.push_back(line.back().second);
    }
  }
  for (std::size_t k = 0; k < chosen.curve.mean.size(); ++k) {
    const double spread = chosen.curve.standard_error[k];
    ys.insert(ys.end(), {chosen.curve.mean[k] - spread, chosen.curve.mean[k] + spread});
  }
  std::vector<LineEnd> ends;
  for (std::size_t r = 0; r < lines.size(); ++r) {
    ends.push_back({lines[r].back().second, ratio_text(ratios[r]) + (r == best ? ", the best" : ""), r});
  }
  Picture picture(field(chosen.data->dataset->response_name()) + ": " + std::to_string(chosen.group.folds.count) +
                      "-fold cross-validation, " + with_unit(ratios.size(), "l1 ratio", "l1 ratios"),
                  "-log10(lambda / lambda_max of the l1 ratio)", measure_text(chosen.measure, chosen.group.family),
                  range_of(xs), range_of(ys), margin_for(ends));
  for (std::size_t r = 0; r < lines.size(); ++r) picture.line(lines[r], r);
  const std::size_t apart = std::max<std::size_t>(1, (lines[best].size() + 7) / 8);
  for (std::size_t k = 0; k < lines[best].size(); ++k) {
    picture.dot(lines[best][k].first, lines[best][k].second, chosen.curve.standard_error[k], best);
    if (k % apart != 0) continue;
    picture.top(lines[best][k].first, std::to_string(chosen.steps[k].variables.size()));
  }
  picture.top_label(kNonzerosAxis + std::string(" of the best"));
  picture.name_ends(ends);
  picture.mark(lines[best][chosen.curve.simplest].first, "lambda.1se", 0);
  picture.mark(lines[best][chosen.curve.least].first, "lambda.min", 1);
  return picture.svg();
}

void add_ratios(Summary& summary, std::span<const PathResult> ratios) {
  std::vector<Summary> list;
  for (const PathResult& result : ratios) {
    Summary& facts = list.emplace_back();
    facts.add("l1_ratio", result.group.l1_ratio);
    facts.add("stop_reason", result.stop_reason);
    facts.add("tolerance_met", result.tolerance_met);
    facts.add("solutions_unmet", solutions_unmet(result));
    facts.add("relative_gap_worst", worst_relative_gap(result));
    add_choices(facts, result);
    facts.add("path_hash", result.path_hash);
  }
  summary.add("l1_ratios", list);
}

std::string ratios_closing_lines(const CvOptions& options, std::span<const PathResult> ratios, const RunFacts& run,
                                 const RunDirectory& directory) {
  const FitOptions& fit = options.path.fit;
  const PathResult& best = ratios[best_ratio(ratios)];
  const Dataset& dataset = *best.data->dataset;
  std::string out = fitted_text(fit, dataset) + " x " + with_unit(variables_of(best), "variable", "variables") + ", " +
                    (best.is_cross_validated() ? with_unit(best.group.folds.count, "fold", "folds") + " x " : "") +
                    with_unit(ratios.size(), "l1 ratio", "l1 ratios") + ", " + family_text(*best.data) +
                    (fit.lasso.nonnegative ? "coefficients >= 0, " : "") + "policy " + fit.policy + "\n";
  out += "quality  " + run.stop_reason + ": " + largest_gap_text(worst_relative_gap(ratios)) + ", tolerance " +
         short_text(fit.lasso.tolerance, 3) + "\n";
  const bool compared = is_watched(best);
  if (compared) out += "best     " + (best.has_choice() ? ratio_text(best) + ": " : "") + choices_text(best) + "\n";
  for (std::size_t r = 0; r < std::min(ratios.size(), kRatioLinesMax); ++r) {
    out += "ratio    " + short_text(ratios[r].group.l1_ratio) + ": " + choices_text(ratios[r]) + "\n";
  }
  if (ratios.size() > kRatioLinesMax) {
    out += "         and " + std::to_string(ratios.size() - kRatioLinesMax) + " more" +
           (directory.exists() ? ": " + directory.path_of(kRatiosFile) : "") + "\n";
  }
  out += unseen_line(ratios);
  out += "size     " + work_text(run) + (compared ? "; path_hash " + best.path_hash : "") + "\n";
  return out + time_and_files(fit, run, directory, "l1 ratio");
}

}  // namespace strads::lasso
