// Solutions of small problems: by hand, by brute force, and by their conditions of optimality.
#include <gtest/gtest.h>

#include <string>

#include "strads/base/chunks.hpp"
#include "svm/check/check_svm.hpp"
#include "svm/made_up_samples.hpp"

namespace strads::svm {
namespace {

using made_up::data_of;
using made_up::kkt_of;
using made_up::random_data;
using made_up::solve;

constexpr double kTight = 1e-12;

SvmOptions options_of(Loss loss, double cost, double bias = 0, double tolerance = kTight) {
  return {.loss = loss, .cost = cost, .bias = bias, .tolerance = tolerance, .policies = {}};
}

TEST(SolveSvm, TwoSamplesThatTheMarginSeparates) {
  // x = 2 against x = -2: w = 1/2 has both margins 1. f(a) = 2 (a1 + a2)^2 - (a1 + a2): a1 + a2 = 1/4.
  const auto data = data_of({{2}, {-2}}, {1, 0});
  const SvmSolution solution = solve(data, options_of(Loss::hinge, 1));
  EXPECT_NEAR(solution.weights[0], 0.5, 1e-12);
  EXPECT_NEAR(solution.alpha[0] + solution.alpha[1], 0.25, 1e-12);
  EXPECT_NEAR(solution.primal[0], 0.125, 1e-12);
  EXPECT_NEAR(solution.dual[0], 0.125, 1e-12);
}

TEST(SolveSvm, ASmallCostStopsAtTheBound) {
  // C = 0.05: both at the bound, w = 2 * 2 * 0.05.
  const auto data = data_of({{2}, {-2}}, {1, 0});
  const SvmSolution solution = solve(data, options_of(Loss::hinge, 0.05));
  EXPECT_DOUBLE_EQ(solution.weights[0], 0.2);
  EXPECT_EQ(solution.alpha, (std::vector<double>{0.05, 0.05}));
  EXPECT_NEAR(solution.primal[0], 0.02 + 2 * 0.05 * 0.6, 1e-15);
}

TEST(SolveSvm, SquaredHingeByHand) {
  // min 1/2 w^2 + 2 C (1 - 2 w)^2 with C = 1: w = 8 / 17.
  const auto data = data_of({{2}, {-2}}, {1, 0});
  const SvmSolution solution = solve(data, options_of(Loss::squared_hinge, 1));
  EXPECT_NEAR(solution.weights[0], 8.0 / 17, 1e-9);
  EXPECT_NEAR(solution.primal[0], 0.5 * 64 / 289 + 2.0 / 289, 1e-12);
}

TEST(SolveSvm, CopiesOfASampleAreOneOfTheirWeight) {
  const auto once = data_of({{1, 2}, {2, -1}, {-1, 1}}, {1, 0, 1});
  auto weighted = std::make_shared<SvmData>(*once);
  weighted->sample_weights = {3, 1, 1};
  const auto copies = data_of({{1, 2}, {1, 2}, {1, 2}, {2, -1}, {-1, 1}}, {1, 1, 1, 0, 1});
  for (const Loss loss : {Loss::hinge, Loss::squared_hinge}) {
    const SvmSolution left = solve(weighted, options_of(loss, 0.1, 1)), right = solve(copies, options_of(loss, 0.1, 1));
    EXPECT_NEAR(left.primal[0], right.primal[0], 1e-11);
    for (std::size_t j = 0; j < 2; ++j) EXPECT_NEAR(left.weights[j], right.weights[j], 1e-5);
  }
}

TEST(SolveSvm, ASampleOfZerosWithoutBiasCostsItsWholeLoss) {
  const auto data = data_of({{0.0}, {1}, {-1}}, {1, 1, 0});
  const SvmSolution solution = solve(data, options_of(Loss::hinge, 2));
  EXPECT_EQ(solution.alpha[0], 2);  // its bound: margin 0 whatever w is
  EXPECT_NEAR(solution.primal[0], 0.5 + 2, 1e-11);
}

TEST(SolveSvm, TheBiasIsAPenalisedFeature) {
  const auto data = random_data(5, {.samples = 30, .features = 3});
  auto longer = std::make_shared<SvmData>(*data);
  Rows rows{.features = 4, .begins = {0}, .index = {}, .values = {}};
  for (std::size_t i = 0; i < data->samples(); ++i) {
    for (std::uint64_t at = data->rows.begins[i]; at < data->rows.begins[i + 1]; ++at) {
      rows.index.push_back(data->rows.index[at]);
      rows.values.push_back(data->rows.values[at]);
    }
    rows.index.push_back(3);
    rows.values.push_back(2.5);
    rows.begins.push_back(rows.index.size());
  }
  longer->rows = rows;
  const SvmSolution own = solve(data, options_of(Loss::hinge, 1, 2.5)),
                    feature = solve(longer, options_of(Loss::hinge, 1));
  EXPECT_NEAR(own.primal[0], feature.primal[0], 1e-10);
  EXPECT_NEAR(own.bias[0], 2.5 * feature.weights[3], 1e-5);
}

/// The least primal objective on a grid that halves around the best point.
double brute_force(const SvmData& data, const SvmOptions& options) {
  double best = HUGE_VAL, at[2] = {0, 0};
  for (double width = 4; width > 1e-9; width *= 0.6) {
    const double center[2] = {at[0], at[1]};
    for (int a = -8; a <= 8; ++a) {
      for (int b = -8; b <= 8; ++b) {
        const double w[2] = {center[0] + a * width / 8, center[1] + b * width / 8};
        double value = 0.5 * (w[0] * w[0] + w[1] * w[1]);
        for (std::size_t i = 0; i < data.samples(); ++i) {
          double sum = 0;
          for (std::uint64_t e = data.rows.begins[i]; e < data.rows.begins[i + 1]; ++e) {
            sum += data.rows.values[e] * w[data.rows.index[e]];
          }
          const double lack = std::max(0.0, 1 - (data.labels[i] == 1 ? sum : -sum));
          value += options.cost * (options.loss == Loss::hinge ? lack : lack * lack);
        }
        if (value >= best) continue;
        best = value;
        at[0] = w[0];
        at[1] = w[1];
      }
    }
  }
  return best;
}

TEST(SolveSvm, AgreesWithBruteForceInTwoDimensions) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const auto data = random_data(seed, {.samples = 9, .features = 2, .density = 0.9});
    for (const Loss loss : {Loss::hinge, Loss::squared_hinge}) {
      const SvmOptions options = options_of(loss, 0.7);
      const SvmSolution solution = solve(data, options);
      const double searched = brute_force(*data, options);
      EXPECT_NEAR(solution.primal[0], searched, 1e-5 * searched) << "seed " << seed;
      EXPECT_LE(solution.primal[0], searched * (1 + 1e-11)) << "seed " << seed;
    }
  }
}

TEST(SolveSvm, MeetsTheConditionsOfOptimalityOnManyRandomProblems) {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    CounterRng random(seed, Purpose::tests, 1);
    const made_up::Shape shape{.samples = 4 + random.below(80),
                               .features = 1 + random.below(30),
                               .classes = static_cast<std::uint32_t>(2 + random.below(3)),
                               .density = 0.1 + 0.9 * random.unit(),
                               .noise = 2 * random.unit()};
    auto data = random_data(seed, shape);
    if (random.below(2) == 0) {
      for (std::size_t i = 0; i < data->samples(); ++i) data->sample_weights.push_back(0.1 + 3 * random.unit());
    }
    if (random.below(2) == 0) {
      for (std::uint32_t k = 0; k < data->classes; ++k) data->class_weights.push_back(0.2 + random.unit());
    }
    const Loss loss = random.below(2) == 0 ? Loss::hinge : Loss::squared_hinge;
    const double cost = std::pow(10.0, 3 * random.unit() - 2), bias = random.below(3) == 0 ? 0.0 : 1.0;
    const SvmOptions options = options_of(loss, cost, bias);
    const RunEnd end = made_up::run(data, options);
    ASSERT_TRUE(end.status.ok());
    ASSERT_EQ(end.stop_reason, "converged") << "seed " << seed;
    const SvmSolution solution = solution_of(*data, options, end);
    const auto kkt = kkt_of(*data, options, solution);
    EXPECT_LT(kkt.stationarity, 1e-4) << "seed " << seed;
    EXPECT_LT(kkt.complementarity, 1e-3) << "seed " << seed;
    SerialChunks serial;
    const SvmCheck found = check_solution(*data, options, solution, serial);
    EXPECT_TRUE(confirm(solution, found, *data, options).ok()) << "seed " << seed;
    EXPECT_LE(found.worst_gap, 2 * kTight) << "seed " << seed;
  }
}

TEST(SolveSvm, SolvesBadlyScaledFeatures) {
  // What scikit-learn's issue 22283 reports of LIBLINEAR: features of very different scales, and the objective stays
  // above its minimum. Dual coordinate descent alone needs millions of passes here.
  CounterRng random(1, Purpose::tests);
  std::vector<std::vector<double>> dense(200, std::vector<double>(5));
  std::vector<std::uint32_t> labels(200);
  for (std::size_t i = 0; i < dense.size(); ++i) {
    labels[i] = static_cast<std::uint32_t>(i % 2);
    for (std::size_t j = 0; j < 5; ++j) {
      const double scale = std::pow(10.0, static_cast<double>(j) - 1);
      dense[i][j] = scale * (random.unit() - 0.5 + (labels[i] == 1 ? 0.1 : -0.1)) + 3 * scale;
    }
  }
  const auto data = data_of(dense, labels);
  for (const Loss loss : {Loss::hinge, Loss::squared_hinge}) {
    const SvmOptions options = options_of(loss, 1, 1, 1e-6);
    const RunEnd end = made_up::run(data, options, {.rounds_max = 200});
    EXPECT_EQ(end.stop_reason, "converged");
    EXPECT_LE(end.certificate.relative_gap, 1e-6);
  }
}

}  // namespace
}  // namespace strads::svm
