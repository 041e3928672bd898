#include "daemon/signals.hpp"

#include <unistd.h>

#include <atomic>
#include <csignal>
#include <string_view>

#include "strads/run.hpp"

namespace strads {
namespace {

constexpr int kExitInterrupted = 130;  // 128 + SIGINT, as shells say it

std::atomic<bool> finish_wanted{false};
std::atomic<bool> end_wanted{false};
std::atomic<bool> writing{false};
static_assert(std::atomic<bool>::is_always_lock_free, "a signal handler may not take a lock");

void say(std::string_view text) {
  if (::write(STDERR_FILENO, text.data(), text.size()) < 0) return;  // nowhere to say it
}

extern "C" void on_signal(int signal) {
  const bool again = finish_wanted.exchange(true);
  if (!again) {
    say(signal == SIGINT ? "\nstopping after this round, results will be written; Ctrl-C again stops at once\n"
                         : "\nstopping after this round, results will be written\n");
    return;
  }
  if (signal != SIGINT) return;
  end_wanted = true;
  if (!writing) ::_exit(kExitInterrupted);
}

}  // namespace

UninterruptedWrite::UninterruptedWrite() {
  writing = true;
}

UninterruptedWrite::~UninterruptedWrite() {
  writing = false;
  if (end_wanted) ::_exit(kExitInterrupted);
}

void install_signal_handlers() {
  struct sigaction action {};
  action.sa_handler = on_signal;
  action.sa_flags = SA_RESTART;
  sigemptyset(&action.sa_mask);
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
}

bool finish_requested() {
  return finish_wanted.load();
}

}  // namespace strads
