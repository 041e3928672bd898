// A simulated stradsd: the loop around engine::NodeSession, with virtual time, network and cores. Layer: sim. Pure.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "engine/session/node_session.hpp"
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
  void ask_to_leave() override;
  void damage() override { damaged_ = true; }
  [[nodiscard]] SimulatedUse use() const override;
  /// nullptr: it has not loaded.
  [[nodiscard]] const engine::Node* node(std::uint32_t place = 0) const override {
    const engine::NodeRun* run = session_.run_of(place);
    return run == nullptr ? nullptr : run->node.get();
  }
  [[nodiscard]] engine::NodeStage stage() const noexcept { return session_.stage(); }
  [[nodiscard]] const Processors& processors() const { return processors_; }
  void on_closed(std::uint32_t rank, std::uint64_t process) override;

 private:
  void on_begin() override;
  void on_message(const Parcel& parcel, wire::Message message) override;
  void on_look() override;
  void on_killed() override;

  NodeLoop(World& world, std::uint32_t rank, std::shared_ptr<Model> model, std::uint32_t life);
  void note_reached();
  void dispatch();
  bool dispatch(const std::shared_ptr<engine::NodeRun>& run);
  void end_embedded(engine::NodeRun& run);
  void take_tasks(const std::shared_ptr<engine::NodeRun>& run);
  /// To the processors; its end goes to its run.
  void submit(engine::Task task, const std::shared_ptr<engine::NodeRun>& run);
  [[nodiscard]] Time thread_wait();
  void deliver(engine::NodeRun& run, const wire::Envelope& envelope);
  void damage(wire::Message& message);
  static void damage_bulk(Payload& payload);
  void handle(const wire::Message& message);
  void note_early(const engine::NodeRun& run, const wire::Message& message);
  [[nodiscard]] std::uint32_t rank_of(const Parcel& parcel) const;
  void on_control(const wire::Message& message);
  void look_at_timers();
  /// What the session asks for.
  void carry_out();
  void begin_loading(const wire::Welcome& welcome);
  void meet(const wire::Peer& peer);
  void begin_making();
  void load_after(double seconds, std::uint32_t run, const EngineOptions& engine, std::shared_ptr<Model> model);
  [[nodiscard]] std::uint32_t driver() const { return static_cast<std::uint32_t>(world_.options.nodes.size()); }
  [[nodiscard]] double now() const { return seconds_of(cursor()); }
  [[nodiscard]] std::uint32_t place_of(std::uint32_t rank) const {
    return rank == engine::kDriverRank ? driver() : places_[rank];
  }
  /// Its process id; 0: whoever is there.
  [[nodiscard]] std::uint64_t process_of(std::uint32_t rank) const;

  std::shared_ptr<Model> model_;
  double load_seconds_ = 0;
  bool has_read_ = false;            ///< the data
  std::vector<wire::Open> waiting_;  ///< for them
  engine::NodeSession session_;
  std::vector<std::uint32_t> places_;     ///< in World::processes, by rank
  std::vector<std::uint64_t> processes_;  ///< their ids, by rank; empty: those that were there at the beginning
  std::vector<std::uint32_t> unreached_;  ///< ranks
  CounterRng random_;                     ///< thread_wait()
  Processors processors_;
  bool damaged_ = false;      ///< its memory is: what it says next for a checkpoint is wrong
  bool more_posted_ = false;  ///< what the last dispatch left
  bool steady_ = false;       ///< the blocks of this phase are those of others before it
  bool connected_ = true;     ///< to the driver
};

}  // namespace strads::sim
