// The auditor's rules of blocks: who may assign them, what is in them, what comes back.
#include <algorithm>
#include <cmath>
#include <utility>

#include "engine/rounds/scheduler.hpp"
#include "sim/audit/audit_deal.hpp"
#include "sim/audit/audit_hashes.hpp"
#include "sim/audit/audit_text.hpp"
#include "sim/audit/auditor.hpp"

namespace strads::sim {

namespace {

std::string block_text(Round round, std::uint32_t index) {
  return "round " + std::to_string(round) + ", block " + std::to_string(index);
}

}  // namespace

void Auditor::on(const wire::Assign& assign, const engine::Node* sender) {
  const bool known = rounds_.contains(assign.round);
  if (!known && assign.round <= reference_.version()) return;  // long ago
  RoundRecord& round = rounds_[assign.round];
  const std::uint64_t hash = hash_of(assign);
  if (assign.index < round.blocks.size()) {
    if (hash != round.blocks[assign.index].assign_hash)
      fail(Rule::exclusive_blocks, block_text(assign.round, assign.index), "another block than in its first ASSIGN",
           "the same");
    return;
  }
  if (cut_off(assign.round)) return;
  check_turn(assign, sender);
  fail(Rule::phase, block_text(assign.round, assign.index), phase_.on_assign(assign));
  if (broken()) return;
  if (round.committed || assign.index != round.blocks.size())
    return fail(
        Rule::exclusive_blocks, block_text(assign.round, assign.index), "a block out of order",
        round.committed ? "none after the commit of the round" : "index " + std::to_string(round.blocks.size()));
  check_block(assign, round, sender == nullptr ? nullptr : sender->scheduler(turn_of(assign.round)));
  if (broken()) return;
  BlockRecord block;
  block.assign = assign;
  block.assign_hash = hash;
  round.blocks.push_back(std::move(block));
}

/// A run that went back after its last commit pushes once more what was in flight then, maybe more of it than the first
/// time: nobody commits it.
bool Auditor::cut_off(Round round) const {
  const Version newest = reference_.version();
  return moved_ && !phase_active_ && phase_.ends_run() && round > newest &&
         round < newest + static_cast<Round>(options_.depth);
}

void Auditor::check_turn(const wire::Assign& assign, const engine::Node* sender) {
  const auto where = [&] { return block_text(assign.round, assign.index); };
  const Version newest = reference_.version();
  if (!phase_active_ || assign.round <= newest || assign.round > newest + static_cast<Round>(options_.depth))
    return fail(Rule::fairness, where(),
                "a block that is sent when version " + std::to_string(newest) + " is committed",
                "one of the " + std::to_string(options_.depth) + " rounds after it, in a phase");
  const Version base = std::max<Version>(assign.round - static_cast<Round>(options_.depth), barrier_);
  if (assign.base != base)
    return fail(Rule::pure_push, where(), "base version " + std::to_string(assign.base), std::to_string(base));
  const std::uint32_t s = turn_of(assign.round);
  if (sender != nullptr && sender->scheduler(s) == nullptr)
    fail(Rule::fairness, where(), "a sender without scheduler " + std::to_string(s), "the node of that scheduler");
}

void Auditor::check_block(const wire::Assign& assign, const RoundRecord& round, const engine::Scheduler* scheduler) {
  const std::uint32_t s = turn_of(assign.round);
  const auto where = [&] { return block_text(assign.round, assign.index); };
  if (scheduler != nullptr && slice_seen_[s] == 0) {
    slice_seen_[s] = 1;
    if (!std::ranges::equal(scheduler->variables(), slices_[s]))
      return fail(Rule::ownership, where(), "a slice of other variables", "slice " + std::to_string(s) + " as dealt");
  }
  const bool joint = plan_.joint();
  for (const VarId j : assign.block.ids) {
    const auto variable = [j] { return "variable " + std::to_string(j); };
    if (j >= owner_.size())
      return fail(Rule::ownership, where(), variable(), "variables below " + std::to_string(owner_.size()));
    if (!joint && owner_[j] != s)
      return fail(Rule::ownership, where(), variable() + " of slice " + std::to_string(owner_[j]),
                  "variables of slice " + std::to_string(s));
    if (block_round_[j] == assign.round && strict())
      return fail(Rule::exclusive_blocks, where(), variable() + " a second time in the round", "every variable once");
    block_round_[j] = assign.round;
  }
  if (scheduler != nullptr && !joint_) check_pairs(assign, round, scheduler->slice());
}

void Auditor::check_pairs(const wire::Assign& assign, const RoundRecord& round, Slice& slice) {
  if (round.blocks.empty()) return;
  const ScheduleRules rules = slice.rules();
  if (rules.conflicts == ScheduleRules::Conflicts::ignore) return;
  for (std::uint32_t earlier = 0; earlier < round.blocks.size(); ++earlier) {
    for (const VarId k : round.blocks[earlier].assign.block.ids) {
      for (const VarId j : assign.block.ids) {
        ++counts_.pairs;
        const double d = slice.define_dependency(j, k);
        // The planner asked for one of d(j,k) and d(k,j), which may round differently.
        if (!(d > rules.dependency_max) || !(slice.define_dependency(k, j) > rules.dependency_max)) continue;
        return fail(Rule::exclusive_blocks, block_text(assign.round, assign.index),
                    "d(" + std::to_string(j) + ", " + std::to_string(k) + ") = " + text_of(d) + " with block " +
                        std::to_string(earlier),
                    "at most " + text_of(rules.dependency_max) + " between different blocks");
      }
    }
  }
  (void)slice.take_planning_cost();  // of asking: not the planner's
}

// --- what workers compute ---

void Auditor::on(const wire::Deltas& deltas) {
  const auto round = rounds_.find(deltas.round);
  if (round == rounds_.end() || deltas.index >= round->second.blocks.size()) {
    if (!cut_off(deltas.round) && (deltas.round > reference_.version() || round != rounds_.end()))
      fail(Rule::pure_push, block_text(deltas.round, deltas.index), "DELTAS of a block that nobody assigned", "none");
    return;
  }
  if (round->second.committed && !strict()) return;
  ++counts_.pushes;
  check_push(round->second.blocks[deltas.index], deltas);
}

void Auditor::check_push(BlockRecord& block, const wire::Deltas& deltas) {
  const auto where = [&] { return block_text(deltas.round, deltas.index); };
  if (!block.answered) {
    const State* base = reference_.at(block.assign.base);
    if (base == nullptr)
      return fail(Rule::pure_push, where(),
                  "base version " + std::to_string(block.assign.base) + " when version " +
                      std::to_string(reference_.version()) + " is committed",
                  "one of the D newest");
    block.answered = true;
    // The pages of a version that is not the newest may have been given back.
    if (!strict() && block.assign.base != reference_.version()) {
      block.deltas = deltas;
      block.deltas_hash = hash_of(deltas);
      return;
    }
    Push push = reference_.push(*base, block.assign);
    block.deltas = {deltas.round,    deltas.index,      push.predicted,         push.cost.flops,
                    push.cost.bytes, push.cost.updates, std::move(push.deltas), std::move(push.tally)};
    block.deltas_hash = hash_of(block.deltas);
  }
  if (!strict()) {
    block.deltas.flops = deltas.flops;
    block.deltas.bytes = deltas.bytes;
    block.deltas_hash = hash_of(block.deltas);
  }
  if (hash_of(deltas) == block.deltas_hash) return;
  const wire::Deltas* expected = &block.deltas;
  Difference difference;
  difference.compare("predicted", deltas.predicted, expected->predicted);
  difference.compare("flops", deltas.flops, expected->flops);
  difference.compare("bytes", deltas.bytes, expected->bytes);
  difference.compare("updates", deltas.updates, expected->updates);
  difference.compare("deltas", deltas.deltas, expected->deltas);
  difference.compare("hash of tally", hash_of(deltas.tally), hash_of(expected->tally));
  fail(Rule::pure_push, where(), difference.found(),
       difference.expected() + ", as push gives on replica(" + std::to_string(block.assign.base) + ")");
}

// --- commits ---

}  // namespace strads::sim
