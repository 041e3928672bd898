#include "program/cluster/local_processes.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <thread>
#include <utility>

#include "strads/program/progress_printer.hpp"

namespace strads {
namespace {

namespace fs = std::filesystem;

constexpr double kPatienceSeconds = 2;
/// Sockets in the folder have names of their own; a socket's path has at most 107 bytes.
constexpr std::size_t kFolderPathMax = 60;
/// A folder is locked a moment after it was made.
constexpr double kAbandonedSeconds = 60;

std::string read_all(int file) {
  std::string text;
  char buffer[4096];
  for (ssize_t count = 0; (count = ::pread(file, buffer, sizeof buffer, static_cast<off_t>(text.size()))) > 0;) {
    text.append(buffer, static_cast<std::size_t>(count));
  }
  return text;
}

std::string last_line(std::string text) {
  while (!text.empty() && text.back() == '\n') text.pop_back();
  return text.substr(text.rfind('\n') + 1);
}

/// What posix_spawn does to the child: own group, default signals, nothing on stdin, output into a file.
class SpawnRules {
 public:
  explicit SpawnRules(int output) {
    posix_spawnattr_init(&attributes_);
    posix_spawn_file_actions_init(&actions_);
    sigset_t set;
    sigemptyset(&set);
    posix_spawnattr_setsigmask(&attributes_, &set);
    for (const int number : {SIGINT, SIGTERM, SIGPIPE, SIGHUP}) sigaddset(&set, number);
    posix_spawnattr_setsigdefault(&attributes_, &set);
    posix_spawnattr_setpgroup(&attributes_, 0);
    constexpr int kFlags = POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF;
    posix_spawnattr_setflags(&attributes_, static_cast<short>(kFlags));
    posix_spawn_file_actions_addopen(&actions_, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions_, output, STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions_, output, STDERR_FILENO);
  }
  ~SpawnRules() {
    posix_spawnattr_destroy(&attributes_);
    posix_spawn_file_actions_destroy(&actions_);
  }
  SpawnRules(const SpawnRules&) = delete;
  SpawnRules& operator=(const SpawnRules&) = delete;

  [[nodiscard]] const posix_spawnattr_t* attributes() const { return &attributes_; }
  [[nodiscard]] const posix_spawn_file_actions_t* actions() const { return &actions_; }

 private:
  posix_spawnattr_t attributes_{};
  posix_spawn_file_actions_t actions_{};
};

Status cannot_start(const std::string& program, int error) {
  return Status::cluster(program + ": the program of the local processes cannot be started: " + std::strerror(error) +
                         "; build the target stradsd, or say with --stradsd PATH where it is");
}

bool is_our_folder(const std::string& name) {
  return name.starts_with(kFolderPrefix) && name.size() == std::strlen(kFolderPrefix) + kFolderRandom;
}

/// The lock of a folder that nobody holds; -1: there is none to be had.
int lock_of(const std::string& folder) {
  const int descriptor = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (descriptor < 0 || ::flock(descriptor, LOCK_EX | LOCK_NB) == 0) return descriptor;
  ::close(descriptor);
  return -1;
}

/// Of the user of this process, and nothing was made or removed in it for `seconds`.
bool is_old(int folder, double seconds) {
  struct stat found {};
  if (::fstat(folder, &found) != 0 || found.st_uid != ::geteuid()) return false;
  return std::difftime(std::time(nullptr), found.st_mtime) >= seconds;
}

void remove_with_sockets(const fs::path& folder) {
  std::error_code error;
  std::vector<fs::path> sockets;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    if (entry.is_socket(error)) sockets.push_back(entry.path());
  }
  for (const auto& socket : sockets) fs::remove(socket, error);
  fs::remove(folder, error);  // refused when something is left in it
}

}  // namespace

Status check_program(const std::string& path) {
  return ::access(path.c_str(), X_OK) == 0 ? Status() : cannot_start(path, errno);
}

std::vector<std::string> local_names(std::uint32_t count) {
  std::array<char, 256> host{};
  if (::gethostname(host.data(), host.size() - 1) != 0) std::strcpy(host.data(), "localhost");
  std::vector<std::string> names;
  for (std::uint32_t k = 1; k <= count; ++k) names.push_back(std::string(host.data()) + "/" + std::to_string(k));
  return names;
}

std::string neighbour_program(const std::string& name) {
  std::error_code error;
  const auto self = fs::read_symlink("/proc/self/exe", error);
  return (self.parent_path() / name).string();
}

LocalProcesses::~LocalProcesses() {
  end(false);
  for (const auto& child : children_) ::close(child.output);
}

Status LocalProcesses::make_folder() {
  std::error_code error;
  fs::path parent = fs::temp_directory_path(error);
  if (error || parent.string().size() > kFolderPathMax) parent = "/tmp";
  remove_abandoned_folders(parent.string(), kAbandonedSeconds);
  std::string pattern = (parent / (kFolderPrefix + std::string(kFolderRandom, 'X'))).string();
  if (::mkdtemp(pattern.data()) == nullptr) {
    return Status::cluster(parent.string() + ": no folder for the sockets of the local processes can be made: " +
                           std::strerror(errno) + "; set TMPDIR to a folder that can be written");
  }
  folder_ = pattern;
  lock_ = lock_of(folder_);
  return {};
}

Status LocalProcesses::start(const std::string& program, const std::vector<std::string>& arguments,
                             const std::string& name) {
  Child child;
  child.name = name;
  child.output = ::memfd_create("stradsd", MFD_CLOEXEC);
  if (child.output < 0) return cannot_start(program, errno);
  // Writes of the child go to the end even if it opens its stderr again.
  ::fcntl(child.output, F_SETFL, O_APPEND);
  const SpawnRules rules(child.output);
  std::vector<std::string> words = {program};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> pointers;
  pointers.reserve(words.size() + 1);
  for (auto& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  const int error =
      posix_spawn(&child.process, program.c_str(), rules.actions(), rules.attributes(), pointers.data(), environ);
  if (error != 0) {
    ::close(child.output);
    return cannot_start(program, error);
  }
  children_.push_back(std::move(child));
  return {};
}

void LocalProcesses::collect() {
  for (auto& child : children_) {
    rusage used{};
    if (!child.running || ::wait4(child.process, &child.end.status, WNOHANG, &used) != child.process) continue;
    child.running = false;
    child.end.peak_bytes = static_cast<std::uint64_t>(used.ru_maxrss) << 10;
  }
}

std::vector<EndedProcess> LocalProcesses::ended() {
  collect();
  std::vector<EndedProcess> news;
  for (auto& child : children_) {
    if (child.running || child.told) continue;
    child.told = true;
    const auto words = last_line(read_all(child.output));
    news.push_back(
        {static_cast<std::uint64_t>(child.process),
         killed_.how_it_ended(child.end) + (words.empty() ? "" : ", its last words: " + words),
         WIFEXITED(child.end.status) && WEXITSTATUS(child.end.status) == static_cast<int>(StatusCode::input)});
  }
  return news;
}

std::vector<RunningProcess> LocalProcesses::running() {
  collect();
  std::vector<RunningProcess> found;
  for (const auto& child : children_) {
    if (child.running) found.push_back({child.process, child.name});
  }
  return found;
}

std::vector<std::string> LocalProcesses::output() const {
  std::vector<std::string> lines;
  for (const auto& child : children_) {
    const auto text = read_all(child.output);
    for (std::size_t begin = 0; begin < text.size();) {
      const auto end = std::min(text.find('\n', begin), text.size());
      const auto line = text.substr(begin, end - begin);
      // stradsd says its name itself.
      lines.push_back(line.find(child.name + ": ") == std::string::npos ? child.name + ": " + line : line);
      begin = end + 1;
    }
  }
  return lines;
}

bool LocalProcesses::all_ended_within(double seconds) {
  const Stopwatch watch;
  for (;;) {
    collect();
    bool running = false;
    for (const auto& child : children_) running = running || child.running;
    if (!running) return true;
    if (watch.seconds() >= seconds) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
}

void LocalProcesses::signal_running(int number) const {
  for (const auto& child : children_) {
    // Not yet waited for, so the number is still that of our child.
    if (child.running) ::kill(child.process, number);
  }
}

void LocalProcesses::end(bool in_order) {
  bool ended = in_order && all_ended_within(kPatienceSeconds);
  if (!ended) {
    signal_running(SIGTERM);
    ended = all_ended_within(kPatienceSeconds);
  }
  if (!ended) {
    signal_running(SIGKILL);
    for (auto& child : children_) {
      if (child.running) ::waitpid(child.process, &child.end.status, 0);
      child.running = false;
    }
  }
  std::error_code ignored;
  if (!folder_.empty()) fs::remove_all(folder_, ignored);
  folder_.clear();
  if (lock_ >= 0) ::close(std::exchange(lock_, -1));
}

void remove_abandoned_folder(const std::string& endpoint) {
  constexpr std::string_view kIpc = "ipc://";
  if (!endpoint.starts_with(kIpc)) return;
  const auto folder = fs::path(endpoint.substr(kIpc.size())).parent_path();
  if (is_our_folder(folder.filename().string())) remove_with_sockets(folder);
}

void remove_abandoned_folders(const std::string& parent, double seconds) {
  std::error_code error;
  std::vector<fs::path> folders;
  for (const auto& entry : fs::directory_iterator(parent, error)) {
    if (is_our_folder(entry.path().filename().string())) folders.push_back(entry.path());
  }
  for (const auto& folder : folders) {
    const int lock = lock_of(folder.string());
    if (lock < 0) continue;
    if (is_old(lock, seconds)) remove_with_sockets(folder);
    ::close(lock);
  }
}

}  // namespace strads
