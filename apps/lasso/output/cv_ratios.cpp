#include "lasso/output/cv_ratios.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

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
  own.l1_ratios = {result.group.l1_ratio};
  return own;
}

std::string choice_columns(const std::string& choice) {
  std::string out;
  for (const char* column :
       {"lambda_", "lambda_y_", "lambda_ratio_", "error_", "standard_error_", "nonzeros_", "r2_"}) {
    out += "\t" + std::string(column) + choice;
  }
  return out;
}

std::string choice_fields(const PathResult& result, std::size_t k) {
  if (result.curve.mean.empty()) return "\tNA\tNA\tNA\tNA\tNA\tNA\tNA";
  const Solution& solution = result.steps[k];
  return "\t" + line_of(solution, std::array{"lambda", "lambda_y", "lambda_ratio"}) + "\t" +
         ratio_field(result.curve.mean[k]) + "\t" + ratio_field(result.curve.standard_error[k]) + "\t" +
         line_of(solution, std::array{"nonzeros"}) + "\t" + ratio_field(held_out_r2(result, k));
}

std::string choices_text(const PathResult& result) {
  if (result.curve.mean.empty()) return "no lambda was solved without every fold";
  return chosen_text(result, "lambda.min", result.curve.least) + ", " +
         chosen_text(result, "lambda.1se", result.curve.simplest);
}

double worst_relative_gap(std::span<const PathResult> results) {
  double worst = std::numeric_limits<double>::quiet_NaN();
  for (const PathResult& result : results) worst = std::fmax(worst, worst_relative_gap(result));
  return worst;
}

std::string ratios_table(std::span<const PathResult> ratios) {
  std::string out = "l1_ratio\tbest\tlambdas\tstop_reason" + choice_columns("min") + choice_columns("1se");
  out += "\tpath_hash\n";
  const std::size_t best = best_ratio(ratios);
  for (std::size_t r = 0; r < ratios.size(); ++r) {
    const PathResult& result = ratios[r];
    out += exact_text(result.group.l1_ratio) + "\t" + yes_or_no(r == best && !result.curve.mean.empty()) + "\t" +
           std::to_string(result.curve.mean.size()) + "\t" + result.stop_reason +
           choice_fields(result, result.curve.least) + choice_fields(result, result.curve.simplest) + "\t" +
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
    facts.add("lambdas", std::uint64_t{result.curve.mean.size()});
    add_unseen(facts, unseen_of(result));
    if (!result.curve.mean.empty()) {
      facts.add("lambda_min", chosen(result, result.curve.least));
      facts.add("lambda_1se", chosen(result, result.curve.simplest));
    }
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
                    with_unit(best.group.folds.count, "fold", "folds") + " x " +
                    with_unit(ratios.size(), "l1 ratio", "l1 ratios") + ", " + family_text(*best.data) +
                    (fit.lasso.nonnegative ? "coefficients >= 0, " : "") + "policy " + fit.policy + "\n";
  out += "quality  " + run.stop_reason + ": " + largest_gap_text(worst_relative_gap(ratios)) + ", tolerance " +
         short_text(fit.lasso.tolerance, 3) + "\n";
  out += "best     " + (best.curve.mean.empty() ? "" : ratio_text(best) + ": ") + choices_text(best) + "\n";
  for (std::size_t r = 0; r < std::min(ratios.size(), kRatioLinesMax); ++r) {
    out += "ratio    " + short_text(ratios[r].group.l1_ratio) + ": " + choices_text(ratios[r]) + "\n";
  }
  if (ratios.size() > kRatioLinesMax) {
    out += "         and " + std::to_string(ratios.size() - kRatioLinesMax) + " more" +
           (directory.exists() ? ": " + directory.path_of(kRatiosFile) : "") + "\n";
  }
  out += unseen_line(ratios);
  out += "size     " + work_text(run) + "; path_hash " + best.path_hash + "\n";
  return out + time_and_files(fit, run, directory, "l1 ratio");
}

}  // namespace strads::lasso
