#include "regression/scoring/small_systems.hpp"

#include <cmath>

namespace strads::lasso {
namespace {

constexpr double kDependentPivot = 1e-10;

/// L with A = L L' in the lower half; a dependent unknown has a row and a column of zeros.
void factorize(SmallMatrix& a) {
  for (std::size_t k = 0; k < a.size; ++k) {
    const double diagonal = a.at(k, k);
    double pivot = diagonal;
    for (std::size_t l = 0; l < k; ++l) pivot -= a.at(k, l) * a.at(k, l);
    const bool dependent = !(pivot > kDependentPivot * diagonal);
    const double root = dependent ? 0 : std::sqrt(pivot);
    a.at(k, k) = root;
    for (std::size_t i = k + 1; i < a.size; ++i) {
      double left = a.at(i, k);
      for (std::size_t l = 0; l < k; ++l) left -= a.at(i, l) * a.at(k, l);
      a.at(i, k) = dependent ? 0 : left / root;
    }
  }
}

}  // namespace

std::vector<double> solve_symmetric(SmallMatrix matrix, std::span<const double> right) {
  factorize(matrix);
  std::vector<double> x(right.begin(), right.end());
  for (std::size_t i = 0; i < matrix.size; ++i) {
    for (std::size_t k = 0; k < i; ++k) x[i] -= matrix.at(i, k) * x[k];
    x[i] = matrix.at(i, i) == 0 ? 0 : x[i] / matrix.at(i, i);
  }
  for (std::size_t i = matrix.size; i-- > 0;) {
    for (std::size_t k = i + 1; k < matrix.size; ++k) x[i] -= matrix.at(k, i) * x[k];
    x[i] = matrix.at(i, i) == 0 ? 0 : x[i] / matrix.at(i, i);
  }
  return x;
}

}  // namespace strads::lasso
