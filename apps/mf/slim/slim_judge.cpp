#include "mf/slim/slim_judge.hpp"

#include <algorithm>

#include "mf/slim/slim.hpp"
#include "mf/slim/slim_payloads.hpp"
#include "strads/engine/progress.hpp"

namespace strads::mf {

Judgement SlimJudge::judge(const Barrier& barrier, std::span<const Payload> statuses) {
  Judgement judgement;
  SliceReport all{.turn = turns_};
  for (const Payload& status : statuses) {
    const auto own = read_fields<SliceReport>(status.values);
    all.turn = std::min(all.turn, own.turn);
    all.solved += own.solved;
    all.certified += own.certified;
    all.nonzeros += own.nonzeros;
    all.objective += own.objective;
    all.gap += own.gap;
    all.worst_gap = std::max(all.worst_gap, own.worst_gap);
  }
  Certificate& certificate = judgement.certificate;
  certificate.objective = all.objective;
  certificate.gap = all.gap;
  certificate.relative_gap = all.worst_gap;
  certificate.dual = all.objective - all.gap;
  certificate.nonzeros = all.nonzeros;
  certificate.figures.assign(kSlimFigures, 0.0);
  certificate.figures[kSlimItems] = items_;
  certificate.figures[kSlimSolved] = static_cast<double>(all.solved);
  certificate.figures[kSlimCertified] = static_cast<double>(all.certified);
  certificate.figures[kSlimWorstGap] = all.worst_gap;
  certificate.converged = all.certified == items_;
  const bool is_done = all.solved == items_;
  // A whole phase after which its turn is still to be done: answers did not bring what was asked for. A run that goes
  // on from a checkpoint comes to the same barrier again; a limit leaves phases unfinished.
  if (barrier.limit_reached) planned_.reset();
  const bool is_stuck = !barrier.verified && planned_ == all.turn && barrier.version > planned_at_;
  if (!is_done && !is_stuck && !barrier.limit_reached && !barrier.verified) {
    planned_ = all.turn;
    planned_at_ = barrier.version;
    judgement.plan.mode = PhasePlan::Mode::steady;
    judgement.plan.blocks_max = workers_;
    judgement.plan.rounds_max = schedulers_;
    judgement.plan.content = payload_of(PhaseTurn{.turn = all.turn});
    return judgement;
  }
  judgement.plan.verdict = barrier.verified ? PhasePlan::Verdict::stop : PhasePlan::Verdict::verify;
  judgement.stop_reason = certificate.converged ? kStopCertified : is_done ? kStopUncertified : kStopLimit;
  return judgement;
}

}  // namespace strads::mf
