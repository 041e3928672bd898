// A driver and nodes that talk over real sockets, as threads of one process.
#pragma once

#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "strads/transport/cluster.hpp"

namespace strads::support {

/// One node of a threaded cluster.
struct ThreadedNode {
  AcceptedRoles roles{};
  std::string name = "node";
  std::string build = "test";
  std::optional<RunKey> key{};                                               ///< another one than the driver's
  std::atomic<bool>* leave = nullptr;                                        ///< set: the node leaves, as after SIGTERM
  std::function<Result<std::shared_ptr<Model>>()> make_model;                ///< empty: that of the cluster
  std::function<Result<LoadedModel>(const std::string& request)> further{};  ///< empty: that of the cluster
};

struct ThreadedCluster {
  std::function<std::shared_ptr<Model>()> make_model;
  /// Of further runs, on the nodes.
  std::function<Result<LoadedModel>(const std::string& request)> further = {};
  EngineOptions engine{};
  std::vector<ThreadedNode> nodes = std::vector<ThreadedNode>(2);
  bool tcp = false;  ///< with a key, as on a network
  unsigned threads = 1;
  std::uint32_t others = 0;  ///< nodes that somebody else starts
  DriverOptions driver{};
  DriverHooks hooks{};
};

struct ThreadedRun {
  strads::ClusterRun run;
  std::vector<Status> nodes;      ///< how each node ended
  std::vector<std::string> said;  ///< by the driver
};

/// Runs it to its end. `meanwhile` gets the endpoint as soon as the driver listens.
inline ThreadedRun run_threaded(ThreadedCluster cluster,
                                const std::function<void(const std::string& endpoint)>& meanwhile = {}) {
  std::string folder = (std::filesystem::temp_directory_path() / "strads-test-XXXXXX").string();
  if (::mkdtemp(folder.data()) == nullptr) std::abort();
  ThreadedRun result;
  std::vector<std::thread> threads;
  result.nodes.resize(cluster.nodes.size());
  cluster.driver.endpoint = cluster.tcp ? "tcp://127.0.0.1:0" : "ipc://" + folder + "/driver";
  if (cluster.tcp && !cluster.driver.key.has_value()) cluster.driver.key = make_run_key().value();
  cluster.driver.nodes = static_cast<std::uint32_t>(cluster.nodes.size()) + cluster.others;
  if (cluster.driver.build.empty()) cluster.driver.build = "test";
  cluster.hooks.say = [&result](const std::string& line, bool) { result.said.push_back(line); };
  cluster.hooks.listening = [&](const std::string& endpoint) -> Status {
    for (std::size_t n = 0; n < cluster.nodes.size(); ++n) {
      threads.emplace_back([&cluster, &result, endpoint, n] {
        const ThreadedNode& node = cluster.nodes[n];
        NodeOptions options;
        options.join = endpoint;
        options.name = node.name;
        options.roles = node.roles;
        options.threads = cluster.threads;
        options.start_seconds = cluster.driver.start_seconds;
        options.build = node.build;
        options.key = node.key.has_value() ? node.key : cluster.driver.key;
        NodeHooks hooks;
        hooks.load = [&cluster, &node](const RunDescription&) -> Result<LoadedModel> {
          auto model = node.make_model ? node.make_model() : cluster.make_model();
          if (!model.ok()) return model.status();
          LoadedModel loaded{std::move(model).value(), cluster.engine, {}};
          loaded.further = node.further ? node.further : cluster.further;
          loaded.second_model = cluster.make_model;
          return loaded;
        };
        hooks.leave_requested = [&node]() -> std::optional<LeaveRequest> {
          if (node.leave == nullptr || !node.leave->load()) return std::nullopt;
          return LeaveRequest{"the test says so", false};
        };
        result.nodes[n] = run_node(options, hooks);
      });
    }
    if (meanwhile) threads.emplace_back([meanwhile, endpoint] { meanwhile(endpoint); });
    return {};
  };
  result.run = run_driver([&]() -> Result<std::shared_ptr<Model>> { return cluster.make_model(); }, cluster.engine,
                          cluster.driver, cluster.hooks);
  result.run.reading.reset();  // which uses `cluster`
  for (auto& thread : threads) thread.join();
  std::error_code ignored;
  std::filesystem::remove_all(folder, ignored);
  return result;
}

}  // namespace strads::support
