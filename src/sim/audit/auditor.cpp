#include "sim/audit/auditor.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "engine/rounds/scheduler.hpp"
#include "sim/audit/audit_deal.hpp"
#include "sim/audit/audit_hashes.hpp"
#include "sim/audit/audit_text.hpp"

namespace strads::sim {

namespace {

/// Rounds whose hashes are kept: a message that is repeated later than this is not looked at.
constexpr std::size_t kRoundsKept = 4096;
constexpr Round kNoRound = -1;

std::string commit_text(Version version) {
  return "commit " + std::to_string(version);
}

std::string node_text(std::uint32_t rank, Version version) {
  return "node " + std::to_string(rank) + " at version " + std::to_string(version);
}

}  // namespace

const char* rule_name(Rule rule) {
  static constexpr const char* kNames[] = {"exclusive blocks", "ownership", "pure push", "commit",  "replica",
                                           "residual",         "objective", "fairness",  "verdict", "phase",
                                           "certificate",      "policy",    "end"};
  return kNames[static_cast<std::size_t>(rule)];
}

Auditor::Auditor(std::shared_ptr<Model> model, const EngineOptions& options, const AuditOptions& audit,
                 std::unique_ptr<ModelAudit> model_audit)
    : model_(std::move(model)),
      options_(options),
      audit_(audit),
      model_audit_(std::move(model_audit)),
      reference_(model_, options.depth),
      phase_(options) {
  deal();
}

void Auditor::deal() {
  const auto [count, stripe] = model_->shape();
  slices_ = expected_slices(options_.seed, count, options_.schedulers, stripe);
  model_->place({slices_, options_.workers, {}});
  constexpr std::uint32_t kNobody = ~std::uint32_t{0};
  owner_.assign(count, kNobody);
  block_round_.assign(count, kNoRound);
  slice_seen_.assign(options_.schedulers, 0);
  for (std::uint32_t s = 0; s < slices_.size(); ++s) {
    for (const VarId j : slices_[s]) {
      if (j >= count || owner_[j] != kNobody)
        return fail(Rule::ownership, "slice " + std::to_string(s),
                    "variable " + std::to_string(j) + ", which another slice has or nobody could",
                    "slices that share out the variables below " + std::to_string(count));
      owner_[j] = s;
    }
  }
  const auto nobody = std::find(owner_.begin(), owner_.end(), kNobody);
  if (nobody != owner_.end())
    fail(Rule::ownership, "the slices", "variable " + std::to_string(nobody - owner_.begin()) + " in none",
         "every variable in one of them");
}

void Auditor::fail(Rule rule, const std::string& where, const std::string& found, const std::string& expected) {
  if (broken()) return;
  broken_rule_ = rule;
  violation_ = "rule \"" + std::string(rule_name(rule)) + "\" is broken: " + where + ": found " + found +
               ", expected " + expected;
}

void Auditor::fail(Rule rule, const std::string& where, const std::optional<AuditPhase::Wrong>& wrong) {
  if (wrong.has_value()) fail(rule, where, wrong->found, wrong->expected);
}

/// The model's own rules, after its audit was told something.
void Auditor::look_at_model() {
  const auto& finding = model_audit_->finding();
  if (!finding.has_value()) return;
  const bool of_policy = finding->about == AuditFinding::About::policy;
  fail(of_policy ? Rule::policy : Rule::certificate, finding->where, finding->found, finding->expected);
}

void Auditor::on_sent(const wire::Envelope& envelope, const engine::Node* sender) {
  if (broken()) return;
  const wire::Message& message = envelope.message;
  if (const auto* start = std::get_if<wire::Start>(&message)) return on(*start);
  if (std::holds_alternative<wire::Finish>(message)) {
    phase_.on_finish();
    if (model_audit_ != nullptr) model_audit_->asked_to_finish();
    return;
  }
  if (!reference_.started()) return;  // READY, and requests before the start
  // What a node says may follow from a replica that nobody has looked at yet.
  if (const auto known = ranks_.find(sender); known != ranks_.end()) on_handled(known->second, *sender);
  if (broken()) return;
  if (earlier_end_.has_value() && !std::holds_alternative<wire::Phase>(message)) {
    const auto* commit = std::get_if<wire::Commit>(&message);  // it may go back once more, and end earlier still
    if (commit != nullptr && commit->version >= 0 && commit->version < *earlier_end_)
      (void)take_earlier_end(*commit, commits_[static_cast<std::size_t>(commit->version)].header);
    return;
  }
  if (const auto* assign = std::get_if<wire::Assign>(&message)) return on(*assign, sender);
  if (const auto* deltas = std::get_if<wire::Deltas>(&message)) return on(*deltas);
  if (const auto* phase = std::get_if<wire::Phase>(&message)) return on(*phase);
  if (const auto* kept = std::get_if<wire::Kept>(&message)) return on(*kept);
  if (const auto* commit = std::get_if<wire::Commit>(&message)) {
    on(*commit, envelope.to.role == wire::Role::coordinator, sender);
  }
}

void Auditor::on(const wire::Start& start) {
  const std::uint64_t hash = hash_of(start.problem);
  if (reference_.started()) {
    if (hash != start_hash_) fail(Rule::verdict, "START", "another problem than before", "the same for every node");
    return;
  }
  start_hash_ = hash;
  if (audit_.draws) {
    draws_.begin(*model_, slices_, start.problem);
  } else {
    model_->begin(start.problem);
  }
  reference_.start();
  start_objective_ = objective_ = reference_.objective();
  if (model_audit_ == nullptr) return;
  model_audit_->begin(start.problem, slices_);
  look_at_model();
}

/// The end was asked for when the run had gone back, since those that were left had to leave: a round that is done
/// again is the last one this time.
bool Auditor::take_earlier_end(const wire::Commit& commit, std::uint64_t first) {
  if (!moved_ || !phase_.asked_to_finish() || commit.last == 0) return false;
  wire::Commit as_before = commit;
  as_before.last = 0;
  if (hash_of_header(as_before) != first) return false;
  while (!verdicts_.empty() && verdicts_.back().version >= commit.version) verdicts_.pop_back();
  earlier_end_ = commit.version;
  return true;
}

/// The reference has gone further than the run: from here on only the verdicts and where nodes stop are looked at.
void Auditor::on_earlier_end(const wire::Phase& phase) {
  const std::string where = "PHASE " + std::to_string(phase.phase);
  constexpr auto kGoOn = static_cast<std::uint8_t>(PhasePlan::Verdict::go_on);
  if (phase.phase != verdicts_.size() || phase.version != *earlier_end_ || phase.verdict == kGoOn)
    return fail(Rule::verdict, where,
                "number " + std::to_string(phase.phase) + ", version " + std::to_string(phase.version),
                "an end at version " + std::to_string(*earlier_end_) + ", as was asked for");
  verdicts_.push_back({hash_of(phase), phase.verdict, phase.version, 0});
}

void Auditor::on(const wire::Phase& phase) {
  const std::string where = "PHASE " + std::to_string(phase.phase);
  const std::uint64_t hash = hash_of(phase);
  if (phase.phase < verdicts_.size()) {
    if (hash == verdicts_[phase.phase].hash) return;
    // The same at the barrier where it stands.
    constexpr auto kGoOn = static_cast<std::uint8_t>(PhasePlan::Verdict::go_on);
    const VerdictRecord& before = verdicts_[phase.phase];
    if (!moved_ || !phase_.asked_to_finish() || phase.verdict == kGoOn || before.verdict != kGoOn ||
        before.version != phase.version)
      return fail(Rule::verdict, where, "another verdict than before", "the same for every node");
    verdicts_.resize(phase.phase);
    earlier_end_ = phase.version;
  }
  if (earlier_end_.has_value()) return on_earlier_end(phase);
  if (phase.phase != verdicts_.size() || phase.version != reference_.version())
    return fail(Rule::verdict, where,
                "number " + std::to_string(phase.phase) + " at version " + std::to_string(phase.version),
                "number " + std::to_string(verdicts_.size()) + " at version " + std::to_string(reference_.version()) +
                    ", the last that was committed");
  fail(Rule::phase, where, phase_.on(phase, audit_.guarded));
  if (broken()) return;
  verdicts_.push_back({hash, phase.verdict, phase.version, 0});
  if (model_audit_ != nullptr) {
    model_audit_->judged(engine::plan_of(phase), phase.version);
    look_at_model();
    tell_certificate();
  }
  phase_active_ = phase.verdict == static_cast<std::uint8_t>(PhasePlan::Verdict::go_on);
  if (phase.verdict == static_cast<std::uint8_t>(PhasePlan::Verdict::verify)) reference_.recompute(phase.phase);
  if (!phase_active_) return;
  verdicts_.back().kept = reference_.kept();
  model_->enter_phase(engine::plan_of(phase));
  barrier_ = phase.version;
  plan_ = engine::plan_of(phase);
  joint_ = plan_.joint();
  if (joint_) draws_.stop();
}

/// What a checkpoint is compared by, and made of.
void Auditor::on(const wire::Kept& kept) {
  const std::string where = "KEPT of node " + std::to_string(kept.node) + " after PHASE " + std::to_string(kept.phase);
  constexpr auto kGoOn = static_cast<std::uint8_t>(PhasePlan::Verdict::go_on);
  if (kept.phase >= verdicts_.size() || verdicts_[kept.phase].verdict != kGoOn ||
      verdicts_[kept.phase].version != kept.version)
    return fail(Rule::replica, where, "version " + std::to_string(kept.version),
                "that of a barrier that was gone on from");
  ++counts_.kept;
  const std::uint64_t expected = verdicts_[kept.phase].kept;
  const bool whole = kept.replica == Payload{} || kept_hash(kept.replica) == expected;
  if (kept.hash != expected || !whole)
    fail(Rule::replica, where, whole ? "hash " + hex_of(kept.hash) : "a replica with another hash than it should have",
         hex_of(expected) + " as commits 0 to " + std::to_string(kept.version) + " give");
}

void Auditor::on_progress(const ProgressEvent& event) {
  if (broken() || model_audit_ == nullptr || event.kind != ProgressEvent::Kind::barrier) return;
  certificates_[event.phase - 1] = event.certificate;
  tell_certificate();
}

/// A process that holds coordinator and nodes may tell of a barrier before its verdict has left.
void Auditor::tell_certificate() {
  if (broken() || verdicts_.empty() || earlier_end_.has_value()) return;
  const auto newest = certificates_.find(static_cast<std::uint32_t>(verdicts_.size() - 1));
  if (newest == certificates_.end()) return;
  ++counts_.certified;
  model_audit_->certified(newest->second);
  certificates_.erase(newest);
  look_at_model();
}

void Auditor::on_end(const RunEnd& end) {
  if (broken() || model_audit_ == nullptr || !end.status.ok() || !reference_.started()) return;
  if (earlier_end_.has_value()) return;
  model_audit_->ended(end);
  look_at_model();
}

// --- blocks ---

void Auditor::on(const wire::Commit& commit, bool light, const engine::Node* sender) {
  if (commit.version >= 0 && commit.version <= reference_.version()) return check_copy(commit, light);
  const auto where = [&] { return commit_text(commit.version); };
  if (commit.version != reference_.version() + 1)
    return fail(Rule::fairness, where(), "a commit after version " + std::to_string(reference_.version()),
                commit_text(reference_.version() + 1));
  const std::uint32_t s = turn_of(commit.version);
  if (commit.scheduler != s || (sender != nullptr && sender->scheduler(s) == nullptr))
    return fail(Rule::fairness, where(),
                "scheduler " + std::to_string(commit.scheduler) + " or a node without scheduler " + std::to_string(s),
                "scheduler " + std::to_string(s) + ", whose turn it is");
  if (light) return fail(Rule::commit, where(), "a first copy without changes", "nodes to get it before the driver");
  fail(Rule::phase, where(), phase_.on(commit, strict()));
  if (broken()) return;
  RoundRecord& round = rounds_[commit.version];
  std::vector<Payload> deltas;
  for (std::uint32_t b = 0; b < round.blocks.size(); ++b) {
    if (!round.blocks[b].answered)
      return fail(Rule::commit, where(), "block " + std::to_string(b) + " without an answer", "all of them answered");
    deltas.push_back(round.blocks[b].deltas.deltas);
  }
  const auto outcome = reference_.outcome(deltas);
  check_commit(commit, outcome, round);
  if (!broken()) take_commit(commit, outcome, round);
}

void Auditor::check_copy(const wire::Commit& commit, bool light) {
  ++counts_.copies;
  const CommitRecord& first = commits_[static_cast<std::size_t>(commit.version)];
  const bool same_work = commit.flops == first.flops && commit.flops_path == first.flops_path;
  const bool same_changes = light || hash_of(commit.changes) == first.changes;
  if (same_changes && take_earlier_end(commit, first.header)) return;
  const bool same = hash_of_header(commit) == first.header && (moved_ || same_work) && same_changes;
  if (!same) fail(Rule::commit, commit_text(commit.version), "a copy that differs from the first", "the same");
}

void Auditor::check_commit(const wire::Commit& commit, const AuditReference::Outcome& outcome,
                           const RoundRecord& round) {
  wire::Commit expected;
  for (const BlockRecord& block : round.blocks) {
    expected.predicted += block.deltas.predicted;
    expected.updates += block.deltas.updates;
    expected.updates_path = std::max(expected.updates_path, block.deltas.updates);
    expected.flops_path = std::max(expected.flops_path, block.deltas.flops);
    add_tally(block.deltas.tally, expected.tally);
  }
  if (!strict()) expected.flops_path = commit.flops_path;  // of whose answer came first, who may remember less
  Difference difference;
  difference.compare("blocks", std::uint64_t{commit.blocks}, std::uint64_t{round.blocks.size()});
  difference.compare("step", commit.step, outcome.pull.step);
  difference.compare("objective", commit.objective, outcome.pull.objective);
  difference.compare("realised", commit.realised, outcome.pull.realised);
  difference.compare("predicted", commit.predicted, expected.predicted);
  difference.compare("updates", commit.updates, expected.updates);
  difference.compare("updates_path", commit.updates_path, expected.updates_path);
  difference.compare("flops_path", commit.flops_path, expected.flops_path);
  difference.compare("hash of tally", hash_of(commit.tally), hash_of(expected.tally));
  difference.compare("changes", commit.changes, outcome.pull.changes);
  if (difference.any())
    fail(Rule::commit, commit_text(commit.version), difference.found(),
         difference.expected() + ", as combine and pull give on replica(" + std::to_string(commit.version - 1) + ")");
}

void Auditor::take_commit(const wire::Commit& commit, const AuditReference::Outcome& outcome, RoundRecord& round) {
  reference_.apply(commit, outcome.direction.get());
  ++counts_.commits;
  commits_.push_back({hash_of_header(commit), commit.flops, commit.flops_path, hash_of(commit.changes)});
  check_objective(commit);
  check_residual(commit.version);
  const AuditedCommit told = told_of(commit, round);
  std::vector<VarId> drawn;
  for (BlockRecord& block : round.blocks) {
    drawn.insert(drawn.end(), block.assign.block.ids.begin(), block.assign.block.ids.end());
    block.assign.block = {};
    block.deltas.deltas = {};
  }
  round.committed = true;
  if (!joint_) {
    if (const auto wrong = draws_.on_round(turn_of(commit.version), drawn))
      fail(Rule::fairness, commit_text(commit.version) + ", slice " + std::to_string(turn_of(commit.version)), *wrong,
           "a fair draw");
  }
  if (model_audit_ != nullptr && !broken()) {
    model_audit_->committed(told);
    look_at_model();
  }
  forget_rounds();
}

AuditedCommit Auditor::told_of(const wire::Commit& commit, const RoundRecord& round) {
  AuditedCommit told;
  told.version = commit.version;
  told.scheduler = commit.scheduler;
  for (const BlockRecord& block : round.blocks) told.blocks.push_back(block.assign.block.ids);
  told.step = commit.step;
  told.objective = commit.objective;
  told.realised = commit.realised;
  told.ends_phase = commit.ends_phase != 0;
  told.last = commit.last != 0;
  told.changes = &commit.changes;
  return told;
}

void Auditor::check_objective(const wire::Commit& commit) {
  const double before = std::exchange(objective_, commit.objective);
  if (!audit_.guarded || !strict() ||
      commit.objective <= before + audit_.objective_rise_max * std::abs(start_objective_))
    return;
  fail(Rule::objective, commit_text(commit.version), "F = " + text_of(commit.objective),
       "at most " + text_of(before) + ", what it was before");
}

void Auditor::check_residual(Version version) {
  if (audit_.residual_every == 0 || !strict() || version % audit_.residual_every != 0) return;
  ++counts_.recomputed;
  const double drift = reference_.drift();
  if (!(drift <= audit_.residual_drift_max))
    fail(Rule::residual, commit_text(version), "a replica that is " + text_of(drift) + " off its recomputation",
         "at most " + text_of(audit_.residual_drift_max) + " of its largest value");
}

void Auditor::forget_rounds() {
  while (rounds_.size() > kRoundsKept && rounds_.begin()->second.committed) rounds_.erase(rounds_.begin());
}

// --- nodes ---

void Auditor::meet(std::uint32_t rank, const engine::Node& node) {
  ranks_[&node] = rank;
  if (!node.started()) nodes_[rank] = {};
}

void Auditor::on_handled(std::uint32_t rank, const engine::Node& node) {
  if (broken()) return;
  ranks_[&node] = rank;
  if (!reference_.started()) return;
  NodeRecord& record = nodes_[rank];
  if (!node.started()) {
    record = {};  // of a process that has just begun
    return;
  }
  record.stopped = node.stopped();
  const Version version = node.replica().version();
  if (record.seen && record.version == version && record.phases == node.phases_seen()) return;
  if (record.seen && version < record.version)
    return fail(Rule::replica, node_text(rank, version), "a version that went back",
                std::to_string(record.version) + " or a later one");
  record.seen = true;
  record.version = version;
  record.phases = node.phases_seen();
  check_content(rank, node);
}

void Auditor::check_content(std::uint32_t rank, const engine::Node& node) {
  if (earlier_end_.has_value()) return;
  const Version version = node.replica().version();
  if (version > reference_.version() || node.phases_seen() > verdicts_.size())
    return fail(Rule::replica, node_text(rank, version), "a version or a phase that nobody has sent",
                "at most version " + std::to_string(reference_.version()) + " and " + std::to_string(verdicts_.size()) +
                    " verdicts");
  ++counts_.contents;
  const std::uint64_t hash = hash_of(node.replica().current()->content());
  if (!reference_.holds(version, node.phases_seen(), hash))
    fail(Rule::replica, node_text(rank, version), "content with hash " + hex_of(hash),
         hex_of(reference_.content_hash(version, node.phases_seen())) + " as commits 0 to " + std::to_string(version) +
             " give, in order and each once");
}

void Auditor::at_end(bool finished, const std::map<std::uint32_t, const engine::Node*>& nodes) {
  if (broken()) return;
  if (const auto wrong = earlier_end_.has_value() ? std::nullopt : draws_.at_end())
    return fail(Rule::fairness, "the whole run", *wrong, "a fair draw");
  if (!finished) return;
  constexpr auto kStop = static_cast<std::uint8_t>(PhasePlan::Verdict::stop);
  if (verdicts_.empty() || verdicts_.back().verdict != kStop)
    return fail(Rule::end, "the run", "an end without the coordinator's verdict to stop", "one");
  for (const auto& [rank, record] : nodes_) {
    if (record.stopped) check_last(rank, record);
  }
  if (earlier_end_.has_value()) return;
  for (const auto& [rank, node] : nodes) {
    if (broken() || !node->stopped()) continue;
    if (hash_of(node->replica().current()->content()) != reference_.final_hash())
      fail(Rule::end, node_text(rank, node->replica().version()), "another replica than when it was last looked at",
           "the final one");
  }
}

void Auditor::check_last(std::uint32_t rank, const NodeRecord& record) {
  const Version last = earlier_end_.value_or(reference_.version());
  if (record.version == last && record.phases == verdicts_.size()) return;
  fail(Rule::end, node_text(rank, record.version),
       "a node that stopped after " + std::to_string(record.phases) + " verdicts",
       "version " + std::to_string(last) + " and all " + std::to_string(verdicts_.size()) + " verdicts");
}

}  // namespace strads::sim
