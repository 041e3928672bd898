// SolutionCheck: what rounding may make of a solution's figures, so that a miss by rounding is told from a wrong
// message. Formulas: docs/DESIGN.md, "Certificate".
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "lasso/check/check_batch.hpp"
#include "strads/program/program.hpp"

namespace strads::lasso {
namespace {

constexpr double kUnit = 32 * std::numeric_limits<double>::epsilon();  ///< a few roundings of each term

}  // namespace

std::string exact_digits(double value) {
  return short_text(value, 12);
}

Status refused(const std::string& what, double claimed, double found) {
  return Status::internal("check of the solutions: the messages of this run say " + what + " " + exact_digits(claimed) +
                          ", the data " + exact_digits(found) +
                          ": this is a bug or a forged message; nothing of it was "
                          "written. " +
                          kWhatToDo);
}

double rounding_of_loss(const PredictorCheck::Reach& reach, double weight) {
  const double largest = std::max(1.0, reach.largest), off = kUnit * largest;
  return std::sqrt(weight) * reach.terms * (off * off + reach.residual * largest);
}

/// Each term of a predictor or residual is rounded, so that it is off by kUnit sum_j (|x~_ij| + |mu_j / s_j|) |b_j|:
/// its length e is what terms that cancel leave. Losses move by |r| e, products with columns by |x~| e, and the dual
/// point, which is shortened to l1 / max |h|, by a share of (|x~| e) / l1. That share of F and of the penalty is what
/// the gap may be off by: where l1 is no larger than rounding of a product it is all of it.
SolutionCheck::Rounding SolutionCheck::rounding_of(const Solution& claim, const Figures& own) const {
  const std::size_t rows = columns_.rows();
  std::vector<double> terms(rows), x(rows);
  double longest = unit_ ? 1.0 : 0.0, l1_norm = 0;
  for (std::size_t k = 0; k < claim.variables.size(); ++k) {
    const VarId j = claim.variables[k];
    const double size = std::abs(claim.standardized[k]), level = std::abs(columns_.level(facts_[j]));
    double squares = 0;
    std::fill(x.begin(), x.end(), 0.0);
    if (columns_.is_sparse()) {
      columns_.for_each_entry(j, facts_[j], 0, rows, [&x](std::size_t row, double value) { x[row] = value; });
    } else {
      columns_.decode(j, facts_[j], 0, rows, x.data());
    }
    for (std::size_t i = 0; i < rows; ++i) {
      squares += x[i] * x[i];
      terms[i] += (std::abs(x[i]) + 2 * level * columns_.roots()[i]) * size;
    }
    longest = std::max(longest, std::sqrt(squares));
    l1_norm += factor(j) * size;
  }
  double squares = 0;
  for (std::size_t i = 0; i < rows; ++i) {
    terms[i] += beside_ ? own.reach.largest * columns_.roots()[i] : std::abs(response_[i]);
    squares += terms[i] * terms[i];
  }
  const PredictorCheck::Reach& reach = own.reach;
  const double error = kUnit * std::max(1.0, flattest_) * (std::sqrt(squares) + response_length_),
               length = beside_ ? reach.length : std::sqrt(2 * own.loss), terms_length = std::max(length, reach.terms);
  Rounding rounding;
  rounding.objective = length * error + reach.steepest * error * error + kUnit * std::abs(own.objective);
  if (beside_) rounding.objective += reach.residual * terms_length * reach.largest * std::sqrt(columns_.weight());
  const double of_product = longest * (reach.steepest * error + kUnit * (1 + level_) * terms_length);
  rounding.gap = 2 * rounding.objective;
  if (is_ridge()) {
    const double conjugate = static_cast<double>(facts_.size()) * of_product * of_product / l2_of(claim.lambda);
    rounding.gap += conjugate + 2 * std::sqrt(own.gap * conjugate);
    return rounding;
  }
  double least = factors_.empty() ? 1.0 : std::numeric_limits<double>::infinity();
  for (const double one : factors_) least = one > 0 ? std::min(least, one) : least;
  const double l1 = claim.lambda * l1_ratio_ * (std::isfinite(least) ? least : 1.0),
               share = l1 > of_product ? of_product / l1 : 1.0;
  rounding.gap += 2 * share * (std::abs(own.objective) + claim.lambda * l1_ratio_ * l1_norm);
  return rounding;
}

SolutionCheck::Finding SolutionCheck::compared(const Solution& claim, const Figures& own) const {
  Finding finding{
      .objective = claim.certificate.objective, .gap = claim.certificate.gap, .loss = own.loss, .reach = own.reach};
  const double whole = std::max(0.5 * response_squared_, std::abs(own.objective));
  const double allowed = std::max(kAllowed, kRounding * flattest_) * whole;
  const double of_objective = std::abs(claim.certificate.objective - own.objective),
               of_gap = std::abs(claim.certificate.gap - own.gap);
  if (!(of_objective <= allowed) || !(of_gap <= allowed)) {
    const Rounding rounding = rounding_of(claim, own);
    if (!(of_objective <= std::max(allowed, rounding.objective))) {
      finding.status = refused("of " + name_of(claim) + " an objective of", claim.certificate.objective, own.objective);
    } else if (!(of_gap <= std::max(allowed, rounding.gap))) {
      finding.status = refused("of " + name_of(claim) + " a duality gap of", claim.certificate.gap, own.gap);
    }
    finding.objective = own.objective;
  }
  // The claim is a sum of terms that are not negative, what is found here a difference.
  const double of_rows = std::max(own.reach.length, own.reach.terms) * own.reach.largest * std::sqrt(columns_.weight()),
               of_terms = beside_ ? of_rows : std::sqrt(2 * own.loss) * std::sqrt(response_squared_);
  if (own.gap > claim.certificate.gap + kUnit * (std::abs(own.objective) + of_terms)) finding.gap = own.gap;
  return finding;
}

}  // namespace strads::lasso
