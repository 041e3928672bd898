// Watches a simulated cluster as a serial reference of the protocol: every rule is checked at every commit.
// Layer: sim. Pure.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "engine/rounds/node.hpp"
#include "sim/audit/audit_draws.hpp"
#include "sim/audit/audit_phase.hpp"
#include "sim/audit/audit_reference.hpp"
#include "strads/engine/model.hpp"
#include "strads/engine/options.hpp"
#include "strads/engine/progress.hpp"
#include "strads/sim/model_audit.hpp"
#include "wire/messages.hpp"

namespace strads::sim {

/// What is checked. tests/sim/planted_bugs.hpp holds a bug for each, which it must catch.
enum class Rule : std::uint8_t {
  exclusive_blocks,  ///< no variable in two blocks of a round, no pair with d(j,k) above the threshold in two blocks
  ownership,         ///< a block's variables belong to the slice of scheduler t mod S; slices share out 0 ... J - 1
  pure_push,         ///< DELTAS are what push gives on replica(base), whoever computed them, however often
  commit,            ///< COMMIT t is what combine and pull give on replica(t - 1) from the round's deltas
  replica,           ///< replica(v) is the same everywhere, also in what KEPT says of it; versions never go back
  residual,          ///< what a replica derives from the data agrees with its recomputation
  objective,         ///< never rises
  fairness,          ///< schedulers take turns; every variable that may be drawn is (audit_draws.hpp)
  verdict,           ///< START and PHASE are the same for all, numbered without a gap, at the version of a barrier
  phase,             ///< phases and runs end where their limits say, after no stop that was not verified
  certificate,       ///< what is said of a barrier and of the end is true (strads/sim/model_audit.hpp)
  policy,            ///< rounds take the variables that the policy of the model says (strads/sim/model_audit.hpp)
  end                ///< who has heard the end has every commit and every verdict, and holds the final replica
};
/// "exclusive blocks", "ownership", "pure push" ...
[[nodiscard]] const char* rule_name(Rule rule);

struct AuditOptions {
  bool guarded = true;                ///< the objective may not rise; false for experiments without the line search
  bool draws = true;                  ///< audit_draws.hpp; costs one pass over the data at the start
  std::uint32_t residual_every = 1;   ///< commits between recomputations of the reference; 0: none
  double objective_rise_max = 1e-12;  ///< x F(0), a commit: sums in another order round otherwise
  double residual_drift_max = 1e-9;   ///< x the largest value: what rounding may add up to over a run
};

/// How much was looked at: for reports, and for tests that would otherwise find nothing in nothing.
struct AuditCounts {
  std::uint64_t pairs = 0;       ///< asked whether they conflict
  std::uint64_t pushes = 0;      ///< compared, repeated ones included
  std::uint64_t commits = 0;     ///< first copies
  std::uint64_t copies = 0;      ///< of commits, compared with the first
  std::uint64_t contents = 0;    ///< of nodes' replicas
  std::uint64_t recomputed = 0;  ///< copies of the reference
  std::uint64_t kept = 0;        ///< hashes of replicas that nodes said for checkpoints
  std::uint64_t certified = 0;   ///< barriers whose certificate the model's audit has seen
};

/// Executes the protocol serially beside the cluster: applies the first copy of every commit, in order, to a replica of
/// its own, computes every block and every commit again, and compares. After the first violation it looks at nothing
/// more. Cost: about that of the run on one node, plus O(size of a replica) for each node and commit.
class Auditor {
 public:
  /// `model`: for the auditor alone. `model_audit`: what knows the model's own rules; may be null.
  Auditor(std::shared_ptr<Model> model, const EngineOptions& options, const AuditOptions& audit = {},
          std::unique_ptr<ModelAudit> model_audit = nullptr);

  /// A message as its sender gave it, before any fault touches it, and before what it leads to. `sender`: nullptr for a
  /// coordinator that is apart.
  void on_sent(const wire::Envelope& envelope, const engine::Node* sender);
  /// Before on_sent(), of a node that may be new: another one that was freed may have lain at its address.
  void meet(std::uint32_t rank, const engine::Node& node);
  /// A node has handled an event, and no task that this asked for runs yet. May be called more often than that, or once
  /// for several events; then versions in between are not compared. A node that has not heard START (again) is new.
  void on_handled(std::uint32_t rank, const engine::Node& node);
  /// The run goes on elsewhere, from a checkpoint or from the beginning: what comes again must be what came before.
  /// Counted work is not compared any more: of pairs that the auditor asked a slice about the slice remembers products,
  /// and workers of some models keep for themselves what they computed before.
  void on_move() { moved_ = true; }
  /// What the coordinator tells people.
  void on_progress(const ProgressEvent& event);
  /// The coordinator has ended the run. Once, before at_end().
  void on_end(const RunEnd& end);
  /// The run is over; `finished`: by the coordinator's verdict, not by a loss. `nodes`: those whose replicas shall be
  /// read once more, by rank.
  void at_end(bool finished, const std::map<std::uint32_t, const engine::Node*>& nodes = {});

  /// The first rule that was broken: which, where, what was found, what was expected.
  [[nodiscard]] const std::optional<std::string>& violation() const noexcept { return violation_; }
  [[nodiscard]] const std::optional<Rule>& broken_rule() const noexcept { return broken_rule_; }
  [[nodiscard]] const AuditCounts& counts() const noexcept { return counts_; }
  /// Of the newest replica: a run with faults must end with that of the run without. 0 before START.
  [[nodiscard]] std::uint64_t final_hash() const { return reference_.started() ? reference_.final_hash() : 0; }
  [[nodiscard]] Version version() const noexcept { return reference_.version(); }

 private:
  /// One block. Contents go when its round is committed; hashes stay for copies that come late.
  struct BlockRecord {
    wire::Assign assign;
    std::uint64_t assign_hash = 0;
    bool answered = false;
    wire::Deltas deltas;  ///< as push of the reference gives them
    std::uint64_t deltas_hash = 0;
  };
  struct RoundRecord {
    bool committed = false;
    std::vector<BlockRecord> blocks;  ///< by index
  };
  struct CommitRecord {
    std::uint64_t header = 0;  ///< hash of all but the work and the changes, which the driver does not get
    std::uint64_t flops = 0, flops_path = 0;
    std::uint64_t changes = 0;  ///< hash
  };
  struct VerdictRecord {
    std::uint64_t hash = 0;
    std::uint8_t verdict = 0;
    Version version = -1;
    std::uint64_t kept = 0;  ///< of the replica, where the run goes on
  };
  /// What a node showed when it was last looked at.
  struct NodeRecord {
    bool seen = false;
    Version version = -1;
    std::uint32_t phases = 0;
    bool stopped = false;
  };

  void deal();
  void on(const wire::Start& start);
  void on(const wire::Phase& phase);
  [[nodiscard]] bool take_earlier_end(const wire::Commit& commit, std::uint64_t first);
  void on_earlier_end(const wire::Phase& phase);
  void on(const wire::Assign& assign, const engine::Node* sender);
  void on(const wire::Deltas& deltas);
  void on(const wire::Commit& commit, bool light, const engine::Node* sender);
  void on(const wire::Kept& kept);

  [[nodiscard]] bool cut_off(Round round) const;
  void check_turn(const wire::Assign& assign, const engine::Node* sender);
  void check_block(const wire::Assign& assign, const RoundRecord& round, const engine::Scheduler* scheduler);
  void check_pairs(const wire::Assign& assign, const RoundRecord& round, Slice& slice);
  void check_push(BlockRecord& block, const wire::Deltas& deltas);
  void check_copy(const wire::Commit& commit, bool light);
  void check_commit(const wire::Commit& commit, const AuditReference::Outcome& outcome, const RoundRecord& round);
  void take_commit(const wire::Commit& commit, const AuditReference::Outcome& outcome, RoundRecord& round);
  void check_objective(const wire::Commit& commit);
  [[nodiscard]] static AuditedCommit told_of(const wire::Commit& commit, const RoundRecord& round);
  void tell_certificate();
  void look_at_model();
  void fail(Rule rule, const std::string& where, const std::optional<AuditPhase::Wrong>& wrong);
  void check_residual(Version version);
  void check_content(std::uint32_t rank, const engine::Node& node);
  void check_last(std::uint32_t rank, const NodeRecord& record);
  void forget_rounds();

  [[nodiscard]] std::uint32_t turn_of(Round round) const {
    return static_cast<std::uint32_t>(round % static_cast<Round>(options_.schedulers));
  }
  [[nodiscard]] bool strict() const { return model_audit_ == nullptr || model_audit_->strict(); }
  [[nodiscard]] bool broken() const noexcept { return violation_.has_value(); }
  /// Keeps the first. `where`: "round 7, block 1"; `found`, `expected`: phrases.
  void fail(Rule rule, const std::string& where, const std::string& found, const std::string& expected);

  std::shared_ptr<Model> model_;
  EngineOptions options_;
  AuditOptions audit_;
  std::unique_ptr<ModelAudit> model_audit_;
  AuditReference reference_;
  AuditDraws draws_;
  AuditPhase phase_;
  std::map<std::uint32_t, Certificate> certificates_;  ///< told before their verdict was heard, by its number
  std::vector<std::vector<VarId>> slices_;
  std::vector<std::uint32_t> owner_;      ///< by variable
  std::vector<Round> block_round_;        ///< by variable: the newest round that holds it in a block
  std::vector<std::uint8_t> slice_seen_;  ///< by scheduler: its variables were compared
  std::uint64_t start_hash_ = 0;
  std::vector<VerdictRecord> verdicts_;  ///< by number
  Version barrier_ = -1;                 ///< of the phase
  bool phase_active_ = false;
  PhasePlan plan_;  ///< of the phase
  bool joint_ = false;
  std::map<Round, RoundRecord> rounds_;
  std::vector<CommitRecord> commits_;  ///< by version
  std::map<std::uint32_t, NodeRecord> nodes_;
  std::unordered_map<const engine::Node*, std::uint32_t> ranks_;  ///< for look-up only
  bool moved_ = false;
  /// Where a run ends that was to be ended after it had gone back: at a barrier that it had once gone on from, or with
  /// a commit that was not the last one before.
  std::optional<Version> earlier_end_;
  double start_objective_ = 0;
  double objective_ = 0;  ///< after the newest commit
  AuditCounts counts_;
  std::optional<std::string> violation_;
  std::optional<Rule> broken_rule_;
};

}  // namespace strads::sim
