#include "engine/session/snapshot.hpp"

#include <cstring>
#include <set>
#include <span>
#include <utility>

#include "wire/batch.hpp"

namespace strads::engine {
namespace {

void append(const wire::Message& message, std::string& bytes) {
  for (const wire::Frames& chunk : wire::encode(message, {})) {
    wire::Frame frame;
    wire::append_chunk(frame, chunk);
    const std::uint64_t length = frame.size();
    bytes.append(reinterpret_cast<const char*>(&length), sizeof length);
    bytes.append(reinterpret_cast<const char*>(frame.data()), frame.size());
  }
}

wire::Snapshot message_of(const NodeCheckpoint& from) {
  return {from.phases,
          from.version,
          static_cast<std::uint8_t>(from.verified ? 1 : 0),
          static_cast<std::uint8_t>(from.in_phase ? 1 : 0),
          static_cast<std::uint8_t>(from.phase.mode),
          from.phase.blocks_max,
          from.phase.rounds_max,
          from.phase.updates_max,
          from.phase.content,
          from.replica};
}

Status no_snapshot(const std::string& why) {
  return Status::cluster("the driver's snapshot " + why + "; use the same build on all hosts");
}

/// Takes one message of the snapshot.
Status read_part(wire::Message message, NodeCheckpoint& checkpoint, std::set<std::uint32_t>& memories, bool& replica) {
  if (auto* snapshot = std::get_if<wire::Snapshot>(&message); snapshot != nullptr && !replica) {
    if (snapshot->mode > static_cast<std::uint8_t>(PhasePlan::Mode::steady)) return no_snapshot("has an unknown phase");
    replica = true;
    checkpoint.phases = snapshot->phases;
    checkpoint.version = snapshot->version;
    checkpoint.verified = snapshot->verified != 0;
    checkpoint.in_phase = snapshot->in_phase != 0;
    checkpoint.phase = {PhasePlan::Verdict::go_on, static_cast<PhasePlan::Mode>(snapshot->mode),
                        snapshot->blocks_max,      snapshot->rounds_max,
                        snapshot->updates_max,     std::move(snapshot->plan)};
    checkpoint.replica = std::move(snapshot->replica);
    return {};
  }
  auto* memory = std::get_if<wire::Memory>(&message);
  if (memory == nullptr || memory->scheduler >= checkpoint.memories.size() ||
      !memories.insert(memory->scheduler).second)
    return no_snapshot("holds what is no part of one");
  checkpoint.memories[memory->scheduler] = std::move(memory->memory);
  checkpoint.planning_flops[memory->scheduler] = memory->planning_flops;
  return {};
}

}  // namespace

std::string encode_snapshot(const NodeCheckpoint& checkpoint) {
  std::string bytes;
  append(message_of(checkpoint), bytes);
  for (std::uint32_t s = 0; s < checkpoint.memories.size(); ++s)
    append(wire::Memory{s, checkpoint.phases, checkpoint.planning_flops[s], checkpoint.memories[s]}, bytes);
  return bytes;
}

Result<NodeCheckpoint> decode_snapshot(std::string_view bytes, std::uint32_t schedulers) {
  NodeCheckpoint checkpoint;
  checkpoint.memories.resize(schedulers);
  checkpoint.planning_flops.resize(schedulers);
  std::set<std::uint32_t> memories;
  bool replica = false;
  wire::Decoder decoder(2 * bytes.size() + wire::kFrameBytesMax);
  while (!bytes.empty()) {
    std::uint64_t length = 0;
    if (bytes.size() < sizeof length) return no_snapshot("is cut");
    std::memcpy(&length, bytes.data(), sizeof length);
    bytes.remove_prefix(sizeof length);
    if (length > bytes.size()) return no_snapshot("is cut");
    const auto chunks = wire::cut_batch(std::as_bytes(std::span(bytes.data(), length)));
    bytes.remove_prefix(length);
    if (!chunks.ok() || chunks.value().size() != 1) return no_snapshot("is damaged");
    auto message = decoder.feed(std::span<const wire::FrameView>(chunks.value().front()));
    if (!message.ok()) return no_snapshot("is damaged: " + message.status().message());
    if (!message.value().has_value()) continue;
    if (Status part = read_part(std::move(*message.value()), checkpoint, memories, replica); !part.ok()) return part;
  }
  if (!replica || memories.size() != schedulers) return no_snapshot("is incomplete");
  return checkpoint;
}

}  // namespace strads::engine
