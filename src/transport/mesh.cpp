#include "transport/mesh.hpp"

#include <utility>

namespace strads::transport {
namespace {

constexpr std::size_t kChunkOverhead = 256;  ///< what a chunk that waits takes besides its bytes, about
constexpr std::size_t kUnfinishedBytesMax = std::size_t{256} << 20;

std::size_t size_of(const wire::Frames& frames) {
  std::size_t bytes = 0;
  for (const auto& frame : frames) bytes += frame.size();
  return bytes;
}

}  // namespace

Mesh::Mesh(Sockets& sockets, std::shared_ptr<Sockets::Listener> listener)
    : sockets_(sockets), listener_(std::move(listener)), decoder_(kUnfinishedBytesMax) {}

Result<std::unique_ptr<Mesh>> Mesh::open(Sockets& sockets, const std::string& endpoint) {
  auto listener = sockets.listen(endpoint);
  if (!listener.ok()) return listener.status();
  return std::unique_ptr<Mesh>(new Mesh(sockets, std::move(listener).value()));
}

Status Mesh::introduce(const wire::HeaderInfo& own, const std::vector<std::string>& endpoints,
                       const std::vector<std::uint32_t>& incarnations) {
  STRADS_CHECK(endpoints.size() == incarnations.size() && own.sender < endpoints.size(), "one entry a process");
  own_ = own;
  std::vector<Peer> peers(endpoints.size());
  for (std::size_t rank = 0; rank < endpoints.size(); ++rank) {
    peers[rank].incarnation = incarnations[rank];
    if (rank == own.sender) continue;
    auto connection = sockets_.connect(endpoints[rank]);
    if (!connection.ok()) return connection.status();
    peers[rank].connection = std::move(connection).value();
    // At the end of a run peers go one after the other: what is still on its way to one that is gone matters to nobody.
    peers[rank].connection->drop_unsent_at_the_end();
  }
  peers_ = std::move(peers);
  return {};
}

void Mesh::send(std::uint32_t rank, const wire::Message& message) {
  STRADS_CHECK(rank < peers_.size() && rank != own_.sender, "a peer of this run");
  if (peers_[rank].dropped) return;
  if (last_chunks_.empty() || !(last_ == message)) {
    last_chunks_.clear();
    for (auto& chunk : wire::encode(message, own_))
      last_chunks_.push_back(std::make_shared<const wire::Frames>(std::move(chunk)));
    last_ = message;
  }
  ++counters_.messages;
  for (const auto& chunk : last_chunks_) send_chunk(peers_[rank], chunk);
}

std::vector<std::uint32_t> Mesh::unreachable() {
  std::vector<std::uint32_t> ranks;
  for (std::uint32_t rank = 0; rank < peers_.size(); ++rank) {
    Peer& peer = peers_[rank];
    if (peer.connection == nullptr) continue;
    while (peer.connection->receive()) {  // nobody answers on these: it is no message of the run
      ++counters_.refused;
    }
    if (peer.connection->established() == 0 && !peer.dropped) ranks.push_back(rank);
  }
  return ranks;
}

void Mesh::drop(std::uint32_t rank) {
  if (rank >= peers_.size() || rank == own_.sender) return;
  Peer& peer = peers_[rank];
  peer.dropped = true;
  peer.waiting.clear();
  peer.waiting_bytes = 0;
}

void Mesh::send_chunk(Peer& peer, const std::shared_ptr<const wire::Frames>& chunk) {
  const std::size_t bytes = size_of(*chunk);
  if (peer.waiting.empty() && peer.connection->send(*chunk)) {
    counters_.bytes += bytes;
    return;
  }
  if (peer.waiting_bytes + bytes + kChunkOverhead > kWaitingBytesMax) {
    ++counters_.withheld;
    return;
  }
  peer.waiting.push_back(chunk);
  peer.waiting_bytes += bytes + kChunkOverhead;
}

bool Mesh::flush(Peer& peer) {
  while (!peer.waiting.empty() && peer.connection->send(*peer.waiting.front())) {
    const std::size_t bytes = size_of(*peer.waiting.front());
    counters_.bytes += bytes;
    peer.waiting_bytes -= bytes + kChunkOverhead;
    peer.waiting.pop_front();
  }
  return peer.waiting.empty();
}

bool Mesh::flush() {
  bool all = true;
  for (Peer& peer : peers_) all = flush(peer) && all;
  return all;
}

bool Mesh::of_this_run(const wire::Header& header) const {
  return !peers_.empty() && header.from.run_id == own_.run_id && header.from.epoch == own_.epoch &&
         header.from.sender < peers_.size() && header.from.incarnation == peers_[header.from.sender].incarnation;
}

bool Mesh::receive(std::size_t count, const std::function<void(std::uint32_t, wire::Message)>& take) {
  for (std::size_t i = 0; i < count; ++i) {
    auto incoming = listener_->receive();
    if (!incoming.has_value()) return false;
    const auto header = wire::read_header(incoming->frames.empty() ? wire::FrameView{} : incoming->frames.front());
    if (!header.ok() || !of_this_run(header.value())) {
      ++counters_.refused;
      continue;
    }
    auto message = decoder_.feed(std::span<const wire::Frame>(incoming->frames));
    if (!message.ok()) {
      ++counters_.refused;
    } else if (message.value().has_value()) {
      take(header.value().from.sender, std::move(*message.value()));
    }
  }
  return true;
}

}  // namespace strads::transport
