#include "strads_sim/audit/lda_audit.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdio>
#include <numeric>
#include <utility>

#include "lda/problem/lda.hpp"
#include "strads/engine/progress.hpp"

namespace strads::simulator {
namespace {

constexpr double kSumNear = 1e-12;  ///< relative: sums of doubles in another order

std::string figure_text(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.12g", value);
  return text;
}

/// Two numbers of 16 bits are the bits of a float.
std::vector<std::uint16_t> halves_of(const SharedFloats& bulk) {
  std::vector<std::uint16_t> halves;
  for (const float pair : bulk.view()) {
    const auto bits = std::bit_cast<std::uint32_t>(pair);
    halves.push_back(static_cast<std::uint16_t>(bits & 0xffffU));
    halves.push_back(static_cast<std::uint16_t>(bits >> 16));
  }
  return halves;
}

double sum_of(const std::vector<double>& terms) {
  return std::accumulate(terms.begin(), terms.end(), 0.0);
}

bool draws_topics(lda::Work work) {
  return work == lda::Work::words || work == lda::Work::documents || work == lda::Work::cells;
}

}  // namespace

LdaAudit::LdaAudit(const std::shared_ptr<const Documents>& documents, const AuditedLda& asked)
    : asked_(asked),
      plain_(documents, asked),
      topics_(plain_.size(), kUntold),
      proposals_(plain_.size()),
      alpha_(asked.topics, asked.alpha),
      beta_(asked.beta),
      told_alpha_(alpha_),
      told_beta_(beta_) {}

void LdaAudit::expect(bool right, const std::string& found, const std::string& expected) {
  ModelAudit::expect(sim::AuditFinding::About::certificate, right, found, expected);
}

void LdaAudit::expect_near(const char* what, double found, double expected, double slack) {
  expect(std::abs(found - expected) <= slack, std::string(what) + " = " + figure_text(found),
         figure_text(expected) + ", from the topics of the tokens");
}

void LdaAudit::begin(const Payload& problem, const std::vector<std::vector<VarId>>& slices) {
  expect(problem == Payload{}, "a problem that says something", "nothing: all nodes have it");
  plain_.deal(slices);
  begin_sweep();
}

// --- sweeps ---

bool LdaAudit::optimises(std::uint32_t sweep) const {
  return asked_.optimise && sweep >= asked_.optimise_after && sweep < asked_.sweeps;
}

/// docs/MODELS.md: the phases that draw, then those that measure where the sweep is measured.
void LdaAudit::begin_sweep() {
  steps_.clear();
  step_ = 0;
  if (asked_.sampler == "delayed") steps_ = {{lda::Work::words, 0}, {lda::Work::documents, 0}};
  if (asked_.sampler == "stale") steps_ = {{lda::Work::cells, 0}};
  for (std::uint64_t turn = 0; asked_.sampler == "rotation" && turn < asked_.engine.workers; ++turn) {
    steps_.push_back({lda::Work::cells, turn});
  }
  const std::uint32_t sweep = sweeps_ + 1;
  if ((sweep % asked_.measure_every == 0 && sweep < asked_.sweeps) || optimises(sweep)) {
    steps_.push_back({lda::Work::measure_documents, 0});
    steps_.push_back({lda::Work::measure_words, 0});
  }
}

bool LdaAudit::all_told() const {
  return std::ranges::find(topics_, kUntold) == topics_.end();
}

void LdaAudit::note_measure() {
  measured_.sweep = sweeps_;
  measured_.is_there = true;
  measured_.values = all_told() ? plain_.measure(topics_, alpha_, beta_) : PlainMeasure{};
  measured_.knows_joint = all_told();
}

/// Its blocks count when all of them are there.
void LdaAudit::end_phase() {
  phase_.active = false;
  const bool is_whole = phase_.rounds == asked_.engine.schedulers ||
                        (phase_.tokens_wanted > 0 && phase_.tokens_brought == phase_.tokens_wanted);
  expect(is_whole || limit_ || finishes(), "a phase that ends after " + std::to_string(phase_.rounds) + " rounds",
         std::to_string(asked_.engine.schedulers) + ", or a limit");
  if (!is_whole) return;
  expect(phase_.tokens_brought == phase_.tokens_wanted,
         std::to_string(phase_.tokens_brought) + " tokens in the blocks of a phase",
         std::to_string(phase_.tokens_wanted));
  if (draws_topics(steps_[step_].work) && !phase_.drawn.empty()) install();
  if (++step_ < steps_.size()) return;
  const bool measures = steps_.back().work == lda::Work::measure_words;
  ++sweeps_;
  barrier_.ends_sweep = true;
  steps_prior_ = false;
  if (measures) {
    note_measure();
    steps_prior_ = optimises(sweeps_);
  }
  begin_sweep();
}

void LdaAudit::install() {
  std::vector<double> all(asked_.topics, 0);
  for (const Drawn& drawn : phase_.drawn) {
    for (std::size_t i = 0; i < drawn.tokens.size(); ++i) {
      topics_[drawn.tokens[i]] = drawn.topics[i];
      if (!drawn.proposals.empty()) proposals_[drawn.tokens[i]] = drawn.proposals[i];
    }
    for (std::size_t k = 0; k < all.size(); ++k) all[k] += drawn.sums[k];
  }
  // What others have changed meanwhile; `delayed` sees no changes at all, not even its own.
  const bool sees_own = asked_.sampler != "delayed";
  double sum = 0;
  for (const Drawn& drawn : phase_.drawn) {
    for (std::size_t k = 0; k < all.size(); ++k) sum += std::abs(all[k] - (sees_own ? drawn.sums[k] : 0));
  }
  drift_ = sum / static_cast<double>(phase_.drawn.size()) / static_cast<double>(plain_.size());
}

// --- barriers ---

void LdaAudit::judged(const PhasePlan& plan, Version version) {
  where_ = "the barrier at version " + std::to_string(version);
  barrier_.verified = barrier_.verify;
  barrier_.verify = plan.verdict == PhasePlan::Verdict::verify;
  barrier_.ends_sweep = false;
  if (phase_.active) end_phase();
  if (barrier_.verified) note_measure();
  const bool enough = sweeps_ >= asked_.sweeps;
  if (plan.verdict == PhasePlan::Verdict::go_on) {
    expect(!enough, "another phase after " + std::to_string(sweeps_) + " sweeps", "the end");
    return check_plan(plan, version);
  }
  limit_ = limit_ || finishes();
  expect(enough || limit_, "the end after " + std::to_string(sweeps_) + " sweeps",
         std::to_string(asked_.sweeps) + ", or a limit");
}

void LdaAudit::check_plan(const PhasePlan& plan, Version version) {
  const auto own = lda::Plan{.work = static_cast<std::uint64_t>(steps_[step_].work),
                             .phase = static_cast<std::uint64_t>(version + 2),
                             .sweep = sweeps_ + std::uint64_t{1},
                             .turn = steps_[step_].turn,
                             .page = 0,
                             .beta = steps_prior_ ? measured_.values.beta : told_beta_};
  phase_.plan = read_fields<lda::Plan>(plan.content.values);
  lda::Plan told = phase_.plan;
  if (steps_prior_) {
    expect(std::abs(told.beta - own.beta) <= measured_.values.beta_slack, "beta = " + figure_text(told.beta),
           figure_text(own.beta) + ", a step of Minka's fixed point");
    told.beta = own.beta;
  }
  expect(told == own,
         "work " + std::to_string(told.work) + ", turn " + std::to_string(told.turn) + " of sweep " +
             std::to_string(told.sweep),
         "work " + std::to_string(own.work) + ", turn " + std::to_string(own.turn) + " of sweep " +
             std::to_string(own.sweep) + " and the same beta");
  const bool is_right = plan.mode == PhasePlan::Mode::steady && plan.blocks_max == asked_.engine.workers &&
                        plan.rounds_max == asked_.engine.schedulers && plan.updates_max == 0;
  expect(is_right, std::to_string(plan.rounds_max) + " rounds of " + std::to_string(plan.blocks_max) + " blocks",
         "one of each scheduler, with a block for each worker");
  const auto alpha = lda::alpha_of(plan.content.values, asked_.topics);
  for (std::size_t k = 0; k < alpha.size(); ++k) {
    const double expected = steps_prior_ ? measured_.values.alpha[k] : told_alpha_[k];
    expect(std::abs(alpha[k] - expected) <= (steps_prior_ ? measured_.values.alpha_slack[k] : 0),
           "alpha(" + std::to_string(k) + ") = " + figure_text(alpha[k]), figure_text(expected));
  }
  told_alpha_.assign(alpha.begin(), alpha.end());
  told_beta_ = phase_.plan.beta;
  steps_prior_ = false;
  phase_.active = true;
  phase_.rounds = 0;
  phase_.drawn.clear();
  phase_.pages.clear();
  phase_.tokens_brought = 0;
  phase_.tokens_wanted = plain_.size();
  if (phase_.plan.kind() != lda::Work::cells) return;
  phase_.tokens_wanted = 0;
  const std::uint64_t blocks = plain_.blocks_of_words();
  for (std::uint64_t p = 0; p < asked_.engine.workers; ++p) {
    phase_.tokens_wanted += plain_.tokens_of_cell(p * blocks + (p + phase_.plan.turn) % blocks).size();
  }
}

void LdaAudit::certified(const Certificate& certificate) {
  const auto& figures = certificate.figures;
  if (figures.size() != lda::kFigures) {
    return expect(false, std::to_string(figures.size()) + " figures", std::to_string(std::size_t{lda::kFigures}));
  }
  const auto tokens = static_cast<double>(plain_.size());
  const auto same = [&](lda::Figure figure, const char* what, double expected) {
    expect(figures[figure] == expected, std::string(what) + " = " + figure_text(figures[figure]),
           figure_text(expected));
  };
  same(lda::kFigureSweep, "sweeps", sweeps_);
  same(lda::kFigureEndsSweep, "the end of a sweep", barrier_.ends_sweep ? 1 : 0);
  same(lda::kFigureBeta, "beta", beta_);
  same(lda::kFigureTokens, "tokens drawn", sweeps_ * tokens);
  expect_near("drift", figures[lda::kFigureDrift], drift_, kSumNear);
  expect_near("sum of alpha", figures[lda::kFigureAlphaSum], sum_of(alpha_), kSumNear * sum_of(alpha_));
  expect(!certificate.converged || sweeps_ >= asked_.sweeps, "an end that was wanted",
         std::to_string(asked_.sweeps) + " sweeps");
  if (!measured_.is_there) {
    const bool says_none = std::isnan(figures[lda::kFigureLogJoint]) && certificate.objective == 0;
    return expect(says_none, "a log joint of " + figure_text(figures[lda::kFigureLogJoint]), "none yet");
  }
  same(lda::kFigureMeasured, "the measured sweep", measured_.sweep);
  expect_near("objective", certificate.objective, -figures[lda::kFigureLogJoint] * tokens,
              kSumNear * std::abs(certificate.objective));
  if (measured_.knows_joint)
    expect_near("minus log joint", certificate.objective, -measured_.values.log_joint,
                measured_.values.log_joint_slack);
}

// --- commits ---

std::vector<std::size_t> LdaAudit::tokens_of(lda::Work work, std::uint64_t page) const {
  if (work == lda::Work::cells) return plain_.tokens_of_cell(page);
  return plain_.tokens_of_block(work == lda::Work::words, page);
}

/// Whose turn it is has this page.
bool LdaAudit::belongs(std::uint64_t page, std::uint32_t slice) const {
  const std::uint64_t workers = asked_.engine.workers, schedulers = asked_.engine.schedulers;
  if (asked_.sampler == "delayed") return page / workers == slice && page < workers * schedulers;
  if (phase_.plan.kind() != lda::Work::cells) return page % schedulers == slice && page < workers;
  const std::uint64_t blocks = plain_.blocks_of_words(), part = page / blocks;
  return part < workers && part % schedulers == slice && page % blocks == (part + phase_.plan.turn) % blocks;
}

void LdaAudit::committed(const sim::AuditedCommit& commit) {
  where_ = "commit " + std::to_string(commit.version);
  limit_ = limit_ || commit.last;
  ++phase_.rounds;
  const Payload& changes = *commit.changes;
  if (changes.values.empty()) return expect(commit.blocks.empty(), "blocks that change nothing", "what they drew");
  const auto plan = read_fields<lda::Plan>(changes.values);
  const bool of_phase =
      plan == phase_.plan && std::ranges::equal(lda::alpha_of(changes.values, asked_.topics), told_alpha_);
  expect(of_phase, "changes of another phase", "those of PHASE");
  alpha_ = told_alpha_;
  beta_ = told_beta_;
  const std::size_t size = lda::sums_size(plan.kind(), asked_.topics);
  auto rest = std::span(changes.values).subspan(lda::plan_size(asked_.topics));
  std::size_t blocks = 0;
  for (; rest.size() >= 1 + size; rest = rest.subspan(1 + size), ++blocks) {
    const auto page = static_cast<std::uint64_t>(rest[0]);
    expect(belongs(page, commit.scheduler) && std::ranges::find(phase_.pages, page) == phase_.pages.end(),
           "block " + std::to_string(page) + " of scheduler " + std::to_string(commit.scheduler),
           "each block once, from its own scheduler");
    phase_.pages.push_back(page);
    take_block(page, rest.subspan(1, size), draws_topics(plan.kind()) ? &changes.bulk[blocks] : nullptr);
  }
  expect(blocks == commit.blocks.size(), std::to_string(blocks) + " blocks in the changes",
         std::to_string(commit.blocks.size()));
}

void LdaAudit::take_block(std::uint64_t page, std::span<const double> sums, const SharedFloats* bulk) {
  if (bulk == nullptr) {
    // In `rotation` and `stale` a part has the documents of all slices at its place, a block of words likewise.
    phase_.tokens_brought += plain_.tokens_of_measure(phase_.plan.kind() == lda::Work::measure_words, page).size();
    return;
  }
  Drawn drawn{tokens_of(phase_.plan.kind(), page), {}, {}, {sums.begin(), sums.end()}};
  phase_.tokens_brought += drawn.tokens.size();
  take_draws(drawn, *bulk);
  std::vector<double> moved(asked_.topics, 0);
  bool all_known = true;
  for (std::size_t i = 0; i < drawn.topics.size(); ++i) {
    const std::uint16_t before = topics_[drawn.tokens[i]], after = drawn.topics[i];
    expect(after < asked_.topics, "topic " + std::to_string(after), "below " + std::to_string(asked_.topics));
    all_known = all_known && before != kUntold;
    if (!all_known || after >= asked_.topics) continue;
    moved[before] -= 1;
    moved[after] += 1;
    const auto& may_be = proposals_[drawn.tokens[i]];
    const bool was_proposed = before == after || may_be.empty() || std::ranges::find(may_be, after) != may_be.end();
    expect(was_proposed, "topic " + std::to_string(after) + " of token " + std::to_string(drawn.tokens[i]),
           "its old one, or one that was proposed");
  }
  for (std::size_t k = 0; all_known && k < moved.size(); ++k) {
    expect(moved[k] == sums[k], "topic " + std::to_string(k) + " grows by " + figure_text(sums[k]),
           figure_text(moved[k]));
  }
  phase_.drawn.push_back(std::move(drawn));
}

/// `delayed`: the topic of each token and its proposals, in whole floats; else topics alone.
void LdaAudit::take_draws(Drawn& drawn, const SharedFloats& bulk) {
  const std::vector<std::uint16_t> halves = halves_of(bulk);
  const bool proposes = asked_.sampler == "delayed";
  const std::size_t each = proposes ? (1 + asked_.proposals + 1) / 2 * 2 : 1;
  const std::size_t wanted = (drawn.tokens.size() * each + 1) / 2 * 2;
  if (halves.size() != wanted) {
    return expect(false,
                  std::to_string(halves.size()) + " topics of " + std::to_string(drawn.tokens.size()) + " tokens",
                  std::to_string(wanted));
  }
  for (std::size_t i = 0; i < drawn.tokens.size(); ++i) {
    const auto at = halves.begin() + static_cast<std::ptrdiff_t>(i * each);
    drawn.topics.push_back(*at);
    if (proposes) drawn.proposals.emplace_back(at + 1, at + 1 + asked_.proposals);
  }
}

// --- the end ---

void LdaAudit::ended(const RunEnd& end) {
  where_ = "the end";
  const bool enough = sweeps_ >= asked_.sweeps;
  expect(end.stop_reason == (enough ? "sweeps" : "limit"),
         "\"" + end.stop_reason + "\" after " + std::to_string(sweeps_) + " sweeps",
         enough ? "\"sweeps\"" : "\"limit\"");
  std::vector<std::uint16_t> reported(plain_.size(), kUntold);
  for (const Payload& status : end.statuses) {
    const auto halves = status.bulk.empty() ? std::vector<std::uint16_t>() : halves_of(status.bulk[0]);
    std::size_t at = 0;
    for (const VarId d : status.ids) {
      for (std::size_t t = plain_.first_of(d); t < plain_.first_of(d + std::size_t{1}) && at < halves.size(); ++t) {
        expect(reported[t] == kUntold, "token " + std::to_string(t) + " twice in the reports", "each once");
        reported[t] = halves[at++];
      }
    }
  }
  for (std::size_t t = 0; t < reported.size(); ++t) {
    if (reported[t] >= asked_.topics || (topics_[t] != kUntold && topics_[t] != reported[t])) {
      return expect(false, "topic " + std::to_string(reported[t]) + " of token " + std::to_string(t),
                    topics_[t] == kUntold ? "one of the topics" : std::to_string(topics_[t]) + ", as it was drawn");
    }
  }
  topics_ = reported;
  note_measure();
  certified(end.certificate);
  const std::vector<double> counted = plain_.totals(topics_);
  for (const Payload& status : end.statuses) {
    const lda::StatusView view = lda::read_status(status.values, asked_.topics);
    expect(std::ranges::equal(view.totals, counted), "totals of topics in a report", "those of the tokens' topics");
    expect(std::ranges::equal(view.alpha, alpha_) && view.head.beta == beta_, "another alpha or beta in a report",
           "those of the last phase");
  }
}

}  // namespace strads::simulator
