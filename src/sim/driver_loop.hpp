// A simulated driver: the coordinator, and who takes part. Layer: sim. Pure.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "engine/coordinator.hpp"
#include "engine/membership.hpp"
#include "engine/quiet.hpp"
#include "sim/process.hpp"

namespace strads::sim {

class DriverLoop final : public Process {
 public:
  /// `membership`: begun, all members loaded.
  DriverLoop(World& world, engine::Membership membership, std::shared_ptr<Model> model);

  [[nodiscard]] std::uint64_t reassigned() const { return membership_.reassigned(); }
  void on_closed(std::uint32_t rank) override;

 private:
  void on_begin() override;
  void on_message(std::uint32_t from, wire::Message message) override;
  void on_look() override;
  void on_killed() override;

  void dispatch();
  void take(const engine::Membership::Outcome& outcome);
  void end_run(RunEnd end);
  void say_goodbye();
  [[nodiscard]] double now() const { return seconds_of(cursor()); }

  engine::Membership membership_;
  std::shared_ptr<Model> model_;
  engine::Coordinator coordinator_;
  engine::Effects effects_;
  engine::Quiet quiet_;
  std::optional<wire::Leave> goodbye_;
  double goodbye_since_ = 0;
  double next_goodbye_ = 0;
};

}  // namespace strads::sim
