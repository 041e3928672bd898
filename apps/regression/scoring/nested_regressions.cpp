#include "regression/scoring/nested_regressions.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "regression/classification.hpp"
#include "regression/scoring/small_systems.hpp"

namespace strads::lasso {
namespace {

constexpr double kDependent = 1e-7;       // of a covariate's norm: R's lm() takes the same
constexpr double kStillFalls = 1e-12;     // of a deviance
constexpr std::size_t kNewtonSteps = 60;  // an end for classes that a covariate separates
constexpr std::size_t kHalvings = 30;

double dot(std::span<const double> a, std::span<const double> b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

/// Subtracts the mean and what earlier columns say, twice, since once leaves rounding of the size of what was taken.
/// Columns have the norm sqrt(n), as a column of ones has. False where nothing is left.
bool make_orthogonal(std::vector<double>& column, const std::vector<std::vector<double>>& earlier) {
  const double n = static_cast<double>(column.size());
  const double before = std::sqrt(dot(column, column));
  for (int pass = 0; pass < 2; ++pass) {
    double mean = 0;
    for (const double value : column) mean += value / n;
    for (double& value : column) value -= mean;
    for (const auto& other : earlier) {
      const double along = dot(column, other) / n;
      for (std::size_t i = 0; i < column.size(); ++i) column[i] -= along * other[i];
    }
  }
  const double left = std::sqrt(dot(column, column));
  if (!(left > kDependent * before)) return false;
  for (double& value : column) value *= std::sqrt(n) / left;
  return true;
}

}  // namespace

/// What takes the response's place, the second derivative of half of the deviance by the link, the deviance.
struct NestedRegressions::Link {
  double (*mean)(double link);
  double (*curvature)(double mean);
  double (*deviance)(double y, double link);
};
const NestedRegressions::Link NestedRegressions::kClasses{
    probability_of, [](double mean) { return mean * (1 - mean); },
    [](double y, double link) { return deviance_of(link, y != 0); }};
const NestedRegressions::Link NestedRegressions::kCounts{[](double link) { return std::exp(link); },
                                                         [](double mean) { return mean; }, deviance_of_count};

NestedRegressions::NestedRegressions(const ScoredPeople& people)
    : link_(people.two_classes ? &kClasses
            : people.counts    ? &kCounts
                               : nullptr),
      people_(people.response.size()),
      width_(0),
      response_(people.response) {
  std::vector<std::vector<double>> columns;
  for (std::size_t c = 0; c < people.covariates.size(); ++c) {
    std::vector<double> column = people.covariates[c];
    if (make_orthogonal(column, columns)) {
      columns.push_back(std::move(column));
    } else {
      dependent_.push_back(c);
    }
  }
  std::vector<double> score = people.scores;
  if (!make_orthogonal(score, {})) std::fill(score.begin(), score.end(), 0.0);
  columns.push_back(std::move(score));
  width_ = columns.size() + 1;
  design_.resize(people_ * width_);
  for (std::size_t i = 0; i < people_; ++i) {
    design_[i * width_] = 1;
    for (std::size_t c = 0; c < columns.size(); ++c) design_[i * width_ + c + 1] = columns[c][i];
  }
  if (link_ == nullptr) {
    const double n = static_cast<double>(people_);
    double mean = 0, spread = 0;
    for (const double y : response_) mean += y / n;
    for (const double y : response_) spread += (y - mean) * (y - mean);
    response_scale_ = std::sqrt(spread / n);
    for (double& y : response_) y = response_scale_ > 0 ? (y - mean) / response_scale_ : 0.0;
  }
  const std::vector<double> once(people_, 1.0);
  for (std::size_t which = 0; which < kRegressions; ++which) {
    const auto regressors = static_cast<Regressors>(which);
    fits_[which] = link_ != nullptr ? fit_deviance(regressors, once, nullptr) : fit_squares(regressors);
  }
}

std::vector<std::size_t> NestedRegressions::columns_of(Regressors which) const {
  std::vector<std::size_t> columns = {0};
  if (which == kOnCovariates || which == kOnBoth) {
    for (std::size_t c = 1; c + 1 < width_; ++c) columns.push_back(c);
  }
  if (which == kOnScore || which == kOnBoth) columns.push_back(width_ - 1);
  return columns;
}

double NestedRegressions::link(const Fit& fit, std::size_t i) const {
  double sum = 0;
  for (std::size_t c = 0; c < fit.columns.size(); ++c) sum += fit.coefficients[c] * row(i)[fit.columns[c]];
  return sum;
}

NestedRegressions::Fit NestedRegressions::fit_squares(Regressors which) const {
  Fit fit{columns_of(which), {}};
  const std::size_t k = fit.columns.size();
  fit.coefficients.assign(k, 0.0);
  SmallMatrix gram(k);
  for (std::size_t i = 0; i < people_; ++i) {
    for (std::size_t a = 0; a < k; ++a) {
      for (std::size_t b = 0; b < k; ++b) gram.at(a, b) += row(i)[fit.columns[a]] * row(i)[fit.columns[b]];
    }
  }
  for (int pass = 0; pass < 2; ++pass) {  // the second one takes out what rounding left in the residuals
    std::vector<double> right(k, 0.0);
    for (std::size_t i = 0; i < people_; ++i) {
      const double residual = response_[i] - link(fit, i);
      for (std::size_t a = 0; a < k; ++a) right[a] += row(i)[fit.columns[a]] * residual;
    }
    const auto change = solve_symmetric(gram, right);
    for (std::size_t a = 0; a < k; ++a) fit.coefficients[a] += change[a];
  }
  return fit;
}

double NestedRegressions::deviance(const Fit& fit, std::span<const double> counts) const {
  double sum = 0;
  for (std::size_t i = 0; i < people_; ++i) {
    if (counts[i] > 0) sum += counts[i] * link_->deviance(response_[i], link(fit, i));
  }
  return sum;
}

NestedRegressions::Fit NestedRegressions::fit_deviance(Regressors which, std::span<const double> counts,
                                                       const Fit* start) const {
  Fit fit{columns_of(which), {}};
  const std::size_t k = fit.columns.size();
  fit.coefficients = start != nullptr ? start->coefficients : std::vector<double>(k, 0.0);
  if (start == nullptr && link_ == &kCounts) {
    // Newton's steps from far below the mean are too long by its size.
    fit.coefficients[0] = std::log(dot(counts, response_) / std::accumulate(counts.begin(), counts.end(), 0.0));
  }
  double now = deviance(fit, counts);
  for (std::size_t step = 0; step < kNewtonSteps; ++step) {
    SmallMatrix curvature(k);
    std::vector<double> slope(k, 0.0);
    for (std::size_t i = 0; i < people_; ++i) {
      if (counts[i] == 0) continue;
      const double mean = link_->mean(link(fit, i));
      const double off = counts[i] * (response_[i] - mean);
      const double weight = counts[i] * link_->curvature(mean);
      for (std::size_t a = 0; a < k; ++a) {
        const double own = row(i)[fit.columns[a]];
        slope[a] += off * own;
        for (std::size_t b = 0; b <= a; ++b) curvature.at(a, b) += weight * own * row(i)[fit.columns[b]];
      }
    }
    for (std::size_t a = 0; a < k; ++a) {
      for (std::size_t b = 0; b < a; ++b) curvature.at(b, a) = curvature.at(a, b);
    }
    const auto change = solve_symmetric(curvature, slope);
    Fit next = fit;
    double length = 1;
    double then = now;
    for (std::size_t halving = 0; halving < kHalvings; ++halving, length /= 2) {
      for (std::size_t a = 0; a < k; ++a) next.coefficients[a] = fit.coefficients[a] + length * change[a];
      then = deviance(next, counts);
      if (then <= now) break;
    }
    if (!(then <= now)) break;  // rounding: it is at its least
    const bool done = now - then <= kStillFalls * now;
    fit = std::move(next);
    now = then;
    if (done) break;
  }
  return fit;
}

MeanLosses NestedRegressions::squares(std::span<const double> counts) const {
  // One matrix of products holds those of every regression; the response is its last column.
  SmallMatrix gram(width_ + 1);
  std::vector<double> person(width_ + 1);
  double total = 0;
  for (std::size_t i = 0; i < people_; ++i) {
    if (counts[i] == 0) continue;
    total += counts[i];
    std::copy_n(row(i), width_, person.begin());
    person[width_] = response_[i];
    for (std::size_t a = 0; a <= width_; ++a) {
      const double own = counts[i] * person[a];
      for (std::size_t b = 0; b <= a; ++b) gram.at(a, b) += own * person[b];
    }
  }
  MeanLosses losses{};
  for (std::size_t which = 0; which < kRegressions; ++which) {
    const auto columns = columns_of(static_cast<Regressors>(which));
    SmallMatrix own(columns.size());
    std::vector<double> right(columns.size());
    for (std::size_t a = 0; a < columns.size(); ++a) {
      right[a] = gram.at(width_, columns[a]);
      for (std::size_t b = 0; b <= a; ++b) own.at(a, b) = own.at(b, a) = gram.at(columns[a], columns[b]);
    }
    const double explained = dot(solve_symmetric(std::move(own), right), right);
    losses[which] = response_scale_ * response_scale_ * (gram.at(width_, width_) - explained) / total;
  }
  return losses;
}

MeanLosses NestedRegressions::deviances(std::span<const double> counts) const {
  double total = 0;
  for (const double count : counts) total += count;
  MeanLosses losses{};
  for (std::size_t which = 0; which < kRegressions; ++which) {
    losses[which] = deviance(fit_deviance(static_cast<Regressors>(which), counts, &fits_[which]), counts) / total;
  }
  return losses;
}

MeanLosses NestedRegressions::mean_losses(std::span<const double> counts) const {
  return link_ != nullptr ? deviances(counts) : squares(counts);
}

std::array<std::vector<double>, kRegressions> NestedRegressions::losses() const {
  std::array<std::vector<double>, kRegressions> out;
  for (std::size_t which = 0; which < kRegressions; ++which) {
    out[which].reserve(people_);
    for (std::size_t i = 0; i < people_; ++i) {
      const double predicted = link(fits_[which], i);
      const double off = response_scale_ * (response_[i] - predicted);
      out[which].push_back(link_ != nullptr ? link_->deviance(response_[i], predicted) : off * off);
    }
  }
  return out;
}

}  // namespace strads::lasso
