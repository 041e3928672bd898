#include "transport/sockets/gatekeeper.hpp"

#include <atomic>
#include <deque>
#include <optional>
#include <utility>
#include <zmq.hpp>

#include "transport/sockets/keys.hpp"
#include "transport/sockets/sockets.hpp"
#include "transport/sockets/uninterrupted.hpp"

namespace strads::transport {
namespace {

constexpr const char* kZap = "inproc://zeromq.zap.01";
/// Handshakes that wait for a door to open: far more than members; beyond it the oldest is sent away.
constexpr std::size_t kWaitingMax = 4096;
/// Parts of a request: where the answer goes, nothing, version, request, domain, address, routing id, mechanism, key.
enum Part : std::size_t { kReturn, kEmpty, kVersion, kRequest, kDoor, kAddress, kRoutingId, kMechanism, kKey, kParts };
constexpr std::size_t kPublicKeyBytes = 32;

/// Answers. ZeroMQ tells a peer that is turned away for good, which then asks no more; one that may come again finds
/// the connection closed.
constexpr const char* kComeIn = "200";
constexpr const char* kLater = "300";
constexpr const char* kNever = "400";

using Request = std::vector<std::string>;

std::optional<Request> next_request(zmq::socket_t& socket) {
  Request request;
  zmq::message_t part;
  do {
    if (!receive_part(socket, part)) return std::nullopt;
    request.push_back(part.to_string());
  } while (part.more());
  return request;
}

void answer(zmq::socket_t& socket, const Request& request, const char* code, const std::string& user) {
  const std::vector<std::string> parts = {
      request[kReturn], "", request[kVersion], request[kRequest], code, "", user, ""};
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const auto more = i + 1 < parts.size() ? zmq::send_flags::sndmore : zmq::send_flags::none;
    (void)send_part(socket, zmq::buffer(parts[i]), more);
  }
}

}  // namespace

struct Gatekeeper::Work {
  explicit Work(zmq::context_t& context) : socket(context, ZMQ_ROUTER) {
    socket.set(zmq::sockopt::linger, 0);
    socket.bind(kZap);
  }
  zmq::socket_t socket;  ///< used by the thread alone, once it has begun
  Wake wake;
  std::atomic<bool> ends = false;
  std::deque<Request> waiting;  ///< for a door to open
};

Gatekeeper::Gatekeeper(zmq::context_t& context) : work_(std::make_unique<Work>(context)), thread_([this] { work(); }) {}

Gatekeeper::~Gatekeeper() {
  work_->ends = true;
  work_->wake.wake();
  thread_.join();
}

void Gatekeeper::admit(const std::string& door, std::set<std::string> keys) {
  {
    const std::lock_guard lock(mutex_);
    admitted_[door] = std::move(keys);
  }
  work_->wake.wake();
}

bool Gatekeeper::decide(const Request& request) {
  const bool whole =
      request.size() == kParts && request[kMechanism] == "CURVE" && request[kKey].size() == kPublicKeyBytes;
  if (!whole) {
    // ZeroMQ itself asks, in this form alone; where even the address of the answer is missing there is nobody to
    // answer.
    if (request.size() > kRequest) answer(work_->socket, request, kNever, "");
    return true;
  }
  const std::string user = key_text(reinterpret_cast<const unsigned char*>(request[kKey].data()));
  bool admitted = false;
  {
    const std::lock_guard lock(mutex_);
    const auto door = admitted_.find(request[kDoor]);
    if (door == admitted_.end()) return false;
    admitted = door->second.contains(user);
  }
  answer(work_->socket, request, admitted ? kComeIn : kNever, user);
  return true;
}

void Gatekeeper::work() {
  while (!work_->ends) {
    zmq_pollitem_t items[] = {{nullptr, work_->wake.descriptor(), ZMQ_POLLIN, 0},
                              {work_->socket.handle(), 0, ZMQ_POLLIN, 0}};
    (void)zmq_poll(items, 2, -1);
    work_->wake.clear();
    std::erase_if(work_->waiting, [this](const Request& request) { return decide(request); });
    while (auto request = next_request(work_->socket)) {
      if (decide(*request)) continue;
      work_->waiting.push_back(std::move(*request));
      if (work_->waiting.size() <= kWaitingMax) continue;
      answer(work_->socket, work_->waiting.front(), kLater, "");
      work_->waiting.pop_front();
    }
  }
}

}  // namespace strads::transport
