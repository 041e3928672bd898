#include "program/process/signals.hpp"

#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <ctime>

#include "data/files/unfinished_files.hpp"
#include "program/process/last_words.hpp"
#include "strads/program/program.hpp"

namespace strads {
namespace {

constexpr int kExitSignal = 128;  // plus the signal's number, as shells say it
/// timeout(1), supervisors and dying parents signal a process and then its group: one request that comes twice.
constexpr std::int64_t kOneRequestNanoseconds = 1'000'000'000;

std::atomic<bool> finish_wanted{false};
std::atomic<std::int64_t> asked_at{0};  ///< nanoseconds
std::atomic<int> end_wanted{0};         ///< the signal that wants it
std::atomic<bool> writing{false};
static_assert(std::atomic<bool>::is_always_lock_free && std::atomic<std::int64_t>::is_always_lock_free,
              "a signal handler may not take a lock");

void say_that_it_stops(bool by_ctrl_c) {
  // As text it begins below a line of progress.
  LastWords words(LastWords::Kind::note, 0, "\n");
  words << "stopping after this round, results will be written";
  if (by_ctrl_c) words << "; Ctrl-C again stops at once";
  words.say();
}

std::int64_t now() {
  timespec time{};
  ::clock_gettime(CLOCK_MONOTONIC, &time);
  return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

[[noreturn]] void end_process(int signal) {
  data::remove_unfinished_files();
  ::_exit(kExitSignal + signal);
}

/// A program may wait where no round ends, for a writer to its named pipe for example. SIGHUP only asks: shells and the
/// kernel send it one after the other when a terminal goes.
bool ends_at_once(int signal) {
  return signal == SIGINT || (signal == SIGTERM && now() - asked_at >= kOneRequestNanoseconds);
}

extern "C" void on_signal(int signal) {
  const int error = errno;
  if (!finish_wanted.exchange(true)) {
    asked_at = now();
    say_that_it_stops(signal == SIGINT);
  } else if (ends_at_once(signal)) {
    end_wanted = signal;
    if (!writing) end_process(signal);
  }
  errno = error;
}

}  // namespace

UninterruptedWrite::UninterruptedWrite() {
  writing = true;
}

UninterruptedWrite::~UninterruptedWrite() {
  writing = false;
  if (end_wanted != 0) end_process(end_wanted);
}

void handle_end_signals(void (*handler)(int)) {
  struct sigaction action {};
  action.sa_handler = handler;
  action.sa_flags = SA_RESTART;
  sigemptyset(&action.sa_mask);
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
  struct sigaction before {};
  sigaction(SIGHUP, nullptr, &before);
  if (before.sa_handler != SIG_IGN) sigaction(SIGHUP, &action, nullptr);
}

void install_signal_handlers() {
  handle_end_signals(on_signal);
}

bool finish_requested() {
  return finish_wanted.load();
}

}  // namespace strads
