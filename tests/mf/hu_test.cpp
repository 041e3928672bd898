// Hu, Koren and Volinsky's objective, --objective hu: rows against the paper's normal equations, fits against its sum
// over all pairs, each as a dense matrix of weights and one of what is wanted.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "implicit_runs.hpp"
#include "mf/check/check_factors.hpp"
#include "mf/factors/factor_quality.hpp"
#include "mf/solvers/implicit_fold_in.hpp"
#include "strads/base/random.hpp"

namespace strads::mf {
namespace {

using test::expect_row;

MfOptions options_of_hu(Solver solver) {
  MfOptions options = test::implicit_options(solver);
  options.hu = true;
  options.lambda = 0.5;
  options.alpha0 = 1;
  options.nu = 0;
  options.alpha = 2.5;
  return options;
}

using Dense = std::vector<std::vector<double>>;

/// c_ui and p_ui of all pairs.
struct DenseChoices {
  Dense weights, wanted;

  DenseChoices(std::size_t users, std::size_t items)
      : weights(users, std::vector<double>(items, 1.0)), wanted(users, std::vector<double>(items, 0.0)) {}
  void choose(std::size_t user, std::size_t item, double alpha, double count) {
    weights[user][item] = 1 + alpha * count;
    wanted[user][item] = 1;
  }
};

DenseChoices dense_choices(const MfData& data, const Triplets& train, double alpha) {
  DenseChoices choices(data.size(Side::users), data.size(Side::items));
  for (std::size_t t = 0; t < train.size(); ++t) {
    choices.choose(train.users[t], train.items[t], alpha, double{train.values[t]});
  }
  return choices;
}

/// (Y'Y + Y'(C - I)Y + lambda I) x = Y'C p, by elimination: a positive definite matrix needs no pivots.
std::vector<double> row_by_the_paper(const std::vector<double>& c, const std::vector<double>& p,
                                     const std::vector<float>& y, std::size_t rank, double lambda) {
  Dense a(rank, std::vector<double>(rank + 1));
  for (std::size_t i = 0; i < c.size(); ++i) {
    const float* const h = y.data() + i * rank;
    for (std::size_t k = 0; k < rank; ++k) {
      for (std::size_t l = 0; l < rank; ++l) a[k][l] += c[i] * double{h[k]} * double{h[l]};
      a[k][rank] += c[i] * p[i] * double{h[k]};
    }
  }
  for (std::size_t k = 0; k < rank; ++k) a[k][k] += lambda;
  for (std::size_t k = 0; k < rank; ++k) {
    for (std::size_t i = 0; i < rank; ++i) {
      if (i == k) continue;
      const double times = a[i][k] / a[k][k];
      for (std::size_t l = k; l <= rank; ++l) a[i][l] -= times * a[k][l];
    }
  }
  std::vector<double> x(rank);
  for (std::size_t k = 0; k < rank; ++k) x[k] = a[k][rank] / a[k][k];
  return x;
}

double objective_by_the_paper(const DenseChoices& choices, double lambda, const MfSolution& solution) {
  const std::size_t rank = solution.rank;
  double sum = 0;
  for (std::size_t user = 0; user < choices.weights.size(); ++user) {
    for (std::size_t item = 0; item < choices.weights[user].size(); ++item) {
      double score = 0;
      for (std::size_t k = 0; k < rank; ++k) {
        score += double{solution.factors[0][user * rank + k]} * double{solution.factors[1][item * rank + k]};
      }
      sum += choices.weights[user][item] * (choices.wanted[user][item] - score) * (choices.wanted[user][item] - score);
    }
  }
  for (const auto& side : solution.factors) {
    for (const float value : side) sum += lambda * double{value} * double{value};
  }
  return sum;
}

TEST(HuRows, SolveThePapersNormalEquationsWithFewerPairsThanFactorsAndWithMoreForAnyAlpha) {
  constexpr std::size_t kItems = 101;
  for (const std::uint32_t rank : {1U, 5U, 33U}) {
    for (const std::uint64_t pairs : {1U, 17U, 90U}) {
      for (const double alpha : {1e-6, 1.0, 40.0}) {
        SCOPED_TRACE(std::to_string(rank) + " factors, " + std::to_string(pairs) + " pairs, alpha " +
                     std::to_string(alpha));
        CounterRng random(11, Purpose::tests, rank, pairs);
        std::vector<float> factors(kItems * rank);
        for (float& factor : factors) factor = static_cast<float>(random.unit() - 0.4);
        DenseChoices choices(1, kItems);
        std::vector<std::uint32_t> items;
        std::vector<float> counts;
        for (std::uint64_t j = 0; j < pairs; ++j) {
          items.push_back(static_cast<std::uint32_t>((j * 7) % kItems));
          counts.push_back(j % 3 == 0 ? 1.0F : static_cast<float>(0.5 + 6 * random.unit()));
          choices.choose(0, items.back(), alpha, double{counts.back()});
        }
        MfOptions options = options_of_hu(Solver::als);
        options.rank = rank;
        options.alpha = alpha;
        const std::uint64_t begins[] = {0, pairs};
        std::vector<float> found(rank);
        SerialChunks serial;
        fold_in_implicit(options, begins, items, counts, factors, found, serial);
        expect_row(found.data(), row_by_the_paper(choices.weights[0], choices.wanted[0], factors, rank, options.lambda),
                   1e-4);
      }
    }
  }
}

class HuFit : public testing::TestWithParam<Solver> {};

TEST_P(HuFit, EndsWithThePapersSumOverAllPairsWhichNeverRose) {
  double before = 1e300;
  for (std::uint32_t sweeps = 1; sweeps <= 5; ++sweeps) {
    MfOptions options = options_of_hu(GetParam());
    options.sweeps_max = sweeps;
    const auto data = test::implicit_data();
    const DenseChoices choices = dense_choices(*data, *data->train, options.alpha);
    const EngineOptions engine{.schedulers = 2, .workers = 3, .depth = 2};
    const auto model = make_mf_model(data, options, engine, true);
    auto run = run_embedded(model, engine, {}, {}, {});
    MfSolution solution = solution_of(*data, options, run.end);
    const double expected = objective_by_the_paper(choices, options.lambda, solution);
    EXPECT_NEAR(solution.objective, expected, 1e-6 * expected);
    EXPECT_LE(expected, before * (1 + 1e-6));
    EXPECT_LT(expected, squares_of(*data, options));
    before = expected;
    const FactorModel factors = factor_model(*data, solution, false);
    SerialChunks serial;
    const Status checked = check_factors(*model, factors, solution, serial);
    EXPECT_TRUE(checked.ok()) << checked.message();
    EXPECT_NEAR(solution.objective, expected, 1e-12 * expected);
  }
}

TEST_P(HuFit, SaysItInsideOfASweep) {
  const MfOptions options = options_of_hu(GetParam());
  for (const std::uint64_t rounds : {3U, 5U}) {
    const auto data = test::implicit_data();
    const DenseChoices choices = dense_choices(*data, *data->train, options.alpha);
    const EngineOptions engine{.schedulers = 3, .workers = 2, .depth = 2, .rounds_max = rounds};
    auto run = run_embedded(make_mf_model(data, options, engine, true), engine, {}, {}, {});
    const MfSolution solution = solution_of(*data, options, run.end);
    const double expected = objective_by_the_paper(choices, options.lambda, solution);
    EXPECT_NEAR(solution.objective, expected, 1e-6 * expected) << rounds << " rounds";
  }
}

INSTANTIATE_TEST_SUITE_P(Solvers, HuFit, testing::Values(Solver::als, Solver::cd, Solver::cg));

TEST(HuFit, OfExactRowsHasItemsThatSolveThePapersEquationsForItsUsers) {
  const MfOptions options = options_of_hu(Solver::als);
  const auto data = test::implicit_data();
  const DenseChoices choices = dense_choices(*data, *data->train, options.alpha);
  const EngineOptions engine{.schedulers = 1, .workers = 2, .depth = 1};
  auto run = run_embedded(make_mf_model(data, options, engine, true), engine, {}, {}, {});
  const MfSolution solution = solution_of(*data, options, run.end);
  for (std::size_t item = 0; item < choices.weights[0].size(); ++item) {
    std::vector<double> c, p;
    for (std::size_t user = 0; user < choices.weights.size(); ++user) {
      c.push_back(choices.weights[user][item]);
      p.push_back(choices.wanted[user][item]);
    }
    SCOPED_TRACE(item);
    expect_row(solution.factors[1].data() + item * options.rank,
               row_by_the_paper(c, p, solution.factors[0], options.rank, options.lambda), 1e-4);
  }
}

TEST(HuFit, WhereBlocksMoveNoMoreEachUserSolvesThePapersEquations) {
  MfOptions options = options_of_hu(Solver::cd);
  options.sweeps_max = 400;
  const auto data = test::implicit_data();
  const DenseChoices choices = dense_choices(*data, *data->train, options.alpha);
  const EngineOptions engine{.schedulers = 1, .workers = 1, .depth = 1};
  auto run = run_embedded(make_mf_model(data, options, engine, true), engine, {}, {}, {});
  const MfSolution solution = solution_of(*data, options, run.end);
  for (std::size_t user = 0; user < choices.weights.size(); user += 7) {
    SCOPED_TRACE(user);
    expect_row(solution.factors[0].data() + user * options.rank,
               row_by_the_paper(choices.weights[user], choices.wanted[user], solution.factors[1], options.rank,
                                options.lambda),
               2e-3);
  }
}

TEST(HuFit, IsTheSameForAnyBlocksAndIsNotThatOfIals) {
  MfOptions options = options_of_hu(Solver::als);
  std::vector<std::string> hashes;
  const EngineOptions one{.schedulers = 1, .workers = 1, .depth = 1}, many{.schedulers = 3, .workers = 4, .depth = 3};
  for (const bool hu : {true, false}) {
    options.hu = hu;
    for (const EngineOptions& engine : {one, many}) {
      const auto data = test::implicit_data();
      auto run = run_embedded(make_mf_model(data, options, engine, true), engine, {}, {}, {});
      hashes.push_back(model_hash(solution_of(*data, options, run.end)));
    }
  }
  EXPECT_EQ(hashes[0], hashes[1]);
  EXPECT_EQ(hashes[2], hashes[3]);
  EXPECT_NE(hashes[0], hashes[2]);
}

TEST(HuFit, WithAForgedFactorIsNotTheObjectiveThatWasSaid) {
  test::expect_no_forged_factor(options_of_hu(Solver::als));
}

}  // namespace
}  // namespace strads::mf
