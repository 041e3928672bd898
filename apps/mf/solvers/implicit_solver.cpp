#include "mf/solvers/implicit_solver.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>

namespace strads::mf {
namespace {

/// Small, so that the first users are found where the objective is almost a parabola; as the paper's normal numbers
/// with a deviation of 0.1 / sqrt(rank).
constexpr double kStartWidth = 0.35;

/// What eigenvectors take of local flops in rank^3: thirds of it for the tridiagonal form and its basis, for which all
/// wait (2.2 and 1.8 ms at rank 256, 0.24 and 0.28 at 128), and for the rotations, by strips (7.8 and 1.0 ms). What a
/// row does with each factor of a pair besides products of pairs.
constexpr std::uint64_t kThirdsOfBasis = 8, kFlopsOfStrips = 5, kFlopsOfPair = 6;

}  // namespace

ImplicitProblem implicit_problem(const MfOptions& options, std::uint64_t columns) {
  return {.rank = options.rank,
          .lambda = options.lambda,
          .alpha0 = options.alpha0,
          .nu = options.nu,
          .columns = columns,
          .way = options.solver == Solver::cd   ? ImplicitWay::blocks
                 : options.solver == Solver::cg ? ImplicitWay::steps
                                                : ImplicitWay::exact,
          .width = std::min(options.width, options.rank),
          .steps = options.cg_steps,
          .alpha = options.alpha,
          .hu = options.hu};
}

ImplicitSolver::ImplicitSolver(const MfOptions& options)
    : RowPages(options, row_facts(options, false, false), kStartWidth) {}

ImplicitProblem ImplicitSolver::problem_of(Side side) const {
  return implicit_problem(options(), data().size(other(side)));
}

std::vector<std::size_t> ImplicitSolver::arrays(std::span<const double> plan, std::uint32_t page, std::uint32_t) const {
  return {rows_of(side_of(plan), page).size() * stride()};
}

std::vector<double> ImplicitSolver::penalties_of_page(Side side, std::size_t page, const float* records) const {
  const ImplicitProblem problem = problem_of(side);
  const auto& counts = data().counts[mf::index_of(side)];
  const auto& rows = rows_of(side, page);
  std::vector<double> sums(options().rank + 1);
  for (std::size_t r = 0; r < rows.size(); ++r) {
    const double scale = problem.scale(counts[rows[r]]);
    const float* const record = records + r * stride();
    for (std::size_t k = 0; k < options().rank; ++k) {
      sums[k] += scale * static_cast<double>(record[k]) * static_cast<double>(record[k]);
    }
  }
  return sums;
}

std::shared_ptr<OtherSide> ImplicitSolver::other_side(const MfState& base, std::span<const double> plan) const {
  const Side side = other(side_of(plan));
  const std::uint64_t phase = plan_of(plan).first;
  const std::lock_guard lock(mutex_);
  if (other_ != nullptr && phase_ == phase) return other_;
  if (is_released(partition(), base, side, stride())) return nullptr;
  other_.reset();  // before the next one is there
  other_ = std::make_shared<OtherSide>(*this, partition(), base, side, problem_of(side_of(plan)));
  phase_ = phase;
  return other_;
}

/// The turned side goes before the factors are reported.
void ImplicitSolver::finish(MfState&) const {
  const std::lock_guard lock(mutex_);
  other_.reset();
}

/// Each worker has one block a scheduler. Those of a node share what is computed of the other side, but for the
/// tridiagonal form and its basis, for which all of them wait; the rotations have a piece for each strip.
Cost ImplicitSolver::cost_of(Side side, const ImplicitProblem& problem, const RatingRows& rows,
                             const RowSums& sums) const {
  const SidePartition& own = partition().of(side);
  const std::uint64_t rank = options().rank, square = rank * rank;
  const bool by_blocks = problem.way == ImplicitWay::blocks;
  const std::uint64_t shared = problem.columns * (square + 2 * rank * (by_blocks ? problem.width : rank));
  const std::uint64_t sharers = std::min<std::uint64_t>(workers_here(), basis_strips(options().rank));
  const std::uint64_t cube = by_blocks ? 0 : square * rank / own.schedulers;
  const std::uint64_t waited_for = cube * kThirdsOfBasis / 3, in_strips = cube * kFlopsOfStrips;
  // Short products, a row's equations and what it makes of its pairs stay in the caches.
  std::uint64_t local = kFlopsOfPair * rows.ratings() * rank;
  if (problem.way == ImplicitWay::exact) {
    for (std::size_t r = 0; r < rows.rows(); ++r) {
      const std::uint64_t width = std::min<std::uint64_t>(rows.begins[r + 1] - rows.begins[r], rank);
      local += width * width * width / 3;
    }
  }
  Cost cost;
  cost.flops = sums.flops + shared / (own.schedulers * own.workers) + waited_for + in_strips;
  cost.local = std::min(local, sums.flops) + waited_for + in_strips / sharers;
  cost.tiled = sums.flops - std::min(local, sums.flops) + shared / (own.schedulers * workers_here());
  cost.bytes = cost.gathered = rows.ratings() * stride() * sizeof(float);
  cost.updates = rows.rows();
  return cost;
}

Push ImplicitSolver::push(const MfState& base, std::span<const double> plan, std::uint32_t page,
                          const WorkerRatings& ratings) const {
  const Side side = side_of(plan);
  const RatingRows rows = train_rows(ratings, side, page, 0);
  const SharedFloats before = records(base, side, page);
  SharedFloats after(rows.rows() * stride());
  RowSums sums;
  const ImplicitProblem problem = problem_of(side);
  if (const auto others = other_side(base, plan)) {
    others->prepare();
    update_implicit_rows(rows, others->columns(), others->basis(), problem, before.data(), after.writable().data(),
                         sums);
  } else {
    std::ranges::fill(after.writable(), 0.0F);
  }
  const auto penalties = penalties_of_page(side, page, after.data());
  Push push;
  push.deltas.values = values_of_entry(plan, page, 0, sums);
  push.deltas.values.insert(push.deltas.values.end(), penalties.begin(), penalties.end());
  push.deltas.bulk.push_back(std::move(after));
  const auto weights = weights_of(plan, options().rank);
  push.predicted = sums.error_before - sums.error_after +
                   options().lambda * (weighted_penalty(base.penalties_of_page(side, page), weights, side) -
                                       weighted_penalty(penalties, weights, side));
  push.cost = cost_of(side, problem, rows, sums);
  return push;
}

}  // namespace strads::mf
