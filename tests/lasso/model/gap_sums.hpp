// The sums of a duality gap at some coefficients of a problem by the book.
#pragma once

#include <cstdint>

#include "lasso/problem/certificate.hpp"
#include "lasso/run/plain_lasso.hpp"
#include "strads/base/random.hpp"

namespace strads::lasso {

/// The first five between -0.1 and 0.1, the others 0.
inline Vector some_coefficients(const PlainProblem& problem, std::uint64_t seed) {
  CounterRng random(seed, Purpose::tests, 1);
  Vector beta(problem.x.size(), 0.0);
  for (std::size_t j = 0; j < 5; ++j) beta[j] = 0.2 * (random.unit() - 0.5);
  return beta;
}

inline GapParts gap_sums(const PlainProblem& problem, const Vector& beta, double lambda) {
  const Vector r = problem.residual(beta);
  GapParts parts;
  parts.residual_squared = plain_dot(r, r);
  for (std::size_t j = 0; j < beta.size(); ++j) {
    parts.add(beta[j], plain_dot(problem.x[j], r), {problem.l1(lambda, j), problem.l2(lambda, j), problem.factor(j)});
  }
  return parts;
}

}  // namespace strads::lasso
