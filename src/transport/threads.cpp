#include "strads/transport/threads.hpp"

#include <sched.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <fstream>
#include <limits>
#include <memory>
#include <sstream>
#include <string_view>
#include <thread>
#include <vector>

namespace strads {
namespace {

constexpr double kNoQuota = std::numeric_limits<double>::infinity();

/// Of the thread that asks, which has that of the process where nobody has bound it.
unsigned cores_by_affinity() {
  constexpr std::size_t kCoresMax = std::size_t{1} << 20;
  for (std::size_t cores = 1024; cores <= kCoresMax; cores *= 2) {  // the call fails where the set is too small
    const std::unique_ptr<cpu_set_t, void (*)(cpu_set_t*)> set(CPU_ALLOC(cores),
                                                               [](cpu_set_t* each) { CPU_FREE(each); });
    if (set == nullptr) break;
    const std::size_t size = CPU_ALLOC_SIZE(cores);
    if (::sched_getaffinity(0, size, set.get()) == 0) return static_cast<unsigned>(CPU_COUNT_S(size, set.get()));
  }
  return std::max(1U, std::thread::hardware_concurrency());
}

/// Where a hierarchy of control groups is mounted, and which of its groups is seen there.
struct QuotaMount {
  std::string at, shows;
  bool version2 = false;
};

bool has_word(const std::string& list, std::string_view word) {
  std::istringstream words(list);
  for (std::string each; std::getline(words, each, ',');) {
    if (each == word) return true;
  }
  return false;
}

/// Of /proc/self/mountinfo: "30 25 0:27 / /sys/fs/cgroup/cpu rw,... shared:9 - cgroup cgroup rw,cpu,cpuacct".
std::vector<QuotaMount> quota_mounts(const std::string& root) {
  std::vector<QuotaMount> mounts;
  std::ifstream lines(root + "/proc/self/mountinfo");
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string skipped, shows, at, kind, device, options;
    words >> skipped >> skipped >> skipped >> shows >> at;
    while (words >> skipped && skipped != "-") {
    }
    words >> kind >> device >> options;
    const bool version2 = kind == "cgroup2";
    if (version2 || (kind == "cgroup" && has_word(options, "cpu"))) mounts.push_back({at, shows, version2});
  }
  return mounts;
}

/// Cores that a group may use, by its own quota.
double quota_of(const std::string& folder, bool version2) {
  std::string quota;
  double period = 0;
  if (version2) {
    std::ifstream(folder + "/cpu.max") >> quota >> period;  // "150000 100000", "max 100000"
  } else {
    std::ifstream(folder + "/cpu.cfs_quota_us") >> quota;  // -1: none
    std::ifstream(folder + "/cpu.cfs_period_us") >> period;
  }
  double microseconds = 0;
  if (!(std::istringstream(quota) >> microseconds) || microseconds <= 0 || period <= 0) return kNoQuota;
  return microseconds / period;
}

/// The least of a group and of all above it that can be seen. In a container the path may be that outside: what is not
/// there sets no limit, and the top is its own group.
double quota_of_groups(const std::string& root, const QuotaMount& mount, std::string group) {
  if (mount.shows != "/" && group.starts_with(mount.shows)) group.erase(0, mount.shows.size());
  double least = kNoQuota;
  for (;;) {
    while (!group.empty() && group.back() == '/') group.pop_back();
    least = std::min(least, quota_of(root + mount.at + group, mount.version2));
    const auto slash = group.rfind('/');
    if (group.empty() || slash == std::string::npos) return least;
    group.resize(slash);
  }
}

double cores_by_quota(const std::string& root) {
  const auto mounts = quota_mounts(root);
  double least = kNoQuota;
  std::ifstream lines(root + "/proc/self/cgroup");
  for (std::string line; std::getline(lines, line);) {  // "4:cpu,cpuacct:/a/b" in version 1, "0::/a/b" in version 2
    const auto first = line.find(':'), second = first == std::string::npos ? first : line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    const bool version2 = controllers.empty();
    if (!version2 && !has_word(controllers, "cpu")) continue;
    for (const QuotaMount& mount : mounts) {
      if (mount.version2 == version2) least = std::min(least, quota_of_groups(root, mount, line.substr(second + 1)));
    }
  }
  return least;
}

}  // namespace

unsigned available_threads(const std::string& root) {
  const unsigned cores = cores_by_affinity();
  const double quota = std::ceil(cores_by_quota(root));
  return std::max(1U, quota < cores ? static_cast<unsigned>(quota) : cores);
}

unsigned threads_wanted(unsigned wanted, unsigned processes) {
  return wanted != 0 ? wanted : std::max(1U, available_threads() / std::max(1U, processes));
}

}  // namespace strads
