// Ridge regression as a model of STRADS: min over b of F(b) = 1/2 ||y - X b||^2 + mu/2 ||b||^2. See docs/MODELS.md.
#pragma once

#include <algorithm>
#include <cmath>
#include <memory>
#include <span>
#include <vector>

#include "strads/engine/model.hpp"
#include "strads/numerics/columns.hpp"
#include "strads/policies/phases.hpp"
#include "strads/policies/policy_slice.hpp"

namespace ridge {
using namespace strads;

/// What is to be solved: the same on every node, and never changed.
struct Problem {
  std::vector<std::vector<double>> x;  ///< J columns of N numbers each
  std::vector<double> y;               ///< N numbers
  double mu = 1;                       ///< penalty, above 0
  double tolerance = 1e-12;            ///< stop when gap <= tolerance x F
  PolicyOptions policy;                ///< who chooses the variables of a round
  std::uint64_t fingerprint = 0;       ///< of the data: nodes that have others are found out
};

/// replica(v): the coefficients and the residual r = y - X b.
struct RidgeState final : State {
  std::vector<double> b, r;
  std::unique_ptr<State> clone() const override { return std::make_unique<RidgeState>(*this); }
  Payload content() const override {
    Payload content{{}, b};
    content.values.insert(content.values.end(), r.begin(), r.end());
    return content;
  }
};

/// What a scheduler knows of its variables, as policies ask for it. Numbers i and k are positions in the slice.
class RidgeCoordinates final : public CoordinateProblem {
 public:
  /// `variables` outlive the object.
  RidgeCoordinates(const Problem& problem, const std::vector<VarId>& variables)
      : p_(problem), positions_(variables, p_.x.size()), gradient_(variables.size(), 0.0) {}

  const SlicePositions& positions() const override { return positions_; }
  CoordinateStep step(std::size_t i) const override {
    const double curvature = dot(column(i), column(i)) + p_.mu;
    return {gradient_[i] / curvature, 0.5 * gradient_[i] * gradient_[i] / curvature};
  }
  double coupling(std::size_t i, std::size_t k) const override {
    const double lengths = std::sqrt(dot(column(i), column(i)) * dot(column(k), column(k)));
    return lengths > 0 ? dot(column(i), column(k)) / lengths : 0.0;
  }
  std::uint64_t work(std::size_t i) const override { return 2 * column(i).size(); }

  /// Minus the slope of F along variable i.
  double gradient(std::size_t i) const { return gradient_[i]; }
  void refresh(const RidgeState& state) {
    for (std::size_t i = 0; i < gradient_.size(); ++i) {
      gradient_[i] = dot(column(i), state.r) - p_.mu * state.b[variables()[i]];
    }
  }

 private:
  const std::vector<double>& column(std::size_t i) const { return p_.x[variables()[i]]; }

  const Problem& p_;
  SlicePositions positions_;
  std::vector<double> gradient_;  ///< at the last refresh
};

/// A scheduler's slice, under the policy that the options name.
class RidgeSlice final : public PolicySlice {
 public:
  RidgeSlice(const Problem& problem, std::vector<VarId> variables)
      : variables_(std::move(variables)), coordinates_(problem, variables_) {
    choose_policy(coordinates_, problem.policy);
  }

  Payload scan(Chunks&, Cost&) override { return {}; }
  void begin(const Payload&) override {}
  Payload refresh(const State& state, Chunks&, Cost&) override {
    const auto& now = static_cast<const RidgeState&>(state);
    coordinates_.refresh(now);
    Payload status{variables_, {dot(now.r, now.r), 0.0, 0.0}};  // r'r, sum of b^2, sum of gradient^2;
    for (std::size_t i = 0; i < variables_.size(); ++i) {       // then every b, then what a step of each would bring
      const double b = now.b[variables_[i]], gradient = coordinates_.gradient(i);
      status.values[1] += b * b;
      status.values[2] += gradient * gradient;
      status.values.push_back(b);
    }
    for (std::size_t i = 0; i < variables_.size(); ++i) status.values.push_back(coordinates_.importance(i));
    return status;
  }

 private:
  void take_commit(const RoundOutcome& round, SliceChanges& changes) override {
    const auto& [ids, deltas, arrays] = *round.changes;
    for (std::size_t k = 0; k < ids.size(); ++k) {
      if (position(ids[k]) == SlicePositions::kNone) continue;
      changes.changed.push_back(static_cast<std::uint32_t>(position(ids[k])));
      changes.deltas.push_back(round.step * deltas[k]);
    }
  }

  std::vector<VarId> variables_;
  RidgeCoordinates coordinates_;
};

/// The coordinator's half: go on until the certificate says that F is close enough to its minimum.
class RidgeJudge final : public Judge {
 public:
  explicit RidgeJudge(const Problem& problem) : p_(problem), phases_(p_.policy, p_.y.size()) {}

  Result<Payload> start(std::span<const Payload>) override { return Payload{}; }
  Judgement judge(const Barrier& barrier, std::span<const Payload> statuses) override {
    Judgement judgement;
    auto& [objective, gap, relative_gap, dual, nonzeros, converged, figures] = judgement.certificate;
    objective = 0.5 * statuses[0].values[0];
    for (const Payload& status : statuses) {
      objective += 0.5 * p_.mu * status.values[1];
      gap += status.values[2] / (2 * p_.mu);  // F is mu-strongly convex: F - F* <= ||gradient||^2 / (2 mu)
    }
    converged = gap <= p_.tolerance * objective;
    if (!converged && !barrier.limit_reached) {
      plan_phase(barrier, statuses, judgement);
      return judgement;
    }
    judgement.plan.verdict = barrier.verified ? PhasePlan::Verdict::stop : PhasePlan::Verdict::verify;
    judgement.stop_reason = converged ? "converged" : "limit";
    return judgement;
  }

 private:
  void plan_phase(const Barrier& barrier, std::span<const Payload> statuses, Judgement& judgement) {
    std::vector<CandidateReport> reports;
    for (const Payload& status : statuses) {
      reports.push_back({{}, status.ids, std::span(status.values).last(status.ids.size())});
    }
    phases_.plan({.barrier = barrier,
                  .reports = reports,
                  .kept = static_cast<double>(p_.x.size()),
                  .work = 2 * static_cast<double>(p_.y.size()),
                  .gap = judgement.certificate.gap,
                  .gap_wanted = p_.tolerance * judgement.certificate.objective},
                 judgement.plan);
  }

  const Problem& p_;
  PolicyPhases phases_;
};

class RidgeModel final : public Model {
 public:
  explicit RidgeModel(Problem problem) : p_(std::move(problem)) {}

  ModelShape shape() const override { return {.variables = static_cast<VarId>(p_.x.size())}; }
  std::unique_ptr<Slice> make_slice(std::vector<VarId> variables) override {
    return std::make_unique<RidgeSlice>(p_, std::move(variables));
  }
  std::unique_ptr<Judge> make_judge() const override { return std::make_unique<RidgeJudge>(p_); }
  void begin(const Payload&) override {}
  std::unique_ptr<State> make_state() const override {
    auto state = std::make_unique<RidgeState>();
    state->b.assign(p_.x.size(), 0.0);
    state->r = p_.y;
    return state;
  }
  std::uint64_t fingerprint() const override { return p_.fingerprint; }
  bool acceptable(PayloadKind kind, const Payload& payload) const override {
    const std::size_t count = payload.ids.size(), numbers = payload.values.size();
    const auto known = [this](VarId j) { return j < variables(); };
    if (!std::all_of(payload.ids.begin(), payload.ids.end(), known)) return false;
    if (kind == PayloadKind::block) return count > 0;
    if (kind == PayloadKind::deltas || kind == PayloadKind::changes) return numbers == count;
    return kind != PayloadKind::status || numbers == 3 + 2 * count;
  }

  Push push(const State& base, const Block& block, Chunks&) const override {
    const auto& [b, r] = static_cast<const RidgeState&>(base);
    std::vector<VarId> ids = block.content.ids;
    if (block.kind == kUpdateBestOfBlock) ids = {best_of(ids, b, r)};
    Push push;
    push.deltas = {ids, std::vector<double>(ids.size(), 0.0)};
    std::vector<double> rest = r;  // of this block's own updates, one after the other
    for (std::uint32_t sweep = 0; sweep < block.sweeps; ++sweep) {
      double decrease = 0;
      for (std::size_t k = 0; k < ids.size(); ++k) {
        const auto [delta, own] = step(ids[k], b[ids[k]] + push.deltas.values[k], rest);
        push.deltas.values[k] += delta;
        axpy(-delta, p_.x[ids[k]], rest);
        decrease += own;
      }
      push.predicted += decrease;
      push.cost += {.flops = 6 * r.size() * ids.size(), .bytes = 0, .updates = ids.size()};
      if (decrease <= block.tolerance) break;
    }
    return push;
  }
  std::shared_ptr<const Direction> combine(std::span<const Payload>, Chunks&, Cost&) const override { return nullptr; }
  Pull pull(const State& now, std::span<const Payload> deltas, const Direction*) const override {
    const auto& [b, r] = static_cast<const RidgeState&>(now);
    Pull pull;
    auto& [ids, values, arrays] = pull.changes;
    for (const Payload& block : deltas) {
      ids.insert(ids.end(), block.ids.begin(), block.ids.end());
      values.insert(values.end(), block.values.begin(), block.values.end());
    }
    const std::vector<double> v = combination(pull.changes);
    double descent = dot(r, v), curvature = dot(v, v);  // F(b + a delta) = F(b) - a descent + a^2 curvature / 2
    for (std::size_t k = 0; k < ids.size(); ++k) {
      descent -= p_.mu * b[ids[k]] * values[k];
      curvature += p_.mu * values[k] * values[k];
    }
    pull.step = curvature > 0 ? std::clamp(descent / curvature, 0.0, 1.0) : 0.0;
    pull.realised = pull.step * (descent - 0.5 * pull.step * curvature);
    pull.objective = objective(now) - pull.realised;
    return pull;
  }
  void apply(State& state, const Payload& changes, double step, const Direction*, Chunks&, Cost&) const override {
    auto& [b, r] = static_cast<RidgeState&>(state);
    axpy(-step, combination(changes), r);
    for (std::size_t k = 0; k < changes.ids.size(); ++k) b[changes.ids[k]] += step * changes.values[k];
  }
  void recompute(State& state, Chunks&, Cost&) const override {
    auto& [b, r] = static_cast<RidgeState&>(state);
    r = p_.y;
    for (VarId j = 0; j < b.size(); ++j) axpy(-b[j], p_.x[j], r);
  }
  double objective(const State& state) const override {
    const auto& [b, r] = static_cast<const RidgeState&>(state);
    return 0.5 * dot(r, r) + 0.5 * p_.mu * dot(b, b);
  }

 private:
  /// Exact minimum along variable j, from `value` and the residual there.
  CoordinateStep step(VarId j, double value, const std::vector<double>& rest) const {
    const double curvature = dot(p_.x[j], p_.x[j]) + p_.mu;
    const double delta = (dot(p_.x[j], rest) - p_.mu * value) / curvature;
    return {delta, 0.5 * curvature * delta * delta};
  }
  /// The variable whose update brings most; of those alike the first.
  VarId best_of(const std::vector<VarId>& ids, const std::vector<double>& b, const std::vector<double>& r) const {
    return *std::max_element(ids.begin(), ids.end(),
                             [&](VarId j, VarId k) { return step(j, b[j], r).decrease < step(k, b[k], r).decrease; });
  }
  /// X delta: one function for the guard and for every replica, so that they agree to the last bit.
  std::vector<double> combination(const Payload& changes) const {
    std::vector<double> v(p_.y.size(), 0.0);
    for (std::size_t k = 0; k < changes.ids.size(); ++k) axpy(changes.values[k], p_.x[changes.ids[k]], v);
    return v;
  }

  Problem p_;
};

}  // namespace ridge
