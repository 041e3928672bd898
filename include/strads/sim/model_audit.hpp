// What watches a simulated run with a model's own rules: certificates, limits and policies, computed a second time.
// Layer: sim. Pure.
//
// The auditor (src/sim/audit/auditor.hpp) checks the protocol with the model's own functions, so that a mistake in one
// of them is a mistake in both. A model's audit is written beside the model and shares no arithmetic with it: plain
// columns, plain doubles, sums of its own. It knows the model's payloads, and nothing else of it.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "strads/base/payload.hpp"
#include "strads/base/types.hpp"
#include "strads/engine/phase.hpp"

namespace strads {
struct RunEnd;  // strads/engine/progress.hpp
}  // namespace strads

namespace strads::sim {

/// What is wrong, as the auditor reports it.
struct AuditFinding {
  enum class About : std::uint8_t {
    certificate,  ///< objective, gap, what is said of the end
    policy        ///< which variables a round takes, in which blocks; what a phase is told
  };
  About about = About::certificate;
  std::string where, found, expected;  ///< "commit 7", then phrases
};

/// A round that was committed.
struct AuditedCommit {
  Version version = -1;
  std::uint32_t scheduler = 0;
  std::vector<std::vector<VarId>> blocks;  ///< variables of each, in the order of their numbers
  double step = 1;
  double objective = 0;
  double realised = 0;
  bool ends_phase = false;  ///< said by the slice
  bool last = false;        ///< a limit ends the run
  const Payload* changes = nullptr;
};

/// One run. Called in the order of the protocol, each of its messages once, whatever was lost or came twice.
class ModelAudit {
 public:
  virtual ~ModelAudit() = default;

  /// False: of this model the protocol's own rules ask less. The objective may rise by the rounding of floats; a
  /// replica that is recomputed may be another one (the best so far); a block that is computed once more after its
  /// commit may come out otherwise, since nobody waits for it; counts of work may depend on what a worker remembers.
  /// Blocks of a round may have the same name (parts of what is too much for one worker), and there may be P + 1 of
  /// them.
  [[nodiscard]] virtual bool strict() const { return true; }

  /// START. `slices`: as the auditor has dealt them.
  virtual void begin(const Payload& problem, const std::vector<std::vector<VarId>>& slices) = 0;
  /// PHASE: the verdict of the barrier at `version`.
  virtual void judged(const PhasePlan& plan, Version version) = 0;
  /// What the coordinator tells people of the barrier that was judged last.
  virtual void certified(const Certificate& certificate) = 0;
  virtual void committed(const AuditedCommit& commit) = 0;
  /// The coordinator was asked to end the run: from here on any barrier may be the last one, as at a limit.
  void asked_to_finish() { asked_to_finish_ = true; }
  /// The coordinator has ended the run after a verdict to stop.
  virtual void ended(const RunEnd& end) = 0;

  /// The first thing that was wrong.
  [[nodiscard]] const std::optional<AuditFinding>& finding() const noexcept { return finding_; }

 protected:
  [[nodiscard]] bool finishes() const noexcept { return asked_to_finish_; }
  void fail(AuditFinding finding) {
    if (!finding_.has_value()) finding_ = std::move(finding);
  }
  /// At the place where the audit is.
  void expect(AuditFinding::About about, bool right, const std::string& found, const std::string& expected) {
    if (!right) fail({about, where_, found, expected});
  }

  std::string where_ = "START";  ///< what a finding is about: "commit 7"

 private:
  std::optional<AuditFinding> finding_;
  bool asked_to_finish_ = false;
};

}  // namespace strads::sim
