#include "lasso/model/lasso_judge.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "lasso/problem/certificate.hpp"
#include "lasso/problem/payloads.hpp"
#include "strads/engine/progress.hpp"

namespace strads::lasso {

namespace {
constexpr double kRoundingFloor = 1e-13;  ///< x F(0): below it a gap is rounding
constexpr std::uint32_t kStalledMax = 8;
constexpr double kDiverged = 1e6;  ///< x F(0)
/// Of ridge, whose joint rounds solve the whole problem: rounds in which the least gap was not halved.
constexpr std::uint32_t kCreepingMax = 200;
}  // namespace

LassoJudge::LassoJudge(const LassoOptions& options, std::uint64_t samples, VarId variables,
                       const PairProducts& products)
    : options_(options),
      samples_(samples),
      variables_(variables),
      planner_(make_planner({options, samples, variables, products})) {}

bool LassoJudge::all_well_formed(PayloadKind kind, std::span<const Payload> payloads) const {
  return !payloads.empty() && std::all_of(payloads.begin(), payloads.end(), [&](const Payload& payload) {
    return well_formed(kind, payload, variables_);
  });
}

Result<Payload> LassoJudge::start(std::span<const Payload> summaries) {
  if (!all_well_formed(PayloadKind::ready, summaries)) {
    return Status::cluster("the " + std::to_string(summaries.size()) +
                           " summaries of the slices are not as expected (one or more, each of " +
                           std::to_string(kFields<Ready>) + " values and no ids); start the same build on every host");
  }
  const auto first = read_fields<Ready>(summaries[0].values);
  Start start;
  std::uint64_t pulling = 0;
  lambda_top_ = 0;
  for (const Payload& summary : summaries) {
    const auto ready = read_fields<Ready>(summary.values);
    start.lambda_max = std::max(start.lambda_max, ready.lambda_max);
    start.kept += ready.kept;
    start.constant += ready.constant;
    start.excluded += ready.excluded;
    start.collinear += ready.collinear;
    start.missing += ready.missing;
    pulling += ready.pulling;
    lambda_top_ = std::max(lambda_top_, ready.lambda_max_bound);
  }
  start.response_squared = first.response_squared;
  if (start.kept == 0 && start.constant == 0 && start.collinear == 0) {
    return Status::input("no variable is left: all " + std::to_string(start.excluded) +
                         " were excluded; expected at least one");
  }
  if (!std::isfinite(start.lambda_max)) {
    return Status::input(
        "lambda_max cannot be represented: products of columns and response are too large; rescale them");
  }
  zeros_ = pulling == 0;
  if (zeros_) start.lambda_max = 0;
  if (!zeros_) lambda_top_ = start.lambda_max;
  if (!(lambda_top_ > 0)) lambda_top_ = 1;  // the response is constant, or every column
  const std::vector<double> lambdas = fix_lambdas(first.lambda_per_y, start);
  lambda_ = start.lambda * options_.l1_ratio;
  kept_ = static_cast<double>(start.kept);
  start_objective_ = 0.5 * start.response_squared;
  Payload problem = payload_of(start);
  problem.values.insert(problem.values.end(), lambdas.begin(), lambdas.end());
  return problem;
}

std::vector<double> LassoJudge::fix_lambdas(double per_y, Start& start) {
  double scale = 1;
  if (options_.lambda_scale == LambdaScale::y || options_.lambda_scale == LambdaScale::sample) scale = per_y;
  if (options_.lambda_scale == LambdaScale::ratio) scale = lambda_top_;
  start.lambda = options_.lambda * scale;
  const PathOptions& path = options_.path;
  if (!path.wanted()) return {};
  std::vector<double> lambdas = path.follows ? path.lead->lambdas : path.given;
  for (double& lambda : lambdas) lambda *= path.follows ? per_y : scale;
  if (lambdas.empty()) {
    // That are there, constant or without a penalty or not: what glmnet counts.
    const auto variables = static_cast<double>(start.kept + start.constant + start.collinear + unpenalised_);
    const double least =
        path.min_ratio > 0 ? path.min_ratio : default_min_ratio(static_cast<double>(samples_), variables);
    lambdas = zeros_ ? std::vector<double>{lambda_top_} : lambda_grid(lambda_top_, least, path.count);
  }
  start.lambda = lambdas.front();
  if (path.follows) {
    path_ = LassoPath(lambdas, std::nullopt, path.lead);
    return lambdas;
  }
  if (path.lead != nullptr) {
    path.lead->lambdas.clear();  // a run that went back says the same again
    for (const double lambda : lambdas) path.lead->lambdas.push_back(lambda / per_y);
  }
  const bool may_end = path.early_end && path.given.empty();
  path_ = LassoPath(lambdas, may_end ? std::optional(options_.family->growth) : std::nullopt);
  return lambdas;
}

Certificate LassoJudge::certify(std::span<const Payload> statuses) {
  GapParts& parts = parts_;
  const StatusHead first = head_of(statuses[0]);
  const bool squared = options_.family->is_squares();
  parts.residual_squared = squared ? 2 * first.loss + first.squares : 0.0;
  parts.squares = squared ? 0.0 : first.squares;
  parts.gradient_max = max_of(statuses, &StatusHead::max_gradient);
  // That of the slice with the shortest dual point, which is the one of all.
  parts.divergence = max_of(statuses, &StatusHead::divergence);
  parts.slack = sum_of(statuses, &StatusHead::slack);
  parts.product = sum_of(statuses, &StatusHead::product);
  // The gradients are 0, and what is computed of them is rounding: the residual itself is the dual point.
  if (all_zero(statuses)) parts.gradient_max = parts.divergence = parts.slack = 0;
  parts_lambda_ = lambda_;
  l1_ = sum_of(statuses, &StatusHead::l1);
  Certificate certificate;
  certificate.objective = 0.5 * (2 * first.loss + first.squares) + lambda_ * l1_;
  certificate.gap = squared ? duality_gap(parts, lambda_, options_.nonnegative) : predictor_gap(parts, lambda_);
  certificate.dual = certificate.objective - certificate.gap;
  certificate.relative_gap = certificate.objective > 0 ? certificate.gap / certificate.objective : 0.0;
  for (const Payload& status : statuses) certificate.nonzeros += head_of(status).nonzeros;
  certificate.converged = certificate.gap <= options_.tolerance * certificate.objective;
  return certificate;
}

namespace {
/// x F(0). The gap of ridge is quadratic in what rounding does to gradients; that of the Lasso is linear.
double rounding_floor(const LassoOptions& options) {
  return options.l1_ratio == 0 ? kRoundingFloor * kRoundingFloor : kRoundingFloor;
}
}  // namespace

Judgement LassoJudge::judge(const Barrier& barrier, std::span<const Payload> statuses) {
  Judgement judgement;
  Certificate& certificate = judgement.certificate;
  if (!all_well_formed(PayloadKind::status, statuses)) {
    judgement.plan.verdict = PhasePlan::Verdict::stop;
    judgement.stop_reason = "malformed status";
    certificate.gap = -1;
    return judgement;
  }
  certificate = certify(statuses);
  if (all_zero(statuses)) return judge_zeros(barrier, statuses, std::move(judgement));
  const bool at_floor = !certificate.converged && certificate.gap <= rounding_floor(options_) * start_objective_;
  const bool idle = barrier.rounds > 0 && barrier.realised <= 1e-16 * start_objective_;
  stalled_ = idle ? stalled_ + (barrier.verified ? 0 : 1) : 0;
  const bool stalled = (stalled_ >= kStalledMax || creeps(barrier, certificate)) && planner_->gives_up();
  // Only without the guard: the papers' policies may diverge, and more rounds would not help.
  if (!std::isfinite(certificate.objective) || certificate.objective > kDiverged * start_objective_) {
    judgement.plan.verdict = PhasePlan::Verdict::stop;
    judgement.stop_reason = "diverged";
    certificate.converged = false;
    return judgement;
  }
  const bool solved = certificate.converged || at_floor;
  // Nothing more can be done at this lambda. Where it is not solved, a residual from the data is tried first.
  const bool finished = solved || (stalled && !barrier.limit_reached);
  const bool enough = finished && path_.active() && is_enough(statuses, certificate);  // asked at the last lambda too
  const bool more_lambdas = path_.active() && !path_.ends_at(deviance_ratio(statuses)) && !enough;
  judgement.stop_reason = certificate.converged   ? "converged"
                          : at_floor              ? "rounding floor"
                          : barrier.limit_reached ? kStopLimit
                                                  : "no further progress in double precision";
  if (finished && more_lambdas && !barrier.limit_reached && (solved || barrier.verified)) {
    next_lambda(statuses, judgement);
    plan_phase(barrier, statuses, certificate, Aim::next_lambda, judgement.plan);
    return judgement;
  }
  if (barrier.limit_reached || finished) {
    if (!barrier.verified) {
      judgement.plan.verdict = PhasePlan::Verdict::verify;
      return judgement;
    }
    judgement.plan.verdict = PhasePlan::Verdict::stop;
    if (finished) record(statuses, judgement);
    if (finished && !more_lambdas) end_path(judgement);
    if (finished && more_lambdas) {
      judgement.stop_reason = kStopLimit;
      certificate.converged = false;
    }
    return judgement;
  }
  plan_phase(barrier, statuses, certificate, Aim::this_lambda, judgement.plan);
  return judgement;
}

/// Ridge with a lambda so small that rounding spoils the directions of its conjugate gradients: F falls a little in
/// every round, for hours, and the gap does not.
bool LassoJudge::creeps(const Barrier& barrier, const Certificate& certificate) {
  if (options_.l1_ratio != 0) return false;
  if (certificate.gap <= 0.5 * gap_to_halve_) {
    gap_to_halve_ = certificate.gap;
    creeping_ = 0;
  } else if (!barrier.verified && barrier.rounds > 0) {
    ++creeping_;
  }
  return creeping_ >= kCreepingMax;
}

bool LassoJudge::all_zero(std::span<const Payload> statuses) const {
  return zeros_ && std::ranges::all_of(statuses, [](const Payload& one) { return head_of(one).nonzeros == 0; });
}

/// Zeros are the solution at every lambda of the run: all of a path is told at once. A path that follows another does
/// not wait for its end: what lies behind that is not looked at.
Judgement LassoJudge::judge_zeros(const Barrier& barrier, std::span<const Payload> statuses, Judgement judgement) {
  judgement.stop_reason = "converged";
  judgement.plan.verdict = barrier.verified ? PhasePlan::Verdict::stop : PhasePlan::Verdict::verify;
  if (!barrier.verified) return judgement;
  while (path_.active() && !path_.at_last() && !is_enough(statuses, judgement.certificate)) {
    next_lambda(statuses, judgement);
  }
  if (path_.at_last()) static_cast<void>(is_enough(statuses, judgement.certificate));  // is told of every solution
  record(statuses, judgement);
  end_path(judgement);
  return judgement;
}

double LassoJudge::deviance_ratio(std::span<const Payload> statuses) const {
  if (start_objective_ == 0) return 0;  // nothing to explain
  return 1.0 - head_of(statuses[0]).loss / start_objective_;
}

void LassoJudge::record(std::span<const Payload> statuses, const Judgement& judgement) {
  if (!path_.active()) return;
  const Certificate& certificate = judgement.certificate;
  if (!certificate.converged && !unmet_) {
    unmet_ = path_.index();
    unmet_reason_ = judgement.stop_reason;
  }
  if (recorded_) recorded_(solution_at(statuses, certificate));
}

Solution LassoJudge::solution_at(std::span<const Payload> statuses, const Certificate& certificate) const {
  Nonzeros nonzeros = nonzeros_of(statuses);
  return {.index = path_.index(),
          .lambda = path_.lambda(),
          .certificate = certificate,
          .deviance_ratio = deviance_ratio(statuses),
          .phases = lambda_phases_,
          .variables = std::move(nonzeros.variables),
          .standardized = std::move(nonzeros.values)};
}

bool LassoJudge::is_enough(std::span<const Payload> statuses, const Certificate& certificate) const {
  const auto& enough = options_.path.enough;
  return enough && enough(solution_at(statuses, certificate));
}

/// At its last lambda. A path has converged when every one of its lambdas has: else it ends with the reason of the
/// first that has not, but for those that lie behind the end of the path that is followed and are not looked at.
void LassoJudge::end_path(Judgement& judgement) const {
  const PathLead* const lead = options_.path.lead.get();
  if (lead != nullptr && !options_.path.follows) options_.path.lead->count = path_.index() + 1;
  const bool followed = lead != nullptr && options_.path.follows && lead->count.has_value();
  if (!path_.active() || !unmet_ || (followed && *unmet_ >= *lead->count)) return;
  judgement.stop_reason = unmet_reason_;
  judgement.certificate.converged = false;
}

/// The residual of this certificate was changed by commits since it was last computed from the data. What rounding did
/// to it adds up until the end of the path, where the verified barrier sees all of it.
void LassoJudge::next_lambda(std::span<const Payload> statuses, const Judgement& judgement) {
  record(statuses, judgement);
  path_.advance(deviance_ratio(statuses));
  if (options_.path.lead != nullptr && !options_.path.follows) options_.path.lead->passed = path_.index();
  lambda_ = path_.lambda() * options_.l1_ratio;
  lambda_phases_ = 0;
  stalled_ = 0;
  creeping_ = 0;
  gap_to_halve_ = std::numeric_limits<double>::infinity();
}

void LassoJudge::plan_phase(const Barrier& barrier, std::span<const Payload> statuses, const Certificate& certificate,
                            Aim aim, PhasePlan& plan) {
  plan.verdict = PhasePlan::Verdict::go_on;
  ++lambda_phases_;
  const PlannedPhase planned = planner_->plan({.barrier = barrier,
                                               .statuses = statuses,
                                               .certificate = certificate,
                                               .aim = aim,
                                               .lambda = lambda_,
                                               .parts = parts_,
                                               .parts_lambda = parts_lambda_,
                                               .l1_norm = l1_,
                                               .kept = kept_,
                                               .stalled = stalled_ > 0},
                                              plan);
  if (planned.phase || path_.active()) append_fields(planned.phase.value_or(Phase{}), plan.content.values);
  if (!path_.active()) return;
  const PathPhase path{.lambda = path_.lambda(), .next_lambda = path_.next(), .strong = planned.strong};
  append_fields(path, plan.content.values);
}

}  // namespace strads::lasso
