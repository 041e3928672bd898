#include "sumstats/model/summary_judge.hpp"

#include <algorithm>
#include <cmath>

#include "strads/engine/progress.hpp"
#include "sumstats/problem/block_record.hpp"

namespace strads::sumstats {

Judgement SummaryJudge::judge(const Barrier& barrier, std::span<const Payload> statuses) {
  Judgement judgement;
  SliceReport all;
  for (const Payload& status : statuses) {
    const auto own = read_fields<SliceReport>(status.values);
    all.open += own.open;
    all.begun += own.begun;
    all.turns += own.turns;
    all.certified += own.certified;
    all.nonzeros += own.nonzeros;
    all.objective += own.objective;
    all.gap += own.gap;
    all.worst = std::max(all.worst, own.worst);
  }
  Certificate& certificate = judgement.certificate;
  certificate.objective = all.objective;
  certificate.gap = all.gap;
  // Of all blocks and points together; 1 as long as every solution is empty and some should not be.
  certificate.relative_gap = all.objective != 0 ? all.gap / std::abs(all.objective) : all.gap > 0 ? 1 : 0;
  certificate.dual = all.objective - all.gap;
  certificate.nonzeros = all.nonzeros;
  certificate.figures.assign(kFigures, 0.0);
  certificate.figures[kFigureBlocks] = blocks_;
  certificate.figures[kFigureSolved] = static_cast<double>(blocks_ - all.open);
  certificate.figures[kFigureCertified] = static_cast<double>(all.certified);
  certificate.figures[kFigureWorst] = all.worst;
  certificate.converged = all.certified == blocks_;
  // A whole phase after which as much is open as before, and no block is further: answers did not bring what was asked
  // for. A run that goes on from a checkpoint comes to the same barrier again; a limit leaves phases unfinished.
  if (barrier.limit_reached) planned_.reset();
  const bool is_done = all.open == 0;
  const bool is_stuck =
      !barrier.verified && planned_ == std::pair(all.open, all.turns) && barrier.version > planned_at_;
  if (is_done || is_stuck || barrier.limit_reached || barrier.verified) {
    judgement.plan.verdict = barrier.verified ? PhasePlan::Verdict::stop : PhasePlan::Verdict::verify;
    judgement.stop_reason = certificate.converged ? kStopCertified : is_done ? kStopUncertified : kStopLimit;
    return judgement;
  }
  planned_ = std::pair(all.open, all.turns);
  planned_at_ = barrier.version;
  // Whoever has the Gram matrix of a block that goes on keeps it.
  if (all.begun > 0) judgement.plan.mode = PhasePlan::Mode::steady;
  judgement.plan.blocks_max = workers_;
  judgement.plan.rounds_max = statuses.size();
  judgement.plan.content = payload_of(PhaseTurn{.open = all.open});
  return judgement;
}

}  // namespace strads::sumstats
