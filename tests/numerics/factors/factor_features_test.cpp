// ccd on blocks: eqs. (4), (5), residuals, pages and every target, against serial double precision.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "numerics/columns/columns_fixture.hpp"
#include "strads/numerics/factorization.hpp"
#include "support/serial_factorization.hpp"

namespace strads::test {
namespace {

/// Float features of size 1 and sums of up to 300 ratings of size 5.
constexpr double kFloat = 1e-5;

/// One side of a SerialProblem as the kernels read it: ratings by row or by column, codes or floats.
struct Block {
  std::vector<std::uint64_t> begins{0};
  std::vector<std::uint32_t> slots;
  std::vector<std::uint8_t> codes;
  std::vector<float> levels, values;
  std::vector<std::size_t> rating;  ///< its number in the problem

  [[nodiscard]] RatingRows view() const {
    return {.begins = begins, .slots = slots, .codes = codes, .levels = levels.data(), .values = values};
  }
};

Block block_of(const SerialProblem& problem, bool columns, bool coded = false) {
  Block block;
  for (std::size_t i = 0; i < (columns ? problem.columns : problem.rows); ++i) {
    for (std::size_t n = 0; n < problem.ratings.size(); ++n) {
      const SerialRating& r = problem.ratings[n];
      if ((columns ? r.column : r.row) != i) continue;
      block.slots.push_back(static_cast<std::uint32_t>(columns ? r.row : r.column));
      block.rating.push_back(n);
      if (coded) {
        block.codes.push_back(static_cast<std::uint8_t>(std::lround(2 * r.value)));
      } else {
        block.values.push_back(static_cast<float>(r.value));
      }
    }
    block.begins.push_back(block.slots.size());
  }
  for (int code = 0; coded && code < 256; ++code) block.levels.push_back(static_cast<float>(code) / 2);
  return block;
}

/// Values at multiples of 1/2, so that codes and floats are the same numbers.
SerialProblem halves(SerialProblem problem) {
  for (SerialRating& r : problem.ratings) r.value = std::round(2 * r.value) / 2;
  return problem;
}

/// A feature in pages of 2^shift floats.
struct Pages {
  std::vector<std::vector<float>> floats;
  std::vector<const float*> pointers;
  FeaturePages view;

  explicit Pages(const std::vector<float>& feature, std::uint32_t shift = 3) {
    const std::size_t page = std::size_t{1} << shift;
    for (std::size_t begin = 0; begin < feature.size(); begin += page) {
      const auto first = feature.begin() + static_cast<std::ptrdiff_t>(begin);
      floats.emplace_back(first, first + static_cast<std::ptrdiff_t>(std::min(page, feature.size() - begin)));
    }
    for (const auto& one : floats) pointers.push_back(one.data());
    view = {.pages = pointers.data(), .shift = shift, .stride = 1};
  }
};

/// Feature t of one side as floats; t = rank: the biases.
std::vector<float> feature_of(const SerialProblem& problem, const SerialModel& model, bool columns, std::size_t t) {
  const auto& factors = columns ? model.h : model.w;
  const auto& bias = columns ? model.column_bias : model.row_bias;
  std::vector<float> feature;
  for (std::size_t i = 0; i < bias.size(); ++i) {
    feature.push_back(static_cast<float>(t == problem.rank ? bias[i] : factors[i * problem.rank + t]));
  }
  return feature;
}

std::vector<double> residual_of(const SerialProblem& problem, const SerialModel& model, const Block& block) {
  std::vector<double> residual;
  for (const std::size_t n : block.rating) {
    const SerialRating& r = problem.ratings[n];
    double e = r.value - problem.mean - model.row_bias[r.row] - model.column_bias[r.column];
    for (std::size_t t = 0; t < problem.rank; ++t) {
      e -= model.w[r.row * problem.rank + t] * model.h[r.column * problem.rank + t];
    }
    residual.push_back(e);
  }
  return residual;
}

/// start_residual from all features of the model.
std::vector<float> started(const SerialProblem& problem, const SerialModel& model, const Block& block, bool columns,
                           std::uint32_t shift = 3) {
  std::vector<std::vector<float>> rows;
  std::vector<Pages> pages;
  for (std::size_t t = 0; t < problem.rank; ++t) {
    rows.push_back(feature_of(problem, model, columns, t));
    pages.emplace_back(feature_of(problem, model, !columns, t), shift);
  }
  std::vector<const float*> row_features;
  std::vector<FeaturePages> column_features;
  for (std::size_t t = 0; t < problem.rank; ++t) {
    row_features.push_back(rows[t].data());
    column_features.push_back(pages[t].view);
  }
  std::vector<float> residual(block.slots.size());
  start_residual(block.view(), row_features, column_features, static_cast<float>(problem.mean), residual);
  return residual;
}

/// Rows 3 and 4 and column 2 without ratings; row 0 with more ratings than the kernel takes at a time.
SerialProblem uneven() {
  SerialProblem problem = made_up_ratings(20, 300, 2500, 1);
  problem.rank = 5;
  problem.lambda = 0.1;
  std::erase_if(problem.ratings, [](const SerialRating& r) { return r.row == 0 || r.row == 3 || r.row == 4; });
  for (std::size_t j = 0; j < problem.columns; ++j) problem.ratings.push_back({0, j, static_cast<double>(j % 9) / 2});
  std::erase_if(problem.ratings, [](const SerialRating& r) { return r.column == 2; });
  return problem;
}

class FactorFeatures : public ::testing::Test {
 protected:
  void TearDown() override { ASSERT_TRUE(choose_simd(Simd::automatic).ok()); }
};

TEST_F(FactorFeatures, ResidualStartsAtWhatTheFeaturesLeave) {
  const SerialProblem problem = uneven();
  const SerialModel model = serial_start(problem, 2);
  for (const Simd simd : targets()) {
    ASSERT_TRUE(choose_simd(simd).ok());
    for (const bool columns : {false, true}) {
      const Block block = block_of(problem, columns);
      const auto expected = residual_of(problem, model, block);
      const auto found = started(problem, model, block, columns);
      for (std::size_t n = 0; n < expected.size(); ++n) ASSERT_NEAR(double{found[n]}, expected[n], kFloat) << n;
    }
  }
}

TEST_F(FactorFeatures, CodesAndFloatsGiveTheSameBits) {
  const SerialProblem problem = halves(uneven());
  const SerialModel model = serial_start(problem, 2);
  EXPECT_EQ(started(problem, model, block_of(problem, false, true), false),
            started(problem, model, block_of(problem, false, false), false));
}

TEST_F(FactorFeatures, PagesOfAnySizeGiveTheSameBits) {
  const SerialProblem problem = uneven();
  const SerialModel model = serial_start(problem, 2);
  const Block block = block_of(problem, false);
  const auto expected = started(problem, model, block, false, 10);
  for (const std::uint32_t shift : {0U, 1U, 4U}) EXPECT_EQ(started(problem, model, block, false, shift), expected);
}

TEST_F(FactorFeatures, NoFeaturesLeaveTheValuesLessTheMean) {
  SerialProblem problem = halves(uneven());
  problem.rank = 0;
  const Block block = block_of(problem, false);
  const auto residual = started(problem, serial_start(problem, 1), block, false);
  for (std::size_t n = 0; n < residual.size(); ++n) ASSERT_EQ(residual[n], block.values[n] - 3.5F);
}

struct Updated {
  std::vector<float> feature;
  RowSums sums;
};

/// Feature t of one side from residuals of the model.
Updated updated(const SerialProblem& problem, const SerialModel& model, bool columns, std::size_t t) {
  const Block block = block_of(problem, columns);
  const auto exact = residual_of(problem, model, block);
  const std::vector<float> residual(exact.begin(), exact.end());
  const auto old_row = feature_of(problem, model, columns, t);
  const Pages old_column(feature_of(problem, model, !columns, t));
  Updated result{.feature = std::vector<float>(old_row.size(), -99.0F), .sums = {}};
  update_feature(block.view(), old_row.data(), old_column.view, {}, t == problem.rank,
                 {.lambda = problem.lambda, .weighted = problem.weighted}, residual, result.feature.data(),
                 result.sums);
  return result;
}

TEST_F(FactorFeatures, AnUpdateIsEquation4OfRowsAnd5OfColumns) {
  SerialProblem problem = uneven();
  for (const Simd simd : targets()) {
    ASSERT_TRUE(choose_simd(simd).ok());
    for (const bool weighted : {false, true}) {
      problem.weighted = weighted;
      for (const bool columns : {false, true}) {
        for (std::size_t t = 0; t <= problem.rank; ++t) {
          SerialModel model = serial_start(problem, 2);
          const Updated found = updated(problem, model, columns, t);
          EXPECT_NEAR(found.sums.error_before, serial_error(problem, model), 1e-5 * found.sums.error_before);
          serial_feature(problem, columns, t, model);
          EXPECT_NEAR(found.sums.error_after, serial_error(problem, model), 1e-5 * found.sums.error_before);
          const auto expected = feature_of(problem, model, columns, t);
          for (std::size_t i = 0; i < expected.size(); ++i) {
            ASSERT_NEAR(double{found.feature[i]}, double{expected[i]}, kFloat)
                << simd_name() << " t=" << t << " i=" << i;
          }
        }
      }
    }
  }
}

TEST_F(FactorFeatures, ARowWithoutRatingsBecomesZero) {
  SerialProblem problem = uneven();
  for (const double lambda : {0.0, 0.1}) {
    problem.lambda = lambda;
    const Updated found = updated(problem, serial_start(problem, 2), false, 1);
    EXPECT_EQ(found.feature[3], 0.0F);
    EXPECT_EQ(found.feature[4], 0.0F);
    EXPECT_NE(found.feature[5], 0.0F);
  }
}

TEST_F(FactorFeatures, AnUpdateAgainstAZeroFeatureWithoutPenaltyIsZeroNotNaN) {
  SerialProblem problem = uneven();
  problem.lambda = 0;
  SerialModel model = serial_start(problem, 2);
  std::fill(model.h.begin(), model.h.end(), 0.0);
  for (const float value : updated(problem, model, false, 0).feature) EXPECT_EQ(value, 0.0F);
}

TEST_F(FactorFeatures, TheSecondSideSeesTheNewsOfTheFirst) {
  const SerialProblem problem = uneven();
  SerialModel model = serial_start(problem, 2);
  const std::size_t t = 3;
  const Block block = block_of(problem, true);
  const auto exact = residual_of(problem, model, block);
  const std::vector<float> residual(exact.begin(), exact.end());
  const auto old_columns = feature_of(problem, model, true, t);
  const Pages old_rows(feature_of(problem, model, false, t));
  serial_feature(problem, false, t, model);
  const Pages new_rows(feature_of(problem, model, false, t));
  serial_feature(problem, true, t, model);

  std::vector<float> found(problem.columns);
  RowSums sums;
  update_feature(block.view(), old_columns.data(), old_rows.view, new_rows.view, false, {.lambda = problem.lambda},
                 residual, found.data(), sums);

  const auto expected = feature_of(problem, model, true, t);
  for (std::size_t j = 0; j < expected.size(); ++j) ASSERT_NEAR(double{found[j]}, double{expected[j]}, kFloat) << j;
  EXPECT_NEAR(sums.error_after, serial_error(problem, model), 1e-5 * sums.error_before);
}

/// The residual after feature t moved from one model's to the other's.
std::vector<float> moved(const SerialProblem& problem, const SerialModel& from, const SerialModel& to,
                         const Block& block, bool columns, std::vector<float> residual, std::size_t t) {
  const auto old_row = feature_of(problem, from, columns, t), new_row = feature_of(problem, to, columns, t);
  const Pages old_column(feature_of(problem, from, !columns, t)), new_column(feature_of(problem, to, !columns, t), 1);
  move_residual(block.view(), old_row.data(), new_row.data(), old_column.view, new_column.view, residual);
  return residual;
}

TEST_F(FactorFeatures, AMovedResidualIsThatOfTheNewFeatures) {
  const SerialProblem problem = uneven();
  const SerialModel from = serial_start(problem, 2), to = serial_start(problem, 3);
  for (const Simd simd : targets()) {
    ASSERT_TRUE(choose_simd(simd).ok());
    const Block block = block_of(problem, false);
    auto residual = started(problem, from, block, false);
    for (std::size_t t = 0; t < problem.rank; ++t) residual = moved(problem, from, to, block, false, residual, t);
    const auto expected = residual_of(problem, to, block);
    for (std::size_t n = 0; n < expected.size(); ++n) ASSERT_NEAR(double{residual[n]}, expected[n], kFloat) << n;
  }
}

TEST_F(FactorFeatures, CopiesByRowAndByColumnHoldTheSameBits) {
  const SerialProblem problem = uneven();
  const SerialModel from = serial_start(problem, 2), to = serial_start(problem, 3);
  for (const Simd simd : targets()) {
    ASSERT_TRUE(choose_simd(simd).ok());
    std::vector<std::vector<float>> copies;
    for (const bool columns : {false, true}) {
      const Block block = block_of(problem, columns);
      auto residual = moved(problem, from, to, block, columns, started(problem, from, block, columns), 0);
      std::vector<float> in_order(residual.size());
      for (std::size_t n = 0; n < residual.size(); ++n) in_order[block.rating[n]] = residual[n];
      copies.push_back(std::move(in_order));
    }
    EXPECT_EQ(copies[0], copies[1]) << simd_name();
  }
}

TEST_F(FactorFeatures, AReplayOfSomeRowsHasTheBitsOfTheWhole) {
  const SerialProblem problem = uneven();
  const SerialModel from = serial_start(problem, 2), to = serial_start(problem, 3);
  const Block block = block_of(problem, false);
  const auto start = started(problem, from, block, false);
  const auto whole = moved(problem, from, to, block, false, start, 0);

  // Rows [begin, end) as a block of their own, with the offsets of the whole.
  auto parts = start;
  const auto old_row = feature_of(problem, from, false, 0), new_row = feature_of(problem, to, false, 0);
  const Pages old_column(feature_of(problem, from, true, 0)), new_column(feature_of(problem, to, true, 0));
  for (const auto& [begin, end] : {std::pair<std::size_t, std::size_t>{7, 20}, {0, 7}}) {
    RatingRows rows = block.view();
    rows.begins = rows.begins.subspan(begin, end - begin + 1);
    move_residual(rows, old_row.data() + begin, new_row.data() + begin, old_column.view, new_column.view, parts);
  }
  EXPECT_EQ(parts, whole);
}

TEST_F(FactorFeatures, ABiasIsAFeatureWhoseOtherSideIsOne) {
  const SerialProblem problem = uneven();
  const SerialModel from = serial_start(problem, 2);
  SerialModel to = from;
  serial_feature(problem, false, problem.rank, to);
  serial_feature(problem, true, problem.rank, to);
  const Block block = block_of(problem, false);
  auto residual = started(problem, from, block, false);

  const auto old_row = feature_of(problem, from, false, problem.rank);
  const auto new_row = feature_of(problem, to, false, problem.rank);
  const Pages old_column(feature_of(problem, from, true, problem.rank));
  const Pages new_column(feature_of(problem, to, true, problem.rank));
  move_residual(block.view(), old_row.data(), new_row.data(), {}, {}, residual);
  move_residual(block.view(), nullptr, nullptr, old_column.view, new_column.view, residual);

  const auto expected = residual_of(problem, to, block);
  for (std::size_t n = 0; n < expected.size(); ++n) ASSERT_NEAR(double{residual[n]}, expected[n], kFloat) << n;
}

TEST_F(FactorFeatures, AnUpdateRepeatedHasTheSameBits) {
  const SerialProblem problem = uneven();
  const SerialModel model = serial_start(problem, 2);
  for (const Simd simd : targets()) {
    ASSERT_TRUE(choose_simd(simd).ok());
    const Updated first = updated(problem, model, true, 2), second = updated(problem, model, true, 2);
    EXPECT_EQ(first.feature, second.feature);
    EXPECT_EQ(first.sums.error_after, second.sums.error_after);
  }
}

TEST_F(FactorFeatures, SweepsOfTheSerialReferenceNeverRaiseTheObjective) {
  SerialProblem problem = uneven();
  for (const bool weighted : {false, true}) {
    problem.weighted = weighted;
    problem.bias = true;
    for (const std::size_t width : {std::size_t{0}, std::size_t{2}, problem.rank + 1}) {
      SerialModel model = serial_start(problem, 2);
      double before = serial_objective(problem, model);
      for (int sweep = 0; sweep < 5; ++sweep) {
        if (width == 0) {
          serial_ccd_sweep(problem, model);
        } else {
          serial_block_sweep(problem, width, model);
        }
        const double after = serial_objective(problem, model);
        EXPECT_LE(after, before) << "width " << width;
        before = after;
      }
    }
  }
}

TEST_F(FactorFeatures, AnAlsPassLeavesNothingToGainForItsSide) {
  SerialProblem problem = uneven();
  problem.bias = true;
  SerialModel model = serial_start(problem, 2);
  serial_block_pass(problem, false, problem.rank + 1, model);
  const double least = serial_objective(problem, model);
  for (std::size_t t = 0; t <= problem.rank; ++t) serial_feature(problem, false, t, model);
  EXPECT_NEAR(serial_objective(problem, model), least, 1e-9 * least);
}

}  // namespace
}  // namespace strads::test
