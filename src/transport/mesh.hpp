// Messages of the round protocol between the processes of one run. Layer: transport.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "transport/sockets.hpp"
#include "wire/framing.hpp"

namespace strads::transport {

/// What went in and out.
struct MeshCounters {
  std::uint64_t messages = 0;  ///< sent
  std::uint64_t bytes = 0;     ///< sent, frames without ZeroMQ's own
  std::uint64_t refused = 0;   ///< received, but no message or none of this run
  std::uint64_t withheld = 0;  ///< not sent because a peer took nothing for too long; repeated on demand
};

/// How a process of the run is reached and known.
struct MeshPeer {
  std::string endpoint;
  std::uint32_t incarnation = 0;
  std::string key;  ///< its public key; empty: nothing is encrypted
};

/// One listener, and one connection to each peer; of its kind the only one in its Sockets. A process has a rank: nodes
/// 0 ... nodes - 1, then the driver.
class Mesh {
 public:
  /// Chunks for one peer wait here when its connection takes no more; beyond this many bytes new ones are withheld.
  static constexpr std::size_t kWaitingBytesMax = std::size_t{64} << 20;

  /// With an own key everything is encrypted, and only peers of the run come in. Errors: cluster: cannot listen at
  /// `endpoint`.
  [[nodiscard]] static Result<std::unique_ptr<Mesh>> open(Sockets& sockets, const std::string& endpoint,
                                                          const std::optional<KeyPair>& own_key = {});

  [[nodiscard]] const std::string& endpoint() const { return listener_->endpoint(); }

  /// The run begins. `all`: its processes by rank, this one among them. Errors: cluster, for an endpoint that is none,
  /// and for a peer without a key where there must be one.
  [[nodiscard]] Status introduce(const wire::HeaderInfo& own, const std::vector<MeshPeer>& all);
  [[nodiscard]] bool introduced() const { return !peers_.empty(); }

  /// REQUIRES: introduced(). Never blocks.
  void send(std::uint32_t rank, const wire::Message& message);
  /// Peers that were never reached, by rank. To be asked several times a second.
  [[nodiscard]] std::vector<std::uint32_t> unreachable();
  /// This peer does not come back: nothing is kept for it any more. REQUIRES: introduced().
  void drop(std::uint32_t rank);
  /// Sends what had to wait. True: nothing waits any more.
  bool flush();

  /// Calls take(rank of the sender, message) for at most `count` messages that have come. True: there may be more.
  bool receive(std::size_t count, const std::function<void(std::uint32_t, wire::Message)>& take);

  /// A message that the receiver could not use.
  void note_refused() { ++counters_.refused; }
  /// Such messages, and connections that never came in.
  [[nodiscard]] std::uint64_t refused() const { return counters_.refused + listener_->strangers(); }
  [[nodiscard]] const MeshCounters& counters() const { return counters_; }

 private:
  struct Peer {
    std::shared_ptr<Sockets::Connection> connection;
    std::uint32_t incarnation = 0;
    std::string key;
    bool dropped = false;
    std::deque<std::shared_ptr<const wire::Frames>> waiting;
    std::size_t waiting_bytes = 0;
  };

  Mesh(Sockets& sockets, std::shared_ptr<Sockets::Listener> listener, std::optional<KeyPair> own_key);
  void send_chunk(Peer& peer, const std::shared_ptr<const wire::Frames>& chunk);
  bool flush(Peer& peer);
  [[nodiscard]] bool of_this_run(const wire::Header& header, const std::string& key) const;

  Sockets& sockets_;
  std::shared_ptr<Sockets::Listener> listener_;
  std::optional<KeyPair> own_key_;
  wire::HeaderInfo own_;
  std::vector<Peer> peers_;
  wire::Decoder decoder_;
  MeshCounters counters_;
  wire::Message last_;  ///< a commit goes to every node: it is encoded once
  std::vector<std::shared_ptr<const wire::Frames>> last_chunks_;
};

}  // namespace strads::transport
