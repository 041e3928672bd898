// Two nodes and a driver, one of them a rogue: its messages are changed, lost, repeated and made up on their way.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "engine/rounds/node.hpp"
#include "engine/session/membership.hpp"
#include "fuzz/rogue_problems.hpp"

namespace strads::fuzz {

inline constexpr std::uint32_t kNodes = 2;
inline constexpr std::uint32_t kDriver = kNodes;
inline constexpr std::uint32_t kProcesses = kNodes + 1;

/// What the rogue says instead of a message.
class Rogue {
 public:
  virtual ~Rogue() = default;
  struct Said {
    std::uint32_t to = 0;  ///< process
    wire::Message message;
  };
  /// A message of the rogue's to another process. Returns what really travels, in order.
  [[nodiscard]] virtual std::vector<Said> instead_of(const Said& said) = 0;
  /// Every message between two processes, before it is changed.
  virtual void overhear(const wire::Message& message) = 0;
  /// From now on it is honest.
  [[nodiscard]] virtual bool is_done() const = 0;
};

/// One event after the other, in one thread: messages in the order of sending; tasks at once or in their turn.
class RogueCluster {
 public:
  /// `tasks_wait`: a task runs when what was there before it has happened.
  RogueCluster(const Problem& problem, std::uint32_t rogue, bool tasks_wait, Rogue& script);

  /// To the end of the run, to where nobody gets on any more, or for so many events after the rogue is done.
  void run(std::uint64_t events_max);
  [[nodiscard]] bool converged() const { return converged_; }

 private:
  struct Event {
    std::uint32_t from = 0, to = 0;
    wire::Message message;
    std::shared_ptr<engine::Task> task;  ///< instead of a message
  };
  void happen(Event& event);
  void receive(const Event& event, engine::Effects& effects);
  void receive_control(const Event& event, engine::Effects& effects);
  void carry_out(const engine::Membership::Outcome& outcome);
  void queue_effects(std::uint32_t process, engine::Effects& effects);
  void send(std::uint32_t from, wire::Envelope& envelope);
  void say_again();
  void end(const RunEnd& end);

  const Problem& problem_;
  std::uint32_t rogue_;
  bool tasks_wait_;
  Rogue& script_;
  engine::Roster roster_;
  std::vector<std::shared_ptr<Model>> models_;  ///< of every process
  std::vector<std::unique_ptr<engine::Node>> nodes_;
  std::unique_ptr<engine::Coordinator> driver_;
  engine::Membership members_;
  std::deque<Event> events_;
  bool ended_ = false;
  bool converged_ = false;
};

}  // namespace strads::fuzz
