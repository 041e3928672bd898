// Logistic regressions of made-up classes, whose certificates are compared with the plain one.
#pragma once

#include "lasso/check/dense_problem.hpp"
#include "plain_lasso.hpp"

namespace strads::lasso {

/// random_content() with a response of 0 and 1: above its median or not, some of them the other way round.
inline Content random_classes(const Recipe& recipe) {
  Content content = random_content(recipe);
  Vector sorted = content.response;
  std::nth_element(sorted.begin(), sorted.begin() + static_cast<std::ptrdiff_t>(sorted.size() / 2), sorted.end());
  const double median = sorted[sorted.size() / 2];
  for (std::size_t i = 0; i < content.response.size(); ++i) {
    const bool above = content.response[i] > median;
    content.response[i] = above != (i % 7 == 3) ? 1.0 : 0.0;
  }
  return content;
}

/// Fits, and compares what the judge says of the solution with the plain certificate, which bounds how far it is from
/// the optimum.
inline Fit check_logistic(const Content& content, LassoOptions options, const EngineOptions& engine = {}) {
  options.family = Family::binomial;
  const auto dataset = dataset_of(content);
  Fit result = fit(dataset, options, engine);
  if (!result.run.end.status.ok()) return result;
  const DenseProblem plain(dataset, options);
  const PlainCertificate found = plain.certificate(result.beta(), plain.penalty(result.solution.lambda));
  EXPECT_NEAR(result.solution.problem.lambda_max, plain.lambda_max(), 1e-10 * plain.lambda_max());
  EXPECT_NEAR(result.certificate().objective, found.objective, 1e-11 * found.objective);
  EXPECT_NEAR(result.certificate().gap, found.gap, 1e-10 * found.objective);
  EXPECT_LE(found.gap, 1.001 * options.tolerance * found.objective);
  EXPECT_LE(result.certificate().relative_gap, options.tolerance);
  EXPECT_EQ(result.run.end.stop_reason, "converged");
  return result;
}

}  // namespace strads::lasso
