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
                           std::to_string(std::size_t{kReadyValues}) +
                           " values and no ids); start the same build on every host");
  }
  Payload problem;
  problem.values.assign(kStartValues, 0.0);
  auto& values = problem.values;
  for (const Payload& summary : summaries) {
    values[kStartLambdaMax] = std::max(values[kStartLambdaMax], summary.values[kReadyMaxGradient] / options_.l1_ratio);
    values[kStartKept] += summary.values[kReadyKept];
    values[kStartConstant] += summary.values[kReadyConstant];
    values[kStartExcluded] += summary.values[kReadyExcluded];
    values[kStartCollinear] += summary.values[kReadyCollinear];
    values[kStartMissing] += summary.values[kReadyMissing];
  }
  values[kStartResponseSquared] = summaries[0].values[kReadyResponseSquared];
  if (values[kStartKept] == 0) {
    return Status::input("no variable is left: " + std::to_string(static_cast<std::uint64_t>(values[kStartConstant])) +
                         " are constant and " + std::to_string(static_cast<std::uint64_t>(values[kStartExcluded])) +
                         " were excluded; expected at least one column that varies over the samples");
  }
  const double lambda_max = values[kStartLambdaMax];
  if (!std::isfinite(lambda_max)) {
    return Status::input(
        "lambda_max cannot be represented: products of columns and response are too large; rescale them");
  }
  if (options_.nonnegative && !(lambda_max > kOrthogonal * std::sqrt(values[kStartResponseSquared]))) {
    return Status::input(
        "no column rises with the response (lambda_max = 0): with --nonnegative all coefficients are 0; expected a "
        "column with a positive product");
  }
  if (!(lambda_max > kOrthogonal * std::sqrt(values[kStartResponseSquared]))) {
    return Status::input(
        "the response is orthogonal to every column (lambda_max = 0); expected a column that explains some of it");
  }
  fix_lambdas(summaries, problem);
  lambda_ = values[kStartLambda] * options_.l1_ratio;
  kept_ = values[kStartKept];
  start_objective_ = 0.5 * values[kStartResponseSquared];
  return problem;
}

/// lambda, or those of a path, on the solver's scale.
void LassoJudge::fix_lambdas(std::span<const Payload> summaries, Payload& problem) {
  const double lambda_max = problem.values[kStartLambdaMax];
  double scale = 1;
  if (options_.lambda_scale == LambdaScale::y) scale = summaries[0].values[kReadyLambdaPerY];
  if (options_.lambda_scale == LambdaScale::ratio) scale = lambda_max;
  problem.values[kStartLambda] = options_.lambda * scale;
  const PathOptions& path = options_.path;
  if (!path.wanted()) return;
  const double per_y = summaries[0].values[kReadyLambdaPerY];
  std::vector<double> lambdas = path.follows ? path.lead->lambdas : path.given;
  for (double& lambda : lambdas) lambda *= path.follows ? per_y : scale;
  if (lambdas.empty()) {
    double variables = 0;  // that are there, constant or not: what glmnet counts
    for (const StartValue which : {kStartKept, kStartConstant, kStartCollinear}) variables += problem.values[which];
    const double least =
        path.min_ratio > 0 ? path.min_ratio : default_min_ratio(static_cast<double>(samples_), variables);
    lambdas = lambda_grid(lambda_max, least, path.count);
  }
  problem.values[kStartLambda] = lambdas.front();
  problem.values.insert(problem.values.end(), lambdas.begin(), lambdas.end());
  if (path.follows) {
    path_ = LassoPath(std::move(lambdas), false, path.lead);
    return;
  }
  if (path.lead != nullptr) {
    for (const double lambda : lambdas) path.lead->lambdas.push_back(lambda / per_y);
  }
  path_ = LassoPath(std::move(lambdas), path.early_end && path.given.empty());
}

Certificate LassoJudge::certify(std::span<const Payload> statuses) {
  GapParts& parts = parts_;
  parts.residual_squared = statuses[0].values[kStatusResidualSquared];
  parts.gradient_max = max_of(statuses, kStatusMaxGradient);
  parts.slack = sum_of(statuses, kStatusSlack);
  parts.product = sum_of(statuses, kStatusProduct);
  parts_lambda_ = lambda_;
  l1_ = sum_of(statuses, kStatusL1);
  Certificate certificate;
  certificate.objective = 0.5 * parts.residual_squared + lambda_ * sum_of(statuses, kStatusL1);
  certificate.gap = duality_gap(parts, lambda_, options_.nonnegative);
  certificate.dual = certificate.objective - certificate.gap;
  certificate.relative_gap = certificate.objective > 0 ? certificate.gap / certificate.objective : 0.0;
  certificate.nonzeros = static_cast<std::uint64_t>(sum_of(statuses, kStatusNonzeros));
  certificate.converged = certificate.gap <= options_.tolerance * certificate.objective;
  return certificate;
}

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
  const bool at_floor = !certificate.converged && certificate.gap <= kRoundingFloor * start_objective_;
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
  const bool more_lambdas = path_.active() && !path_.ends_at(deviance_ratio(statuses));
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
  double residual_squared = statuses[0].values[kStatusResidualSquared];
  for (const Payload& status : statuses) residual_squared -= view_status(status).squares;
  return 1.0 - residual_squared / (2 * start_objective_);
}

void LassoJudge::record(std::span<const Payload> statuses, const Judgement& judgement) {
  if (!path_.active()) return;
  const Certificate& certificate = judgement.certificate;
  if (!certificate.converged && !unmet_) {
    unmet_ = path_.index();
    unmet_reason_ = judgement.stop_reason;
  }
  if (!recorded_) return;
  PathPoint point;
  point.index = path_.index();
  point.lambda = path_.lambda();
  point.certificate = certificate;
  point.deviance_ratio = deviance_ratio(statuses);
  point.phases = lambda_phases_;
  Nonzeros nonzeros = nonzeros_of(statuses);
  point.variables = std::move(nonzeros.variables);
  point.standardized = std::move(nonzeros.values);
  recorded_(point);
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
  planner_->plan({.barrier = barrier,
                  .statuses = statuses,
                  .certificate = certificate,
                  .aim = aim,
                  .lambda = lambda_,
                  .parts = parts_,
                  .parts_lambda = parts_lambda_,
                  .l1_norm = l1_,
                  .kept = kept_,
                  .stalled = stalled_ > 0,
                  .on_path = path_.active()},
                 plan);
  if (!path_.active()) return;
  plan.content.values.resize(kPathPhaseValues, 0.0);
  plan.content.values[kPhaseLambda] = path_.lambda();
  plan.content.values[kPhaseNextLambda] = path_.next();
}

}  // namespace strads::lasso
