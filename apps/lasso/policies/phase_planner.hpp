// The coordinator's half of a policy, for the Lasso: what the next phase is. The judge decides whether there is one.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "lasso/problem/certificate.hpp"
#include "lasso/problem/lasso.hpp"
#include "lasso/problem/payloads.hpp"
#include "strads/engine/model.hpp"
#include "strads/policies/parallelism.hpp"
#include "strads/policies/phases.hpp"

namespace strads::lasso {

/// What a phase is for.
enum class Aim : std::uint8_t {
  this_lambda,  ///< more of the same: its candidates
  next_lambda   ///< the first phase of another lambda: what may enter there
};

/// What the judge knows when a run goes on.
struct PhaseRequest {
  const Barrier& barrier;
  std::span<const Payload> statuses;  ///< well formed
  const Certificate& certificate;     ///< of this barrier, at the lambda that was worked on
  Aim aim = Aim::this_lambda;
  double lambda = 0;        ///< weight of the l1 norm in the next phase
  GapParts parts = {};      ///< of the certificate
  double parts_lambda = 0;  ///< weight of the l1 norm there
  double l1_norm = 0;       ///< sum f_j |b_j|
  double kept = 0;          ///< variables that take part
  bool stalled = false;     ///< phases before this barrier brought nothing
};

/// What the next phase says besides its plan.
struct PlannedPhase {
  std::optional<Phase> phase;  ///< no value: the policy has nothing to say
  double strong = 0;           ///< PathPhase::strong
};

class PhasePlanner {
 public:
  virtual ~PhasePlanner() = default;

  /// Fills in the plan but for its verdict and its values.
  [[nodiscard]] virtual PlannedPhase plan(const PhaseRequest& request, PhasePlan& plan) = 0;
  /// True iff a run may end because phase after phase brings nothing.
  [[nodiscard]] virtual bool gives_up() const { return false; }
};

/// What a planner is made for.
struct PhaseSetting {
  const LassoOptions& options;
  std::uint64_t samples = 0;
  VarId variables = 0;  ///< J
  PairProducts products = {};
};

/// That of the policy that the options name.
[[nodiscard]] std::unique_ptr<PhasePlanner> make_planner(const PhaseSetting& setting);

}  // namespace strads::lasso
