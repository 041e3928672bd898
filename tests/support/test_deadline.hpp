// A test that waits for other threads must fail when they do not come, not hang until somebody stops it.
#pragma once

#include <gtest/gtest.h>
#include <sys/time.h>
#include <unistd.h>

#include <chrono>
#include <csignal>

namespace strads::support {

/// Ends the program with exit code 1 when a test takes longer than `limit`; GoogleTest has printed its name by then.
/// A timer of the kernel: it needs no thread that might be waiting as well.
class TestDeadline final : public ::testing::EmptyTestEventListener {
 public:
  explicit TestDeadline(std::chrono::milliseconds limit) : limit_(limit) {}
  void OnTestStart(const ::testing::TestInfo&) override { start(); }
  void OnTestEnd(const ::testing::TestInfo&) override { set(std::chrono::milliseconds(0)); }

  void start() const {
    std::signal(SIGALRM, [](int) {
      constexpr char kText[] = "the test has not ended in time: a thread that it waits for does not come\n";
      static_cast<void>(!::write(STDERR_FILENO, kText, sizeof kText - 1));
      ::_exit(1);
    });
    set(limit_);
  }

 private:
  static void set(std::chrono::milliseconds limit) {
    itimerval timer{};
    timer.it_value.tv_sec = limit.count() / 1000;
    timer.it_value.tv_usec = limit.count() % 1000 * 1000;
    ::setitimer(ITIMER_REAL, &timer, nullptr);
  }

  std::chrono::milliseconds limit_;
};

}  // namespace strads::support
