#include "support/serial_factorization.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "strads/base/random.hpp"

namespace strads::test {
namespace {

/// One side of a model: what is updated, and what it is multiplied with.
struct Side {
  std::vector<double>& own;
  std::vector<double>& own_bias;
  const std::vector<double>& other;
  const std::vector<double>& other_bias;
  std::size_t size;
  bool columns;

  [[nodiscard]] std::size_t mine(const SerialRating& r) const { return columns ? r.column : r.row; }
  [[nodiscard]] std::size_t theirs(const SerialRating& r) const { return columns ? r.row : r.column; }
};

Side side_of(const SerialProblem& problem, bool columns, SerialModel& model) {
  if (columns) return {model.h, model.column_bias, model.w, model.row_bias, problem.columns, true};
  return {model.w, model.row_bias, model.h, model.column_bias, problem.rows, false};
}

double residual(const SerialProblem& problem, const SerialModel& model, const SerialRating& r) {
  double e = r.value - problem.mean - model.row_bias[r.row] - model.column_bias[r.column];
  for (std::size_t t = 0; t < problem.rank; ++t) {
    e -= model.w[r.row * problem.rank + t] * model.h[r.column * problem.rank + t];
  }
  return e;
}

double penalty_factor(const SerialProblem& problem, std::size_t count) {
  return problem.weighted ? problem.lambda * static_cast<double>(count) : problem.lambda;
}

std::vector<std::vector<SerialRating>> by_owner(const SerialProblem& problem, const Side& side) {
  std::vector<std::vector<SerialRating>> lists(side.size);
  for (const SerialRating& r : problem.ratings) lists[side.mine(r)].push_back(r);
  return lists;
}

/// Solves the symmetric positive definite G x = g in place, by elimination; a zero pivot leaves its variable at 0.
std::vector<double> solve(std::vector<double> matrix, std::vector<double> right) {
  const std::size_t d = right.size();
  for (std::size_t k = 0; k < d; ++k) {
    for (std::size_t i = k + 1; i < d && matrix[k * d + k] > 0; ++i) {
      const double ratio = matrix[i * d + k] / matrix[k * d + k];
      for (std::size_t j = k; j < d; ++j) matrix[i * d + j] -= ratio * matrix[k * d + j];
      right[i] -= ratio * right[k];
    }
  }
  for (std::size_t k = d; k-- > 0;) {
    for (std::size_t j = k + 1; j < d; ++j) right[k] -= matrix[k * d + j] * right[j];
    right[k] = matrix[k * d + k] > 0 ? right[k] / matrix[k * d + k] : 0;
  }
  return right;
}

/// The partner's entry for coordinate t; the bias' is 1.
double partner(const SerialProblem& problem, const Side& side, const SerialRating& r, std::size_t t) {
  return t == problem.rank ? 1 : side.other[side.theirs(r) * problem.rank + t];
}

double& coordinate(const SerialProblem& problem, const Side& side, std::size_t i, std::size_t t) {
  return t == problem.rank ? side.own_bias[i] : side.own[i * problem.rank + t];
}

/// Coordinates [begin, end) of one row: (G + n lambda) delta = sum e x - n lambda w.
void solve_block(const SerialProblem& problem, const Side& side, const SerialModel& model,
                 const std::vector<SerialRating>& ratings, std::size_t i, std::size_t begin, std::size_t end) {
  const std::size_t d = end - begin;
  const double penalty = penalty_factor(problem, ratings.size());
  std::vector<double> gram(d * d, 0.0), gradient(d, 0.0);
  for (const SerialRating& r : ratings) {
    const double e = residual(problem, model, r);
    for (std::size_t a = 0; a < d; ++a) {
      const double x = partner(problem, side, r, begin + a);
      gradient[a] += e * x;
      for (std::size_t b = 0; b < d; ++b) gram[a * d + b] += x * partner(problem, side, r, begin + b);
    }
  }
  for (std::size_t a = 0; a < d; ++a) {
    gram[a * d + a] += penalty;
    gradient[a] -= penalty * coordinate(problem, side, i, begin + a);
  }
  const std::vector<double> delta = solve(std::move(gram), std::move(gradient));
  for (std::size_t a = 0; a < d; ++a) coordinate(problem, side, i, begin + a) += problem.relaxation * delta[a];
}

}  // namespace

SerialModel serial_start(const SerialProblem& problem, std::uint64_t seed) {
  CounterRng random(seed, Purpose::tests);
  SerialModel model;
  model.w.resize(problem.rows * problem.rank);
  model.h.resize(problem.columns * problem.rank);
  for (double& value : model.w) value = random.unit() - 0.5;
  for (double& value : model.h) value = random.unit() - 0.5;
  model.row_bias.assign(problem.rows, 0.0);
  model.column_bias.assign(problem.columns, 0.0);
  return model;
}

double serial_error(const SerialProblem& problem, const SerialModel& model) {
  double sum = 0;
  for (const SerialRating& r : problem.ratings) sum += std::pow(residual(problem, model, r), 2);
  return sum;
}

double serial_objective(const SerialProblem& problem, const SerialModel& model) {
  double sum = serial_error(problem, model);
  SerialModel copy = model;
  for (const bool columns : {false, true}) {
    const Side side = side_of(problem, columns, copy);
    const auto lists = by_owner(problem, side);
    for (std::size_t i = 0; i < side.size; ++i) {
      double squares = side.own_bias[i] * side.own_bias[i];
      for (std::size_t t = 0; t < problem.rank; ++t) squares += std::pow(side.own[i * problem.rank + t], 2);
      sum += penalty_factor(problem, lists[i].size()) * squares;
    }
  }
  return sum;
}

void serial_feature(const SerialProblem& problem, bool side_columns, std::size_t t, SerialModel& model) {
  const Side side = side_of(problem, side_columns, model);
  const auto lists = by_owner(problem, side);
  for (std::size_t i = 0; i < side.size; ++i) {
    double& w = coordinate(problem, side, i, t);
    double above = 0, below = penalty_factor(problem, lists[i].size());
    for (const SerialRating& r : lists[i]) {
      const double x = partner(problem, side, r, t);
      above += (residual(problem, model, r) + w * x) * x;
      below += x * x;
    }
    w = below > 0 ? above / below : 0;
  }
}

void serial_ccd_sweep(const SerialProblem& problem, SerialModel& model) {
  for (const bool columns : {false, true}) {
    if (problem.bias) serial_feature(problem, columns, problem.rank, model);
  }
  for (std::size_t t = 0; t < problem.rank; ++t) {
    serial_feature(problem, false, t, model);
    serial_feature(problem, true, t, model);
  }
}

void serial_block_pass(const SerialProblem& problem, bool side_columns, std::size_t width, SerialModel& model) {
  const Side side = side_of(problem, side_columns, model);
  const auto lists = by_owner(problem, side);
  for (std::size_t i = 0; i < side.size; ++i) {
    if (lists[i].empty()) {
      for (std::size_t t = 0; t < problem.rank + (problem.bias ? 1 : 0); ++t) coordinate(problem, side, i, t) = 0;
      continue;
    }
    std::size_t begin = 0;
    for (; begin + width < problem.rank; begin += width) {
      solve_block(problem, side, model, lists[i], i, begin, begin + width);
    }
    solve_block(problem, side, model, lists[i], i, begin, problem.rank + (problem.bias ? 1 : 0));
  }
}

void serial_block_sweep(const SerialProblem& problem, std::size_t width, SerialModel& model) {
  serial_block_pass(problem, false, width, model);
  serial_block_pass(problem, true, width, model);
}

void serial_als_sweep(const SerialProblem& problem, SerialModel& model) {
  serial_block_sweep(problem, problem.rank + 1, model);
}

SerialProblem made_up_ratings(std::size_t rows, std::size_t columns, std::size_t count, std::uint64_t seed) {
  CounterRng random(seed, Purpose::tests, 1);
  const auto centred = [&random] { return 2 * random.unit() - 1; };
  std::vector<double> left(3 * rows), right(3 * columns);
  for (double& value : left) value = centred();
  for (double& value : right) value = centred();
  SerialProblem problem{.rows = rows, .columns = columns, .mean = 3.5};
  std::set<std::pair<std::size_t, std::size_t>> seen;
  count = std::min(count, rows * columns);
  while (problem.ratings.size() < count) {
    const auto i = static_cast<std::size_t>(random.below(rows)), j = static_cast<std::size_t>(random.below(columns));
    if (!seen.emplace(i, j).second) continue;
    const double product = left[3 * i] * right[3 * j] + left[3 * i + 1] * right[3 * j + 1];
    const double value = 3.5 + product + 0.5 * left[3 * i + 2] + 0.5 * right[3 * j + 2] + 0.1 * centred();
    problem.ratings.push_back({i, j, value});
  }
  return problem;
}

}  // namespace strads::test
