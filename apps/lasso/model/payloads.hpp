// What the Lasso puts into the engine's payloads: written here and nowhere else.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "strads/base/payload.hpp"
#include "strads/engine/model.hpp"

namespace strads::lasso {

/// READY: what one slice found in its columns. No ids.
enum ReadyValue : std::size_t {
  kReadyMaxGradient,  ///< max |x_j'y| / f_j
  kReadyKept,
  kReadyConstant,
  kReadyExcluded,
  kReadyCollinear,
  kReadyMissing,          ///< missing calls
  kReadyResponseSquared,  ///< y'y
  kReadyLambdaPerY,       ///< lambda of the solver for lambda = 1 on the scale of y: sqrt(N) / sy
  kReadyValues
};

/// START: the problem. No ids. Behind these values all lambdas of a path, descending, of which kStartLambda is the
/// first.
enum StartValue : std::size_t {
  kStartLambda,
  kStartLambdaMax,
  kStartKept,
  kStartConstant,
  kStartExcluded,
  kStartCollinear,
  kStartMissing,
  kStartResponseSquared,
  kStartValues
};

/// SLICE STATUS: certificate parts (docs/DESIGN.md, "Certificate"), then the slice's nonzeros, then its best
/// candidates: as many as a working set can take from one slice, so that a barrier costs no more bytes than it must.
/// ids: nonzeros, candidates. values: the header, then beta of each nonzero, then the predicted decrease of each
/// candidate.
enum StatusValue : std::size_t {
  kStatusMaxGradient,      ///< max |h_j| / f_j over the kept variables; h_j = g_j - E_j b_j
  kStatusL1,               ///< sum f_j |b_j|
  kStatusSlack,            ///< sum (A_j |b_j| - h_j b_j)
  kStatusProduct,          ///< sum h_j b_j
  kStatusResidualSquared,  ///< r'r + sum E_j b_j^2 over all variables; the same in every slice
  kStatusNonzeros,         ///< how many of the ids are nonzeros
  kStatusViolators,        ///< zero variables with |g_j| > A_j, listed or not
  kStatusWork,             ///< mean flops of one dot with a nonzero or one of the best kWorkCandidates candidates
  kStatusHeader
};

/// Behind the values of a SLICE STATUS of a path, whose ids end with the variables that may enter at the next lambda
/// (strong rule), and whose values have the steepness |h_j| / f_j of each of those behind the candidates' decreases.
enum PathStatusValue : std::size_t {
  kPathStatusCandidates,  ///< how many of the ids are candidates at this lambda
  kPathStatusSquares,     ///< sum E_j b_j^2 of this slice's variables
  kPathStatusValues
};

/// The lists of a SLICE STATUS.
struct StatusView {
  std::span<const VarId> nonzeros;
  std::span<const double> values;  ///< of the nonzeros
  std::span<const VarId> candidates;
  std::span<const double> decreases;
  std::span<const VarId> strong;      ///< of a path
  std::span<const double> steepness;  ///< of `strong`
  double squares = 0;                 ///< of a path
};
/// REQUIRES: well_formed(PayloadKind::status, ...).
[[nodiscard]] StatusView view_status(const Payload& status);

/// Over the reports of all slices, in their order.
[[nodiscard]] double sum_of(std::span<const Payload> statuses, StatusValue which);
/// The same, at least 0.
[[nodiscard]] double max_of(std::span<const Payload> statuses, StatusValue which);

/// The nonzeros that all slices report.
struct Nonzeros {
  std::vector<VarId> variables;  ///< ascending
  std::vector<double> values;
};
/// Each variable once: a slice that reports one of another's is found out by what is recomputed from the data.
/// REQUIRES: well_formed(PayloadKind::status, ...) for each.
[[nodiscard]] Nonzeros nonzeros_of(std::span<const Payload> statuses);

/// New variables of a first working set at most: more would be guesses.
inline constexpr std::size_t kNewVariablesMax = 500;
/// Candidates whose work is averaged in SLICE STATUS, and the most that are ever listed there.
inline constexpr std::size_t kWorkCandidates = 4096;

/// PHASE: ids: the working set of a joint round, ascending, else empty. A verdict to verify or to stop and the
/// published policies carry nothing.
enum PhaseValue : std::size_t {
  kPhaseThreshold,  ///< candidates with a smaller predicted decrease take no part
  kPhaseInnerGap,   ///< solve a block until its own gap (joint) or its sweep's decrease (ordinary) is below this
  kPhaseFresh,      ///< of the ids, how many were not in the joint working set before
  kPhaseRaise,  ///< a joint round is solved with the l1 norm's weight times this, >= 1: small lambdas are approached
  kPhaseValues,
  // Of a path, under every policy:
  kPhaseLambda = kPhaseValues,  ///< of this phase
  kPhaseNextLambda,             ///< that follows when this one is solved; the same where none does
  kPhaseStrong,                 ///< > 0: first phase of a lambda: zero variables of this steepness and more take part
  kPathPhaseValues
};

/// 0 where the plan does not say.
[[nodiscard]] inline double phase_value(const Payload& plan, PhaseValue which) {
  return which < plan.values.size() ? plan.values[which] : 0.0;
}

/// What a joint BLOCK says after its start values.
enum JointValue : std::size_t {
  kJointFresh,  ///< kPhaseFresh
  kJointRaise,  ///< kPhaseRaise
  kJointValues
};

/// How push solves a block (Assign.kind). BLOCK: ids ascending; values: the start value of each. A joint block goes on
/// with JointValue; pair products are counted for what is new since the joint round before, which the messages say, and
/// not for what this node happens to remember. A block of a path has its lambda as its last
/// value: a worker may still be at a block of the phase before, whose answer nobody waits for any more.
enum BlockKind : std::uint32_t {
  kUpdateBest = 0,  ///< one coordinate update, of the variable with the largest decrease (published policies)
  kSolveBlock = 1,  ///< solve to `tolerance` (ordinary rounds: stop when a sweep decreases less)
  kSolveJoint = 2   ///< solve to a duality gap of `tolerance`: the block holds every nonzero of the model
};

/// DELTAS: ids: variables that changed, in block order; values: new minus old.
///
/// COMMIT: ids and deltas of the changed variables, in block order. One more id at the end, without a delta, names the
/// variable whose breakpoint the guard chose: it becomes exactly 0.
struct CommitView {
  std::span<const VarId> variables;
  std::span<const double> deltas;
  std::ptrdiff_t zeroed = -1;  ///< position in variables, or -1
};

[[nodiscard]] inline CommitView view_commit(const Payload& changes) {
  CommitView view{std::span(changes.ids).first(changes.values.size()), changes.values, -1};
  if (changes.ids.size() > changes.values.size()) {
    for (std::size_t k = 0; k < view.variables.size(); ++k) {
      if (view.variables[k] == changes.ids.back()) view.zeroed = static_cast<std::ptrdiff_t>(k);
    }
  }
  return view;
}

/// New value of variable k of a commit: one function for replicas and slices, so that they agree to the last bit.
[[nodiscard]] inline double committed_value(const CommitView& view, std::size_t k, double old_value, double step) {
  if (static_cast<std::ptrdiff_t>(k) == view.zeroed) return 0.0;
  const double value = old_value + (step == 1.0 ? view.deltas[k] : step * view.deltas[k]);
  return value == 0.0 ? 0.0 : value;
}

/// True iff the payload has the lengths written above, counts where counts belong, and variables below `variables`.
/// Other numbers are not looked at: a run without the guard may diverge, and its messages say so honestly.
[[nodiscard]] bool well_formed(PayloadKind kind, const Payload& payload, VarId variables);

}  // namespace strads::lasso
