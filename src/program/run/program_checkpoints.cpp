// ProgramRun and its checkpoints: where a program begins or goes on, and how a deadline ends it.
#include <filesystem>
#include <memory>
#include <string>
#include <system_error>
#include <utility>

#include "program/run/run_checkpoints.hpp"
#include "strads/engine/model.hpp"
#include "strads/numerics/columns.hpp"
#include "strads/program/program.hpp"
#include "strads/program/program_run.hpp"

namespace strads {

std::string ProgramRun::checkpoint_folder() const {
  return settings_.common.out.empty() ? std::string() : settings_.common.out + "/" + kCheckpointFolder;
}

/// Hours of work are not lost because the same command was given again.
Status ProgramRun::expect_no_checkpoint() {
  std::error_code error;
  if (!std::filesystem::exists(checkpoint_folder(), error)) return {};
  if (!settings_.common.force) {
    return Status::usage("--out " + settings_.common.out +
                         " holds the checkpoint of a run that did not come to its end; --resume " +
                         settings_.common.out + " goes on with it, --force begins anew");
  }
  std::filesystem::remove_all(checkpoint_folder(), error);
  return error ? Status::input(checkpoint_folder() + ": cannot be removed: " + error.message()) : Status();
}

/// What a resumed list must have been made of.
Result<std::uint64_t> ProgramRun::fingerprint_of(RunList& list) {
  if (list.fingerprint.has_value()) return *list.fingerprint;
  STRADS_CHECK(list.runs.size() == 1, "a list of several runs says what its data are");
  RunRequest& run = list.runs.front();
  STRADS_ASSIGN_OR_RETURN(auto model, run.make_model());
  run.make_model = [made = model] { return Result(made); };
  return model->fingerprint();
}

/// Where the runs of the list begin or go on.
Status ProgramRun::take_up(RunList& list) {
  const CheckpointOptions& when = settings_.checkpoints;
  const bool resumes = !when.resume.empty();
  if (!when.wanted() && !resumes) return {};
  STRADS_ASSIGN_OR_RETURN(const auto fingerprint, fingerprint_of(list));
  const CheckpointIdentity identity{build_id(), std::string(simd_name()), command_, config_of_result_, fingerprint};
  checkpoints_ =
      std::make_unique<RunCheckpoints>(when, checkpoint_folder(), identity, config_, list.runs.size(), deadline_);
  if (when.wanted()) install_checkpoint_signal();
  if (!resumes) return {};
  STRADS_ASSIGN_OR_RETURN(resumed_, checkpoints_->take_up(log_));
  if (Status taken = take_back(list); !taken.ok()) return taken;
  const std::size_t ended = checkpoints_->resumed_ended();
  report_note(
      "resumed after " + with_unit(checkpoints_->resumed_rounds(), "round", "rounds") +
      (ended == 0 ? "" : ", " + std::to_string(ended) + " of " + with_unit(resumed_.size(), "run", "runs") + " ended") +
      "; trace.csv and times are of what comes now");
  return {};
}

/// To each run what the checkpoint says of it.
Status ProgramRun::take_back(RunList& list) {
  for (std::size_t run = 0; run < resumed_.size(); ++run) {
    list.runs[run].resumes = std::move(resumed_[run].at);
    if (!resumed_[run].ended) continue;
    if (Status taken = take_back(run, resumed_[run].end, resumed_[run].kept); !taken.ok()) {
      return Status::input(checkpoint_folder() + ": " + taken.message() + "; start a new run, without --resume");
    }
  }
  // Runs that share what a node holds are placed with the first of them that is still there.
  for (std::uint32_t run = 0; run < list.runs.size(); ++run) {
    const auto placed_as = list.runs[run].placed_as;
    if (has_ended_before(run) || !placed_as.has_value() || !has_ended_before(*placed_as)) continue;
    for (RunRequest& other : list.runs) {
      if (other.placed_as == placed_as) other.placed_as = run;
    }
  }
  return {};
}

bool ProgramRun::has_ended_before(std::size_t run) const {
  return run < resumed_.size() && resumed_[run].ended;
}

/// Exit code 3, like any limit; what an earlier run left in --out stays as it is.
Status ProgramRun::end_at_deadline() {
  report_note(checkpoints_->last_words(settings_.common.out));
  directory_.keep_log_of_failure(log_.text());
  return {StatusCode::stopped, ""};
}

}  // namespace strads
