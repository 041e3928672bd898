// A listener that strangers reach in great numbers, with keys and without.
#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include "support/waiting.hpp"
#include "transport/sockets/handshake_limits.hpp"
#include "transport/sockets/sockets.hpp"

namespace strads::transport {
namespace {

using support::text_frames;
using support::wait_until;

/// Connections that never say anything.
class Silent {
 public:
  Silent(const std::string& endpoint, std::size_t count) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address.sin_port = htons(static_cast<std::uint16_t>(std::stoi(endpoint.substr(endpoint.rfind(':') + 1))));
    for (std::size_t k = 0; k < count; ++k) {
      all_.push_back(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
      STRADS_CHECK(::connect(all_.back(), reinterpret_cast<sockaddr*>(&address), sizeof address) == 0, "it listens");
    }
  }
  Silent(const Silent&) = delete;
  Silent& operator=(const Silent&) = delete;
  ~Silent() {
    for (const int each : all_) ::close(each);
  }

 private:
  std::vector<int> all_;
};

class ACrowdedListener : public testing::TestWithParam<bool> {
 protected:
  void SetUp() override {
    const auto own = make_key_pair().value();
    const auto member = make_key_pair().value();
    std::optional<Door> door;
    std::optional<Credentials> credentials;
    if (GetParam()) door = Door{"test", own.secret_key};
    if (GetParam()) credentials = Credentials{member, own.public_key};
    listener_ = sockets_.listen("tcp://127.0.0.1:0", door).value();
    if (GetParam()) sockets_.admit("test", {member.public_key});
    honest_ = sockets_.connect(listener_->endpoint(), credentials).value();
    ASSERT_TRUE(wait_until(sockets_, [&] {
      look();
      return honest_->connected() && listener_->turned_away().total() == 0;
    }));
  }
  void look() {
    (void)listener_->ended_connections();
    honest_->look();
  }
  Sockets sockets_;
  std::shared_ptr<Sockets::Listener> listener_;
  std::shared_ptr<Sockets::Connection> honest_;
};

INSTANTIATE_TEST_SUITE_P(WithKeysAndWithout, ACrowdedListener, testing::Bool(),
                         [](const auto& chosen) { return chosen.param ? "Encrypted" : "Plain"; });

TEST_P(ACrowdedListener, EndsStrangersAndKeepsWhoHasProvedItself) {
  const auto beyond = static_cast<std::size_t>(HandshakeLimits::kAtOnce) + 300;
  const Silent strangers(listener_->endpoint(), beyond);
  EXPECT_TRUE(wait_until(sockets_, [&] {
    look();
    return listener_->turned_away().total() == beyond;
  }));
  const TurnedAway& count = listener_->turned_away();
  EXPECT_GT(count.hurrying, 0U);
  EXPECT_GE(count.crowding, beyond - count.hurrying - HandshakeLimits::kUnprovedMax - 1);
  EXPECT_EQ(count.flooding, 0U);
  // The oldest connection, which has not sent a message, is still the first one.
  ASSERT_TRUE(honest_->send(text_frames("here")));
  EXPECT_TRUE(wait_until(sockets_, [&] {
    look();
    return listener_->receive().has_value();
  }));
  EXPECT_EQ(honest_->established(), 1U);
}

}  // namespace
}  // namespace strads::transport
