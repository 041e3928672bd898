#include "sim/audit_hashes.hpp"

#include <bit>
#include <initializer_list>
#include <span>

#include "strads/hash.hpp"

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
  return hash_of_words({payload.ids.size(), xxh3(std::as_bytes(std::span(payload.ids))), payload.values.size(),
                        xxh3(std::as_bytes(std::span(payload.values)))});
}

std::uint64_t hash_of(const wire::Assign& m) {
  return hash_of_words({signless(m.base), m.kind, m.sweeps, bits(m.tolerance), hash_of(m.block)});
}

std::uint64_t hash_of(const wire::Deltas& m) {
  return hash_of_words({bits(m.predicted), m.flops, m.bytes, m.updates, hash_of(m.deltas)});
}

std::uint64_t hash_of_header(const wire::Commit& m) {
  return hash_of_words({signless(m.version), m.scheduler, m.blocks, m.ends_phase, m.last, bits(m.step),
                        bits(m.objective), bits(m.predicted), bits(m.realised), m.flops, m.flops_path, m.updates,
                        m.updates_path});
}

std::uint64_t hash_of(const wire::Phase& m) {
  return hash_of_words(
      {m.phase, signless(m.version), m.verdict, m.joint, m.blocks_max, m.rounds_max, m.updates_max, hash_of(m.plan)});
}

}  // namespace strads::sim
