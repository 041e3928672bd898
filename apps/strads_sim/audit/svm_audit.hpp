// The rules of a support vector machine, checked in plain numbers: dual variables stay in their box, no commit lowers
// the dual objective, steps are exact, and what every barrier certifies is so.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "strads/sim/model_audit.hpp"
#include "strads_sim/audit/audited_svm.hpp"
#include "strads_sim/audit/plain_duals.hpp"
#include "svm/problem/payloads.hpp"
#include "svm/problem/svm.hpp"

namespace strads::simulator {

/// Keeps dual variables of its own, to which it adds what commits say. Cost: a pass over all samples at each commit.
class SvmAudit final : public sim::ModelAudit {
 public:
  SvmAudit(const std::shared_ptr<const svm::SvmData>& data, const AuditedSvm& asked);

  void begin(const Payload& problem, const std::vector<std::vector<VarId>>& slices) override;
  void judged(const PhasePlan& plan, Version version) override;
  void certified(const Certificate& certificate) override;
  void committed(const sim::AuditedCommit& commit) override;
  void ended(const RunEnd& end) override;

 private:
  /// Of one problem at a barrier.
  struct Gap {
    double primal = 0, gap = 0, relative = 0;
    bool surely = false, perhaps = false;  ///< it meets the tolerance, with rounding against it and for it
  };
  [[nodiscard]] bool automatic() const { return asked_.policy == "auto"; }
  [[nodiscard]] double near() const;
  [[nodiscard]] Gap gap_of(std::size_t problem) const;
  void expect_near(const char* what, double found, double expected, double times = 1);
  void check_plan(const PhasePlan& plan, Version version);
  void check_step(const sim::AuditedCommit& commit, const std::vector<double>& delta);
  void check_couplings(const sim::AuditedCommit& commit);
  void take_groups(std::span<const double> groups);
  void take_deltas(const sim::AuditedCommit& commit, std::span<const double> deltas);
  [[nodiscard]] bool all_there(const RunEnd& end);
  [[nodiscard]] svm::SvmSolution reported(const RunEnd& end);

  AuditedSvm asked_;
  PlainDuals plain_;
  std::vector<double> a_;  ///< by variable
  PlainDual now_;
  std::vector<double> kept_, promised_;  ///< primal objectives of the best w; infinite: none
  bool promises_ = false;                ///< no commit of this phase has changed anything yet
  std::vector<double> head_;             ///< what a commit of this phase begins with; its decrease is 0 here
  // Of the barrier that was judged last.
  PlainDual barrier_;
  std::vector<Gap> gaps_;
  bool solved_ = false;  ///< with rounding for it
  bool floor_ = false;   ///< the gap is small enough to be called rounding
  bool limit_ = false;
};

}  // namespace strads::simulator
