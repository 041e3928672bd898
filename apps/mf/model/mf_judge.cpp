#include "mf/model/mf_judge.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "mf/problem/mf_state.hpp"
#include "mf/solvers/solvers.hpp"
#include "strads/engine/progress.hpp"

namespace strads::mf {
namespace {

/// Weights farther from 1 would leave nothing of a float's range.
constexpr double kWeightMax = 1e6;

double rmse(double squared, std::uint64_t count) {
  return count > 0 ? std::sqrt(squared / static_cast<double>(count)) : std::numeric_limits<double>::quiet_NaN();
}

StatusHead head_of(std::span<const double> status) {
  return read_fields<StatusHead>(status);
}

Fault fault_in(std::span<const double> status) {
  return static_cast<Fault>(head_of(status).fault);
}

const char* reason_of(Fault fault) {
  return fault == Fault::rose ? kStopRose : fault == Fault::unread ? kStopUnread : kStopNotFinite;
}

}  // namespace

MfJudge::MfJudge(const MfData& data, const MfOptions& options, std::uint32_t schedulers, std::uint32_t workers)
    : options_(options),
      schedulers_(schedulers),
      workers_(workers),
      ratings_(data.train_size),
      validation_(data.ratings->validation.size()),
      test_(data.ratings->test.size() + data.ratings->strangers.size()),
      squares_(squares_of(data, options)),
      unit_(data.unit),
      weights_(options.rank, 1.0) {
  const auto solver = make_solver(options);
  solver_ = solver->facts();
  steps_ = solver->steps(schedulers, workers);
  if (validation_ + test_ > 0) steps_.push_back({Work::evaluate, Side::users});
}

Result<Payload> MfJudge::start(std::span<const Payload>) {
  return Payload{};
}

Judgement MfJudge::judge(const Barrier& barrier, std::span<const Payload> statuses) {
  const std::span<const double> status = statuses[0].values;
  Judgement judgement;
  const bool began = barrier.version >= 0 && !barrier.verified;
  const bool ends_sweep = began && note_phase(barrier, status);
  // The factors that are kept may be those of an earlier sweep, with the weights that it had.
  if (barrier.verified && status.size() > status_size(options_.rank)) {
    const auto weights = status.subspan(status_size(options_.rank));
    weights_.assign(weights.begin(), weights.end());
  }
  if (ends_sweep || barrier.verified || figures_.empty()) note_figures(status, barrier.verified);
  judgement.certificate = certificate(status, ends_sweep);
  if (barrier.verified) {
    judgement.plan.verdict = PhasePlan::Verdict::stop;
    judgement.stop_reason = stop_;
    return judgement;
  }
  if (ends_sweep) stop_ = reason_to_stop();
  if (const Fault fault = fault_in(status); fault != Fault::none) stop_ = reason_of(fault);
  if (barrier.limit_reached && stop_.empty()) stop_ = kStopLimit;
  if (!stop_.empty()) {
    judgement.plan.verdict = PhasePlan::Verdict::verify;
    return judgement;
  }
  if (solver_.rescales && ends_sweep && sweeps_ <= options_.rescales) rescale(status);
  if (next_ == 0) sweep_first_ = static_cast<std::uint64_t>(barrier.version + 1);
  judgement.plan = plan(steps_[next_], barrier.version, status);
  rounds_ = judgement.plan.rounds_max;
  return judgement;
}

/// A phase that a limit cut off, or one whose updates were refused, is none that the sweep has behind it. Where all
/// users were evaluated before, and the sweep is the best so far, slices keep its factors: then it has ended.
bool MfJudge::note_phase(const Barrier& barrier, std::span<const double> status) {
  const bool is_best = steps_[next_].work == Work::evaluate && head_of(status).best_validation != best_validation_;
  const bool is_cut = barrier.limit_reached && barrier.rounds < rounds_ && !is_best;
  if (is_cut || fault_in(status) != Fault::none) {
    in_sweep_ = in_sweep_ || barrier.rounds > 0;
    return false;
  }
  in_sweep_ = ++next_ < steps_.size();
  if (in_sweep_) return false;
  next_ = 0;
  end_sweep(status);
  return true;
}

PhasePlan MfJudge::plan(const Step& step, Version version, std::span<const double> status) const {
  PhasePlan plan;
  const StatusHead head = head_of(status);
  const bool split = (step.side == Side::users ? head.users_split : head.items_split) != 0;
  plan.mode = PhasePlan::Mode::steady;
  plan.blocks_max = workers_;
  plan.rounds_max = std::uint64_t{schedulers_} * (split && step.work == Work::update ? 2 : 1);
  auto& values = plan.content.values;
  append_fields(Plan{.work = static_cast<std::uint64_t>(step.work),
                     .side = static_cast<std::uint64_t>(step.side),
                     .first = static_cast<std::uint64_t>(version + 1),
                     .sweep = sweep_first_,
                     .index = step.index,
                     .part = -1,
                     .relaxation = relaxation()},
                values);
  values.insert(values.end(), weights_.begin(), weights_.end());
  return plan;
}

/// 1 in the first two sweeps, which find the scale of things, then in equal steps to its full size.
double MfJudge::relaxation() const {
  constexpr double kPlainSweeps = 2, kSteps = 4;
  const double share = std::clamp((sweeps_ + 1 - kPlainSweeps) / kSteps, 0.0, 1.0);
  return 1 + share * (options_.relaxation - 1);
}

void MfJudge::end_sweep(std::span<const double> status) {
  ++sweeps_;
  objective_before_ = objective_after_;
  objective_after_ = objective(status);
  const double best = head_of(status).best_validation;
  if (best != best_validation_) {
    best_validation_ = best;
    best_sweep_ = sweeps_;
  }
}

std::string MfJudge::reason_to_stop() const {
  const double before = objective_before_, after = objective_after_;
  if (before >= 0 && has_risen(before, after, rise_allowed(options_.tolerance), squares_)) return kStopRose;
  if (validation_ > 0 && sweeps_ >= best_sweep_ + options_.patience) return kStopEarly;
  if (before >= 0 && before - after < options_.tolerance * after) return kStopConverged;
  return sweeps_ >= options_.sweeps_max ? kStopSweeps : "";
}

/// For each feature c w and h / c with the c that makes both penalties equal, which is where their sum is least: only
/// the weights of the penalties change, the factors stay as they are.
void MfJudge::rescale(std::span<const double> status) {
  const auto users = penalties_of_side(status, Side::users, options_.rank);
  const auto items = penalties_of_side(status, Side::items, options_.rank);
  for (std::size_t k = 0; k < options_.rank; ++k) {
    if (!(users[k] > 0 && items[k] > 0)) continue;
    weights_[k] = std::clamp(std::sqrt(items[k] / users[k]), 1 / kWeightMax, kWeightMax);
  }
}

double MfJudge::objective(std::span<const double> status) const {
  const auto users = penalties_of_side(status, Side::users, options_.rank);
  const auto items = penalties_of_side(status, Side::items, options_.rank);
  return head_of(status).error + options_.lambda * (weighted_penalty(users, weights_, Side::users) +
                                                    weighted_penalty(items, weights_, Side::items));
}

double MfJudge::user_objective(std::span<const double> status) const {
  return objective(status) * unit_ * unit_;
}

void MfJudge::note_figures(std::span<const double> status, bool verified) {
  const double none = std::numeric_limits<double>::quiet_NaN();
  const bool by_validation = best_validation_ >= 0;
  // Who knows the objective has refused what would have failed.
  const bool goes_back = by_validation || (!solver_.knows_objective && fault_in(status) != Fault::none);
  const bool partial = verified && in_sweep_ && !goes_back;
  const StatusHead head = head_of(status);
  const Evaluation evaluation = last_evaluation_of(status);
  figures_.assign(kFigures, none);
  figures_[kFigureSweep] = sweeps_;
  figures_[kFigureEndsSweep] = 0;
  figures_[kFigureImbalance] = std::max(head.users_imbalance, head.items_imbalance);
  figures_[kFigureBest] = by_validation ? best_sweep_ : sweeps_;
  figures_[kFigurePartial] = partial ? 1 : 0;
  const double root = rmse(head.error, ratings_) * unit_;
  if (solver_.knows_objective) {
    figures_[kFigureObjective] = user_objective(status);
    if (!options_.implicit) figures_[kFigureTrainRmse] = root;
  } else if (sweeps_ > 0) {
    figures_[kFigureMetObjective] = user_objective(status);
    figures_[kFigureMetRmse] = root;
  }
  if (partial) return;  // what was evaluated is an earlier sweep
  const double losses = evaluation.validation_squared;
  const std::uint64_t validated = evaluation.validation_count;
  if (options_.stop.wanted()) {
    if (validated > 0) figures_[kFigureLists] = 1 - losses / static_cast<double>(validated);
  } else {
    figures_[kFigureValidation] = rmse(losses, validated) * unit_;
  }
  figures_[kFigureTest] = rmse(evaluation.test_squared, evaluation.test_count) * unit_;
}

Certificate MfJudge::certificate(std::span<const double> status, bool ends_sweep) const {
  Certificate certificate;
  certificate.objective = user_objective(status);
  certificate.gap = -1;
  certificate.converged = stop_ == kStopConverged || stop_ == kStopEarly || stop_ == kStopSweeps;
  certificate.figures = figures_;
  certificate.figures[kFigureEndsSweep] = ends_sweep ? 1 : 0;
  return certificate;
}

}  // namespace strads::mf
