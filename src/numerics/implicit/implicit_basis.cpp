// The Gram matrix of one side, and the basis in which it is diagonal.
#include <Eigen/Eigenvalues>
#include <Eigen/Jacobi>
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

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
  const std::size_t used = (size + kImplicitPanel - 1) / kImplicitPanel;
  std::vector<float> panels(std::min(kGathered, records.size()) * used * kImplicitPanel);
  for (std::size_t begin = 0; begin < records.size(); begin += kGathered) {
    const std::size_t count = std::min(kGathered, records.size() - begin);
    for (std::size_t panel = 0; panel < used; ++panel) {
      const std::size_t first = panel * kImplicitPanel, width = std::min<std::size_t>(rank - first, kImplicitPanel);
      float* out = panels.data() + panel * count * kImplicitPanel;
      for (std::size_t r = 0; r < count; ++r, out += kImplicitPanel) {
        std::fill(std::copy_n(records[begin + r] + first, width, out), out + kImplicitPanel, 0.0F);
      }
    }
    implicit_kernels().add_panels(panels.data(), count, size, gram.data());
  }
}

namespace {

using Square = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic>;

/// One step of the QR algorithm on a tridiagonal matrix, from `start` to `end`, with Wilkinson's shift: [GolubVanLoan],
/// in the order of Eigen's SelfAdjointEigenSolver, whose bits it has. Rotations are noted, not applied.
void step_of_qr(std::vector<double>& diagonal, std::vector<double>& beside, std::size_t start, std::size_t end,
                std::vector<BasisRotation>& rotations) {
  const double half = (diagonal[end - 1] - diagonal[end]) * 0.5, last = beside[end - 1];
  double shift = diagonal[end];
  if (half == 0) {
    shift -= std::abs(last);
  } else if (last != 0) {
    const double square = last * last, length = Eigen::numext::hypot(half, last);
    const double sum = half + (half > 0 ? length : -length);
    shift -= square == 0 ? last / (sum / last) : square / sum;
  }
  double x = diagonal[start] - shift, z = beside[start];
  for (std::size_t k = start; k < end && z != 0; ++k) {
    Eigen::JacobiRotation<double> rotation;
    rotation.makeGivens(x, z);
    const double c = rotation.c(), s = rotation.s();
    const double below = s * diagonal[k] + c * beside[k], next = s * beside[k] + c * diagonal[k + 1];
    diagonal[k] = c * (c * diagonal[k] - s * beside[k]) - s * (c * beside[k] - s * diagonal[k + 1]);
    diagonal[k + 1] = s * below + c * next;
    beside[k] = c * below - s * next;
    if (k > start) beside[k - 1] = c * beside[k - 1] - s * z;
    x = beside[k];
    if (k + 1 < end) {
      z = -s * beside[k + 1];
      beside[k + 1] = c * beside[k + 1];
    }
    rotations.push_back({static_cast<std::uint32_t>(k), c, s});
  }
}

/// Eigenvalues in `diagonal`, in no order, and the rotations that turn the tridiagonal basis into theirs.
std::vector<BasisRotation> rotations_of(std::vector<double>& diagonal, std::vector<double>& beside) {
  constexpr std::size_t kStepsOfEach = 30;
  constexpr double kLeast = std::numeric_limits<double>::min();
  constexpr double kInverse = 1 / std::numeric_limits<double>::epsilon();
  std::vector<BasisRotation> rotations;
  std::size_t start = 0, end = diagonal.size() - 1, steps = 0;
  while (end > 0) {
    for (std::size_t i = start; i < end; ++i) {
      if (std::abs(beside[i]) < kLeast) {
        beside[i] = 0;
        continue;
      }
      const double scaled = kInverse * beside[i];
      if (scaled * scaled <= std::abs(diagonal[i]) + std::abs(diagonal[i + 1])) beside[i] = 0;
    }
    while (end > 0 && beside[end - 1] == 0) --end;
    if (end == 0 || ++steps > kStepsOfEach * diagonal.size()) break;
    start = end - 1;
    while (start > 0 && beside[start - 1] != 0) --start;
    step_of_qr(diagonal, beside, start, end, rotations);
  }
  return rotations;
}

}  // namespace

BasisWork begin_basis(std::span<const double> gram, std::uint32_t rank) {
  const std::size_t size = implicit_size(rank);
  BasisWork work;
  work.rank = rank;
  const auto width = static_cast<Eigen::Index>(rank);
  Square whole = Square::Zero(width, width);
  for (std::size_t i = 0; i < rank; ++i) {
    for (std::size_t j = 0; j <= i; ++j) {
      whole(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j)) = gram[i * size + j];
    }
  }
  // To [-1, 1], so that nothing becomes too large or too small. Only the lower triangle is read.
  work.scale = whole.cwiseAbs().maxCoeff();
  if (work.scale == 0) work.scale = 1;
  whole /= work.scale;
  work.reflections.resize(rank * rank);
  work.lengths.resize(rank - 1);
  work.diagonal.resize(rank);
  work.side.resize(rank - 1);
  if (rank == 1) {
    work.diagonal[0] = whole(0, 0);
  } else {
    const Eigen::Tridiagonalization<Square> reduced(whole);
    Eigen::Map<Square>(work.reflections.data(), width, width) = reduced.packedMatrix();
    Eigen::Map<Eigen::VectorXd>(work.lengths.data(), width - 1) = reduced.householderCoefficients();
    Eigen::Map<Eigen::VectorXd>(work.diagonal.data(), width) = reduced.diagonal();
    Eigen::Map<Eigen::VectorXd>(work.side.data(), width - 1) = reduced.subDiagonal();
  }
  work.basis.vectors.assign(size * size, 0.0F);
  work.basis.back.assign(size * size, 0.0F);
  return work;
}

void form_basis(BasisWork& work) {
  const auto width = static_cast<Eigen::Index>(work.rank);
  if (work.rank == 1) {
    work.reflections[0] = 1;
    return;
  }
  const Square packed = Eigen::Map<const Square>(work.reflections.data(), width, width);
  const Eigen::VectorXd lengths = Eigen::Map<const Eigen::VectorXd>(work.lengths.data(), width - 1);
  const Square q =
      Eigen::HouseholderSequence<Square, Eigen::VectorXd>(packed, lengths).setLength(width - 1).setShift(1);
  Eigen::Map<Square>(work.reflections.data(), width, width) = q;
}

void rotate_basis(BasisWork& work) {
  std::vector<double> diagonal = work.diagonal, beside = work.side;
  if (work.rank > 1) work.rotations = rotations_of(diagonal, beside);
  work.order.resize(work.rank);
  std::iota(work.order.begin(), work.order.end(), 0U);
  std::ranges::stable_sort(work.order, [&](std::uint32_t a, std::uint32_t b) { return diagonal[a] < diagonal[b]; });
  work.basis.values.assign(implicit_size(work.rank), 0.0);
  for (std::size_t e = 0; e < work.rank; ++e) {
    work.basis.values[e] = std::max(diagonal[work.order[e]] * work.scale, 0.0);
  }
}

void turn_strip(BasisWork& work, std::size_t strip) {
  const std::size_t size = implicit_size(work.rank), rank = work.rank, first = strip * kBasisStrip;
  const std::size_t count = std::min(kBasisStrip, rank - first);
  std::vector<double> own(rank * kBasisStrip);  // columns of kBasisStrip numbers
  for (std::size_t k = 0; k < rank; ++k) {
    const double* const column = work.reflections.data() + k * rank + first;
    std::copy_n(column, count, own.data() + k * kBasisStrip);
  }
  Eigen::Map<Eigen::Matrix<double, kBasisStrip, Eigen::Dynamic>> rows(own.data(), kBasisStrip,
                                                                      static_cast<Eigen::Index>(rank));
  for (const BasisRotation& each : work.rotations) {
    rows.applyOnTheRight(each.at, each.at + 1, Eigen::JacobiRotation<double>(each.c, each.s));
  }
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t e = 0; e < rank; ++e) {
      const auto value = static_cast<float>(own[work.order[e] * kBasisStrip + i]);
      work.basis.vectors[(first + i) * size + e] = value;
      work.basis.back[e * size + first + i] = value;
    }
  }
}

ImplicitBasis basis_of(std::span<const double> gram, std::uint32_t rank) {
  BasisWork work = begin_basis(gram, rank);
  form_basis(work);
  rotate_basis(work);
  for (std::size_t strip = 0; strip < basis_strips(rank); ++strip) turn_strip(work, strip);
  return std::move(work.basis);
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
