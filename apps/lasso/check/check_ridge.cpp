// SolutionCheck: ridge, whose gap is F(b) - D(r) at the residual itself. Its dual has the conjugate of the squares, to
// which every column brings a part. And responses that no column explains, whose solutions are 0 at every lambda.
#include <algorithm>
#include <cmath>

#include "lasso/check/check_batch.hpp"

namespace strads::lasso {
namespace {

constexpr double kExplainedShare = 1e-9;  ///< of ||y~||: less is left by what has no penalty: nothing
/// x ||x~_j|| ||y~||: a product that may be rounding of 0, somewhat more than the solver takes for it; of losses of
/// the predictor, whose fit without variables has rounding of its own.
constexpr double kNoPull = 4e-14, kNoPullFit = 4e-13;
constexpr double kOfProduct = 1e-15;     ///< x ||y~||: rounding of a product
constexpr double kNoPullOfMean = 4e-15;  ///< x ||mu_j / s_j|| ||y~||

}  // namespace

void SolutionCheck::standardise_response() {
  const auto y = dataset_->response();
  response_.assign(y.begin(), y.end());
  double largest = 0;
  for (std::size_t i = 0; i < response_.size(); ++i) {
    if (columns_.roots()[i] != 0) largest = std::max(largest, std::abs(response_[i]));
  }
  const int exponent = scale_y_ && largest > 0 ? std::ilogb(largest) : 0;
  for (double& value : response_) value = std::ldexp(value, -exponent);
  const PlainColumns::Mean mean = center_y_ ? columns_.mean_of(response_) : PlainColumns::Mean{};
  for (std::size_t i = 0; i < response_.size(); ++i) {
    const double root = columns_.roots()[i];
    response_[i] = root == 0 ? 0.0 : root * mean.off(response_[i]);
  }
  const auto length = [this] {
    double squares = 0;
    for (const double value : response_) squares += value * value;
    return std::sqrt(squares);
  };
  const double before = length();
  if (before == 0) return;  // a constant: nothing is left of it
  if (scale_y_) {
    response_norm_ = std::ldexp(before, exponent);
    for (double& value : response_) value /= before;
  }
  response_length_ = scale_y_ ? 1.0 : before;
  for (int twice = 0; twice < 2; ++twice) {
    for (const auto& q : basis_) {
      double share = 0;
      for (std::size_t i = 0; i < response_.size(); ++i) share += q[i] * response_[i];
      for (std::size_t i = 0; i < response_.size(); ++i) response_[i] -= share * q[i];
    }
  }
  const double left = length();
  if (!basis_.empty() && !(left > kExplainedShare * (scale_y_ ? 1.0 : before))) {
    std::fill(response_.begin(), response_.end(), 0.0);
    return;
  }
  response_squared_ = 0;
  for (const double value : response_) response_squared_ += value * value;
}

/// Looks whether one of these columns explains any of the response.
void SolutionCheck::look_for_pull(const Batch& batch, VarId begin, VarId end, std::span<const double> products) {
  const double length = std::max(std::sqrt(batch.squared[batch.response]), batch.reach[batch.response].terms),
               share = beside_ ? kNoPullFit : kNoPull;
  for (VarId j = begin; j < end && !pulls_.load(std::memory_order_relaxed); ++j) {
    if (!takes_part(j)) continue;
    double own = 1;
    if (!unit_) {
      own = 0;
      for (const double value : column(j, facts_[j])) own += value * value;
      own = std::sqrt(own);
    }
    const double mean = center_ ? std::sqrt(columns_.weight()) * std::abs(columns_.level(facts_[j])) : 0.0;
    const double pulled = pull(products[std::size_t{j - begin} * batch.width + batch.response]);
    if (pulled <= (share * own + kNoPullOfMean * mean) * length || is_known_collinear(j)) continue;
    pulls_.store(true, std::memory_order_relaxed);
  }
}

/// max pull(h_j) / f_j of a solution; of zeros, where no column pulls, what is computed of it is rounding.
double SolutionCheck::steepest_of(const Batch& batch, std::size_t place, const PenaltySums& sums) const {
  return sums.l1 == 0 && !pulls_.load(std::memory_order_relaxed) ? 0.0 : batch.steepest[place];
}

/// A lambda_max of 0 says that no column pulls. Where that is so another one is rounding too, as ours is.
bool SolutionCheck::is_other_lambda_max(double claimed, double allowed) const {
  const bool pulls = pulls_.load(std::memory_order_relaxed);
  if (claimed == 0) return pulls;
  // Products are differences of what the response was before covariates and predictions were taken from it.
  const double length = beside_ ? predictor_->null_fit().reach.terms : response_length_;
  const double rounding = unit_ ? kOfProduct * (1 + level_) * std::max(1.0, flattest_) * length : 0;
  return pulls && !(std::abs(claimed - lambda_max_) <= allowed * lambda_max_ + rounding);
}

/// Of ridge: g_j^2 / f_j of every column, which the conjugate of its penalty is made of.
void SolutionCheck::add_products(const Batch& batch, VarId begin, VarId end, std::span<const double> products,
                                 ByPlace& sums) {
  for (VarId j = begin; j < end; ++j) {
    if (!takes_part(j)) continue;
    const auto g = products.subspan(std::size_t{j - begin} * batch.width, batch.width);
    if (may_be_collinear(batch, g) && is_known_collinear(j)) continue;
    for (std::size_t k = 0; k < batch.width; ++k) sums[k] += g[k] * g[k] / factor(j);
  }
}

/// What covariates leave nothing of has next to no product with a residual: only such a column is asked about.
bool SolutionCheck::may_be_collinear(const Batch& batch, std::span<const double> products) const {
  if (beside_ || basis_.empty()) return false;  // nothing is projected out
  for (std::size_t k = 0; unit_ && k < products.size(); ++k) {
    if (products[k] * products[k] > 4 * kCollinear * batch.squared[k]) return false;
  }
  return true;
}

/// What lambda (1 - l1 ratio) weighs squares with. Losses of the predictor have glmnet's elastic net: columns of
/// variance 1, whose squares are W times as long as those of ours.
double SolutionCheck::squares_share() const {
  return beside_ && unit_ && !is_ridge() ? 1 / std::sqrt(columns_.weight()) : 1.0;
}

/// sum g_j^2 / (2 E_j).
double SolutionCheck::conjugate(const Batch& batch, std::size_t place, const PenaltySums& sums) const {
  if (sums.l1 == 0 && !pulls_.load(std::memory_order_relaxed)) return 0;
  return batch.products[place] / (2 * batch.l2[place]);
}

}  // namespace strads::lasso
