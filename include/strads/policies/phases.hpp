// The coordinator's half of a policy: what the next phase is. A judge decides whether there is one. Layer: policies.
// Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "strads/engine/model.hpp"
#include "strads/policies/options.hpp"
#include "strads/policies/parallelism.hpp"
#include "strads/policies/slice_policy.hpp"

namespace strads {

/// New variables of a first working set at most: more would be guesses.
inline constexpr std::size_t kNewVariablesMax = 500;
/// New variables of a working set at least, of `kept` that take part.
[[nodiscard]] std::size_t new_variables_min(double kept);

/// What one slice reports of its variables.
struct CandidateReport {
  std::span<const VarId> always;      ///< in every working set (the Lasso: nonzeros)
  std::span<const VarId> candidates;  ///< others that would move
  std::span<const double> merits;     ///< the importance of each candidate
};

/// The variables of the next phase.
struct ChosenVariables {
  std::vector<VarId> variables;  ///< ascending
  double threshold = 0;          ///< merit of the last candidate that was taken; 0: none was
};
/// All that are always there, and the best `wanted` candidates, of those alike the ones with the smaller numbers.
[[nodiscard]] ChosenVariables choose_variables(std::span<const CandidateReport> reports, std::size_t wanted);

/// Rounds of an ordinary phase of `auto` at most.
[[nodiscard]] std::uint64_t ordinary_rounds_max(const PolicyOptions& options);
/// How far workers solve the blocks of such a phase. `gap`: that the run ends at.
[[nodiscard]] double ordinary_inner_gap(double gap, std::uint32_t blocks);

/// Phases of the published policies: a barrier every check_interval updates, for the certificate alone.
void plan_published_phase(const PolicyOptions& options, double kept, PhasePlan& plan);

/// What a judge knows when a run goes on.
struct PhaseQuestion {
  const Barrier& barrier;
  std::span<const CandidateReport> reports;  ///< in slice order
  double kept = 0;                           ///< variables that take part
  double work = 0;                           ///< mean flops of a product with one of their columns
  double gap = 0;                            ///< of the certificate
  double gap_wanted = 0;                     ///< that the run ends at
  std::size_t wanted = 0;                    ///< candidates at least, where their pairs cost little; choose_variables()
};

/// The next phase under every policy, for a model with nothing to add of its own. With `auto` a phase is one joint
/// round, where that is the cheapest, or rounds of many blocks: see Parallelism.
class PolicyPhases {
 public:
  /// `samples`: length of a column. `options` are copied.
  PolicyPhases(const PolicyOptions& options, std::uint64_t samples, const PairProducts& products = {});

  /// Fills in the plan but for its verdict. Its content is what PolicySlice::enter_phase() reads.
  void plan(const PhaseQuestion& question, PhasePlan& plan);

 private:
  PolicyOptions options_;
  double samples_;
  Parallelism parallelism_;
  Parallelism::Choice last_choice_;
};

/// What such a plan says to the policies of slices. Any values: those of other lengths say nothing.
[[nodiscard]] PolicyPhase policy_phase_of(const PhasePlan& plan);

}  // namespace strads
