// One node's copy of the model state: applies commits in order, keeps the versions that tasks may still read.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>

#include "engine/rounds/early.hpp"
#include "engine/rounds/effects.hpp"
#include "strads/engine/model.hpp"
#include "wire/messages.hpp"

namespace strads::engine {

/// replica(v) is a pure function of the data, the start and commits 0..v.
class Replica {
 public:
  /// Called inside a handler after commit v was applied.
  using Advanced = std::function<void(const wire::Commit&, Effects&)>;

  Replica(const Model& model, std::uint32_t depth, Advanced advanced);

  /// Makes replica(-1). REQUIRES: Model::begin was called.
  void start();
  /// Instead of start(): the replica of a checkpoint. REQUIRES: Model::begin was called.
  void start_from(std::unique_ptr<State> state, Version version) {
    current_ = std::move(state);
    version_ = version;
  }
  [[nodiscard]] bool started() const noexcept { return current_ != nullptr; }

  /// A commit may come early (it waits) or again (it is counted and dropped).
  void on_commit(const wire::Commit& commit, Effects& effects);
  /// Between two phases no commit is applied: those of the next phase may arrive before its PHASE does, and wait.
  void pause() { paused_ = true; }
  [[nodiscard]] bool paused() const noexcept { return paused_; }
  void resume(Effects& effects);

  /// Rebuilds the state from the data; `done` runs in a handler afterwards. REQUIRES: nothing in flight (a barrier).
  void recompute(std::function<void(Effects&)> done, Effects& effects);

  [[nodiscard]] Version version() const noexcept { return version_; }
  /// The newest commit that is here, applied or not: a scheduler commits a round after it has applied all before, so
  /// that up to here all are committed.
  [[nodiscard]] Version newest() const {
    if (!early_.empty()) return early_.last();
    return applying_ ? version_ + 1 : version_;
  }
  [[nodiscard]] const std::shared_ptr<State>& current() const noexcept { return current_; }
  /// replica(v), or nullptr if v is not here yet or not kept any more. The D newest versions are kept (at D = 1 none
  /// while the next commit is folded into it in place).
  [[nodiscard]] std::shared_ptr<const State> at(Version v) const;

  /// A scheduler of this node has combined round t already: apply need not do it again.
  void offer_direction(Round t, std::shared_ptr<const Direction> direction) { directions_[t] = std::move(direction); }

  [[nodiscard]] std::uint64_t repeated_commits() const noexcept { return repeated_commits_; }
  /// Commits that were too far ahead to be kept.
  [[nodiscard]] std::uint64_t dropped_early() const noexcept { return early_.dropped(); }
  /// Bytes of the commits that came and were not here, as on the wire.
  [[nodiscard]] std::uint64_t bytes_taken() const noexcept { return bytes_taken_; }
  /// Rises whenever a commit came that was not here, or was applied.
  [[nodiscard]] std::uint64_t progress_mark() const noexcept { return progress_mark_; }

 private:
  void apply_next(Effects& effects);
  [[nodiscard]] std::shared_ptr<State> state_to_change();
  void finish(const std::shared_ptr<State>& next, const wire::Commit& commit, Effects& effects);

  const Model& model_;
  std::uint32_t depth_;
  Advanced advanced_;
  Version version_ = -1;
  bool applying_ = false;
  bool in_place_ = false;  ///< current_ is being changed by a task
  bool paused_ = true;
  std::shared_ptr<State> current_;
  std::map<Version, std::shared_ptr<State>> older_;  ///< versions version_ - D + 1 ... version_ - 1
  Early<Version, wire::Commit> early_;
  std::map<Round, std::shared_ptr<const Direction>> directions_;
  std::uint64_t repeated_commits_ = 0;
  std::uint64_t bytes_taken_ = 0;
  std::uint64_t progress_mark_ = 0;
};

}  // namespace strads::engine
