#include "program/run/run_checkpoints.hpp"

#include <atomic>
#include <csignal>
#include <filesystem>
#include <system_error>
#include <utility>

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

RunCheckpoints::RunCheckpoints(CheckpointOptions when, std::string folder, CheckpointIdentity identity,
                               std::string options)
    : when_(std::move(when)),
      folder_(std::move(folder)),
      identity_(std::move(identity)),
      options_(std::move(options)) {}

Result<std::shared_ptr<const RunCheckpoint>> RunCheckpoints::take_up(Log& log) {
  auto found = read_checkpoint(folder_);
  if (!found.ok()) return found.status();
  for (const std::string& line : found.value().notes) log.warn(line);
  Checkpoint& checkpoint = found.value().checkpoint;
  if (Status same = expect_same(checkpoint.identity, identity_); !same.ok()) return same;
  resumed_ = true;
  resumed_rounds_ = checkpoint.run.totals.rounds;
  seconds_before_ = checkpoint.seconds_solve;
  last_ = checkpoint.run.barrier.version;
  log.info("resumed after round " + std::to_string(resumed_rounds_) + ", " + short_text(seconds_before_, 3) +
           " s of solving before it");
  return std::shared_ptr<const RunCheckpoint>(std::make_shared<RunCheckpoint>(std::move(checkpoint.run)));
}

bool RunCheckpoints::is_due(Version version) {
  if (version == last_) return false;
  const auto rounds = static_cast<std::uint64_t>(version - last_);
  const bool by_rounds = when_.rounds > 0 && rounds >= when_.rounds;
  const bool by_time = when_.seconds > 0 && since_.seconds() >= when_.seconds;
  return checkpoint_requested() || by_rounds || by_time;
}

void RunCheckpoints::write(RunCheckpoint run, double seconds, Log& log) {
  const Stopwatch watch;
  last_ = run.barrier.version;
  const std::uint64_t rounds = run.totals.rounds;
  const Checkpoint checkpoint{identity_, options_, seconds_before_ + seconds, std::move(run)};
  const Status done = write_checkpoint(folder_, checkpoint);
  seconds_ += watch.seconds();
  since_ = Stopwatch();
  if (done.ok()) {
    ++written_;
    log.info("checkpoint after round " + std::to_string(rounds) + ", written in " + short_text(watch.seconds(), 3) +
             " s");
    return;
  }
  ++failed_;
  why_ = done.message();
  log.warn("no checkpoint after round " + std::to_string(rounds) + ", the run goes on: " + why_);
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
