#include <algorithm>
#include <map>
#include <utility>

#include "sim/audit_hashes.hpp"
#include "sim/driver_loop.hpp"
#include "sim/node_loop.hpp"
#include "sim/returned_node.hpp"
#include "strads/simulate.hpp"
#include "strads/status.hpp"

namespace strads::sim {
namespace {

class Simulation {
 public:
  Simulation(const std::function<std::shared_ptr<Model>()>& make_model, const SimulationOptions& options,
             const SimulationHooks& hooks)
      : world_(options, hooks) {
    check(options);
    for (const SimulatedHost& host : options.hosts) world_.cores.push_back({std::max(1U, host.cores), 0});
    if (options.audit) world_.auditor = std::make_unique<Auditor>(make_model(), options.engine);
    if (options.faults.enabled) {
      world_.faults = std::make_unique<FaultPlan>(options);
      world_.run.faults = world_.faults->lines();
      world_.run.lethal_at = world_.faults->lethal_at();
    }
    options.embedded ? make_embedded(make_model) : make_cluster(make_model);
  }

  SimulatedRun run() {
    for (auto& process : world_.processes) process->begin();
    if (world_.faults != nullptr) schedule_faults();
    while (anybody_alive() && in_time() && world_.queue.step()) {
    }
    return report();
  }

 private:
  static void check(const SimulationOptions& options) {
    STRADS_CHECK(!options.nodes.empty() && options.driver_host < options.hosts.size(), "a cluster has nodes and hosts");
    STRADS_CHECK(!options.embedded || options.nodes.size() == 1, "embedded is one process");
    STRADS_CHECK(!options.faults.enabled || options.watch_liveness, "faults are noticed by watching");
    for (const SimulatedNode& node : options.nodes) {
      STRADS_CHECK(node.host < options.hosts.size(), "every node has a host");
    }
  }

  void make_embedded(const std::function<std::shared_ptr<Model>()>& make_model) {
    const auto roster = engine::Roster::round_robin(1, world_.options.engine);
    nodes_.push_back(static_cast<NodeLoop*>(
        world_.processes.emplace_back(std::make_unique<NodeLoop>(world_, 0, roster, make_model())).get()));
  }

  void make_cluster(const std::function<std::shared_ptr<Model>()>& make_model) {
    const SimulationOptions& options = world_.options;
    engine::Membership membership(options.engine, options.lease_seconds);
    for (std::uint32_t rank = 0; rank < options.nodes.size(); ++rank) membership.join(hello_of(rank), 0);
    const Status begun = membership.begin();
    STRADS_CHECK(begun.ok(), begun.message());
    for (std::uint32_t rank = 0; rank < options.nodes.size(); ++rank) {
      membership.set_incarnation(rank, 0);
      (void)membership.on_loaded(rank, wire::Loaded{});
    }
    for (std::uint32_t rank = 0; rank < options.nodes.size(); ++rank) {
      nodes_.push_back(static_cast<NodeLoop*>(
          world_.processes.emplace_back(std::make_unique<NodeLoop>(world_, rank, membership.roster(), make_model()))
              .get()));
    }
    auto driver = std::make_unique<DriverLoop>(world_, std::move(membership), make_model());
    driver_ = driver.get();
    world_.processes.push_back(std::move(driver));
  }

  [[nodiscard]] wire::Hello hello_of(std::uint32_t rank) const {
    const SimulatedNode& node = world_.options.nodes[rank];
    const std::string& host = world_.options.hosts[node.host].name;
    wire::Hello hello;
    hello.name = host.empty() ? "host" + std::to_string(node.host) : host;
    hello.process = rank + 1;
    hello.endpoint = "node " + std::to_string(rank);
    hello.roles = static_cast<std::uint8_t>((node.schedules ? wire::kAcceptsScheduler : 0) |
                                            (node.works ? wire::kAcceptsWorker : 0));
    return hello;
  }

  void schedule_faults() {
    for (std::uint32_t rank = 0; rank < nodes_.size(); ++rank) {
      const double slowdown = world_.faults->slowdown(rank);
      if (slowdown != 1) nodes_[rank]->set_slowdown(slowdown);
    }
    for (const TimedFault& fault : world_.faults->timed()) {
      world_.queue.at(time_of(fault.at), [this, fault] { happen(fault); });
    }
  }

  void happen(const TimedFault& fault) {
    Process& process = *world_.processes[fault.rank];
    if (!process.alive()) return;
    if (world_.started && !world_.run.ended) world_.hits.note(fault.kind);
    switch (fault.kind) {
      case FaultKind::freeze:
        return process.freeze(world_.queue.now() + time_of(fault.lasts));
      case FaultKind::cut:
        process.close(fault.peer);
        return world_.processes[fault.peer]->close(fault.rank);
      case FaultKind::partition:
        return;  // messages and connections ask the plan
      case FaultKind::restart:
        world_.queue.at(world_.queue.now() + time_of(fault.lasts), [this, rank = fault.rank] { start_again(rank); });
        return process.kill();
      default:
        return process.kill();
    }
  }

  void start_again(std::uint32_t rank) {
    auto& place = world_.processes[rank];
    const std::uint32_t host = place->host();
    world_.replaced.push_back(std::exchange(place, std::make_unique<ReturnedNode>(world_, rank, host)));
    returned_.push_back(place.get());
    place->begin();
  }

  [[nodiscard]] bool in_time() const {
    const double limit = world_.options.give_up_seconds;
    return limit <= 0 || seconds_of(world_.queue.now()) < limit;
  }

  /// Of the first node that has taken the verdict to stop.
  [[nodiscard]] std::uint64_t state_hash() const {
    for (const NodeLoop* node : nodes_) {
      if (node->node()->stopped()) return hash_of(node->node()->replica().current()->content());
    }
    return 0;
  }

  [[nodiscard]] bool anybody_alive() const {
    return std::any_of(world_.processes.begin(), world_.processes.end(), [](const auto& p) { return p->alive(); });
  }

  SimulatedRun report() {
    SimulatedRun& run = world_.run;
    if (world_.auditor != nullptr) {
      std::map<std::uint32_t, const engine::Node*> finished;
      for (const NodeLoop* node : nodes_) {
        if (!node->killed()) finished.emplace(node->rank(), node->node());
      }
      world_.auditor->at_end(run.ended && run.end.status.ok(), finished);
      run.violation = world_.auditor->violation();
    }
    run.seconds = seconds_of(world_.end_time);
    run.events = world_.queue.happened();
    run.log_hash = world_.trace.hash();
    for (const NodeLoop* node : nodes_) run.processes.push_back(node->use());
    if (driver_ != nullptr) run.processes.push_back(driver_->use());
    for (const Process* process : returned_) run.returned.push_back(process->use());
    run.state_hash = state_hash();
    for (std::size_t kind = 0; kind < kTaskKinds; ++kind) {
      double seconds = 0;
      for (const NodeLoop* node : nodes_) seconds += node->processors().seconds()[kind];
      run.task_seconds.push_back({task_name(static_cast<engine::TaskKind>(kind)), seconds});
    }
    run.hits = world_.hits.tallies();
    const std::uint64_t reassigned = driver_ == nullptr ? 0 : driver_->reassigned();
    run.recoveries = {{"resend", world_.repeated},
                      {"reassign", reassigned},
                      {"duplicate dropped", world_.dropped},
                      {"early commit held", world_.early_commits},
                      {"rejoin", world_.rejoined}};
    return std::move(run);
  }

  World world_;
  std::vector<NodeLoop*> nodes_;
  std::vector<const Process*> returned_;
  DriverLoop* driver_ = nullptr;
};

}  // namespace

SimulatedRun simulate(const std::function<std::shared_ptr<Model>()>& make_model, const SimulationOptions& options,
                      const SimulationHooks& hooks) {
  return Simulation(make_model, options, hooks).run();
}

}  // namespace strads::sim
