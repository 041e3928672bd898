#include "strads_sim/audit/svm_audit.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <span>
#include <utility>

#include "strads/base/chunks.hpp"
#include "strads/engine/progress.hpp"
#include "svm/check/check_svm.hpp"

namespace strads::simulator {
namespace {

using About = sim::AuditFinding::About;

constexpr double kDualNear = 1e-10;  ///< x the largest sums: what two ways of adding up may come to
constexpr double kDualRise = 1e-12;  ///< the same of one sum before and after a commit
constexpr double kDualShare = 1e-6;  ///< of a tolerance, in which rounding may decide
constexpr double kDualFloor = 1e-9;  ///< x the largest sums: a gap below it may be called the rounding floor
constexpr double kStepNear = 1e-6;
constexpr double kNoPrimal = std::numeric_limits<double>::infinity();

std::string digits(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.12g", value);
  return text;
}

std::string variable_text(std::size_t j) {
  return "variable " + std::to_string(j);
}

/// What is on a bound but for rounding is on it (docs/MODELS.md).
double moved(double value, double delta, double upper) {
  constexpr double kUnits = 4 * std::numeric_limits<double>::epsilon();
  const double next = value + delta;
  if (next <= kUnits * std::abs(delta)) return 0;
  return next >= upper - kUnits * upper ? upper : next;
}

}  // namespace

SvmAudit::SvmAudit(const std::shared_ptr<const svm::SvmData>& data, const AuditedSvm& asked)
    : asked_(asked), plain_(data, asked), kept_(plain_.problems(), kNoPrimal) {}

double SvmAudit::near() const {
  return kDualNear * now_.scale;
}

void SvmAudit::expect_near(const char* what, double found, double expected, double times) {
  expect(About::certificate, std::abs(found - expected) <= times * near(), std::string(what) + " = " + digits(found),
         digits(expected) + ", from plain rows");
}

void SvmAudit::begin(const Payload& problem, const std::vector<std::vector<VarId>>&) {
  expect(About::certificate, problem == Payload{}, "a problem that says something", "nothing: all nodes have it");
  a_.assign(plain_.variables(), 0.0);
  now_ = plain_.at(a_);
}

// --- barriers ---

SvmAudit::Gap SvmAudit::gap_of(std::size_t problem) const {
  Gap found;
  found.primal = std::min(kept_[problem], now_.primal[problem]);
  found.gap = found.primal - now_.dual[problem];
  found.relative = found.primal > 0 ? found.gap / found.primal : 0;
  const double wanted = asked_.tolerance * found.primal;
  found.surely = found.gap <= wanted * (1 - kDualShare) - near();
  found.perhaps = found.gap <= wanted * (1 + kDualShare) + near();
  return found;
}

void SvmAudit::judged(const PhasePlan& plan, Version version) {
  where_ = "the barrier at version " + std::to_string(version);
  bool surely = true, perhaps = true;
  gaps_.clear();
  barrier_ = now_;
  double gap = 0;
  for (std::size_t p = 0; p < plain_.problems(); ++p) {
    gaps_.push_back(gap_of(p));
    surely = surely && gaps_[p].surely;
    perhaps = perhaps && gaps_[p].perhaps;
    gap += gaps_[p].gap;
  }
  solved_ = perhaps;
  floor_ = gap <= kDualFloor * now_.scale;
  if (plan.verdict == PhasePlan::Verdict::go_on) {
    expect(About::certificate, !surely, "more rounds at a gap of " + digits(gap),
           "none: that of each problem is at most " + digits(asked_.tolerance) + " of its objective");
    check_plan(plan, version);
    return;
  }
  limit_ = limit_ || finishes();
  expect(About::certificate, perhaps || limit_ || floor_, "the end of the run at a gap of " + digits(gap),
         "rounds until that of each problem is at most " + digits(asked_.tolerance) +
             " of its objective, or a limit is reached");
}

void SvmAudit::check_plan(const PhasePlan& plan, Version version) {
  const auto words = read_fields<svm::PhaseWords>(plan.content.values);
  head_ = {static_cast<double>(version + 2), 0};
  expect(About::policy, words.first == static_cast<std::uint64_t>(version + 2),
         "a phase from round " + std::to_string(words.first), std::to_string(version + 2));
  promised_ = kept_;
  const auto flags = std::span(plan.content.values).subspan(kFields<svm::PhaseWords>);
  for (std::size_t p = 0; p < plain_.problems(); ++p) {
    const double ahead = kept_[p] - now_.primal[p];
    const bool is_kept = flags[p] != 0;
    expect(About::certificate, is_kept ? ahead >= -near() : ahead <= near(),
           std::string(is_kept ? "a w that is kept" : "a w that is dropped") + " at a primal objective of " +
               digits(now_.primal[p]),
           "the better one of it and " + digits(kept_[p]) + " to be kept");
    if (is_kept) promised_[p] = now_.primal[p];
    const bool is_listed = std::ranges::binary_search(plan.content.ids, static_cast<VarId>(p));
    expect(About::policy, is_listed ? !gaps_[p].surely : gaps_[p].perhaps,
           "problem " + std::to_string(p) + (is_listed ? " to be solved" : " left out") + " at a relative gap of " +
               digits(gaps_[p].relative),
           "those above " + digits(asked_.tolerance));
    head_.push_back(flags[p]);
  }
  promises_ = true;
  std::uint64_t updates = 0, rounds = 1;
  if (!automatic()) {
    rounds = updates = asked_.check_interval != 0 ? asked_.check_interval : plain_.variables();
  }
  const bool right = plan.joint() == automatic() && plan.rounds_max == rounds && plan.updates_max == updates &&
                     plan.blocks_max == (automatic() ? 1 : asked_.engine.workers);
  expect(About::policy, right,
         std::to_string(plan.rounds_max) + " rounds, " + std::to_string(plan.updates_max) + " updates, " +
             std::to_string(plan.blocks_max) + " blocks a round",
         std::to_string(rounds) + " rounds and " + std::to_string(updates) + " updates, joint for auto alone");
}

void SvmAudit::certified(const Certificate& certificate) {
  double primal = 0, dual = 0, worst = 0;
  for (std::size_t p = 0; p < plain_.problems(); ++p) {
    primal += gaps_[p].primal;
    dual += barrier_.dual[p];
    worst = std::max(worst, gaps_[p].relative);
  }
  expect_near("objective", certificate.objective, primal);
  expect_near("dual objective", certificate.dual, dual);
  expect_near("gap", certificate.gap, primal - dual, 2);
  expect_near("relative gap x objective", certificate.relative_gap * primal, primal - dual, 2);
  expect(About::certificate, certificate.nonzeros == barrier_.support,
         std::to_string(certificate.nonzeros) + " support vectors", std::to_string(barrier_.support));
  if (certificate.figures.size() < svm::kFigures) {
    return expect(About::certificate, false, std::to_string(certificate.figures.size()) + " figures", "all of them");
  }
  const double at_bound = certificate.figures[svm::kFigureAtBound];
  expect(About::certificate, at_bound == static_cast<double>(barrier_.at_bound), digits(at_bound) + " at their bound",
         std::to_string(barrier_.at_bound));
  const double violation = certificate.figures[svm::kFigureViolation];
  constexpr double kGradientNear = 1e-8;
  expect(About::certificate, std::abs(violation - barrier_.violation) <= kGradientNear * (1 + barrier_.violation),
         "a largest projected gradient of " + digits(violation), digits(barrier_.violation));
  const double said = certificate.figures[svm::kFigureWorstGap];
  expect(About::certificate, std::abs(said - worst) * primal <= 2 * near() + kDualShare * worst * primal,
         "a worst relative gap of " + digits(said), digits(worst));
  expect(About::certificate, !certificate.converged || solved_, "\"converged\" at a relative gap of " + digits(worst),
         "at most " + digits(asked_.tolerance));
}

// --- commits ---

void SvmAudit::committed(const sim::AuditedCommit& commit) {
  where_ = "commit " + std::to_string(commit.version);
  limit_ = limit_ || commit.last;
  const PlainDual before = now_;
  const Payload& changes = *commit.changes;
  check_couplings(commit);
  if (!changes.values.empty()) {
    const std::span<const double> values(changes.values);
    std::vector<double> head(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(head_.size()));
    head[1] = 0;  // what f loses: compared below
    expect(About::certificate, head == head_, "a commit of another phase, or that keeps another w", "that of PHASE");
    if (std::exchange(promises_, false)) kept_ = promised_;
    const auto rest = values.subspan(head_.size());
    if (changes.ids.empty()) {
      take_groups(rest);
    } else {
      take_deltas(commit, rest);
    }
    now_ = plain_.at(a_);
  }
  expect_near("objective", commit.objective, now_.f());
  expect_near("realised decrease", commit.realised, before.f() - now_.f());
  expect(About::certificate, now_.f() <= before.f() + kDualRise * now_.scale,
         "a dual objective of " + digits(-now_.f()), "at least " + digits(-before.f()) + ", what it was before");
}

/// Problems that were solved whole: new values of all of their variables.
void SvmAudit::take_groups(std::span<const double> groups) {
  const std::size_t samples = plain_.data().labels.size();
  expect(About::policy, automatic(), "problems that are solved whole", "blocks of policy " + asked_.policy);
  for (; groups.size() >= 2 + samples; groups = groups.subspan(2 + samples)) {
    const auto first = static_cast<std::size_t>(groups[0]) * samples;
    std::copy_n(groups.begin() + 2, samples, a_.begin() + static_cast<std::ptrdiff_t>(first));
    for (std::size_t j = first; j < first + samples; ++j) {
      expect(About::certificate, a_[j] >= 0 && a_[j] <= plain_.upper(j), variable_text(j) + " = " + digits(a_[j]),
             "0 to " + digits(plain_.upper(j)));
    }
  }
}

void SvmAudit::take_deltas(const sim::AuditedCommit& commit, std::span<const double> deltas) {
  std::vector<double> delta(a_.size(), 0.0);
  for (std::size_t k = 0; k < deltas.size(); ++k) {
    const std::size_t j = commit.changes->ids[k];
    delta[j] = deltas[k];
    const double upper = plain_.upper(j), whole = a_[j] + deltas[k];
    const double slack = kDualRise * (1 + std::abs(deltas[k]) + a_[j]);
    expect(About::certificate, whole >= -slack && whole <= upper + slack,
           variable_text(j) + " moved to " + digits(whole), "0 to " + digits(upper));
  }
  check_step(commit, delta);
  for (std::size_t j = 0; j < a_.size(); ++j) {
    if (delta[j] != 0) a_[j] = moved(a_[j], commit.step * delta[j], plain_.upper(j));
  }
}

/// The guard: where f is least along what was found, at most the whole way.
void SvmAudit::check_step(const sim::AuditedCommit& commit, const std::vector<double>& delta) {
  double slope = 0;
  for (std::size_t j = 0; j < delta.size(); ++j) slope += delta[j] * now_.gradients[j];
  const double curvature = plain_.curvature_along(delta);
  const double best = curvature > -slope ? -slope / curvature : 1;
  const double slack = kStepNear + near() / std::abs(slope);
  expect(About::certificate, slope < near() && std::abs(commit.step - best) <= slack,
         "a step of " + digits(commit.step), digits(best) + ", where f is least on the way");
}

/// No two samples of different blocks are alike by more than rho. The slice's own rule is asked by the auditor.
void SvmAudit::check_couplings(const sim::AuditedCommit& commit) {
  if (asked_.policy != "static" && asked_.policy != "paper" && asked_.policy != "theorem1") return;
  constexpr double kRhoNear = 1e-9;
  for (std::size_t b = 0; b < commit.blocks.size(); ++b) {
    for (std::size_t c = 0; c < b; ++c) {
      for (const VarId j : commit.blocks[b]) {
        for (const VarId k : commit.blocks[c]) {
          const double lengths = std::sqrt(plain_.product(j, j) * plain_.product(k, k));
          const double alike = lengths > 0 ? std::abs(plain_.product(j, k)) / lengths : 0;
          expect(About::policy, alike <= asked_.rho + kRhoNear,
                 "variables " + std::to_string(k) + " and " + std::to_string(j) + " in two blocks, alike by " +
                     digits(alike),
                 "at most " + digits(asked_.rho));
        }
      }
    }
  }
}

// --- the end ---

svm::SvmSolution SvmAudit::reported(const RunEnd& end) {
  const std::size_t problems = plain_.problems(), width = plain_.width(), features = plain_.data().rows.features;
  const std::size_t head = 1 + problems * kFields<svm::ProblemSums>;
  svm::SvmSolution solution;
  solution.features = features;
  solution.alpha.assign(a_.size(), std::numeric_limits<double>::quiet_NaN());
  std::vector<double> both;
  for (const Payload& status : end.statuses) {
    const auto own = std::span(status.values).subspan(head);
    for (std::size_t k = 0; k < status.ids.size(); ++k) solution.alpha[status.ids[k]] = own[k];
    const auto more = own.subspan(status.ids.size());
    if (!more.empty()) both.assign(more.begin(), more.end());
  }
  const auto judged = std::span(end.certificate.figures).last(3 * problems);
  for (std::size_t p = 0; p < problems; ++p) {
    solution.primal.push_back(judged[3 * p]);
    solution.dual.push_back(judged[3 * p + 1]);
    const bool is_earlier = judged[3 * p + 2] != 0;
    const auto w = std::span(both).subspan((p + (is_earlier ? problems : 0)) * width, width);
    solution.weights.insert(solution.weights.end(), w.begin(), w.begin() + static_cast<std::ptrdiff_t>(features));
    solution.bias.push_back(asked_.bias != 0 ? asked_.bias * w.back() : 0.0);
    if (is_earlier) continue;
    for (std::size_t f = 0; f < width; ++f) {
      expect(About::certificate, std::abs(w[f] - now_.w[p][f]) <= kDualNear * (1 + std::abs(w[f])) * (1 + now_.scale),
             "w(" + std::to_string(f) + ") = " + digits(w[f]) + " of problem " + std::to_string(p),
             digits(now_.w[p][f]) + ", the sum of a y x");
    }
  }
  return solution;
}

void SvmAudit::ended(const RunEnd& end) {
  where_ = "the end";
  const std::string found = "\"" + end.stop_reason + "\"";
  const bool right = end.stop_reason == "converged"        ? solved_
                     : end.stop_reason == "rounding floor" ? floor_
                                                           : end.stop_reason == "limit" && limit_;
  expect(About::certificate, right, found, "\"converged\", \"limit\" or \"rounding floor\" where it is so");
  const bool surely = std::ranges::all_of(gaps_, &Gap::surely);
  expect(About::certificate, !surely || (end.stop_reason == "converged" && end.certificate.converged), found,
         "\"converged\": every gap is small enough");
  if (!all_there(end)) return;
  const svm::SvmSolution solution = reported(end);
  for (std::size_t j = 0; j < a_.size(); ++j) {
    expect(About::certificate, std::abs(solution.alpha[j] - a_[j]) <= kDualRise * (1 + a_[j]),
           variable_text(j) + " = " + digits(solution.alpha[j]) + " in the reports of the slices",
           digits(a_[j]) + ", what commits add up to");
  }
  // The check by which svm fit looks at what it is about to write.
  svm::SvmOptions options;
  options.loss = asked_.hinge ? svm::Loss::hinge : svm::Loss::squared_hinge;
  options.cost = asked_.cost;
  options.bias = asked_.bias;
  SerialChunks serial;
  const svm::SvmCheck check = svm::check_solution(plain_.data(), options, solution, serial);
  const Status confirmed = svm::confirm(solution, check, plain_.data(), options);
  expect(About::certificate, confirmed.ok(), confirmed.message(), "a solution that svm fit would write");
}

/// Of a run that ends there are the alphas of all variables, w, and what is said of each problem.
bool SvmAudit::all_there(const RunEnd& end) {
  std::size_t alphas = 0, values = 0;
  for (const Payload& status : end.statuses) {
    alphas += status.ids.size();
    values += status.values.size();
  }
  const std::size_t head = 1 + plain_.problems() * kFields<svm::ProblemSums>;
  const bool there = alphas == a_.size() && end.certificate.figures.size() == svm::kFigures + 3 * plain_.problems() &&
                     values == end.statuses.size() * head + alphas + 2 * plain_.problems() * plain_.width();
  expect(About::certificate, there, std::to_string(alphas) + " dual variables in the reports of the slices",
         std::to_string(a_.size()) + ", w twice, and three numbers of each problem");
  return there;
}

}  // namespace strads::simulator
