// update_rows, normal equations, errors and penalties against plain double arithmetic, on every target.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "numerics/factors/factor_rows_fixture.hpp"

namespace strads::test {
namespace {

TEST_F(FactorRows, DescendAsPlainArithmeticSaysForEveryRankAndWidth) {
  on_every_target([] {
    for (const std::uint32_t rank : {1u, 3u, 8u, 10u, 16u, 17u, 40u, 100u}) {
      for (const std::uint32_t width : {1u, 2u, 3u, 5u, 8u, 9u, 16u, rank + 1}) {
        for (const bool bias : {false, true}) expect_update({.rank = rank, .bias = bias, .width = width});
      }
    }
  });
}

TEST_F(FactorRows, DescendAsPlainArithmeticSaysForEveryKindOfPenaltyAndValue) {
  on_every_target([] {
    for (const bool weighted : {false, true}) {
      for (const bool weights : {false, true}) {
        for (const bool codes : {false, true}) {
          expect_update({.rank = 10, .weighted = weighted, .weights = weights, .codes = codes, .lambda = 0.3});
          expect_update({.rank = 10, .weighted = weighted, .weights = weights, .width = 11, .codes = codes});
        }
      }
    }
  });
}

TEST_F(FactorRows, MoveBeyondTheMinimumOfEachBlockWhereTheyAreTold) {
  on_every_target([] {
    for (const float relaxation : {0.5F, 1.25F, 1.9F}) {
      for (const std::uint32_t width : {3u, 8u, 11u}) {
        expect_update({.rank = 10, .width = width, .relaxation = relaxation});
        expect_update({.rank = 10, .width = width, .relaxation = relaxation, .counts = {17'000, 3}, .columns = 500});
      }
    }
  });
}

TEST_F(FactorRows, NeverRaiseTheObjectiveUpToTwiceTheWay) {
  on_every_target([] {
    for (const float relaxation : {0.1F, 1.5F, 1.99F}) {
      MadeRows problem({.rank = 10, .width = 4, .relaxation = relaxation});
      (void)problem.update();
      for (std::size_t row = 0; row < problem.size(); ++row) {
        const double before = problem.objective(row, problem.record(problem.start(), row));
        EXPECT_LE(problem.objective(row, problem.record(problem.after(), row)), before * (1 + 1e-6)) << "row " << row;
      }
    }
  });
}

TEST_F(FactorRows, AreFoundOnAnyPageOfTheColumns) {
  on_every_target([] {
    for (const std::uint32_t shift : {0u, 1u, 5u, 10u}) expect_update({.rank = 5, .shift = shift});
  });
}

TEST_F(FactorRows, OfEveryLengthShareVectors) {
  std::vector<std::size_t> counts;
  for (std::size_t count = 0; count < 150; ++count) counts.push_back((count * 37) % 150);
  counts.insert(counts.end(), {255, 256, 257, 511, 512, 513, 1023, 1024, 1025, 5000});
  on_every_target([&] { expect_update({.rank = 12, .counts = counts}); });
}

TEST_F(FactorRows, LongerThanAPanelDescendByTheirNormalEquations) {
  on_every_target([] {
    for (const std::uint32_t width : {1u, 8u, 41u}) {
      for (const bool bias : {false, true}) {
        expect_update({.rank = 40, .bias = bias, .width = width, .counts = {17'000, 3, 16'384}, .columns = 500});
      }
    }
    expect_update({.rank = 1, .bias = true, .width = 8, .counts = {50'000}, .columns = 500});
  });
}

TEST_F(FactorRows, HaveTheSameBitsFromSlotsOf16Bits) {
  on_every_target([] {
    MadeRows problem({.rank = 10});
    RatingRows rows = problem.rows();
    std::vector<std::uint16_t> narrow;
    for (std::size_t r = 0; r < rows.slots.size(); ++r) narrow.push_back(static_cast<std::uint16_t>(rows.slots[r]));
    (void)problem.update();
    rows.slots = narrow;
    std::vector<float> after(problem.after().size());
    RowSums sums;
    update_rows(rows, problem.pages(), problem.problem(), problem.before(), after.data(), sums);
    EXPECT_EQ(after, problem.after()) << simd_name();
  });
}

TEST_F(FactorRows, HaveTheBitsThatTheyHaveAlone) {
  on_every_target([] {
    const RowsRecipe all{.rank = 17, .counts = {5, 70, 5, 0, 64, 6, 1, 300, 6, 2000}};
    MadeRows together(all);
    (void)together.update();
    const RatingRows rows = together.rows();
    for (std::size_t row = 0; row < all.counts.size(); ++row) {
      RatingRows one = rows;
      one.begins = rows.begins.subspan(row, 2);
      std::vector<float> after(together.stride());
      RowSums sums;
      update_rows(one, together.pages(), together.problem(), together.before() + row * together.stride(), after.data(),
                  sums);
      EXPECT_EQ(0, std::memcmp(after.data(), together.after().data() + row * together.stride(),
                               together.stride() * sizeof(float)))
          << simd_name() << " row " << row;
    }
  });
}

TEST_F(FactorRows, HaveTheSameBitsEveryTime) {
  on_every_target([] {
    MadeRows problem({.rank = 40});
    const RowSums first = problem.update();
    const std::vector<float> after = problem.after();
    const RowSums second = problem.update();
    EXPECT_EQ(0, std::memcmp(after.data(), problem.after().data(), after.size() * sizeof(float)));
    EXPECT_EQ(first.error_before, second.error_before);
    EXPECT_EQ(first.error_after, second.error_after);
    EXPECT_EQ(first.flops, second.flops);
    EXPECT_GT(first.flops, 0u);
  });
}

TEST_F(FactorRows, WithoutRatingsBecomeZeroAndKeepABiasThatIsNoVariable) {
  on_every_target([] {
    for (const bool bias : {false, true}) {
      MadeRows problem({.rank = 3, .bias = bias, .weighted = false, .counts = {0, 0}});
      problem.start()[3] = 0.5F;
      const RowSums sums = problem.update();
      EXPECT_EQ(sums.error_before, 0);
      std::vector<float> expected(2 * problem.stride());
      if (!bias) expected[3] = 0.5F;
      EXPECT_EQ(problem.after(), expected);
    }
  });
}

TEST_F(FactorRows, KeepABiasThatIsNoVariable) {
  on_every_target([] {
    MadeRows problem({.rank = 4, .bias = false, .counts = {10, 80, 20'000}});
    for (std::size_t row = 0; row < problem.size(); ++row) problem.start()[row * problem.stride() + 4] = 0.5F;
    (void)problem.update();
    for (std::size_t row = 0; row < problem.size(); ++row) {
      expect_close(problem.record(problem.after(), row), problem.expected(row), std::string(simd_name()));
    }
  });
}

TEST_F(FactorRows, NeverRaiseTheirObjective) {
  on_every_target([] {
    for (const double lambda : {0.0, 1e-6, 0.01, 10.0}) {
      for (const std::uint32_t width : {1u, 8u, 17u, 41u}) {
        for (std::uint64_t seed = 1; seed <= 3; ++seed) {
          MadeRows problem({.rank = 40, .width = width, .lambda = lambda, .columns = 19}, seed);
          for (int pass = 0; pass < 3; ++pass) {
            (void)problem.update();
            for (std::size_t row = 0; row < problem.size(); ++row) {
              const double before = problem.objective(row, problem.record(problem.start(), row));
              const double after = problem.objective(row, problem.record(problem.after(), row));
              ASSERT_LE(after, before + 1e-5 * (1 + before))
                  << simd_name() << " lambda=" << lambda << " width=" << width << " row " << row << " pass " << pass;
            }
            problem.start() = problem.after();
          }
        }
      }
    }
  });
}

TEST_F(FactorRows, StayFiniteWithoutAnyPenaltyAndWithEqualColumns) {
  on_every_target([] {
    for (const std::uint32_t width : {3u, 8u, 17u}) {
      MadeRows problem({.rank = 16, .width = width, .lambda = 0, .counts = {1, 2, 30, 200}, .columns = 1});
      (void)problem.update();
      for (const float value : problem.after()) ASSERT_TRUE(std::isfinite(value)) << simd_name();
    }
  });
}

TEST_F(FactorRows, AreSolvedExactlyWithOneBlock) {
  on_every_target([] {
    MadeRows problem({.rank = 17, .width = 18});
    (void)problem.update();
    const std::vector<float> once = problem.after();
    problem.start() = once;
    (void)problem.update();
    for (std::size_t i = 0; i < once.size(); ++i) ASSERT_NEAR(problem.after()[i], once[i], 2e-5F) << simd_name();
  });
}

// --- normal equations ---

/// The sum of the parts of one row, as the header tells callers to add them.
std::vector<double> added_parts(const MadeRows& problem, std::size_t row, std::size_t parts) {
  const RatingRows rows = problem.rows();
  const std::uint64_t count = rows.begins[row + 1] - rows.begins[row];
  std::vector<double> sum(normal_size(problem.problem()));
  for (std::size_t part = 0; part < parts; ++part) {
    std::vector<float> one(sum.size(), 99.0F);
    normal_equations(rows, row, count * part / parts, count * (part + 1) / parts, problem.pages(), problem.problem(),
                     one);
    for (std::size_t i = 0; i < one.size(); ++i) sum[i] += static_cast<double>(one[i]);
  }
  return sum;
}

TEST_F(FactorRows, DescendFromTheirPartsAsFromTheirRatings) {
  on_every_target([] {
    for (const std::uint32_t width : {1u, 8u, 11u}) {
      for (const bool bias : {false, true}) {
        MadeRows problem({.rank = 10, .bias = bias, .weights = true, .width = width, .counts = {0, 3, 77, 4000}});
        (void)problem.update();
        for (std::size_t row = 0; row < problem.size(); ++row) {
          for (const std::size_t parts : {1u, 2u, 5u}) {
            const std::vector<double> normal = added_parts(problem, row, parts);
            std::vector<float> after(problem.stride(), 5.0F);
            RowSums sums;
            const RatingRows rows = problem.rows();
            update_from_normal(normal, rows.begins[row + 1] - rows.begins[row], problem.problem(),
                               problem.before() + row * problem.stride(), after.data(), sums);
            const float* const expected = problem.after().data() + row * problem.stride();
            for (std::size_t k = 0; k < after.size(); ++k) {
              ASSERT_NEAR(after[k], expected[k], 1e-4F) << simd_name() << " row " << row << " parts " << parts;
            }
            const double before = problem.error(row, problem.record(problem.start(), row));
            EXPECT_NEAR(sums.error_before, before, kErrorError * (1 + before));
            EXPECT_NEAR(sums.error_after, problem.error(row, problem.record(problem.after(), row)),
                        kErrorError * (1 + before));
          }
        }
      }
    }
  });
}

TEST_F(FactorRows, GiveTheirNormalEquationsEntryByEntry) {
  on_every_target([] {
    MadeRows problem({.rank = 3, .counts = {5, 1000}});
    const RatingRows rows = problem.rows();
    const std::vector<double> normal = added_parts(problem, 1, 1);
    ASSERT_EQ(normal.size(), 10u + 4u + 2u);
    std::vector<double> expected(normal.size());
    for (std::uint64_t r = rows.begins[1]; r < rows.begins[2]; ++r) {
      const float* const h = problem.column(r);
      const double x[4] = {static_cast<double>(h[0]), static_cast<double>(h[1]), static_cast<double>(h[2]), 1.0};
      const double e = problem.value(r) - 3.25 - static_cast<double>(h[3]);
      for (std::size_t i = 0, at = 0; i < 4; ++i) {
        for (std::size_t j = 0; j <= i; ++j) expected[at++] += x[i] * x[j];
        expected[10 + i] += x[i] * e;
      }
      expected[14] += e * e;
    }
    for (std::size_t i = 0; i < 14; ++i) EXPECT_NEAR(normal[i], expected[i], 1e-3) << i;
    EXPECT_NEAR(normal[14] + normal[15], expected[14], 1e-6 * expected[14]);
  });
}

// --- errors and penalties ---

TEST_F(FactorRows, AreMeasuredWithAndWithoutClipping) {
  on_every_target([] {
    for (const std::uint32_t rank : {1u, 15u, 16u, 40u}) {
      MadeRows problem({.rank = rank});
      for (const bool clip : {false, true}) {
        double squared = 0, absolute = 0;
        const RatingRows rows = problem.rows();
        for (std::size_t row = 0; row < problem.size(); ++row) {
          const std::vector<double> record = problem.record(problem.start(), row);
          for (std::uint64_t r = rows.begins[row]; r < rows.begins[row + 1]; ++r) {
            double predicted = problem.value(r) - problem.residual(r, record.data());
            if (clip) predicted = std::clamp(predicted, 3.0, 3.5);
            const double error = problem.value(r) - predicted;
            squared += error * error;
            absolute += std::abs(error);
          }
        }
        const Errors errors = errors_of(rows, problem.pages(), rank, 3.25F, problem.before(), clip, 3.0F, 3.5F);
        EXPECT_NEAR(errors.squared, squared, 1e-6 * squared) << simd_name();
        EXPECT_NEAR(errors.absolute, absolute, 1e-6 * absolute) << simd_name();
        EXPECT_EQ(errors.count, rows.ratings());
      }
    }
  });
}

TEST_F(FactorRows, AddUpTheirPenaltiesFactorByFactor) {
  MadeRows problem({.rank = 5});
  for (const bool weighted : {false, true}) {
    std::vector<double> expected(6), found(6, 9.0);
    const RatingRows rows = problem.rows();
    for (std::size_t row = 0; row < problem.size(); ++row) {
      const double times = weighted ? static_cast<double>(rows.begins[row + 1] - rows.begins[row]) : 1.0;
      for (std::size_t k = 0; k < 6; ++k) expected[k] += times * std::pow(problem.record(problem.start(), row)[k], 2);
    }
    penalties_of(rows, 5, weighted, problem.before(), found);
    for (std::size_t k = 0; k < 6; ++k) EXPECT_NEAR(found[k], expected[k], 1e-12 * expected[k]);
  }
}

}  // namespace
}  // namespace strads::test
