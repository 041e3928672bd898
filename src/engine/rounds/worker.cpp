#include "engine/rounds/worker.hpp"

#include <algorithm>
#include <utility>

namespace strads::engine {

Worker::Worker(const EngineOptions& options, const Model& model, const Replica& replica)
    : options_(options), model_(model), replica_(replica) {}

bool Worker::on_assign(const wire::Assign& assign, Effects& effects) {
  if (!possible(assign)) {
    ++wrong_assigns_;
    return false;
  }
  const BlockId name{assign.round, assign.index};
  if (computing_.contains(name) || waiting_.contains(name)) {
    ++repeated_assigns_;
    return true;
  }
  if (const auto sent = answers_.find(name); sent != answers_.end()) {
    ++repeated_assigns_;
    ++repeated_answers_;
    answer(sent->second, effects);
    return true;
  }
  if (!ready_for(assign)) {
    ++progress_mark_;
    waiting_.keep(name, assign);
    return true;
  }
  compute(assign, effects);
  return true;
}

bool Worker::possible(const wire::Assign& assign) const {
  const VarId count = model_.variables();
  const auto& variables = assign.block.ids;
  return assign.round >= 0 && assign.base < assign.round && assign.worker < options_.workers &&
         std::all_of(variables.begin(), variables.end(), [count](VarId j) { return j < count; });
}

void Worker::note_committed(Version version) {
  while (!answers_.empty() && answers_.begin()->first.round <= version) {
    ++blocks_computed_;
    updates_computed_ += answers_.begin()->second.updates;
    answers_.erase(answers_.begin());
  }
}

void Worker::on_advanced(Effects& effects) {
  if (waiting_.empty()) return;
  for (const wire::Assign& assign : waiting_.take_due([this](const wire::Assign& each) { return ready_for(each); })) {
    compute(assign, effects);
  }
}

bool Worker::ready_for(const wire::Assign& assign) const {
  // Between two phases the replica may still be recomputed from the data: the same version, but other bits. This node
  // may hear of the phase after the schedulers of other nodes have begun it.
  return replica_.started() && !replica_.paused() && assign.base <= replica_.version();
}

void Worker::compute(const wire::Assign& assign, Effects& effects) {
  auto base = replica_.at(assign.base);
  if (base == nullptr || assign.round <= replica_.newest()) {
    // The round is committed (its block went to another worker as well): nobody waits for the answer. A node that is
    // behind comes up with the others since it leaves out such blocks.
    ++stale_assigns_;
    return;
  }
  const BlockId name{assign.round, assign.index};
  computing_.insert(name);
  ++progress_mark_;
  struct Work {
    Block block;
    Push result;
    std::shared_ptr<const State> base;
  };
  auto work = std::make_shared<Work>();
  work->block = {assign.block, assign.kind, assign.sweeps, assign.tolerance};
  work->base = std::move(base);
  const std::uint64_t flops = model_.push_flops(work->block);
  effects.tasks.push_back({.kind = TaskKind::push,
                           .run =
                               [this, work](Chunks& chunks) {
                                 work->result = model_.push(*work->base, work->block, chunks);
                                 return work->result.cost;
                               },
                           .done =
                               [this, work, name](Effects& out) {
                                 work->base.reset();
                                 on_computed(name, std::move(work->result), out);
                               },
                           .flops = flops,
                           .name = {assign.round, assign.index, assign.worker}});
}

void Worker::on_computed(BlockId name, Push result, Effects& effects) {
  computing_.erase(name);
  ++progress_mark_;
  // Another worker was faster: the round is committed, and the answer would be dropped.
  if (name.round <= replica_.newest()) return;
  const auto sent = answers_.emplace(
      name, wire::Deltas{name.round, name.index, result.predicted, result.cost.flops, result.cost.bytes,
                         result.cost.updates, std::move(result.deltas), std::move(result.tally)});
  answer(sent.first->second, effects);
}

void Worker::answer(const wire::Deltas& deltas, Effects& effects) const {
  const auto scheduler = static_cast<std::uint32_t>(deltas.round % options_.schedulers);
  effects.send({wire::Role::scheduler, scheduler}, deltas);
}

}  // namespace strads::engine
