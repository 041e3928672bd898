// A run on several processes.
// Layer: program. Programs (apps/*) see these services and nothing of Boost, spdlog or JSON.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "strads/base/status.hpp"
#include "strads/engine/options.hpp"
#include "strads/program/execution_options.hpp"
#include "strads/transport/cluster.hpp"

namespace strads {

/// What a program tells the nodes of its run.
struct ClusterTask {
  std::string program;                                ///< "lasso fit": which DaemonModel a node takes
  std::string config;                                 ///< the table's config() without kExecutionSections
  std::shared_ptr<const RunCheckpoint> resumes = {};  ///< where the first run goes on; null: it begins
  std::string first = {};                             ///< which run of a list the first one is; "": that of the program
  bool prints = true;                                 ///< warnings go to stderr; false: to DriverHooks::say alone
};

/// How the run is executed, for people: "2 processes over ipc", "3 nodes over tcp".
[[nodiscard]] std::string cluster_text(const ClusterOptions& options);
/// "embedded", "ipc" or "tcp".
[[nodiscard]] std::string transport_name(const ClusterOptions& options);

/// run_driver() with what the user asked for: starts the local processes of --processes in process groups of their own
/// (Ctrl-C of a terminal reaches this program alone) and ends them always, or listens at --listen and writes the
/// endpoint file. `hooks`: say, observe and finish_requested are the caller's; the others are filled in here.
/// What local processes wrote to stderr is told to hooks.say at the end.
/// Errors as run_driver(); cluster also: stradsd cannot be started. REQUIRES: options.wanted().
[[nodiscard]] ClusterRun run_cluster(const std::function<Result<std::shared_ptr<Model>>()>& make_model,
                                     const EngineOptions& engine, const MachineOptions& machine,
                                     const ClusterOptions& options, const ClusterTask& task, DriverHooks hooks);

/// Where a node finds a file that the driver's options name.
using PathRule = std::function<std::string(const std::string& path)>;

}  // namespace strads
