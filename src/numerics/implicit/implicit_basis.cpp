// The Gram matrix of one side, and the basis in which it is diagonal.
#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>

#include "numerics/implicit/implicit_kernels.hpp"
#include "strads/base/status.hpp"
#include "strads/numerics/implicit.hpp"

namespace strads {
namespace {

/// Records that are gathered at a time: single precision sums stay this short.
constexpr std::size_t kGathered = 256;

}  // namespace

double ImplicitProblem::scale(std::uint64_t count) const {
  return std::pow(static_cast<double>(count) + alpha0 * static_cast<double>(columns), nu);
}

void add_to_gram(std::span<const float* const> records, std::uint32_t rank, std::span<double> gram) {
  const std::size_t size = implicit_size(rank);
  STRADS_CHECK(gram.size() == size * size, "a square of the padded rank");
  const ImplicitKernels& kernels = implicit_kernels();
  std::vector<float> rows(kGathered * size), sums(size * size);
  for (std::size_t begin = 0; begin < records.size(); begin += kGathered) {
    const std::size_t count = std::min(kGathered, records.size() - begin);
    for (std::size_t r = 0; r < count; ++r) {
      std::copy_n(records[begin + r], rank, rows.begin() + static_cast<std::ptrdiff_t>(r * size));
    }
    std::ranges::fill(sums, 0.0F);
    kernels.product({.a = rows.data(),
                     .a_row = 1,
                     .a_deep = size,
                     .b = rows.data(),
                     .b_row = size,
                     .depth = count,
                     .rows = size,
                     .columns = size,
                     .out = sums.data(),
                     .out_row = size,
                     .lower = true});
    for (std::size_t i = 0; i < size; ++i) {
      for (std::size_t j = 0; j <= i; ++j) gram[i * size + j] += static_cast<double>(sums[i * size + j]);
    }
  }
}

ImplicitBasis basis_of(std::span<const double> gram, std::uint32_t rank, bool turned) {
  using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic>;
  const std::size_t size = implicit_size(rank);
  ImplicitBasis basis;
  basis.gram.assign(size * size, 0.0F);
  Matrix whole(static_cast<Eigen::Index>(rank), static_cast<Eigen::Index>(rank));
  for (std::size_t i = 0; i < rank; ++i) {
    for (std::size_t j = 0; j <= i; ++j) {
      const double value = gram[i * size + j];
      basis.gram[i * size + j] = basis.gram[j * size + i] = static_cast<float>(value);
      whole(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j)) = value;
    }
  }
  if (!turned) return basis;
  const Eigen::SelfAdjointEigenSolver<Matrix> solver(whole);  // reads the lower triangle
  basis.values.assign(size, 0.0);
  basis.vectors.assign(size * size, 0.0F);
  basis.back.assign(size * size, 0.0F);
  for (std::size_t e = 0; e < rank; ++e) {
    basis.values[e] = std::max(solver.eigenvalues()(static_cast<Eigen::Index>(e)), 0.0);
    for (std::size_t k = 0; k < rank; ++k) {
      const auto value =
          static_cast<float>(solver.eigenvectors()(static_cast<Eigen::Index>(k), static_cast<Eigen::Index>(e)));
      basis.vectors[k * size + e] = value;
      basis.back[e * size + k] = value;
    }
  }
  return basis;
}

void turn_records(const ImplicitBasis& basis, std::uint32_t rank, const float* records, std::size_t count,
                  std::size_t stride, float* out) {
  const std::size_t size = implicit_size(rank);
  std::fill_n(out, count * size, 0.0F);
  implicit_kernels().product({.a = records,
                              .a_row = stride,
                              .a_deep = 1,
                              .b = basis.vectors.data(),
                              .b_row = size,
                              .depth = rank,
                              .rows = count,
                              .columns = size,
                              .out = out,
                              .out_row = size});
}

}  // namespace strads
