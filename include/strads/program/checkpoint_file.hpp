// Checkpoints on the disk, from which an interrupted run, or a list of runs, goes on. Layer: program.
//
// They lie in one folder as checkpoint-0.bin and checkpoint-1.bin, written in turn: a write that does not come to its
// end, and a file that is damaged later, cost the work since the one before.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "strads/base/payload.hpp"
#include "strads/base/status.hpp"
#include "strads/engine/checkpoint.hpp"
#include "strads/engine/progress.hpp"

namespace strads {

/// The folder of a run's checkpoints, in its --out DIR.
inline constexpr const char* kCheckpointFolder = ".checkpoint";

/// What must be the same for a run to go on from a checkpoint with the same bits.
struct CheckpointIdentity {
  std::string build;              ///< build_id()
  std::string simd;               ///< target of the kernels: "avx2"
  std::string command;            ///< "lasso fit"
  std::string config;             ///< the options that fix the result: OptionTable::config(left_out)
  std::uint64_t fingerprint = 0;  ///< of the data: Model::fingerprint()
};

/// What a command took from a run that has ended, in an order of its own: enough to need nothing of that run again.
struct KeptOfRun {
  std::vector<Payload> numbers;
  std::vector<std::string> texts;
};

/// One run of a list, as a checkpoint has it.
struct ListedRun {
  enum class Stage : std::uint8_t { not_begun, going_on, ended };

  std::shared_ptr<const RunCheckpoint> at = {};  ///< its newest barrier; null: it begins anew, or has ended
  bool ended = false;                            ///< in order, so that it is not computed again
  RunEnd end = {};                               ///< if it has: without statuses
  KeptOfRun kept = {};                           ///< if it has

  [[nodiscard]] Stage stage() const {
    if (ended) return Stage::ended;
    return at == nullptr ? Stage::not_begun : Stage::going_on;
  }
};

struct Checkpoint {
  CheckpointIdentity identity;
  std::string options;          ///< all options, as a config file's text: what --resume starts from
  double seconds_solve = 0;     ///< the runs had been solved for so long
  std::vector<ListedRun> runs;  ///< by their place in the list; of a program that has one, one
};

/// Writes into `folder`, which is made where needed. When it returns ok, the checkpoint is on the disk; whenever it is
/// cut off or fails, what was there before is still there. The newest and the one before are kept; a damaged file is
/// the first to be replaced. REQUIRES: one writer at a time. Errors: input, with the path and the system's reason.
/// Cost: both files are read once, to know that they are whole; one copy of the checkpoint in memory.
[[nodiscard]] Status write_checkpoint(const std::string& folder, const Checkpoint& checkpoint);

struct FoundCheckpoint {
  Checkpoint checkpoint;
  std::vector<std::string> notes;  ///< a sentence for each file that is not whole and was passed over
};
/// The newest that is whole: no byte of it is interpreted before its checksum was found right. Errors: input: there is
/// none; none is whole, with what is wrong with each; the newest was written by another build of the program, of which
/// nothing is interpreted either.
[[nodiscard]] Result<FoundCheckpoint> read_checkpoint(const std::string& folder);

/// Whether a run that is `wanted` may go on from a checkpoint that was `found`. Errors, with the first difference, both
/// values and what to do: input: another build, other data; usage: another command, kernel target or option (comments
/// and the order of lines do not count).
[[nodiscard]] Status expect_same(const CheckpointIdentity& found, const CheckpointIdentity& wanted);

}  // namespace strads
