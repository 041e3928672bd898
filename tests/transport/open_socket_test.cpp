#include "transport/sockets/open_socket.hpp"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>

namespace strads::transport {
namespace {

class OfAPair : public testing::Test {
 protected:
  void SetUp() override { open(); }
  void TearDown() override { close(); }
  void open() { ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends_.data()), 0); }
  void close() {
    for (const int end : ends_) ::close(end);
  }
  [[nodiscard]] bool is_shut() const {
    char byte = 0;
    return ::recv(ends_[1], &byte, 1, MSG_DONTWAIT) == 0;
  }
  std::array<int, 2> ends_{};
};

TEST_F(OfAPair, AnOpenSocketIsShut) {
  const auto socket = OpenSocket::with(ends_[0]);
  ASSERT_TRUE(socket.has_value());
  EXPECT_TRUE(socket->still_open());
  EXPECT_FALSE(is_shut());
  EXPECT_TRUE(socket->shut());
  EXPECT_TRUE(is_shut());
}

TEST_F(OfAPair, AnotherSocketWithTheSameNumberIsLetBe) {
  const auto socket = OpenSocket::with(ends_[0]);
  const int number = ends_[0];
  close();
  open();
  ASSERT_EQ(ends_[0], number) << "the lowest number is free again";
  EXPECT_FALSE(socket->still_open());
  EXPECT_FALSE(socket->shut());
  EXPECT_FALSE(is_shut());
}

TEST(OpenSockets, ANumberThatIsNoSocketHasNone) {
  EXPECT_FALSE(OpenSocket::with(-1).has_value());
  EXPECT_FALSE(TcpBytes::of(-1).has_value());
}

}  // namespace
}  // namespace strads::transport
