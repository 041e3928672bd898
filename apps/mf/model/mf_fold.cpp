// What a commit makes of a replica, and what a replica is at the end of a run.
#include <utility>

#include "mf/model/mf_model.hpp"

namespace strads::mf {

void MfModel::fold(MfState& state, const Payload& changes, Replaced replaced) const {
  if (changes.values.empty()) return;  // of another process; an empty round of our own is not applied
  const std::size_t head = plan_size(options_.rank);
  const auto plan = std::span(changes.values).first(head);
  if (plan_of(plan).first != state.phase) begin_phase(state, plan);
  const auto entries = std::span(changes.values).subspan(head);
  if (work_of(plan) == Work::evaluate) return fold_evaluation(state, entries);
  const auto weights = weights_of(plan, options_.rank);
  state.weights.assign(weights.begin(), weights.end());
  const WorkForm& form = solver_->facts().form;
  std::span<const SharedFloats> arrays(changes.bulk);
  for (std::size_t at = 0; at < entries.size(); at += form.entry, arrays = arrays.subspan(form.arrays)) {
    solver_->fold(state, plan, entries.subspan(at, form.entry), arrays.first(form.arrays), replaced);
  }
  // All pages of the side at once say what the error is; adding up differences would gather rounding.
  const bool all_fresh = state.fresh_pages == partition_->of(side_of(plan)).full_pages;
  if (solver_->facts().knows_objective && all_fresh) state.error = state.fresh_error;
}

/// What a phase leaves of the one before, at its first commit that changes anything.
void MfModel::begin_phase(MfState& state, std::span<const double> plan) const {
  state.phase = plan_of(plan).first;
  state.fresh_error = 0;
  state.fresh_pages = 0;
  if (work_of(plan) == Work::evaluate) {
    state.evaluation = {};
    return;
  }
  if (std::exchange(state.is_best, false)) {
    auto best = std::make_shared<MfState>(state);
    best->kept.reset();
    for (const Side side : {Side::users, Side::items}) {
      best->of(side) = best->of(side).apart();
      // Nothing is computed with it, and what it began with would only be held.
      Pages& start = best->start[mf::index_of(side)];
      if (!start.held.empty()) start = best->of(side);
    }
    state.kept = std::move(best);
  }
  if (plan_of(plan).sweep == plan_of(plan).first) solver_->begin_sweep(state);
}

void MfModel::fold_evaluation(MfState& state, std::span<const double> sums) const {
  state.evaluation.add(read_fields<Evaluation>(sums));
  const Evaluation& all = state.evaluation;
  if (all.failed > 0) state.fault = graver(state.fault, Fault::not_finite);
  if (all.unread > 0) state.fault = graver(state.fault, Fault::unread);
  if (all.failed + all.unread > 0) return;
  if (all.validation_count == 0 || all.blocks != partition_->of(Side::users).full_pages) {
    return;
  }
  const double squared = all.validation_squared;
  if (state.best_validation >= 0 && squared >= state.best_validation) return;
  state.best_validation = squared;
  state.is_best = true;
  state.kept.reset();
}

/// The best factors come back. A sweep of sgd that was cut off has none better: without validation it is kept as far as
/// it came. Where it has failed and there is none, what is left is the start.
void MfModel::keep_best(MfState& replica) const {
  const auto become = [&](MfState best) {
    best.best_validation = replica.best_validation;
    best.fault = replica.fault;
    replica = std::move(best);
  };
  if (replica.kept != nullptr && (data_->decides_by_validation() || replica.fault != Fault::none)) {
    become(*replica.kept);
  } else if (!solver_->facts().knows_objective && replica.fault != Fault::none && !replica.is_best) {
    const auto start = make_state();
    become(static_cast<const MfState&>(*start));
  }
  replica.kept.reset();
}

/// The end: slices report the best factors.
void MfModel::recompute(State& state, Chunks&, Cost&) const {
  auto& replica = static_cast<MfState&>(state);
  if (replica.verified) return;
  keep_best(replica);
  solver_->finish(replica);
  replica.verified = true;
}

}  // namespace strads::mf
