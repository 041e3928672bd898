// What the Lasso puts into the engine's payloads: written here and nowhere else.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "strads/base/ascending.hpp"
#include "strads/base/payload.hpp"
#include "strads/base/payload_fields.hpp"

namespace strads {
enum class PayloadKind : std::uint8_t;  // strads/engine/model.hpp
}  // namespace strads

namespace strads::lasso {

/// READY: what one slice found in its columns. No ids.
struct Ready {
  double lambda_max = 0;  ///< max |x_j'y| / f_j over the l1 ratio; of ridge see LambdaUnits
  std::uint64_t kept = 0, constant = 0, excluded = 0, collinear = 0;  ///< columns of each state
  std::uint64_t missing = 0;                                          ///< missing calls
  double response_squared = 0;                                        ///< y'y; of any loss 2 F(0)
  double lambda_per_y =
      0;  ///< lambda of the solver for lambda = 1 of LambdaScale::y, sqrt(N) / sy; or of sample, N / sy
  std::uint64_t pulling = 1;    ///< 0: no variable's product with y is more than rounding makes of 0
  double lambda_max_bound = 0;  ///< then: no response of this length has a larger lambda_max with these columns

  template <class Self, class Visit>
  static constexpr void fields(Self& ready, Visit&& visit) {
    visit(ready.lambda_max);
    visit(ready.kept);
    visit(ready.constant);
    visit(ready.excluded);
    visit(ready.collinear);
    visit(ready.missing);
    visit(ready.response_squared);
    visit(ready.lambda_per_y);
    visit(ready.pulling);
    visit(ready.lambda_max_bound);
  }
};

/// START: the problem. No ids. lambda_max = 0: no variable's product with the response is more than rounding, and zeros
/// are the solution at every lambda. Behind these values all lambdas of a path, descending, of which `lambda` is the
/// first.
struct Start {
  double lambda = 0, lambda_max = 0;
  std::uint64_t kept = 0, constant = 0, excluded = 0, collinear = 0, missing = 0;  ///< as in Ready, of all slices
  double response_squared = 0;

  template <class Self, class Visit>
  static constexpr void fields(Self& start, Visit&& visit) {
    visit(start.lambda);
    visit(start.lambda_max);
    visit(start.kept);
    visit(start.constant);
    visit(start.excluded);
    visit(start.collinear);
    visit(start.missing);
    visit(start.response_squared);
  }
};
/// Of a path; else empty. REQUIRES: well_formed(PayloadKind::start, ...).
[[nodiscard]] std::span<const double> lambdas_of(const Payload& start);

/// SLICE STATUS: certificate parts (docs/DESIGN.md, "Certificate"), then the slice's nonzeros, then its best
/// candidates: as many as a working set can take from one slice, so that a barrier costs no more bytes than it must.
/// ids: nonzeros, candidates. values: this head, then beta of each nonzero, then the predicted decrease of each
/// candidate.
struct StatusHead {
  double max_gradient = 0;      ///< max |h_j| / f_j over the kept variables; h_j = g_j - E_j b_j
  double l1 = 0;                ///< sum f_j |b_j|
  double slack = 0;             ///< sum (A_j |b_j| - h_j b_j); of ridge sum h_j^2 / (2 E_j) over all (GapParts)
  double product = 0;           ///< sum h_j b_j; 0 of ridge
  double loss = 0;              ///< of the replica; the same in every slice
  double squares = 0;           ///< sum E_j b_j^2 over all variables; the same
  double divergence = 0;        ///< Loss::divergence() with the longest dual point that this slice allows
  std::uint64_t nonzeros = 0;   ///< how many of the ids are nonzeros
  std::uint64_t violators = 0;  ///< zero variables with |g_j| > A_j, listed or not
  double work = 0;              ///< mean flops of one dot with a nonzero or one of the best kWorkCandidates candidates

  template <class Self, class Visit>
  static constexpr void fields(Self& head, Visit&& visit) {
    visit(head.max_gradient);
    visit(head.l1);
    visit(head.slack);
    visit(head.product);
    visit(head.loss);
    visit(head.squares);
    visit(head.divergence);
    visit(head.nonzeros);
    visit(head.violators);
    visit(head.work);
  }
};

/// At the end of the values of a SLICE STATUS of a path, whose ids end with the variables that may enter at the next
/// lambda (strong rule), and whose values have the steepness |h_j| / f_j of each of those behind the candidates'
/// decreases.
struct PathStatusTail {
  std::uint64_t candidates = 0;  ///< how many of the ids are candidates at this lambda

  template <class Self, class Visit>
  static constexpr void fields(Self& tail, Visit&& visit) {
    visit(tail.candidates);
  }
};

/// A SLICE STATUS, its lists where they lie.
struct StatusView {
  StatusHead head;
  std::span<const VarId> nonzeros;
  std::span<const double> values;  ///< of the nonzeros
  std::span<const VarId> candidates;
  std::span<const double> decreases;
  std::span<const VarId> strong;      ///< of a path
  std::span<const double> steepness;  ///< of `strong`
};
/// REQUIRES: well_formed(PayloadKind::status, ...).
[[nodiscard]] StatusView view_status(const Payload& status);

/// Over the reports of all slices, in their order.
[[nodiscard]] double sum_of(std::span<const Payload> statuses, double StatusHead::*which);
/// The same, at least 0.
[[nodiscard]] double max_of(std::span<const Payload> statuses, double StatusHead::*which);
[[nodiscard]] inline StatusHead head_of(const Payload& status) {
  return read_fields<StatusHead>(status.values);
}

/// The nonzeros that all slices report.
struct Nonzeros {
  std::vector<VarId> variables;  ///< ascending
  std::vector<double> values;
};
/// Each variable once: a slice that reports one of another's is found out by what is recomputed from the data.
/// REQUIRES: well_formed(PayloadKind::status, ...) for each.
[[nodiscard]] Nonzeros nonzeros_of(std::span<const Payload> statuses);

/// Candidates whose work is averaged in SLICE STATUS, and the most that are ever listed there.
inline constexpr std::size_t kWorkCandidates = 4096;

/// PHASE: ids: the working set of a joint round, ascending, else empty. values: those of a phase, then those of a path.
/// A verdict to verify or to stop and, off a path, the published policies carry nothing.
struct Phase {
  double threshold = 0;  ///< candidates with a smaller predicted decrease take no part
  double inner_gap = 0;  ///< solve a block until its own gap (joint) or its sweep's decrease (ordinary) is below this
  std::uint64_t fresh = 0;  ///< of the ids, how many were not in the joint working set before
  double raise =
      0;  ///< a joint round is solved with the l1 norm's weight times this, >= 1: small lambdas are approached

  template <class Self, class Visit>
  static constexpr void fields(Self& phase, Visit&& visit) {
    visit(phase.threshold);
    visit(phase.inner_gap);
    visit(phase.fresh);
    visit(phase.raise);
  }
};
/// Of a path, under every policy.
struct PathPhase {
  double lambda = 0;       ///< of this phase
  double next_lambda = 0;  ///< that follows when this one is solved; the same where none does
  double strong = 0;       ///< > 0: first phase of a lambda: zero variables of this steepness and more take part

  template <class Self, class Visit>
  static constexpr void fields(Self& phase, Visit&& visit) {
    visit(phase.lambda);
    visit(phase.next_lambda);
    visit(phase.strong);
  }
};

/// What a plan says; 0 where it does not. REQUIRES: well_formed(PayloadKind::phase, ...).
[[nodiscard]] Phase phase_of(const Payload& plan);
[[nodiscard]] PathPhase path_phase_of(const Payload& plan);

/// What a joint BLOCK says after its start values.
struct JointBlock {
  std::uint64_t fresh = 0;  ///< Phase::fresh
  double raise = 0;         ///< Phase::raise

  template <class Self, class Visit>
  static constexpr void fields(Self& block, Visit&& visit) {
    visit(block.fresh);
    visit(block.raise);
  }
};
/// No value: the block is not a joint one. REQUIRES: well_formed(PayloadKind::block, ...).
[[nodiscard]] std::optional<JointBlock> joint_of(const Payload& block);

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
