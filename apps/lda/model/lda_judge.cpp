#include "lda/model/lda_judge.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "lda/infer/infer.hpp"
#include "lda/model/lda_model.hpp"
#include "lda/problem/special.hpp"
#include "strads/engine/progress.hpp"

namespace strads::lda {
namespace {

/// Where the fixed point would leave what samplers can use: a topic without tokens has a prior of 0.
constexpr double kPriorMin = 1e-5, kPriorMax = 1e4;

}  // namespace

LdaJudge::LdaJudge(const LdaData& data, const LdaOptions& options, const EngineOptions& engine)
    : options_(options),
      engine_(engine),
      tokens_(static_cast<double>(data.tokens())),
      vocabulary_(data.vocabulary()),
      asked_(data.held_out == nullptr ? 0 : data.held_out->asked.tokens),
      evaluates_(evaluation_interval(data, options)),
      alpha_(options.alpha),
      beta_(options.beta),
      log_joint_(std::numeric_limits<double>::quiet_NaN()),
      held_out_(std::numeric_limits<double>::quiet_NaN()) {
  begin_sweep();
}

bool LdaJudge::optimises(std::uint32_t sweep) const {
  return options_.optimise && sweep >= options_.optimise_after && sweep < options_.sweeps;
}

void LdaJudge::begin_sweep() {
  next_ = 0;
  steps_ = steps_of(options_.sampler, engine_.workers);
  const std::uint32_t sweep = sweeps_ + 1;
  // Of the last one the program measures what it writes.
  if (evaluates_ > 0 && sweep % evaluates_ == 0 && sweep < options_.sweeps) steps_.push_back({Work::held_out, 0});
  // The last one is measured when the replica is recomputed.
  const bool measures = sweep % options_.measure_every == 0 && sweep < options_.sweeps;
  if (!measures && !optimises(sweep)) return;
  steps_.push_back({Work::measure_documents, 0});
  steps_.push_back({Work::measure_words, 0});
}

/// A phase that a limit cut off has changed nothing, unless only rounds without a block were left of it.
bool LdaJudge::note_phase(const Barrier& barrier, const StatusView& status) {
  const auto phase = static_cast<std::uint64_t>(barrier.version + 2) - barrier.rounds;
  if (barrier.limit_reached && barrier.rounds < engine_.schedulers && status.head.phase != phase) return false;
  if (steps_[next_].work == Work::held_out) {
    held_out_ = perplexity_of(FixedSum::value(status.held_out[0], status.held_out[1]), asked_);
    evaluated_ = sweeps_ + 1;
  }
  if (++next_ < steps_.size()) return false;
  ++sweeps_;
  return true;
}

Judgement LdaJudge::judge(const Barrier& barrier, std::span<const Payload> statuses) {
  const StatusView status = read_status(statuses[0].values, options_.topics);
  Judgement judgement;
  bool ends_sweep = false;
  if (barrier.version >= 0 && !barrier.verified) {
    const bool measured = steps_[next_].work == Work::measure_words;
    ends_sweep = note_phase(barrier, status);
    if (ends_sweep && measured) {
      note_measure(status, sweeps_);
      if (optimises(sweeps_)) optimise(status);
    }
    if (ends_sweep) begin_sweep();
  }
  if (barrier.verified) note_measure(status, sweeps_);
  judgement.certificate = certificate(status, ends_sweep);
  if (barrier.verified) {
    judgement.plan.verdict = PhasePlan::Verdict::stop;
    judgement.stop_reason = stop_;
    return judgement;
  }
  if (sweeps_ >= options_.sweeps) stop_ = kStopSweeps;
  if (barrier.limit_reached && stop_.empty()) stop_ = kStopLimit;
  if (!stop_.empty()) {
    judgement.plan.verdict = PhasePlan::Verdict::verify;
    return judgement;
  }
  judgement.plan = plan(barrier.version);
  return judgement;
}

void LdaJudge::note_measure(const StatusView& status, std::uint32_t sweep) {
  log_joint_ = log_joint_of(status.totals, status.documents, status.words, status.head.beta, vocabulary_);
  measured_ = sweep;
}

/// Minka 2000, eq. 55, of alpha by documents and of the symmetric beta by topics.
void LdaJudge::optimise(const StatusView& status) {
  const double divisor = FixedSum::value(status.documents[kMeasureDivisor], status.documents[kMeasureDivisor + 1]);
  for (std::size_t k = 0; k < alpha_.size(); ++k) {
    const std::size_t at = kMeasureNumerators + 2 * k;
    const double numerator = FixedSum::value(status.documents[at], status.documents[at + 1]);
    alpha_[k] = std::clamp(alpha_[k] * numerator / divisor, kPriorMin, kPriorMax);
  }
  double of_totals = 0;
  for (const double total : status.totals) {
    of_totals += digamma_rising(vocabulary_ * beta_, static_cast<std::uint64_t>(total));
  }
  const double numerator = FixedSum::value(status.words[kMeasureBeta], status.words[kMeasureBeta + 1]);
  beta_ = std::clamp(beta_ * numerator / (vocabulary_ * of_totals), kPriorMin, kPriorMax);
}

PhasePlan LdaJudge::plan(Version version) const {
  PhasePlan plan;
  plan.mode = PhasePlan::Mode::steady;
  plan.blocks_max = engine_.workers;
  plan.rounds_max = engine_.schedulers;
  const Step& step = steps_[next_];
  append_fields(Plan{.work = static_cast<std::uint64_t>(step.work),
                     .phase = static_cast<std::uint64_t>(version + 2),
                     .sweep = sweeps_ + std::uint64_t{1},
                     .turn = step.turn,
                     .page = 0,
                     .beta = beta_},
                plan.content.values);
  plan.content.values.insert(plan.content.values.end(), alpha_.begin(), alpha_.end());
  return plan;
}

Certificate LdaJudge::certificate(const StatusView& status, bool ends_sweep) const {
  Certificate certificate;
  const bool has_measure = std::isfinite(log_joint_);
  certificate.objective = has_measure ? -log_joint_ : 0;
  certificate.gap = -1;
  certificate.converged = stop_ == kStopSweeps;
  auto& figures = certificate.figures;
  figures.assign(kFigures, 0);
  figures[kFigureSweep] = sweeps_;
  figures[kFigureEndsSweep] = ends_sweep ? 1 : 0;
  figures[kFigureLogJoint] = log_joint_ / tokens_;
  figures[kFigureMeasured] = measured_;
  figures[kFigureDrift] = status.head.drift;
  figures[kFigureBeta] = status.head.beta;
  figures[kFigureAlphaSum] = std::accumulate(status.alpha.begin(), status.alpha.end(), 0.0);
  figures[kFigureTokens] = sweeps_ * tokens_;
  figures[kFigureHeldOut] = held_out_;
  figures[kFigureEvaluated] = evaluated_;
  return certificate;
}

}  // namespace strads::lda
