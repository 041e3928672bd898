#include <Eigen/Cholesky>

#include "strads/base/status.hpp"
#include "strads/numerics/losses.hpp"

namespace strads {

std::vector<double> solve_symmetric(std::span<const double> a, std::span<const double> b) {
  STRADS_CHECK(a.size() == b.size() * b.size(), "a matrix for the vector");
  const auto size = static_cast<Eigen::Index>(b.size());
  using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  const Eigen::Map<const Matrix> matrix(a.data(), size, size);
  const Eigen::Map<const Eigen::VectorXd> right(b.data(), size);
  const Eigen::VectorXd x = matrix.ldlt().solve(right);
  return {x.begin(), x.end()};
}

}  // namespace strads
