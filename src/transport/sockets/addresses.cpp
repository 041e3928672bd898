#include "transport/sockets/addresses.hpp"

#include <netdb.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <memory>

namespace strads::transport {
namespace {

constexpr std::string_view kTcp = "tcp://";

std::string without_brackets(const std::string& host) {
  return host.size() > 2 && host.front() == '[' && host.back() == ']' ? host.substr(1, host.size() - 2) : host;
}

/// The address from which this machine talks to host:port, as a number. Nothing is sent: a datagram socket that is
/// connected only looks up the route.
Result<std::string> route_to(const TcpEndpoint& driver) {
  const std::string host = without_brackets(driver.host);
  addrinfo wanted{};
  wanted.ai_socktype = SOCK_DGRAM;
  addrinfo* found = nullptr;
  if (const int error = ::getaddrinfo(host.c_str(), driver.port.c_str(), &wanted, &found); error != 0) {
    return Status::cluster("the driver's host '" + host + "' is not known here: " + ::gai_strerror(error) +
                           "; give an address or a name that this host can resolve");
  }
  const std::unique_ptr<addrinfo, void (*)(addrinfo*)> owner(found, ::freeaddrinfo);
  std::string reason = "no address";
  for (const addrinfo* at = found; at != nullptr; at = at->ai_next) {
    const int socket = ::socket(at->ai_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (socket < 0) continue;
    sockaddr_storage own{};
    socklen_t length = sizeof own;
    std::array<char, 64> text{};
    const bool connected = ::connect(socket, at->ai_addr, at->ai_addrlen) == 0 &&
                           ::getsockname(socket, reinterpret_cast<sockaddr*>(&own), &length) == 0 &&
                           ::getnameinfo(reinterpret_cast<sockaddr*>(&own), length, text.data(), text.size(), nullptr,
                                         0, NI_NUMERICHOST) == 0;
    if (!connected) reason = std::strerror(errno);
    ::close(socket);
    if (!connected) continue;
    std::string host_text = text.data();
    if (at->ai_family == AF_INET6) host_text.insert(0, 1, '[').push_back(']');
    return host_text;
  }
  return Status::cluster("no route from this host to the driver at " + host + ": " + reason +
                         "; check the address, or give this node's own with --address");
}

}  // namespace

Result<TcpEndpoint> parse_tcp(const std::string& endpoint) {
  const auto colon = endpoint.rfind(':');
  if (!endpoint.starts_with(kTcp) || colon == std::string::npos || colon <= kTcp.size() || colon + 1 == endpoint.size())
    return Status::cluster("'" + endpoint + "' is no endpoint, expected tcp://ADDRESS:PORT or ipc://PATH");
  return TcpEndpoint{endpoint.substr(kTcp.size(), colon - kTcp.size()), endpoint.substr(colon + 1)};
}

Result<std::string> own_endpoint(const std::string& driver, const std::string& address) {
  if (is_ipc(driver)) {
    // Several nodes of one process (tests) need different files as well.
    static std::atomic<std::uint32_t> count{0};
    const auto folder = driver.substr(0, driver.rfind('/') + 1);
    return folder + "node-" + std::to_string(::getpid()) + "-" + std::to_string(count.fetch_add(1));
  }
  const auto parsed = parse_tcp(driver);
  if (!parsed.ok()) return parsed.status();
  if (!address.empty()) {
    const bool bare_v6 = address.find(':') != std::string::npos && address.front() != '[';
    return std::string(kTcp) + (bare_v6 ? "[" + address + "]" : address) + ":0";
  }
  const auto route = route_to(parsed.value());
  if (!route.ok()) return route.status();
  return std::string(kTcp) + route.value() + ":0";
}

std::string reachable(const std::string& endpoint, const std::string& reached) {
  if (is_ipc(endpoint)) return endpoint;
  const auto bound = parse_tcp(endpoint);
  const auto used = parse_tcp(reached);
  if (!bound.ok() || !used.ok()) return endpoint;
  const bool anywhere = bound.value().host == "0.0.0.0" || bound.value().host == "[::]" || bound.value().host == "*";
  return anywhere ? std::string(kTcp) + used.value().host + ":" + bound.value().port : endpoint;
}

std::string host_name() {
  std::array<char, 256> name{};
  if (::gethostname(name.data(), name.size() - 1) != 0) return "unknown";
  return name.data();
}

}  // namespace strads::transport
