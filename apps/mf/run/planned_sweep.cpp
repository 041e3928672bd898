// What a fit is going to cost, from sizes alone: for `strads_sim plan mf`.
#include <algorithm>
#include <cmath>

#include "mf/mf_node.hpp"
#include "mf/options/fit_options.hpp"
#include "mf/run/mf_memory.hpp"
#include "strads/numerics/factorization.hpp"
#include "strads/numerics/implicit.hpp"

namespace strads::mf {
namespace {

// The formulas are those by which solvers count what they do (apps/mf/solvers, src/numerics/factors).
constexpr double kFlopsOfBasis = 9, kBasisSlower = 2, kFlopsOfPair = 6, kFlopsOfSgd = 8;
constexpr std::uint32_t kWidth = 8;  ///< --block-width

Solver solver_of(const PlannedFactorization& fit) {
  if (fit.solver == "sgd") return Solver::sgd;
  return fit.solver == "als" ? Solver::als : Solver::cd;
}

std::uint64_t whole(double count) {
  return static_cast<std::uint64_t>(std::llround(count));
}

/// Of a side of `rows` rows, by blocks of coordinates: linear in ratings and rows.
double flops_by_blocks(double ratings, double rows, std::uint32_t rank, std::uint32_t block) {
  const std::uint32_t coordinates = rank + 1;  // with the bias
  double flops = 2 * ratings * (rank + 2);
  for (std::uint32_t first = 0; first < coordinates; first += block) {
    const double width = std::min(block, coordinates - first);
    flops += ratings * width * (width + 5) + rows * width * width * (width + 6) / 3;
  }
  return flops;
}

/// Rows have as many pairs as a log-normal law says whose logarithm varies by `kSpread`: a few have most. Its mean is
/// that of the rows.
template <class OfRow>
double over_rows(double pairs, double rows, const OfRow& of_row) {
  constexpr int kParts = 64;
  constexpr double kSpread = 1.0;  // MovieLens 1.06 and 1.31 (users and items), Gowalla 0.75 and 0.66
  double sum = 0, weights = 0;
  std::vector<double> counts;
  for (int part = 0; part < kParts; ++part) {
    // Quantiles of the normal law from -3 to 3 by equal steps, each with its density.
    const double z = -3 + 6 * (part + 0.5) / kParts, weight = std::exp(-z * z / 2);
    const double count = pairs / rows * std::exp(kSpread * z - kSpread * kSpread / 2);
    sum += weight * of_row(std::max(1.0, count));
    weights += weight;
  }
  return rows * sum / weights;
}

/// Of one side; `others`: rows of the other one.
void add_implicit(const PlannedFactorization& fit, double rows, double others, Cost& cost) {
  const double rank = fit.rank, square = rank * rank;
  const double pairs = static_cast<double>(fit.ratings);
  const double products =
      over_rows(pairs, rows, [&](double n) { return (n < rank ? n * n * rank : n * square) + 6 * square; });
  const double equations = over_rows(pairs, rows, [&](double n) {
    const double width = std::min(n, rank);
    return width * width * width / 3;
  });
  const double half = kFlopsOfBasis * square * rank / 2;
  const double workers = static_cast<double>(fit.workers);
  cost.tiled += whole(products + 3 * others * square);
  cost.local += whole(equations + kFlopsOfPair * pairs * rank);
  // For half of the basis all workers wait, the other half is shared by a node's: here in processor time.
  cost.local += whole(kBasisSlower * half * (workers + static_cast<double>(std::max<std::uint64_t>(1, fit.nodes))));
  cost.gathered += whole(pairs * static_cast<double>(record_stride(fit.rank)) * sizeof(float));
}

}  // namespace

PlannedSweep plan_sweep(const PlannedFactorization& fit) {
  PlannedSweep sweep;
  const double learnt = static_cast<double>(fit.ratings) * (1 - fit.held_out);
  const double rows[] = {static_cast<double>(fit.users), static_cast<double>(fit.items)};
  const Solver solver = solver_of(fit);
  const double stride = static_cast<double>(solver == Solver::sgd ? sgd_stride(fit.rank) : record_stride(fit.rank));
  sweep.factor_bytes = (rows[0] + rows[1]) * stride * sizeof(float);
  sweep.user_bytes = rows[0] * stride * sizeof(float);
  sweep.phases = solver == Solver::sgd ? fit.workers : 2;
  if (fit.implicit) {
    add_implicit(fit, rows[0], rows[1], sweep.cost);
    add_implicit(fit, rows[1], rows[0], sweep.cost);
  } else if (solver == Solver::sgd) {
    sweep.cost.tiled = whole(kFlopsOfSgd * learnt * fit.rank);
    sweep.cost.gathered = whole(2 * learnt * stride * sizeof(float));
  } else {
    for (const double of_side : rows) {
      const std::uint32_t block = solver == Solver::als ? fit.rank + 1 : kWidth;
      sweep.cost.tiled += whole(flops_by_blocks(learnt, of_side, fit.rank, block));
      sweep.cost.gathered += whole(learnt * stride * sizeof(float));
    }
  }
  if (fit.held_out > 0) {
    const double judged = static_cast<double>(fit.ratings) * fit.held_out;
    sweep.cost.tiled += whole(judged * 2 * fit.rank);
    sweep.cost.gathered += whole(judged * stride * sizeof(float));
    ++sweep.phases;
  }
  return sweep;
}

MemoryPlan plan_memory(const PlannedFactorization& fit, unsigned threads) {
  MfSizes sizes;
  sizes.ratings.ratings = fit.ratings;
  sizes.ratings.users = fit.users;
  sizes.ratings.items = fit.items;
  sizes.keeps_best = fit.held_out > 0;
  sizes.held_out = fit.held_out;
  sizes.solver = solver_of(fit);
  sizes.implicit = fit.implicit;
  sizes.rank = fit.rank;
  sizes.blocks = fit.workers;
  MemoryPlan plan;
  if (fit.nodes == 0) {
    plan.add(mf_memory(sizes), "this process", 1, true, threads);
    return plan;
  }
  sizes.nodes = fit.nodes;
  const double workers = static_cast<double>(fit.workers);
  sizes.share = std::min(1.0, std::ceil(workers / static_cast<double>(fit.nodes)) / workers);
  plan.add(mf_memory(sizes), "node", fit.nodes, false, threads);
  sizes.share = 0;
  plan.add(mf_memory(sizes), "driver", 1, true, threads);
  return plan;
}

}  // namespace strads::mf
