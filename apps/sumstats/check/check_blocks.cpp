#include "sumstats/check/check_blocks.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "regression/plain_columns.hpp"
#include "strads/program/program.hpp"

namespace strads::sumstats {

namespace {

constexpr std::size_t kSideBySide = 8;
/// Of the sum of the sizes of an objective's terms: what sums of the same numbers in other orders may differ by.
constexpr double kRounding = 1e-11;
/// What h of two ways to sum may differ by; correlations are at most 1.
constexpr double kRoundingOfH = 1e-13;
/// Of an empty solution that should not be empty: what its gap is of |objective|, which is 0.
constexpr double kNothing = 1;

/// A point of one block, by the formulas of docs/MODELS.md as they stand.
struct PlainFigures {
  double squares = 0;  ///< |X b|^2
  double fit = 0;      ///< (1 - s)/2 of it
  double linear = 0;   ///< r'b
  double ridge = 0;    ///< s/2 |b|^2
  double lasso = 0;    ///< lambda sum w |b|
  double gap = 0;      ///< sum of the terms, all >= 0

  [[nodiscard]] double objective() const { return fit - linear + ridge + lasso; }
  [[nodiscard]] double size() const { return fit + std::abs(linear) + ridge + lasso; }
};

class BlockCheck {
 public:
  BlockCheck(const SummaryProblem& problem, const Grid& grid, const lasso::PlainColumns& plain)
      : problem_(problem), grid_(grid), plain_(plain) {}

  /// Figures of points [from, from + own.size()) of a block.
  void look_at(std::uint32_t block, std::span<const BlockSolution> own, std::size_t from,
               std::span<const lasso::PlainColumns::Facts> facts, std::span<PlainFigures> found) {
    const std::size_t rows = plain_.rows(), size = problem_.size_of(block), first = problem_.begins[block];
    std::vector<double> side(plain_.places(kSideBySide), 0.0), column(rows), images(rows * kSideBySide, 0.0);
    std::array<double, kSideBySide> totals{};
    std::array<std::size_t, kSideBySide> next{};
    std::vector<double> b(size * kSideBySide, 0.0);
    // A column is decoded once for all points that have it.
    for (std::size_t place = 0; place < size; ++place) {
      bool is_decoded = false;
      for (std::size_t p = 0; p < own.size(); ++p) {
        if (next[p] == own[p].places.size() || own[p].places[next[p]] != place) continue;
        const double value = own[p].values[next[p]++];
        b[place * kSideBySide + p] = value;
        if (!is_decoded) plain_.decode(problem_.variants[first + place], facts[place], 0, rows, column.data());
        is_decoded = true;
        double* const image = images.data() + p * rows;
        for (std::size_t i = 0; i < rows; ++i) image[i] += value * column[i];
      }
    }
    for (std::size_t p = 0; p < own.size(); ++p) {
      const double* const image = images.data() + p * rows;
      double squares = 0;
      for (std::size_t i = 0; i < rows; ++i) {
        squares += image[i] * image[i];
        totals[p] += image[i];
        side[plain_.place(i, p, kSideBySide)] = image[i];
      }
      found[p].squares = squares;
      found[p].fit = (1 - grid_.shrink(from + p)) / 2 * squares;
    }
    const lasso::PlainColumns::SideBySide vectors{kSideBySide, side.data(), totals.data()};
    for (std::size_t place = 0; place < size; ++place) {
      std::array<double, kSideBySide> products{};
      const VarId j = problem_.variants[first + place];
      plain_.products(j, j + 1, facts.subspan(place, 1), vectors, products.data());
      for (std::size_t p = 0; p < own.size(); ++p) {
        const double s = grid_.shrink(from + p), r = problem_.r[first + place];
        add_variant(b[place * kSideBySide + p], r - (1 - s) * products[p], r, s,
                    grid_.lambda(from + p) * problem_.weights[first + place], found[p]);
      }
    }
  }

 private:
  static void add_variant(double b, double h, double r, double s, double penalty, PlainFigures& found) {
    found.linear += r * b;
    found.ridge += s / 2 * b * b;
    found.lasso += penalty * std::abs(b);
    const double excess = std::abs(h) > penalty ? std::abs(h) - penalty : 0.0;
    if (b == 0) {
      found.gap += excess * excess / (2 * s);
      return;
    }
    // The same as penalty |b| - h b + s/2 b^2 + excess^2 / (2 s), sorted so that nothing cancels where b is right: with
    // d = s |b| - excess it is d^2 / (2 s) and max(|h|, penalty) |b| - h b.
    const double d = s * std::abs(b) - excess, size = std::abs(b);
    found.gap += d * d / (2 * s) + (size * std::max(std::abs(h), penalty) - h * b);
  }

  const SummaryProblem& problem_;
  const Grid& grid_;
  const lasso::PlainColumns& plain_;
};

Status solution_refused(const std::string& what) {
  return Status::internal("check of the solutions: " + what +
                          ": this is a bug, or the memory of this machine is faulty");
}

std::string point_text(const Grid& grid, std::uint32_t block, std::size_t k) {
  return "block " + std::to_string(block + 1) + " at s " + exact_text(grid.shrink(k)) + ", lambda " +
         exact_text(grid.lambda(k));
}

Status check_form_of(const SummaryProblem& problem, const Grid& grid, std::uint32_t block,
                     const std::vector<BlockSolution>& solutions) {
  if (solutions.size() != grid.size()) return solution_refused("block " + std::to_string(block + 1) + " lacks points");
  for (std::size_t k = 0; k < solutions.size(); ++k) {
    const BlockSolution& own = solutions[k];
    bool is_right = own.places.size() == own.values.size();
    for (std::size_t i = 0; is_right && i < own.places.size(); ++i) {
      is_right = own.places[i] < problem.size_of(block) && (i == 0 || own.places[i - 1] < own.places[i]) &&
                 std::isfinite(own.values[i]);
    }
    if (!is_right) return solution_refused(point_text(grid, block, k) + " has a coefficient that cannot be one");
  }
  return {};
}

Status compare_point(const Grid& grid, std::uint32_t block, std::size_t k, const BlockSolution& claimed,
                     const PlainFigures& found) {
  const auto differs = [&](const char* what, double a, double b) {
    return solution_refused(point_text(grid, block, k) + " has " + what + " " + exact_text(a) +
                            ", recomputed from the columns " + exact_text(b));
  };
  if (!(std::abs(claimed.objective - found.objective()) <= kRounding * found.size())) {
    return differs("an objective of", claimed.objective, found.objective());
  }
  const double allowed = grid.tolerance / 4 * std::abs(found.objective()) + 1e-6 * found.gap +
                         kRoundingOfH * kRoundingOfH / grid.shrink(k);
  if (!(std::abs(claimed.gap - found.gap) <= allowed)) return differs("a gap of", claimed.gap, found.gap);
  return {};
}

/// The gap of b = 0 in a block that the run did not come to.
double gap_of_nothing(const SummaryProblem& problem, std::uint32_t block, double s, double lambda) {
  double gap = 0;
  for (std::size_t v = problem.begins[block]; v < problem.begins[block + 1]; ++v) {
    const double excess = std::max(std::abs(problem.r[v]) - lambda * problem.weights[v], 0.0);
    gap += excess * excess / (2 * s);
  }
  return gap;
}

}  // namespace

Status check_blocks(const SummaryProblem& problem, const Grid& grid, SummarySolution& solution, Chunks& chunks) {
  const lasso::PlainColumns plain(problem.panel->columns(), true, true);
  const std::size_t points = grid.size();
  std::vector<std::vector<PlainFigures>> found(problem.blocks());
  std::vector<Status> outcomes(problem.blocks());
  chunks.for_each(problem.blocks(), [&](std::size_t chunk) {
    const auto block = static_cast<std::uint32_t>(chunk);
    std::vector<BlockSolution>& own = solution.blocks[block];
    if (own.empty()) return;
    outcomes[block] = check_form_of(problem, grid, block, own);
    if (!outcomes[block].ok()) return;
    std::vector<lasso::PlainColumns::Facts> facts;
    for (std::size_t place = 0; place < problem.size_of(block); ++place) {
      facts.push_back(plain.facts_of(problem.variants[problem.begins[block] + place]));
    }
    BlockCheck check(problem, grid, plain);
    found[block].resize(points);
    for (std::size_t from = 0; from < points; from += kSideBySide) {
      const std::size_t count = std::min(kSideBySide, points - from);
      check.look_at(block, std::span(own).subspan(from, count), from, facts,
                    std::span(found[block]).subspan(from, count));
    }
    release_block(problem, block);
    for (std::size_t k = 0; k < points && outcomes[block].ok(); ++k) {
      outcomes[block] = compare_point(grid, block, k, own[k], found[block][k]);
      own[k].objective = found[block][k].objective();
      own[k].gap = found[block][k].gap;
    }
  });
  for (const Status& outcome : outcomes) {
    if (!outcome.ok()) return outcome;
  }
  solution.points.assign(points, {});
  for (std::size_t k = 0; k < points; ++k) {
    GridSolution& point = solution.points[k];
    point.shrink = grid.shrink(k);
    point.lambda = grid.lambda(k);
    for (std::uint32_t block = 0; block < problem.blocks(); ++block) {
      if (solution.blocks[block].empty()) {
        if (solution.solved[block]) {
          ++point.certified;
          continue;
        }
        const double gap = gap_of_nothing(problem, block, point.shrink, point.lambda);
        point.gap += gap;
        if (gap > grid.rounding(k)) {
          point.worst = std::max(point.worst, kNothing);
        } else {
          ++point.certified;
        }
        continue;
      }
      // Of a block that a limit cut off the points that were reached count.
      const BlockSolution& own = solution.blocks[block][k];
      point.objective += own.objective;
      point.gap += own.gap;
      point.nonzeros += own.places.size();
      if (own.gap > grid.rounding(k)) {
        point.worst = std::max(point.worst, own.objective != 0 ? own.gap / std::abs(own.objective) : kNothing);
      }
      point.squares += found[block][k].squares;
      if (is_certified(own.objective, own.gap, grid.tolerance, grid.rounding(k))) ++point.certified;
    }
  }
  return {};
}

}  // namespace strads::sumstats
