// The elastic net of two classes, and where its path ends, against numbers of glmnet 4.1-6 (thresh = 1e-22), of
//   i <- 0:23; x <- cbind((7 * i) %% 12, (i * i) %% 11, (5 * i) %% 7); y <- as.numeric((i * i + 3 * i) %% 5 < 2)
#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "plain_lasso.hpp"

namespace strads::lasso {
namespace {

Content glmnet_example() {
  Content content;
  content.columns.resize(3);
  for (int i = 0; i < 24; ++i) {
    content.columns[0].push_back((7 * i) % 12);
    content.columns[1].push_back((i * i) % 11);
    content.columns[2].push_back((5 * i) % 7);
    content.response.push_back((i * i + 3 * i) % 5 < 2 ? 1 : 0);
  }
  return content;
}

/// glmnet(x, y, family = "binomial", alpha, standardize, lambda = 0.05).
struct OfGlmnet {
  bool standardize;
  double alpha;
  std::array<double, 4> coefficients;  ///< the intercept first
  double lambda_max;
};

TEST(ClassesNet, HasTheCoefficientsOfGlmnet) {
  for (const OfGlmnet& known :
       {OfGlmnet{true,
                 0.5,
                 {0.410604683318090, 0.082340964132474, -0.195928760300752, -0.175367710041871},
                 0.32078474167964},
        {true, 0.1, {0.448939247190299, 0.101959967503675, -0.211703596444840, -0.208680923276029}, 1.6039237083982},
        {false, 0.5, {0.579599340219438, 0.126561674913501, -0.259533146135110, -0.247698041426779}, 0.923611111111111},
        {false,
         0.1,
         {0.634938378264374, 0.137933522667951, -0.273818633836610, -0.273266291977435},
         4.61805555555556}}) {
    LassoOptions options;
    options.family = Family::binomial;
    options.scale = known.standardize;
    options.l1_ratio = known.alpha;
    options.tolerance = 1e-15;
    options.lambda_scale = LambdaScale::unit;
    const double per_glmnet = known.standardize ? std::sqrt(24.0) : 24.0;
    options.lambda = 0.05 * per_glmnet;
    const Fit found = fit(dataset_of(glmnet_example()), options);
    EXPECT_NEAR(found.solution.problem.lambda_max / per_glmnet, known.lambda_max, 1e-13 * known.lambda_max);
    const Solution original = original_scale(*found.data, found.solution);
    ASSERT_EQ(original.coefficients.size(), 3U);
    EXPECT_NEAR(original.intercept, known.coefficients[0], 1e-7);
    for (std::size_t j = 0; j < 3; ++j) EXPECT_NEAR(original.coefficients[j], known.coefficients[j + 1], 1e-7);
  }
}

TEST(ClassesNet, GoesToRidgeAtTheSameLambdaOfGlmnetAsTheRatioFalls) {
  LassoOptions options;
  options.family = Family::binomial;
  options.tolerance = 1e-13;
  options.lambda_scale = LambdaScale::unit;
  options.l1_ratio = 0;
  options.lambda = 0.2;
  const Vector ridge = fit(dataset_of(glmnet_example()), options).beta();
  options.l1_ratio = 1e-7;
  options.lambda = 0.2 * std::sqrt(24.0);
  const Vector near_ridge = fit(dataset_of(glmnet_example()), options).beta();
  for (std::size_t j = 0; j < 3; ++j) EXPECT_NEAR(ridge[j], near_ridge[j], 1e-5);
}

/// glmnet ends after 51 of 100 lambdas; by the explained deviance, 0.155 of the null one, it would be 61.
TEST(ClassesPath, EndsWhereGlmnetsEnds) {
  LassoOptions options;
  options.family = Family::binomial;
  options.tolerance = 1e-12;
  options.path.count = 100;
  std::size_t count = 0;
  const auto data = prepare_lasso(dataset_of(glmnet_example()), options).value();
  const auto model = make_lasso_model(data, options, [&](const Solution& point) { count = point.index + 1; });
  EXPECT_TRUE(run_embedded(model, {}, {.threads = 1}, nullptr, nullptr).end.certificate.converged);
  EXPECT_EQ(count, 51U);
}

TEST(Growth, OfClassesIsAShareOfTheNullDeviance) {
  const std::vector<double> lambdas{8, 7, 6, 5, 4, 3, 2, 1};
  for (const Growth growth : {Growth::of_explained, Growth::of_null}) {
    LassoPath path(lambdas, growth);
    for (int k = 0; k < 5; ++k) path.advance(0.1);
    EXPECT_EQ(path.ends_at(0.1 + 5e-6), growth == Growth::of_null);
    EXPECT_TRUE(path.ends_at(0.1 + 5e-7));
  }
}

}  // namespace
}  // namespace strads::lasso
