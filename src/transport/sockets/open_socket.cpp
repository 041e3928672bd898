#include "transport/sockets/open_socket.hpp"

#include <linux/tcp.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <algorithm>
#include <cstddef>

namespace strads::transport {

std::optional<OpenSocket> OpenSocket::with(int descriptor) {
  OpenSocket socket{descriptor, 0};
  socklen_t size = sizeof socket.cookie;
  if (::getsockopt(descriptor, SOL_SOCKET, SO_COOKIE, &socket.cookie, &size) != 0) return std::nullopt;
  return socket;
}

bool OpenSocket::still_open() const {
  const auto now = with(descriptor);
  return now.has_value() && now->cookie == cookie;
}

bool OpenSocket::shut() const {
  return still_open() && ::shutdown(descriptor, SHUT_RDWR) == 0;
}

std::optional<TcpBytes> TcpBytes::of(int descriptor) {
  tcp_info info{};
  socklen_t size = sizeof info;
  if (::getsockopt(descriptor, IPPROTO_TCP, TCP_INFO, &info, &size) != 0) return std::nullopt;
  constexpr auto kNeeded = std::max(offsetof(tcp_info, tcpi_bytes_received), offsetof(tcp_info, tcpi_bytes_acked)) +
                           sizeof info.tcpi_bytes_received;
  if (size < kNeeded) return std::nullopt;
  const bool counts_sent = size >= offsetof(tcp_info, tcpi_bytes_retrans) + sizeof info.tcpi_bytes_retrans;
  return TcpBytes{info.tcpi_bytes_received,
                  counts_sent ? info.tcpi_bytes_sent - info.tcpi_bytes_retrans : info.tcpi_bytes_acked};
}

}  // namespace strads::transport
