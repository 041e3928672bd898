#include "lasso/check/check_solutions.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>

#include "strads/program/program.hpp"

namespace strads::lasso {
namespace {

constexpr double kAllowed = 1e-10;  ///< x F(0): so much may rounding make of a difference
/// The same for each standard deviation that a sparse column's mean is long.
constexpr double kRounding = 1e-14;
constexpr double kUnit = 32 * std::numeric_limits<double>::epsilon();  ///< a few roundings of each term
constexpr double kOfProduct = 1e-15;                                   ///< x ||y~||: rounding of a product

/// As many digits as tell two figures apart.
std::string exact_digits(double value) {
  return short_text(value, 12);
}

/// Messages and data say different things of `what`.
Status refused(const std::string& what, double claimed, double found, const char* what_to_do) {
  return Status::internal("check of the solutions: the messages of this run say " + what + " " + exact_digits(claimed) +
                          ", the data " + exact_digits(found) +
                          ": this is a bug or a forged message; nothing of it was written. " + what_to_do);
}

}  // namespace

/// What rounding may make of a solution's objective and of its gap.
struct SolutionCheck::Rounding {
  double objective = 0, gap = 0;
};

double SolutionCheck::allowed() const {
  return std::max(kAllowed, kRounding * problem_.flattest());
}

double SolutionCheck::rounding_of_loss(const FamilyCheck::Reach& reach) const {
  const double largest = std::max(1.0, reach.largest), off = kUnit * largest;
  return std::sqrt(problem_.columns().weight()) * reach.terms * (off * off + reach.residual * largest);
}

/// The coefficients are numbers of variables that take part, in order.
Status SolutionCheck::acceptable(const Solution& claim) const {
  const bool nonnegative = problem_.penalty(0).nonnegative;
  for (std::size_t k = 0; k < claim.variables.size(); ++k) {
    const VarId j = claim.variables[k];
    const double b = claim.standardized[k];
    const bool known = j < problem_.facts().size() && (k == 0 || claim.variables[k - 1] < j) && problem_.takes_part(j);
    if (known && std::isfinite(b) && !(nonnegative && b < 0)) continue;
    return Status::internal("check of the solutions: " + name_of(claim) + " has a coefficient of " + exact_digits(b) +
                            " for variable " + std::to_string(std::uint64_t{j} + 1) +
                            ", which cannot be: this is a bug or a forged message; nothing was written. " + kAdvice);
  }
  return {};
}

/// A lambda_max of 0 says that no column pulls. Where that is so another one is rounding too, as ours is.
bool SolutionCheck::is_other_lambda_max(double claimed) const {
  if (claimed == 0) return passes_.pulls();
  // Products are differences of what the response was before covariates and predictions were taken from it.
  const FamilyCheck::Reach& reach = problem_.family().null_fit().point.reach;
  const double rounding = problem_.is_unit()
                              ? kOfProduct * (1 + problem_.level()) * std::max(1.0, problem_.flattest()) *
                                    std::max(reach.terms, reach.before)
                              : 0;
  return passes_.pulls() && !(std::abs(claimed - lambda_max()) <= allowed() * lambda_max() + rounding);
}

/// Each term of a predictor or residual is rounded, so that it is off by kUnit sum_j (|x~_ij| + |mu_j / s_j|) |b_j|:
/// its length e is what terms that cancel leave. Losses move by |r| e, products with columns by |x~| e, and the dual
/// point, which is shortened to l1 / max |h|, by a share of (|x~| e) / l1. That share of F and of the penalty is what
/// the gap may be off by: where l1 is no larger than rounding of a product it is all of it.
SolutionCheck::Rounding SolutionCheck::rounding_of(const Solution& claim, const Figures& own) const {
  const PlainColumns& columns = problem_.columns();
  const FamilyCheck::Reach& reach = own.reach;
  const PlainPenalty penalty = problem_.penalty(claim.lambda);
  const std::size_t rows = columns.rows();
  std::vector<double> terms(rows), x(rows);
  double longest = problem_.is_unit() ? 1.0 : 0.0;
  for (std::size_t k = 0; k < claim.variables.size(); ++k) {
    const VarId j = claim.variables[k];
    const PlainColumns::Facts& facts = problem_.facts()[j];
    const double size = std::abs(claim.standardized[k]), level = std::abs(columns.level(facts));
    double squares = 0;
    std::fill(x.begin(), x.end(), 0.0);
    if (columns.is_sparse()) {
      columns.for_each_entry(j, facts, 0, rows, [&x](std::size_t row, double value) { x[row] = value; });
    } else {
      columns.decode(j, facts, 0, rows, x.data());
    }
    for (std::size_t i = 0; i < rows; ++i) {
      squares += x[i] * x[i];
      terms[i] += (std::abs(x[i]) + 2 * level * columns.roots()[i]) * size;
    }
    longest = std::max(longest, std::sqrt(squares));
  }
  double squares = 0;
  for (std::size_t i = 0; i < rows; ++i) {
    terms[i] += problem_.family().size_of(i, reach);
    squares += terms[i] * terms[i];
  }
  const double before = problem_.family().null_fit().point.reach.before,
               error = kUnit * std::max(1.0, problem_.flattest()) * (std::sqrt(squares) + before),
               terms_length = std::max(reach.length, reach.terms);
  Rounding rounding;
  rounding.objective = reach.length * error + reach.steepest * error * error + kUnit * std::abs(own.objective);
  rounding.objective += reach.residual * terms_length * reach.largest * std::sqrt(columns.weight());
  const double of_product = longest * (reach.steepest * error + kUnit * (1 + problem_.level()) * terms_length);
  rounding.gap = 2 * rounding.objective;
  if (penalty.is_ridge()) {
    const double conjugate = static_cast<double>(problem_.facts().size()) * of_product * of_product / penalty.l2;
    rounding.gap += conjugate + 2 * std::sqrt(own.gap * conjugate);
    return rounding;
  }
  const double l1 = penalty.l1 * problem_.least_factor(), share = l1 > of_product ? of_product / l1 : 1.0;
  rounding.gap += 2 * share * (std::abs(own.objective) + penalty.l1 * problem_.sums(claim).norm);
  return rounding;
}

SolutionCheck::Finding SolutionCheck::compared(const Solution& claim, const Figures& own) const {
  Finding finding{
      .objective = claim.certificate.objective, .gap = claim.certificate.gap, .loss = own.loss, .reach = own.reach};
  const double whole = std::max(0.5 * response_squared(), std::abs(own.objective));
  const double allowed = this->allowed() * whole;
  const double of_objective = std::abs(claim.certificate.objective - own.objective),
               of_gap = std::abs(claim.certificate.gap - own.gap);
  if (!(of_objective <= allowed) || !(of_gap <= allowed)) {
    const Rounding rounding = rounding_of(claim, own);
    if (!(of_objective <= std::max(allowed, rounding.objective))) {
      finding.status =
          refused("of " + name_of(claim) + " an objective of", claim.certificate.objective, own.objective, kAdvice);
    } else if (!(of_gap <= std::max(allowed, rounding.gap))) {
      finding.status = refused("of " + name_of(claim) + " a duality gap of", claim.certificate.gap, own.gap, kAdvice);
    }
    finding.objective = own.objective;
  }
  // The claim is a sum of terms that are not negative, what is found here a difference.
  const double of_terms =
      std::max(own.reach.length, own.reach.terms) * own.reach.largest * std::sqrt(problem_.columns().weight());
  if (own.gap > claim.certificate.gap + kUnit * (std::abs(own.objective) + of_terms)) finding.gap = own.gap;
  return finding;
}

Result<std::vector<SolutionCheck::Finding>> SolutionCheck::examine(const ProblemClaim& problem,
                                                                   std::span<const Solution> claims) {
  std::vector<Finding> findings(claims.size());
  std::vector<Solution> sound;  // whose figures can be recomputed
  std::vector<std::size_t> places;
  for (std::size_t k = 0; k < claims.size(); ++k) {
    std::vector<VarId> there;
    std::copy_if(claims[k].variables.begin(), claims[k].variables.end(), std::back_inserter(there),
                 [this](VarId j) { return j < problem_.facts().size(); });
    problem_.learn(there, chunks_);
    findings[k].status = acceptable(claims[k]);
    if (!findings[k].status.ok()) continue;
    sound.push_back(claims[k]);
    places.push_back(k);
  }
  const std::vector<Figures> own = recompute(sound);
  const double rounding = rounding_of_loss(problem_.family().null_fit().point.reach),
               of_null = std::abs(problem.response_squared - response_squared());
  if (!(of_null <= std::max(allowed() * std::abs(response_squared()), rounding))) {
    return refused(problem_.is_squares() ? "y'y" : "2 F(0)", problem.response_squared, response_squared(), kAdvice);
  }
  if (is_other_lambda_max(problem.lambda_max)) {
    return refused("lambda_max", problem.lambda_max, lambda_max(), kAdvice);
  }
  for (std::size_t k = 0; k < sound.size(); ++k) findings[places[k]] = compared(sound[k], own[k]);
  return findings;
}

Status SolutionCheck::compare(const ProblemClaim& problem, std::span<const Solution> claims) {
  auto findings = examine(problem, claims);
  if (!findings.ok()) return findings.status();
  for (Finding& finding : findings.value()) {
    if (!finding.status.ok()) return std::move(finding.status);
  }
  return {};
}

}  // namespace strads::lasso
