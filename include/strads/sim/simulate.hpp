// A whole cluster in one thread under virtual time: the engine's own state machines, messages through the real codec,
// simulated links, processors and faults. Layer: sim. Pure.
//
// Arithmetic is done for real, so that objectives, coefficients and hashes are those of a real run with the same
// options; only time is made up: what a task computed is counted and priced (CostConstants). docs/SIMULATION.md says
// what is faked and how far predictions are off.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "strads/base/random.hpp"
#include "strads/engine/checkpoint.hpp"
#include "strads/engine/options.hpp"
#include "strads/engine/progress.hpp"
#include "strads/sim/model_audit.hpp"

namespace strads {
class Model;  // strads/engine/model.hpp
}  // namespace strads

namespace strads::sim {

/// A message that names a variable or two is not longer, and its bytes are part of CostConstants::handler.
inline constexpr std::size_t kShortMessage = 128;

/// What counted work costs on one core of a reference machine, in seconds; `strads_sim calibrate` measures them.
struct CostConstants {
  double streamed_flop = 4.2e-11;   ///< one flop of a pass over columns of the data
  double quantised_flop = 1.8e-11;  ///< the same of a pass in whole numbers that stands for it
  double swept_flop = 5.2e-11;      ///< one of those that go over some thousand columns again and again, one at a time
  double scattered_flop = 8e-11;    ///< one of those over columns here and there, which no cache has ready
  double tiled_flop = 2.45e-11;     ///< one flop of a tiled product of pairs of columns
  double local_flop = 1.0e-10;      ///< any other flop: inner solves, vectors as long as a column
  double fresh_byte = 5.0e-10;      ///< a byte of memory that is filled for the first time: its page must be found
  double gathered_byte = 1.0e-10;   ///< a byte of short records that lie here and there: factors of users and items
  double handler = 3.1e-7;          ///< bookkeeping of one event of the engine
  double handler_byte = 4.0e-9;     ///< each byte of its message beyond the first kShortMessage
  double task = 6.0e-7;             ///< calling one task on the thread of the loop
  double hand_over = 2.2e-6;        ///< giving a task to another thread and hearing of its end
  double message = 7.5e-6;          ///< sending or receiving one message, at each end
  double message_more = 3.5e-6;     ///< one that follows another without a pause: no call and no waking up of its own
  double message_byte = 3.1e-10;    ///< the same for each of its bytes
};

/// The links of a cluster. Each host has one way out and one way in; what goes through it queues.
struct NetworkConstants {
  double latency = 2.5e-5;        ///< seconds one way between two hosts
  double local_latency = 1.2e-5;  ///< between two processes of one host
  double bandwidth = 1.25e9;      ///< bytes a second out of or into a host
  double jitter = 0;              ///< mean of an exponential delay on top, as a share of the latency
};

struct SimulatedHost {
  std::string name;
  unsigned cores = 2;
  double slowdown = 1;  ///< its computing takes so much longer than on the reference machine
};

/// One stradsd.
struct SimulatedNode {
  std::uint32_t host = 0;
  bool schedules = true;  ///< accepts scheduler roles
  bool works = true;      ///< accepts worker roles
  unsigned threads = 0;   ///< that execute tasks; 0: the cores of its host
};

/// Faults that a run may meet. Which of them a seed has at all is drawn first (swarm testing), then when and where.
struct FaultOptions {
  bool enabled = false;
  double horizon_seconds = 2;     ///< faults begin within so much virtual time
  bool losing_schedulers = true;  ///< a scheduler or the driver may be lost as well, which ends the run
};

/// How a cluster comes together: nodes are started, say HELLO, are welcomed when all are there, and read their data.
/// Faults may happen from the first moment on.
struct StartOptions {
  bool enabled = false;          ///< false: the run begins with all nodes joined and loaded
  double spread_seconds = 0;     ///< nodes are started within so much virtual time
  double load_seconds = 0;       ///< each reads its data for up to so long
  double patience_seconds = 60;  ///< all must have joined by then
};

/// Another run on the same cluster, at the same time.
struct FurtherRun {
  EngineOptions engine{};  ///< as many schedulers and workers as those of the first run
  std::function<std::shared_ptr<Model>()> make_model;
  std::function<std::unique_ptr<ModelAudit>()> make_audit{};  ///< may be empty, as the next ones
  /// The driver's own model, where it differs from those of the nodes: its judge may look at other runs.
  std::function<std::shared_ptr<Model>()> driver_model{};
  /// As those of RunRequest (strads/transport/embedded_runs.hpp).
  std::optional<std::uint32_t> placed_as{};
  std::function<bool()> may_begin{}, may_judge{};
};

struct SimulationOptions {
  EngineOptions engine{};
  std::vector<FurtherRun> further{};                       ///< runs 1, 2 ... of the cluster; embedded there are none
  std::function<std::shared_ptr<Model>()> driver_model{};  ///< of run 0: as FurtherRun::driver_model
  std::function<void(std::uint32_t run)> run_ended{};      ///< told when the driver has a run's end; may be empty
  std::vector<SimulatedHost> hosts;
  std::vector<SimulatedNode> nodes;  ///< by rank; roles are dealt as a driver deals them
  std::uint32_t driver_host = 0;
  bool embedded = false;  ///< one process holds the coordinator and all roles: nodes must be one
  CostConstants costs;
  /// Tasks with fewer flops run on the loop, as in production (src/transport/task_runner.cpp): they are done before
  /// another thread has woken up.
  std::uint64_t small_task_flops = 100'000;
  double thread_wait_seconds = 0;  ///< mean time until a thread takes a larger task: the rest of the host is busy
  NetworkConstants network;
  std::uint64_t seed = 1;  ///< of jitter and faults; the run's own seed is engine.seed
  FaultOptions faults;
  StartOptions start;
  std::shared_ptr<const RunCheckpoint> from{};  ///< run 0 goes on there; null: it begins. Wants StartOptions, no audit
  bool audit = false;                           ///< check everything at every commit; costs more than the run
  bool watch_liveness = true;                   ///< beats, leases, repetition after quiet; always on with faults
  double lease_seconds = 15;
  double virtual_seconds_max = 0;  ///< then the coordinator is asked to finish; 0: no limit
  double give_up_seconds = 0;      ///< then the simulation stops, whoever is still alive: a run that hangs; 0: no limit
};

/// What happened to one process.
struct SimulatedUse {
  std::string name;
  double busy_seconds = 0;  ///< core-seconds of tasks
  double loop_seconds = 0;  ///< its loop handled something
  double plan_wait_seconds = 0;
  std::uint64_t messages = 0, bytes = 0;  ///< sent to other processes
  std::uint64_t updates = 0, blocks = 0;
  std::string left;         ///< why it ended; empty: it never did
  double gone_seconds = 0;  ///< virtual, when it had
  bool doomed = false;      ///< a node that was to be lost, or to leave alone
  bool begun = true;        ///< it took part in a run: a node that the driver has welcomed, a driver that had all nodes
};

/// How often something happened, by name, in a fixed order.
struct Tally {
  std::string name;
  std::uint64_t count = 0;
};

/// Core-seconds of one kind of task.
struct KindSeconds {
  std::string name;
  double seconds = 0;
};

/// How a further run ended.
struct FurtherEnd {
  bool ended = false;
  RunEnd end;
  std::uint64_t state_hash = 0;  ///< XXH3-64 of its final replica, where it was audited
};

/// Who was asked to leave, so that a run may end before its time.
enum class EarlyEnd : std::uint8_t {
  none,
  last_ones,  ///< all that were left when others had been lost
  all         ///< everybody
};

struct SimulatedRun {
  RunEnd end;
  bool ended = false;             ///< the coordinator announced an end (also a failure): false is a run that hangs
  double seconds = 0;             ///< virtual, until the end
  double seconds_until_gone = 0;  ///< virtual, until the last living process had left
  std::vector<SimulatedUse> processes;    ///< by rank, the driver last
  std::vector<SimulatedUse> returned;     ///< processes started again after a crash, in that order
  std::vector<KindSeconds> task_seconds;  ///< core-seconds by kind of task
  std::vector<std::string> faults;        ///< what this seed had in store, one line each
  std::vector<Tally> hits;                ///< faults that hit a round in flight, by kind
  std::vector<Tally> starts;              ///< faults that hit the start: killed or away, while joining or loading ...
  std::vector<Tally> recoveries;    ///< resend, reassign, duplicate dropped, early commit held, rejoin, second worker
  std::vector<FurtherEnd> further;  ///< by number, from 1 on
  /// The last two that the driver has made of run 0, the newest last.
  std::vector<std::shared_ptr<const RunCheckpoint>> checkpoints;
  std::uint64_t events = 0;
  std::uint64_t log_hash = 0;            ///< XXH3-64 of all trace lines, whether or not anybody asked for them
  std::uint64_t state_hash = 0;          ///< XXH3-64 of a replica that was told the end; 0: there is none
  double lethal_at = -1;                 ///< somebody without whom a run may end was to be lost then; < 0: nobody
  double lethal_last = -1;               ///< and the last such loss
  bool begun = true;                     ///< all nodes had joined
  EarlyEnd early_end = EarlyEnd::none;   ///< it may end before its time
  std::optional<std::string> violation;  ///< the first rule that was broken: which, where, what was found
};

struct SimulationHooks {
  /// Every progress event with its virtual time; true asks the coordinator to end the run with the next commit.
  std::function<bool(const ProgressEvent&, double seconds)> observe{};
  /// One line an event.
  std::function<void(const std::string&)> trace{};
  /// For planted bugs: false, and a message of this type is never sent. Empty: all are.
  std::function<bool(std::uint32_t from, std::uint32_t to, std::uint8_t type)> passes{};
  /// What knows the model's own rules, for SimulationOptions::audit; empty: the rules of the protocol alone.
  std::function<std::unique_ptr<ModelAudit>()> make_audit{};
};

/// Runs until everybody has left or nothing is left to happen. `make_model` is called once a process; models may share
/// what is const (the mapped data). Deterministic: the same options, the same trace, byte for byte.
[[nodiscard]] SimulatedRun simulate(const std::function<std::shared_ptr<Model>()>& make_model,
                                    const SimulationOptions& options, const SimulationHooks& hooks);

// --- many seeds -----------------------------------------------------------------------------------------------------

/// A small cluster with faults and audit, drawn from a seed: 2 to 6 nodes on 1 to 4 hosts, S 1 to 4, P 1 to 8, D 1 to
/// S, in some seeds with schedulers apart from workers; at most a hundred rounds.
[[nodiscard]] SimulationOptions draw_small_cluster(std::uint64_t seed);

/// What it is: hosts and nodes with their roles, sizes, links; one line each.
[[nodiscard]] std::vector<std::string> cluster_lines(const SimulationOptions& options);
/// Which kinds of faults its seed has at all, then each fault that was drawn; one line each. As SimulatedRun::faults.
[[nodiscard]] std::vector<std::string> fault_lines(const SimulationOptions& options);

/// How a disk was left by a driver that was lost.
enum class DiskState : std::uint8_t { whole, write_cut_off, truncated, flipped_byte };
/// What can be read from a disk to which these were written, in order; the newest file is as `state` says. null: no
/// checkpoint is whole. `random`: where it is cut, which byte.
using SwarmDisk = std::function<std::shared_ptr<const RunCheckpoint>(
    std::span<const std::shared_ptr<const RunCheckpoint>> written, DiskState state, CounterRng& random)>;

/// What the processes of a seed compute.
struct SwarmSubject {
  std::function<std::shared_ptr<Model>()> make_model;
  std::function<std::unique_ptr<ModelAudit>()> make_audit{};  ///< may be empty
  SwarmDisk disk{};                                           ///< may be empty: nothing is resumed
};
/// For a seed and its engine options. Called once a seed.
using SwarmModels = std::function<SwarmSubject(std::uint64_t seed, const EngineOptions& engine)>;

struct SwarmOutcome {
  SimulatedRun run;
  bool ended_by_loss = false;            ///< as its plan of faults allowed
  bool ended_early = false;              ///< in order, since all were to leave: with results, or before the first round
  std::string resumed{};                 ///< then, from which checkpoint on another cluster; empty: it was not
  std::optional<std::string> violation;  ///< the run's own, or: other results than without faults, an end that was too
                                         ///< late or nameless, a run that hangs or was lost although nothing was lethal
};

/// The same problem in one process, without time, links and faults: what a run with them is compared with.
[[nodiscard]] SimulatedRun run_undisturbed(const SimulationOptions& disturbed,
                                           const std::function<std::shared_ptr<Model>()>& make_model);

/// Whether a run with faults may have gone as it did. `options`: what it was promised, above all its lease. `further`:
/// what is expected of each further run.
[[nodiscard]] SwarmOutcome judge_run(SimulatedRun finished, const SimulationOptions& options,
                                     const SimulatedRun& expected, const std::vector<SimulatedRun>& further = {});

/// Runs the cluster of a seed with its faults, and one embedded process without, and compares. In one of eight seeds
/// the cluster hosts three runs at a time, each of which must have the bits that it has alone. A run that was lost, and
/// had the cluster for itself, is resumed from what the disk holds, on another cluster.
[[nodiscard]] SwarmOutcome run_swarm_seed(std::uint64_t seed, const SwarmModels& models,
                                          const SimulationHooks& hooks = {});

/// "strads_sim --seed 7 --trace".
[[nodiscard]] std::string replay_command(std::uint64_t seed);

struct SwarmReport {
  std::uint64_t runs = 0;
  std::uint64_t ended_by_loss = 0;
  std::uint64_t ended_early = 0;
  std::uint64_t events = 0;
  double virtual_seconds = 0;
  std::vector<Tally> hits;        ///< faults that hit a round in flight, by kind
  std::vector<Tally> starts;      ///< faults that hit the start
  std::vector<Tally> recoveries;  ///< resend, reassign, duplicate dropped, early commit held, rejoin, second worker
  std::vector<Tally> resumed;     ///< SwarmOutcome::resumed
  struct Violation {
    std::uint64_t seed = 0;
    std::string what;
  };
  std::vector<Violation> violations;

  void add(std::uint64_t seed, const SwarmOutcome& outcome);
  /// That of other seeds.
  void add(const SwarmReport& other);
  /// Every kind of fault, also of the start, and every recovery that came less often than `least`: so many seeds prove
  /// too little.
  [[nodiscard]] std::vector<std::string> too_rare(std::uint64_t least) const;
  /// For people; each violation with its replay command.
  [[nodiscard]] std::vector<std::string> lines() const;
};

/// Seeds first, first + step, first + 2 step ... below `end`, on the calling thread. `stop`, asked before each seed,
/// may be empty.
[[nodiscard]] SwarmReport run_swarm(std::uint64_t first, std::uint64_t end, std::uint64_t step,
                                    const SwarmModels& models, const std::function<bool()>& stop = {});

}  // namespace strads::sim
