// Implicit feedback: rows against the normal equations in double precision, fits against the objective counted pair by
// pair, and what reports may not say.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <numeric>
#include <vector>

#include "implicit_runs.hpp"
#include "mf/check/check_factors.hpp"
#include "mf/check/recount.hpp"
#include "mf/factors/factor_quality.hpp"
#include "mf/problem/positives.hpp"
#include "mf/solvers/implicit_fold_in.hpp"
#include "strads/base/random.hpp"
#include "strads/numerics/implicit.hpp"

namespace strads::mf {
namespace {

using test::implicit_data;
using test::implicit_options;

double score_of(const MfSolution& solution, std::uint32_t user, std::uint32_t item) {
  double sum = 0;
  for (std::uint32_t k = 0; k < solution.rank; ++k) {
    sum +=
        double{solution.factors[0][user * solution.rank + k]} * double{solution.factors[1][item * solution.rank + k]};
  }
  return sum;
}

/// F by its definition: every pair by itself.
double objective_by_pairs(const MfData& data, const Triplets& train, const MfOptions& options,
                          const MfSolution& solution) {
  double sum = 0;
  for (std::size_t t = 0; t < train.size(); ++t) {
    sum += double{train.values[t]} * std::pow(score_of(solution, train.users[t], train.items[t]) - 1, 2);
  }
  for (std::uint32_t user = 0; user < data.size(Side::users); ++user) {
    for (std::uint32_t item = 0; item < data.size(Side::items); ++item) {
      sum += options.alpha0 * std::pow(score_of(solution, user, item), 2);
    }
  }
  for (const Side side : {Side::users, Side::items}) {
    const std::size_t s = index_of(side);
    for (std::uint32_t row = 0; row < data.size(side); ++row) {
      double squares = 0;
      for (std::uint32_t k = 0; k < solution.rank; ++k) {
        squares += std::pow(double{solution.factors[s][row * solution.rank + k]}, 2);
      }
      sum += options.lambda * squares *
             std::pow(data.counts[s][row] + options.alpha0 * data.size(other(side)), options.nu);
    }
  }
  return sum;
}

/// x with A x = b, by elimination with pivots: nothing that a solver uses.
std::vector<double> eliminated(std::vector<std::vector<double>> a, std::vector<double> b) {
  const std::size_t n = b.size();
  for (std::size_t k = 0; k < n; ++k) {
    std::size_t best = k;
    for (std::size_t i = k + 1; i < n; ++i) best = std::abs(a[i][k]) > std::abs(a[best][k]) ? i : best;
    std::swap(a[k], a[best]);
    std::swap(b[k], b[best]);
    for (std::size_t i = k + 1; i < n; ++i) {
      const double times = a[i][k] / a[k][k];
      for (std::size_t j = k; j < n; ++j) a[i][j] -= times * a[k][j];
      b[i] -= times * b[k];
    }
  }
  for (std::size_t k = n; k-- > 0;) {
    for (std::size_t j = k + 1; j < n; ++j) b[k] -= a[k][j] * b[j];
    b[k] /= a[k][k];
  }
  return b;
}

/// Columns h_j, one row's pairs with confidences, and what solves it.
struct OneRow {
  std::uint32_t rank;
  std::size_t columns;
  std::vector<float> records;
  std::vector<std::uint32_t> slots;
  std::vector<float> confidences;

  OneRow(std::uint32_t rank_, std::size_t columns_, std::size_t pairs)
      : rank(rank_), columns(columns_), records(columns_ * record_stride(rank_)) {
    CounterRng random(7, Purpose::tests, rank, pairs);
    for (std::size_t j = 0; j < columns; ++j) {
      for (std::uint32_t k = 0; k < rank; ++k) {
        records[j * record_stride(rank) + k] = static_cast<float>(random.unit() - 0.4);
      }
    }
    for (std::size_t j = 0; j < pairs; ++j) {
      slots.push_back(static_cast<std::uint32_t>((j * 7) % columns));
      confidences.push_back(j % 3 == 0 ? 1.0F : static_cast<float>(0.5 + 2 * random.unit()));
    }
  }

  [[nodiscard]] double at(std::size_t column, std::uint32_t k) const {
    return double{records[column * record_stride(rank) + k]};
  }

  [[nodiscard]] std::vector<float> solved(const ImplicitProblem& problem, std::uint32_t passes = 1) const {
    std::vector<const float*> all;
    for (std::size_t j = 0; j < columns; ++j) all.push_back(records.data() + j * record_stride(rank));
    std::vector<double> gram(implicit_size(rank) * implicit_size(rank));
    add_to_gram(all, rank, gram);
    const bool by_blocks = problem.way == ImplicitWay::blocks;
    const ImplicitBasis basis = by_blocks ? block_basis_of(gram, rank, problem.width) : basis_of(gram, rank);
    constexpr std::size_t kReadBehind = 16;
    std::vector<float> turned(columns * implicit_size(rank) + kReadBehind);
    if (by_blocks) {
      turn_blocks(basis, rank, problem.width, records.data(), columns, record_stride(rank), turned.data());
    } else {
      turn_records(basis, rank, records.data(), columns, record_stride(rank), turned.data());
    }
    const float* const page = turned.data();
    const std::uint64_t begins[] = {0, slots.size()};
    RatingRows rows;
    rows.begins = begins;
    rows.slots = slots;
    rows.values = confidences;
    std::vector<float> before(record_stride(rank)), after(before);
    for (std::uint32_t pass = 0; pass < passes; ++pass) {
      RowSums sums;
      update_implicit_rows(rows, {&page, 31, implicit_size(rank)}, basis, problem, before.data(), after.data(), sums);
      before = after;
    }
    return after;
  }

  [[nodiscard]] std::vector<double> expected(const ImplicitProblem& problem) const {
    std::vector<std::vector<double>> a(rank, std::vector<double>(rank));
    std::vector<double> b(rank);
    for (std::uint32_t k = 0; k < rank; ++k) {
      for (std::uint32_t l = 0; l < rank; ++l) {
        for (std::size_t j = 0; j < columns; ++j) a[k][l] += problem.alpha0 * at(j, k) * at(j, l);
        for (std::size_t p = 0; p < slots.size(); ++p) {
          a[k][l] += double{confidences[p]} * at(slots[p], k) * at(slots[p], l);
        }
      }
      a[k][k] +=
          problem.lambda *
          std::pow(static_cast<double>(slots.size()) + problem.alpha0 * static_cast<double>(columns), problem.nu);
      for (std::size_t p = 0; p < slots.size(); ++p) b[k] += double{confidences[p]} * at(slots[p], k);
    }
    return eliminated(a, b);
  }
};

ImplicitProblem problem_of(std::uint32_t rank, std::size_t columns, ImplicitWay way) {
  return {.rank = rank, .lambda = 0.05, .alpha0 = 0.1, .nu = 0.8, .columns = columns, .way = way, .width = 7};
}

TEST(ImplicitRows, AnExactRowSolvesItsNormalEquationsWithFewerPairsThanFactorsAndWithMore) {
  for (const std::uint32_t rank : {1U, 5U, 16U, 33U}) {
    for (const std::size_t pairs : {1U, 3U, 15U, 17U, 40U, 90U}) {
      const OneRow row(rank, 101, pairs);
      const auto problem = problem_of(rank, row.columns, ImplicitWay::exact);
      SCOPED_TRACE(std::to_string(rank) + " factors, " + std::to_string(pairs) + " pairs");
      test::expect_row(row.solved(problem).data(), row.expected(problem));
    }
  }
}

TEST(ImplicitRows, BlocksAndStepsComeToTheExactRow) {
  for (const std::size_t pairs : {3U, 40U}) {
    const OneRow row(20, 101, pairs);
    const auto blocks = problem_of(20, row.columns, ImplicitWay::blocks);
    test::expect_row(row.solved(blocks, 60).data(), row.expected(blocks));
    auto steps = problem_of(20, row.columns, ImplicitWay::steps);
    steps.steps = 12;
    test::expect_row(row.solved(steps, 2).data(), row.expected(steps));
  }
}

/// One block of all factors is the row; where there are fewer pairs than coordinates, and where there are more.
TEST(ImplicitRows, ABlockOfAllFactorsIsTheExactRow) {
  for (const std::uint32_t rank : {1U, 16U, 23U, 70U}) {
    for (const std::size_t pairs : {1U, 5U, 18U, 22U, 23U, 90U}) {
      const OneRow row(rank, 101, pairs);
      auto blocks = problem_of(rank, row.columns, ImplicitWay::blocks);
      blocks.width = rank;
      SCOPED_TRACE(std::to_string(rank) + " factors, " + std::to_string(pairs) + " pairs");
      test::expect_row(row.solved(blocks).data(), row.expected(blocks));
    }
  }
}

/// F of a row by its definition, up to what does not depend on it.
double objective_of_row(const OneRow& row, const ImplicitProblem& problem, const std::vector<float>& w) {
  const auto score = [&](std::size_t column) {
    double sum = 0;
    for (std::uint32_t k = 0; k < row.rank; ++k) sum += row.at(column, k) * double{w[k]};
    return sum;
  };
  double sum = 0, squares = 0;
  for (std::size_t p = 0; p < row.slots.size(); ++p) {
    sum += double{row.confidences[p]} * std::pow(score(row.slots[p]) - 1, 2);
  }
  for (std::size_t column = 0; column < row.columns; ++column) sum += problem.alpha0 * std::pow(score(column), 2);
  for (std::uint32_t k = 0; k < row.rank; ++k) squares += std::pow(double{w[k]}, 2);
  return sum + problem.lambda * squares * problem.scale(row.slots.size());
}

TEST(ImplicitRows, BlocksOfAnyWidthNeverRaiseTheObjectiveAndGoOnFromWhereTheyWere) {
  for (const std::uint32_t width : {1U, 4U, 16U, 17U, 40U}) {
    for (const std::size_t pairs : {2U, 12U, 60U}) {
      const OneRow row(50, 101, pairs);
      auto blocks = problem_of(50, row.columns, ImplicitWay::blocks);
      blocks.width = width;
      SCOPED_TRACE(std::to_string(width) + " wide, " + std::to_string(pairs) + " pairs");
      const double least = objective_of_row(row, blocks, [&] {
        const auto expected = row.expected(blocks);
        return std::vector<float>(expected.begin(), expected.end());
      }());
      double before = objective_of_row(row, blocks, std::vector<float>(50));
      for (std::uint32_t passes : {1U, 2U, 4U, 8U, 300U}) {
        const double after = objective_of_row(row, blocks, row.solved(blocks, passes));
        EXPECT_LE(after, before * (1 + 1e-6)) << passes;
        EXPECT_GE(after, least * (1 - 1e-6)) << passes;
        before = after;
      }
      EXPECT_NEAR(before, least, 0.01 * least);
    }
  }
}

class ImplicitFit : public testing::TestWithParam<Solver> {};

TEST_P(ImplicitFit, EndsWithTheObjectiveOfItsFactorsWhichNeverRose) {
  double before = 1e300;
  for (std::uint32_t sweeps = 1; sweeps <= 5; ++sweeps) {
    MfOptions options = implicit_options(GetParam());
    options.sweeps_max = sweeps;
    const auto data = implicit_data();
    const Triplets train = *data->train;
    const EngineOptions engine{.schedulers = 2, .workers = 3, .depth = 2};
    const auto model = make_mf_model(data, options, engine, true);
    auto run = run_embedded(model, engine, {}, {}, {});
    MfSolution solution = solution_of(*data, options, run.end);
    const double expected = objective_by_pairs(*data, train, options, solution);
    EXPECT_NEAR(solution.objective, expected, 1e-6 * expected);
    EXPECT_LE(expected, before * (1 + 1e-6));
    EXPECT_LT(expected, data->squares);
    before = expected;
    const FactorModel factors = factor_model(*data, solution, false);
    SerialChunks serial;
    EXPECT_TRUE(check_factors(*model, factors, solution, serial).ok());
    EXPECT_NEAR(solution.objective, expected, 1e-12 * expected);
    EXPECT_TRUE(std::isnan(solution.train.rmse));
  }
}

std::shared_ptr<MfData> data_with_empty_items() {
  const auto ratings = test::made_up_ratings({});
  Triplets& train = ratings->train;
  for (std::size_t t = train.size(); t-- > 0;) {
    if (train.items[t] % 4 != 1) continue;
    train.users.erase(train.users.begin() + static_cast<std::ptrdiff_t>(t));
    train.items.erase(train.items.begin() + static_cast<std::ptrdiff_t>(t));
    train.codes.erase(train.codes.begin() + static_cast<std::ptrdiff_t>(t));
  }
  EXPECT_TRUE(to_positives({.on = true, .confidence = Confidence::linear, .from = {}}, "made", *ratings).ok());
  return prepare_mf(ratings, 1, std::make_shared<SerialChunks>(), true).value();
}

/// Items without pairs go to zero, and what they had over all pairs goes with them. A run that ends inside of a sweep
/// says the objective that it has come to by differences.
TEST_P(ImplicitFit, SaysTheObjectiveOfItsFactorsInsideOfASweepThatTakesItemsWithoutPairs) {
  const MfOptions options = implicit_options(GetParam());
  for (const std::uint64_t rounds : {3U, 4U, 5U}) {
    const auto data = data_with_empty_items();
    const Triplets train = *data->train;
    const EngineOptions engine{.schedulers = 3, .workers = 2, .depth = 2, .rounds_max = rounds};
    auto run = run_embedded(make_mf_model(data, options, engine, true), engine, {}, {}, {});
    const MfSolution solution = solution_of(*data, options, run.end);
    const double expected = objective_by_pairs(*data, train, options, solution);
    EXPECT_NEAR(solution.objective, expected, 1e-6 * expected) << rounds << " rounds";
  }
}

INSTANTIATE_TEST_SUITE_P(Solvers, ImplicitFit, testing::Values(Solver::als, Solver::cd, Solver::cg));

TEST(ImplicitFit, IsTheSameForAnyBlocksAndWhoeverComputesThem) {
  for (const Solver solver : {Solver::als, Solver::cd}) {
    const MfOptions options = implicit_options(solver);
    std::vector<std::string> hashes;
    for (const EngineOptions& engine : {EngineOptions{.schedulers = 1, .workers = 1, .depth = 1},
                                        EngineOptions{.schedulers = 3, .workers = 4, .depth = 3}}) {
      const auto data = implicit_data();
      auto run = run_embedded(make_mf_model(data, options, engine, true), engine, {}, {}, {});
      hashes.push_back(model_hash(solution_of(*data, options, run.end)));
    }
    EXPECT_EQ(hashes[0], hashes[1]);
  }
}

/// The normal equations of a user of a fit.
OneRow row_of(const MfOptions& options, const Triplets& train, const std::vector<float>& items, std::uint32_t user) {
  OneRow row(options.rank, items.size() / options.rank, 1);
  for (std::size_t j = 0; j < row.columns; ++j) {
    for (std::uint32_t k = 0; k < options.rank; ++k) {
      row.records[j * record_stride(options.rank) + k] = items[j * options.rank + k];
    }
  }
  row.slots.clear();
  row.confidences.clear();
  for (std::size_t t = 0; t < train.size(); ++t) {
    if (train.users[t] != user) continue;
    row.slots.push_back(train.items[t]);
    row.confidences.push_back(train.values[t]);
  }
  return row;
}

ImplicitProblem exact_problem(const MfOptions& options, std::size_t columns) {
  ImplicitProblem problem = problem_of(options.rank, columns, ImplicitWay::exact);
  problem.lambda = options.lambda;
  problem.alpha0 = options.alpha0;
  problem.nu = options.nu;
  return problem;
}

TEST(ImplicitFit, WhereBlocksMoveNoMoreEachRowIsExact) {
  MfOptions options = implicit_options(Solver::cd);
  options.sweeps_max = 400;
  const auto data = implicit_data();
  const Triplets train = *data->train;
  const EngineOptions engine{.schedulers = 1, .workers = 1, .depth = 1};
  const auto run = run_embedded(make_mf_model(data, options, engine, true), engine, {}, {}, {});
  const MfSolution solution = solution_of(*data, options, run.end);
  for (std::uint32_t user = 0; user < 60; user += 7) {
    const OneRow row = row_of(options, train, solution.factors[1], user);
    const auto expected = row.expected(exact_problem(options, row.columns));
    for (std::uint32_t k = 0; k < options.rank; ++k) {
      EXPECT_NEAR(double{solution.factors[0][user * options.rank + k]}, expected[k], 2e-3) << user << ", " << k;
    }
  }
}

TEST(ImplicitFit, AForgedFactorIsNotTheObjectiveThatWasSaid) {
  test::expect_no_forged_factor(implicit_options(Solver::als));
}

TEST(ImplicitFoldIn, AUserOfTheFitGetsTheFactorsThatTheItemsGiveHim) {
  const MfOptions options = implicit_options(Solver::als);
  const auto data = implicit_data();
  const Triplets train = *data->train;
  const EngineOptions engine{.schedulers = 1, .workers = 1, .depth = 1};
  auto run = run_embedded(make_mf_model(data, options, engine, true), engine, {}, {}, {});
  MfSolution solution = solution_of(*data, options, run.end);
  FactorModel model = factor_model(*data, solution, false);
  const OneRow row = row_of(options, train, model.factors[1], 4);
  const std::uint64_t begins[] = {0, row.slots.size()};
  SerialChunks serial;
  model.factors[0].assign(options.rank, 0.0F);
  fold_in_implicit(options, begins, row.slots, row.confidences, model.factors[1], model.factors[0], serial);
  test::expect_row(model.factors[0].data(), row.expected(exact_problem(options, row.columns)));
}

TEST(Positives, ConfidencesAreOnesValuesOrTheirLogarithms) {
  const auto of = [](Confidence confidence) {
    const auto data = implicit_data(confidence);
    return data->train->values;
  };
  const auto ones = of(Confidence::ones), linear = of(Confidence::linear), log = of(Confidence::log);
  ASSERT_EQ(ones.size(), linear.size());
  for (std::size_t t = 0; t < ones.size(); ++t) {
    EXPECT_EQ(ones[t], 1);
    EXPECT_FLOAT_EQ(log[t], std::log2(1 + linear[t]));
  }
}

TEST(Positives, OnlyPairsFromTheBoundOnAreLearnedFrom) {
  const auto ratings = test::made_up_ratings({});
  std::size_t expected = 0;
  for (const std::uint8_t code : ratings->train.codes) expected += ratings->levels[code] >= 3 ? 1 : 0;
  ASSERT_TRUE(to_positives({.on = true, .confidence = Confidence::ones, .from = 3.0}, "made", *ratings).ok());
  EXPECT_EQ(ratings->train.size(), expected);
  EXPECT_LT(expected, 900U);
}

TEST(Positives, APairWithNothingOrLessNeedsABound) {
  const auto ratings = test::made_up_ratings({.plus = -3});
  const Status refused = to_positives({.on = true, .confidence = Confidence::linear, .from = {}}, "made", *ratings);
  EXPECT_EQ(refused.code(), StatusCode::input);
  EXPECT_NE(refused.message().find("--positive-from"), std::string::npos) << refused.message();
}

}  // namespace
}  // namespace strads::mf
