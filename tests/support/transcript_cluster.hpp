// A cluster of real engine nodes that moves only when a story says so, and tells what happens as lines of text.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/rounds/coordinator.hpp"
#include "engine/rounds/node.hpp"
#include "strads/engine/options.hpp"
#include "support/scripted_model.hpp"
#include "support/transcript_text.hpp"
#include "wire/address.hpp"

namespace strads::support {

/// What a story begins with. Defaults: one node that holds everything.
struct StoryOptions {
  EngineOptions engine{};
  std::uint32_t nodes = 1;
  bool driver = false;                           ///< the coordinator is a process of its own, whose rank is `nodes`
  std::vector<std::uint32_t> scheduler_nodes{};  ///< of each scheduler; empty: in turn
  std::vector<std::uint32_t> worker_nodes{};     ///< of each worker; empty: in turn
  Script script{};

  [[nodiscard]] engine::Roster roster() const;
};

/// Messages as a story names them: "worker 1 <- Assign round=3", or any part of it.
struct Selector {
  std::optional<std::uint32_t> process;  ///< on the way to this process, whatever role they are for
  std::optional<wire::Address> role;     ///< for this role
  std::string type;                      ///< empty: any
  std::vector<Field> fields;             ///< only together with a type

  [[nodiscard]] bool matches(std::uint32_t destination, const wire::Envelope& envelope) const;
  friend bool operator==(const Selector&, const Selector&) = default;
};

/// Tasks as a story names them: those of one kind, of one process or of all.
struct TaskSelector {
  std::optional<std::uint32_t> process;
  engine::TaskKind kind = engine::TaskKind::push;

  [[nodiscard]] bool matches(std::uint32_t where, const engine::Task& task) const {
    return task.kind == kind && process.value_or(where) == where;
  }
  friend bool operator==(const TaskSelector&, const TaskSelector&) = default;
};

/// Messages that were sent are on their way until they are delivered or lost; tasks run as soon as they are asked for,
/// except those that the story pauses. Commands that name messages, tasks or processes that are not there throw
/// StoryError.
class StoryCluster {
 public:
  explicit StoryCluster(const StoryOptions& options);

  /// The scan of one node.
  void start(std::uint32_t node);
  /// Messages that are on their way now, in the order of sending; not those that they lead to.
  void deliver(const Selector& selector);
  /// The newest one that was delivered before comes once more.
  void deliver_again(const Selector& selector);
  /// All messages, and those that they lead to, in the order of sending.
  void settle();
  /// They vanish, those that are held back included.
  void lose(const Selector& selector);
  /// They, and all like them that are sent later, stay on their way until they are released.
  void hold(const Selector& selector);
  /// Of an empty selector: everything.
  void release(const Selector& selector);
  /// A message that nobody here has sent.
  void forge(const wire::Envelope& envelope);

  /// Tasks like these wait until they are told to run.
  void pause(const TaskSelector& selector);
  /// The first that waits; later ones still wait.
  void run_first(const TaskSelector& selector);
  /// All that wait; later ones run at once.
  void resume(const TaskSelector& selector);

  void quiet(std::uint32_t process);
  /// So much time passes; every node looks at it.
  void wait(double seconds);
  void roster(std::uint32_t node, const std::vector<std::uint32_t>& workers);
  void finish();
  void forget(std::uint32_t process, Version version, std::uint32_t phases);
  /// The process is gone, with its tasks and all that is on the way to it.
  void crash(std::uint32_t node);

  void show_process(std::uint32_t process);
  void show_replica(std::uint32_t node);
  void show_wire();

  [[nodiscard]] std::uint32_t processes() const { return options_.nodes + (driver_ != nullptr ? 1 : 0); }
  [[nodiscard]] std::uint32_t nodes() const { return options_.nodes; }
  [[nodiscard]] bool alive(std::uint32_t process) const;

  /// Leaves only what the coordinator tells the outside, and what is held back or paused.
  void speak_briefly(bool briefly) { brief_ = briefly; }
  /// What happened since this was last asked.
  [[nodiscard]] std::vector<std::string> take_lines();

 private:
  /// A message on its way.
  struct Flight {
    wire::Envelope envelope;
    std::uint32_t from = engine::kItself;
    std::uint32_t process = 0;  ///< that gets it
    bool held = false;
  };
  struct WaitingTask {
    std::uint32_t process = 0;
    engine::Task task;
    bool paused = false;
  };
  /// What can be seen of a process from outside: a handler's line says what of it has changed.
  struct Look {
    Version version = -1;
    std::uint32_t phases = 0;
    bool started = false;
    bool stopped = false;
    std::uint64_t dropped = 0;
    std::uint64_t repeated = 0;
    std::uint64_t mark = 0;
  };

  void receive(const Flight& flight);
  /// `answers`: whoever caused this expects to be told when nothing followed.
  template <class Handler>
  void handle(std::uint32_t process, bool answers, Handler handler);
  void run_ready_tasks();
  void run(WaitingTask waiting);
  void queue_effects(std::uint32_t process, engine::Effects& effects);
  void send(std::uint32_t process, const std::vector<wire::Envelope>& messages);
  /// The same message to node 0, node 1 and so on, from sent[at] on: one line is enough.
  [[nodiscard]] bool goes_to_every_node(const std::vector<Flight>& sent, std::size_t at) const;
  void tell_sent(const Flight& flight);
  void tell_progress(const engine::Effects& effects);
  void tell_changes(std::uint32_t process, const Look& before, const engine::Effects& effects, bool answers);
  [[nodiscard]] std::string look_text(std::uint32_t process) const;
  [[nodiscard]] Look look(std::uint32_t process) const;
  [[nodiscard]] std::uint32_t destination(std::uint32_t from, const wire::Address& to) const;
  /// "worker 1 (node 0)": workers move from node to node, the other roles do not.
  [[nodiscard]] std::string place_of(std::uint32_t process, const wire::Address& to) const;
  [[nodiscard]] std::string text_of(std::uint32_t process, const wire::Envelope& envelope) const;
  [[nodiscard]] engine::Node& node(std::uint32_t rank) const;
  [[nodiscard]] std::string name_of(std::uint32_t process) const;
  [[nodiscard]] bool is_driver(std::uint32_t process) const { return process == options_.nodes; }
  void say(const std::string& line) {
    if (!brief_) lines_.push_back(line);
  }
  void say_always(const std::string& line) { lines_.push_back(line); }

  StoryOptions options_;
  std::vector<std::unique_ptr<engine::Node>> nodes_;  ///< nullptr: gone
  std::unique_ptr<engine::Coordinator> driver_;
  std::deque<Flight> wire_;
  std::vector<Flight> delivered_;
  std::vector<Selector> holds_;
  std::deque<WaitingTask> tasks_;
  std::vector<TaskSelector> pauses_;
  std::vector<std::string> lines_;
  double now_ = 0;  ///< nodes hear of it with the first wait()
  bool brief_ = false;
};

[[nodiscard]] const char* text_of(engine::TaskKind kind);

}  // namespace strads::support
