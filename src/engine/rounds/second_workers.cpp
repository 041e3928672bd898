// Blocks of late nodes: who else is asked. Half of Scheduler; when a node is late is decided in lateness.hpp.
#include <algorithm>

#include "engine/rounds/scheduler.hpp"

namespace strads::engine {

double Scheduler::flops_of(std::uint32_t index) const {
  return static_cast<double>(model_.push_flops(turn_.plan.blocks[index]));
}

bool Scheduler::ask_second_workers(Effects& effects) {
  if (turn_.stage != Stage::collecting) return false;
  bool any = false;
  for (std::uint32_t b = 0; b < turn_.received.size(); ++b) {
    const auto& asked = turn_.asked[b];
    if (turn_.received[b] || !lateness_.overdue(asked.front(), asked.size() - 1)) continue;
    any = ask_second_worker(b, true, effects) || any;
  }
  return any;
}

/// What went to a node that was late before goes to another one at the same time: waiting for it every time would make
/// the run as slow as this node. It is asked all the same, so that it is seen when it is in time again.
void Scheduler::assign_late_blocks_twice(Effects& effects) {
  for (std::uint32_t b = 0; b < turn_.received.size(); ++b) {
    if (lateness_.known_late(turn_.asked[b].front())) ask_second_worker(b, false, effects);
  }
}

bool Scheduler::ask_second_worker(std::uint32_t index, bool idle, Effects& effects) {
  const auto worker = second_worker_for(index, idle);
  if (!worker.has_value()) return false;
  stand_ins_[worker_of(index)] = *worker;
  late_nodes_.insert(turn_.asked[index].front());
  turn_.further_workers[index].push_back(*worker);
  ++second_workers_;
  assign(index, *worker, effects);
  return true;
}

/// A worker of the node with least to do, or, where workers keep the data of their blocks, the one that has them since
/// the last time. `idle`: only a node that has nothing to do. nullopt: nobody can be asked now.
std::optional<std::uint32_t> Scheduler::second_worker_for(std::uint32_t index, bool idle) const {
  const std::map<std::uint32_t, double> out = flops_out();
  const auto flops_on = [&](std::uint32_t node) {
    const auto found = out.find(node);
    return found == out.end() ? 0.0 : found->second;
  };
  const auto usable = [&](std::uint32_t worker) {
    const std::uint32_t node = roster_.workers[worker];
    return !was_asked(node, index) && !lateness_.known_late(node);
  };
  const auto free = [&](std::uint32_t worker) { return !idle || flops_on(roster_.workers[worker]) == 0; };
  const auto before = stand_ins_.find(worker_of(index));
  if (phase_plan_.mode == PhasePlan::Mode::steady && before != stand_ins_.end() && usable(before->second)) {
    return free(before->second) ? std::optional(before->second) : std::nullopt;
  }
  std::optional<std::uint32_t> best;
  for (std::uint32_t worker = 0; worker < options_.workers; ++worker) {
    if (!usable(worker) || !free(worker)) continue;
    if (!best || flops_on(roster_.workers[worker]) < flops_on(roster_.workers[*best])) best = worker;
  }
  return best;
}

/// By node: what it was asked for in this turn and is not answered.
std::map<std::uint32_t, double> Scheduler::flops_out() const {
  std::map<std::uint32_t, double> out;
  for (std::uint32_t b = 0; b < turn_.received.size(); ++b) {
    if (turn_.received[b]) continue;
    for (const std::uint32_t node : turn_.asked[b]) out[node] += std::max(flops_of(b), 1.0);
  }
  return out;
}

}  // namespace strads::engine
