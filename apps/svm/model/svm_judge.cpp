#include "svm/model/svm_judge.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "strads/engine/progress.hpp"
#include "strads/policies/phases.hpp"
#include "svm/model/svm_model.hpp"

namespace strads::svm {

namespace {
constexpr double kNone = std::numeric_limits<double>::infinity();
/// So many phases in a row that neither raise the dual objective nor close the gap: what is left is rounding.
constexpr std::uint32_t kIdlePhases = 10;
/// Where there are so many problems that a phase does not take up all of them, they all come twice.
std::uint32_t idle_phases_max(std::size_t problems) {
  return std::max(kIdlePhases, static_cast<std::uint32_t>(2 * ((problems + kSideBySide - 1) / kSideBySide)));
}
constexpr double kRaised = 1e-15;
}  // namespace

SvmJudge::SvmJudge(const PayloadShape& shape, const SvmOptions& options)
    : shape_(shape),
      options_(options),
      kept_(shape.problems, kNone),
      promised_(shape.problems, kNone),
      least_gap_(kNone),
      best_dual_(-kNone) {}

SvmJudge::Objectives SvmJudge::objectives_of(std::span<const Payload> statuses, Certificate& certificate) const {
  Objectives now{std::vector<double>(shape_.problems), std::vector<double>(shape_.problems)};
  certificate.figures.assign(kFigures, 0.0);
  for (std::size_t problem = 0; problem < shape_.problems; ++problem) {
    ProblemSums all;
    for (const Payload& status : statuses) {
      const auto own = read_fields<ProblemSums>(std::span(status.values).subspan(1 + problem * kFields<ProblemSums>));
      all.loss += own.loss;
      all.linear += own.linear;
      all.square += own.square;
      all.norm = own.norm;  // the same on every node
      all.violation = std::max(all.violation, own.violation);
      all.support += own.support;
      all.at_bound += own.at_bound;
    }
    now.primal[problem] = 0.5 * all.norm + all.loss;
    now.dual[problem] = all.linear - 0.5 * (all.norm + all.square);
    certificate.nonzeros += all.support;
    certificate.figures[kFigureAtBound] += static_cast<double>(all.at_bound);
    certificate.figures[kFigureViolation] = std::max(certificate.figures[kFigureViolation], all.violation);
  }
  return now;
}

Judgement SvmJudge::judge(const Barrier& barrier, std::span<const Payload> statuses) {
  Judgement judgement;
  Certificate& certificate = judgement.certificate;
  const Objectives now = objectives_of(statuses, certificate);
  // A phase whose rounds were all empty has kept nothing.
  if (promised_first_ != 0 && statuses[0].values[0] == static_cast<double>(promised_first_)) kept_ = promised_;
  std::vector<VarId> unsolved;
  for (std::size_t problem = 0; problem < shape_.problems; ++problem) {
    const double primal = std::min(kept_[problem], now.primal[problem]), gap = primal - now.dual[problem];
    const double relative = primal > 0 ? gap / primal : 0.0;
    certificate.objective += primal;
    certificate.dual += now.dual[problem];
    certificate.gap += gap;
    double& worst = certificate.figures[kFigureWorstGap];
    worst = std::max(worst, relative);
    if (relative > options_.tolerance) unsolved.push_back(static_cast<VarId>(problem));
  }
  certificate.relative_gap = certificate.objective > 0 ? certificate.gap / certificate.objective : 0.0;
  certificate.converged = unsolved.empty();
  if (!barrier.verified) note_floor(certificate);
  const bool at_floor = idle_phases_ >= idle_phases_max(shape_.problems);
  if (!certificate.converged && !barrier.limit_reached && !at_floor) {
    plan_phase(barrier, now, unsolved, judgement.plan);
    return judgement;
  }
  judgement.plan.verdict = barrier.verified ? PhasePlan::Verdict::stop : PhasePlan::Verdict::verify;
  judgement.stop_reason = certificate.converged ? "converged" : at_floor ? "rounding floor" : kStopLimit;
  // For solution_of(): objectives, and whose w is the better one.
  for (std::size_t problem = 0; problem < shape_.problems; ++problem) {
    const bool earlier = kept_[problem] < now.primal[problem];
    certificate.figures.push_back(earlier ? kept_[problem] : now.primal[problem]);
    certificate.figures.push_back(now.dual[problem]);
    certificate.figures.push_back(earlier ? 1.0 : 0.0);
  }
  return judgement;
}

void SvmJudge::note_floor(const Certificate& certificate) {
  const bool raised = certificate.dual > best_dual_ + kRaised * std::abs(best_dual_);
  const bool closer = certificate.gap < least_gap_;
  idle_phases_ = raised || closer ? 0 : idle_phases_ + 1;
  best_dual_ = std::max(best_dual_, certificate.dual);
  least_gap_ = std::min(least_gap_, certificate.gap);
}

void SvmJudge::plan_phase(const Barrier& barrier, const Objectives& now, std::span<const VarId> unsolved,
                          PhasePlan& plan) {
  promised_first_ = static_cast<std::uint64_t>(barrier.version + 2);
  append_fields(PhaseWords{.inner_gap = options_.tolerance, .first = promised_first_}, plan.content.values);
  promised_ = kept_;
  for (std::size_t problem = 0; problem < shape_.problems; ++problem) {
    const bool better = now.primal[problem] < kept_[problem];
    if (better) promised_[problem] = now.primal[problem];
    plan.content.values.push_back(better ? 1.0 : 0.0);
  }
  plan.content.ids.assign(unsolved.begin(), unsolved.end());
  if (options_.policies.policy == Policy::automatic) {
    plan.mode = PhasePlan::Mode::joint;
    plan.rounds_max = 1;
    return;
  }
  plan_published_phase(options_.policies, static_cast<double>(shape_.variables()), plan);
}

}  // namespace strads::svm
