// sgd on one cell: every target against the formula in double precision.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "numerics/columns/columns_fixture.hpp"
#include "strads/base/payload.hpp"
#include "strads/numerics/factorization.hpp"

namespace strads::test {
namespace {

/// Float records after steps of size 0.1.
constexpr double kFloatSgd = 1e-5;

constexpr std::uint32_t kRanks[] = {1, 3, 7, 8, 9, 11, 12, 13, 16, 27, 28, 40, 60, 61, 100};

/// Records of one side: factors and biases in [0, 1), accumulators 1, 2 and 3.
SharedFloats records(std::uint32_t rank, std::size_t count, std::uint64_t seed) {
  Numbers numbers(seed);
  const std::size_t stride = sgd_stride(rank), bias = sgd_bias(rank);
  SharedFloats page(count * stride);
  for (std::size_t i = 0; i < count; ++i) {
    float* record = page.writable().data() + i * stride;
    for (std::size_t k = 0; k < stride; ++k) record[k] = k < rank ? static_cast<float>(numbers.uniform()) : 0.0F;
    record[bias] = static_cast<float>(numbers.centred());
    for (std::size_t a = 1; a <= 3; ++a) record[bias + a] = static_cast<float>(a);
  }
  return page;
}

/// A cell with its own storage; values 1, 1.5 ... 5.
struct Cell {
  std::vector<std::uint32_t> rows, columns;
  std::vector<std::uint8_t> codes;
  std::vector<float> levels, values;

  Cell(std::size_t row_count, std::size_t column_count, std::size_t ratings) {
    Numbers numbers(ratings);
    for (int code = 0; code < 9; ++code) levels.push_back(1.0F + static_cast<float>(code) / 2);
    for (std::size_t n = 0; n < ratings; ++n) {
      rows.push_back(static_cast<std::uint32_t>(numbers.below(row_count)));
      columns.push_back(static_cast<std::uint32_t>(numbers.below(column_count)));
      codes.push_back(static_cast<std::uint8_t>(numbers.below(levels.size())));
      values.push_back(levels[codes.back()]);
    }
  }
  [[nodiscard]] CellRatings coded() const {
    return {.rows = rows, .columns = columns, .codes = codes, .levels = levels.data(), .values = {}};
  }
  [[nodiscard]] CellRatings plain() const {
    return {.rows = rows, .columns = columns, .codes = {}, .levels = nullptr, .values = values};
  }
};

SgdProblem problem_of(std::uint32_t rank) {
  return {.rank = rank, .bias = true, .mean = 3, .rate = 0.1F, .lambda_row = 0.05F, .lambda_column = 0.07F};
}

/// The accumulator of coordinate k of a record: bias, slow, fast.
std::size_t learner(std::size_t k, std::size_t bias) {
  return k == bias ? 1 : k < 8 ? 2 : 3;
}

using Record = std::vector<double>;

/// The formula of SgdProblem, in double precision. Returns the squared error before.
double formula(double value, const SgdProblem& problem, double lambda_row, double lambda_column, Record& row,
               Record& column) {
  const std::size_t bias = sgd_bias(problem.rank);
  double e = value - double{problem.mean} - row[bias] - column[bias];
  for (std::size_t k = 0; k < problem.rank; ++k) e -= row[k] * column[k];
  const Record p = row, q = column;
  const std::size_t slow = std::min<std::size_t>(problem.rank, 8);
  const double sizes[] = {0, 1, static_cast<double>(slow), static_cast<double>(problem.rank - slow)};
  for (std::size_t k = 0; k <= bias; ++k) {
    if (k >= problem.rank && k != bias) continue;
    const std::size_t a = learner(k, bias);
    if ((a == 1 && !problem.bias) || (a == 3 && problem.slow_only)) continue;
    const double row_gradient = lambda_row * p[k] - e * (k == bias ? 1 : q[k]);
    const double column_gradient = lambda_column * q[k] - e * (k == bias ? 1 : p[k]);
    row[k] -= double{problem.rate} / std::sqrt(p[bias + a]) * row_gradient;
    column[k] -= double{problem.rate} / std::sqrt(q[bias + a]) * column_gradient;
    row[bias + a] += row_gradient * row_gradient / sizes[a];
    column[bias + a] += column_gradient * column_gradient / sizes[a];
  }
  return e * e;
}

/// The cell by the formula; `found` pages are compared with it.
void expect_formula(const Cell& cell, const SgdProblem& problem, SharedFloats rows, SharedFloats columns) {
  const std::size_t stride = sgd_stride(problem.rank);
  const auto as_records = [stride](const SharedFloats& page) {
    std::vector<Record> list;
    for (std::size_t i = 0; i < page.size(); i += stride) list.emplace_back(page.data() + i, page.data() + i + stride);
    return list;
  };
  std::vector<Record> row_records = as_records(rows), column_records = as_records(columns);
  double expected = 0;
  for (std::size_t n = 0; n < cell.rows.size(); ++n) {
    const std::size_t i = cell.rows[n], j = cell.columns[n];
    const double m_row = problem.row_multipliers.empty() ? 1 : double{problem.row_multipliers[i]};
    const double m_column = problem.column_multipliers.empty() ? 1 : double{problem.column_multipliers[j]};
    expected += formula(double{cell.values[n]}, problem, m_row * double{problem.lambda_row},
                        m_column * double{problem.lambda_column}, row_records[i], column_records[j]);
  }

  const double found = sgd_cell(cell.coded(), problem, rows.writable().data(), columns.writable().data());

  EXPECT_NEAR(found, expected, kFloatSgd * expected);
  for (std::size_t n = 0; n < rows.size(); ++n) {
    const double want = row_records[n / stride][n % stride];
    ASSERT_NEAR(double{rows.data()[n]}, want, kFloatSgd * (1 + std::abs(want)))
        << "row " << n / stride << " lane " << n % stride;
  }
  for (std::size_t n = 0; n < columns.size(); ++n) {
    const double want = column_records[n / stride][n % stride];
    ASSERT_NEAR(double{columns.data()[n]}, want, kFloatSgd * (1 + std::abs(want)))
        << "column " << n / stride << " lane " << n % stride;
  }
}

class FactorSgd : public ::testing::Test {
 protected:
  void TearDown() override { ASSERT_TRUE(choose_simd(Simd::automatic).ok()); }

  template <class Check>
  static void at_every_rank_and_target(const Check& check) {
    for (const Simd simd : targets()) {
      ASSERT_TRUE(choose_simd(simd).ok());
      for (const std::uint32_t rank : kRanks) {
        SCOPED_TRACE(std::string(simd_name()) + " rank " + std::to_string(rank));
        check(rank);
      }
    }
  }
};

TEST_F(FactorSgd, RecordsHoldFactorsBiasAndThreeAccumulatorsInWholeCacheLines) {
  EXPECT_EQ(sgd_stride(12), 16U);
  EXPECT_EQ(sgd_stride(13), 32U);
  EXPECT_EQ(sgd_stride(40), 48U);
  EXPECT_EQ(sgd_bias(40), 44U);
}

TEST_F(FactorSgd, AStepIsTheFormula) {
  at_every_rank_and_target([](std::uint32_t rank) {
    expect_formula(Cell(1, 1, 1), problem_of(rank), records(rank, 1, 1), records(rank, 1, 2));
  });
}

TEST_F(FactorSgd, StepsFollowEachOtherOnTheSameRecords) {
  at_every_rank_and_target([](std::uint32_t rank) {
    expect_formula(Cell(3, 2, 40), problem_of(rank), records(rank, 3, 1), records(rank, 2, 2));
  });
}

TEST_F(FactorSgd, PlacesOf16BitsGiveTheSameBits) {
  at_every_rank_and_target([](std::uint32_t rank) {
    const Cell cell(9, 5, 60);
    const std::vector<std::uint16_t> rows(cell.rows.begin(), cell.rows.end());
    const std::vector<std::uint16_t> columns(cell.columns.begin(), cell.columns.end());
    CellRatings narrow = cell.coded();
    narrow.rows = rows;
    narrow.columns = columns;
    SharedFloats wide_rows = records(rank, 9, 1), wide_columns = records(rank, 5, 2);
    SharedFloats narrow_rows = records(rank, 9, 1), narrow_columns = records(rank, 5, 2);
    const double wide =
        sgd_cell(cell.coded(), problem_of(rank), wide_rows.writable().data(), wide_columns.writable().data());
    EXPECT_EQ(sgd_cell(narrow, problem_of(rank), narrow_rows.writable().data(), narrow_columns.writable().data()),
              wide);
    EXPECT_TRUE(narrow_rows == wide_rows && narrow_columns == wide_columns);
  });
}

TEST_F(FactorSgd, WithoutBiasTheBiasesStay) {
  at_every_rank_and_target([](std::uint32_t rank) {
    SgdProblem problem = problem_of(rank);
    problem.bias = false;
    expect_formula(Cell(3, 2, 20), problem, records(rank, 3, 1), records(rank, 2, 2));
  });
}

TEST_F(FactorSgd, SlowOnlyLeavesTheFactorsFromEightOn) {
  at_every_rank_and_target([](std::uint32_t rank) {
    SgdProblem problem = problem_of(rank);
    problem.slow_only = true;
    expect_formula(Cell(3, 2, 20), problem, records(rank, 3, 1), records(rank, 2, 2));
  });
}

TEST_F(FactorSgd, MultipliersScaleThePenaltyOfTheirRecord) {
  const std::vector<float> row_multipliers{0.5F, 2.0F, 0.0F}, column_multipliers{3.0F, 0.25F};
  at_every_rank_and_target([&](std::uint32_t rank) {
    SgdProblem problem = problem_of(rank);
    problem.row_multipliers = row_multipliers;
    expect_formula(Cell(3, 2, 20), problem, records(rank, 3, 1), records(rank, 2, 2));
    problem.column_multipliers = column_multipliers;
    expect_formula(Cell(3, 2, 20), problem, records(rank, 3, 1), records(rank, 2, 2));
  });
}

TEST_F(FactorSgd, CodesAndFloatsGiveTheSameBits) {
  at_every_rank_and_target([](std::uint32_t rank) {
    const Cell cell(5, 4, 50);
    SharedFloats rows = records(rank, 5, 1), columns = records(rank, 4, 2);
    SharedFloats other_rows = records(rank, 5, 1), other_columns = records(rank, 4, 2);
    const double coded = sgd_cell(cell.coded(), problem_of(rank), rows.writable().data(), columns.writable().data());
    const double plain =
        sgd_cell(cell.plain(), problem_of(rank), other_rows.writable().data(), other_columns.writable().data());
    EXPECT_EQ(coded, plain);
    EXPECT_EQ(rows, other_rows);
    EXPECT_EQ(columns, other_columns);
  });
}

TEST_F(FactorSgd, TwoHalvesOfACellHaveTheBitsOfTheWhole) {
  at_every_rank_and_target([](std::uint32_t rank) {
    const Cell cell(5, 4, 50);
    SharedFloats rows = records(rank, 5, 1), columns = records(rank, 4, 2);
    SharedFloats part_rows = records(rank, 5, 1), part_columns = records(rank, 4, 2);
    (void)sgd_cell(cell.plain(), problem_of(rank), rows.writable().data(), columns.writable().data());
    for (const std::size_t begin : {std::size_t{0}, std::size_t{23}}) {
      CellRatings part = cell.plain();
      const std::size_t count = begin == 0 ? 23 : 27;
      part.rows = std::span(cell.rows).subspan(begin, count);
      part.columns = std::span(cell.columns).subspan(begin, count);
      part.values = part.values.subspan(begin, count);
      (void)sgd_cell(part, problem_of(rank), part_rows.writable().data(), part_columns.writable().data());
    }
    EXPECT_EQ(rows, part_rows);
    EXPECT_EQ(columns, part_columns);
  });
}

TEST_F(FactorSgd, RecordsWithoutRatingsAndPaddingStayWhatTheyAre) {
  at_every_rank_and_target([](std::uint32_t rank) {
    const Cell cell(2, 2, 30);
    const SharedFloats before = records(rank, 4, 1);
    SharedFloats rows = records(rank, 4, 1), columns = records(rank, 2, 2);
    (void)sgd_cell(cell.coded(), problem_of(rank), rows.writable().data(), columns.writable().data());
    const std::size_t stride = sgd_stride(rank);
    for (std::size_t n = 2 * stride; n < rows.size(); ++n) ASSERT_EQ(rows.data()[n], before.data()[n]);
    for (std::size_t k = rank; k < sgd_bias(rank); ++k) ASSERT_EQ(rows.data()[k], 0.0F);
  });
}

TEST_F(FactorSgd, AnEmptyCellChangesNothing) {
  const Cell cell(1, 1, 0);
  SharedFloats rows = records(8, 1, 1), columns = records(8, 1, 2);
  EXPECT_EQ(sgd_cell(cell.coded(), problem_of(8), rows.writable().data(), columns.writable().data()), 0.0);
  EXPECT_EQ(rows, records(8, 1, 1));
  EXPECT_EQ(columns, records(8, 1, 2));
}

TEST_F(FactorSgd, SweepsLowerTheError) {
  for (const Simd simd : targets()) {
    ASSERT_TRUE(choose_simd(simd).ok());
    const Cell cell(20, 15, 200);
    SharedFloats rows = records(10, 20, 1), columns = records(10, 15, 2);
    double before = 1e300;
    for (int sweep = 0; sweep < 6; ++sweep) {
      const double error = sgd_cell(cell.plain(), problem_of(10), rows.writable().data(), columns.writable().data());
      EXPECT_LT(error, before) << simd_name() << " sweep " << sweep;
      before = error;
    }
  }
}

// --- what overflows ---

bool plainly_finite(const SharedFloats& page) {
  return std::ranges::all_of(page.view(), [](float value) { return std::isfinite(value); });
}

TEST(SgdThatOverflows, IsSeenInTheBiasAndTheAccumulatorsOfSomeRecord) {
  std::size_t overflows = 0;
  for (const std::uint32_t rank : {1U, 8U, 11U, 40U}) {
    for (const float scale : {1e10F, 1e17F, 1e18F, 3e18F, 1e19F, 1e20F, 1e37F}) {
      for (const bool slow_only : {false, true}) {
        Cell cell(6, 5, 40);
        for (float& level : cell.levels) level *= scale;
        SgdProblem problem = problem_of(rank);
        problem.rate = 10;
        problem.slow_only = slow_only;
        SharedFloats rows = records(rank, 6, 1), columns = records(rank, 5, 2);
        for (int pass = 0; pass < 20 && plainly_finite(rows) && plainly_finite(columns); ++pass) {
          sgd_cell(cell.coded(), problem, rows.writable().data(), columns.writable().data());
          for (const SharedFloats& page : {rows, columns}) {
            EXPECT_EQ(sgd_stays_finite(page.view(), rank), plainly_finite(page)) << rank << ' ' << scale << ' ' << pass;
          }
        }
        if (!plainly_finite(rows) || !plainly_finite(columns)) ++overflows;
      }
    }
  }
  EXPECT_GT(overflows, 20U);
}

TEST(SgdThatOverflows, IsSeenInTheLastRecordAndInEachOfItsNumbers) {
  for (std::size_t place = 0; place < 4; ++place) {
    SharedFloats page = records(11, 5, 3);
    EXPECT_TRUE(sgd_stays_finite(page.view(), 11));
    page.writable()[4 * sgd_stride(11) + sgd_bias(11) + place] = -INFINITY;
    EXPECT_FALSE(sgd_stays_finite(page.view(), 11)) << place;
  }
}

}  // namespace
}  // namespace strads::test
