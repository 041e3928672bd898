// A simulated driver: the loop around engine::DriverSession, with virtual time and network. Layer: sim. Pure.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "engine/session/driver_session.hpp"
#include "sim/process.hpp"

namespace strads::sim {

class DriverLoop final : public Process {
 public:
  /// `membership`: begun, and all members have loaded; or nobody has joined yet.
  DriverLoop(World& world, engine::Membership membership, const std::shared_ptr<Model>& model);

  [[nodiscard]] std::uint64_t reassigned() const { return session_.membership().reassigned(); }
  [[nodiscard]] std::uint64_t moved() const { return session_.moved(); }
  /// All nodes have joined.
  [[nodiscard]] bool begun() const { return session_.membership().begun(); }
  [[nodiscard]] SimulatedUse use() const override;
  void on_closed(std::uint32_t rank, std::uint64_t process) override;
  /// Its runs end with their next commits.
  void ask_to_leave() override;

 private:
  void on_begin() override;
  void on_message(const Parcel& parcel, wire::Message message) override;
  void on_look() override;
  void on_killed() override;

  void on_hello(std::uint32_t from, const wire::Hello& hello);
  /// nullopt: of nobody that takes part, or any more.
  [[nodiscard]] std::optional<std::uint32_t> rank_of(const Parcel& parcel) const;
  void note_reached();
  void dispatch();
  /// True: the runs should end.
  bool dispatch(engine::DriverRun& run);
  /// What the session asks for.
  void carry_out();
  void begin_run();
  void begin_further_runs();
  void note_end();
  /// `run`: as for send().
  void tell_member(std::uint32_t rank, wire::Message message, std::uint32_t run);
  [[nodiscard]] const std::vector<engine::Member>& members() const { return session_.membership().members(); }
  [[nodiscard]] double now() const { return seconds_of(cursor()); }

  engine::DriverSession session_;
  std::vector<std::uint32_t> places_;     ///< in World::processes, by rank
  std::vector<std::uint32_t> unreached_;  ///< ranks
  std::size_t next_further_ = 0;          ///< run to begin
  std::uint64_t moved_ = 0;               ///< times that the auditors know of
};

}  // namespace strads::sim
