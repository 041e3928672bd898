#include "transport/sockets/flood_guard.hpp"

#include <algorithm>

namespace strads::transport {

bool FloodGuard::opened(int descriptor) {
  const auto socket = OpenSocket::with(descriptor);
  if (!socket.has_value() || !TcpBytes::of(descriptor).has_value()) return false;
  connections_[descriptor] = {*socket, 0};
  return true;
}

void FloodGuard::closed(int descriptor) {
  connections_.erase(descriptor);
}

void FloodGuard::delivered(int descriptor, std::uint64_t bytes) {
  const auto at = connections_.find(descriptor);
  if (at != connections_.end()) at->second.delivered += bytes;
}

std::vector<FloodGuard::Held> FloodGuard::held() {
  std::vector<Held> all;
  std::erase_if(connections_, [&](const auto& entry) {
    const auto& [descriptor, connection] = entry;
    const auto bytes = TcpBytes::of(descriptor);
    if (!bytes.has_value() || !connection.socket.still_open()) return true;  // it has ended
    all.push_back({bytes->received - std::min(bytes->received, connection.delivered), connection.socket});
    return false;
  });
  return all;
}

std::uint64_t FloodGuard::undelivered() {
  std::uint64_t sum = 0;
  for (const Held& each : held()) sum += each.bytes;
  return sum;
}

void FloodGuard::shut(const OpenSocket& socket) {
  if (socket.shut()) ++shut_down_;
  connections_.erase(socket.descriptor);
}

void FloodGuard::look(bool drained, Clock::time_point now) {
  Clock::time_point& next = next_look_[drained ? 1 : 0];
  if (now < next || connections_.empty()) return;
  next = now + kLookEvery;
  auto all = held();
  std::sort(all.begin(), all.end(), [](const Held& a, const Held& b) { return a.bytes > b.bytes; });
  std::uint64_t together = 0;
  for (const Held& each : all) together += each.bytes;
  for (const Held& each : all) {
    const bool too_much = each.bytes > (drained ? kBytesMax : kBytesMaxBusy);
    if (!too_much && !(drained && together > kBytesMaxTogether)) return;
    together -= each.bytes;
    shut(each.socket);
  }
}

}  // namespace strads::transport
