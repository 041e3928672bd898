// What the auditor remembers of messages: hashes over the bits, so that 0.0 and -0.0 differ. Layer: sim. Pure.
#pragma once

#include <cstdint>
#include <vector>

#include "strads/base/payload.hpp"
#include "wire/messages.hpp"

namespace strads::sim {

/// XXH3-64 over the bytes of both arrays and their lengths.
[[nodiscard]] std::uint64_t hash_of(const Payload& payload);
[[nodiscard]] std::uint64_t hash_of(const std::vector<std::uint64_t>& numbers);
/// Without its name and the worker: a block may be handed to another one.
[[nodiscard]] std::uint64_t hash_of(const wire::Assign& assign);
/// Without its name.
[[nodiscard]] std::uint64_t hash_of(const wire::Deltas& deltas);
/// Without the changes, which the driver does not get, and without the counts of work.
[[nodiscard]] std::uint64_t hash_of_header(const wire::Commit& commit);
[[nodiscard]] std::uint64_t hash_of(const wire::Phase& phase);
/// What KEPT must say of such a replica: as payload_hash(), written a second time.
[[nodiscard]] std::uint64_t kept_hash(const Payload& replica);

}  // namespace strads::sim
