// Who may connect: the lists of keys of a context's encrypted listeners. Layer: transport.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

namespace zmq {
class context_t;
}

namespace strads::transport {

/// Answers what ZeroMQ asks at each encrypted handshake (ZAP, rfc.zeromq.org/spec/27): may the holder of this public
/// key come in at this door? A message that comes in later carries the key that was let in ("User-Id"). The answers
/// come from a thread of its own: the loop may be busy, and a handshake has three seconds.
class Gatekeeper {
 public:
  /// The context must outlive this.
  explicit Gatekeeper(zmq::context_t& context);
  ~Gatekeeper();
  Gatekeeper(const Gatekeeper&) = delete;
  Gatekeeper& operator=(const Gatekeeper&) = delete;

  /// Holders of these keys may come in from now on, nobody else. Who asks before the first call for a door waits until
  /// then, so that members of a run may connect to one another in any order.
  void admit(const std::string& door, std::set<std::string> keys);

 private:
  struct Work;
  void work();
  /// Answers what can be answered now. False: the door is not open yet.
  bool decide(const std::vector<std::string>& request);

  std::mutex mutex_;
  std::map<std::string, std::set<std::string>> admitted_;  ///< by door
  std::unique_ptr<Work> work_;
  std::thread thread_;
};

}  // namespace strads::transport
