// A whole cluster of engine nodes on one thread: a seed decides which message is delivered and which task ends next.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "engine/rounds/node.hpp"
#include "strads/engine/model.hpp"
#include "strads/engine/options.hpp"
#include "strads/engine/progress.hpp"
#include "wire/address.hpp"

namespace strads::support {

/// In which order things happen.
enum class Order : std::uint8_t {
  as_sent,   ///< one queue for everything
  per_link,  ///< random, but what one node sends another arrives in the order of sending
  any        ///< random
};

struct ClusterOptions {
  EngineOptions engine{};
  std::uint32_t nodes = 1;
  std::uint64_t seed = 0;  ///< of order, duplicates and delays
  Order order = Order::as_sent;
  double duplicates = 0;                 ///< share of the messages that arrive twice
  double delays = 0;                     ///< share of the messages that are held back for up to 300 steps
  bool encode_messages = false;          ///< every message goes through the codec
  std::int64_t flip_deltas = -1;         ///< the k-th Deltas with a value is changed in one bit, counted from 0
  Version finish_at = -2;                ///< asks to finish when this commit is counted; -1: before anything else
  bool coordinator_apart = false;        ///< the coordinator is in a process of its own, as in a driver
  bool workers_apart = false;            ///< schedulers on the first half of the nodes, workers on the others
  double losses = 0;                     ///< share of the messages that never arrive (none when one process has all)
  double quiets = 0;                     ///< share of the steps before which some process is told that it is quiet
  std::uint32_t kill_workers_every = 0;  ///< a node without schedulers dies every so many rounds, as long as two live
  std::uint64_t steps_max = 400'000;     ///< ten times what any run of our tests takes; the test fails then
  /// Messages go back and forth and nobody gets on: after so many steps it is a livelock, and the test fails.
  std::uint64_t steps_without_progress_max = 20'000;
};

struct ClusterRun {
  RunEnd end;
  bool ended = false;              ///< false: nothing was left to do, or nobody got on, before the end
  bool all_stopped = false;        ///< every node got the coordinator's stop
  std::vector<wire::Message> log;  ///< every message once, in the order of sending (broadcasts: what node 0 gets)
  std::vector<ProgressEvent> progress;
  std::vector<std::shared_ptr<const State>> states;  ///< replicas at the end, by node; none of dead nodes
  std::uint64_t duplicated = 0;
  std::uint64_t lost = 0;
  std::uint64_t killed = 0;        ///< nodes
  std::uint64_t quiet_rounds = 0;  ///< times that everybody was quiet before the end
  std::uint64_t repeated = 0;      ///< messages, as the nodes and the coordinator counted them
  std::size_t kept = 0;            ///< most verdicts that the driver's coordinator kept at once
  std::uint64_t dropped = 0;       ///< as the nodes counted it
  std::uint64_t steps = 0;

  template <class M>
  [[nodiscard]] std::vector<M> all() const {
    std::vector<M> found;
    for (const auto& message : log) {
      if (const M* m = std::get_if<M>(&message)) found.push_back(*m);
    }
    return found;
  }
};

/// Runs until nothing is left to deliver. With faults: until everybody has stopped as well; whenever nothing is left
/// before that, everybody is told that it is quiet, and a run that this does not move 50 times in a row is given up.
/// `make_model` is called once a process.
[[nodiscard]] ClusterRun run_cluster(const std::function<std::shared_ptr<Model>()>& make_model,
                                     const ClusterOptions& options);

/// The messages that decide a run - START, verdicts that recompute, commits in order of versions - applied to a fresh
/// replica of `model`, without any scheduler or worker. `each` sees the replica after every commit. REQUIRES: a model
/// that needs Model::place has been placed.
[[nodiscard]] std::unique_ptr<State> replay(
    Model& model, const ClusterRun& run,
    const std::function<void(const wire::Commit&, const State&)>& each = [](const wire::Commit&, const State&) {});

/// "worker 2", "node 0".
[[nodiscard]] std::string text_of(const wire::Address& address);
/// "worker 2 <- Assign round=0 ...": one line a message, in order.
[[nodiscard]] std::vector<std::string> texts_of(const engine::Effects& effects);
/// Runs all tasks, and those that they lead to, in order; messages and progress stay in `effects`.
void run_tasks(engine::Effects& effects);

}  // namespace strads::support
