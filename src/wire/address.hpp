// Who a message is for. Transports map roles to nodes; the engine only names roles.
#pragma once

#include <compare>
#include <cstdint>

#include "wire/messages.hpp"

namespace strads::wire {

enum class Role : std::uint8_t {
  coordinator,  ///< index 0
  scheduler,    ///< index s
  worker,       ///< index w
  node          ///< index of the node: its replica
};

struct Address {
  Role role = Role::coordinator;
  std::uint32_t index = 0;
  friend auto operator<=>(const Address&, const Address&) = default;
};

struct Envelope {
  Address to;
  Message message;
};

}  // namespace strads::wire
