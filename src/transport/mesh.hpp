// Messages of the round protocol between the processes of one run. Layer: transport.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "strads/base/refusals.hpp"
#include "transport/sockets/sockets.hpp"
#include "wire/batch.hpp"
#include "wire/framing.hpp"

namespace strads::transport {

/// A listener's counts, among what else was not taken.
inline void add_turned_away(const TurnedAway& counts, Refusals& refusals) {
  refusals.add(Refusal::stranger, counts.strangers);
  refusals.add(Refusal::flooding, counts.flooding);
  refusals.add(Refusal::crowding, counts.crowding);
  refusals.add(Refusal::hurrying, counts.hurrying);
}

/// What went in and out.
struct MeshCounters {
  std::uint64_t messages = 0;  ///< sent
  std::uint64_t batches = 0;   ///< in which they travelled
  std::uint64_t bytes = 0;     ///< sent, as wire/size.hpp counts: frames, without what packs them
  std::uint64_t withheld = 0;  ///< chunks not sent because a peer took nothing for too long; repeated on demand
};

/// How a process of the run is reached and known.
struct MeshPeer {
  std::string endpoint;
  std::uint32_t incarnation = 0;
  std::string key;  ///< its public key; empty: nothing is encrypted
};

/// When a message must go.
enum class Haste : std::uint8_t {
  soon,      ///< with flush_hasty()
  patience,  ///< beside another one, or with flush()
};

/// One listener, and one connection to each peer; of its kind the only one in its Sockets. A process has a rank.
class Mesh {
 public:
  /// Gets messages: their sender's rank is that of the key, cluster and incarnation that they came with.
  using Deliver = std::function<void(const wire::HeaderInfo& from, wire::Message)>;
  /// Hears of what is no message of this run. Without a sender it may be anybody's.
  using Refuse = std::function<void(Refusal kind, std::optional<std::uint32_t> from)>;

  /// Chunks for one peer wait here for flush(), or until its connection takes more; beyond this many bytes new ones are
  /// withheld.
  static constexpr std::size_t kWaitingBytesMax = std::size_t{64} << 20;
  static constexpr std::chrono::seconds kBusyAtMost{60};

  /// With an own key everything is encrypted, and only peers of the run come in. Errors: cluster: cannot listen at
  /// `endpoint`.
  [[nodiscard]] static Result<std::unique_ptr<Mesh>> open(Sockets& sockets, const std::string& endpoint,
                                                          const std::optional<KeyPair>& own_key = {});

  [[nodiscard]] const std::string& endpoint() const { return listener_->endpoint(); }

  /// The run begins. `all`: its processes by rank, this one among them. Errors: cluster, for an endpoint that is none,
  /// and for a peer without a key where there must be one.
  [[nodiscard]] Status introduce(const wire::HeaderInfo& own, const std::map<std::uint32_t, MeshPeer>& all);
  /// Another process has joined. Errors: the same. REQUIRES: introduced().
  [[nodiscard]] Status introduce(std::uint32_t rank, const MeshPeer& peer);
  [[nodiscard]] bool introduced() const { return !peers_.empty(); }

  /// With the next flush(), or before that where a batch is full (wire/batch.hpp). `run`: which one it belongs to.
  /// REQUIRES: introduced(). Never blocks.
  void send(std::uint32_t rank, wire::Message message, std::uint32_t run, Haste haste = Haste::soon);
  /// Peers that were never reached, by rank. One whose system has taken a connection may be too busy to go on with it,
  /// and counts after kBusyAtMost. To be asked several times a second.
  [[nodiscard]] std::vector<std::uint32_t> unreachable(const Refuse& refuse);
  /// This peer does not come back: nothing is kept for it any more, and what it sends is not taken. REQUIRES:
  /// introduced().
  void drop(std::uint32_t rank);
  /// Sends what was said since the last time and what had to wait, to each peer in as few batches as it takes. True:
  /// nothing waits any more.
  bool flush();
  /// The same for peers that were told anything but with patience.
  bool flush_hasty();
  /// Whether anything waits for flush() alone.
  [[nodiscard]] bool is_patient() const;

  /// For about `count` messages that have come: a batch is taken or refused as a whole. True: there may be more.
  bool receive(std::size_t count, const Deliver& deliver, const Refuse& refuse);
  /// Whoever connected here and did not come in.
  [[nodiscard]] const TurnedAway& turned_away() const { return listener_->turned_away(); }
  [[nodiscard]] const MeshCounters& counters() const { return counters_; }

 private:
  struct Peer {
    std::shared_ptr<Sockets::Connection> connection;
    std::chrono::steady_clock::time_point since;  ///< when it was opened
    std::uint32_t incarnation = 0;
    std::string key;
    bool dropped = false;
    std::deque<std::shared_ptr<const wire::Frames>> waiting;
    std::size_t waiting_bytes = 0;
    wire::BatchSize gathered;  ///< since the last try to send
    bool hasty = false;        ///< something that waits must go soon
  };

  struct Received {
    wire::HeaderInfo from;
    wire::Message message;
  };

  Mesh(Sockets& sockets, std::shared_ptr<Sockets::Listener> listener, std::optional<KeyPair> own_key);
  Status connect(std::uint32_t rank, const MeshPeer& peer);
  void keep(Peer& peer, const std::shared_ptr<const wire::Frames>& chunk);
  bool flush(Peer& peer);
  std::size_t take_batch(const Incoming& incoming, const Deliver& deliver, const Refuse& refuse);
  /// Nothing: a chunk of it is damaged.
  [[nodiscard]] std::optional<std::vector<Received>> decode(wire::FrameView batch);
  [[nodiscard]] bool of_this_run(const wire::Header& header, const std::string& key) const;
  [[nodiscard]] std::optional<std::uint32_t> holder_of(const std::string& key) const;

  Sockets& sockets_;
  std::shared_ptr<Sockets::Listener> listener_;
  std::optional<KeyPair> own_key_;
  wire::HeaderInfo own_;
  std::map<std::uint32_t, Peer> peers_;  ///< by rank; that of this process has no connection
  std::set<std::string> admitted_;       ///< keys of peers that may come in
  wire::Decoder decoder_;
  MeshCounters counters_;
  wire::Message last_;  ///< a commit goes to every node: it is encoded once
  std::uint32_t last_run_ = 0;
  std::vector<std::shared_ptr<const wire::Frames>> last_chunks_;
  wire::Frames batch_{1};  ///< the one that is being sent
};

}  // namespace strads::transport
