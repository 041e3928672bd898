#include "transport/sockets/system_limits.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <functional>
#include <string>

namespace strads::transport {
namespace {

/// In a process of its own, which may have so many descriptors. Its exit code, or minus the signal.
int with_descriptors(rlim_t most, const std::function<int()>& body) {
  const pid_t child = ::fork();
  if (child == 0) {
    const rlimit limit{most, most};
    ::setrlimit(RLIMIT_NOFILE, &limit);
    ::_exit(body());
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

TEST(SystemLimits, OfDescriptorsAreFoundBeforeAnythingIsOpened) {
  const auto ended = with_descriptors(200, [] {
    if (!expect_of_system("a driver of 10 nodes", needs_of_driver(10, false)).ok()) return 1;
    const Status refused = expect_of_system("a driver of 140 nodes", needs_of_driver(140, false));
    if (refused.code() != StatusCode::input) return 2;
    const auto& text = refused.message();
    for (const char* part : {"a driver of 140 nodes takes 1004 descriptors", "but only 1", "ulimit -n"}) {
      if (text.find(part) == std::string::npos) return 3;
    }
    return 0;
  });
  EXPECT_EQ(ended, 0);
}

TEST(SystemLimits, AreGivenBack) {
  const auto ended = with_descriptors(64, [] {
    for (int k = 0; k < 20; ++k) {
      if (!expect_of_system("a node", needs_of_node()).ok()) return 1;
    }
    return 0;
  });
  EXPECT_EQ(ended, 0);
}

TEST(SystemLimits, OfWhichLibzmqHearsTooLateAreNoDeathByASignal) {
  const auto ended = with_descriptors(64, [] {
    const AbortsOfLibzmq guard;
    std::abort();
    return 0;
  });
  EXPECT_EQ(ended, static_cast<int>(StatusCode::input));
}

TEST(SystemLimits, LeaveOtherAbortsAlone) {
  const auto ended = with_descriptors(64, [] {
    { const AbortsOfLibzmq guard; }
    const rlimit none{0, 0};
    ::setrlimit(RLIMIT_CORE, &none);
    std::abort();
    return 0;
  });
  EXPECT_EQ(ended, -SIGABRT);
}

}  // namespace
}  // namespace strads::transport
