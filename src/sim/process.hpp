// One simulated process: a loop that handles one thing at a time, as src/transport's loops do. Layer: sim. Pure.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "engine/rounds/effects.hpp"
#include "engine/rounds/node.hpp"
#include "engine/session/reached.hpp"
#include "sim/audit/auditor.hpp"
#include "sim/event_queue.hpp"
#include "sim/faults.hpp"
#include "sim/network.hpp"
#include "sim/processors.hpp"
#include "sim/trace.hpp"
#include "strads/sim/simulate.hpp"
#include "wire/address.hpp"
#include "wire/framing.hpp"
#include "wire/print.hpp"

namespace strads::sim {

class Process;

/// One message on its way.
struct Parcel {
  std::uint32_t from = 0;     ///< place of the sender
  std::uint64_t process = 0;  ///< its process id
  std::uint64_t to = 0;       ///< that of the receiver; 0: whoever is at that place when the message arrives
  std::uint32_t run = 0;      ///< of the cluster; wire::kNoRun: of the control channel
  std::size_t bytes = 0;
  std::vector<wire::Frames> chunks;
};

/// What all processes of a run share.
struct World {
  World(const SimulationOptions& simulation, const SimulationHooks& listeners)
      : options(simulation),
        hooks(listeners),
        network(simulation.network, simulation.hosts.size(), simulation.seed),
        trace(listeners.trace) {}

  const SimulationOptions& options;
  const SimulationHooks& hooks;
  EventQueue queue;
  Network network;
  Trace trace;
  std::vector<Cores> cores;                            ///< by host
  std::vector<std::unique_ptr<Process>> processes;     ///< by place (nodes have the rank of theirs), the driver last
  std::vector<std::unique_ptr<Process>> replaced;      ///< ended, and started again as another process
  std::vector<std::unique_ptr<Auditor>> auditors;      ///< by the run's place; empty: nobody looks
  std::function<std::shared_ptr<Model>()> make_model;  ///< of the first run
  std::unique_ptr<FaultPlan> faults;
  FaultCounts hits;
  StartCounts starts;
  std::uint64_t early_commits = 0;  ///< held until the ones before came
  std::uint64_t repeated = 0;       ///< counted when a process ends
  std::uint64_t dropped = 0;
  std::uint64_t second_workers = 0;
  std::uint64_t rejoined = 0;
  std::uint64_t joined_late = 0;
  bool started = false;  ///< START was sent: rounds may be in flight
  SimulatedRun run;
  Time end_time = 0;

  /// A process took a message for one that no process of a run sends: in earnest its sender would be expelled.
  void note_refused(const std::string& by, const wire::Message& message) {
    if (!run.violation.has_value()) run.violation = by + " would expel who sent it " + wire::to_text(message);
  }
};

class Process {
 public:
  /// `life`: so often was a process at this place started before.
  Process(World& world, std::uint32_t rank, std::uint32_t host, std::string name, std::uint32_t life = 0);
  virtual ~Process() = default;
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  /// At the beginning of the run.
  void begin();
  /// A message has come through the network.
  void arrive(std::shared_ptr<const Parcel> parcel);

  /// kill -9.
  void kill();
  /// SIGTERM.
  virtual void ask_to_leave() {}
  /// What it says next of its replica for a checkpoint is wrong.
  virtual void damage() {}
  /// Nothing is handled before `until`; what comes waits.
  void freeze(Time until);
  /// Its connection to another process has ended; it hears of it when it gets to it.
  void close(std::uint32_t rank, std::uint64_t process);
  /// Computing takes so much longer from now on.
  virtual void set_slowdown(double slowdown) { slowdown_ = slowdown; }
  [[nodiscard]] bool alive() const noexcept { return alive_; }
  [[nodiscard]] bool killed() const noexcept { return killed_; }
  /// It can answer: lives, and is not frozen.
  [[nodiscard]] bool awake() const { return alive_ && world_.queue.now() >= frozen_until_; }
  /// Differs from that of every other process of a run.
  [[nodiscard]] std::uint64_t process_id() const noexcept { return process_id_; }
  [[nodiscard]] std::uint32_t rank() const noexcept { return rank_; }
  [[nodiscard]] std::uint32_t host() const noexcept { return host_; }
  [[nodiscard]] const std::string& name() const noexcept { return name_; }
  [[nodiscard]] virtual SimulatedUse use() const { return use_; }
  /// Of the run of a place; nullptr: it holds none.
  [[nodiscard]] virtual const engine::Node* node(std::uint32_t /*place*/ = 0) const { return nullptr; }
  /// Another process has ended, or the connection to it: `process` is its id.
  virtual void on_closed(std::uint32_t rank, std::uint64_t process) = 0;

 protected:
  struct Work {
    bool looks = false;  ///< at timers
    std::function<void()> run;
    bool wakes = false;  ///< the loop slept when this came
  };

  virtual void on_begin() = 0;
  virtual void on_message(const Parcel& parcel, wire::Message message) = 0;
  /// Every 50 ms.
  virtual void on_look() {}
  virtual void on_killed() {}

  /// Puts something to do at the end of the loop's queue.
  void post(std::function<void()> work) { post(Work{false, std::move(work)}); }
  /// The loop is busy with what it does now for so long; on the reference machine: slowdown() is a factor on top.
  void spend(double seconds);
  [[nodiscard]] double slowdown() const noexcept { return slowdown_; }
  /// When what is being handled now has come to this point.
  [[nodiscard]] Time cursor() const noexcept { return cursor_; }
  /// `run`: the message's, or wire::kNoRun. `process`: the receiver's id; what is sent to one that has ended is lost.
  /// 0: whoever is there.
  void send(std::uint32_t to, const wire::Message& message, std::uint32_t run, std::uint64_t process = 0);
  /// Whether a connection to that process can be made now.
  [[nodiscard]] bool reaches(std::uint32_t rank, std::uint64_t process) const;
  /// The auditor of the run at this place sees what is sent before anything can happen to it. `sender`: nullptr for a
  /// coordinator that is apart.
  void note_sent(std::uint32_t place, const wire::Envelope& envelope, const engine::Node* sender) const;
  /// Progress of a run for whoever listens to the first one; true: the runs should end with their next commits.
  bool tell(std::uint32_t place, std::vector<ProgressEvent>&& events);
  /// Ends in order: nothing happens here any more.
  void leave(const std::string& why);
  void say(const std::string& what);

  World& world_;

 private:
  void post(Work work);
  void serve();
  void thaw();
  void look();
  void ship(std::uint32_t to, std::shared_ptr<const Parcel> parcel, std::uint8_t type);
  void gone();

  std::uint32_t rank_;
  std::uint32_t host_;
  std::uint64_t process_id_;
  std::string name_;
  bool alive_ = true;
  bool killed_ = false;
  bool serving_ = false;
  bool woken_ = false;                         ///< by what is being handled
  std::map<std::uint32_t, Time> awake_until_;  ///< by receiver: what sends to it is still at work, beside the loop
  bool asked_to_finish_ = false;
  Time frozen_until_ = 0;
  Time cursor_ = 0;
  double slowdown_ = 1;
  std::deque<Work> inbox_;
  wire::Decoder decoder_;
  SimulatedUse use_;
};

/// How people know the node at a place.
[[nodiscard]] std::string node_name(const SimulationOptions& options, std::uint32_t rank);

/// Every process looks at its timers so often.
inline constexpr double kLookSeconds = 0.05;

}  // namespace strads::sim
