// Who may say what: a message is believed of the process that holds the role it speaks for. Layer: engine. Pure.
#pragma once

#include <cstdint>
#include <type_traits>
#include <variant>

#include "engine/rounds/roster.hpp"
#include "wire/messages.hpp"

namespace strads::engine {

/// Whether the process of this rank may say it. Of Deltas only that a node says it: workers move from node to node, and
/// whoever computes a block computes the same. Words between a node and the driver are none of the round protocol.
[[nodiscard]] inline bool may_say(std::uint32_t rank, const wire::Message& message, const Roster& roster) {
  const auto schedules = [&](std::uint64_t s) { return s < roster.schedulers.size() && roster.schedulers[s] == rank; };
  const auto has_turn = [&](std::int64_t round) {
    return round >= 0 && schedules(static_cast<std::uint64_t>(round) % roster.schedulers.size());
  };
  return std::visit(
      [&](const auto& said) {
        using Said = std::decay_t<decltype(said)>;
        if constexpr (std::is_same_v<Said, wire::Ready> || std::is_same_v<Said, wire::SliceStatus> ||
                      std::is_same_v<Said, wire::Memory>) {
          return schedules(said.scheduler);
        } else if constexpr (std::is_same_v<Said, wire::Commit>) {
          return has_turn(said.version);
        } else if constexpr (std::is_same_v<Said, wire::Assign>) {
          return has_turn(said.round);
        } else if constexpr (std::is_same_v<Said, wire::Start> || std::is_same_v<Said, wire::Phase> ||
                             std::is_same_v<Said, wire::Finish>) {
          return rank == roster.coordinator;
        } else if constexpr (std::is_same_v<Said, wire::Resend> || std::is_same_v<Said, wire::Kept>) {
          return said.node == rank;
        } else if constexpr (std::is_same_v<Said, wire::Deltas>) {
          return rank < roster.nodes;
        } else {
          return false;
        }
      },
      message);
}

/// To the coordinator: before START schedulers report and nodes ask for what they lack; nobody has anything else to
/// say.
[[nodiscard]] inline bool may_precede_start(const wire::Message& message) {
  return std::holds_alternative<wire::Ready>(message) || std::holds_alternative<wire::Resend>(message);
}

}  // namespace strads::engine
