// SolutionCheck: the model as it is written - original scale, intercept, covariates, offsets, weights - and as `lasso
// predict` will load it. Its objective on the training samples is to be the one that was certified.
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "lasso/check/check_solutions.hpp"
#include "regression/raw_columns.hpp"
#include "strads/program/program.hpp"

namespace strads::lasso {
namespace {

constexpr std::size_t kModels = 64;  ///< share a reading of the columns
constexpr std::size_t kTileRows = 4096;
constexpr double kUnitOfWritten = 32 * std::numeric_limits<double>::epsilon();
constexpr double kNoticed = 1e-3;  ///< of a gap: a difference of less changes nothing of it

/// Models of a path, by variable.
struct WrittenTerms {
  /// Of a variable: which models have it, from the first of them, and their coefficients.
  std::vector<std::vector<std::pair<std::size_t, double>>> by_place;

  WrittenTerms(const FittedPath& written, std::size_t first, std::size_t count)
      : by_place(written.shape.variables.size()) {
    for (std::size_t k = 0; k < count; ++k) {
      const FittedStep& step = written.steps[first + k];
      for (std::size_t t = 0; t < step.places.size(); ++t)
        by_place[step.places[t]].emplace_back(k, step.coefficients[t]);
    }
  }
};

/// Predictions of some models for rows [begin, end), offsets left aside: sums[k (end - begin) + i - begin].
/// `magnitude`: of the absolute terms instead.
void predict_tile(const Dataset& dataset, const FittedPath& written, const WrittenTerms& terms, std::size_t first,
                  std::size_t count, std::size_t begin, std::size_t end, bool magnitude, std::span<double> sums) {
  const auto size = [magnitude](double value) { return magnitude ? std::abs(value) : value; };
  const std::size_t rows = end - begin;
  for (std::size_t k = 0; k < count; ++k) {
    const FittedStep& step = written.steps[first + k];
    std::span<double> own = sums.subspan(k * rows, rows);
    std::fill(own.begin(), own.end(), size(step.intercept));
    for (std::size_t c = 0; c < step.covariates.size(); ++c) {
      const std::vector<double>& covariate = dataset.covariates()[c];
      for (std::size_t i = 0; i < rows; ++i) own[i] += size(step.covariates[c] * covariate[begin + i]);
    }
  }
  RawEntries x;
  for (std::size_t place = 0; place < terms.by_place.size(); ++place) {
    const auto& models = terms.by_place[place];
    if (models.empty()) continue;
    const FittedVariable& variable = written.shape.variables[place];
    read_raw_rows(dataset.columns(), variable.column, variable.mean, begin, end, x);
    for (const auto& [k, coefficient] : models) {
      double* const own = sums.data() + k * rows;
      if (x.rows.empty()) {
        for (std::size_t e = 0; e < x.values.size(); ++e) own[e] += size(coefficient * x.values[e]);
      } else {
        for (std::size_t e = 0; e < x.values.size(); ++e) own[x.rows[e]] += size(coefficient * x.values[e]);
      }
    }
  }
}

/// Whether double precision holds every coefficient of it: where not, a note says so.
bool is_represented(const FittedStep& step) {
  const auto holds = [](double value) { return std::isfinite(value) && std::abs(value) > 1e-290; };
  return std::all_of(step.coefficients.begin(), step.coefficients.end(), holds);
}

/// Sums over the rows of what `of_rows`(first of them, numbers) makes of the predictions of some models, or of their
/// terms.
template <class OfRows>
std::vector<double> sums_of_written(const Dataset& dataset, Chunks& chunks, const FittedPath& written,
                                    std::size_t first, std::size_t count, bool magnitude, const OfRows& of_rows) {
  const std::size_t rows = dataset.columns().rows, tiles = (rows + kTileRows - 1) / kTileRows;
  const WrittenTerms terms(written, first, count);
  std::vector<double> by_tile(tiles * count);
  chunks.for_each(tiles, [&](std::size_t tile) {
    const std::size_t begin = tile * kTileRows, size = std::min(rows, begin + kTileRows) - begin;
    std::vector<double> sums(count * size);
    predict_tile(dataset, written, terms, first, count, begin, begin + size, magnitude, sums);
    for (std::size_t k = 0; k < count; ++k) {
      by_tile[tile * count + k] = of_rows(begin, std::span<const double>(sums).subspan(k * size, size));
    }
  });
  std::vector<double> whole(count);
  for (std::size_t tile = 0; tile < tiles; ++tile) {
    for (std::size_t k = 0; k < count; ++k) whole[k] += by_tile[tile * count + k];
  }
  return whole;
}

/// Of the coefficients as they are written, on the solver's scale.
double penalty_of(const CheckedProblem& problem, const FittedPath& written, std::size_t step, double lambda) {
  const FittedStep& own = written.steps[step];
  PlainSums sums;
  for (std::size_t k = 0; k < own.places.size(); ++k) {
    const VarId j = written.shape.variables[own.places[k]].column;
    if (!problem.takes_part(j)) continue;  // it has no penalty
    sums.add(own.coefficients[k] * problem.facts()[j].divisor / problem.family().unit(), problem.factor(j));
  }
  const PlainPenalty penalty = problem.penalty(lambda);
  return penalty.l1 * sums.norm + 0.5 * penalty.l2 * sums.squares;
}

/// What rounding may make of a loss: every term of a prediction is rounded, also those that cancel.
double rounding_of_written(const CheckedProblem& problem, Chunks& chunks, const FittedPath& written, std::size_t step,
                           double loss, const FamilyCheck::Reach& reach) {
  const auto beside = problem.family().beside();
  const auto squares_of = [&](std::size_t begin, std::span<const double> terms) {
    double sum = 0;
    for (std::size_t k = 0; k < terms.size(); ++k) {
      const double root = problem.columns().roots()[begin + k];
      const double rest = beside.empty() ? 0.0 : std::abs(beside[begin + k]);
      const double whole = root * (terms[k] + rest) / problem.family().unit();
      sum += whole * whole;
    }
    return sum;
  };
  const double squares = sums_of_written(problem.dataset(), chunks, written, step, 1, true, squares_of)[0];
  const double error = kUnitOfWritten * std::max(1.0, problem.flattest()) * std::sqrt(squares);
  return std::max(std::sqrt(2 * loss), reach.length) * error + reach.steepest * error * error;
}

}  // namespace

void SolutionCheck::examine_written(const FittedPath& written, std::span<const Solution> claims,
                                    std::span<Finding> findings) const {
  for (std::size_t first = 0; first < claims.size(); first += kModels) {
    const std::size_t count = std::min(kModels, claims.size() - first);
    const std::vector<double> losses = sums_of_written(problem_.dataset(), chunks_, written, first, count, false,
                                                       [this](std::size_t begin, std::span<const double> predictions) {
                                                         return problem_.family().loss_of(begin, predictions);
                                                       });
    for (std::size_t k = 0; k < count; ++k) {
      const std::size_t at = first + k;
      Finding& finding = findings[at];
      if (!finding.status.ok() || !is_represented(written.steps[at])) continue;
      const double penalty = penalty_of(problem_, written, at, claims[at].lambda), objective = losses[k] + penalty;
      const double whole = std::max(0.5 * response_squared(), std::abs(finding.objective));
      const double rounding = rounding_of_loss(finding.reach), off = std::abs(objective - finding.objective);
      finding.allowed = allowed() * whole;
      if (!(off <= finding.allowed)) {
        finding.allowed += rounding_of_written(problem_, chunks_, written, at, losses[k], finding.reach) +
                           kUnitOfWritten * penalty + rounding;
      }
      if (!(off <= finding.allowed)) {
        finding.status = Status::internal(
            "check of what is written: the model of " + name_of(claims[at]) + " has an objective of " +
            short_text(objective, 12) + " on the samples that it was fitted to, the solution " +
            short_text(finding.objective, 12) + ": this is a bug; the model was not written. " + kAdvice);
        continue;
      }
      finding.loss = losses[k];
      const bool shows = off > rounding && off > kUnitOfWritten * std::abs(finding.objective);
      if (off > kNoticed * finding.gap && shows) finding.gap += off;
    }
  }
}

}  // namespace strads::lasso
