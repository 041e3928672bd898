#include "program/run/run_checkpoints.hpp"

#include <algorithm>
#include <atomic>
#include <csignal>
#include <filesystem>
#include <memory>
#include <system_error>
#include <utility>

#include "strads/program/log.hpp"
#include "strads/program/program.hpp"
#include "strads/program/progress_printer.hpp"
#include "strads/program/result_files.hpp"
#include "strads/program/summary.hpp"

namespace strads {
namespace {

std::atomic<bool> asked_for{false};

extern "C" void on_checkpoint_signal(int) {
  asked_for = true;
}

}  // namespace

void install_checkpoint_signal() {
  struct sigaction action {};
  action.sa_handler = on_checkpoint_signal;
  action.sa_flags = SA_RESTART;
  sigemptyset(&action.sa_mask);
  sigaction(SIGUSR1, &action, nullptr);
}

bool checkpoint_requested() {
  return asked_for.exchange(false);
}

std::function<double()> seconds_from_now_on() {
  return [watch = Stopwatch()] { return watch.seconds(); };
}

RunCheckpoints::RunCheckpoints(const CheckpointOptions& when, std::string folder, CheckpointIdentity identity,
                               std::string options, std::size_t runs, std::optional<double> deadline,
                               std::function<double()> wall, std::function<double()> steady)
    : when_(when),
      folder_(std::move(folder)),
      now_{std::move(identity), std::move(options), 0, {}},
      runs_(runs),
      wall_(std::move(wall)),
      steady_(std::move(steady)) {
  since_ = steady_();
  now_.runs.resize(runs);
  if (deadline) deadline_.emplace(*deadline, runs);
}

Result<std::vector<ListedRun>> RunCheckpoints::take_up(Log& log) {
  STRADS_ASSIGN_OR_RETURN(auto found, read_checkpoint(folder_));
  for (const std::string& line : found.notes) log.warn(line);
  Checkpoint& checkpoint = found.checkpoint;
  if (Status same = expect_same(checkpoint.identity, now_.identity); !same.ok()) return same;
  if (checkpoint.runs.size() != runs_.size()) {
    return Status::input(folder_ + ": the checkpoint is one of " + std::to_string(checkpoint.runs.size()) +
                         " runs, this list has " + std::to_string(runs_.size()) +
                         "; start a new run, without --resume");
  }
  resumed_ = true;
  seconds_before_ = checkpoint.seconds_solve;
  now_.runs = std::move(checkpoint.runs);
  for (std::size_t run = 0; run < runs_.size(); ++run) {
    const ListedRun& listed = now_.runs[run];
    if (listed.ended) ++resumed_ended_;
    if (listed.at != nullptr) runs_[run].seen = runs_[run].written = listed.at->barrier.version;
  }
  resumed_rounds_ = rounds_written_ = rounds();
  log.info("resumed after round " + std::to_string(resumed_rounds_) + ", " + short_text(seconds_before_, 3) +
           " s of solving before it");
  return now_.runs;
}

void RunCheckpoints::note_begin(std::size_t run) {
  runs_[run].begun = true;
  if (deadline_) deadline_->note_begin(run, wall_());
}

bool RunCheckpoints::is_due(std::size_t run, Version version) {
  if (runs_[run].left) return false;
  runs_[run].begun = true;
  runs_[run].seen = version;
  if (deadline_) {
    const double now = wall_();
    deadline_->note_barrier(run, now);
    if (!last_ && deadline_->next_is_late(now)) {
      last_ = true;
      collect();
    }
  }
  if (!last_ && is_time()) collect();
  return collecting_ && runs_[run].owes;
}

bool RunCheckpoints::is_time() {
  std::uint64_t rounds = 0;
  for (const Run& each : runs_) rounds += static_cast<std::uint64_t>(each.seen - each.written);
  const bool by_rounds = when_.rounds > 0 && rounds >= when_.rounds;
  const bool by_time = when_.seconds > 0 && steady_() - since_ >= when_.seconds;
  // The first one tells how long they take.
  const bool before_deadline = deadline_ && written_ + failed_ == 0 && !collecting_;
  return checkpoint_requested() || by_rounds || by_time || before_deadline || again_;
}

/// A run that has not begun, or has ended, owes nothing.
void RunCheckpoints::collect() {
  collecting_ = true;
  first_is_written_ = again_ = false;
  for (std::size_t run = 0; run < runs_.size(); ++run) {
    runs_[run].owes = runs_[run].begun && !runs_[run].left && !now_.runs[run].ended;
  }
}

bool RunCheckpoints::all_handed_over() const {
  return std::ranges::none_of(runs_, &Run::owes);
}

void RunCheckpoints::write(std::size_t run, RunCheckpoint barrier, double seconds, Log& log) {
  now_.runs[run].at = std::make_shared<const RunCheckpoint>(std::move(barrier));
  runs_[run].owes = false;
  differs_ = true;
  if (last_) return;  // gives_up() writes it
  const bool all = all_handed_over();
  if (!first_is_written_ || all) write_file(seconds, log);
  first_is_written_ = true;
  collecting_ = collecting_ && !all;
}

void RunCheckpoints::note_end(std::size_t run, const RunEnd& end, KeptOfRun kept) {
  if (runs_[run].left) return;
  const bool was_waited_for = collecting_ && runs_[run].owes && differs_;
  ListedRun& listed = now_.runs[run];
  listed = {.at = nullptr, .ended = true, .end = end, .kept = std::move(kept)};
  listed.end.statuses.clear();
  runs_[run].owes = false;
  differs_ = true;
  again_ = again_ || (was_waited_for && all_handed_over());
}

void RunCheckpoints::leave(std::size_t run) {
  runs_[run].left = true;
  runs_[run].owes = false;
}

bool RunCheckpoints::gives_up(double seconds, Log& log) {
  if (!deadline_ || over_) return over_;
  const bool all = last_ && all_handed_over();
  if (!all && !deadline_->is_up(wall_())) return false;
  if (differs_) write_file(seconds, log);
  over_ = true;
  return true;
}

std::string RunCheckpoints::last_words(const std::string& out) const {
  const std::string when = "ended before --deadline " + when_.deadline + ": ";
  if (!any())
    return when + (failed_ > 0 ? "no checkpoint could be written: " + why_
                               : "no barrier came in time, so that nothing could be kept; give it more time");
  return when + "--resume " + out + " goes on after " + with_unit(rounds_written_, "round", "rounds") +
         (differs_ && failed_ > 0 ? "; a later checkpoint could not be written: " + why_ : "");
}

std::uint64_t RunCheckpoints::rounds() const {
  std::uint64_t sum = 0;
  for (const ListedRun& each : now_.runs) {
    if (each.ended) sum += each.end.totals.rounds;
    if (each.at != nullptr) sum += each.at->totals.rounds;
  }
  return sum;
}

void RunCheckpoints::write_file(double seconds, Log& log) {
  const Stopwatch watch;
  now_.seconds_solve = seconds_before_ + seconds;
  const Status done = write_checkpoint(folder_, now_);
  seconds_ += watch.seconds();
  since_ = steady_();
  for (Run& each : runs_) each.written = each.seen;
  if (deadline_) deadline_->note_writing(watch.seconds());
  const std::string after = std::to_string(rounds());
  if (done.ok()) {
    ++written_;
    differs_ = false;
    rounds_written_ = rounds();
    log.info("checkpoint after round " + after + ", written in " + short_text(watch.seconds(), 3) + " s");
    return;
  }
  ++failed_;
  why_ = done.message();
  log.warn("no checkpoint after round " + after + ", the run goes on: " + why_);
}

std::string RunCheckpoints::complaint() const {
  if (failed_ == 0) return {};
  return with_unit(failed_, "checkpoint", "checkpoints") + " could not be written (" + std::to_string(written_) +
         " could); the last reason: " + why_;
}

void RunCheckpoints::add_facts(Summary& summary) const {
  if (wanted()) {
    Summary facts;
    facts.add("written", written_);
    facts.add("failed", failed_);
    facts.add("seconds", seconds_);
    if (failed_ > 0) facts.add("last_failure", why_);
    summary.add("checkpoints", facts);
  }
  if (resumed_) {
    Summary facts;
    facts.add("after_rounds", resumed_rounds_);
    if (runs_.size() > 1) facts.add("runs_ended_before", std::uint64_t{resumed_ended_});
    facts.add("seconds_solve_before", seconds_before_);
    summary.add("resumed", facts);
  }
}

void RunCheckpoints::remove() {
  if (folder_.empty()) return;
  std::error_code stays;  // nobody needs it, and nobody is hurt by it
  std::filesystem::remove_all(folder_, stays);
}

}  // namespace strads
