// A simulated stradsd: engine::Node, its tasks and its watch over the driver. Layer: sim. Pure.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "engine/last_words.hpp"
#include "engine/members.hpp"
#include "engine/node.hpp"
#include "engine/quiet.hpp"
#include "sim/process.hpp"
#include "strads/random.hpp"

namespace strads::sim {

class NodeLoop final : public Process {
 public:
  NodeLoop(World& world, std::uint32_t rank, const engine::Roster& roster, std::shared_ptr<Model> model);

  void set_slowdown(double slowdown) override;
  [[nodiscard]] SimulatedUse use() const override;
  [[nodiscard]] const engine::Node* node() const override { return &node_; }
  [[nodiscard]] const Processors& processors() const { return processors_; }
  void on_closed(std::uint32_t rank) override;

 private:
  void on_begin() override;
  void on_message(std::uint32_t from, wire::Message message) override;
  void on_look() override;
  void on_killed() override;

  void dispatch();
  void take_tasks();
  [[nodiscard]] Time thread_wait();
  void deliver(const wire::Envelope& envelope);
  void note_waiting();
  void handle(const wire::Message& message);
  void note_early(const wire::Message& message);
  void on_control(const wire::Message& message);
  void beat();
  void leave_in_order();
  [[nodiscard]] std::uint32_t driver() const { return static_cast<std::uint32_t>(world_.options.nodes.size()); }
  [[nodiscard]] double now() const { return seconds_of(cursor()); }

  std::shared_ptr<Model> model_;
  engine::Node node_;
  engine::Effects effects_;
  engine::Quiet quiet_;
  engine::DriverWatch watch_;
  CounterRng random_;  ///< thread_wait()
  Processors processors_;
  std::uint64_t roster_number_ = 0;
  std::uint64_t beats_ = 0;
  double next_beat_ = 0;
  bool more_posted_ = false;  ///< what the last dispatch left
  bool steady_ = false;       ///< the blocks of this phase are those of others before it
  bool waiting_ = false;
  Time waiting_since_ = 0;
  double plan_wait_ = 0;
  std::optional<wire::Leave> leaving_;
  double leaving_since_ = 0;
  engine::LastWords last_words_;
  bool connected_ = true;  ///< to the driver
};

}  // namespace strads::sim
