// The Lasso's rules, checked in plain numbers: what every barrier certifies, which lambda a path is at, how a run ends.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "lasso/check/dense_problem.hpp"
#include "strads/data/dataset.hpp"
#include "strads/sim/model_audit.hpp"
#include "strads_sim/audit/audited_lasso.hpp"
#include "strads_sim/audit/policy_audit.hpp"

namespace strads::simulator {

/// The options of the Lasso that are asked of a run.
[[nodiscard]] lasso::LassoOptions options_of(const AuditedLasso& asked);

/// Keeps coefficients of its own, to which it adds what commits say. Costs a pass over all columns at each barrier and
/// one over the nonzeros at each commit.
class LassoAudit final : public sim::ModelAudit {
 public:
  LassoAudit(std::shared_ptr<const Dataset> dataset, const AuditedLasso& asked);
  LassoAudit(const LassoAudit&) = delete;  // the policy's audit looks at this one's members
  LassoAudit& operator=(const LassoAudit&) = delete;

  void begin(const Payload& problem, const std::vector<std::vector<VarId>>& slices) override;
  void judged(const PhasePlan& plan, Version version) override;
  void certified(const Certificate& certificate) override;
  void committed(const sim::AuditedCommit& commit) override;
  void ended(const RunEnd& end) override;

 private:
  [[nodiscard]] bool close(double found, double expected, double times = 1) const;
  void expect_close(const char* what, double found, double expected, double times = 1);
  void check_objective(const sim::AuditedCommit& commit, double before);
  // Of the barrier that was judged last.
  [[nodiscard]] bool surely_solved() const;
  [[nodiscard]] bool perhaps_solved() const;
  [[nodiscard]] bool path_may_end(bool surely) const;
  [[nodiscard]] bool idle() const;
  void check_plan(const PhasePlan& plan);
  void go_on(const PhasePlan& plan);
  void check_solution(const RunEnd& end);

  AuditedLasso asked_;
  lasso::DenseProblem plain_;
  PolicyAudit policy_;
  std::uint64_t kept_ = 0;
  double start_objective_ = 0;
  std::vector<double> lambdas_;
  std::size_t at_ = 0;  ///< of them, the one that is being solved
  lasso::PlainPenalty penalty_;
  std::vector<double> b_;
  double explained_before_ = 0;  ///< by the solution of the lambda before
  double objective_ = 0;         ///< after the last commit
  lasso::PlainCertificate barrier_;
  double sure_decrease_ = 0;  ///< that an update of one variable would bring there
  double objective_at_barrier_before_ = 0;
  bool limit_ = false;  ///< a commit said that the run ends, or it ends at a barrier since it was asked to
};

}  // namespace strads::simulator
