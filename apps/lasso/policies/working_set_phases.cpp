// The Lasso's phases of the policy `auto` (docs/DESIGN.md, "Policies" and "How many blocks at once"): each is one step
// with a working set, by one joint round or by rounds of many blocks.
#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <map>
#include <utility>
#include <vector>

#include "lasso/policies/phase_planner.hpp"
#include "lasso/problem/payloads.hpp"

namespace strads::lasso {

namespace {
constexpr double kInnerShare = 0.1;  ///< of the barrier's gap: how far a joint block is solved
constexpr double kLastShare = 0.3;   ///< of the final gap, where the block is all but the whole problem:
constexpr double kFreshShare = 0.1;  ///< fewer of its variables are new,
constexpr double kLastGap = 0.02;    ///< and the relative gap is smaller
constexpr double kApproach = 0.3;    ///< x max |g_j|: no joint block is solved for a smaller lambda
constexpr double kDescent = 0.8;     ///< and each one for a smaller lambda than the one before
constexpr double kPassPrice = 0.4;   ///< of a pass in whole numbers, against one in double precision
constexpr int kIdlePhasesMax = 3;    ///< joint phases that a variable without use stays in the working set
/// x new_variables_min(): larger working sets are not filled up where pairs matter.
constexpr std::size_t kRememberedShare = 3;

std::size_t count_missing(std::span<const VarId> wanted, std::span<const VarId> among) {
  std::vector<VarId> missing;
  std::set_difference(wanted.begin(), wanted.end(), among.begin(), among.end(), std::back_inserter(missing));
  return missing.size();
}

/// The nonzeros and the best that are not: by predicted decrease, at another lambda by steepness.
ChosenVariables working_set(const PhaseRequest& request) {
  const bool all = request.lambda == 0;  // ridge: every variable takes part, at every lambda
  std::vector<CandidateReport> reports;
  for (const Payload& status : request.statuses) {
    const StatusView view = view_status(status);
    const bool here = all || request.aim == Aim::this_lambda;
    const auto ids = here ? view.candidates : view.strong;
    const auto merits = here ? view.decreases : view.steepness;
    reports.push_back({view.nonzeros, ids, merits});
  }
  const std::size_t enough = std::max<std::size_t>(new_variables_min(request.kept), request.certificate.nonzeros);
  return choose_variables(reports, all ? std::numeric_limits<std::size_t>::max() : enough);
}

class WorkingSetPhases final : public PhasePlanner {
 public:
  explicit WorkingSetPhases(const PhaseSetting& setting)
      : samples_(setting.samples),
        variables_(setting.variables),
        options_(setting.options),
        tolerance_(setting.options.tolerance),
        nonnegative_(setting.options.nonnegative),
        squared_(setting.options.family->is_squares()),
        ridge_(setting.options.l1_ratio == 0),
        pairs_matter_(setting.products.matter),
        parallelism_(setting.options.cost, setting.options.workers, setting.products) {}

  PlannedPhase plan(const PhaseRequest& request, PhasePlan& plan) override;
  [[nodiscard]] bool gives_up() const override { return true; }

 private:
  void plan_joint(const PhaseRequest& request, std::vector<VarId> chosen, Phase& phase, Payload& content);
  void plan_ridge(const PhaseRequest& request, std::vector<VarId> chosen, Phase& phase, Payload& content);
  void remember(const PhaseRequest& request, std::vector<VarId>& chosen);

  std::uint64_t samples_;
  VarId variables_;
  PolicyOptions options_;
  double tolerance_;
  bool nonnegative_;
  bool squared_;  ///< the loss
  bool ridge_;    ///< every variable in every phase, in one joint block
  bool pairs_matter_;
  Parallelism parallelism_;
  Parallelism::Choice last_choice_;
  double raise_ = std::numeric_limits<double>::infinity();  ///< Phase::raise of the last joint phase
  std::vector<VarId> joint_before_;                         ///< working set of the joint round before, ascending
  std::map<VarId, int> idle_;  ///< its variables: joint phases since each was a nonzero or a candidate
};

PlannedPhase WorkingSetPhases::plan(const PhaseRequest& request, PhasePlan& plan) {
  const Barrier& barrier = request.barrier;
  if (!barrier.verified) {
    parallelism_.feed(last_choice_, static_cast<double>(barrier.rounds) / options_.schedulers, barrier.predicted,
                      barrier.realised);
  }
  ChosenVariables chosen = working_set(request);
  const double work = max_of(request.statuses, &StatusHead::work);
  last_choice_ = ridge_ ? Parallelism::Choice{}
                        : parallelism_.choose(static_cast<double>(chosen.variables.size()),
                                              static_cast<double>(samples_), work, kPassPrice * request.kept * work);
  plan.blocks_max = last_choice_.blocks;
  if (plan.blocks_max == 1) plan.mode = PhasePlan::Mode::joint;
  plan.rounds_max = plan.joint() ? 1 : ordinary_rounds_max(options_);
  Phase phase;
  double strong = 0;
  (request.aim == Aim::this_lambda ? phase.threshold : strong) = chosen.threshold;
  if (plan.joint() && ridge_) {
    plan_ridge(request, std::move(chosen.variables), phase, plan.content);
  } else if (plan.joint()) {
    plan_joint(request, std::move(chosen.variables), phase, plan.content);
  } else {
    phase.inner_gap = ordinary_inner_gap(tolerance_ * request.certificate.objective, plan.blocks_max);
    raise_ = 1;  // ordinary blocks are solved for lambda itself: there is nothing left to approach
  }
  return {phase, strong};
}

void WorkingSetPhases::plan_joint(const PhaseRequest& request, std::vector<VarId> chosen, Phase& phase,
                                  Payload& content) {
  remember(request, chosen);
  const std::size_t fresh = count_missing(chosen, joint_before_);
  // A small lambda is approached from above: where the residual is still large, a working set solved for it would fit
  // the residual with the wrong columns.
  if (request.aim == Aim::next_lambda) raise_ = std::numeric_limits<double>::infinity();
  const double steep = kApproach * request.parts.gradient_max / request.lambda;
  raise_ = request.stalled ? 1.0 : std::max(1.0, std::min(steep, kDescent * raise_));
  GapParts parts = request.parts;
  parts.slack += (raise_ * request.lambda - request.parts_lambda) * request.l1_norm;
  const double gap = squared_ ? duality_gap(parts, raise_ * request.lambda, nonnegative_)
                              : predictor_gap_about(parts, request.parts_lambda, raise_ * request.lambda);
  const double final_gap = tolerance_ * request.certificate.objective;
  // With few new columns the block is all but the whole problem: what is left over now costs another pass. So it is, as
  // a rule, where a path takes a step.
  const bool last = raise_ == 1 && request.certificate.relative_gap < kLastGap &&
                    (request.aim == Aim::next_lambda ||
                     static_cast<double>(fresh) < kFreshShare * static_cast<double>(chosen.size()));
  const double last_gap = (request.aim == Aim::next_lambda ? kInnerShare : kLastShare) * final_gap;
  phase.inner_gap = last ? last_gap : kInnerShare * std::max(gap, final_gap);
  phase.raise = raise_;
  phase.fresh = fresh;
  joint_before_ = chosen;
  content.ids = std::move(chosen);
}

/// The block is the whole problem: it is solved to the end, a little further since F falls until then.
void WorkingSetPhases::plan_ridge(const PhaseRequest& request, std::vector<VarId> chosen, Phase& phase,
                                  Payload& content) {
  phase.inner_gap = kInnerShare * tolerance_ * request.certificate.objective;
  phase.raise = 1;
  phase.fresh = count_missing(chosen, joint_before_);
  joint_before_ = chosen;
  content.ids = std::move(chosen);
}

/// Adds what was in a joint working set not long ago: its products are known or not needed, and what leaves and comes
/// back costs passes. A second phase at a lambda leaves nothing of the first one out: the next lambda asks for it
/// again.
void WorkingSetPhases::remember(const PhaseRequest& request, std::vector<VarId>& chosen) {
  std::size_t size_max = pairs_matter_ ? kRememberedShare * new_variables_min(request.kept) : variables_;
  if (request.aim == Aim::this_lambda) size_max = std::max(size_max, joint_before_.size());
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

/// Those of any model.
class PublishedPhases final : public PhasePlanner {
 public:
  explicit PublishedPhases(const PolicyOptions& options) : options_(options) {}
  PlannedPhase plan(const PhaseRequest& request, PhasePlan& plan) override {
    plan_published_phase(options_, request.kept, plan);
    return {};
  }

 private:
  PolicyOptions options_;
};

}  // namespace

std::unique_ptr<PhasePlanner> make_planner(const PhaseSetting& setting) {
  if (setting.options.policy == Policy::automatic) return std::make_unique<WorkingSetPhases>(setting);
  return std::make_unique<PublishedPhases>(setting.options);
}

}  // namespace strads::lasso
