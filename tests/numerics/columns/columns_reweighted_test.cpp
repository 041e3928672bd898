// Columns under weights of a Newton step, against plain arithmetic on decoded columns.
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <vector>

#include "columns_fixture.hpp"

namespace strads::test {
namespace {

constexpr Storage kStorages[] = {Storage::dense_f32,  Storage::dense_f64, Storage::genotype_2bit, Storage::sparse_f32,
                                 Storage::sparse_f64, Storage::dense_i8,  Storage::dense_u8,      Storage::dosage_u16};

/// x~ without the roots of the sample weights.
std::vector<std::vector<double>> plain_columns(const Matrix& matrix, Standardization how) {
  std::vector<std::vector<double>> columns;
  for (std::size_t j = 0; j < matrix.recipe.columns; ++j) {
    std::vector<double> column = Reference(matrix, j, how).column;
    if (column.empty()) column.assign(matrix.recipe.rows, 0.0);
    for (std::size_t i = 0; i < column.size(); ++i) {
      if (!matrix.weights.empty() && matrix.weights[i] > 0) column[i] /= std::sqrt(matrix.weights[i]);
    }
    columns.push_back(std::move(column));
  }
  return columns;
}

std::vector<double> some_omega(const Matrix& matrix) {
  std::vector<double> omega = matrix.vector(5);
  for (std::size_t i = 0; i < omega.size(); ++i) omega[i] = matrix.keeps(i) ? 0.01 + omega[i] * omega[i] : 0.0;
  return omega;
}

TEST(WeightedGram, HasTheProductsUnderTheWeightsGiven) {
  for (const Storage storage : kStorages) {
    for (const bool center : {true, false}) {
      Matrix matrix({.storage = storage, .rows = 1100, .columns = 40, .missing = 0.1, .dropped = 9});
      if (center) matrix.weigh(3);
      const StandardizedColumns columns(matrix.view(), {center, true});
      const auto plain = plain_columns(matrix, {center, true});
      const std::vector<double> omega = some_omega(matrix);
      const auto all = matrix.all();
      std::vector<double> out(all.size() * all.size()), backward(out.size());
      SerialChunks chunks;
      columns.weighted_gram(all, omega, out, chunks);
      for (std::size_t a = 0; a < all.size(); ++a) {
        for (std::size_t b = 0; b < all.size(); ++b) {
          double expected = 0;
          for (std::size_t i = 0; i < omega.size(); ++i) expected += omega[i] * plain[a][i] * plain[b][i];
          ASSERT_NEAR(out[a * all.size() + b], expected, 1e-13) << static_cast<int>(storage) << " " << a << " " << b;
        }
      }
      BackwardChunks other;
      columns.weighted_gram(all, omega, backward, other);
      EXPECT_EQ(out, backward);
    }
  }
}

TEST(Reweighted, FollowsTheQuadraticAndItsIntercept) {
  for (const Storage storage : kStorages) {
    for (const bool intercept : {true, false}) {
      Matrix matrix({.storage = storage, .rows = 90, .columns = 12, .missing = 0.1, .dropped = 4});
      const StandardizedColumns columns(matrix.view(), {intercept, true});
      const auto plain = plain_columns(matrix, {intercept, true});
      const std::vector<double> omega = some_omega(matrix);
      std::vector<double> u = matrix.vector(8), shift = matrix.vector(9);
      const double weight = std::accumulate(omega.begin(), omega.end(), 0.0);
      if (intercept) {
        const double share = std::accumulate(u.begin(), u.end(), 0.0) / 86;
        for (std::size_t i = 0; i < u.size(); ++i) u[i] -= matrix.keeps(i) ? share : 0.0;
      }
      const auto all = matrix.all();
      std::vector<std::size_t> places(all.size());
      std::iota(places.begin(), places.end(), std::size_t{0});
      StandardizedColumns::Reweighted reweighted(columns, all);
      SerialChunks chunks;
      reweighted.start(omega, u, intercept, places, chunks);
      std::vector<double> residual = u;
      const auto go = [&](const std::vector<double>& v, double delta) {
        double c = 0;
        for (std::size_t i = 0; i < v.size(); ++i) c -= intercept ? delta * omega[i] * v[i] / weight : 0.0;
        for (std::size_t i = 0; i < v.size(); ++i) residual[i] -= omega[i] * (delta * v[i] + c);
      };
      Numbers numbers(4);
      for (std::size_t k = 0; k < all.size(); ++k) {
        double product = 0, sum = 0, squares = 0;
        for (std::size_t i = 0; i < omega.size(); ++i) {
          product += plain[k][i] * residual[i];
          sum += omega[i] * plain[k][i];
          squares += omega[i] * plain[k][i] * plain[k][i];
        }
        EXPECT_NEAR(reweighted.gradient(k), product, 1e-13) << static_cast<int>(storage) << " " << k;
        EXPECT_NEAR(reweighted.squared_norm(k), squares - (intercept ? sum * sum / weight : 0.0), 1e-13);
        const double delta = numbers.centred();
        reweighted.move(k, delta);
        go(plain[k], delta);
      }
      std::vector<double> found(omega.size());
      reweighted.residual(found);
      for (std::size_t i = 0; i < found.size(); ++i) EXPECT_NEAR(found[i], residual[i], 1e-12);
      reweighted.move_all(shift);
      for (std::size_t i = 0; i < shift.size(); ++i) residual[i] -= omega[i] * shift[i];
      reweighted.residual(found);
      for (std::size_t i = 0; i < found.size(); ++i) EXPECT_NEAR(found[i], residual[i], 1e-12);
    }
  }
}

}  // namespace
}  // namespace strads::test
