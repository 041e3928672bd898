// Ridge regression as a model of STRADS: min over b of F(b) = 1/2 ||y - X b||^2 + mu/2 ||b||^2. See docs/MODELS.md.
#pragma once

#include <algorithm>
#include <cmath>
#include <memory>
#include <span>
#include <vector>

#include "strads/engine/model.hpp"
#include "strads/numerics/columns.hpp"

namespace ridge {
using namespace strads;

/// What is to be solved: the same on every node, and never changed.
struct Problem {
  std::vector<std::vector<double>> x;  ///< J columns of N numbers each
  std::vector<double> y;               ///< N numbers
  double mu = 1;                       ///< penalty, above 0
  double tolerance = 1e-12;            ///< stop when gap <= tolerance x F
  std::uint32_t workers = 4;           ///< P
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

/// A scheduler's view of its variables: how much each of them changed when it was updated last.
class RidgeSlice final : public Slice {
 public:
  RidgeSlice(const Problem& problem, std::vector<VarId> variables)
      : p_(problem), variables_(std::move(variables)), change_(p_.x.size(), kSampleFirst) {}

  Payload scan(Chunks&, Cost&) override { return {}; }
  void begin(const Payload&) override {}
  void enter_phase(const PhasePlan&) override {}

  double define_sampling(VarId j) const override { return change_[j]; }
  double define_dependency(VarId j, VarId k) const override {
    return std::abs(dot(p_.x[j], p_.x[k])) / std::sqrt(dot(p_.x[j], p_.x[j]) * dot(p_.x[k], p_.x[k]));
  }
  double workload(VarId j) const override { return static_cast<double>(p_.x[j].size()); }
  ScheduleRules rules() const override {
    return {.draws = 4 * p_.workers, .conflicts = ScheduleRules::Conflicts::drop, .dependency_max = 0.3};
  }
  Block make_block(std::vector<VarId> variables) const override { return {.content = {std::move(variables), {}}}; }

  void committed(const RoundOutcome& round, std::vector<VarId>& touched) override {
    for (const VarId j : round.drawn) change_[j] = 1e-6;  // eta: what did not move stays reachable
    const auto& [ids, deltas, arrays] = *round.changes;
    for (std::size_t k = 0; k < ids.size(); ++k) change_[ids[k]] += std::abs(round.step * deltas[k]);
    touched.assign(round.drawn.begin(), round.drawn.end());
  }
  Payload refresh(const State& state, Chunks&, Cost&) override {
    const auto& [b, r] = static_cast<const RidgeState&>(state);
    Payload status{variables_, {dot(r, r), 0.0, 0.0}};  // r'r, sum of b^2, sum of gradient^2; then every b
    for (const VarId j : variables_) {
      const double gradient = dot(p_.x[j], r) - p_.mu * b[j];
      status.values[1] += b[j] * b[j];
      status.values[2] += gradient * gradient;
      status.values.push_back(b[j]);
    }
    return status;
  }

 private:
  const Problem& p_;
  std::vector<VarId> variables_;
  std::vector<double> change_;
};

/// The coordinator's half: go on until the certificate says that F is close enough to its minimum.
class RidgeJudge final : public Judge {
 public:
  explicit RidgeJudge(const Problem& problem) : p_(problem) {}

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
    judgement.plan.blocks_max = p_.workers;
    judgement.plan.rounds_max = p_.x.size();
    if (!converged && !barrier.limit_reached) return judgement;
    judgement.plan.verdict = barrier.verified ? PhasePlan::Verdict::stop : PhasePlan::Verdict::verify;
    judgement.stop_reason = converged ? "converged" : "limit";
    return judgement;
  }

 private:
  const Problem& p_;
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
    if (kind == PayloadKind::block) return count == 1;
    if (kind == PayloadKind::deltas) return count == 1 && numbers == 1;
    if (kind == PayloadKind::changes) return numbers == count;
    return kind != PayloadKind::status || numbers == 3 + count;
  }

  Push push(const State& base, const Block& block, Chunks&) const override {
    const auto& [b, r] = static_cast<const RidgeState&>(base);
    const VarId j = block.content.ids[0];  // one-variable blocks, as in Algorithm 1
    const double curvature = dot(p_.x[j], p_.x[j]) + p_.mu;
    const double delta = (dot(p_.x[j], r) - p_.mu * b[j]) / curvature;
    return {{{j}, {delta}}, 0.5 * curvature * delta * delta, {.flops = 4 * r.size(), .bytes = 0, .updates = 1}};
  }
  std::shared_ptr<const Direction> combine(std::span<const Payload>, Chunks&, Cost&) const override { return nullptr; }
  Pull pull(const State& now, std::span<const Payload> deltas, const Direction*) const override {
    const auto& [b, r] = static_cast<const RidgeState&>(now);
    Pull pull;
    auto& [ids, values, arrays] = pull.changes;
    for (const Payload& block : deltas) ids.push_back(block.ids[0]), values.push_back(block.values[0]);
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
  /// X delta: one function for the guard and for every replica, so that they agree to the last bit.
  std::vector<double> combination(const Payload& changes) const {
    std::vector<double> v(p_.y.size(), 0.0);
    for (std::size_t k = 0; k < changes.ids.size(); ++k) axpy(changes.values[k], p_.x[changes.ids[k]], v);
    return v;
  }

  Problem p_;
};

}  // namespace ridge
