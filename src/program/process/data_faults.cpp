#include "program/process/data_faults.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <climits>
#include <csignal>
#include <cstring>
#include <string_view>

#include "data/files/mapped_ranges.hpp"
#include "data/files/unfinished_files.hpp"
#include "strads/base/status.hpp"

// What the handler calls is on the list of signal-safety(7): write, stat, unlink, _exit; isatty is no more than
// tcgetattr, which is.
namespace strads {
namespace {

const char* program_name = "strads";
std::atomic<bool> ending{false};
static_assert(std::atomic<bool>::is_always_lock_free, "a signal handler may not take a lock");

/// A message of limited length, put together on the stack.
class Message {
 public:
  Message& operator<<(std::string_view text) {
    const std::size_t count = std::min(text.size(), text_.size() - size_);
    std::memcpy(text_.data() + size_, text.data(), count);
    size_ += count;
    return *this;
  }
  Message& operator<<(std::uint64_t number) {
    std::array<char, 20> digits{};
    std::size_t first = digits.size();
    do {
      digits[--first] = static_cast<char>('0' + number % 10);
      number /= 10;
    } while (number != 0);
    return *this << std::string_view(digits.data() + first, digits.size() - first);
  }
  void say() const {
    for (std::size_t at = 0; at < size_;) {
      const ssize_t count = ::write(STDERR_FILENO, text_.data() + at, size_ - at);
      if (count <= 0) return;  // nowhere to say it
      at += static_cast<std::size_t>(count);
    }
  }

 private:
  std::array<char, PATH_MAX + 512> text_{};
  std::size_t size_ = 0;
};

void say_what_happened(const data::MappedRange& range, std::uintptr_t address) {
  Message message;
  if (::isatty(STDERR_FILENO) != 0) message << "\r\033[K";  // a terminal, maybe with a progress line
  message << program_name << ": error: " << range.path;
  struct stat now {};
  if (::stat(range.path, &now) == 0 && static_cast<std::uint64_t>(now.st_size) < range.size) {
    message << ": has " << static_cast<std::uint64_t>(now.st_size) << " bytes, expected the " << range.size
            << " that it had when it was opened: it was shortened while it was in use";
  } else {
    message << ": byte " << address - range.begin << " cannot be read any more, expected " << range.size
            << " bytes: the file was shortened while it was in use, or its disk or network failed";
  }
  message << "; put the whole file back and start again (a file in use may be replaced by renaming, not in place)\n";
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
  program_name = program;
  struct sigaction action {};
  action.sa_sigaction = on_data_fault;
  action.sa_flags = SA_SIGINFO;
  sigemptyset(&action.sa_mask);
  sigaction(SIGBUS, &action, nullptr);
}

}  // namespace strads
