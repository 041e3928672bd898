#include "strads_sim/audit/lasso_audit.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "lasso/problem/payloads.hpp"
#include "strads/engine/progress.hpp"

namespace strads::simulator {
namespace {

using About = sim::AuditFinding::About;

constexpr double kNear = 1e-10;                ///< x F(0): what two ways of adding up may come to
constexpr double kRise = 1e-12;                ///< x F(0): rounding of two objectives
constexpr double kShare = 1e-6;                ///< of a tolerance, in which rounding may decide
constexpr double kFloor = 1e-12;               ///< x F(0): a gap below it may be called the rounding floor
constexpr std::uint64_t kOrdinaryRounds = 64;  ///< `auto`: of a phase and scheduler

std::string text_of(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.12g", value);
  return text;
}

}  // namespace

lasso::LassoOptions options_of(const AuditedLasso& asked) {
  lasso::LassoOptions options;
  options.family = *lasso::Family::named(asked.family);
  options.intercept = asked.intercept;
  options.center = asked.center;
  options.l1_ratio = asked.l1_ratio;
  options.nonnegative = asked.nonnegative;
  return options;
}

LassoAudit::LassoAudit(std::shared_ptr<const Dataset> dataset, const AuditedLasso& asked)
    : asked_(asked), plain_(std::move(dataset), options_of(asked)), policy_(asked_, plain_) {}

bool LassoAudit::close(double found, double expected, double times) const {
  return std::abs(found - expected) <= times * kNear * start_objective_;
}

void LassoAudit::expect_close(const char* what, double found, double expected, double times) {
  expect(About::certificate, close(found, expected, times), std::string(what) + " = " + text_of(found),
         text_of(expected) + ", from plain columns");
}

void LassoAudit::begin(const Payload& problem, const std::vector<std::vector<VarId>>& slices) {
  policy_.begin(slices);
  b_.assign(plain_.size(), 0.0);
  objective_ = objective_at_barrier_before_ = start_objective_ = plain_.null_objective();
  for (VarId j = 0; j < plain_.size(); ++j) kept_ += plain_.takes_part(j) ? 1 : 0;
  const double lambda_max = plain_.lambda_max();
  lambdas_ = {asked_.lambda_ratio * lambda_max};
  if (asked_.lambdas > 0) lambdas_ = {lambda_max};
  for (std::uint32_t k = 1; k < asked_.lambdas; ++k) {
    lambdas_.push_back(lambda_max * std::pow(asked_.lambda_min_ratio, k / (asked_.lambdas - 1.0)));
  }
  penalty_ = plain_.penalty(lambdas_[0]);
  const auto start = read_fields<lasso::Start>(problem.values);
  expect_close("F(0)", 0.5 * start.response_squared, start_objective_);
  expect_close("lambda_max", start.lambda_max, lambda_max);
  expect_close("lambda", start.lambda, lambdas_[0]);
  expect(About::certificate, start.kept == kept_, std::to_string(start.kept) + " variables that vary",
         std::to_string(kept_));
  const auto of_path = lasso::lambdas_of(problem);
  const std::size_t more = of_path.size();
  expect(About::certificate, more == asked_.lambdas, std::to_string(more) + " lambdas", std::to_string(asked_.lambdas));
  for (std::size_t k = 0; k < more && k < lambdas_.size(); ++k) {
    expect_close("lambda of the path", of_path[k], lambdas_[k]);
  }
}

// --- barriers ---

bool LassoAudit::surely_solved() const {
  return barrier_.gap <= asked_.tolerance * barrier_.objective * (1 - kShare) - kNear * start_objective_;
}

bool LassoAudit::perhaps_solved() const {
  return barrier_.gap <= asked_.tolerance * barrier_.objective * (1 + kShare) + kNear * start_objective_;
}

/// Where glmnet ends a path, or at its last lambda. `surely`: rounding has no say in it.
bool LassoAudit::path_may_end(bool surely) const {
  if (at_ + 1 == lambdas_.size()) return true;
  constexpr std::size_t kLambdasMin = 5;
  if (!asked_.early_end || at_ + 1 < std::min(kLambdasMin, lambdas_.size())) return false;
  const double slack = surely ? -kNear : kNear;
  const double whole = asked_.family == "binomial" ? 1.0 : barrier_.explained;  // as glmnet has it
  return barrier_.explained > 0.999 - slack || barrier_.explained - explained_before_ < 1e-5 * whole + slack;
}

bool LassoAudit::idle() const {
  return objective_at_barrier_before_ - barrier_.objective <= kNear * start_objective_;
}

void LassoAudit::judged(const PhasePlan& plan, Version version) {
  where_ = "the barrier at version " + std::to_string(version);
  barrier_ = plain_.certificate(b_, penalty_);
  sure_decrease_ = plain_.largest_decrease(b_, penalty_, barrier_);
  if (plan.verdict == PhasePlan::Verdict::go_on) {
    go_on(plan);
  } else if (plan.verdict == PhasePlan::Verdict::verify) {
    const bool done = perhaps_solved() && path_may_end(false);
    limit_ = limit_ || finishes();
    expect(About::certificate, done || limit_ || (asked_.policy == "auto" && idle()),
           "the end of the run at a gap of " + text_of(barrier_.gap),
           "rounds until it is at most " + text_of(asked_.tolerance) + " x " + text_of(barrier_.objective) +
               " at the last lambda, or a limit is reached");
  }
  objective_at_barrier_before_ = barrier_.objective;
}

void LassoAudit::go_on(const PhasePlan& plan) {
  const lasso::PlainPenalty before = penalty_;
  bool next = false;
  if (asked_.lambdas > 0) {
    const double lambda = lasso::path_phase_of(plan.content).lambda;
    next = !close(lambda, lambdas_[at_]);
    if (next) {
      const bool there = at_ + 1 < lambdas_.size();
      expect(About::certificate, there && close(lambda, lambdas_[at_ + 1]), "a phase at lambda = " + text_of(lambda),
             text_of(lambdas_[at_]) + (there ? " or the next one, " + text_of(lambdas_[at_ + 1]) : ", the last one"));
      expect(About::certificate, perhaps_solved() && !path_may_end(true),
             "the next lambda at a gap of " + text_of(barrier_.gap) + " and F = " + text_of(barrier_.objective),
             "none before the gap is at most " + text_of(asked_.tolerance) + " x F, or where the path ends");
      if (there) ++at_;
      explained_before_ = barrier_.explained;
      penalty_ = plain_.penalty(lambda);
    }
  }
  if (!next) {
    expect(About::certificate, !surely_solved(),
           "more rounds at a gap of " + text_of(barrier_.gap) + " and F = " + text_of(barrier_.objective),
           "none: it is at most " + text_of(asked_.tolerance) + " x F");
  }
  check_plan(plan);
  PhaseStart start{b_, barrier_, before, penalty_};
  start.threshold = lasso::phase_of(plan.content).threshold;
  if (asked_.lambdas > 0) start.steepness = lasso::path_phase_of(plan.content).strong;
  policy_.enter_phase(plan, start);
  objective_ = plain_.objective(b_, penalty_);
}

void LassoAudit::check_plan(const PhasePlan& plan) {
  const bool automatic = asked_.policy == "auto";
  std::uint64_t updates = 0;
  std::uint64_t rounds = 1;
  if (!automatic)
    rounds = updates = std::max<std::uint64_t>(1, asked_.check_interval != 0 ? asked_.check_interval : kept_);
  if (automatic && !plan.joint()) rounds = kOrdinaryRounds * asked_.engine.schedulers;
  const auto limits = [](std::uint64_t of_rounds, std::uint64_t of_updates) {
    return "a phase of " + std::to_string(of_rounds) + " rounds and " + std::to_string(of_updates) + " updates at most";
  };
  expect(About::policy, plan.rounds_max == rounds && plan.updates_max == updates,
         limits(plan.rounds_max, plan.updates_max), limits(rounds, updates));
  const bool right =
      automatic ? plan.joint() == (plan.blocks_max == 1) : !plan.joint() && plan.blocks_max == asked_.engine.workers;
  expect(About::policy, right, std::to_string(plan.blocks_max) + " blocks a round" + (plan.joint() ? ", joint" : ""),
         automatic ? "a joint round where there is one block, and only there"
                   : std::to_string(asked_.engine.workers) + ", not joint");
  const bool ridge = asked_.l1_ratio == 0;
  expect(About::policy, !automatic || !ridge || plan.joint(), "rounds of ridge that are not joint", "joint ones");
  if (!plan.joint()) return;
  for (VarId j = 0; j < plain_.size(); ++j) {
    // Rounding may make exactly 0 of a gradient.
    const bool needed = b_[j] != 0 || (ridge && std::abs(barrier_.gradients[j]) > kNear * start_objective_);
    expect(About::policy, !needed || std::ranges::binary_search(plan.content.ids, j),
           "a joint working set without variable " + std::to_string(j),
           ridge ? "all variables that vary" : "all nonzeros");
  }
}

void LassoAudit::certified(const Certificate& certificate) {
  expect_close("objective", certificate.objective, barrier_.objective);
  expect_close("gap", certificate.gap, std::max(0.0, barrier_.gap));
  expect(About::certificate, sure_decrease_ <= certificate.gap + kNear * start_objective_,
         "gap = " + text_of(certificate.gap),
         "at least " + text_of(sure_decrease_) + ", by which the update of one variable lowers F");
  expect(About::certificate, certificate.nonzeros == barrier_.nonzeros,
         std::to_string(certificate.nonzeros) + " nonzeros", std::to_string(barrier_.nonzeros));
  const bool relative =
      std::abs(certificate.relative_gap * barrier_.objective - barrier_.gap) <= 2 * kNear * start_objective_;
  expect(About::certificate, relative, "relative gap = " + text_of(certificate.relative_gap),
         text_of(barrier_.gap / barrier_.objective));
  const bool floor = barrier_.gap <= kFloor * start_objective_;
  expect(About::certificate, !certificate.converged || perhaps_solved() || floor,
         "\"converged\" at a gap of " + text_of(barrier_.gap),
         "at most " + text_of(asked_.tolerance) + " x " + text_of(barrier_.objective));
}

// --- commits ---

void LassoAudit::committed(const sim::AuditedCommit& commit) {
  where_ = "commit " + std::to_string(commit.version);
  limit_ = limit_ || commit.last;
  std::vector<double> moved(b_.size(), 0.0);
  const Payload& changes = *commit.changes;
  const bool zeroes = changes.ids.size() > changes.values.size();
  for (std::size_t k = 0; k < changes.values.size(); ++k) {
    const VarId j = changes.ids[k];
    const double whole = changes.values[k];
    double updated = b_[j] + (commit.step == 1 ? whole : commit.step * whole);
    if (updated == 0 || (zeroes && changes.ids.back() == j)) updated = 0;
    moved[j] = updated - b_[j];
    b_[j] = updated;
    expect(About::certificate, !asked_.nonnegative || updated >= 0,
           "b(" + std::to_string(j) + ") = " + text_of(updated), "none below 0");
  }
  const double before = std::exchange(objective_, plain_.objective(b_, penalty_));
  check_objective(commit, before);
  if (const auto wrong = policy_.check(commit, moved)) fail({About::policy, where_, wrong->first, wrong->second});
}

/// What is fitted beside the variables, but of least squares, may be off by as much as changes the objective by
/// rounding, from one commit to the next.
void LassoAudit::check_objective(const sim::AuditedCommit& commit, double before) {
  const double times = asked_.is_squares() ? 1 : 2;
  expect_close("objective", commit.objective, objective_, times);
  expect_close("realised decrease", commit.realised, before - objective_, 2 * times - 1);
  expect(About::certificate, objective_ <= before + kRise * start_objective_,
         "an objective that is really " + text_of(objective_), "at most " + text_of(before) + ", what it was before");
}

// --- the end ---

void LassoAudit::ended(const RunEnd& end) {
  where_ = "the end";
  const bool solved = perhaps_solved() && path_may_end(false);
  const std::string found = "\"" + end.stop_reason + "\" at a gap of " + text_of(barrier_.gap);
  const std::string bound = text_of(asked_.tolerance) + " x " + text_of(barrier_.objective);
  expect(About::certificate, end.stop_reason != "converged" || solved, found,
         "\"converged\" where it is at most " + bound + " at the last lambda");
  expect(About::certificate, end.stop_reason != "limit" || limit_, found,
         "\"limit\" where a commit or a request has ended the run");
  const bool surely = surely_solved() && path_may_end(true);
  expect(About::certificate, !surely || end.stop_reason == "converged", found,
         "\"converged\": it is at most " + bound + " at the last lambda");
  expect(About::certificate, !surely || end.certificate.converged, "a certificate that has not converged",
         "one that has: the gap is at most " + bound);
  check_solution(end);
}

/// The reports that the solution is taken from name the coefficients that the commits came to, to the last bit.
void LassoAudit::check_solution(const RunEnd& end) {
  std::vector<double> reported(b_.size(), 0.0);
  for (const Payload& status : end.statuses) {
    const auto count = lasso::head_of(status).nonzeros;
    for (std::size_t k = 0; k < count; ++k) reported[status.ids[k]] = status.values[kFields<lasso::StatusHead> + k];
  }
  for (VarId j = 0; j < b_.size(); ++j) {
    expect(About::certificate, reported[j] == b_[j],
           "b(" + std::to_string(j) + ") = " + text_of(reported[j]) + " in the reports of the slices",
           text_of(b_[j]) + ", what its commits add up to");
  }
}

}  // namespace strads::simulator
