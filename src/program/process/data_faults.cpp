#include "program/process/data_faults.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <csignal>

#include "data/files/mapped_ranges.hpp"
#include "data/files/unfinished_files.hpp"
#include "program/process/event_log.hpp"
#include "program/process/last_words.hpp"
#include "strads/base/status.hpp"

// What the handler calls is on the list of signal-safety(7): write, stat, unlink, clock_gettime, _exit.
namespace strads {
namespace {

std::atomic<bool> ending{false};
static_assert(std::atomic<bool>::is_always_lock_free, "a signal handler may not take a lock");

void say_what_happened(const data::MappedRange& range, std::uintptr_t address) {
  LastWords message(LastWords::Kind::error, static_cast<int>(StatusCode::input),
                    stderr_is_live() ? "\r\033[K" : "");  // maybe there is a progress line
  if (!message.is_event()) message << program_name() << ": error: ";
  message << range.path;
  struct stat now {};
  if (::stat(range.path, &now) == 0 && static_cast<std::uint64_t>(now.st_size) < range.size) {
    message << ": has " << static_cast<std::uint64_t>(now.st_size) << " bytes, expected the " << range.size
            << " that it had when it was opened: it was shortened while it was in use";
  } else {
    message << ": byte " << address - range.begin << " cannot be read any more, expected " << range.size
            << " bytes: the file was shortened while it was in use, or its disk or network failed";
  }
  message << "; put the whole file back and start again (a file in use may be replaced by renaming, not in place)";
  message.say();
}

extern "C" void on_data_fault(int number, siginfo_t* info, void* /*context*/) {
  const auto address = reinterpret_cast<std::uintptr_t>(info->si_addr);
  // Of a signal that somebody sent the address means nothing.
  const auto range = info->si_code > 0 ? data::mapped_range_at(address) : std::nullopt;
  if (!range.has_value()) {
    // What made the fault makes it again; what was sent is sent again and comes when this handler ends.
    struct sigaction action {};
    action.sa_handler = SIG_DFL;
    sigaction(number, &action, nullptr);
    if (info->si_code <= 0) ::raise(number);
    return;
  }
  // Other threads meet the same fault: the first one speaks, and ends them all.
  while (ending.exchange(true)) ::pause();
  say_what_happened(*range, address);
  data::remove_unfinished_files();
  ::_exit(static_cast<int>(StatusCode::input));
}

}  // namespace

void install_data_fault_handler(const char* program) {
  name_program(program);
  static_cast<void>(stderr_is_live());  // not for the first time in the handler
  struct sigaction action {};
  action.sa_sigaction = on_data_fault;
  action.sa_flags = SA_SIGINFO;
  sigemptyset(&action.sa_mask);
  sigaction(SIGBUS, &action, nullptr);
}

}  // namespace strads
