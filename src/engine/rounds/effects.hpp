// What a handler asks for: the engine never sends, computes or waits by itself.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "strads/base/chunks.hpp"
#include "strads/engine/progress.hpp"
#include "strads/engine/rounds.hpp"
#include "wire/address.hpp"

namespace strads::engine {

struct Effects;

enum class TaskKind : std::uint8_t { scan, plan, push, combine, pull, apply, recompute, refresh };

/// Which one it is.
struct TaskName {
  std::int64_t number = 0;  ///< of the round or version; of a refresh: of the phase that it may begin
  std::uint32_t index = 0;  ///< push: of the block in its round
  std::uint32_t who = 0;    ///< push: the worker; of a scheduler's tasks the scheduler
};

/// Heavy arithmetic, to be run outside handlers. `run` is a function of const data, may use several threads through
/// its chunks, and returns what it computed, counted; `done` is called afterwards inside a handler, with the effects of
/// that handler.
struct Task {
  TaskKind kind = TaskKind::push;
  std::function<Cost(Chunks&)> run;
  std::function<void(Effects&)> done;
  std::uint64_t flops = 0;  ///< expected work: lets a driver run small tasks at once. Never changes a result
  TaskName name = {};       ///< for who watches a clock; nothing else reads it
};

/// Everything that one or more handlers asked for, in order.
struct Effects {
  std::vector<wire::Envelope> messages;
  std::vector<Task> tasks;
  std::vector<ProgressEvent> progress;
  std::vector<RoundRecord> rounds;  ///< only of a node that was told to trace_rounds()
  std::optional<RunEnd> end;

  [[nodiscard]] bool asks_for_anything() const { return !messages.empty() || !tasks.empty() || end.has_value(); }
  void send(wire::Address to, wire::Message message) { messages.push_back({to, std::move(message)}); }
};

}  // namespace strads::engine
