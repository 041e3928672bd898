#include "lasso/report/pictures.hpp"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "lasso/report/path_facts.hpp"
#include "lasso/report/run_summary.hpp"
#include "regression/picture.hpp"
#include "strads/program/program.hpp"

namespace strads::lasso {
namespace {

constexpr std::size_t kPathLinesMax = 100;  ///< of a picture: more would hide each other
constexpr std::size_t kPathNamesMax = 16;   ///< of the largest ones: as many as palette and margin tell apart
constexpr std::size_t kTopsMax = 8;         ///< numbers of the upper axis

/// Where a lambda stands: -log10(lambda / lambda_max), or -log10(lambda) where lambda_max is 0.
double place_of(const Solution& solution) {
  const double lambda_max = solution.problem.lambda_max;
  return -std::log10(lambda_max > 0 ? solution.lambda / lambda_max : solution.lambda);
}

/// Whether the upper axis says how many nonzeros the k-th of `count` solutions has.
bool has_top(std::size_t k, std::size_t count) {
  return k % std::max<std::size_t>(1, (count + kTopsMax - 1) / kTopsMax) == 0;
}

void add_top(Picture& picture, const Solution& solution) {
  picture.top(place_of(solution), std::to_string(solution.variables.size()));
}

/// The upper axis of the first `count` of these.
void add_tops(Picture& picture, const std::vector<Solution>& steps, std::size_t count) {
  for (std::size_t k = 0; k < count; ++k) {
    if (has_top(k, count)) add_top(picture, steps[k]);
  }
  picture.top_label(kNonzerosAxis);
}

/// (place, error).
std::vector<std::pair<double, double>> points_of(const PathResult& result) {
  std::vector<std::pair<double, double>> points;
  for (std::size_t k = 0; k < result.curve.mean.size(); ++k) {
    points.emplace_back(place_of(result.steps[k]), result.curve.mean[k]);
  }
  return points;
}

/// Half of the bar at a point; of the people who validate there is none.
double spread_at(const PathResult& result, std::size_t k) {
  return result.is_cross_validated() ? result.curve.standard_error[k] : 0;
}

/// What the axes have to hold of curves.
struct Extent {
  std::vector<double> xs, ys;

  void add(const std::vector<std::pair<double, double>>& points) {
    for (const auto& [x, y] : points) {
      xs.push_back(x);
      ys.push_back(y);
    }
  }
  void add_spread(const PathResult& result) {
    for (std::size_t k = 0; k < result.curve.mean.size(); ++k) {
      const double mean = result.curve.mean[k], spread = spread_at(result, k);
      ys.insert(ys.end(), {mean - spread, mean + spread});
    }
  }
};

void mark_choices(Picture& picture, const PathResult& result) {
  const auto mark = [&](std::size_t k, const char* name, int row) {
    picture.mark(place_of(result.steps[k]), name, row);
  };
  if (!result.is_cross_validated()) return mark(result.curve.least, "chosen", 0);
  mark(result.curve.simplest, "lambda.1se", 0);
  mark(result.curve.least, "lambda.min", 1);
}

/// "height: 10-fold cross-validation"; "height: error on val, 100 samples".
std::string title_of(const PathResult& result) {
  return field(result.data->dataset->response_name()) + ": " +
         (result.is_cross_validated()
              ? std::to_string(result.group.folds.count) + "-fold cross-validation"
              : "error on val, " + with_unit(result.group.validate().size(), "sample", "samples"));
}

}  // namespace

std::string path_picture(const FittedPath& model, const PathResult& result) {
  const auto& steps = result.steps;
  // By variable: points (-log10 of lambda / lambda_max, coefficient), and the largest of these.
  std::vector<std::vector<std::pair<double, double>>> lines(model.shape.variables.size());
  std::vector<double> largest(lines.size(), 0.0);
  std::vector<double> xs, ys{0.0};
  for (std::size_t s = 0; s < steps.size(); ++s) {
    const double x = place_of(steps[s]);
    xs.push_back(x);
    for (auto& line : lines) {
      if (!line.empty()) line.emplace_back(x, 0.0);
    }
    for (std::size_t k = 0; k < model.steps[s].places.size(); ++k) {
      const std::size_t place = model.steps[s].places[k];
      const double value = steps[s].standardized[k];
      if (lines[place].empty()) {
        if (s > 0) lines[place].emplace_back(xs[s - 1], 0.0);
        lines[place].emplace_back(x, 0.0);
      }
      lines[place].back().second = value;
      largest[place] = std::max(largest[place], std::abs(value));
      ys.push_back(value);
    }
  }
  std::vector<std::size_t> order(lines.size());
  for (std::size_t k = 0; k < order.size(); ++k) order[k] = k;
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return largest[a] > largest[b]; });
  const std::size_t shown = std::min(order.size(), kPathLinesMax);
  const std::string which = shown < order.size() ? "the " + std::to_string(shown) + " largest of " +
                                                       std::to_string(order.size()) + " variables"
                                                 : with_unit(shown, "variable", "variables");
  std::vector<LineEnd> ends;
  for (std::size_t k = 0; k < std::min(shown, kPathNamesMax); ++k) {
    ends.push_back({lines[order[k]].back().second, variable_id(model.shape, model.shape.variables[order[k]]), k});
  }
  Picture picture(field(model.shape.response) + ": coefficients along the path, " + which,
                  "-log10(lambda / lambda_max)", "standardised coefficient", range_of(xs), range_of(ys),
                  margin_for(ends));
  for (std::size_t k = shown; k-- > 0;) picture.line(lines[order[k]], k);
  picture.name_ends(ends);
  add_tops(picture, steps, steps.size());
  return picture.svg();
}

std::string curve_picture(const PathResult& result) {
  const auto points = points_of(result);
  Extent extent;
  extent.add(points);
  extent.add_spread(result);
  Picture picture(title_of(result), "-log10(lambda / lambda_max)", measure_text(result.measure, result.group.family),
                  range_of(extent.xs), range_of(extent.ys));
  const bool folds = result.is_cross_validated();
  if (!folds) picture.line(points, 0);
  for (std::size_t k = 0; k < points.size(); ++k) {
    picture.dot(points[k].first, points[k].second, spread_at(result, k), folds ? kDotColour : 0);
  }
  mark_choices(picture, result);
  add_tops(picture, result.steps, points.size());
  return picture.svg();
}

std::string ratios_picture(std::span<const PathResult> ratios) {
  const std::size_t best = best_ratio(ratios);
  const PathResult& chosen = ratios[best];
  Extent extent;
  std::vector<std::vector<std::pair<double, double>>> lines;
  std::vector<LineEnd> ends;
  for (std::size_t r = 0; r < ratios.size(); ++r) {
    const auto& line = lines.emplace_back(points_of(ratios[r]));
    extent.add(line);
    ends.push_back({line.back().second, ratio_text(ratios[r].group.l1_ratio) + (r == best ? ", the best" : ""), r});
  }
  extent.add_spread(chosen);
  Picture picture(title_of(chosen) + ", " + with_unit(ratios.size(), "l1 ratio", "l1 ratios"),
                  "-log10(lambda / lambda_max of the l1 ratio)", measure_text(chosen.measure, chosen.group.family),
                  range_of(extent.xs), range_of(extent.ys), margin_for(ends));
  for (std::size_t r = 0; r < lines.size(); ++r) picture.line(lines[r], r);
  for (std::size_t k = 0; k < lines[best].size(); ++k) {
    picture.dot(lines[best][k].first, lines[best][k].second, spread_at(chosen, k), best);
    if (has_top(k, lines[best].size())) add_top(picture, chosen.steps[k]);
  }
  picture.top_label(kNonzerosAxis + std::string(" of the best"));
  picture.name_ends(ends);
  mark_choices(picture, chosen);
  return picture.svg();
}

}  // namespace strads::lasso
