// Runs a whole cluster of roles inside this process: mailboxes, a thread pool, the loop that drives the node.
// Layer: transport.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>

#include "strads/engine/options.hpp"
#include "strads/engine/progress.hpp"

namespace strads {

class Model;  // strads/engine/model.hpp

struct EmbeddedOptions {
  unsigned threads = 0;          ///< threads that execute tasks; 0: as many as it may use. Never changes the bits
  bool encode_messages = false;  ///< test mode: every message is encoded, decoded and compared before it is delivered
};

/// Messages that went through the mailboxes.
struct MessageTotals {
  std::uint64_t messages = 0;
  std::uint64_t bytes = 0;  ///< encoded size; counted exactly with encode_messages, else from the arrays' lengths
};

struct EmbeddedRun {
  RunEnd end;
  MessageTotals traffic;
  double worker_wait_share = 0;  ///< share of the run in which a turn had come and its plan was not ready
};

/// Runs until the judge stops it. `observe` is called on this thread for every event; returning true asks the
/// coordinator to end the run with the next commit (a time limit, SIGINT), after which it still certifies.
/// `abandon`, when set to true by another thread or a signal handler, gives up at once: the end's status says so.
[[nodiscard]] EmbeddedRun run_embedded(std::shared_ptr<Model> model, const EngineOptions& engine,
                                       const EmbeddedOptions& options,
                                       const std::function<bool(const ProgressEvent&)>& observe,
                                       const std::function<bool()>& finish_requested,
                                       const std::atomic<bool>* abandon = nullptr);

}  // namespace strads
