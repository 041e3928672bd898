// Signals come at any moment, also in the middle of a call of ZeroMQ.
#include <gtest/gtest.h>
#include <pthread.h>

#include <atomic>
#include <csignal>
#include <thread>

#include "support/packed.hpp"
#include "transport/sockets/sockets.hpp"

namespace strads::transport {
namespace {

using support::text_frames;

/// Sends signals to the thread that made it, as fast as they are taken.
class Shower {
 public:
  Shower() : target_(pthread_self()) {
    struct sigaction action {};
    action.sa_handler = [](int) {};
    ::sigaction(SIGUSR1, &action, &before_);
    thread_ = std::thread([this] {
      while (!ends_) ::pthread_kill(target_, SIGUSR1);
    });
  }
  ~Shower() {
    ends_ = true;
    thread_.join();
    ::sigaction(SIGUSR1, &before_, nullptr);
  }
  Shower(const Shower&) = delete;
  Shower& operator=(const Shower&) = delete;

 private:
  pthread_t target_;
  struct sigaction before_ {};
  std::atomic<bool> ends_ = false;
  std::thread thread_;
};

TEST(SocketsUnderSignals, LoseNoMessage) {
  Sockets sockets;
  const auto listener = sockets.listen("tcp://127.0.0.1:0").value();
  const auto connection = sockets.connect(listener->endpoint()).value();
  const Wake wake;
  const Shower shower;
  const auto patience = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  constexpr int kMessages = 1000;
  for (int i = 0; i < kMessages; ++i) {
    const auto text = text_frames(std::to_string(i));
    ASSERT_TRUE(connection->send(text));
    std::optional<Incoming> incoming;
    while (!(incoming = listener->receive()) && std::chrono::steady_clock::now() < patience) {
      sockets.wait(wake, std::chrono::milliseconds(10));
    }
    ASSERT_TRUE(incoming) << "message " << i;
    ASSERT_EQ(incoming->frames, text);
    ASSERT_TRUE(listener->send(incoming->from, text));
    std::optional<wire::Frames> answer;
    while (!(answer = connection->receive()) && std::chrono::steady_clock::now() < patience) {
      sockets.wait(wake, std::chrono::milliseconds(10));
    }
    ASSERT_TRUE(answer) << "answer " << i;
    ASSERT_EQ(*answer, text);
  }
}

}  // namespace
}  // namespace strads::transport
