#include <algorithm>

#include "engine/many/many_model.hpp"

namespace strads::engine {

namespace {
constexpr std::uint64_t kRoundsMax = 100'000'000'000'000;  ///< of a phase: what a payload can say
}

ManyJudge::ManyJudge(std::vector<PartJudge> parts, std::uint32_t schedulers, PartEnded ended)
    : schedulers_(schedulers), ended_(std::move(ended)) {
  for (auto& part : parts) {
    parts_.emplace_back().judge = std::move(part.judge);
    parts_.back().may_be_silent = part.may_be_silent;
  }
  phase_.jobs.resize(parts_.size());
}

Result<Payload> ManyJudge::start(std::span<const Payload> summaries) {
  std::vector<std::vector<Payload>> of_parts(parts_.size());
  for (const Payload& summary : summaries) {
    const auto own = unpack(summary, parts_.size());
    STRADS_CHECK(own.has_value(), "acceptable() has looked at the summary");
    for (std::size_t i = 0; i < parts_.size(); ++i) of_parts[i].push_back((*own)[i]);
  }
  std::vector<Payload> problems;
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    auto problem = parts_[i].judge->start(of_parts[i]);
    if (!problem.ok()) return problem.status();
    parts_[i].problem = problem.value();
    problems.push_back(std::move(problem).value());
  }
  return pack(problems);
}

Judgement ManyJudge::judge(const Barrier& barrier, std::span<const Payload> statuses) {
  std::vector<std::vector<Payload>> of_parts(parts_.size());
  std::vector<PartSums> sums;
  for (const Payload& status : statuses) {
    auto own = ManyStatus::decode(status, parts_.size());
    STRADS_CHECK(own.has_value(), "acceptable() has looked at the status");
    for (std::size_t i = 0; i < parts_.size(); ++i) of_parts[i].push_back(std::move(own->parts[i]));
    if (sums.empty()) sums = std::move(own->sums);
  }
  limit_ = limit_ || barrier.limit_reached;
  next_ = ManyPhase{.first = barrier.version + 1, .jobs = std::vector<Job>(parts_.size())};
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    if (!parts_[i].ended) judge_part(i, barrier, sums[i], std::move(of_parts[i]));
  }
  Judgement judgement;
  judgement.plan = next_plan(barrier);
  judgement.certificate = certificate();
  if (judgement.plan.verdict == PhasePlan::Verdict::stop) {
    judgement.stop_reason = limit_ && !judgement.certificate.converged ? "limit" : "every part has ended";
  }
  return judgement;
}

void ManyJudge::count(Part& part, const Job& job, const PartSums& sums) const {
  part.sums = sums;
  part.version = job.first + static_cast<Round>(sums.rounds) - 1;
  part.cut = !sums.ended;
  part.totals.rounds += sums.rounds;
  part.totals.blocks += sums.blocks;
  part.totals.updates += sums.updates;
  part.totals.rounds_parallel += sums.parallel_rounds;
  part.totals.empty_rounds += sums.empty_rounds;
}

void ManyJudge::judge_part(std::size_t i, const Barrier& barrier, const PartSums& sums, std::vector<Payload> statuses) {
  Part& part = parts_[i];
  const Job& job = phase_.jobs[i];
  if (!barrier.verified && job.runs()) count(part, job, sums);
  Barrier own;
  own.phase = part.barriers++;
  own.version = part.version;
  own.verified = barrier.verified || job.action == Job::Action::verify;
  own.limit_reached = barrier.limit_reached;
  own.rounds = part.sums.rounds;
  own.predicted = part.sums.predicted;
  own.realised = part.sums.realised;
  own.updates = part.sums.updates;
  if (!part.may_be_silent && std::find(statuses.begin(), statuses.end(), Payload{}) != statuses.end()) {
    // Acceptable, since parts that have ended say nothing, but of a node that did not do as it was told.
    part.cut = true;
    return end_part(i, {}, {});
  }
  const Judgement judgement = part.judge->judge(own, statuses);
  part.certificate = judgement.certificate;
  Job& next = next_.jobs[i];
  switch (judgement.plan.verdict) {
    case PhasePlan::Verdict::go_on:
      next = {.action = Job::Action::run, .first = part.version + 1, .plan = judgement.plan};
      next.plan.rounds_max = std::clamp<std::uint64_t>(next.plan.rounds_max, 1, kRoundsMax);
      ++part.totals.phases;
      if (next.plan.blocks_max > 1) ++part.totals.phases_parallel;
      return;
    case PhasePlan::Verdict::verify:
      next.action = Job::Action::verify;
      return;
    case PhasePlan::Verdict::stop:
      end_part(i, judgement, std::move(statuses));
      return;
  }
}

void ManyJudge::end_part(std::size_t i, const Judgement& judgement, std::vector<Payload> statuses) {
  Part& part = parts_[i];
  part.ended = true;
  if (part.cut) part.certificate.converged = false;
  // Its replica goes with the next phase, when every slice has reported.
  next_.jobs[i].action = Job::Action::release;
  if (!ended_) return;
  RunEnd end;
  end.stop_reason = part.cut ? kStopLimit : judgement.stop_reason;
  end.certificate = part.certificate;
  end.totals = part.totals;
  end.problem = part.problem;
  end.statuses = std::move(statuses);
  ended_(i, end);
}

PhasePlan ManyJudge::next_plan(const Barrier& barrier) {
  PhasePlan plan;
  const auto any = [&](Job::Action action) {
    return std::any_of(next_.jobs.begin(), next_.jobs.end(), [=](const Job& job) { return job.action == action; });
  };
  phase_ = next_;
  if (!any(Job::Action::run)) {
    // All that are left at once: no rounds are needed for that.
    plan.verdict = any(Job::Action::verify) ? PhasePlan::Verdict::verify : PhasePlan::Verdict::stop;
    return plan;
  }
  STRADS_CHECK(!barrier.limit_reached, "nobody goes on after a limit");
  phase_.lay_out(schedulers_);
  plan.rounds_max = phase_.rounds();
  plan.steady = true;
  for (const Job& job : phase_.jobs) {
    if (!job.runs()) continue;
    plan.blocks_max = std::max(plan.blocks_max, job.plan.blocks_max);
    plan.steady = plan.steady && job.plan.steady;
  }
  plan.content = phase_.encode();
  return plan;
}

Certificate ManyJudge::certificate() const {
  Certificate all;
  all.converged = true;
  for (const Part& part : parts_) {
    const Certificate& own = part.certificate;
    all.objective += own.objective;
    all.gap = all.gap < 0 || own.gap < 0 ? -1 : all.gap + own.gap;
    all.dual += own.dual;
    all.nonzeros += own.nonzeros;
    all.converged = all.converged && part.ended && own.converged;
    all.figures.insert(all.figures.end(),
                       {part.ended ? 1.0 : 0.0, own.objective, static_cast<double>(own.figures.size())});
    all.figures.insert(all.figures.end(), own.figures.begin(), own.figures.end());
  }
  all.relative_gap = all.objective == 0 ? 0 : all.gap / all.objective;
  return all;
}

}  // namespace strads::engine

namespace strads {

std::vector<PartProgress> parts_of(const Certificate& certificate) {
  std::vector<PartProgress> parts;
  const auto& figures = certificate.figures;
  for (std::size_t at = 0; at + 3 <= figures.size();) {
    const auto length = static_cast<std::size_t>(figures[at + 2]);
    const auto begin = figures.begin() + static_cast<std::ptrdiff_t>(at + 3);
    parts.push_back({figures[at] == 1, figures[at + 1], {begin, begin + static_cast<std::ptrdiff_t>(length)}});
    at += 3 + length;
  }
  return parts;
}

}  // namespace strads
