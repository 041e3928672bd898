// A simulated stradsd: it joins, loads, runs engine::Node and its tasks, and watches over the driver. Layer: sim. Pure.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "engine/rounds/node.hpp"
#include "engine/session/last_words.hpp"
#include "engine/session/members.hpp"
#include "engine/session/quiet.hpp"
#include "sim/process.hpp"
#include "strads/base/random.hpp"

namespace strads::sim {

class NodeLoop final : public Process {
 public:
  /// Has joined and loaded when it begins.
  NodeLoop(World& world, std::uint32_t rank, std::shared_ptr<Model> model, const engine::Roster& roster);
  /// Joins first, and reads its data for `load_seconds`. `life`: so often was its process started before.
  NodeLoop(World& world, std::uint32_t rank, std::shared_ptr<Model> model, double load_seconds, std::uint32_t life);

  void set_slowdown(double slowdown) override;
  [[nodiscard]] SimulatedUse use() const override;
  /// nullptr: it has not loaded.
  [[nodiscard]] const engine::Node* node() const override { return node_.get(); }
  [[nodiscard]] engine::NodeStage stage() const noexcept { return stage_; }
  [[nodiscard]] const Processors& processors() const { return processors_; }
  void on_closed(std::uint32_t rank, std::uint64_t process) override;

 private:
  void on_begin() override;
  void on_message(const Parcel& parcel, wire::Message message) override;
  void on_look() override;
  void on_killed() override;

  NodeLoop(World& world, std::uint32_t rank, std::shared_ptr<Model> model, std::uint32_t life);
  [[nodiscard]] std::string endpoint() const { return std::to_string(process_id()); }
  void say_hello();
  void on_welcome(const wire::Welcome& welcome);
  void on_roster(const wire::Roster& roster);
  void look_for_the_driver();
  void begin_run();
  void note_reached();
  void dispatch();
  void take_tasks();
  [[nodiscard]] Time thread_wait();
  void deliver(const wire::Envelope& envelope);
  void note_waiting();
  void handle(const wire::Message& message);
  void note_early(const wire::Message& message);
  [[nodiscard]] std::uint32_t rank_of(const Parcel& parcel) const;
  void note_refused(const wire::Message& message);
  void on_control(const wire::Message& message);
  void beat();
  void leave_in_order();
  [[nodiscard]] std::uint32_t driver() const { return static_cast<std::uint32_t>(world_.options.nodes.size()); }
  [[nodiscard]] double now() const { return seconds_of(cursor()); }

  std::shared_ptr<Model> model_;
  double load_seconds_ = 0;
  double patience_;  ///< so long does it wait for a driver that never answered
  engine::NodeStage stage_ = engine::NodeStage::joining;
  double since_ = 0;  ///< when it began to join
  double next_hello_ = 0;
  bool heard_ = false;     ///< the driver has answered
  std::uint32_t own_ = 0;  ///< its rank
  engine::Roster roster_;
  std::vector<std::uint32_t> places_;     ///< in World::processes, by rank; the driver last
  std::vector<std::uint64_t> processes_;  ///< their ids, by rank
  std::vector<std::uint32_t> unreached_;  ///< ranks
  wire::Loaded loaded_;
  std::unique_ptr<engine::Node> node_;
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
