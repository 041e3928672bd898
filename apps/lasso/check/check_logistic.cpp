#include "lasso/check/check_logistic.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "lasso/check/check_batch.hpp"

namespace strads::lasso {
namespace {

constexpr int kNewtonSteps = 100;  ///< at most: where classes are separated there is no minimum to find
constexpr int kHalvings = 40;      ///< of a step
constexpr double kQuadratic =
    1e-10;  ///< x sum w: below this decrement a whole step is taken without a look at the loss
constexpr double kNoDecrement = 1e-31;  ///< x sum w: a decrement that rounding makes of a gradient of 0
constexpr double kRidge = 1e-12;        ///< first one to be added to a matrix that has no factor

/// a = L L', in place, lower part; false where it is not positive definite.
bool factorise(std::vector<double>& a, std::size_t size) {
  for (std::size_t k = 0; k < size; ++k) {
    for (std::size_t l = 0; l <= k; ++l) {
      double rest = a[k * size + l];
      for (std::size_t m = 0; m < l; ++m) rest -= a[k * size + m] * a[l * size + m];
      if (l == k && !(rest > std::numeric_limits<double>::min())) return false;
      a[k * size + l] = l == k ? std::sqrt(rest) : rest / a[l * size + l];
    }
  }
  return true;
}

/// a^-1 b of a symmetric matrix, with a ridge where it is not positive definite.
std::vector<double> solved(const std::vector<double>& a, std::vector<double> b) {
  const std::size_t size = b.size();
  std::vector<double> factor = a;
  for (double ridge = kRidge; !factorise(factor, size); ridge *= 10) {
    if (!(ridge < 1)) return std::vector<double>(size, 0.0);  // not numbers
    factor = a;
    for (std::size_t k = 0; k < size; ++k) factor[k * size + k] += ridge;
  }
  for (std::size_t k = 0; k < size; ++k) {
    for (std::size_t l = 0; l < k; ++l) b[k] -= factor[k * size + l] * b[l];
    b[k] /= factor[k * size + k];
  }
  for (std::size_t k = size; k-- > 0;) {
    for (std::size_t l = k + 1; l < size; ++l) b[k] -= factor[l * size + k] * b[l];
    b[k] /= factor[k * size + k];
  }
  return b;
}

}  // namespace

/// What Newton's method does next.
struct LogisticCheck::Step {
  std::vector<double> change;  ///< of eta: Z (Z'W Z)^-1 Z'u
  double decrement = 0;        ///< u'change: twice the decrease that the quadratic promises
};

LogisticCheck::LogisticCheck(const Data& data) : data_(data), null_scores_(data.roots.size(), 0.0) {
  const std::size_t rows = data_.roots.size();
  weight_ = sum_by_tiles(rows, [this](std::size_t i) { return data_.roots[i] * data_.roots[i]; });
  for (std::size_t i = 0; i < rows; ++i) {
    if (data_.roots[i] != 0 && !data_.offset.empty()) null_scores_[i] = data_.offset[i];
  }
  solve(null_scores_);
  null_fit_ = read_off(null_scores_);
}

/// t_i - p_i, without the difference.
double LogisticCheck::missed(std::size_t i, double eta) const {
  return data_.classes[i] > 0.5 ? 1 / (1 + std::exp(eta)) : -1 / (1 + std::exp(-eta));
}

double LogisticCheck::loss(std::span<const double> eta) const {
  return sum_by_tiles(eta.size(), [&](std::size_t i) {
    if (data_.roots[i] == 0) return 0.0;
    const double margin = data_.classes[i] > 0.5 ? eta[i] : -eta[i];
    const double one = std::log1p(std::exp(-std::abs(margin))) + std::max(0.0, -margin);
    return data_.roots[i] * data_.roots[i] * one;
  });
}

LogisticCheck::Step LogisticCheck::step(std::span<const double> eta) const {
  const std::size_t rows = eta.size(), size = data_.directions.size();
  std::vector<double> u(rows), curvature(rows);  // u / sqrt(w), p (1 - p)
  for (std::size_t i = 0; i < rows; ++i) {
    if (data_.roots[i] == 0) continue;
    const double d = missed(i, eta[i]);
    u[i] = data_.roots[i] * d;
    curvature[i] = std::abs(d) * (1 - std::abs(d));
  }
  std::vector<double> gradient(size), matrix(size * size);
  for (std::size_t k = 0; k < size; ++k) {
    const auto& z = data_.directions[k];
    gradient[k] = sum_by_tiles(rows, [&](std::size_t i) { return z[i] * u[i]; });
    for (std::size_t l = 0; l <= k; ++l) {
      const auto& other = data_.directions[l];
      matrix[k * size + l] = matrix[l * size + k] =
          sum_by_tiles(rows, [&](std::size_t i) { return z[i] * other[i] * curvature[i]; });
    }
  }
  const std::vector<double> g = solved(matrix, gradient);
  Step next{std::vector<double>(rows, 0.0), 0};
  for (std::size_t k = 0; k < size; ++k) {
    next.decrement += g[k] * gradient[k];
    for (std::size_t i = 0; i < rows; ++i) {
      if (data_.roots[i] != 0) next.change[i] += g[k] * (data_.directions[k][i] / data_.roots[i]);
    }
  }
  return next;
}

/// Takes as much of a step as lowers the loss; false: nothing of it does.
bool LogisticCheck::move(std::vector<double>& eta, double& loss_here, const Step& step) const {
  const bool whole = step.decrement < kQuadratic * weight_;
  std::vector<double> there(eta.size());
  double t = 1;
  for (int halving = 0; halving < kHalvings; ++halving, t /= 2) {
    for (std::size_t i = 0; i < eta.size(); ++i) there[i] = eta[i] + t * step.change[i];
    const double loss_there = loss(there);
    if (!whole && !(loss_there < loss_here)) continue;
    eta = std::move(there);
    loss_here = loss_there;
    return true;
  }
  return false;
}

/// Moves eta along Z to the minimum, until only rounding changes it.
void LogisticCheck::solve(std::vector<double>& eta) const {
  if (data_.directions.empty()) return;
  double loss_here = loss(eta), before = std::numeric_limits<double>::infinity();
  for (int n = 0; n < kNewtonSteps; ++n) {
    const Step next = step(eta);
    if (!(next.decrement > kNoDecrement * weight_)) return;
    if (next.decrement < kQuadratic * weight_ && !(next.decrement < before / 4)) return;
    before = next.decrement;
    if (!move(eta, loss_here, next)) return;
  }
}

LogisticCheck::Fit LogisticCheck::read_off(std::span<const double> eta) const {
  Fit fit{loss(eta), std::vector<double>(eta.size(), 0.0)};
  for (std::size_t i = 0; i < eta.size(); ++i) {
    if (data_.roots[i] != 0) fit.missed[i] = missed(i, eta[i]);
  }
  return fit;
}

LogisticCheck::Fit LogisticCheck::fit(std::span<const double> scores) const {
  std::vector<double> eta = null_scores_;
  for (std::size_t i = 0; i < eta.size(); ++i) eta[i] += scores[i];
  solve(eta);
  return read_off(eta);
}

/// -a log a - (1 - a) log(1 - a).
double LogisticCheck::entropy(double share) {
  if (!(share > 0)) return share == 0 ? 0.0 : share;  // not a number: shows
  if (share >= 1) return 0;
  return -share * std::log(share) - (1 - share) * std::log1p(-share);
}

// --- its part of SolutionCheck ---

/// Classes, what is not penalised, and the null fit in place of y~.
void SolutionCheck::prepare_logistic() {
  logistic_.emplace(LogisticCheck::Data{dataset_->response(), dataset_->offset(), columns_.roots(), basis_});
  response_squared_ = 2 * logistic_->null_fit().loss;
}

/// What X~ b of the places left becomes: losses, and the residuals w_i (t_i - p_i) for the columns. The null fit's are
/// the last where they are asked for.
void SolutionCheck::fit_logistic(Batch& batch, std::size_t filled) const {
  const std::size_t rows = columns_.rows();
  chunks_.for_each(filled, [&](std::size_t k) {
    LogisticCheck::Fit own;
    if (k < batch.claims.size()) {
      std::vector<double> scores(rows, 0.0);
      for (std::size_t i = 0; i < rows; ++i) {
        const double root = columns_.roots()[i];
        if (root != 0) scores[i] = -batch.residuals[columns_.place(i, k, batch.width)] / root;
      }
      own = logistic_->fit(scores);
    }
    const LogisticCheck::Fit& fit = k < batch.claims.size() ? own : logistic_->null_fit();
    batch.loss[k] = fit.loss;
    for (std::size_t i = 0; i < rows; ++i) {
      const double root = columns_.roots()[i];
      const double r = root * fit.missed[i];
      batch.residuals[columns_.place(i, k, batch.width)] = root * r;
      batch.squared[k] += r * r;
      batch.totals[k] += root * r;
    }
  });
}

/// F(b) - D(s u) as docs/MODELS.md has it, u the residual and s at most 1.
SolutionCheck::Figures SolutionCheck::logistic_figures(const Batch& batch, std::size_t place, double lambda,
                                                       const PenaltySums& sums) const {
  const double steepest = steepest_of(batch, place, sums), l1 = lambda * l1_ratio_;
  const double s = steepest > l1 && !is_ridge() ? l1 / steepest : 1.0;
  const auto weighted = [&](std::size_t i) { return batch.residuals[columns_.place(i, place, batch.width)]; };
  Figures figures;
  figures.objective = batch.loss[place] + l1 * sums.l1 + 0.5 * batch.l2[place] * sums.squares;
  const double of_penalty = is_ridge() ? conjugate(batch, place, sums) : 0.5 * s * s * batch.l2[place] * sums.squares;
  const double dual = logistic_->dual(weighted, s) - of_penalty;
  // Not std::max, which makes 0 of what is not a number.
  figures.gap = figures.objective < dual ? 0.0 : figures.objective - dual;
  return figures;
}

}  // namespace strads::lasso
