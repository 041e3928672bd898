// Endpoints as text, and which address of this machine others can reach. Layer: transport.
#pragma once

#include <string>
#include <string_view>

#include "strads/base/status.hpp"

namespace strads::transport {

/// "tcp://HOST:PORT" in parts; HOST may be a name, an address, or an IPv6 address in brackets.
struct TcpEndpoint {
  std::string host;
  std::string port;
};

[[nodiscard]] inline bool is_ipc(std::string_view endpoint) {
  return endpoint.starts_with("ipc://");
}

/// Errors: cluster: not of this form.
[[nodiscard]] Result<TcpEndpoint> parse_tcp(const std::string& endpoint);

/// Where this process should receive messages of nodes that join `driver`, port left to the system: on the address of
/// the route to the driver (or `address` if that is not empty), or beside its ipc socket.
/// Errors: cluster: the driver's name is unknown, or there is no route to it.
[[nodiscard]] Result<std::string> own_endpoint(const std::string& driver, const std::string& address);

/// The endpoint with the host of `reached` where it names no host that another machine could use (0.0.0.0, [::]).
[[nodiscard]] std::string reachable(const std::string& endpoint, const std::string& reached);

/// Name of this host.
[[nodiscard]] std::string host_name();

}  // namespace strads::transport
