#include "sim/node_loop.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "wire/print.hpp"
#include "wire/size.hpp"

namespace strads::sim {
namespace {

/// As in production (src/transport/node_process.cpp): a node whose messages go to itself looks at those of others and
/// at its timers now and then.
constexpr double kDispatchAtMostSeconds = 0.01;
constexpr std::uint64_t kFirstStream = 16;  ///< of a rank's own random numbers

unsigned threads_of(const SimulationOptions& options, std::uint32_t rank) {
  const SimulatedNode& node = options.nodes[rank];
  return node.threads != 0 ? node.threads : options.hosts[node.host].cores;
}

wire::Hello hello_of(const SimulationOptions& options, std::uint32_t rank, std::uint64_t process) {
  const SimulatedNode& node = options.nodes[rank];
  wire::Hello hello;
  hello.name = node_name(options, rank);
  hello.process = process;
  hello.endpoint = std::to_string(process);
  hello.roles = static_cast<std::uint8_t>((node.schedules ? wire::kAcceptsScheduler : 0) |
                                          (node.works ? wire::kAcceptsWorker : 0));
  return hello;
}

}  // namespace

NodeLoop::NodeLoop(World& world, std::uint32_t rank, std::shared_ptr<Model> model, std::uint32_t life)
    : Process(world, rank, world.options.nodes[rank].host, "node " + std::to_string(rank) + (life > 0 ? " again" : ""),
              life),
      model_(std::move(model)),
      // A run that began without it does not wait for a process that was started again, nor it for a run that is over.
      session_(hello_of(world.options, rank, process_id()), "host" + std::to_string(world.options.driver_host),
               life > 0 ? world.options.lease_seconds : world.options.start.patience_seconds),
      random_(world.options.seed, Purpose::faults, kFirstStream + rank),
      processors_(world.queue, world.cores[host()], threads_of(world.options, rank),
                  world.options.hosts[host()].slowdown, world.options.costs,
                  [this](const std::shared_ptr<engine::Task>& task) {
                    post([this, task] {
                      session_.note_time(now());
                      spend(world_.options.costs.handler);
                      engine::Effects none;
                      task->done(none);  // goes to its run: take_tasks()
                      dispatch();
                    });
                  }) {}

NodeLoop::NodeLoop(World& world, std::uint32_t rank, std::shared_ptr<Model> model, const engine::Roster& roster)
    : NodeLoop(world, rank, std::move(model), 0) {
  has_read_ = true;
  for (std::uint32_t place = 0; place < roster.nodes; ++place) places_.push_back(place);
  session_.join(rank, roster, world.options.lease_seconds, world.options.engine, model_);
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

void NodeLoop::ask_to_leave() {
  post([this] {
    say("is asked to leave");
    session_.leave("asked to", false);
    look_at_timers();
  });
}

/// Long arrays are shared with the replica itself, which stays as it is.
void NodeLoop::damage_bulk(Payload& payload) {
  for (SharedFloats& floats : payload.bulk) {
    if (floats.size() == 0) continue;
    SharedFloats damaged(floats.size());
    std::copy_n(floats.data(), floats.size(), damaged.writable().begin());
    float& last = damaged.writable().back();
    last = std::nextafter(last, 0.0F);
    floats = std::move(damaged);
    return;
  }
}

/// Of a message that leaves: as if the memory of this node had lost a bit of its replica before it was hashed.
void NodeLoop::damage(wire::Message& message) {
  auto* kept = std::get_if<wire::Kept>(&message);
  if (kept == nullptr || !std::exchange(damaged_, false)) return;
  // A content that was damaged after it was hashed has the right hash beside it.
  if (kept->replica == Payload{} || world_.options.seed % 2 == 0) kept->hash ^= 1;
  auto& values = kept->replica.values;
  const auto is_fraction = [](double x) { return x != std::floor(x); };
  if (const auto at = std::find_if(values.begin(), values.end(), is_fraction); at != values.end()) {
    *at = std::nextafter(*at, 0.0);
  } else {
    damage_bulk(kept->replica);
  }
  world_.hits.count(FaultKind::damage);
  say("says something wrong of its replica");
}

SimulatedUse NodeLoop::use() const {
  SimulatedUse use = Process::use();
  const auto& seconds = processors_.seconds();
  use.busy_seconds = std::accumulate(seconds.begin(), seconds.end(), 0.0);
  use.plan_wait_seconds = session_.seconds_waiting();
  const engine::NodeTotals totals = session_.totals();
  use.updates = totals.updates;
  use.blocks = totals.blocks;
  use.begun = stage() != engine::NodeStage::joining;
  return use;
}

void NodeLoop::on_begin() {
  session_.begin(now());
  if (node() != nullptr) return dispatch();
  look_at_timers();
}

// --- what the session asks for ---

void NodeLoop::carry_out() {
  engine::NodeRequests requests = std::exchange(session_.requests, {});
  if (requests.load.has_value()) begin_loading(*requests.load);
  for (const wire::Peer& peer : requests.peers) meet(peer);
  waiting_.insert(waiting_.end(), requests.open.begin(), requests.open.end());
  if (has_read_) begin_making();
  for (const wire::Message& message : requests.to_driver) send(driver(), message, wire::kNoRun);
  if (requests.end.has_value()) leave("leaves: " + (requests.end->ok() ? "the run is over" : requests.end->message()));
}

void NodeLoop::begin_loading(const wire::Welcome& welcome) {
  const std::size_t count = world_.options.nodes.size() + 1;
  for (const std::string& other : engine::lines_of(welcome.endpoints)) {
    processes_.push_back(std::stoull(other));
    places_.push_back(static_cast<std::uint32_t>((processes_.back() - 1) % count));
  }
  for (std::uint32_t other = 0; other < places_.size(); ++other) {
    if (other != session_.rank()) unreached_.push_back(other);
  }
  unreached_.push_back(engine::kDriverRank);
  load_after(load_seconds_, engine::kFirstRun, world_.options.engine, model_);
}

void NodeLoop::meet(const wire::Peer& peer) {
  const std::size_t count = world_.options.nodes.size() + 1;
  if (processes_.empty()) {
    for (const std::uint32_t place : places_) processes_.push_back(place + 1);
  }
  processes_.push_back(std::stoull(peer.endpoint));
  places_.push_back(static_cast<std::uint32_t>((processes_.back() - 1) % count));
  unreached_.push_back(peer.rank);
}

/// The data are those of the first run: a model of them takes no time.
void NodeLoop::begin_making() {
  for (const wire::Open& open : std::exchange(waiting_, {})) {
    if (open.place == 0) {
      load_after(0, open.run, world_.options.engine, world_.make_model());
      continue;
    }
    const FurtherRun& further = world_.options.further.at(open.place - 1);
    load_after(load_seconds_, open.run, further.engine, further.make_model());
  }
}

std::uint64_t NodeLoop::process_of(std::uint32_t rank) const {
  if (processes_.empty()) return 0;
  return rank == engine::kDriverRank ? world_.processes[driver()]->process_id() : processes_[rank];
}

void NodeLoop::load_after(double seconds, std::uint32_t run, const EngineOptions& engine,
                          std::shared_ptr<Model> model) {
  world_.queue.at(cursor() + time_of(seconds), [this, run, engine, model = std::move(model)] {
    post([this, run, engine, model] {
      say("has loaded");
      if (run == engine::kFirstRun) has_read_ = true;
      session_.on_loaded(run, {}, engine, model, model->fingerprint());
      dispatch();
      carry_out();
    });
  });
}

/// Connections are tried again and again.
void NodeLoop::note_reached() {
  std::erase_if(unreached_, [this](std::uint32_t other) { return reaches(place_of(other), process_of(other)); });
}

// --- the round protocol, as NodeProcess::dispatch() ---

void NodeLoop::dispatch() {
  bool more = false;
  for (const auto& [number, run] : session_.runs()) {
    if (run->node != nullptr) more = dispatch(run) || more;
  }
  session_.note_progress(now());
  if (more && !std::exchange(more_posted_, true)) {
    post([this] {
      more_posted_ = false;
      dispatch();
    });
  }
  if (session_.roster().alone()) end_embedded(*session_.run(engine::kFirstRun));
}

/// This process holds the coordinator.
void NodeLoop::end_embedded(engine::NodeRun& run) {
  if (run.effects.end.has_value()) {
    world_.run.end = std::move(*std::exchange(run.effects.end, std::nullopt));
    world_.run.ended = true;
    world_.end_time = cursor();
  }
  if (tell(run.place, std::exchange(run.effects.progress, {}))) {
    run.node->request_finish(run.effects);
    dispatch();
  }
  if (world_.run.ended && !processors_.busy()) leave("leaves: the run is over");
}

/// True: there is more to do.
bool NodeLoop::dispatch(const std::shared_ptr<engine::NodeRun>& run) {
  const Time begin = cursor();
  engine::Effects& effects = run->effects;
  const bool alone = session_.roster().alone();
  while (!effects.messages.empty() || !effects.tasks.empty()) {
    session_.note_waiting(now());
    take_tasks(run);
    session_.note_waiting(now());
    std::vector<wire::Envelope> batch;
    batch.swap(effects.messages);
    for (const wire::Envelope& envelope : batch) note_sent(run->place, envelope, run->node.get());
    for (const wire::Envelope& envelope : batch) deliver(*run, envelope);
    if (tell(run->place, std::exchange(effects.progress, {})))
      run->node->request_finish(effects);  // before the next task, so that its time is right
    if (!alone && cursor() - begin > time_of(kDispatchAtMostSeconds)) break;
  }
  session_.note_waiting(now());
  return !effects.messages.empty() || !effects.tasks.empty();
}

void NodeLoop::take_tasks(const std::shared_ptr<engine::NodeRun>& run) {
  engine::Effects& effects = run->effects;
  while (!effects.tasks.empty()) {
    std::vector<engine::Task> batch;
    batch.swap(effects.tasks);
    for (engine::Task& task : batch) {
      if (task.flops < world_.options.small_task_flops) {
        spend(processors_.run_inline(task) / slowdown());
        task.done(effects);
        continue;
      }
      if (!session_.roster().alone()) spend(world_.options.costs.task);
      submit(std::move(task), run);
    }
  }
}

void NodeLoop::submit(engine::Task task, const std::shared_ptr<engine::NodeRun>& run) {
  ++run->tasks;
  task.done = [run, done = std::move(task.done)](engine::Effects&) {
    --run->tasks;
    done(run->effects);
  };
  world_.queue.at(cursor() + thread_wait(), [this, shared = std::make_shared<engine::Task>(std::move(task))] {
    if (alive()) processors_.submit(shared);
  });
}

/// The operating system gives a thread a core when it likes.
Time NodeLoop::thread_wait() {
  const double mean = world_.options.thread_wait_seconds;
  return mean > 0 ? time_of(-mean * std::log1p(-random_.unit())) : 0;
}

void NodeLoop::deliver(engine::NodeRun& run, const wire::Envelope& envelope) {
  const std::uint32_t to = run.node->roster().node_of(envelope.to);
  if (to != session_.rank()) {
    if (!damaged_) return send(place_of(to), envelope.message, run.number, process_of(to));
    wire::Message message = envelope.message;
    damage(message);
    return send(place_of(to), message, run.number, process_of(to));
  }
  handle(envelope.message);
  note_early(run, envelope.message);
  run.node->on_message(envelope.message, run.effects);
}

/// What the engine does with a message, beside its tasks: names of variables are checked, copied, remembered. Long
/// arrays are shared, and nobody looks into them; blocks of steady phases are the same every time, so that their names
/// are copied and no more.
void NodeLoop::handle(const wire::Message& message) {
  if (const auto* phase = std::get_if<wire::Phase>(&message))
    steady_ = static_cast<PhasePlan::Mode>(phase->mode) == PhasePlan::Mode::steady;
  const CostConstants& costs = world_.options.costs;
  const std::size_t bytes = wire::encoded_size(message) - wire::bulk_size(message);
  const double each = steady_ ? costs.message_byte : costs.handler_byte;
  spend(costs.handler + each * static_cast<double>(bytes - std::min(bytes, kShortMessage)));
}

void NodeLoop::note_early(const engine::NodeRun& run, const wire::Message& message) {
  const auto* commit = std::get_if<wire::Commit>(&message);
  if (commit != nullptr && commit->version > run.node->replica().version() + 1) ++world_.early_commits;
}

void NodeLoop::on_message(const Parcel& parcel, wire::Message message) {
  if (parcel.run == wire::kNoRun && parcel.from == driver()) return on_control(message);
  const engine::NodeRun* run = session_.run(parcel.run);
  if (run == nullptr || run->node == nullptr) return;
  handle(message);
  note_early(*run, message);
  session_.note_time(now());
  if (!session_.on_message(parcel.run, rank_of(parcel), message)) {  // in earnest its third would expel the sender
    say("refuses " + wire::to_text(message));
    world_.note_refused(name(), message);
  }
  dispatch();
}

void NodeLoop::on_control(const wire::Message& message) {
  connected_ = true;
  if (const auto* welcome = std::get_if<wire::Welcome>(&message)) {
    const auto endpoints = engine::lines_of(welcome->endpoints);
    if (endpoints[welcome->rank] != session_.hello().endpoint) return;  // for the process that was here before
  }
  const bool sets_going = std::holds_alternative<wire::Roster>(message) || std::holds_alternative<wire::Part>(message);
  session_.on_control(message, now());
  if (sets_going && stage() != engine::NodeStage::joining) dispatch();
  if (session_.leaving()) return look_at_timers();
  carry_out();
}

/// Two processes, one after the other, may have joined at one place: then their ids tell.
std::uint32_t NodeLoop::rank_of(const Parcel& parcel) const {
  if (parcel.from == driver()) return engine::kDriverRank;
  const auto rank = processes_.empty()
                        ? std::find(places_.begin(), places_.end(), parcel.from) - places_.begin()
                        : std::find(processes_.begin(), processes_.end(), parcel.process) - processes_.begin();
  return static_cast<std::uint32_t>(rank);
}

void NodeLoop::on_look() {
  if (session_.roster().alone() && node() != nullptr) return;
  if (session_.repeat(now())) {
    say("is quiet");
    dispatch();
  }
  if (session_.ask_second_workers(now())) {
    say("asks second workers");
    dispatch();
  }
  look_at_timers();
  if (alive()) note_reached();
}

void NodeLoop::look_at_timers() {
  if (session_.look(now(), connected_)) {
    wire::Beat facts;
    facts.unreachable = unreached_;
    session_.beat(facts);
  }
  carry_out();
}

void NodeLoop::on_closed(std::uint32_t rank, std::uint64_t) {
  if (rank == driver()) connected_ = false;
}

void NodeLoop::on_killed() {
  processors_.stop();
  world_.repeated += session_.totals().repeated;
  world_.dropped += session_.totals().dropped;
  world_.second_workers += session_.totals().second_workers;
}

}  // namespace strads::sim
