// A node's worker: computes blocks on the version that they name and reports deltas. It owns no variables.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <vector>

#include "engine/rounds/early.hpp"
#include "engine/rounds/effects.hpp"
#include "engine/rounds/replica.hpp"
#include "strads/engine/model.hpp"
#include "strads/engine/options.hpp"

namespace strads::engine {

/// Serves every worker role that is dealt to its node, now or later: a block is known by its name, and any node gives
/// the same answer.
class Worker {
 public:
  Worker(const EngineOptions& options, const Model& model, const Replica& replica);

  /// An assignment may come before its base version or its phase is here (it waits); again while it waits or is
  /// computed (it is counted and dropped: the answer is on its way); again after the answer (which is sent again, since
  /// it may have been lost); or when its round is committed (it is counted and dropped: nobody waits for the answer).
  /// False: no scheduler of this run can have sent it.
  bool on_assign(const wire::Assign& assign, Effects& effects);
  /// A round was committed: its answers have arrived and are counted. What a limit cuts off is not.
  void note_committed(Version version);
  /// The replica has a new version, or a phase has begun.
  void on_advanced(Effects& effects);

  [[nodiscard]] std::uint64_t repeated_assigns() const noexcept { return repeated_assigns_; }
  [[nodiscard]] std::uint64_t stale_assigns() const noexcept { return stale_assigns_; }
  /// Assignments that no scheduler of this run can have sent.
  [[nodiscard]] std::uint64_t wrong_assigns() const noexcept { return wrong_assigns_; }
  /// Assignments that were too far ahead to be kept.
  [[nodiscard]] std::uint64_t dropped_early() const noexcept { return waiting_.dropped(); }
  [[nodiscard]] std::uint64_t repeated_answers() const noexcept { return repeated_answers_; }
  [[nodiscard]] std::uint64_t blocks_computed() const noexcept { return blocks_computed_; }
  [[nodiscard]] std::uint64_t updates_computed() const noexcept { return updates_computed_; }
  /// Answers kept because their rounds are not committed yet.
  [[nodiscard]] std::size_t answers_kept() const noexcept { return answers_.size(); }
  /// Rises whenever a message or the end of a task changed something here.
  [[nodiscard]] std::uint64_t progress_mark() const noexcept { return progress_mark_; }

 private:
  [[nodiscard]] bool possible(const wire::Assign& assign) const;
  [[nodiscard]] bool ready_for(const wire::Assign& assign) const;
  void compute(const wire::Assign& assign, Effects& effects);
  void on_computed(BlockId name, Push result, Effects& effects);
  void answer(const wire::Deltas& deltas, Effects& effects) const;

  EngineOptions options_;
  const Model& model_;
  const Replica& replica_;
  Early<BlockId, wire::Assign> waiting_;
  std::set<BlockId> computing_;
  std::map<BlockId, wire::Deltas> answers_;  ///< sent, of rounds that are not committed
  std::uint64_t repeated_assigns_ = 0;
  std::uint64_t stale_assigns_ = 0;
  std::uint64_t wrong_assigns_ = 0;
  std::uint64_t repeated_answers_ = 0;
  std::uint64_t blocks_computed_ = 0;
  std::uint64_t updates_computed_ = 0;
  std::uint64_t progress_mark_ = 0;
};

}  // namespace strads::engine
