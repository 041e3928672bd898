#include "sim/audit/audit_phase.hpp"

#include <algorithm>

#include "strads/engine/model.hpp"

namespace strads::sim {

std::optional<AuditPhase::Wrong> AuditPhase::on(const wire::Phase& phase, bool guarded) {
  const auto verdict = static_cast<PhasePlan::Verdict>(phase.verdict);
  if (active_ && phase.version != last_)
    return Wrong{"a verdict at version " + std::to_string(phase.version),
                 "one at version " + std::to_string(last_) + ", the last of its phase"};
  const bool was_verified = judged_ && verifying_;
  if (verdict == PhasePlan::Verdict::stop && guarded && !was_verified)
    return Wrong{"a verdict to stop", "one to verify before it: the replica was not recomputed from the data"};
  if (verdict == PhasePlan::Verdict::go_on && ends_run_)
    return Wrong{"a verdict to go on", "one to verify or to stop after the commit that ended the run"};
  judged_ = true;
  verifying_ = verdict == PhasePlan::Verdict::verify;
  active_ = verdict == PhasePlan::Verdict::go_on;
  if (!active_) return std::nullopt;
  if (phase.blocks_max < 1 || phase.blocks_max > options_.workers)
    return Wrong{std::to_string(phase.blocks_max) + " blocks a round",
                 "1 to " + std::to_string(options_.workers) + ", one for each worker at most"};
  blocks_max_ = phase.blocks_max;
  constexpr std::uint64_t kFar = std::uint64_t{1} << 62;
  const std::uint64_t rounds = phase.rounds_max < 1 ? 1 : phase.rounds_max;
  last_ = phase.version + static_cast<Version>(rounds > kFar ? kFar : rounds);
  updates_ = 0;
  updates_max_ = phase.updates_max;
  return std::nullopt;
}

std::optional<AuditPhase::Wrong> AuditPhase::on_assign(const wire::Assign& assign) const {
  // What a limit has cut off may have been sent before anybody heard of it.
  if (assign.round > last_ && !ends_run_)
    return Wrong{"a block of a phase that has ended", "none after round " + std::to_string(last_)};
  return std::nullopt;
}

std::optional<AuditPhase::Wrong> AuditPhase::on(const wire::Commit& commit, bool strict) {
  if (!active_ || commit.version > last_)
    return Wrong{"a commit of a phase that has ended", "none after version " + std::to_string(last_)};
  const std::uint32_t most = blocks_max_ + (strict ? 0 : 1);
  if (commit.blocks > most)
    return Wrong{std::to_string(commit.blocks) + " blocks", std::to_string(most) + " at most, says PHASE"};
  if (auto wrong = check_limit(commit)) return wrong;
  updates_ += commit.updates;
  const bool enough = updates_max_ != 0 && updates_ >= updates_max_;
  // The rounds that may have been sent before this commit was heard of are still committed.
  const Version in_flight = commit.version + static_cast<Version>(options_.depth) - 1;
  if ((enough || commit.ends_phase != 0) && in_flight < last_) last_ = in_flight;
  if (commit.last != 0) {
    ends_run_ = true;
    last_ = commit.version;
  }
  return std::nullopt;
}

std::optional<AuditPhase::Wrong> AuditPhase::check_limit(const wire::Commit& commit) const {
  const std::uint64_t rounds = static_cast<std::uint64_t>(commit.version) + 1;
  const bool at_limit = options_.rounds_max != 0 && rounds >= options_.rounds_max;
  if (at_limit && commit.last == 0)
    return Wrong{"round number " + std::to_string(rounds) + ", which does not end the run",
                 "the end after " + std::to_string(options_.rounds_max) + " rounds"};
  if (!at_limit && commit.last != 0 && !asked_to_finish_)
    return Wrong{"round number " + std::to_string(rounds) + ", which ends the run",
                 "no end before round number " + std::to_string(options_.rounds_max) + ": nobody asked for one"};
  return std::nullopt;
}

}  // namespace strads::sim
