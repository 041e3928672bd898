#include "lasso/solver/ridge_solver.hpp"

#include <algorithm>

#include "lasso/problem/certificate.hpp"
#include "lasso/solver/block_tally.hpp"
#include "lasso/solver/lasso_push.hpp"

namespace strads::lasso {

namespace {

/// The diagonals of the quadratic: E, and that of the preconditioner.
struct Diagonals {
  std::vector<double> l2, about;
};

Diagonals diagonals_of(const RidgeQuadratic& quadratic) {
  Diagonals diagonals;
  for (const VarId j : quadratic.variables) {
    diagonals.l2.push_back(quadratic.penalty.of(j).l2);
    diagonals.about.push_back(quadratic.curvature * quadratic.columns.squared_norm(j) + diagonals.l2.back());
  }
  return diagonals;
}

/// sum h_j^2 / (2 E_j).
double gap_of(std::span<const double> h, std::span<const double> l2) {
  double sum = 0;
  for (std::size_t k = 0; k < h.size(); ++k) sum += h[k] * h[k] / (2 * l2[k]);
  return sum;
}

}  // namespace

RidgeWay minimise_ridge(const RidgeQuadratic& quadratic, std::vector<double> h, double gap_max,
                        std::uint32_t products_max, Chunks& chunks, Cost& cost) {
  const StandardizedColumns& columns = quadratic.columns;
  const std::size_t size = quadratic.variables.size();
  const Diagonals diagonals = diagonals_of(quadratic);
  std::uint64_t pass = 0;
  for (const VarId j : quadratic.variables) pass += columns.work(j);
  RidgeWay found{std::vector<double>(size, 0.0)};
  std::vector<double> direction(size), product(size), moved(columns.rows());
  double length = 0;
  const auto turn = [&](double share) {
    for (std::size_t k = 0; k < size; ++k) direction[k] = h[k] / diagonals.about[k] + share * direction[k];
  };
  const auto length_now = [&] {
    double sum = 0;
    for (std::size_t k = 0; k < size; ++k) sum += h[k] * h[k] / diagonals.about[k];
    return sum;
  };
  while (found.products < products_max && gap_of(h, diagonals.l2) > gap_max) {
    const double before = std::exchange(length, length_now());
    if (!(length > 0)) break;
    turn(found.products == 0 ? 0.0 : length / before);
    columns.combine(quadratic.variables, direction, moved, chunks);
    const std::vector<double> plain = moved;
    if (quadratic.weigh) quadratic.weigh(moved);
    columns.dots(quadratic.variables, moved, product, chunks);
    count_pass(cost, 2 * pass);
    double curvature = dot(plain, moved);
    for (std::size_t k = 0; k < size; ++k) curvature += diagonals.l2[k] * direction[k] * direction[k];
    if (!(curvature > 0)) break;
    const double step = length / curvature;
    for (std::size_t k = 0; k < size; ++k) {
      found.way[k] += step * direction[k];
      h[k] -= step * (product[k] + diagonals.l2[k] * direction[k]);
    }
    found.decrease += 0.5 * step * length;
    ++found.products;
    cost.local += 12 * size + 4 * moved.size();
  }
  return found;
}

Push solve_ridge(const StandardizedColumns& columns, const Penalty& penalty, const Block& block, Local local, Push push,
                 Chunks& chunks) {
  const std::size_t size = local.variables.size();
  std::vector<double> h(size);
  for (std::size_t k = 0; k < size; ++k) {
    h[k] = local.gradient[k] - penalty.of(local.variables[k]).l2 * local.value[k];
  }
  const std::uint64_t flops_before = push.cost.flops;
  const RidgeWay found = minimise_ridge({columns, local.variables, penalty}, std::move(h), block.tolerance,
                                        std::min(block.sweeps, kRidgeProductsMax), chunks, push.cost);
  for (std::size_t k = 0; k < size; ++k) local.value[k] += found.way[k];
  push.predicted = found.decrease;
  push.cost.updates += std::uint64_t{found.products} * size;
  push.tally.assign(kBlockCounts, 0);
  push.tally[kResidualBlocks] = 1;
  push.tally[kResidualFlops] = push.cost.flops - flops_before;
  push.tally[kSupportSteps] = found.decrease > 0 ? 1 : 0;
  push.tally[kSupportProducts] = found.products;
  put_deltas(local, block, push);
  return push;
}

}  // namespace strads::lasso
