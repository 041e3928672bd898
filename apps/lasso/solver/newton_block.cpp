#include "lasso/solver/newton_block.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "lasso/problem/certificate.hpp"
#include "lasso/problem/settle.hpp"
#include "lasso/solver/lasso_push.hpp"
#include "lasso/solver/loss_line.hpp"
#include "lasso/solver/pair_products.hpp"
#include "lasso/solver/ridge_solver.hpp"
#include "strads/numerics/l1_quadratic.hpp"

namespace strads::lasso {

namespace {
constexpr std::uint32_t kNewtonStepsMax = 100;  ///< then comes a barrier, and the rest of it
constexpr double kLeastCurvature = 1e-10;       ///< x the sample's weight, of a quadratic
constexpr double kForcing = 0.1;                ///< of the gap: how exactly a quadratic is solved at most
constexpr double kLastOf = 0.3;                 ///< of the gap wanted: it need not be more exact than this
constexpr std::size_t kGramColumnsMax = 4000;   ///< 128 MB of Gram matrix
constexpr double kSweepShare = 0.1;             ///< of the first sweep's decrease: one that brings less is the last
constexpr double kSweepGaps = 1e3;              ///< and of the gap that the quadratic is solved to
constexpr std::uint32_t kSweepsMax = 50;        ///< of one quadratic
}  // namespace

/// The quadratic at the predictor, for the places that may move.
struct NewtonBlock::Quadratic {
  std::span<const std::size_t> places;
  std::vector<VarId> variables;  ///< of them
  std::vector<double> gradient;  ///< x_j'residual of them
  std::vector<double> value;     ///< solved for: starts as the block's
  bool whole = false;            ///< every nonzero of the model is among them
};

NewtonBlock::NewtonBlock(const StandardizedColumns& columns, const PredictorData& data, const Penalty& penalty,
                         const LassoState& base, Local local, Chunks& chunks, Cost& cost)
    : columns_(columns),
      data_(data),
      penalty_(penalty),
      local_(std::move(local)),
      linear_(base.linear),
      loss_(base.loss),
      curvature_(base.linear.curvature.size()),
      chunks_(chunks),
      cost_(cost) {}

/// Of all variables of the block, at the predictor.
void NewtonBlock::take_gradient() {
  std::vector<double> residual = linear_.slope;
  const auto roots = columns_.roots();
  for (std::size_t i = 0; i < roots.size(); ++i) residual[i] = roots[i] > 0 ? residual[i] / roots[i] : 0.0;
  columns_.dots(local_.variables, residual, local_.gradient, chunks_);
  for (const VarId j : local_.variables) count_pass(cost_, columns_.work(j));
}

double NewtonBlock::gap() const {
  GapParts parts;
  for (std::size_t k = 0; k < local_.variables.size(); ++k) {
    parts.add(local_.value[k], local_.gradient[k], penalty_.of(local_.variables[k]));
  }
  parts.squares = std::exchange(parts.residual_squared, 0.0);
  const double s = dual_scale(parts, penalty_.l1);
  parts.divergence = loss_divergence(data_.samples(), linear_.predictor, s, chunks_);
  return predictor_gap(parts, penalty_.l1);
}

/// Places that can change now: nonzero, or with a gradient above the penalty.
std::vector<std::size_t> NewtonBlock::active() const {
  std::vector<std::size_t> places;
  for (std::size_t k = 0; k < local_.variables.size(); ++k) {
    if (local_.value[k] != 0.0 || penalty_.of(local_.variables[k]).lets_in(local_.gradient[k])) places.push_back(k);
  }
  return places;
}

/// Counted: a Gram matrix of dense columns costs less than the sweeps that it saves. Sparse columns are swept.
bool NewtonBlock::gram_pays(std::span<const std::size_t> places) const {
  return !is_sparse(columns_) && places.size() <= kGramColumnsMax;
}

/// One Newton step on `places`; returns the decrease, 0 where there is none.
double NewtonBlock::step(std::span<const std::size_t> places, double inner_gap, bool whole, std::uint32_t sweeps_max) {
  for (std::size_t i = 0; i < curvature_.size(); ++i) {
    curvature_[i] = std::max(linear_.curvature[i], kLeastCurvature * data_.weights[i]);
  }
  Quadratic quadratic;
  quadratic.places = places;
  quadratic.whole = whole;
  for (const std::size_t k : places) {
    quadratic.variables.push_back(local_.variables[k]);
    quadratic.gradient.push_back(local_.gradient[k]);
    quadratic.value.push_back(local_.value[k]);
  }
  ++counts_.steps;
  if (penalty_.is_ridge()) {
    solve_by_gradients(quadratic, inner_gap);
  } else if (gram_pays(places)) {
    solve_in_gram(quadratic, inner_gap, sweeps_max);
  } else {
    sweep(quadratic, inner_gap, sweeps_max);
  }
  return go(quadratic);
}

/// The quadratic after what has no penalty has answered: G - B'H^-1 B for H = Q'diag(omega) Q, B = Q'diag(omega) X~.
void NewtonBlock::add_response(Quadratic& quadratic, std::vector<double>& gram) const {
  const std::size_t dimensions = data_.space.size(), size = quadratic.variables.size();
  if (dimensions == 0) return;
  const auto roots = columns_.roots();
  std::vector<std::vector<double>> products(dimensions, std::vector<double>(size));
  for (std::size_t q = 0; q < dimensions; ++q) {
    std::vector<double> weighted(curvature_.size());
    const auto direction = data_.space.direction(q);
    for (std::size_t i = 0; i < weighted.size(); ++i) {
      weighted[i] = curvature_[i] * direction[i];
      if (!roots.empty()) weighted[i] = roots[i] > 0 ? weighted[i] / roots[i] : 0.0;
    }
    columns_.dots(quadratic.variables, weighted, products[q], chunks_);
  }
  const std::vector<double> matrix = data_.space.curvature(curvature_);
  std::vector<std::vector<double>> answers(size);
  chunks_.for_each(size, [&](std::size_t k) {
    std::vector<double> right(dimensions);
    for (std::size_t q = 0; q < dimensions; ++q) right[q] = products[q][k];
    answers[k] = solve_symmetric(matrix, right);
  });
  chunks_.for_each(size, [&](std::size_t a) {
    for (std::size_t b = 0; b < size; ++b) {
      double sum = 0;
      for (std::size_t q = 0; q < dimensions; ++q) sum += products[q][std::min(a, b)] * answers[std::max(a, b)][q];
      gram[a * size + b] -= sum;
    }
  });
}

void NewtonBlock::solve_in_gram(Quadratic& quadratic, double inner_gap, std::uint32_t sweeps_max) {
  const std::size_t size = quadratic.variables.size();
  std::vector<double> gram(size * size), factors;
  columns_.weighted_gram(quadratic.variables, curvature_, gram, chunks_);
  add_response(quadratic, gram);
  const std::uint64_t products = size * (size + 1) * columns_.rows();
  double residual_squared = -1;
  if (quadratic.whole) {
    residual_squared = 0;
    for (std::size_t i = 0; i < curvature_.size(); ++i) {
      if (curvature_[i] > 0) residual_squared += linear_.slope[i] * linear_.slope[i] / curvature_[i];
    }
  }
  for (std::size_t k = 0; k < size; ++k) {
    const VariablePenalty own = penalty_.of(quadratic.variables[k]);
    gram[k * size + k] += own.l2;
    quadratic.gradient[k] -= own.l2 * quadratic.value[k];
    if (residual_squared >= 0) residual_squared += own.l2 * quadratic.value[k] * quadratic.value[k];
    if (!penalty_.factors.empty()) factors.push_back(own.factor);
  }
  const L1QuadraticOptions options{.sweeps_max = sweeps_max, .gap_max = inner_gap};
  const L1QuadraticResult result =
      solve_l1_quadratic({gram, quadratic.gradient, penalty_.l1, residual_squared, factors, penalty_.nonnegative},
                         quadratic.value, options, chunks_);
  ++counts_.grams;
  counts_.sweeps += result.sweeps;
  counts_.inner_steps += result.newton_steps;
  counts_.gram_flops += products;
  counts_.solve_flops += result.flops;
  cost_.flops += products + result.flops;
  cost_.tiled += products;
  cost_.local += result.flops;
  cost_.updates += result.updates;
}

/// Without an l1 norm: conjugate gradients, with the answer of what has no penalty to each of their directions.
void NewtonBlock::solve_by_gradients(Quadratic& quadratic, double inner_gap) {
  const auto roots = columns_.roots();
  const std::vector<double> matrix = data_.space.curvature(curvature_);
  const auto divide = [&roots](std::span<double> v) {
    for (std::size_t i = 0; i < roots.size(); ++i) v[i] = roots[i] > 0 ? v[i] / roots[i] : 0.0;
  };
  const auto weigh = [&](std::span<double> v) {
    divide(v);
    if (data_.space.size() > 0) {
      std::vector<double> weighted(v.size());
      for (std::size_t i = 0; i < v.size(); ++i) weighted[i] = -curvature_[i] * v[i];
      data_.space.add(solve_symmetric(matrix, data_.space.products(weighted)), v);
    }
    for (std::size_t i = 0; i < v.size(); ++i) v[i] *= curvature_[i];
    divide(v);
  };
  std::vector<double> h = quadratic.gradient;
  for (std::size_t at = 0; at < h.size(); ++at) {
    h[at] -= penalty_.of(quadratic.variables[at]).l2 * quadratic.value[at];
  }
  const double weight = std::accumulate(curvature_.begin(), curvature_.end(), 0.0) / columns_.weight();
  const RidgeWay found = minimise_ridge({columns_, quadratic.variables, penalty_, weight, weigh}, std::move(h),
                                        inner_gap, kRidgeProductsMax, chunks_, cost_);
  for (std::size_t at = 0; at < found.way.size(); ++at) quadratic.value[at] += found.way[at];
  counts_.products += found.products;
  cost_.updates += std::uint64_t{found.products} * quadratic.variables.size();
}

/// What has no penalty, beside the intercept: fitted to the quadratic's residual after every sweep.
void NewtonBlock::sweep_unpenalised() {
  std::vector<double> residual(curvature_.size()), v(curvature_.size(), 0.0);
  reweighted_->residual(residual);
  const auto way = solve_symmetric(data_.space.curvature(curvature_), data_.space.products(residual));
  data_.space.add(way, v);
  reweighted_->move_all(v);
  cost_.local += curvature_.size() * data_.space.size() * (data_.space.size() + 2);
}

/// Coordinate descent until a sweep brings little, both of what the first one brought and of the gap.
void NewtonBlock::sweep(Quadratic& quadratic, double inner_gap, std::uint32_t sweeps_max) {
  if (reweighted_ == nullptr) {
    reweighted_ = std::make_unique<StandardizedColumns::Reweighted>(columns_, local_.variables);
  }
  const bool more = data_.space.size() > (data_.intercept ? 1U : 0U);
  reweighted_->start(curvature_, linear_.slope, data_.intercept, quadratic.places, chunks_);
  double first = 0;
  for (std::uint32_t count = 0; count < std::min(sweeps_max, kSweepsMax); ++count) {
    double decrease = 0;
    for (std::size_t at = 0; at < quadratic.places.size(); ++at) {
      columns_.fetch_ahead(quadratic.variables, at, quadratic.variables.size());
      const std::size_t k = quadratic.places[at];
      const double squared_norm = reweighted_->squared_norm(k);
      if (squared_norm == 0.0) continue;
      const Step step =
          penalty_.of(quadratic.variables[at]).step(quadratic.value[at], reweighted_->gradient(k), squared_norm);
      count_sweep(cost_, columns_.work(quadratic.variables[at]));
      ++cost_.updates;
      if (step.delta == 0.0) continue;
      reweighted_->move(k, step.delta);
      count_sweep(cost_, columns_.work(quadratic.variables[at]));
      quadratic.value[at] += step.delta;
      decrease += step.decrease;
    }
    if (more) sweep_unpenalised();
    ++counts_.sweeps;
    if (count == 0) first = decrease;
    if (decrease <= kSweepShare * first && decrease <= kSweepGaps * inner_gap) break;
  }
}

/// Goes to the quadratic's minimum, or as far that way as the objective falls. Returns the decrease.
double NewtonBlock::go(const Quadratic& quadratic) {
  std::vector<VarId> moved;
  std::vector<std::size_t> places;
  std::vector<double> deltas;
  std::vector<LineTerm> terms;
  for (std::size_t at = 0; at < quadratic.places.size(); ++at) {
    const std::size_t k = quadratic.places[at];
    const double delta = quadratic.value[at] - local_.value[k];
    if (delta == 0.0) continue;
    const VariablePenalty own = penalty_.of(local_.variables[k]);
    moved.push_back(local_.variables[k]);
    places.push_back(k);
    deltas.push_back(delta);
    terms.push_back({local_.value[k], delta, own.l1, own.l2});
  }
  if (moved.empty()) return 0;
  std::vector<double> v(curvature_.size());
  columns_.combine(moved, deltas, v, chunks_);
  for (const VarId j : moved) count_pass(cost_, columns_.work(j));
  const auto roots = columns_.roots();
  for (std::size_t i = 0; i < roots.size(); ++i) v[i] = roots[i] > 0 ? v[i] / roots[i] : 0.0;
  const std::vector<double> way = respond(data_, linear_, v);
  const LossStep line = search_line(data_.samples(), linear_.predictor, linear_.slope, v, terms, chunks_);
  cost_.local += 60 * v.size();
  if (line.step == 0) return 0;
  LassoState::Linear there = linear_;
  axpy(line.step, v, there.predictor);
  if (!way.empty()) axpy(line.step, way, there.unpenalised);
  const double before = refresh(data_, there, chunks_);
  const Settled settled = settle(data_, there, before, chunks_);
  if (!settled.there) return 0;
  for (std::size_t t = 0; t < places.size(); ++t) {
    double& value = local_.value[places[t]];
    const double updated = line.step == 1 ? value + deltas[t] : value + line.step * deltas[t];
    value = static_cast<std::ptrdiff_t>(t) == line.zeroed || updated == 0 ? 0.0 : updated;
  }
  linear_ = std::move(there);
  loss_ = settled.loss;
  return line.realised + std::max(0.0, before - settled.loss);
}

double NewtonBlock::solve(double gap_max, std::uint32_t sweeps_max) {
  double decrease = 0;
  while (counts_.steps < kNewtonStepsMax && counts_.sweeps < sweeps_max) {
    take_gradient();
    const double now = gap();
    if (now <= gap_max) break;
    const std::vector<std::size_t> places = active();
    if (places.empty()) break;
    const double inner = std::max(kForcing * now * std::min(1.0, std::sqrt(now / loss_)), kLastOf * gap_max);
    const double found = step(places, inner, true, sweeps_max - counts_.sweeps);
    decrease += found;
    if (!(found > 0)) break;
  }
  return decrease;
}

double NewtonBlock::descend(double least, std::uint32_t steps_max, std::uint32_t sweeps_max) {
  double decrease = 0;
  while (counts_.steps < steps_max) {
    take_gradient();
    const std::vector<std::size_t> places = active();
    if (places.empty()) break;
    const double found = step(places, least, false, sweeps_max);
    decrease += found;
    if (found <= least) break;
  }
  return decrease;
}

}  // namespace strads::lasso
