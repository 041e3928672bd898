// Section 4 and the appendix of the paper: Theorem 1, its bound, and policy `theorem1`.
//
// The last line of the printed proof has -delta_j grad_j - delta_j^2 / 2 <= delta_j^2 / 2. It is a slip: the decrease
// of an exact coordinate step is at *least* delta_j^2 / 2 (times L_j where columns are not of unit norm), with equality
// when the sign of the coefficient does not change. The tests below show both.
#include <gtest/gtest.h>

#include <cmath>

#include "engine/planning/sampler.hpp"
#include "lasso/model/lasso_slice.hpp"
#include "lasso/problem/payloads.hpp"
#include "lasso/solver/lasso_push.hpp"
#include "recorder.hpp"

namespace strads::lasso {
namespace {

struct Draw {
  double b, g, squares, lambda;
};

Draw random_draw(CounterRng& random) {
  return {2 * random.unit() - 1, 4 * random.unit() - 2, 0.1 + 3 * random.unit(), random.unit()};
}

TEST(Section4Theorem1, DecreaseIsAtLeastHalfTheSquaredDelta) {
  CounterRng random(1, Purpose::tests);
  for (int k = 0; k < 20000; ++k) {
    const Draw at = random_draw(random);
    const Step step = VariablePenalty(at.lambda).step(at.b, at.g, at.squares);
    EXPECT_GE(step.decrease, 0.5 * at.squares * step.delta * step.delta - 1e-13);
  }
}

TEST(Section4Theorem1, DecreaseIsHalfTheSquaredDeltaWhereTheSignStays) {
  CounterRng random(2, Purpose::tests);
  int seen = 0;
  for (int k = 0; k < 20000; ++k) {
    Draw at = random_draw(random);
    if (k % 3 == 0) at.b = 0;
    const Step step = VariablePenalty(at.lambda).step(at.b, at.g, at.squares);
    const double updated = at.b + step.delta;
    if (updated == 0 || at.b * updated < 0) continue;
    ++seen;
    EXPECT_NEAR(step.decrease, 0.5 * at.squares * step.delta * step.delta, 1e-13);
  }
  EXPECT_GT(seen, 1000);
}

TEST(Section4Theorem1, TheLastInequalityOfThePrintedProofIsReversed) {
  // b = 1/2 -> 0 under lambda = 1 with g = 0: delta^2 / 2 = 1/8, but F falls by 3/8.
  const Step step = VariablePenalty(1.0).step(0.5, 0.0, 1.0);
  EXPECT_DOUBLE_EQ(step.delta, -0.5);
  EXPECT_DOUBLE_EQ(step.decrease, 0.375);
  EXPECT_GT(step.decrease, 0.5 * step.delta * step.delta);
}

TEST(Section4Theorem1, SamplingByHalfSquaredDelta) {
  const LassoOptions options = published(Policy::theorem1);
  const std::vector<VarId> variables{0, 1, 2, 3};
  LassoSlice slice(scanned(random_content({.columns = 4}), options), std::make_shared<BlockCaches>(), options,
                   variables);
  for (const VarId j : variables)
    EXPECT_EQ(slice.define_sampling(j), kSampleFirst) << "every variable is visited once first";
  const Payload changes{{0, 1, 3}, {0.5, -0.25, 1e-5}};
  RoundOutcome outcome;
  outcome.drawn = variables;
  outcome.changes = &changes;
  std::vector<VarId> touched;
  slice.committed(outcome, touched);
  const double floor = options.eta * options.eta;
  EXPECT_EQ(slice.define_sampling(0), 0.125 + floor);
  EXPECT_EQ(slice.define_sampling(1), 0.03125 + floor);
  EXPECT_EQ(slice.define_sampling(2), floor);
  EXPECT_EQ(slice.define_sampling(3), 0.5 * 1e-5 * 1e-5 + floor);
}

TEST(Section4Theorem1, SmallWeightsAreStillToldApart) {
  // Weights become integers: half the square of a step of 1e-6 must not round to the weight of a step of 2e-6.
  const LassoOptions options = published(Policy::theorem1);
  const LassoSlice slice(scanned(random_content({.columns = 4}), options), std::make_shared<BlockCaches>(), options,
                         {0, 1, 2, 3});
  const engine::Sampler sampler(4, slice.rules().sampling_scale);
  const auto one = static_cast<double>(sampler.weight_of(0.5e-12));
  const auto two = static_cast<double>(sampler.weight_of(2e-12));
  EXPECT_NEAR(two / one, 4.0, 0.01);
}

TEST(Section4Theorem1, ARoundDecreasesByTheSumOfItsUpdatesUpToTheirCoupling) {
  // (12)-(14) with equality: F falls by sum D_j - sum_{j<k} x_j'x_k delta_j delta_k, so by no less than
  // sum D_j - rho sum_{j<k} |delta_j delta_k|.
  for (const double rho : {0.05, 0.1, 0.3}) {
    LassoOptions options = published(Policy::theorem1);
    options.rho = rho;
    const auto run =
        observe(random_content({.rows = 100, .columns = 40, .causes = 12}), options, {.workers = 6, .rounds_max = 100});
    for (const auto& round : run.record.rounds) {
      const auto& changes = round.commit.changes;
      double coupled = 0, products = 0;
      for (std::size_t a = 0; a < changes.ids.size(); ++a) {
        for (std::size_t b = 0; b < a; ++b) {
          const double product = changes.values[a] * changes.values[b];
          coupled += plain_dot(run.plain.x[changes.ids[a]], run.plain.x[changes.ids[b]]) * product;
          products += std::abs(product);
        }
      }
      EXPECT_NEAR(round.commit.realised, round.commit.predicted - coupled, 1e-12);
      EXPECT_GE(round.commit.realised, round.commit.predicted - rho * products - 1e-12);
    }
  }
}

TEST(Section4Theorem1, SamplingByItNeedsFewerUpdatesThanSamplingUniformly) {
  // Remark to the theorem: the draw concentrates where the objective falls. Same rounds, lower objective.
  // After the first visits, which every variable gets from both.
  int wins = 0;
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    const Content content = random_content({.rows = 60, .columns = 200, .seed = seed, .shared = 0.1, .causes = 10});
    LassoOptions importance = published(Policy::theorem1);
    LassoOptions uniform = published(Policy::fixed_structure);
    const EngineOptions engine{.seed = seed, .workers = 4, .rounds_max = 120};
    const double with = observe(content, importance, engine).record.end.certificate.objective;
    const double without = observe(content, uniform, engine).record.end.certificate.objective;
    wins += with < without ? 1 : 0;
  }
  EXPECT_GE(wins, 9);
}

}  // namespace
}  // namespace strads::lasso
