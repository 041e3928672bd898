// Who may ask a status page for what, and what the answer is: without sockets. Layer: program.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "program/status/status_board.hpp"
#include "strads/base/status.hpp"

namespace strads {

/// Where the page is served.
struct StatusAddress {
  std::string host;  ///< a numeric address
  std::uint16_t port = 0;
  bool loopback = true;
};
/// "8080", "127.0.0.1:8080", "localhost:0", "*:8080", "[::1]:8080". Errors: usage.
[[nodiscard]] Result<StatusAddress> parse_status_address(std::string_view text);
/// As it stands in a URL.
[[nodiscard]] std::string host_in_url(std::string_view host);

/// Who may ask.
struct StatusAccess {
  bool loopback = true;  ///< only names of this machine are taken in Host
  std::string token;     ///< first part of every path; "": none
};

struct StatusQuestion {
  std::string_view method, target, host;
};

struct StatusAnswer {
  unsigned code = 200;
  std::string type;
  std::string body;
  std::string location = {};
  bool streams = false;  ///< body is left out: events follow for as long as the connection lives
};

[[nodiscard]] StatusAnswer answer(const StatusQuestion& question, const StatusAccess& access, const StatusBoard& board);

}  // namespace strads
