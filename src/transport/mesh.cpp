#include "transport/mesh.hpp"

#include <algorithm>
#include <utility>

namespace strads::transport {
namespace {

constexpr std::size_t kChunkOverhead = 256;  ///< what a chunk that waits takes besides its bytes, about
constexpr const char* kRoundsDoor = "rounds";
constexpr std::size_t kUnfinishedBytesMax = std::size_t{256} << 20;

/// Without what packs them.
std::size_t bytes_of(const wire::Frames& chunk) {
  std::size_t bytes = 0;
  for (const auto& frame : chunk) bytes += frame.size();
  return bytes;
}

}  // namespace

Mesh::Mesh(Sockets& sockets, std::shared_ptr<Sockets::Listener> listener, std::optional<KeyPair> own_key)
    : sockets_(sockets), listener_(std::move(listener)), own_key_(std::move(own_key)), decoder_(kUnfinishedBytesMax) {}

Result<std::unique_ptr<Mesh>> Mesh::open(Sockets& sockets, const std::string& endpoint,
                                         const std::optional<KeyPair>& own_key) {
  std::optional<Door> door;
  if (own_key.has_value()) door = Door{kRoundsDoor, own_key->secret_key};
  auto listener = sockets.listen(endpoint, door);
  if (!listener.ok()) return listener.status();
  return std::unique_ptr<Mesh>(new Mesh(sockets, std::move(listener).value(), own_key));
}

Status Mesh::introduce(const wire::HeaderInfo& own, const std::map<std::uint32_t, MeshPeer>& all) {
  STRADS_CHECK(all.contains(own.sender), "this process is one of them");
  own_ = own;
  peers_.clear();
  admitted_.clear();
  peers_[own.sender].incarnation = own.incarnation;
  peers_[own.sender].key = all.at(own.sender).key;
  for (const auto& [rank, peer] : all) {
    if (rank == own.sender) continue;
    if (Status met = connect(rank, peer); !met.ok()) return met;
  }
  // All at once: whoever comes to a door that is open for others alone is sent away for good.
  if (own_key_.has_value()) sockets_.admit(kRoundsDoor, admitted_);
  return {};
}

Status Mesh::introduce(std::uint32_t rank, const MeshPeer& peer) {
  if (Status met = connect(rank, peer); !met.ok()) return met;
  if (own_key_.has_value()) sockets_.admit(kRoundsDoor, admitted_);
  return {};
}

Status Mesh::connect(std::uint32_t rank, const MeshPeer& peer) {
  std::optional<Credentials> credentials;
  if (own_key_.has_value()) {
    if (!is_key(peer.key) || admitted_.contains(peer.key))
      return Status::cluster("a process of the run at " + peer.endpoint + " has no key of its own");
    credentials = Credentials{*own_key_, peer.key};
  }
  auto connection = sockets_.connect(peer.endpoint, credentials);
  if (!connection.ok()) return connection.status();
  Peer& added = peers_[rank];
  added.incarnation = peer.incarnation;
  added.key = peer.key;
  added.connection = std::move(connection).value();
  added.since = std::chrono::steady_clock::now();
  // At the end of a run peers go one after the other: what is still on its way to one that is gone matters to nobody.
  added.connection->drop_unsent_at_the_end();
  added.connection->expect_nothing();
  if (own_key_.has_value()) admitted_.insert(peer.key);
  return {};
}

void Mesh::send(std::uint32_t rank, wire::Message message, std::uint32_t run, Haste haste) {
  const auto found = peers_.find(rank);
  STRADS_CHECK(found != peers_.end() && rank != own_.sender, "a peer of this run");
  Peer& peer = found->second;
  if (peer.dropped) return;
  if (last_chunks_.empty() || last_run_ != run || !(last_ == message)) {
    last_chunks_.clear();
    wire::HeaderInfo from = own_;
    from.run = run;
    for (auto& chunk : wire::encode(message, from))
      last_chunks_.push_back(std::make_shared<const wire::Frames>(std::move(chunk)));
    last_ = std::move(message);
    last_run_ = run;
  }
  ++counters_.messages;
  if (haste == Haste::soon) peer.hasty = true;
  for (const auto& chunk : last_chunks_) keep(peer, chunk);
}

std::vector<std::uint32_t> Mesh::unreachable(const Refuse& refuse) {
  std::vector<std::uint32_t> ranks;
  for (auto& [rank, peer] : peers_) {
    if (peer.connection == nullptr) continue;
    while (peer.connection->receive()) refuse(Refusal::damaged, rank);  // nobody answers on these
    if (peer.connection->established() > 0 || peer.dropped) continue;
    const bool is_busy = peer.connection->reached() && std::chrono::steady_clock::now() - peer.since < kBusyAtMost;
    if (!is_busy) ranks.push_back(rank);
  }
  return ranks;
}

void Mesh::drop(std::uint32_t rank) {
  const auto found = peers_.find(rank);
  if (found == peers_.end() || rank == own_.sender) return;
  Peer& peer = found->second;
  peer.dropped = true;
  peer.waiting.clear();
  peer.waiting_bytes = 0;
  peer.hasty = false;
  if (admitted_.erase(peer.key) > 0) sockets_.admit(kRoundsDoor, admitted_);
}

void Mesh::keep(Peer& peer, const std::shared_ptr<const wire::Frames>& chunk) {
  if (!peer.gathered.add(*chunk)) {
    flush(peer);
    peer.gathered.add(*chunk);
  }
  const std::size_t bytes = bytes_of(*chunk) + kChunkOverhead;
  if (peer.waiting_bytes + bytes > kWaitingBytesMax) {
    ++counters_.withheld;
    return;
  }
  peer.waiting.push_back(chunk);
  peer.waiting_bytes += bytes;
}

bool Mesh::flush(Peer& peer) {
  peer.gathered = {};
  while (!peer.waiting.empty()) {
    wire::BatchSize size;
    auto end = peer.waiting.begin();
    while (end != peer.waiting.end() && size.add(**end)) ++end;
    batch_.front().clear();
    std::size_t bytes = 0;
    for (auto chunk = peer.waiting.begin(); chunk != end; ++chunk) {
      wire::append_chunk(batch_.front(), **chunk);
      bytes += bytes_of(**chunk);
    }
    if (!peer.connection->send(batch_)) {
      peer.hasty = true;  // as soon as it can
      return false;
    }
    ++counters_.batches;
    counters_.bytes += bytes;
    peer.waiting_bytes -= bytes + size.chunks() * kChunkOverhead;
    peer.waiting.erase(peer.waiting.begin(), end);
  }
  peer.hasty = false;
  return true;
}

bool Mesh::flush() {
  bool all = true;
  for (auto& [rank, peer] : peers_) all = flush(peer) && all;
  return all;
}

bool Mesh::flush_hasty() {
  bool all = true;
  for (auto& [rank, peer] : peers_) all = (!peer.hasty || flush(peer)) && all;
  return all;
}

bool Mesh::is_patient() const {
  return std::any_of(peers_.begin(), peers_.end(),
                     [](const auto& each) { return !each.second.hasty && !each.second.waiting.empty(); });
}

bool Mesh::of_this_run(const wire::Header& header, const std::string& key) const {
  if (peers_.empty() || header.from.cluster != own_.cluster || header.from.epoch != own_.epoch) return false;
  if (header.from.run == wire::kNoRun) return false;
  const auto found = peers_.find(header.from.sender);
  if (found == peers_.end()) return false;
  const Peer& sender = found->second;
  return !sender.dropped && header.from.incarnation == sender.incarnation && key == sender.key;
}

std::optional<std::uint32_t> Mesh::holder_of(const std::string& key) const {
  if (key.empty()) return std::nullopt;
  const auto found =
      std::ranges::find_if(peers_, [&](const auto& each) { return each.second.key == key && !each.second.dropped; });
  return found == peers_.end() ? std::nullopt : std::optional(found->first);
}

std::optional<std::vector<Mesh::Received>> Mesh::decode(wire::FrameView batch) {
  const auto chunks = wire::cut_batch(batch);
  if (!chunks.ok()) return std::nullopt;
  std::vector<Received> messages;
  for (const auto& chunk : chunks.value()) {
    auto message = decoder_.feed(std::span<const wire::FrameView>(chunk));
    if (!message.ok()) return std::nullopt;
    if (message.value().has_value())
      messages.push_back({wire::read_header(chunk.front()).value().from, std::move(*message.value())});
  }
  return messages;
}

std::size_t Mesh::take_batch(const Incoming& incoming, const Deliver& deliver, const Refuse& refuse) {
  const wire::FrameView batch = incoming.frames.size() == 1 ? wire::FrameView(incoming.frames[0]) : wire::FrameView{};
  const auto header = wire::read_header(batch.first(std::min(batch.size(), wire::kHeaderBytes)));
  if (!header.ok()) {
    refuse(Refusal::damaged, holder_of(incoming.key));
    return 0;
  }
  if (!of_this_run(header.value(), incoming.key)) {
    // A member that speaks in another's name, or one of this run that the run has gone on without.
    const auto holder = holder_of(incoming.key);
    refuse(Refusal::foreign, holder);
    if (!holder.has_value() && !peers_.empty()) listener_->shut(incoming.connection);
    return 0;
  }
  auto messages = decode(batch);
  if (!messages.has_value()) {
    refuse(Refusal::damaged, header.value().from.sender);
    return 0;
  }
  for (Received& each : *messages) deliver(each.from, std::move(each.message));
  return messages->size();
}

bool Mesh::receive(std::size_t count, const Deliver& deliver, const Refuse& refuse) {
  for (std::size_t taken = 0; taken < count;) {
    const auto incoming = listener_->receive();
    if (!incoming.has_value()) return false;
    taken += std::max<std::size_t>(1, take_batch(*incoming, deliver, refuse));
  }
  return true;
}

}  // namespace strads::transport
