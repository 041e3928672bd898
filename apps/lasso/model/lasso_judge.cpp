#include "lasso/model/lasso_judge.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "lasso/model/certificate.hpp"
#include "lasso/model/payloads.hpp"
#include "lasso/policies/policies.hpp"

namespace strads::lasso {

namespace {
constexpr double kRoundingFloor = 1e-13;  ///< x F(0): below it a gap is rounding
constexpr std::uint32_t kStalledMax = 8;
constexpr double kOrthogonal = 1e-14;  ///< x ||y||: what rounding leaves of x_j'y = 0
constexpr double kDiverged = 1e6;      ///< x F(0)
}  // namespace

LassoJudge::LassoJudge(const LassoOptions& options, std::uint64_t samples, VarId variables,
                       const PairProducts& products)
    : options_(options),
      samples_(samples),
      variables_(variables),
      planner_(entry_of(options.policy).for_judge({options, samples, variables, products})) {}

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
  for (const Payload& summary : summaries) {
    const auto ready = read_fields<Ready>(summary.values);
    start.lambda_max = std::max(start.lambda_max, ready.lambda_max);
    start.kept += ready.kept;
    start.constant += ready.constant;
    start.excluded += ready.excluded;
    start.collinear += ready.collinear;
    start.missing += ready.missing;
  }
  start.response_squared = first.response_squared;
  if (start.kept == 0) {
    return Status::input("no variable is left: " + std::to_string(start.constant) + " are constant and " +
                         std::to_string(start.excluded) +
                         " were excluded; expected at least one column that varies over the samples");
  }
  const double lambda_max = start.lambda_max;
  if (!std::isfinite(lambda_max)) {
    return Status::input(
        "lambda_max cannot be represented: products of columns and response are too large; rescale them");
  }
  if (options_.nonnegative && !(lambda_max > kOrthogonal * std::sqrt(start.response_squared))) {
    return Status::input(
        "no column rises with the response (lambda_max = 0): with --nonnegative all coefficients are 0; expected a "
        "column with a positive product");
  }
  if (!(lambda_max > kOrthogonal * std::sqrt(start.response_squared))) {
    return Status::input(
        "the response is orthogonal to every column (lambda_max = 0); expected a column that explains some of it");
  }
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
  if (options_.lambda_scale == LambdaScale::ratio) scale = start.lambda_max;
  start.lambda = options_.lambda * scale;
  const PathOptions& path = options_.path;
  if (!path.wanted()) return {};
  std::vector<double> lambdas = path.follows ? path.lead->lambdas : path.given;
  for (double& lambda : lambdas) lambda *= path.follows ? per_y : scale;
  if (lambdas.empty()) {
    // That are there, constant or not: what glmnet counts.
    const auto variables = static_cast<double>(start.kept + start.constant + start.collinear);
    const double least =
        path.min_ratio > 0 ? path.min_ratio : default_min_ratio(static_cast<double>(samples_), variables);
    lambdas = lambda_grid(start.lambda_max, least, path.count);
  }
  start.lambda = lambdas.front();
  if (path.follows) {
    path_ = LassoPath(lambdas, false, path.lead);
    return lambdas;
  }
  if (path.lead != nullptr) {
    path.lead->lambdas.clear();  // a run that went back says the same again
    for (const double lambda : lambdas) path.lead->lambdas.push_back(lambda / per_y);
  }
  path_ = LassoPath(lambdas, path.early_end && path.given.empty());
  return lambdas;
}

Certificate LassoJudge::certify(std::span<const Payload> statuses) {
  GapParts& parts = parts_;
  const StatusHead first = head_of(statuses[0]);
  const bool squared = options_.family == Family::gaussian;
  parts.residual_squared = squared ? 2 * first.loss + first.squares : 0.0;
  parts.squares = squared ? 0.0 : first.squares;
  parts.gradient_max = max_of(statuses, &StatusHead::max_gradient);
  // That of the slice with the shortest dual point, which is the one of all.
  parts.divergence = max_of(statuses, &StatusHead::divergence);
  parts.slack = sum_of(statuses, &StatusHead::slack);
  parts.product = sum_of(statuses, &StatusHead::product);
  parts_lambda_ = lambda_;
  l1_ = sum_of(statuses, &StatusHead::l1);
  Certificate certificate;
  certificate.objective = 0.5 * (2 * first.loss + first.squares) + lambda_ * l1_;
  certificate.gap = squared ? duality_gap(parts, lambda_, options_.nonnegative) : logistic_gap(parts, lambda_);
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
  const bool at_floor = !certificate.converged && certificate.gap <= rounding_floor(options_) * start_objective_;
  const bool idle = barrier.rounds > 0 && barrier.realised <= 1e-16 * start_objective_;
  stalled_ = idle ? stalled_ + (barrier.verified ? 0 : 1) : 0;
  const bool stalled = stalled_ >= kStalledMax && planner_->gives_up();
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

double LassoJudge::deviance_ratio(std::span<const Payload> statuses) const {
  return 1.0 - head_of(statuses[0]).loss / start_objective_;
}

void LassoJudge::record(std::span<const Payload> statuses, const Judgement& judgement) {
  if (!path_.active()) return;
  const Certificate& certificate = judgement.certificate;
  if (!certificate.converged && !unmet_) {
    unmet_ = path_.index();
    unmet_reason_ = judgement.stop_reason;
  }
  if (recorded_) recorded_(point_of(statuses, certificate));
}

PathPoint LassoJudge::point_of(std::span<const Payload> statuses, const Certificate& certificate) const {
  PathPoint point;
  point.index = path_.index();
  point.lambda = path_.lambda();
  point.certificate = certificate;
  point.deviance_ratio = deviance_ratio(statuses);
  point.phases = lambda_phases_;
  Nonzeros nonzeros = nonzeros_of(statuses);
  point.variables = std::move(nonzeros.variables);
  point.standardized = std::move(nonzeros.values);
  return point;
}

bool LassoJudge::is_enough(std::span<const Payload> statuses, const Certificate& certificate) const {
  const auto& enough = options_.path.enough;
  return enough && enough(point_of(statuses, certificate));
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
