#include "transport/sockets/flood_guard.hpp"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <vector>

#include "strads/base/status.hpp"

namespace strads::transport {
namespace {

/// Two ends of a TCP connection on this machine.
class TcpPair {
 public:
  TcpPair() {
    const int listener = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    auto* place = reinterpret_cast<sockaddr*>(&address);
    STRADS_CHECK(::bind(listener, place, size) == 0 && ::listen(listener, 1) == 0, "a port of this machine");
    STRADS_CHECK(::getsockname(listener, place, &size) == 0, "it has a number");
    theirs = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    STRADS_CHECK(::connect(theirs, place, size) == 0, "somebody listens");
    ours = ::accept4(listener, nullptr, nullptr, SOCK_CLOEXEC);
    ::close(listener);
  }
  TcpPair(const TcpPair&) = delete;
  TcpPair& operator=(const TcpPair&) = delete;
  ~TcpPair() {
    ::close(ours);
    ::close(theirs);
  }
  /// They send, and a reader on our side takes it from the system, as ZeroMQ does.
  void pass(std::uint64_t bytes) const {
    std::vector<char> data(1 << 16);
    for (std::uint64_t sent = 0; sent < bytes; sent += data.size()) {
      STRADS_CHECK(::send(theirs, data.data(), data.size(), MSG_NOSIGNAL) == static_cast<ssize_t>(data.size()), "sent");
      STRADS_CHECK(::recv(ours, data.data(), data.size(), MSG_WAITALL) == static_cast<ssize_t>(data.size()), "there");
    }
  }
  /// Neither side can use it any more.
  [[nodiscard]] bool is_shut() const {
    char byte = 0;
    return ::recv(theirs, &byte, 1, MSG_DONTWAIT) == 0;
  }
  int ours = -1;
  int theirs = -1;
};

constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;

class Guarded : public testing::Test {
 protected:
  void look(bool drained) {
    now_ += 2 * FloodGuard::kLookEvery;
    guard_.look(drained, now_);
  }
  FloodGuard guard_;
  FloodGuard::Clock::time_point now_;
};

TEST_F(Guarded, AConnectionThatSendsWithoutEndIsShutDown) {
  const TcpPair pair;
  guard_.opened(pair.ours);
  pair.pass(FloodGuard::kBytesMax - kMiB);
  look(true);
  EXPECT_FALSE(pair.is_shut());
  EXPECT_GE(guard_.undelivered(), FloodGuard::kBytesMax - 2 * kMiB);
  pair.pass(2 * kMiB);
  look(true);
  EXPECT_TRUE(pair.is_shut());
  EXPECT_EQ(guard_.shut_down(), 1U);
}

TEST_F(Guarded, WhatWasDeliveredIsNotHeldAgainstIt) {
  const TcpPair pair;
  guard_.opened(pair.ours);
  for (int k = 0; k < 3; ++k) {
    pair.pass(FloodGuard::kBytesMax - kMiB);
    guard_.delivered(pair.ours, FloodGuard::kBytesMax - kMiB);
    look(true);
  }
  EXPECT_FALSE(pair.is_shut());
}

TEST_F(Guarded, WhileCompleteMessagesWaitMoreIsBorne) {
  const TcpPair pair;
  guard_.opened(pair.ours);
  pair.pass(2 * FloodGuard::kBytesMax);
  look(false);
  EXPECT_FALSE(pair.is_shut());
  look(true);
  EXPECT_TRUE(pair.is_shut()) << "a look while messages waited does not keep this one back";
}

TEST_F(Guarded, ManyConnectionsTogetherHaveABoundAndTheLargestGoesFirst) {
  std::array<TcpPair, 6> pairs;
  for (std::size_t k = 0; k < pairs.size(); ++k) {
    guard_.opened(pairs[k].ours);
    pairs[k].pass((k == 3 ? 28 : 24) * kMiB);
  }
  look(true);
  EXPECT_TRUE(pairs[3].is_shut());
  EXPECT_EQ(guard_.shut_down(), 1U) << "24 MiB of each of the others are less than the bound";
  EXPECT_LE(guard_.undelivered(), FloodGuard::kBytesMaxTogether);
}

TEST_F(Guarded, AnotherSocketWithTheSameNumberIsNotShutDown) {
  auto pair = std::make_unique<TcpPair>();
  guard_.opened(pair->ours);
  pair.reset();
  const TcpPair other;  // the lowest numbers are free again
  other.pass(FloodGuard::kBytesMax + kMiB);
  look(true);
  EXPECT_FALSE(other.is_shut());
}

}  // namespace
}  // namespace strads::transport
