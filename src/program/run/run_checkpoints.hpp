// The checkpoints of one run: when they are due, that they are written, and what became of them. Layer: program.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "strads/engine/checkpoint.hpp"
#include "strads/program/checkpoint_file.hpp"
#include "strads/program/program_run.hpp"

namespace strads {

/// Of a run that may be resumed, in the folder kCheckpointFolder of its --out.
class RunCheckpoints {
 public:
  /// `folder`: "": none are made. `identity`: of the run; `options`: all of them.
  RunCheckpoints(CheckpointOptions when, std::string folder, CheckpointIdentity identity, std::string options);

  [[nodiscard]] bool wanted() const { return !folder_.empty() && when_.wanted(); }
  /// The checkpoint to go on from, once it is sure that it is one of this run. Errors: of read_checkpoint() and
  /// expect_same().
  [[nodiscard]] Result<std::shared_ptr<const RunCheckpoint>> take_up(Log& log);
  /// Seconds and rounds since the last one, or SIGUSR1. `version`: of the last commit.
  [[nodiscard]] bool is_due(Version version);
  /// `seconds`: of solving until now, in this process. A failure is kept for the end: the run goes on.
  void write(RunCheckpoint run, double seconds, Log& log);
  /// What a user has to be told at the end; "": nothing.
  [[nodiscard]] std::string complaint() const;
  /// "checkpoints" and "resumed" of summary.json, where there is something to say.
  void add_facts(Summary& summary) const;
  /// The run has come to its end: nobody needs them any more.
  void remove();
  [[nodiscard]] bool any() const { return written_ > 0 || resumed_; }

 private:
  CheckpointOptions when_;
  std::string folder_;
  CheckpointIdentity identity_;
  std::string options_;
  bool resumed_ = false;
  std::uint64_t resumed_rounds_ = 0;
  double seconds_before_ = 0;  ///< of solving, before the run was resumed
  Version last_ = -1;          ///< version of the last one
  Stopwatch since_;            ///< the last one
  std::uint64_t written_ = 0, failed_ = 0;
  double seconds_ = 0;  ///< spent on writing
  std::string why_;     ///< the last one failed
};

/// From now on SIGUSR1 asks for a checkpoint.
void install_checkpoint_signal();
/// Whether SIGUSR1 came since this was last asked.
[[nodiscard]] bool checkpoint_requested();

}  // namespace strads
