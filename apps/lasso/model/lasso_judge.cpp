#include "lasso/model/lasso_judge.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <map>
#include <string>
#include <utility>

#include "lasso/model/certificate.hpp"
#include "lasso/model/payloads.hpp"

namespace strads::lasso {

namespace {
constexpr double kRoundingFloor = 1e-13;  ///< x F(0): below it a gap is rounding
constexpr double kGramShare = 10;         ///< see new_variables_min
constexpr double kInnerShare = 0.1;       ///< of the barrier's gap: how far a joint block is solved
constexpr double kLastShare = 0.3;        ///< of the final gap, where the block is all but the whole problem:
constexpr double kFreshShare = 0.1;       ///< fewer of its variables are new,
constexpr double kLastGap = 0.02;         ///< and the relative gap is smaller
constexpr double kApproach = 0.3;         ///< x max |g_j|: no joint block is solved for a smaller lambda
constexpr double kDescent = 0.8;          ///< and each one for a smaller lambda than the one before
constexpr int kIdlePhasesMax = 3;         ///< joint phases that a variable without use stays in the working set
constexpr std::size_t kRememberedShare =
    3;  ///< x new_variables_min(): larger working sets are not filled up where pairs matter
constexpr double kOrdinaryShare =
    0.01;  ///< of the final gap: a worker stops when a sweep over its block decreases less
constexpr std::uint64_t kOrdinaryRoundsMax = 64;  ///< per scheduler and phase
constexpr std::uint32_t kStalledMax = 8;
constexpr double kOrthogonal = 1e-14;  ///< x ||y||: what rounding leaves of x_j'y = 0
constexpr double kDiverged = 1e6;      ///< x F(0)

double sum_of(std::span<const Payload> statuses, StatusValue which) {
  double sum = 0;
  for (const Payload& status : statuses) sum += status.values[which];
  return sum;
}

std::size_t count_missing(std::span<const VarId> wanted, std::span<const VarId> among) {
  std::vector<VarId> missing;
  std::set_difference(wanted.begin(), wanted.end(), among.begin(), among.end(), std::back_inserter(missing));
  return missing.size();
}

double max_of(std::span<const Payload> statuses, StatusValue which) {
  double largest = 0;
  for (const Payload& status : statuses) largest = std::max(largest, status.values[which]);
  return largest;
}
}  // namespace

void Parallelism::feed(const Choice& expected, double rounds, double predicted, double realised) {
  if (expected.blocks <= 1 || !(predicted > 0)) return;
  const double ratio = realised / predicted;
  if (ratio < 0.5) allowed_ = std::max(1.0, expected.blocks / 2.0);
  if (ratio > 0.9) allowed_ = std::max(allowed_, 2.0 * expected.blocks);
  // Columns in linkage repeat more work than independent ones: what was seen corrects the next estimate.
  // Never below 1: a phase may end early because its rounds bring little, not because it is solved.
  interference_ = std::max({1.0, 0.7 * interference_, interference_ * rounds / expected.rounds});
}

Parallelism::Choice Parallelism::choose(double size, double samples, double work) const {
  // Counted seconds to solve the working set once. Sample correlations of `size` columns over `samples` rows make
  // parallel blocks repeat part of their work: the condition number of a random design with ratio kappa,
  // ((1 + sqrt kappa) / (1 - sqrt kappa))^2 (Marchenko, Pastur 1967), is the number of rounds. Columns in linkage count
  // double.
  constexpr double kSweeps = 60;
  const auto gram = [&](double own) { return products_.price * work * own * own / 2; };
  const auto sweeps = [&](double own) { return kSweeps * 2 * own * own; };
  const auto on_residual = [&](double own) { return products_.sweeps_instead * 2 * work * own; };
  // Who plans parallel blocks needs the products of all pairs, of a sample of the rows or of all; then they are
  // remembered, and the blocks find theirs.
  const double couplings = products_.sampled * gram(size);
  double best_cost = std::numeric_limits<double>::infinity();
  Choice best;
  const double allowed = std::min({allowed_, static_cast<double>(workers_), std::max(1.0, size)});
  for (std::uint32_t blocks = 1; blocks <= allowed;
       blocks = blocks < workers_ ? std::min(2 * blocks, workers_) : blocks + 1) {
    const double kappa = std::min(0.9999, 2 * size / samples * (1 - 1.0 / blocks));
    const double root = std::sqrt(kappa);
    const double rounds = blocks == 1 ? 1.0 : interference_ * (1 + root) * (1 + root) / ((1 - root) * (1 - root));
    const double own = size / blocks;
    const bool known = blocks > 1 && products_.sampled == 1;
    const double solve = std::min((known ? 0.0 : gram(own)) + sweeps(own), on_residual(own));
    const double messages = cost_.round_seconds + blocks * cost_.block_seconds;
    const double plan = blocks == 1 ? 0.0 : couplings;
    const double cost = cost_.flop_seconds * plan + rounds * (messages + cost_.flop_seconds * (2 * work * own + solve));
    if (cost < best_cost) {
      best_cost = cost;
      best = {blocks, rounds};
    }
  }
  return best;
}

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
  const bool stalled = stalled_ >= kStalledMax && options_.policy == Policy::automatic;
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
                          : barrier.limit_reached ? "limit"
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
      judgement.stop_reason = "limit";
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
  lambda_ = path_.lambda() * options_.l1_ratio;
  lambda_phases_ = 0;
  stalled_ = 0;
}

void LassoJudge::plan_phase(const Barrier& barrier, std::span<const Payload> statuses, const Certificate& certificate,
                            Aim aim, PhasePlan& plan) {
  plan.verdict = PhasePlan::Verdict::go_on;
  ++lambda_phases_;
  if (options_.policy == Policy::automatic) {
    plan_automatic(barrier, statuses, certificate, aim, plan);
  } else {
    plan_published(plan);
  }
  if (!path_.active()) return;
  plan.content.values.resize(kPathPhaseValues, 0.0);
  plan.content.values[kPhaseLambda] = path_.lambda();
  plan.content.values[kPhaseNextLambda] = path_.next();
}

void LassoJudge::plan_published(PhasePlan& plan) const {
  const auto interval = options_.check_interval != 0 ? options_.check_interval : static_cast<std::uint64_t>(kept_);
  plan.joint = false;
  plan.blocks_max = options_.workers;
  plan.updates_max = std::max<std::uint64_t>(1, interval);
  plan.rounds_max = plan.updates_max;  // rounds that draw nothing must end as well
}

std::size_t LassoJudge::new_variables_min() const {
  // Products of all its pairs should cost no more than the pass over all columns that found it. Tiled and not, for the
  // couplings and for the blocks, they cost about k^2 / 10 columns.
  return static_cast<std::size_t>(
      std::clamp(std::sqrt(kGramShare * kept_), 20.0, static_cast<double>(kNewVariablesMax)));
}

/// The nonzeros and the best that are not: by predicted decrease, at another lambda by steepness. `threshold`: that of
/// the last of them.
std::vector<VarId> LassoJudge::working_set(std::span<const Payload> statuses, std::size_t nonzeros, Aim aim,
                                           double& threshold) const {
  std::vector<VarId> chosen;
  std::vector<std::pair<double, VarId>> candidates;
  for (const Payload& status : statuses) {
    const StatusView view = view_status(status);
    chosen.insert(chosen.end(), view.nonzeros.begin(), view.nonzeros.end());
    const auto ids = aim == Aim::this_lambda ? view.candidates : view.strong;
    const auto merits = aim == Aim::this_lambda ? view.decreases : view.steepness;
    for (std::size_t k = 0; k < ids.size(); ++k) candidates.emplace_back(-merits[k], ids[k]);
  }
  const std::size_t wanted = std::min(candidates.size(), std::max(new_variables_min(), nonzeros));
  std::partial_sort(candidates.begin(), candidates.begin() + static_cast<std::ptrdiff_t>(wanted), candidates.end());
  threshold = wanted == 0 ? 0.0 : -candidates[wanted - 1].first;
  for (std::size_t k = 0; k < wanted; ++k) chosen.push_back(candidates[k].second);
  std::sort(chosen.begin(), chosen.end());
  return chosen;
}

void LassoJudge::plan_automatic(const Barrier& barrier, std::span<const Payload> statuses,
                                const Certificate& certificate, Aim aim, PhasePlan& plan) {
  if (!barrier.verified) {
    parallelism_.feed(last_choice_, static_cast<double>(barrier.rounds) / options_.schedulers, barrier.predicted,
                      barrier.realised);
  }
  double threshold = 0;
  std::vector<VarId> chosen = working_set(statuses, certificate.nonzeros, aim, threshold);
  const double work = max_of(statuses, kStatusWork);
  last_choice_ = parallelism_.choose(static_cast<double>(chosen.size()), static_cast<double>(samples_), work);
  plan.blocks_max = last_choice_.blocks;
  plan.joint = plan.blocks_max == 1;
  plan.rounds_max = plan.joint ? 1 : kOrdinaryRoundsMax * options_.schedulers;
  plan.content.values.assign(path_.active() ? kPathPhaseValues : kPhaseValues, 0.0);
  plan.content.values[aim == Aim::this_lambda ? kPhaseThreshold : kPhaseStrong] = threshold;
  const double final_gap = options_.tolerance * certificate.objective;
  if (plan.joint) return plan_joint(certificate, aim, std::move(chosen), plan);
  plan.content.values[kPhaseInnerGap] = kOrdinaryShare * final_gap / plan.blocks_max;
  raise_ = 1;  // ordinary blocks are solved for lambda itself: there is nothing left to approach
}

void LassoJudge::plan_joint(const Certificate& certificate, Aim aim, std::vector<VarId> chosen, PhasePlan& plan) {
  remember(chosen);
  const std::size_t fresh = count_missing(chosen, joint_before_);
  // A small lambda is approached from above: where the residual is still large, a working set solved for it would fit
  // the residual with the wrong columns.
  if (aim == Aim::next_lambda) raise_ = std::numeric_limits<double>::infinity();
  const double steep = kApproach * parts_.gradient_max / lambda_;
  raise_ = stalled_ > 0 ? 1.0 : std::max(1.0, std::min(steep, kDescent * raise_));
  GapParts parts = parts_;
  parts.slack += (raise_ * lambda_ - parts_lambda_) * l1_;
  const double gap = duality_gap(parts, raise_ * lambda_, options_.nonnegative);
  const double final_gap = options_.tolerance * certificate.objective;
  // With few new columns the block is all but the whole problem: what is left over now costs another pass. So it is, as
  // a rule, where a path takes a step.
  const bool last =
      raise_ == 1 && certificate.relative_gap < kLastGap &&
      (aim == Aim::next_lambda || static_cast<double>(fresh) < kFreshShare * static_cast<double>(chosen.size()));
  const double last_gap = (aim == Aim::next_lambda ? kInnerShare : kLastShare) * final_gap;
  plan.content.values[kPhaseInnerGap] = last ? last_gap : kInnerShare * std::max(gap, final_gap);
  plan.content.values[kPhaseRaise] = raise_;
  plan.content.values[kPhaseFresh] = static_cast<double>(fresh);
  joint_before_ = chosen;
  plan.content.ids = std::move(chosen);
}

/// Adds what was in a joint working set not long ago: its products are known or not needed, and what leaves and comes
/// back costs passes.
void LassoJudge::remember(std::vector<VarId>& chosen) {
  const std::size_t size_max = pairs_matter_ ? kRememberedShare * new_variables_min() : variables_;
  std::map<VarId, int> idle;
  for (const VarId j : chosen) idle.emplace(j, 0);
  for (int age = 0; age < kIdlePhasesMax; ++age) {
    for (const auto& [j, phases] : idle_) {
      if (phases == age && idle.size() < size_max) idle.emplace(j, phases + 1);
    }
  }
  chosen.clear();
  for (const auto& [j, phases] : idle) chosen.push_back(j);
  idle_ = std::move(idle);
}

}  // namespace strads::lasso
