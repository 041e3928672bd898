// A socket of this process that somebody else, ZeroMQ, opens and closes. Layer: transport.
#pragma once

#include <cstdint>
#include <optional>

namespace strads::transport {

/// A descriptor alone does not say which socket is meant: it may have been closed, and another may have got the number.
/// The system gives each socket a cookie that no other ever has.
struct OpenSocket {
  int descriptor = -1;
  std::uint64_t cookie = 0;

  /// nullopt: no socket has this number now, or the kernel is older than 4.13.
  [[nodiscard]] static std::optional<OpenSocket> with(int descriptor);
  [[nodiscard]] bool still_open() const;
  /// Ends the connection, if it is still this one: ZeroMQ sees its end and closes it. False: it has gone already.
  bool shut() const;  // NOLINT(modernize-use-nodiscard): gone is what was wanted
};

/// What the system knows of a TCP connection.
struct TcpBytes {
  std::uint64_t received = 0;
  /// Each counted once, however often it had to be sent. Whether the other side has got them is another question: it
  /// may take its time to say so. Before kernel 4.19: those that it has said it got.
  std::uint64_t sent = 0;

  /// nullopt: no TCP, or a kernel before 4.1.
  [[nodiscard]] static std::optional<TcpBytes> of(int descriptor);
};

}  // namespace strads::transport
