// The four regressions of a response that say what a score is worth: on nothing, on covariates, on the score, on both.
// Pure.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace strads::lasso {

/// People whose response is known, with their scores. All lists have the same length n; nothing is NaN.
struct ScoredPeople {
  std::vector<double> response;  ///< numbers; of two classes 0 and 1
  std::vector<double> scores;
  std::vector<std::vector<double>> covariates;  ///< n numbers each
  bool two_classes = false;
  bool counts = false;  ///< the response is counts, 0 or more
};

/// Which regression. Each has an intercept.
enum Regressors : std::size_t { kOnNothing, kOnCovariates, kOnScore, kOnBoth, kRegressions };

/// Of each regression the mean loss of a person: the squared residual, with two classes the deviance
/// -2 log(probability of the person's class), with counts deviance_of_count(), at the coefficients with the least sum.
using MeanLosses = std::array<double, kRegressions>;

/// Fits them to the people or to a sample drawn from them. Immutable after construction, thread-safe.
class NestedRegressions {
 public:
  /// REQUIRES: two people or more; with two classes both of them; with counts some above 0.
  explicit NestedRegressions(const ScoredPeople& people);

  /// Covariates that are constant or depend on those before them (1e-7 of their norm is left, as in R's lm), by number:
  /// without effect on any loss.
  [[nodiscard]] const std::vector<std::size_t>& dependent_covariates() const { return dependent_; }
  /// Unknowns of the regression on both, the intercept too.
  [[nodiscard]] std::size_t unknowns() const { return width_ + 1; }

  /// Of a sample that has person i counts[i] times. By least squares one pass over the people; with two classes some
  /// passes for each regression (Newton's method, steps halved where the deviance rises, until
  /// it falls by less than 1e-12 of itself). Cost of a pass: n k^2 flops with k unknowns.
  ///   counts: n numbers >= 0; of two classes both occur
  [[nodiscard]] MeanLosses mean_losses(std::span<const double> counts) const;
  /// Of the people themselves the loss of each one: [regression][person].
  [[nodiscard]] std::array<std::vector<double>, kRegressions> losses() const;

 private:
  /// Coefficients of the columns of one regression.
  struct Fit {
    std::vector<std::size_t> columns;
    std::vector<double> coefficients;
  };
  [[nodiscard]] const double* row(std::size_t i) const { return design_.data() + i * width_; }
  [[nodiscard]] Fit fit_squares(Regressors which) const;
  [[nodiscard]] Fit fit_deviance(Regressors which, std::span<const double> counts, const Fit* start) const;
  [[nodiscard]] double deviance(const Fit& fit, std::span<const double> counts) const;
  [[nodiscard]] double link(const Fit& fit, std::size_t i) const;
  [[nodiscard]] MeanLosses squares(std::span<const double> counts) const;
  [[nodiscard]] MeanLosses deviances(std::span<const double> counts) const;
  [[nodiscard]] std::vector<std::size_t> columns_of(Regressors which) const;

  struct Link;
  static const Link kClasses, kCounts;
  const Link* link_;  ///< null: numbers
  std::size_t people_;
  std::size_t width_;             ///< columns: 1, covariates (orthonormal but for a factor), score
  std::vector<double> design_;    ///< row after row
  std::vector<double> response_;  ///< centred and of unit variance by least squares
  double response_scale_ = 1;     ///< standard deviation taken out of the response
  std::vector<std::size_t> dependent_;
  std::array<Fit, kRegressions> fits_;
};

}  // namespace strads::lasso
