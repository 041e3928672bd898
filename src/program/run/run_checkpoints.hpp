// The checkpoints of a run, or of a list of runs: when they are due, that they are written, and what became of them.
// Layer: program.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "program/process/deadline.hpp"
#include "strads/engine/checkpoint.hpp"
#include "strads/program/checkpoint_file.hpp"
#include "strads/program/log.hpp"
#include "strads/program/program_run.hpp"
#include "strads/program/result_files.hpp"
#include "strads/program/summary.hpp"

namespace strads {

/// Gives the seconds since this call, on a clock that nobody sets.
[[nodiscard]] std::function<double()> seconds_from_now_on();

/// In the folder kCheckpointFolder of a program's --out. One file holds all runs of the list: of each the newest
/// barrier that it handed over, or what it came to. `run` is always a place in the list. Whoever carries the runs out
/// asks is_due() at each barrier after which a run goes on, and where it says so hands the barrier over with write().
///
/// When the time has come, every run that goes on is asked once. The file is written when the first of them has handed
/// its barrier over, since others may be far from theirs, and again when the last one has.
class RunCheckpoints {
 public:
  /// `folder`: "": none are made. `identity`: of the runs; `options`: all of them. `deadline`: of CheckpointOptions, on
  /// the clock `wall`. `steady`: seconds that nobody sets.
  RunCheckpoints(const CheckpointOptions& when, std::string folder, CheckpointIdentity identity, std::string options,
                 std::size_t runs, std::optional<double> deadline = {}, std::function<double()> wall = wall_seconds,
                 std::function<double()> steady = seconds_from_now_on());

  [[nodiscard]] bool wanted() const { return !folder_.empty() && when_.wanted(); }
  /// What each run of the list is in the checkpoint to go on from, once it is sure that it is one of this list. Errors:
  /// of read_checkpoint() and expect_same(); input: another number of runs.
  [[nodiscard]] Result<std::vector<ListedRun>> take_up(Log& log);

  /// The run computes from now on.
  void note_begin(std::size_t run);
  /// Seconds and rounds of all runs since the last checkpoint, SIGUSR1, or the deadline. `version`: of the last commit.
  [[nodiscard]] bool is_due(std::size_t run, Version version);
  /// `seconds`: of solving until now, in this process. A failure is kept for the end: the run goes on.
  void write(std::size_t run, RunCheckpoint barrier, double seconds, Log& log);
  /// The run has ended in order. `kept`: what its command needs of it.
  void note_end(std::size_t run, const RunEnd& end, KeptOfRun kept);
  /// What becomes of the run from now on is not to be gone on from, since it was cut off, or waited for one that was:
  /// its newest barrier stays what it is, is_due() says no, and its end counts for nothing.
  void leave(std::size_t run);

  /// Asked whenever something has happened: whether all runs are to be given up, since the deadline is near and what
  /// can be kept was written.
  [[nodiscard]] bool gives_up(double seconds, Log& log);
  [[nodiscard]] bool gave_up() const { return over_; }
  /// What the deadline led to, for people. REQUIRES: gave_up().
  [[nodiscard]] std::string last_words(const std::string& out) const;

  /// What a user has to be told at the end; "": nothing.
  [[nodiscard]] std::string complaint() const;
  /// "checkpoints" and "resumed" of summary.json, where there is something to say.
  void add_facts(Summary& summary) const;
  /// Everything has come to its end: nobody needs them any more.
  void remove();
  /// There is one on the disk.
  [[nodiscard]] bool any() const { return written_ > 0 || resumed_; }
  /// Rounds and runs that need not be computed again: of the one that was taken up.
  [[nodiscard]] std::uint64_t resumed_rounds() const { return resumed_rounds_; }
  [[nodiscard]] std::size_t resumed_ended() const { return resumed_ended_; }

 private:
  /// What is known of a run besides what the file has of it.
  struct Run {
    bool begun = false;
    bool left = false;
    bool owes = false;  ///< its barrier, to the checkpoint that is being collected
    Version seen = -1;  ///< the last barrier
    Version written = -1;
  };
  [[nodiscard]] bool is_time();
  void collect();
  [[nodiscard]] bool all_handed_over() const;
  [[nodiscard]] std::uint64_t rounds() const;
  void write_file(double seconds, Log& log);

  CheckpointOptions when_;
  std::string folder_;
  Checkpoint now_;         ///< what the next file will hold
  std::vector<Run> runs_;  ///< by their place in the list
  bool collecting_ = false, first_is_written_ = false;
  bool differs_ = false;  ///< now_ from the file
  bool again_ = false;    ///< the run that a file was to wait for has ended: it is owed at the next barrier
  bool resumed_ = false;
  std::uint64_t resumed_rounds_ = 0;
  std::size_t resumed_ended_ = 0;
  double seconds_before_ = 0;  ///< of solving, before the runs were resumed
  double since_ = 0;           ///< on the clock `steady`: the last one
  std::optional<Deadline> deadline_;
  std::function<double()> wall_, steady_;
  bool last_ = false;  ///< the deadline is near: the checkpoint that is being collected is the last one
  bool over_ = false;
  std::uint64_t written_ = 0, failed_ = 0;
  std::uint64_t rounds_written_ = 0;  ///< in the newest file
  double seconds_ = 0;                ///< spent on writing
  std::string why_;                   ///< the last one failed
};

/// From now on SIGUSR1 asks for a checkpoint.
void install_checkpoint_signal();
/// Whether SIGUSR1 came since this was last asked.
[[nodiscard]] bool checkpoint_requested();

}  // namespace strads
