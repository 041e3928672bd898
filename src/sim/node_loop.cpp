#include "sim/node_loop.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "wire/size.hpp"

namespace strads::sim {
namespace {

/// As in production (src/transport/node_process.cpp): a node whose messages go to itself looks at those of others and
/// at its timers now and then.
constexpr double kDispatchAtMostSeconds = 0.01;
constexpr std::uint64_t kFirstStream = 16;  ///< of a rank's own random numbers
constexpr double kLastCommitsSeconds = 1;   ///< a node that is told to leave waits for commits on other links

unsigned threads_of(const SimulationOptions& options, std::uint32_t rank) {
  const SimulatedNode& node = options.nodes[rank];
  return node.threads != 0 ? node.threads : options.hosts[node.host].cores;
}

}  // namespace

NodeLoop::NodeLoop(World& world, std::uint32_t rank, const engine::Roster& roster, std::shared_ptr<Model> model)
    : Process(world, rank, world.options.nodes[rank].host, "node " + std::to_string(rank)),
      model_(std::move(model)),
      node_(rank, roster, world.options.engine, model_),
      watch_("the driver", world.options.lease_seconds),
      random_(world.options.seed, Purpose::faults, kFirstStream + rank),
      processors_(world.queue, world.cores[host()], threads_of(world.options, rank),
                  world.options.hosts[host()].slowdown, world.options.costs,
                  [this](const std::shared_ptr<engine::Task>& task) {
                    post([this, task] {
                      spend(world_.options.costs.handler);
                      task->done(effects_);
                      dispatch();
                    });
                  }) {}

void NodeLoop::set_slowdown(double slowdown) {
  const double factor = world_.options.hosts[host()].slowdown * slowdown;
  Process::set_slowdown(factor);
  processors_.set_slowdown(factor);
}

SimulatedUse NodeLoop::use() const {
  SimulatedUse use = Process::use();
  const auto& seconds = processors_.seconds();
  use.busy_seconds = std::accumulate(seconds.begin(), seconds.end(), 0.0);
  use.plan_wait_seconds = plan_wait_;
  use.updates = node_.updates_computed();
  use.blocks = node_.blocks_computed();
  return use;
}

void NodeLoop::on_begin() {
  watch_.heard(now());
  watch_.note_connection(true, now());
  node_.start(effects_);
  dispatch();
}

// --- the round protocol, as NodeProcess::dispatch() ---

void NodeLoop::dispatch() {
  const Time begin = cursor();
  while (!effects_.messages.empty() || !effects_.tasks.empty()) {
    note_waiting();
    take_tasks();
    note_waiting();
    std::vector<wire::Envelope> batch;
    batch.swap(effects_.messages);
    for (const wire::Envelope& envelope : batch) note_sent(envelope);
    for (const wire::Envelope& envelope : batch) deliver(envelope);
    if (tell(effects_.progress)) node_.request_finish(effects_);  // before the next task, so that its time is right
    if (!node_.roster().alone() && cursor() - begin > time_of(kDispatchAtMostSeconds)) break;
  }
  note_waiting();
  if ((!effects_.messages.empty() || !effects_.tasks.empty()) && !std::exchange(more_posted_, true)) {
    post([this] {
      more_posted_ = false;
      dispatch();
    });
  }
  if (effects_.end.has_value()) {  // embedded: this process holds the coordinator
    world_.run.end = std::move(*effects_.end);
    world_.run.ended = true;
    world_.end_time = cursor();
    effects_.end.reset();
  }
  if (tell(effects_.progress)) {
    node_.request_finish(effects_);
    dispatch();
  }
  if (world_.run.ended && node_.roster().alone() && !processors_.busy()) leave("leaves: the run is over");
}

void NodeLoop::take_tasks() {
  while (!effects_.tasks.empty()) {
    std::vector<engine::Task> batch;
    batch.swap(effects_.tasks);
    const bool alone = node_.roster().alone();
    for (engine::Task& task : batch) {
      if (task.flops < world_.options.small_task_flops) {
        spend(processors_.run_inline(task) / slowdown());
        task.done(effects_);
        continue;
      }
      if (!alone) spend(world_.options.costs.task);
      world_.queue.at(cursor() + thread_wait(), [this, shared = std::make_shared<engine::Task>(std::move(task))] {
        if (alive()) processors_.submit(shared);
      });
    }
  }
}

/// The operating system gives a thread a core when it likes.
Time NodeLoop::thread_wait() {
  const double mean = world_.options.thread_wait_seconds;
  return mean > 0 ? time_of(-mean * std::log1p(-random_.unit())) : 0;
}

void NodeLoop::deliver(const wire::Envelope& envelope) {
  const std::uint32_t to = node_.roster().node_of(envelope.to);
  if (to != rank()) return send(to, envelope.message);
  handle(envelope.message);
  note_early(envelope.message);
  node_.on_message(envelope.message, effects_);
}

/// What the engine does with a message, beside its tasks: names of variables are checked, copied, remembered. Long
/// arrays are shared, and nobody looks into them; blocks of steady phases are the same every time, so that their names
/// are copied and no more.
void NodeLoop::handle(const wire::Message& message) {
  if (const auto* phase = std::get_if<wire::Phase>(&message)) steady_ = phase->joint == wire::Phase::kSteady;
  const CostConstants& costs = world_.options.costs;
  const std::size_t bytes = wire::encoded_size(message) - wire::bulk_size(message);
  const double each = steady_ ? costs.message_byte : costs.handler_byte;
  spend(costs.handler + each * static_cast<double>(bytes - std::min(bytes, kShortMessage)));
}

void NodeLoop::note_early(const wire::Message& message) {
  const auto* commit = std::get_if<wire::Commit>(&message);
  if (commit != nullptr && commit->version > node_.replica().version() + 1) ++world_.early_commits;
}

void NodeLoop::note_waiting() {
  if (waiting_) plan_wait_ += seconds_of(cursor() - waiting_since_);
  waiting_ = node_.waiting_for_plan();
  waiting_since_ = cursor();
}

void NodeLoop::on_message(std::uint32_t from, wire::Message message) {
  const bool control = std::holds_alternative<wire::Beat>(message) || std::holds_alternative<wire::Roster>(message) ||
                       std::holds_alternative<wire::Leave>(message);
  if (control && from == driver()) return on_control(message);
  handle(message);
  note_early(message);
  node_.on_message(message, effects_);
  dispatch();
}

// --- the driver's words and silence, as NodeProcess ---

void NodeLoop::on_control(const wire::Message& message) {
  watch_.heard(now());
  watch_.note_connection(true, now());
  connected_ = true;
  if (const auto* answer = std::get_if<wire::Beat>(&message)) {
    last_words_.answered(answer->number);
    node_.forget(answer->version, answer->phases);
    if (last_words_.begun()) leave_in_order();
  } else if (const auto* roster = std::get_if<wire::Roster>(&message)) {
    if (roster->number <= roster_number_) return;
    roster_number_ = roster->number;
    node_.on_roster(roster->workers, effects_);
    dispatch();
  } else if (const auto* leave = std::get_if<wire::Leave>(&message)) {
    if (leaving_.has_value()) return;
    leaving_ = *leave;
    leaving_since_ = now();
    leave_in_order();
  }
}

void NodeLoop::leave_in_order() {
  if (!leaving_.has_value()) return;
  const bool complete = leaving_->code != 0 || node_.stopped();
  if (!complete && now() - leaving_since_ < kLastCommitsSeconds) return;
  if (last_words_.due(now())) {
    beat();
    last_words_.said(beats_);
    send(driver(), wire::Leave{});
  }
  if (leaving_->code == 0 && !last_words_.over(connected_, now())) return;
  leave(leaving_->code == 0 ? "leaves: the run is over" : "leaves: " + leaving_->reason);
}

void NodeLoop::beat() {
  wire::Beat beat;
  beat.number = ++beats_;
  beat.version = node_.replica().version();
  beat.phases = node_.phases_seen();
  beat.stage = static_cast<std::uint8_t>(last_words_.begun() ? engine::NodeStage::leaving
                                         : node_.stopped()   ? engine::NodeStage::stopped
                                         : node_.started()   ? engine::NodeStage::running
                                                             : engine::NodeStage::scanning);
  beat.updates = node_.updates_computed();
  beat.blocks = node_.blocks_computed();
  send(driver(), beat);
}

void NodeLoop::on_look() {
  if (node_.roster().alone()) return;
  if (quiet_.due(node_.progress_mark(), processors_.busy(), now())) {
    say("is quiet");
    node_.on_quiet(effects_);
    dispatch();
  }
  leave_in_order();
  if (!alive() || last_words_.begun()) return;
  if (now() >= next_beat_) {
    next_beat_ = now() + watch_.liveness().beat_seconds();
    beat();
  }
  if (const auto cause = watch_.lost(now())) leave("leaves: " + *cause);
}

void NodeLoop::on_closed(std::uint32_t rank) {
  if (rank != driver()) return;
  watch_.note_connection(false, now());
  connected_ = false;
}

void NodeLoop::on_killed() {
  processors_.stop();
  world_.repeated += node_.repeated_messages();
  world_.dropped += node_.dropped_messages();
}

}  // namespace strads::sim
