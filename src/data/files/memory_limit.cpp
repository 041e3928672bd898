#include "data/files/memory_limit.hpp"

#include <algorithm>
#include <fstream>
#include <limits>
#include <string_view>

namespace strads::data {

namespace {

constexpr std::uint64_t kUnknown = std::numeric_limits<std::uint64_t>::max();

/// The number at the start of a file; kUnknown without one ("max", no such file).
std::uint64_t number_in(const std::string& path) {
  std::uint64_t number = kUnknown;
  std::ifstream file(path);
  return file >> number ? number : kUnknown;
}

std::uint64_t available(const std::string& root) {
  std::ifstream lines(root + "/proc/meminfo");
  std::string name, unit;
  for (std::uint64_t kibibytes = 0; lines >> name >> kibibytes; std::getline(lines, unit)) {
    if (name == "MemAvailable:") return 1024 * kibibytes;
  }
  return kUnknown;
}

/// The number beside a name in a file of "name number" lines; 0 without one.
std::uint64_t number_beside(const std::string& path, const std::string& name) {
  std::ifstream file(path);
  std::string word;
  for (std::uint64_t number = 0; file >> word >> number;) {
    if (word == name) return number;
  }
  return 0;
}

/// What the files of a version of control groups are called.
struct GroupFiles {
  const char* mount;
  const char* limit;
  const char* used;
  const char* cache;   ///< the name in memory.stat
  const char* events;  ///< has "oom_kill"
};
constexpr GroupFiles kVersion1 = {"/sys/fs/cgroup/memory", "memory.limit_in_bytes", "memory.usage_in_bytes",
                                  "total_cache", "memory.oom_control"};
constexpr GroupFiles kVersion2 = {"/sys/fs/cgroup", "memory.max", "memory.current", "file", "memory.events"};

/// What the group in this folder may take; with `unused`, what it may still take.
std::uint64_t of_group(const std::string& folder, const GroupFiles& files, bool unused) {
  const std::uint64_t limit = number_in(folder + files.limit);
  if (!unused || limit == kUnknown) return limit;
  const std::uint64_t used = number_in(folder + files.used);
  if (used == kUnknown) return limit;
  const std::uint64_t held = used - std::min(used, number_beside(folder + "memory.stat", files.cache));
  return limit - std::min(limit, held);
}

/// The least of a group and of all above it. In a container the path may be that outside: what is not there is no
/// limit, and the top is.
std::uint64_t of_groups(const std::string& root, std::string group, const GroupFiles& files, bool unused) {
  std::uint64_t least = kUnknown;
  for (;;) {
    least = std::min(least, of_group(root + files.mount + group + "/", files, unused));
    const auto slash = group.rfind('/');
    if (slash == std::string::npos) return least;
    group.resize(slash);
  }
}

/// visit(group, files) for each control group of memory that this process is in; "" is the top one.
template <class Visit>
void for_each_group(const std::string& root, const Visit& visit) {
  std::ifstream lines(root + "/proc/self/cgroup");
  for (std::string line; std::getline(lines, line);) {  // "4:memory:/a/b" in version 1, "0::/a/b" in version 2
    const auto first = line.find(':'), second = first == std::string::npos ? first : line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string controllers = "," + line.substr(first + 1, second - first - 1) + ",";
    std::string group = line.substr(second + 1);
    if (group == "/") group.clear();
    if (controllers == ",,") visit(group, kVersion2);
    if (controllers.find(",memory,") != std::string::npos) visit(group, kVersion1);
  }
}

std::uint64_t least_of_all(const std::string& root, bool unused) {
  std::uint64_t least = available(root);
  for_each_group(root, [&](const std::string& group, const GroupFiles& files) {
    least = std::min(least, of_groups(root, group, files, unused));
  });
  return least;
}

/// Of a group, or, in a container, where its path is that outside, of the top.
std::uint64_t kills_of_group(const std::string& root, const std::string& group, const GroupFiles& files) {
  const std::string top = root + files.mount + "/";
  const std::string own = top + (group.empty() ? "" : group.substr(1) + "/") + files.events;
  return number_beside(std::ifstream(own) ? own : top + files.events, "oom_kill");
}

std::string megabytes(std::uint64_t bytes) {
  return std::to_string(bytes / 1'000'000) + " MB";
}

}  // namespace

std::uint64_t memory_limit(const std::string& root) {
  return least_of_all(root, false);
}

std::uint64_t memory_left(const std::string& root) {
  return least_of_all(root, true);
}

OomKills oom_kills(const std::string& root) {
  OomKills kills;
  for_each_group(root, [&](const std::string& group, const GroupFiles& files) {
    kills.group += kills_of_group(root, group, files);
  });
  kills.machine = number_beside(root + "/proc/vmstat", "oom_kill");
  return kills;
}

Status expect_memory(const std::string& path, const std::string& what, std::uint64_t bytes, const std::string& remedy,
                     std::uint64_t left) {
  constexpr std::uint64_t kSmall = std::uint64_t{16} << 20;
  if (left == 0) left = bytes < kSmall ? kUnknown : memory_left();
  if (bytes <= left) return {};
  return Status::input(path + ": " + what + " " + megabytes(bytes) + " of memory, but " + megabytes(left) +
                       " can still be had (machine and control groups); " + remedy);
}

Status make_room(const std::string& path, std::uint64_t more, std::uint64_t left, std::string& out) {
  if (out.size() + more <= out.capacity()) return {};
  const std::uint64_t wanted = std::max<std::uint64_t>(out.size() + more, 2 * out.size());
  Status status =
      expect_memory(path, out.empty() ? "unpacked, the file takes" : "unpacking the file further takes", wanted,
                    "unpack it and give the plain file, which is mapped, or use a larger machine", left);
  if (status.ok()) out.reserve(wanted);
  return status;
}

}  // namespace strads::data
