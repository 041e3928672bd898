#include "program/cluster/process_end.hpp"

#include <sys/wait.h>

#include <csignal>
#include <cstring>
#include <utility>

namespace strads {
namespace {

std::string whole_mebibytes(std::uint64_t bytes) {
  return std::to_string(bytes >> 20) + " MiB";
}

/// "it held 800 MiB at most; ...". `place`: whose memory was at its end.
std::string figures(const ProcessEnd& end, const std::string& place, std::uint64_t limit) {
  std::string text = end.peak_bytes == 0 ? "" : "it held " + whole_mebibytes(end.peak_bytes) + " at most";
  if (limit == ~std::uint64_t{0}) return text;
  return text + (text.empty() ? "" : "; ") + place + " " + whole_mebibytes(limit);
}

}  // namespace

KilledForMemory::KilledForMemory(std::string root) : root_(std::move(root)), seen_(data::oom_kills(root_)) {}

std::string KilledForMemory::how_it_ended(const ProcessEnd& end) {
  if (WIFEXITED(end.status)) return "exit code " + std::to_string(WEXITSTATUS(end.status));
  const int number = WTERMSIG(end.status);
  std::string signal = "signal " + std::to_string(number) + " (" + ::strsignal(number) + ")";
  if (number != SIGKILL) return signal;
  const data::OomKills now = data::oom_kills(root_);
  const std::uint64_t limit = data::memory_limit(root_);
  const std::string remedy = "; --dry-run says what a run needs";
  if (now.group > seen_.group) {
    ++seen_.group;
    ++seen_.machine;
    return signal + ": by the kernel, out of memory in its control group (" +
           figures(end, "machine and control groups allow", limit) + ")" + remedy;
  }
  if (now.machine > seen_.machine) {
    // Of another control group, maybe: the machine counts all of them.
    ++seen_.machine;
    return signal + ": probably by the kernel, which has killed a process of this machine for lack of memory (" +
           figures(end, "the machine now has free", limit) + ")" + remedy;
  }
  return signal;
}

}  // namespace strads
