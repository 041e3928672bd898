#include "lasso/check/checked_problem.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace strads::lasso {
namespace {

constexpr PlainColumns::Facts kUnknown{0, -1};
constexpr double kDependent = 1e-10;  ///< of the length of a covariate: less gives no direction of its own
constexpr double kCollinear = 1e-10;  ///< of ||x~_j||^2: less than this is left by the covariates
/// lambda_max of ridge is that of this l1 ratio on glmnet's scale, where columns have norm sqrt(W).
constexpr double kRidgeRatio = 0.001;

double product(std::span<const double> a, std::span<const double> b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

}  // namespace

CheckedProblem::CheckedProblem(std::shared_ptr<const Dataset> dataset, const LassoOptions& options)
    : dataset_(std::move(dataset)),
      columns_(dataset_->columns(), options.center, options.scale),
      squares_(options.family->is_squares()),
      unit_(options.scale),
      nonnegative_(options.nonnegative),
      l1_ratio_(options.l1_ratio),
      factors_(dataset_->penalty_factors().begin(), dataset_->penalty_factors().end()),
      facts_(dataset_->columns().columns, kUnknown),
      collinear_(facts_.size(), Collinear::unknown) {
  find_unpenalised(options.intercept);
  family_ = family_check(options.family, {.response = dataset_->response(),
                                          .offset = dataset_->offset(),
                                          .columns = columns_,
                                          .directions = basis_,
                                          .center = options.center,
                                          .center_y = options.center_y,
                                          .scale_y = options.scale_y});
}

/// Everything that has no penalty: covariates, variables with a penalty factor of 0 and, of losses of the predictor,
/// the intercept.
void CheckedProblem::find_unpenalised(bool intercept) {
  const auto roots = columns_.roots();
  if (!squares_ && intercept) add_direction({roots.begin(), roots.end()}, std::sqrt(columns_.weight()));
  for (const std::vector<double>& covariate : dataset_->covariates()) {
    std::vector<double> v = covariate;
    double largest = 0;
    for (std::size_t i = 0; i < v.size(); ++i) {
      if (roots[i] != 0) largest = std::max(largest, std::abs(v[i]));
    }
    if (largest > 0) {
      for (double& value : v) value = std::ldexp(value, -std::ilogb(largest));
    }
    const PlainColumns::Mean mean = !squares_ && !intercept ? PlainColumns::Mean{} : columns_.mean_of(v);
    double raw = 0;
    for (std::size_t i = 0; i < v.size(); ++i) {
      raw += roots[i] == 0 ? 0.0 : roots[i] * v[i] * roots[i] * v[i];
      v[i] = roots[i] == 0 ? 0.0 : roots[i] * mean.off(v[i]);
    }
    add_direction(std::move(v), std::sqrt(raw));
  }
  for (VarId j = 0; j < factors_.size(); ++j) {
    if (factors_[j] != 0 || columns_.is_excluded(j)) continue;
    const Facts facts = columns_.facts_of(j);
    if (!facts.takes_part()) continue;
    projected_.resize(facts_.size(), 0);
    projected_[j] = 1;
    std::vector<double> v = column(j, facts);
    const double length = std::sqrt(product(v, v));
    add_direction(std::move(v), length);
  }
}

std::vector<double> CheckedProblem::column(VarId j, const Facts& facts) const {
  std::vector<double> x(columns_.rows(), 0.0);
  if (!columns_.is_sparse()) {
    columns_.decode(j, facts, 0, x.size(), x.data());
    return x;
  }
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = -columns_.roots()[i] * columns_.level(facts);
  columns_.for_each_entry(j, facts, 0, x.size(), [&x](std::size_t row, double value) { x[row] += value; });
  return x;
}

/// By Gram-Schmidt; nothing where earlier ones leave less than rounding.
void CheckedProblem::add_direction(std::vector<double> vector, double length_before) {
  for (int twice = 0; twice < 2; ++twice) {
    for (const auto& q : basis_) {
      const double share = product(q, vector);
      for (std::size_t i = 0; i < vector.size(); ++i) vector[i] -= share * q[i];
    }
  }
  const double length = std::sqrt(product(vector, vector));
  if (!(length > kDependent * length_before)) return;
  flattest_ = std::max(flattest_, length_before / length);
  for (double& value : vector) value /= length;
  basis_.push_back(std::move(vector));
}

/// Losses of the predictor have glmnet's elastic net, of columns of variance 1, whose squares are W times as long as
/// those of ours.
PlainPenalty CheckedProblem::penalty(double lambda) const {
  const double share = !squares_ && unit_ && !is_ridge() ? 1 / std::sqrt(columns_.weight()) : 1.0;
  return {lambda * l1_ratio_, lambda * (1 - l1_ratio_) * share, nonnegative_};
}

double CheckedProblem::least_factor() const {
  double least = std::numeric_limits<double>::infinity();
  for (const double one : factors_) least = one > 0 ? std::min(least, one) : least;  // 0: projected out
  return std::isfinite(least) ? least : 1.0;
}

double CheckedProblem::lambda_max(double steepest) const {
  return steepest / (is_ridge() ? kRidgeRatio * (squares_ ? 1.0 : std::sqrt(columns_.weight())) : l1_ratio_);
}

PlainSums CheckedProblem::sums(const Solution& claim) const {
  PlainSums sums;
  for (std::size_t k = 0; k < claim.variables.size(); ++k) sums.add(claim.standardized[k], factor(claim.variables[k]));
  return sums;
}

void CheckedProblem::learn(VarId begin, VarId end) {
  for (VarId j = begin; j < end; ++j) {
    if (facts_[j].divisor != kUnknown.divisor) continue;
    const bool is_out = columns_.is_excluded(j) || (!projected_.empty() && projected_[j] != 0);
    facts_[j] = is_out ? Facts{} : columns_.facts_of(j);
  }
}

void CheckedProblem::learn(std::span<const VarId> variables, Chunks& chunks) {
  std::vector<VarId> unknown;
  for (const VarId j : variables) {
    if (facts_[j].divisor == kUnknown.divisor) unknown.push_back(j);
  }
  std::sort(unknown.begin(), unknown.end());
  unknown.erase(std::unique(unknown.begin(), unknown.end()), unknown.end());
  chunks.for_each(unknown.size(), [&](std::size_t k) { learn(unknown[k], unknown[k] + 1); });
}

bool CheckedProblem::may_be_collinear(std::span<const double> products, std::span<const double> squared) const {
  if (!squares_ || basis_.empty()) return false;  // nothing is projected out of columns
  for (std::size_t k = 0; unit_ && k < products.size(); ++k) {
    if (products[k] * products[k] > 4 * kCollinear * squared[k]) return false;
  }
  return true;
}

bool CheckedProblem::is_collinear(VarId j) {
  if (!squares_ || basis_.empty()) return false;
  if (collinear_[j] == Collinear::unknown) {
    const std::vector<double> x = column(j, facts_[j]);
    const double before = product(x, x);
    double shares = 0;
    for (const auto& q : basis_) shares += std::pow(product(q, x), 2);
    collinear_[j] = before - shares < kCollinear * before ? Collinear::yes : Collinear::no;
  }
  return collinear_[j] == Collinear::yes;
}

/// What was learned of the columns on the way.
void CheckedProblem::note_facts() {
  const double root = std::sqrt(columns_.weight());
  lost_.clear();
  for (VarId j = 0; j < facts_.size(); ++j) {
    if (facts_[j].lost()) lost_.push_back(j);
    if (!takes_part(j)) continue;
    const double level = root * std::abs(columns_.level(facts_[j]));
    level_ = std::max(level_, level);
    // The mean is subtracted from a sum over the entries, whose rounding it does not know.
    if (columns_.is_sparse()) flattest_ = std::max(flattest_, level);
  }
}

}  // namespace strads::lasso
