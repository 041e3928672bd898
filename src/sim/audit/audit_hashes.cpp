#include "sim/audit/audit_hashes.hpp"

#include <bit>
#include <cstddef>
#include <initializer_list>
#include <span>
#include <vector>

#include "strads/base/hash.hpp"

namespace strads::sim {

namespace {

std::uint64_t hash_of_words(std::initializer_list<std::uint64_t> words) {
  return xxh3(std::as_bytes(std::span(words.begin(), words.size())));
}

std::uint64_t bits(double value) {
  return std::bit_cast<std::uint64_t>(value);
}

std::uint64_t signless(std::int64_t value) {
  return static_cast<std::uint64_t>(value);
}

}  // namespace

std::uint64_t hash_of(const Payload& payload) {
  std::uint64_t hash = hash_of_words({payload.ids.size(), xxh3(std::as_bytes(std::span(payload.ids))),
                                      payload.values.size(), xxh3(std::as_bytes(std::span(payload.values)))});
  for (const SharedFloats& array : payload.bulk)
    hash = hash_of_words({hash, array.size(), xxh3(std::as_bytes(array.view()))});
  return hash;
}

std::uint64_t hash_of(const std::vector<std::uint64_t>& numbers) {
  return hash_of_words({numbers.size(), xxh3(std::as_bytes(std::span(numbers)))});
}

std::uint64_t hash_of(const wire::Assign& assign) {
  return hash_of_words(
      {signless(assign.base), assign.kind, assign.sweeps, bits(assign.tolerance), hash_of(assign.block)});
}

std::uint64_t hash_of(const wire::Deltas& deltas) {
  return hash_of_words({bits(deltas.predicted), deltas.flops, deltas.bytes, deltas.updates, hash_of(deltas.deltas),
                        hash_of(deltas.tally)});
}

std::uint64_t hash_of_header(const wire::Commit& commit) {
  return hash_of_words({signless(commit.version), commit.scheduler, commit.blocks, commit.ends_phase, commit.last,
                        bits(commit.step), bits(commit.objective), bits(commit.predicted), bits(commit.realised),
                        commit.updates, commit.updates_path, hash_of(commit.tally)});
}

std::uint64_t hash_of(const wire::Phase& phase) {
  return hash_of_words({phase.phase, signless(phase.version), phase.verdict, phase.mode, phase.blocks_max,
                        phase.rounds_max, phase.updates_max, hash_of(phase.plan)});
}

std::uint64_t kept_hash(const Payload& replica) {
  std::vector<std::byte> bytes;
  const auto add = [&bytes](std::size_t count, std::span<const std::byte> array) {
    for (unsigned shift = 0; shift < 64; shift += 8) bytes.push_back(static_cast<std::byte>(count >> shift));
    bytes.insert(bytes.end(), array.begin(), array.end());
  };
  add(replica.ids.size(), std::as_bytes(std::span(replica.ids)));
  add(replica.values.size(), std::as_bytes(std::span(replica.values)));
  for (const SharedFloats& array : replica.bulk) add(array.size(), std::as_bytes(array.view()));
  return xxh3(bytes);
}

}  // namespace strads::sim
