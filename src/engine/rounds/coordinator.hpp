// The coordinator role: gathers READY and SLICE STATUS in slice order and lets the model's judge decide.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "engine/rounds/early.hpp"
#include "engine/rounds/effects.hpp"
#include "engine/rounds/roster.hpp"
#include "strads/engine/checkpoint.hpp"
#include "strads/engine/model.hpp"
#include "strads/engine/options.hpp"

namespace strads::engine {

/// Out of the data path: between two barriers it only counts commits, for progress and for the judge. Lives on a node,
/// which hands it the commits of its replica, or alone in a driver, which gets them without their changes.
class Coordinator {
 public:
  Coordinator(const EngineOptions& options, const Roster& roster, std::unique_ptr<Judge> judge);

  /// READY, SLICE STATUS, COMMIT, RESEND, KEPT and MEMORY, in any order and however often; others are counted and
  /// dropped. False: no process of this run sends this.
  bool on_message(const wire::Message& message, Effects& effects);
  /// Nothing has come for a while: asks again for the end if it was asked for, and, in a driver, for the commits that
  /// are missing. The schedulers repeat by themselves what they reported.
  void on_quiet(Effects& effects);
  /// Every node has taken so many verdicts: they need not be kept for RESEND.
  void forget(std::uint32_t phases);
  /// Asks all schedulers to end the run with the next commit. Certifies and stops at the barrier that follows.
  void request_finish(Effects& effects);
  /// Call before any message: what the judge is told is kept, for checkpoint(). Cost: a copy of every SLICE STATUS.
  void keep_checkpoints() { keeps_judged_ = true; }
  /// Call before any message, of one whose nodes hold the replicas: at each barrier after which the run goes on it asks
  /// who gives a checkpoint its replica. The others say what theirs hashes to. nullopt: none is made there.
  void keep_checkpoints(std::function<std::optional<std::uint32_t>(Version)> keeper) {
    keeps_judged_ = true;
    keeper_ = std::move(keeper);
  }
  /// What has come of the last checkpoint that was asked for.
  struct Gathered {
    std::uint32_t phase = 0;  ///< number of its verdict
    Version version = -1;
    std::uint32_t keeper = 0;
    std::map<std::uint32_t, std::uint64_t> hashes;  ///< of replicas, by rank
    std::set<std::uint32_t> schedulers;             ///< whose memory is here
    bool taken = false;
    RunCheckpoint checkpoint{};  ///< moved away when it is taken

    /// All but hashes of some nodes.
    [[nodiscard]] bool whole() const {
      return hashes.contains(keeper) && schedulers.size() == checkpoint.memories.size();
    }
  };
  /// nullptr: none was asked for.
  [[nodiscard]] const Gathered* gathered() const noexcept { return gathered_.has_value() ? &*gathered_ : nullptr; }
  /// REQUIRES: gathered()->whole(), !gathered()->taken.
  [[nodiscard]] RunCheckpoint take_gathered();
  /// Call before any message: the run goes on from there.
  void resume(std::shared_ptr<const RunCheckpoint> from) { resumed_ = std::move(from); }
  /// The run stands at a barrier whose verdict was to go on, and no commit of the phase after it was counted.
  /// REQUIRES: keep_checkpoints().
  [[nodiscard]] bool at_checkpoint() const noexcept { return before_verdict_.has_value(); }
  /// Its own part of one. REQUIRES: at_checkpoint().
  [[nodiscard]] RunCheckpoint checkpoint() const;
  /// From now on no verdict is made before `may_judge` says so: it is asked at each barrier, and again by reconsider().
  void wait_for(std::function<bool()> may_judge) { may_judge_ = std::move(may_judge); }
  /// Makes the verdict that waits, if one does and need not any more.
  void reconsider(Effects& effects);

  [[nodiscard]] bool ended() const noexcept { return ended_; }
  /// A verdict waits for other runs.
  [[nodiscard]] bool waits() const noexcept { return waits_; }
  /// Verdicts sent: the number of the next barrier's SLICE STATUS.
  [[nodiscard]] std::uint32_t phases() const noexcept { return barrier_number_; }
  /// The last commit counted; -1 before any.
  [[nodiscard]] Version counted() const noexcept { return counted_; }
  /// Rises whenever a message changed something here.
  [[nodiscard]] std::uint64_t progress_mark() const noexcept { return progress_mark_; }
  [[nodiscard]] std::uint64_t repeated_messages() const noexcept { return repeated_; }
  /// Messages that came again, late or wrong, commits that came again excepted.
  [[nodiscard]] std::uint64_t dropped_messages() const noexcept { return dropped_; }
  [[nodiscard]] std::uint64_t repeated_commits() const noexcept { return repeated_commits_; }
  /// Commits that were too far ahead to be kept.
  [[nodiscard]] std::uint64_t dropped_early() const noexcept { return early_.dropped(); }
  /// Verdicts kept for RESEND.
  [[nodiscard]] std::size_t verdicts_kept() const noexcept { return verdicts_.size(); }

 private:
  bool on(const wire::Ready& ready, Effects& effects);
  bool on(const wire::SliceStatus& status, Effects& effects);
  bool on(const wire::Commit& commit, Effects& effects);
  bool on(const wire::Resend& resend, Effects& effects);
  bool on(const wire::Kept& kept);
  bool on(const wire::Memory& memory);
  void begin_to_gather(std::uint32_t keeper);
  void ask_for_what_is_kept(Effects& effects);
  bool refuse();
  void begin(Effects& effects);
  void judge_again(Effects& effects);
  void announce_start(Effects& effects);
  void count(const wire::Commit& commit, Effects& effects);
  void judge_when_complete(Effects& effects);
  void keep(const RunTotals& before, const std::vector<Payload>& statuses, PhasePlan::Verdict verdict);
  void announce(const Judgement& judgement, bool verified, Effects& effects);
  void ask_to_finish(Effects& effects) const;
  void end(Status status, std::string reason, Effects& effects);
  template <class Message>
  void broadcast(const Message& message, Effects& effects) const {
    for (std::uint32_t node = 0; node < roster_.nodes; ++node) effects.send({wire::Role::node, node}, message);
  }

  EngineOptions options_;
  Roster roster_;
  std::unique_ptr<Judge> judge_;
  std::function<bool()> may_judge_;  ///< empty: always
  bool waits_ = false;
  bool keeps_judged_ = false;
  std::shared_ptr<const RunCheckpoint> resumed_;  ///< null: from the beginning
  std::size_t judged_again_ = 0;                  ///< barriers that the judge was told again
  Payload phase_again_;                           ///< the phase that followed from them
  std::vector<JudgedBarrier> judged_;             ///< all but the last one, if keeps_judged_
  /// What the last barrier was before its verdict, which was to go on; without what it reported, which is in the
  /// judge, and reported again.
  struct BeforeVerdict {
    Barrier barrier;
    RunTotals totals;
    std::vector<Payload> statuses;
  };
  std::optional<BeforeVerdict> before_verdict_;
  std::function<std::optional<std::uint32_t>(Version)> keeper_;  ///< empty: no checkpoints are gathered
  std::optional<PhasePlan> plan_;                                ///< of the phase that began last
  std::optional<Gathered> gathered_;
  wire::Phase gathering_;                   ///< the verdict that asked for it
  std::uint64_t planned_early_before_ = 0;  ///< before the run was resumed
  std::map<std::uint32_t, wire::Ready> ready_;
  std::map<std::uint32_t, wire::SliceStatus> statuses_;
  Early<Version, wire::Commit> early_;  ///< commits are counted in order: sums of doubles must not depend on arrival
  std::map<std::uint32_t, wire::Phase> verdicts_;  ///< those that a node may still lack, by number
  Version counted_ = -1;
  std::uint32_t barrier_number_ = 0;
  Barrier since_;  ///< sums over the commits since the last phase began
  RunTotals totals_;
  Certificate certificate_;
  Payload problem_;
  bool started_ = false;  ///< START was sent
  bool finish_requested_ = false;
  std::uint64_t commits_since_request_ = 0;
  bool ended_ = false;
  std::uint64_t progress_mark_ = 0;
  std::uint64_t repeated_ = 0;
  std::uint64_t dropped_ = 0;
  std::uint64_t repeated_commits_ = 0;
};

}  // namespace strads::engine
