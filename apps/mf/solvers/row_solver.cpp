#include "mf/solvers/row_solver.hpp"

#include <algorithm>
#include <utility>

#include "strads/base/status.hpp"

namespace strads::mf {
namespace {

/// Penalty weights of one side as the kernels want them; empty where all are 1.
std::vector<float> weights_of(std::span<const double> plan, Side side) {
  const auto weights = plan.subspan(kFields<Plan>);
  if (std::all_of(weights.begin(), weights.end(), [](double w) { return w == 1; })) return {};
  std::vector<float> of_side(weights.size());
  std::transform(weights.begin(), weights.end(), of_side.begin(),
                 [side](double w) { return static_cast<float>(side == Side::users ? w : 1 / w); });
  return of_side;
}

std::vector<double> values_of(std::span<const double> plan, std::uint32_t page, const RowSums& sums,
                              std::span<const double> penalties) {
  std::vector<double> values = values_of_entry(plan, page, 0, sums);
  values.insert(values.end(), penalties.begin(), penalties.end());
  return values;
}

}  // namespace

RowSolver::RowSolver(const MfOptions& options, std::uint32_t width)
    : RowPages(options, row_facts(options, true, true), 1.0), width_(width) {}

RowProblem RowSolver::problem_of(std::span<const double> plan, std::span<const float> weights) const {
  return {.rank = options().rank,
          .bias = options().bias,
          .mean = static_cast<float>(mean()),
          .lambda = options().lambda,
          .weighted = options().weighted,
          .weights = weights,
          .width = width_,
          .relaxation = static_cast<float>(plan_of(plan).relaxation)};
}

Push RowSolver::push(const MfState& base, std::span<const double> plan, std::uint32_t page,
                     const WorkerRatings& ratings) const {
  const std::int64_t part = part_of(plan);
  const RatingRows rows = train_rows(ratings, side_of(plan), page, part < 0 ? 0 : static_cast<std::uint32_t>(part));
  return part < 0 ? update(base, plan, page, rows) : normal_part(base, plan, page, rows);
}

std::vector<std::size_t> RowSolver::arrays(std::span<const double> plan, std::uint32_t page, std::uint32_t) const {
  const std::size_t rows = rows_of(side_of(plan), page).size();
  return {rows * (part_of(plan) < 0 ? stride() : normal_size(problem_of(plan, {})))};
}

Push RowSolver::update(const MfState& base, std::span<const double> plan, std::uint32_t page,
                       const RatingRows& rows) const {
  const Side side = side_of(plan);
  const auto weights = weights_of(plan, side);
  const SharedFloats before = records(base, side, page);
  SharedFloats after(rows.rows() * stride());
  RowSums sums;
  std::vector<double> penalties(options().rank + 1);
  const SidePages others(*this, partition(), base, other(side));
  update_rows(rows, others.view(), problem_of(plan, weights), before.data(), after.writable().data(), sums);
  penalties_of(rows, options().rank, options().weighted, after.data(), penalties);

  Push push;
  push.deltas.values = values_of(plan, page, sums, penalties);
  push.deltas.bulk.push_back(std::move(after));
  const auto user_weights = mf::weights_of(plan, options().rank);
  push.predicted = sums.error_before - sums.error_after +
                   options().lambda * (weighted_penalty(base.penalties_of_page(side, page), user_weights, side) -
                                       weighted_penalty(penalties, user_weights, side));
  push.cost.flops = push.cost.tiled = sums.flops;
  push.cost.bytes = push.cost.gathered = rows.ratings() * stride() * sizeof(float);
  push.cost.updates = rows.rows();
  return push;
}

/// A worker's part of the normal equations of heavy rows.
Push RowSolver::normal_part(const MfState& base, std::span<const double> plan, std::uint32_t page,
                            const RatingRows& rows) const {
  const RowProblem problem = problem_of(plan, {});
  const std::size_t size = normal_size(problem);
  const SidePages others(*this, partition(), base, other(side_of(plan)));
  SharedFloats equations(rows.rows() * size);
  for (std::size_t k = 0; k < rows.rows(); ++k) {
    normal_equations(rows, k, 0, rows.begins[k + 1] - rows.begins[k], others.view(), problem,
                     equations.writable().subspan(k * size, size));
  }
  Push push;
  push.deltas.values = values_of(plan, page, {}, std::vector<double>(options().rank + 1));
  push.deltas.bulk.push_back(std::move(equations));
  push.cost.flops = push.cost.tiled = rows.ratings() * size * 2;
  push.cost.bytes = push.cost.gathered = rows.ratings() * stride() * sizeof(float);
  return push;
}

/// Adds the parts in their order and does with each heavy row what update() does with a light one.
void RowSolver::add_parts(const MfState& now, std::span<const double> plan, std::uint32_t page,
                          std::span<const Payload> parts, Payload& changes) const {
  const Side side = side_of(plan);
  const auto& counts = data().counts[mf::index_of(side)];
  const auto& heavy = rows_of(side, page);
  const auto weights = weights_of(plan, side);
  const RowProblem problem = problem_of(plan, weights);
  const std::size_t size = normal_size(problem);
  const SharedFloats before = records(now, side, page);
  SharedFloats after(heavy.size() * stride());
  RowSums sums;
  for (std::size_t k = 0; k < heavy.size(); ++k) {
    std::vector<double> normal(size);
    for (const Payload& part : parts) {
      const auto equations = part.bulk[0].view().subspan(k * size, size);
      for (std::size_t e = 0; e < size; ++e) normal[e] += static_cast<double>(equations[e]);
    }
    update_from_normal(normal, counts[heavy[k]], problem, before.data() + k * stride(),
                       after.writable().data() + k * stride(), sums);
  }
  Payload solved;
  solved.values = values_of(plan, page, sums, penalties_of_records(side, page, after.data()));
  solved.bulk.push_back(std::move(after));
  const std::size_t entry = plan.size();
  Fault fault = all_finite(solved) ? Fault::none : Fault::not_finite;
  for (const Payload& part : parts) fault = graver(fault, marked(std::span(part.values).subspan(entry)));
  if (fault != Fault::none) mark(solved, options().rank, fault);
  changes.values.insert(changes.values.end(), solved.values.begin() + static_cast<std::ptrdiff_t>(entry),
                        solved.values.end());
  changes.bulk.push_back(std::move(solved.bulk[0]));
}

}  // namespace strads::mf
