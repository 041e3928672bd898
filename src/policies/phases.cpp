#include "strads/policies/phases.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "strads/base/payload_fields.hpp"

namespace strads {

namespace {
constexpr double kGramShare = 10;                 ///< see new_variables_min()
constexpr double kJointInnerShare = 0.1;          ///< of the barrier's gap: how far a joint block is solved
constexpr std::uint64_t kOrdinaryRoundsMax = 64;  ///< per scheduler and phase
/// Of the final gap: a worker stops when a sweep over its block decreases less.
constexpr double kOrdinaryShare = 0.01;

/// Content of a phase's plan.
struct PhaseWords {
  double threshold = 0, inner_gap = 0;

  template <class Self, class Visit>
  static constexpr void fields(Self& words, Visit&& visit) {
    visit(words.threshold);
    visit(words.inner_gap);
  }
};

CostModel priced(CostModel cost) {
  if (cost.flop_seconds == 0) cost.flop_seconds = kStreamedFlopSeconds;
  return cost;
}
}  // namespace

std::size_t new_variables_min(double kept) {
  // Products of all its pairs should cost no more than the pass over all columns that found it. Tiled and not, for the
  // couplings and for the blocks, they cost about k^2 / 10 columns.
  return static_cast<std::size_t>(
      std::clamp(std::sqrt(kGramShare * kept), 20.0, static_cast<double>(kNewVariablesMax)));
}

ChosenVariables choose_variables(std::span<const CandidateReport> reports, std::size_t wanted) {
  ChosenVariables chosen;
  std::vector<std::pair<double, VarId>> candidates;
  for (const CandidateReport& report : reports) {
    chosen.variables.insert(chosen.variables.end(), report.always.begin(), report.always.end());
    for (std::size_t k = 0; k < report.candidates.size(); ++k) {
      candidates.emplace_back(-report.merits[k], report.candidates[k]);
    }
  }
  wanted = std::min(wanted, candidates.size());
  std::partial_sort(candidates.begin(), candidates.begin() + static_cast<std::ptrdiff_t>(wanted), candidates.end());
  chosen.threshold = wanted == 0 ? 0.0 : -candidates[wanted - 1].first;
  for (std::size_t k = 0; k < wanted; ++k) chosen.variables.push_back(candidates[k].second);
  std::sort(chosen.variables.begin(), chosen.variables.end());
  return chosen;
}

std::uint64_t ordinary_rounds_max(const PolicyOptions& options) {
  return kOrdinaryRoundsMax * options.schedulers;
}

double ordinary_inner_gap(double gap, std::uint32_t blocks) {
  return kOrdinaryShare * gap / blocks;
}

void plan_published_phase(const PolicyOptions& options, double kept, PhasePlan& plan) {
  const auto interval = options.check_interval != 0 ? options.check_interval : static_cast<std::uint64_t>(kept);
  plan.blocks_max = options.workers;
  plan.updates_max = std::max<std::uint64_t>(1, interval);
  plan.rounds_max = plan.updates_max;  // rounds that draw nothing must end as well
}

PolicyPhases::PolicyPhases(const PolicyOptions& options, std::uint64_t samples, const PairProducts& products)
    : options_(options),
      samples_(static_cast<double>(samples)),
      parallelism_(priced(options.cost), options.workers, products) {}

void PolicyPhases::plan(const PhaseQuestion& question, PhasePlan& plan) {
  if (options_.policy != Policy::automatic) return plan_published_phase(options_, question.kept, plan);
  const Barrier& barrier = question.barrier;
  if (!barrier.verified) {
    parallelism_.feed(last_choice_, static_cast<double>(barrier.rounds) / options_.schedulers, barrier.predicted,
                      barrier.realised);
  }
  std::size_t always = 0;  // the working set can double with every phase
  for (const CandidateReport& report : question.reports) always += report.always.size();
  ChosenVariables chosen =
      choose_variables(question.reports, std::max({new_variables_min(question.kept), always, question.wanted}));
  last_choice_ = parallelism_.choose(static_cast<double>(chosen.variables.size()), samples_, question.work,
                                     question.kept * question.work);
  plan.blocks_max = last_choice_.blocks;
  PhaseWords words{.threshold = chosen.threshold};
  if (plan.blocks_max == 1) {
    plan.mode = PhasePlan::Mode::joint;
    plan.rounds_max = 1;
    words.inner_gap = kJointInnerShare * std::max(question.gap, question.gap_wanted);
    plan.content.ids = std::move(chosen.variables);
  } else {
    plan.rounds_max = ordinary_rounds_max(options_);
    words.inner_gap = ordinary_inner_gap(question.gap_wanted, plan.blocks_max);
  }
  append_fields(words, plan.content.values);
}

PolicyPhase policy_phase_of(const PhasePlan& plan) {
  const PhaseWords words = find_fields<PhaseWords>(plan.content.values).value_or(PhaseWords{});
  return {
      .joint = plan.joint(), .blocks_max = plan.blocks_max, .threshold = words.threshold, .inner_gap = words.inner_gap};
}

}  // namespace strads
