// A simulated driver: the coordinator, and who takes part. Layer: sim. Pure.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "engine/rounds/coordinator.hpp"
#include "engine/session/membership.hpp"
#include "engine/session/quiet.hpp"
#include "sim/process.hpp"

namespace strads::sim {

class DriverLoop final : public Process {
 public:
  /// `membership`: begun, and all members have loaded; or nobody has joined yet.
  DriverLoop(World& world, engine::Membership membership, std::shared_ptr<Model> model);

  [[nodiscard]] std::uint64_t reassigned() const { return membership_.reassigned(); }
  /// All nodes have joined.
  [[nodiscard]] bool begun() const { return membership_.begun(); }
  [[nodiscard]] SimulatedUse use() const override;
  void on_closed(std::uint32_t rank, std::uint64_t process) override;

 private:
  void on_begin() override;
  void on_message(const Parcel& parcel, wire::Message message) override;
  void take(const wire::Message& message);
  void on_look() override;
  void on_killed() override;

  void on_hello(std::uint32_t from, const wire::Hello& hello);
  void on_member(const Parcel& parcel, const wire::Message& message);
  void look_at_start();
  void begin_run();
  void note_reached();
  void welcome(std::uint32_t rank);
  void coordinate();
  /// To a rank.
  void tell_member(std::uint32_t rank, const wire::Message& message) {
    send(places_[rank], message, membership_.members()[rank].hello.process);
  }
  void dispatch();
  void take(const engine::Membership::Outcome& outcome);
  void end_run(RunEnd end);
  void say_goodbye();
  [[nodiscard]] double now() const { return seconds_of(cursor()); }

  engine::Membership membership_;
  std::shared_ptr<Model> model_;
  std::vector<std::uint32_t> places_;                 ///< in World::processes, by rank
  std::vector<std::uint32_t> unreached_;              ///< ranks
  std::unique_ptr<engine::Coordinator> coordinator_;  ///< made when all have loaded
  std::vector<wire::Message> early_;                  ///< for it
  engine::Effects effects_;
  engine::Quiet quiet_;
  std::optional<wire::Leave> goodbye_;
  double goodbye_since_ = 0;
  double next_goodbye_ = 0;
};

}  // namespace strads::sim
