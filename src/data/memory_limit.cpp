#include "data/memory_limit.hpp"

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

/// The least limit of a group and of all above it. In a container the path may be that outside: what is not there is
/// no limit, and the top is.
std::uint64_t limit_of(const std::string& mount, std::string group, const char* file) {
  std::uint64_t least = kUnknown;
  for (;;) {
    least = std::min(least, number_in(mount + group + "/" + file));
    const auto slash = group.rfind('/');
    if (slash == std::string::npos) return least;
    group.resize(slash);
  }
}

}  // namespace

std::uint64_t memory_limit(const std::string& root) {
  std::uint64_t least = available(root);
  std::ifstream lines(root + "/proc/self/cgroup");
  for (std::string line; std::getline(lines, line);) {  // "4:memory:/a/b" in version 1, "0::/a/b" in version 2
    const auto first = line.find(':'), second = first == std::string::npos ? first : line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string controllers = "," + line.substr(first + 1, second - first - 1) + ",";
    std::string group = line.substr(second + 1);
    if (group == "/") group.clear();
    if (controllers == ",,") least = std::min(least, limit_of(root + "/sys/fs/cgroup", group, "memory.max"));
    if (controllers.find(",memory,") != std::string::npos) {
      least = std::min(least, limit_of(root + "/sys/fs/cgroup/memory", group, "memory.limit_in_bytes"));
    }
  }
  return least;
}

}  // namespace strads::data
