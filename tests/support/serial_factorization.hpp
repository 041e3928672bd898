// Matrix factorization in plain double precision, one rating after the other: what blocks, pages, features and vectors
// are compared with. Formulas: the paper's eqs. (4), (5) and docs/MODELS.md, "Matrix factorization".
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace strads::test {

struct SerialRating {
  std::size_t row = 0, column = 0;
  double value = 0;
};

/// a_ij ~ mean + b_i + c_j + w_i'h_j, minimised: squared errors + lambda (sum of n_i^weighted (|w_i|^2 + b_i^2) over
/// rows and columns), n = number of ratings of the row or column.
struct SerialProblem {
  std::size_t rows = 0, columns = 0, rank = 0;
  std::vector<SerialRating> ratings{};
  double lambda = 0;
  bool weighted = true;
  bool bias = false;
  double mean = 0;
  double relaxation = 1;  ///< blocks move so many times as far as their minimum
};

struct SerialModel {
  std::vector<double> w;         ///< rows x rank, row by row
  std::vector<double> h;         ///< columns x rank, row by row
  std::vector<double> row_bias;  ///< 0 where there are none
  std::vector<double> column_bias;
};

/// Factors in [-0.5, 0.5) from the seed, biases 0.
SerialModel serial_start(const SerialProblem& problem, std::uint64_t seed);

double serial_objective(const SerialProblem& problem, const SerialModel& model);
/// Sum of squared errors over the ratings.
double serial_error(const SerialProblem& problem, const SerialModel& model);

/// Eq. (4) for feature t of all rows, or with `side_columns` eq. (5) for all columns. t = rank: the bias.
void serial_feature(const SerialProblem& problem, bool side_columns, std::size_t t, SerialModel& model);

/// One sweep of CCD++: biases of rows, then of columns, then feature by feature the rows and then the columns.
void serial_ccd_sweep(const SerialProblem& problem, SerialModel& model);

/// One pass of block coordinate descent over the rows (or columns): `width` coordinates of [w_i, b_i] at a time, the
/// bias in the last block. width >= rank + 1 is ALS. Rows without ratings become 0.
void serial_block_pass(const SerialProblem& problem, bool side_columns, std::size_t width, SerialModel& model);

/// A sweep: rows, then columns.
void serial_block_sweep(const SerialProblem& problem, std::size_t width, SerialModel& model);
void serial_als_sweep(const SerialProblem& problem, SerialModel& model);

/// `count` different pairs with values around mean + biases + a product of rank 2, noise, all from the seed.
SerialProblem made_up_ratings(std::size_t rows, std::size_t columns, std::size_t count, std::uint64_t seed);

}  // namespace strads::test
