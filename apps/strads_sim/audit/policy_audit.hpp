// Which blocks a round of the Lasso must have, worked out a second time: p(j), draws, couplings, balance and the ends
// of phases of every policy, from docs/DESIGN.md, "Policies".
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "lasso/check/dense_problem.hpp"
#include "strads/engine/model.hpp"
#include "strads/sim/model_audit.hpp"
#include "strads_sim/audit/audited_lasso.hpp"

namespace strads::simulator {

/// What the phase of an `auto` run begins with.
struct PhaseStart {
  const std::vector<double>& b;
  const lasso::PlainCertificate& barrier;
  lasso::PlainPenalty before;   ///< of the phase that ended
  lasso::PlainPenalty penalty;  ///< of the one that begins
  double threshold = 0;         ///< least decrease of a variable that enters; or,
  double steepness = 0;         ///< > 0: at the first phase of another lambda, least |g_j| / f_j
};

class PolicyAudit {
 public:
  /// What was found and what was expected.
  using Wrong = std::optional<std::pair<std::string, std::string>>;

  PolicyAudit(const AuditedLasso& asked, const lasso::DenseProblem& plain) : asked_(asked), plain_(plain) {}

  void begin(const std::vector<std::vector<VarId>>& slices);
  void enter_phase(const PhasePlan& plan, const PhaseStart& start);
  /// `moved`: by variable, what the commit added to it.
  [[nodiscard]] Wrong check(const sim::AuditedCommit& commit, const std::vector<double>& moved);

 private:
  enum class Member : std::uint8_t { no, yes, perhaps };

  [[nodiscard]] bool automatic() const { return asked_.policy == "auto"; }
  // The published policies.
  [[nodiscard]] double importance(VarId j) const;
  [[nodiscard]] std::vector<VarId> draw(std::uint32_t slice, Version round) const;
  [[nodiscard]] std::optional<std::vector<VarId>> without_conflicts(const std::vector<VarId>& drawn) const;
  [[nodiscard]] std::optional<std::vector<std::vector<VarId>>> expected_blocks(std::uint32_t slice,
                                                                               Version round) const;
  [[nodiscard]] std::vector<std::vector<VarId>> static_blocks(std::uint32_t slice, Version round) const;
  [[nodiscard]] Wrong check_published(const sim::AuditedCommit& commit) const;
  // `auto`.
  [[nodiscard]] Member member(VarId j, const PhaseStart& start) const;
  [[nodiscard]] Wrong check_automatic(const sim::AuditedCommit& commit);
  [[nodiscard]] Wrong check_working_set(const sim::AuditedCommit& commit) const;
  [[nodiscard]] Wrong check_balance(const sim::AuditedCommit& commit) const;
  [[nodiscard]] Wrong check_end(const sim::AuditedCommit& commit);

  const AuditedLasso& asked_;
  const lasso::DenseProblem& plain_;
  std::vector<std::vector<VarId>> slices_;
  PhasePlan plan_;
  std::vector<double> last_;           ///< by variable: what its last round committed; `auto`: or its next step
  std::vector<std::uint8_t> visited_;  ///< by variable: a round has drawn it
  std::vector<Member> members_;        ///< by variable: in the working set of the phase
  std::vector<double> best_realised_;  ///< by slice: of a round of the phase
};

}  // namespace strads::simulator
