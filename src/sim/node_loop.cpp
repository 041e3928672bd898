#include "sim/node_loop.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "engine/rounds/acceptable.hpp"
#include "engine/session/speaker.hpp"
#include "wire/print.hpp"
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

NodeLoop::NodeLoop(World& world, std::uint32_t rank, std::shared_ptr<Model> model, std::uint32_t life)
    : Process(world, rank, world.options.nodes[rank].host, "node " + std::to_string(rank) + (life > 0 ? " again" : ""),
              life),
      model_(std::move(model)),
      // A run that began without it does not wait for a process that was started again, nor it for a run that is over.
      patience_(life > 0 ? world.options.lease_seconds : world.options.start.patience_seconds),
      own_(rank),
      watch_("the driver", world.options.start.patience_seconds),
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

NodeLoop::NodeLoop(World& world, std::uint32_t rank, std::shared_ptr<Model> model, const engine::Roster& roster)
    : NodeLoop(world, rank, std::move(model), 0) {
  stage_ = engine::NodeStage::scanning;
  watch_.set_lease(world.options.lease_seconds);
  roster_ = roster;
  for (std::uint32_t place = 0; place <= roster.nodes; ++place) places_.push_back(place);
  node_ = std::make_unique<engine::Node>(own_, roster_, world_.options.engine, model_);
}

NodeLoop::NodeLoop(World& world, std::uint32_t rank, std::shared_ptr<Model> model, double load_seconds,
                   std::uint32_t life)
    : NodeLoop(world, rank, std::move(model), life) {
  load_seconds_ = load_seconds;
}

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
  use.updates = node_ == nullptr ? 0 : node_->updates_computed();
  use.blocks = node_ == nullptr ? 0 : node_->blocks_computed();
  use.begun = stage_ != engine::NodeStage::joining;
  return use;
}

void NodeLoop::on_begin() {
  since_ = now();
  watch_.heard(now());
  watch_.note_connection(true, now());
  if (node_ == nullptr) return say_hello();
  node_->start(effects_);
  dispatch();
}

// --- joining and loading, as NodeProcess ---

void NodeLoop::say_hello() {
  next_hello_ = now() + engine::kHelloSeconds;
  const SimulatedNode& node = world_.options.nodes[rank()];
  wire::Hello hello;
  hello.name = node_name(world_.options, rank());
  hello.process = process_id();
  hello.endpoint = endpoint();
  hello.roles = static_cast<std::uint8_t>((node.schedules ? wire::kAcceptsScheduler : 0) |
                                          (node.works ? wire::kAcceptsWorker : 0));
  send(driver(), hello);
}

void NodeLoop::on_welcome(const wire::Welcome& welcome) {
  const auto endpoints = engine::lines_of(welcome.endpoints);
  auto roster = engine::roster_of(welcome, endpoints);
  STRADS_CHECK(roster.ok(), roster.status().message());
  if (endpoints[welcome.rank] != endpoint()) return;  // for the process that was here before
  own_ = welcome.rank;
  roster_ = std::move(roster).value();
  const std::size_t count = world_.options.nodes.size() + 1;
  for (const std::string& other : endpoints) {
    processes_.push_back(std::stoull(other));
    places_.push_back(static_cast<std::uint32_t>((processes_.back() - 1) % count));
  }
  processes_.push_back(world_.processes[driver()]->process_id());
  places_.push_back(driver());
  for (std::uint32_t other = 0; other <= roster_.nodes; ++other) {
    if (other != own_) unreached_.push_back(other);
  }
  watch_.set_lease(welcome.lease);
  stage_ = engine::NodeStage::loading;
  next_beat_ = now();
  world_.queue.at(cursor() + time_of(load_seconds_), [this] { post([this] { begin_run(); }); });
}

void NodeLoop::begin_run() {
  stage_ = engine::NodeStage::scanning;
  say("has loaded");
  loaded_.fingerprint = model_->fingerprint();
  node_ = std::make_unique<engine::Node>(own_, roster_, world_.options.engine, model_);
  node_->start(effects_);
  dispatch();
  send(driver(), loaded_);
}

/// Connections are tried again and again.
void NodeLoop::note_reached() {
  std::erase_if(unreached_, [this](std::uint32_t other) { return reaches(places_[other], processes_[other]); });
}

void NodeLoop::look_for_the_driver() {
  if (leaving_.has_value()) return leave_in_order();
  if (!heard_ && now() - since_ > patience_) return leave("leaves: no driver answered");
  if (heard_) {
    if (const auto cause = watch_.lost(now())) return leave("leaves: " + *cause);
  }
  if (now() >= next_hello_) say_hello();
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
    if (tell(effects_.progress)) node_->request_finish(effects_);  // before the next task, so that its time is right
    if (!node_->roster().alone() && cursor() - begin > time_of(kDispatchAtMostSeconds)) break;
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
    node_->request_finish(effects_);
    dispatch();
  }
  if (world_.run.ended && node_->roster().alone() && !processors_.busy()) leave("leaves: the run is over");
}

void NodeLoop::take_tasks() {
  while (!effects_.tasks.empty()) {
    std::vector<engine::Task> batch;
    batch.swap(effects_.tasks);
    const bool alone = node_->roster().alone();
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
  const std::uint32_t to = node_->roster().node_of(envelope.to);
  if (to != own_) return send(places_[to], envelope.message, processes_.empty() ? 0 : processes_[to]);
  handle(envelope.message);
  note_early(envelope.message);
  node_->on_message(envelope.message, effects_);
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
  if (commit != nullptr && commit->version > node_->replica().version() + 1) ++world_.early_commits;
}

void NodeLoop::note_waiting() {
  if (waiting_) plan_wait_ += seconds_of(cursor() - waiting_since_);
  waiting_ = node_->waiting_for_plan();
  waiting_since_ = cursor();
}

void NodeLoop::on_message(const Parcel& parcel, wire::Message message) {
  const bool control = std::holds_alternative<wire::Beat>(message) || std::holds_alternative<wire::Roster>(message) ||
                       std::holds_alternative<wire::Leave>(message) || std::holds_alternative<wire::Reject>(message) ||
                       std::holds_alternative<wire::Welcome>(message);
  if (control && parcel.from == driver()) return on_control(message);
  if (node_ == nullptr) return;
  const std::uint32_t from = rank_of(parcel);
  if (!engine::may_say(from, message, roster_) || !engine::acceptable(*model_, message)) return note_refused(message);
  handle(message);
  note_early(message);
  if (!node_->on_message(from, message, effects_)) note_refused(message);
  dispatch();
}

/// Two processes, one after the other, may have joined at one place: then their ids tell.
std::uint32_t NodeLoop::rank_of(const Parcel& parcel) const {
  const auto rank = processes_.empty()
                        ? std::find(places_.begin(), places_.end(), parcel.from) - places_.begin()
                        : std::find(processes_.begin(), processes_.end(), parcel.process) - processes_.begin();
  return static_cast<std::uint32_t>(rank);
}

/// Processes of this cluster send nothing that nobody sends: whoever did would be expelled.
void NodeLoop::note_refused(const wire::Message& message) {
  say("refuses " + wire::to_text(message));
  world_.note_refused(name(), message);
}

// --- the driver's words and silence, as NodeProcess ---

void NodeLoop::on_control(const wire::Message& message) {
  if (const auto* reject = std::get_if<wire::Reject>(&message)) {
    return leave("leaves: the driver refuses this node: " + reject->reason);
  }
  watch_.heard(now());
  watch_.note_connection(true, now());
  connected_ = true;
  heard_ = true;
  if (const auto* answer = std::get_if<wire::Beat>(&message)) {
    last_words_.answered(answer->number);
    if (node_ != nullptr) node_->forget(answer->version, answer->phases);
    if (last_words_.begun()) leave_in_order();
  } else if (const auto* welcome = std::get_if<wire::Welcome>(&message)) {
    if (stage_ == engine::NodeStage::joining) on_welcome(*welcome);
  } else if (const auto* roster = std::get_if<wire::Roster>(&message)) {
    on_roster(*roster);
  } else if (const auto* leave = std::get_if<wire::Leave>(&message)) {
    if (leaving_.has_value()) return;
    leaving_ = *leave;
    leaving_since_ = now();
    leave_in_order();
  }
}

void NodeLoop::on_roster(const wire::Roster& roster) {
  if (roster.workers.size() != roster_.workers.size() || roster.number <= roster_number_) return;
  roster_number_ = roster.number;
  roster_.workers = roster.workers;
  if (node_ == nullptr) return;
  node_->on_roster(roster.workers, effects_);
  dispatch();
}

void NodeLoop::leave_in_order() {
  if (!leaving_.has_value()) return;
  const bool complete = leaving_->code != 0 || node_ == nullptr || node_->stopped();
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
  if (node_ != nullptr) {
    if (node_->started()) stage_ = engine::NodeStage::running;
    if (node_->stopped()) stage_ = engine::NodeStage::stopped;
    beat.version = node_->replica().version();
    beat.phases = node_->phases_seen();
    beat.updates = node_->updates_computed();
    beat.blocks = node_->blocks_computed();
  }
  beat.stage = static_cast<std::uint8_t>(last_words_.begun() ? engine::NodeStage::leaving : stage_);
  beat.unreachable = unreached_;
  send(driver(), beat);
  if (stage_ == engine::NodeStage::scanning && world_.options.start.enabled) send(driver(), loaded_);
}

void NodeLoop::on_look() {
  if (stage_ == engine::NodeStage::joining) return look_for_the_driver();
  if (roster_.alone()) return;
  if (node_ != nullptr && quiet_.due(node_->progress_mark(), processors_.busy(), now())) {
    say("is quiet");
    node_->on_quiet(effects_);
    dispatch();
  }
  leave_in_order();
  if (!alive() || last_words_.begun()) return;
  if (now() >= next_beat_) {
    next_beat_ = now() + watch_.liveness().beat_seconds();
    beat();
  }
  note_reached();
  if (const auto cause = watch_.lost(now())) leave("leaves: " + *cause);
}

void NodeLoop::on_closed(std::uint32_t rank, std::uint64_t) {
  if (rank != driver()) return;
  watch_.note_connection(false, now());
  connected_ = false;
}

void NodeLoop::on_killed() {
  processors_.stop();
  if (node_ == nullptr) return;
  world_.repeated += node_->repeated_messages();
  world_.dropped += node_->dropped_messages();
}

}  // namespace strads::sim
