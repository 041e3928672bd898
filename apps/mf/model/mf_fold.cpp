// What a commit makes of a replica, and what a replica is at the end of a run.
#include <algorithm>
#include <cmath>
#include <utility>

#include "mf/model/mf_model.hpp"

namespace strads::mf {
namespace {

/// A block of rows never raises what it minimises. Single precision rounds by less than this share.
constexpr double kPageRise = 1e-3;

}  // namespace

void MfModel::fold(MfState& state, const Payload& changes, Replaced replaced) const {
  if (changes.values.empty()) return;  // of another process; an empty round of our own is not applied
  const std::size_t head = plan_size(options_.rank);
  const auto plan = std::span(changes.values).first(head);
  const Work work = work_of(plan);
  if (plan[kPlanFirst] != state.phase) begin_phase(state, plan);
  const auto entries = std::span(changes.values).subspan(head);
  if (work == Work::evaluate) return fold_evaluation(state, entries);
  state.weights.assign(plan.begin() + kPlanWeights, plan.end());
  const Side side = side_of(plan);
  const std::size_t width = entry_size(work, options_.rank);
  const std::size_t first_page = work == Work::feature ? feature_of(plan).page_row * page_count(side) : 0;
  std::size_t array = 0;
  const auto replace = [&](Side of, std::size_t page, std::size_t with) {
    const auto before = state.of(of).set(page, changes.bulk[with]);
    if (replaced == Replaced::released) before->release();
  };
  for (std::size_t at = 0; at < entries.size(); at += width) {
    const auto entry = entries.subspan(at, width);
    const auto page = static_cast<std::size_t>(entry[kEntryPage]);
    if (work == Work::cell) {
      const std::size_t users = array++, items = array++;
      if (entry[kEntryAfter] == kFailed) {
        state.fault = Fault::not_finite;
        continue;
      }
      replace(side, page, users);
      replace(Side::items, static_cast<std::size_t>(entry[kEntryOther]), items);
      fold_cell(state, entry);
      continue;
    }
    const std::size_t own = array++;
    if (const Fault fault = fault_of(state, side, entry); fault != Fault::none) {
      state.fault = fault;  // the page stays as it was: what is kept is the best that there was
      continue;
    }
    replace(side, first_page + page, own);
    fold_penalties(state, side, page, entry.subspan(kEntrySums));
    state.error += entry[kEntryAfter] - entry[kEntryBefore];
    state.fresh_error += entry[kEntryAfter];
    ++state.fresh_pages;
  }
  // All pages of the side at once say what the error is; adding up differences would gather rounding.
  if (work != Work::cell && state.fresh_pages == full_pages(side)) state.error = state.fresh_error;
}

Fault MfModel::fault_of(const MfState& state, Side side, std::span<const double> entry) const {
  if (entry[kEntryAfter] == kFailed) return Fault::not_finite;
  const auto penalties = state.penalties_of_page(side, static_cast<std::size_t>(entry[kEntryPage]));
  const double before = entry[kEntryBefore] + options_.lambda * weighted_penalty(penalties, state.weights, side);
  const double after =
      entry[kEntryAfter] + options_.lambda * weighted_penalty(entry.subspan(kEntrySums), state.weights, side);
  return has_risen(before, after, kPageRise, data_->squares) ? Fault::rose : Fault::none;
}

/// F is that of the sweep before until every rating of this one was met.
void MfModel::fold_cell(MfState& state, std::span<const double> entry) const {
  const auto sums = entry.subspan(kEntrySums);
  SweepSoFar& sweep = state.so_far;
  const std::size_t width = state.sums();
  const auto note = [&](Side side, EntryValue page, std::span<const double> of_page) {
    std::copy(of_page.begin(), of_page.end(),
              sweep.penalties[mf::index_of(side)].begin() +
                  static_cast<std::ptrdiff_t>(entry[page]) * static_cast<std::ptrdiff_t>(width));
  };
  note(Side::users, kEntryPage, sums.first(width));
  note(Side::items, kEntryOther, sums.subspan(width));
  sweep.error += entry[kEntryAfter];
  const std::uint64_t strata = std::uint64_t{engine_.schedulers} * engine_.workers;
  if (++sweep.cells == full_pages(Side::users) * strata && state.fault == Fault::none) end_sweep(state);
}

void MfModel::end_sweep(MfState& state) const {
  const auto exchange = [&] {
    std::swap(state.error, state.so_far.error);
    for (std::size_t side = 0; side < kSides; ++side) std::swap(state.penalties[side], state.so_far.penalties[side]);
  };
  exchange();
  const double objective = state.objective(options_.lambda);
  if (!std::isfinite(objective)) {
    state.fault = Fault::not_finite;
  } else if (state.swept >= 0 && has_risen(state.swept, objective, rise_allowed(options_.tolerance), data_->squares)) {
    state.fault = Fault::rose;
  }
  if (state.fault != Fault::none) return exchange();
  state.swept = objective;
  if (decides_by_validation()) return;
  state.is_best = true;
  state.kept.reset();
}

/// What a phase leaves of the one before, at its first commit that changes anything.
void MfModel::begin_phase(MfState& state, std::span<const double> plan) const {
  state.phase = plan[kPlanFirst];
  state.fresh_error = 0;
  state.fresh_pages = 0;
  if (work_of(plan) == Work::evaluate) {
    std::fill(state.evaluation.begin(), state.evaluation.end(), 0.0);
    return;
  }
  if (std::exchange(state.is_best, false)) {
    auto best = std::make_shared<MfState>(state);
    best->kept.reset();
    for (Pages& side : best->pages) side = side.apart();
    state.kept = std::move(best);
  }
  if (plan[kPlanSweep] != plan[kPlanFirst]) return;
  if (work_of(plan) == Work::cell) {
    state.so_far = {.error = 0, .cells = 0, .penalties = {state.penalties[0], state.penalties[1]}};
  }
  if (options_.solver != Solver::ccd) return;
  for (const Side side : {Side::users, Side::items}) state.start[mf::index_of(side)] = state.of(side);
}

void MfModel::fold_penalties(MfState& state, Side side, std::size_t page, std::span<const double> sums) const {
  std::copy(sums.begin(), sums.end(),
            state.penalties[mf::index_of(side)].begin() + static_cast<std::ptrdiff_t>(page * state.sums()));
}

FeaturePlace MfModel::feature_of(std::span<const double> plan) const {
  return feature_at(static_cast<std::uint32_t>(plan[kPlanIndex]), options_.rank, options_.bias);
}

void MfModel::fold_evaluation(MfState& state, std::span<const double> sums) const {
  for (std::size_t k = 0; k < kEvaluateValues; ++k) state.evaluation[k] += sums[k];
  if (state.evaluation[kFailedBlocks] > 0) {
    state.fault = Fault::not_finite;
    return;
  }
  if (state.evaluation[kValidationCount] == 0 ||
      state.evaluation[kEvaluatedBlocks] != static_cast<double>(full_pages(Side::users)))
    return;
  const double squared = state.evaluation[kValidationSquared];
  if (state.best_validation >= 0 && squared >= state.best_validation) return;
  state.best_validation = squared;
  state.is_best = true;
  state.kept.reset();
}

bool MfModel::is_plain(const MfState& state) const {
  return options_.solver == Solver::sgd && state.verified;
}

/// The best factors come back. A sweep of sgd that was cut off has none better: without validation it is kept as far as
/// it came. Where it has failed and there is none, what is left is the start.
void MfModel::keep_best(MfState& replica) const {
  const auto become = [&](MfState best) {
    best.best_validation = replica.best_validation;
    best.fault = replica.fault;
    replica = std::move(best);
  };
  if (replica.kept != nullptr && (decides_by_validation() || replica.fault != Fault::none)) {
    become(*replica.kept);
  } else if (options_.solver == Solver::sgd && replica.fault != Fault::none && !replica.is_best) {
    const auto start = make_state();
    become(static_cast<const MfState&>(*start));
  }
  replica.kept.reset();
}

/// The end: slices report the best factors. sgd: without accumulators, page after page, so that no side is there twice.
void MfModel::recompute(State& state, Chunks&, Cost&) const {
  auto& replica = static_cast<MfState&>(state);
  if (!replica.verified) keep_best(replica);
  for (const Side side : {Side::users, Side::items}) {
    if (options_.solver != Solver::sgd || replica.verified) break;
    for (std::uint32_t page = 0; page < page_count(side); ++page) {
      SharedFloats plain = row_major(replica, side, page);
      replica.of(side).set(page, std::move(plain))->release();
    }
  }
  replica.verified = true;
}

}  // namespace strads::mf
