#include <algorithm>
#include <map>
#include <utility>

#include "sim/audit/audit_hashes.hpp"
#include "sim/driver_loop.hpp"
#include "sim/node_loop.hpp"
#include "strads/base/status.hpp"
#include "strads/sim/simulate.hpp"

namespace strads::sim {
namespace {

constexpr std::uint64_t kStartStream = 5;  ///< of random numbers: when nodes are started, how long they load

class Simulation {
 public:
  Simulation(const std::function<std::shared_ptr<Model>()>& make_model, const SimulationOptions& options,
             const SimulationHooks& hooks)
      : world_(options, hooks), make_model_(make_model) {
    check(options);
    world_.make_model = make_model;
    for (const SimulatedHost& host : options.hosts) world_.cores.push_back({std::max(1U, host.cores), 0});
    if (options.audit) {
      audit(make_model, options.engine, hooks.make_audit);
      for (const FurtherRun& further : options.further) audit(further.make_model, further.engine, further.make_audit);
    }
    if (options.faults.enabled) {
      world_.faults = std::make_unique<FaultPlan>(options);
      world_.run.faults = world_.faults->lines();
      world_.run.lethal_at = world_.run.lethal_last = world_.faults->lethal_at();
    }
    options.embedded ? make_embedded() : make_cluster();
  }

  SimulatedRun run() {
    for (std::uint32_t rank = 0; rank < world_.processes.size(); ++rank) begin(rank);
    if (world_.faults != nullptr) schedule_faults();
    while (anybody_alive() && in_time() && world_.queue.step()) {
    }
    return report();
  }

 private:
  static void check(const SimulationOptions& options) {
    STRADS_CHECK(!options.nodes.empty() && options.driver_host < options.hosts.size(), "a cluster has nodes and hosts");
    STRADS_CHECK(!options.embedded || options.nodes.size() == 1, "embedded is one process");
    STRADS_CHECK(options.further.empty() || (!options.embedded && options.watch_liveness), "a driver asks for runs");
    STRADS_CHECK(!options.faults.enabled || options.watch_liveness, "faults are noticed by watching");
    STRADS_CHECK(options.from == nullptr || (options.start.enabled && !options.audit), "who resumes joins first");
    STRADS_CHECK(!options.start.enabled || (options.watch_liveness && !options.embedded), "joining takes timers");
    for (const SimulatedNode& node : options.nodes) {
      STRADS_CHECK(node.host < options.hosts.size(), "every node has a host");
    }
  }

  void audit(const std::function<std::shared_ptr<Model>()>& make_model, const EngineOptions& engine,
             const std::function<std::unique_ptr<ModelAudit>()>& make_audit) {
    world_.auditors.push_back(
        std::make_unique<Auditor>(make_model(), engine, AuditOptions{}, make_audit ? make_audit() : nullptr));
  }

  void make_embedded() {
    add(std::make_unique<NodeLoop>(world_, 0, make_model_(), engine::Roster::round_robin(1, world_.options.engine)));
  }

  void add(std::unique_ptr<NodeLoop> node) {
    lives_.push_back({node.get()});
    world_.processes.push_back(std::move(node));
  }

  void make_cluster() {
    const SimulationOptions& options = world_.options;
    const auto count = static_cast<std::uint32_t>(options.nodes.size());
    std::vector<std::string> names;
    for (std::uint32_t rank = 0; rank < count; ++rank) names.push_back(node_name(options, rank));
    engine::Membership membership(options.engine, options.lease_seconds, names);
    if (options.start.enabled) {
      world_.run.begun = false;
      CounterRng random(options.seed, Purpose::faults, kStartStream);
      for (std::uint32_t rank = 0; rank < count; ++rank) {
        begins_.push_back(options.start.spread_seconds * random.unit());
        loads_.push_back(options.start.load_seconds * random.unit());
        add(std::make_unique<NodeLoop>(world_, rank, make_model_(), loads_.back(), 0));
      }
    } else {
      join_all(membership);
      for (std::uint32_t rank = 0; rank < count; ++rank) {
        add(std::make_unique<NodeLoop>(world_, rank, make_model_(), membership.roster()));
      }
    }
    const auto& make_model = options.driver_model ? options.driver_model : make_model_;
    auto driver = std::make_unique<DriverLoop>(world_, std::move(membership), make_model());
    driver_ = driver.get();
    world_.processes.push_back(std::move(driver));
  }

  void join_all(engine::Membership& membership) const {
    for (std::uint32_t rank = 0; rank < world_.options.nodes.size(); ++rank) membership.join(hello_of(rank), 0);
    const Status begun = membership.begin();
    STRADS_CHECK(begun.ok(), begun.message());
    for (std::uint32_t rank = 0; rank < membership.size(); ++rank) (void)membership.on_loaded(rank, wire::Loaded{});
  }

  [[nodiscard]] wire::Hello hello_of(std::uint32_t rank) const {
    const SimulatedNode& node = world_.options.nodes[rank];
    wire::Hello hello;
    hello.name = node_name(world_.options, rank);
    hello.process = rank + 1;
    hello.endpoint = std::to_string(rank + 1);
    hello.roles = static_cast<std::uint8_t>((node.schedules ? wire::kAcceptsScheduler : 0) |
                                            (node.works ? wire::kAcceptsWorker : 0));
    return hello;
  }

  void begin(std::uint32_t rank) {
    Process& process = *world_.processes[rank];
    if (rank >= begins_.size()) return process.begin();
    world_.queue.at(time_of(begins_[rank]), [&process] { process.begin(); });
  }

  void schedule_faults() {
    for (std::uint32_t rank = 0; rank < lives_.size(); ++rank) {
      const double slowdown = world_.faults->slowdown(rank);
      if (slowdown != 1) lives_[rank].front()->set_slowdown(slowdown);
    }
    for (const TimedFault& fault : world_.faults->timed()) {
      world_.queue.at(time_of(fault.at), [this, fault] { happen(fault); });
    }
  }

  void happen(const TimedFault& fault) {
    if (fault.kind == FaultKind::all_leave) return ask_all_to_leave(fault);
    Process& process = *world_.processes[fault.rank];
    if (!process.alive()) return;
    if (fault.kind == FaultKind::damage) return process.damage();  // counted where it shows
    if (world_.started && !world_.run.ended) world_.hits.count(fault.kind);
    if (!world_.started) note_at_start(fault);
    switch (fault.kind) {
      case FaultKind::freeze:
        return process.freeze(world_.queue.now() + time_of(fault.lasts));
      case FaultKind::cut:
        process.close(fault.peer, world_.processes[fault.peer]->process_id());
        return world_.processes[fault.peer]->close(fault.rank, process.process_id());
      case FaultKind::partition:
        return;  // messages and connections ask the plan
      case FaultKind::leave:
        return process.ask_to_leave();
      case FaultKind::restart:
        world_.queue.at(world_.queue.now() + time_of(fault.lasts), [this, rank = fault.rank] { start_again(rank); });
        return process.kill();
      default:
        return process.kill();
    }
  }

  void ask_all_to_leave(const TimedFault& fault) {
    if (world_.started && !world_.run.ended) world_.hits.count(fault.kind);
    if (!world_.run.ended) world_.run.early_end = EarlyEnd::all;
    for (std::uint32_t k = 0; k < fault.peer; ++k) {
      const std::uint32_t place = (fault.rank + k) % fault.peer;
      world_.queue.at(time_of(fault.at + fault.lasts * k / fault.peer), [this, fault, place] {
        Process& process = *world_.processes[place];
        if (!process.alive()) return;
        if (!world_.started && &process != driver_) note_at_start(fault);
        process.ask_to_leave();
      });
    }
  }

  void note_at_start(const TimedFault& fault) {
    const bool joining = !driver_->begun();
    const bool kills = fault.kind != FaultKind::cut && fault.kind != FaultKind::partition &&
                       fault.kind != FaultKind::freeze;  // or it goes
    if (kills) {
      world_.starts.count(joining ? StartHit::killed_joining : StartHit::killed_loading);
    } else {
      world_.starts.count(joining ? StartHit::away_joining : StartHit::away_loading);
    }
    // Nobody has a role yet: a run may miss whoever is killed, and may end if no other process comes.
    if (!kills || !joining) return;
    double& lethal_at = world_.run.lethal_at;
    lethal_at = lethal_at < 0 ? fault.at : std::min(lethal_at, fault.at);
    world_.run.lethal_last = std::max(world_.run.lethal_last, fault.at);
  }

  /// It asks to join, late where the runs have begun.
  void start_again(std::uint32_t rank) {
    auto& place = world_.processes[rank];
    const auto life = static_cast<std::uint32_t>(lives_[rank].size());
    const double load = loads_.empty() ? 0 : loads_[rank];
    auto node = std::make_unique<NodeLoop>(world_, rank, make_model_(), load, life);
    lives_[rank].push_back(node.get());
    world_.replaced.push_back(std::exchange(place, std::move(node)));
    place->begin();
  }

  /// The process at this place that took part; the first one if none did.
  [[nodiscard]] const NodeLoop* member(std::uint32_t rank) const {
    for (const NodeLoop* node : lives_[rank]) {
      if (node->stage() != engine::NodeStage::joining) return node;
    }
    return lives_[rank].front();
  }

  [[nodiscard]] bool in_time() const {
    const double limit = world_.options.give_up_seconds;
    return limit <= 0 || seconds_of(world_.queue.now()) < limit;
  }

  /// Of the first node that has taken the verdict to stop.
  [[nodiscard]] std::uint64_t state_hash() const {
    for (std::uint32_t rank = 0; rank < lives_.size(); ++rank) {
      const engine::Node* node = member(rank)->node();
      // A model that keeps no checkpoints cannot be where the run was lost.
      const bool has_state = node != nullptr && node->replica().current() != nullptr;
      if (has_state && node->stopped()) return hash_of(node->replica().current()->content());
    }
    return 0;
  }

  [[nodiscard]] bool anybody_alive() const {
    return std::any_of(world_.processes.begin(), world_.processes.end(), [](const auto& p) { return p->alive(); });
  }

  void audit_end(std::uint32_t place, bool ended, const RunEnd& end) {
    std::map<std::uint32_t, const engine::Node*> finished;
    for (std::uint32_t rank = 0; rank < lives_.size(); ++rank) {
      const NodeLoop* node = member(rank);
      if (!node->killed() && node->node(place) != nullptr) finished.emplace(rank, node->node(place));
    }
    Auditor& auditor = *world_.auditors[place];
    if (ended) auditor.on_end(end);
    auditor.at_end(ended && end.status.ok(), finished);
    if (!world_.run.violation.has_value()) world_.run.violation = auditor.violation();
  }

  SimulatedRun report() {
    SimulatedRun& run = world_.run;
    if (!world_.auditors.empty()) audit_end(0, run.ended, run.end);
    for (std::uint32_t further = 1; further < world_.auditors.size() && further <= run.further.size(); ++further) {
      FurtherEnd& end = run.further[further - 1];
      audit_end(further, end.ended, end.end);
      end.state_hash = world_.auditors[further]->final_hash();
    }
    run.seconds = seconds_of(world_.end_time);
    run.events = world_.queue.happened();
    run.log_hash = world_.trace.hash();
    for (std::uint32_t rank = 0; rank < lives_.size(); ++rank) {
      run.processes.push_back(member(rank)->use());
      run.processes.back().doomed = world_.faults != nullptr && world_.faults->doomed()[rank];
    }
    if (driver_ != nullptr) run.processes.push_back(driver_->use());
    for (std::uint32_t rank = 0; rank < lives_.size(); ++rank) {
      for (const NodeLoop* node : lives_[rank]) {
        if (node != member(rank)) run.returned.push_back(node->use());
      }
    }
    run.state_hash = state_hash();
    for (std::size_t kind = 0; kind < kTaskKinds; ++kind) {
      double seconds = 0;
      for (std::uint32_t rank = 0; rank < lives_.size(); ++rank) seconds += member(rank)->processors().seconds()[kind];
      run.task_seconds.push_back({task_name(static_cast<engine::TaskKind>(kind)), seconds});
    }
    run.hits = world_.hits.tallies();
    if (world_.options.start.enabled) run.starts = world_.starts.tallies();
    const std::uint64_t reassigned = driver_ == nullptr ? 0 : driver_->reassigned();
    run.recoveries = {
        {"resend", world_.repeated},           {"reassign", reassigned},
        {"duplicate dropped", world_.dropped}, {"early commit held", world_.early_commits},
        {"rejoin", world_.rejoined},           {"moved elsewhere", driver_ == nullptr ? 0 : driver_->moved()},
        {"joined late", world_.joined_late},   {"second worker", world_.second_workers}};
    return std::move(run);
  }

  World world_;
  std::function<std::shared_ptr<Model>()> make_model_;
  std::vector<double> begins_, loads_;         ///< seconds, by rank; empty: all have loaded when the run begins
  std::vector<std::vector<NodeLoop*>> lives_;  ///< by rank: its processes, one after the other
  DriverLoop* driver_ = nullptr;
};

}  // namespace

SimulatedRun simulate(const std::function<std::shared_ptr<Model>()>& make_model, const SimulationOptions& options,
                      const SimulationHooks& hooks) {
  return Simulation(make_model, options, hooks).run();
}

}  // namespace strads::sim
