// Runs a cluster of processes over ZeroMQ: the driver's half and a node's half. Layer: transport.
// The protocol: docs/PROTOCOL.md. How it is used: docs/CLUSTER.md.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "strads/base/refusals.hpp"
#include "strads/base/status.hpp"
#include "strads/engine/checkpoint.hpp"
#include "strads/engine/options.hpp"
#include "strads/engine/progress.hpp"
#include "strads/transport/embedded.hpp"
#include "strads/transport/run_key.hpp"
#include "strads/transport/times.hpp"

namespace strads {

class Model;  // strads/engine/model.hpp

/// Which roles a node accepts.
struct AcceptedRoles {
  bool scheduler = true;
  bool worker = true;
};

// --- the driver -----------------------------------------------------------------------------------------------------

/// What the driver needs to know before anybody has joined.
struct DriverOptions {
  std::string endpoint;            ///< where nodes join: tcp://ADDRESS:PORT (0: any free port) or ipc://PATH
  std::uint32_t nodes = 2;         ///< so many must join before the run begins
  std::vector<std::string> names;  ///< expected names of the nodes, to say who is missing; may be empty
  double start_seconds = 60;       ///< all must have joined by then
  double lease_seconds = 15;       ///< a process without a word for so long counts as lost
  std::string build;               ///< id of this build; nodes of another one are rejected
  std::string simd = "auto";       ///< instruction set of all nodes; auto: the best that every node has
  std::string program;             ///< told to the nodes: which model to make ("lasso fit")
  std::string config;              ///< told to the nodes: the effective options
  std::string folder;              ///< told to the nodes: where relative paths begin
  /// Everything is encrypted and only holders of this key join. Without one: whoever reaches the endpoints.
  std::optional<RunKey> key;
  std::shared_ptr<const RunCheckpoint> resumes = {};  ///< where the first run goes on; null: it begins
  std::string first = {};  ///< told to the nodes, whose `further` makes the first run's models of it; "": `load` does
};

/// A process that the caller had started for this run and that has ended.
struct EndedProcess {
  std::uint64_t process = 0;  ///< process id
  std::string how;            ///< "exit code 4", "signal 9 (Killed): by the kernel, ..."
  bool no_input = false;      ///< it ended with StatusCode::input: what it says of its files is true for the others
};

/// A run besides the first one, on the same nodes.
struct FurtherRunRequest {
  EngineOptions engine;  ///< with as many schedulers and workers as those of the first run
  std::string request;   ///< told to the nodes, whose `further` makes their models of it; below 1 MB
  /// As that of run_driver(), for this run.
  std::function<Result<std::shared_ptr<Model>>()> make_model;
  /// As those of RunRequest (embedded_runs.hpp).
  std::optional<std::uint32_t> placed_as = {};
  std::function<bool()> may_judge = {};
  std::shared_ptr<const RunCheckpoint> resumes = {};
};

struct NodeState;

/// What the driver asks its caller, and tells it, while it runs. All are called on the caller's thread; all optional.
struct DriverHooks {
  /// The endpoint as nodes must give it, once the driver listens (port 0 resolved).
  std::function<Status(const std::string& endpoint)> listening;
  /// Something that a person should see or that belongs into the log: who joined, who is missing, who was lost.
  std::function<void(const std::string& line, bool important)> say;
  std::function<bool(const ProgressEvent&)> observe;  ///< as in run_embedded
  std::function<bool()> finish_requested;             ///< as in run_embedded
  std::function<std::vector<EndedProcess>()> ended_processes;
  /// Further runs, asked many times a second once the first one has begun: they get the numbers 1, 2 ... in this order.
  std::function<std::vector<FurtherRunRequest>()> more_runs;
  /// Of the first run, as FurtherRunRequest::may_judge of the others.
  std::function<bool()> first_may_judge;
  /// Whether further runs may come: while it says so, the cluster stays when no run is left. Without it: no.
  std::function<bool()> more_to_come;
  /// A run has ended, the first one (0) as well. A run that fails ends all.
  std::function<void(std::uint32_t run, const RunEnd& end)> run_ended;
  /// As those of RunsHooks (embedded_runs.hpp), but that checkpoints come without being asked for as well, since a
  /// cluster makes them for itself. `run`: its place in the order in which they were asked for, 0 the first one.
  std::function<bool(std::uint32_t run, Version version)> checkpoint_due;
  std::function<void(std::uint32_t run, const std::shared_ptr<const RunCheckpoint>& checkpoint)> checkpoint;
  /// Asked many times a second: whether all runs are to be given up at once, without results.
  std::function<bool()> give_up;
  /// As `observe`, of the further runs.
  std::function<bool(std::uint32_t run, const ProgressEvent&)> observe_run;
  /// Told every second when tasks ran and messages travelled, of each process. Empty: no process reads a clock for it.
  TimesListener times = {};
  /// Asked many times a second: whether `nodes` is to be told of them all, by rank, those that only wait too.
  std::function<bool()> nodes_wanted;
  std::function<void(const std::vector<NodeState>& nodes)> nodes;
};

/// What one node did, as it told last.
struct NodeReport {
  std::uint32_t rank = 0;
  std::string name;
  std::uint64_t process = 0;
  std::vector<std::uint32_t> schedulers, workers;  ///< roles dealt to it at the start
  bool lost = false;
  bool reported = false;  ///< it told these totals when the run was over; else they are those of its last beat before
  std::uint64_t updates = 0, blocks = 0;
  std::uint64_t messages = 0, bytes = 0;  ///< sent to other processes
  Refusals refused;
  std::uint64_t repeated = 0;
  std::uint64_t second_workers = 0;  ///< times that its schedulers asked one more worker for a block of a late node
  double seconds_running = 0, seconds_waiting = 0, seconds_busy = 0;
  std::uint64_t memory_peak = 0, data_mapped = 0, data_resident = 0;
};

/// One node while it takes part.
struct NodeState {
  NodeReport report;  ///< totals of its last beat
  std::string stage;  ///< "loading the data", "running": for people
  double seconds_since_word = 0;
  bool silent = false;  ///< not heard for a while: others do its work meanwhile
  bool late = false;    ///< others were asked for its blocks as well
  bool left = false;    ///< it has said goodbye
};

struct ClusterRun {
  RunEnd end;  ///< of the first run; status not ok: code cluster with host, rank and cause, or the code of what a node
               ///< found
  MessageTotals traffic;  ///< sent between processes, driver included
  double worker_wait_share =
      0;             ///< share of the run in which a turn had come and its plan was not ready, mean of nodes
  Refusals refused;  ///< what the driver did not take
  std::uint64_t reassigned = 0;  ///< times that the workers were dealt anew
  std::uint64_t moved = 0;       ///< times that the runs went on with other nodes
  std::vector<NodeReport> nodes;
  std::shared_ptr<void> reading;  ///< not null: make_model still reads. Whoever lets go of it last waits for the end
};

/// Listens, waits for the nodes, deals the roles, runs to the end, says goodbye. `make_model` is called once, on a
/// thread of its own, when all nodes are here and the instruction set is chosen; its model serves for make_judge() and
/// fingerprint() alone, so that it touches little of the data.
/// Errors (in end.status): cluster: nobody came in time, a scheduler or all workers were lost, a node left; else what
/// make_model or a node's loader found.
[[nodiscard]] ClusterRun run_driver(const std::function<Result<std::shared_ptr<Model>>()>& make_model,
                                    const EngineOptions& engine, const DriverOptions& options,
                                    const DriverHooks& hooks);

// --- a node ---------------------------------------------------------------------------------------------------------

/// What WELCOME says about the run.
struct RunDescription {
  std::string program;
  std::string config;
  std::string folder;
};

/// The result of a finished run, for those who do not know the model.
struct ResultSummary {
  std::string what;  ///< in a few words, for people: response, size, problem
  std::string hash;  ///< of the whole solution: equal for equal bits
};

/// A model that is ready to be scanned, made on this node.
struct LoadedModel {
  std::shared_ptr<Model> model;
  EngineOptions engine;
  /// Bytes of mapped data files, and how many of them are in memory. May be empty.
  std::function<std::pair<std::uint64_t, std::uint64_t>()> data_memory;
  /// Another model over the same mapped data: of a run that goes on with other roles, or for a process that holds
  /// several nodes (the simulator). nullptr: it cannot be made. May be empty, as the next ones.
  std::function<std::shared_ptr<Model>()> second_model = {};
  /// REQUIRES: end.status.ok().
  std::function<ResultSummary(const RunEnd& end)> summarise = {};
  std::string storage =
      {};  ///< "genotypes", "dense f32", "dense f64" or "sparse": passes over them cost different times
  /// Of the first run of several: makes the model of a further one, over the same data, from the driver's request. May
  /// be empty.
  std::function<Result<LoadedModel>(const std::string& request)> further = {};
};

struct NodeOptions {
  std::string join;     ///< the driver's endpoint
  std::string name;     ///< shown to people; empty: the host's name
  std::string address;  ///< address at which other nodes reach this one; empty: that of the route to the driver
  AcceptedRoles roles;
  unsigned threads = 0;       ///< 0: as many as it may use
  double start_seconds = 60;  ///< to reach the driver
  bool stays = false;         ///< waits for a driver without limit, and is not the last node of this process
  std::string build;
  std::optional<RunKey> key = {};  ///< the driver's, or what a node needs of it
};

/// Why a node should leave a run before its end.
struct LeaveRequest {
  std::string reason;     ///< "SIGTERM", "the launcher's connection closed"
  bool ends_run = false;  ///< true: nobody minds this node any more, the whole run shall end; false: others may go on
  /// true: only where there is no driver. A node that has one stays until the run's end, or until the driver is gone
  /// too.
  bool spares_run = false;
};

struct NodeHooks {
  /// Reads the data; called once, on a thread of its own.
  std::function<Result<LoadedModel>(const RunDescription&)> load;
  std::function<void(const std::string& line)> say;
  /// Asked many times a second; set: the node leaves at once, or as the request says.
  std::function<std::optional<LeaveRequest>()> leave_requested;
  /// The node has left, but a computation or load() still runs, which cannot be stopped: the caller should end the
  /// process now, as it would with this outcome. Where it returns, run_node() waits for the end, and asks again several
  /// times a second.
  std::function<void(const Status& outcome)> cannot_wait;
  /// The most memory that this process ever held, in bytes.
  std::function<std::uint64_t()> memory_peak;
  /// Told of every beat to the driver: what this node has done so far. May be empty.
  std::function<void(const NodeState& node)> beat;
};

/// Joins, works until the driver says stop, and leaves. ok: the run ended as the driver wanted.
/// Errors: cluster: not admitted, or no word of the driver for a lease; else the driver's reason.
[[nodiscard]] Status run_node(const NodeOptions& options, const NodeHooks& hooks);

}  // namespace strads
