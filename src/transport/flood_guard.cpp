#include "transport/flood_guard.hpp"

#include <linux/tcp.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <algorithm>
#include <cstddef>
#include <optional>

namespace strads::transport {
namespace {

std::optional<std::uint64_t> cookie_of(int descriptor) {
  std::uint64_t cookie = 0;
  socklen_t size = sizeof cookie;
  if (::getsockopt(descriptor, SOL_SOCKET, SO_COOKIE, &cookie, &size) != 0) return std::nullopt;
  return cookie;
}

/// nullopt: no TCP, or a kernel before 4.1.
std::optional<std::uint64_t> bytes_received(int descriptor) {
  tcp_info info{};
  socklen_t size = sizeof info;
  if (::getsockopt(descriptor, IPPROTO_TCP, TCP_INFO, &info, &size) != 0) return std::nullopt;
  if (size < offsetof(tcp_info, tcpi_bytes_received) + sizeof info.tcpi_bytes_received) return std::nullopt;
  return info.tcpi_bytes_received;
}

}  // namespace

void FloodGuard::opened(int descriptor) {
  const auto cookie = cookie_of(descriptor);
  if (cookie.has_value() && bytes_received(descriptor).has_value()) connections_[descriptor] = {*cookie, 0};
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
    const auto received = bytes_received(descriptor);
    if (!received.has_value() || cookie_of(descriptor) != connection.cookie) return true;  // it has ended
    all.push_back({*received - std::min(*received, connection.delivered), descriptor});
    return false;
  });
  return all;
}

std::uint64_t FloodGuard::undelivered() {
  std::uint64_t sum = 0;
  for (const Held& each : held()) sum += each.bytes;
  return sum;
}

void FloodGuard::shut(int descriptor) {
  (void)::shutdown(descriptor, SHUT_RDWR);  // ZeroMQ sees the end of the connection and closes it
  connections_.erase(descriptor);
  ++shut_down_;
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
    shut(each.descriptor);
  }
}

}  // namespace strads::transport
