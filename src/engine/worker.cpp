#include "engine/worker.hpp"

#include <utility>

namespace strads::engine {

Worker::Worker(std::uint32_t schedulers, const Model& model, const Replica& replica)
    : schedulers_(schedulers), model_(model), replica_(replica) {}

void Worker::on_assign(const wire::Assign& assign, Effects& effects) {
  const BlockId name{assign.round, assign.index};
  if (computing_.contains(name) || waiting_.contains(name)) {
    ++repeated_assigns_;
    return;
  }
  if (!ready_for(assign)) {
    waiting_.emplace(name, assign);
    return;
  }
  compute(assign, effects);
}

void Worker::on_advanced(Effects& effects) {
  for (auto it = waiting_.begin(); it != waiting_.end();) {
    if (!ready_for(it->second)) {
      ++it;
      continue;
    }
    const wire::Assign assign = std::move(it->second);
    it = waiting_.erase(it);
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
  if (base == nullptr) {
    // The round was committed long ago (its block went to another worker as well): nobody waits for the answer.
    ++stale_assigns_;
    return;
  }
  const BlockId name{assign.round, assign.index};
  computing_.insert(name);
  struct Work {
    Block block;
    Push result;
    std::shared_ptr<const State> base;
  };
  auto work = std::make_shared<Work>();
  work->block = {assign.block, assign.kind, assign.sweeps, assign.tolerance};
  work->base = std::move(base);
  const auto scheduler = static_cast<std::uint32_t>(assign.round % schedulers_);
  effects.tasks.push_back(
      {.run = [this, work](Chunks& chunks) { work->result = model_.push(*work->base, work->block, chunks); },
       .done =
           [this, work, name, scheduler](Effects& out) {
             work->base.reset();
             computing_.erase(name);
             const Push& result = work->result;
             out.send({wire::Role::scheduler, scheduler},
                      wire::Deltas{name.round, name.index, result.predicted, result.cost.flops, result.cost.bytes,
                                   result.cost.updates, result.deltas});
           },
       .flops = std::uint64_t{assign.sweeps} * 1000 * assign.block.ids.size()});
}

}  // namespace strads::engine
