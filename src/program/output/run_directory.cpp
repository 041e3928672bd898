#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <set>
#include <system_error>
#include <utility>

#include "program/files/file_hash.hpp"
#include "program/output/run_exchange.hpp"
#include "program/output/summary_files.hpp"
#include "strads/program/result_files.hpp"
#include "strads/program/run_directory.hpp"
#include "strads/program/summary.hpp"

namespace strads {

namespace fs = std::filesystem;

struct RunDirectory::State {
  std::string path;    ///< as the user gave it
  fs::path directory;  ///< of the whole run, locked
  std::string part;    ///< name of the folder of a part, which the whole run puts into place
  int lock = -1;       ///< of a part: none
  bool made = false;   ///< it was not there before
  bool is_finished = false;
  std::vector<std::string> files;

  State() = default;
  ~State();
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  /// Where files are written until the run is finished.
  [[nodiscard]] fs::path unfinished() const { return directory / kUnfinishedFolder; }
  [[nodiscard]] fs::path writes_to() const { return part.empty() ? unfinished() : unfinished() / part; }
  /// Whether a run that was cut off left all of its files.
  [[nodiscard]] bool has_complete_run() const {
    std::error_code error;
    return fs::exists(unfinished() / kSummaryFile, error);
  }
  Status take_lock();
};

RunDirectory::State::~State() {
  if (!part.empty()) return;
  std::error_code stays;  // nobody is left to tell, and the next run removes it
  if (lock >= 0 && !is_finished && !has_complete_run()) fs::remove_all(unfinished(), stays);
  if (made && !is_finished) fs::remove(directory, stays);  // if it is empty
  if (lock >= 0) ::close(lock);
}

/// Of the directory itself, so that no file of a lock stays. The system lets go of it when the process ends, however.
Status RunDirectory::State::take_lock() {
  if (::access(directory.c_str(), W_OK | X_OK) != 0) {
    return Status::input("--out " + path + ": no files can be written there: " + std::strerror(errno));
  }
  const int descriptor = ::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return Status::input("--out " + path + ": cannot be opened: " + std::strerror(errno));
  // Some file systems have no locks: the run goes on without.
  const bool is_taken = ::flock(descriptor, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
  // A run that failed has removed the directory that it made, before this one had the lock.
  std::error_code error;
  const bool is_here = fs::equivalent(fs::path("/proc/self/fd") / std::to_string(descriptor), directory, error);
  if (!is_taken && is_here) {
    lock = descriptor;
    return {};
  }
  ::close(descriptor);
  return Status::usage("--out " + path +
                       ": another run uses this directory now; wait for its end, or give another one");
}

RunDirectory::RunDirectory() = default;
RunDirectory::~RunDirectory() = default;
RunDirectory::RunDirectory(RunDirectory&&) noexcept = default;
RunDirectory& RunDirectory::operator=(RunDirectory&&) noexcept = default;

Result<RunDirectory> RunDirectory::open(const std::string& path, bool force, std::span<const std::string> own_files) {
  RunDirectory run;
  run.state_ = std::make_unique<State>();
  State& state = *run.state_;
  state.path = path;
  state.directory = path;
  std::error_code error;
  if (fs::exists(state.directory, error) && !fs::is_directory(state.directory, error)) {
    return Status::usage("--out " + path + " is a file, expected a directory or a new name");
  }
  state.made = fs::create_directories(state.directory, error);
  if (error) return Status::input("--out " + path + ": the directory cannot be made: " + error.message());
  if (Status locked = state.take_lock(); !locked.ok()) return locked;
  if (state.has_complete_run()) {
    if (Status placed = put_into_place(state.directory); !placed.ok()) return placed;
  }
  fs::remove_all(state.unfinished(), error);
  if (error) return Status::input(state.unfinished().string() + ": cannot be removed: " + error.message());
  const fs::path summary = state.directory / kSummaryFile;
  if (fs::exists(summary, error) && !force) {
    return Status::usage("--out " + path + " holds a finished run (" + kSummaryFile +
                         "); choose another directory, or --force to replace that run's files");
  }
  const FinishedRun earlier(state.directory, summary);
  std::vector<std::string> names(own_files.begin(), own_files.end());
  if (!earlier.is_known()) names.insert(names.begin(), kSummaryFile);
  if (Status free = expect_no_foreign_files(state.directory, earlier, names); !free.ok()) return free;
  return run;
}

RunDirectory RunDirectory::part(const std::string& name) const {
  RunDirectory part;
  if (!exists()) return part;
  part.state_ = std::make_unique<State>();
  part.state_->path = (fs::path(state_->path) / name).string();
  part.state_->directory = state_->directory;
  part.state_->part = name;
  return part;
}

const std::string& RunDirectory::path() const {
  static const std::string none;
  if (state_ == nullptr) return none;
  return state_->path;
}

const std::vector<std::string>& RunDirectory::files() const {
  static const std::vector<std::string> none;
  if (state_ == nullptr) return none;
  return state_->files;
}

std::string RunDirectory::path_of(std::string_view name) const {
  if (!exists()) return std::string(name);
  if (state_->is_finished) return (fs::path(state_->path) / name).string();
  std::error_code said_by_who_writes;
  fs::create_directories(state_->writes_to(), said_by_who_writes);
  return (state_->writes_to() / name).string();
}

std::shared_ptr<LiveFiles> RunDirectory::live_files() const {
  std::error_code said_by_who_writes;
  fs::create_directories(state_->writes_to(), said_by_who_writes);
  return std::make_shared<LiveFiles>(state_->writes_to().string());
}

void RunDirectory::note_file(std::string_view name) {
  if (!exists()) return;
  auto& files = state_->files;
  if (std::find(files.begin(), files.end(), name) == files.end()) files.emplace_back(name);
}

Status RunDirectory::write(std::string_view name, std::string_view content) {
  if (!exists()) return {};
  if (Status written = write_file(path_of(name), content); !written.ok()) return written;
  note_file(name);
  return {};
}

Status RunDirectory::finish(Summary summary) {
  if (!exists()) return {};
  Summary hashes;
  for (const std::string& name : state_->files) {
    STRADS_ASSIGN_OR_RETURN(auto hash, hash_of_file(path_of(name)));
    hashes.add(name, hash);
  }
  note_file(kSummaryFile);
  summary.add("files", state_->files);
  summary.add(kFileHashes, hashes);
  if (Status written = write_file(path_of(kSummaryFile), summary.json()); !written.ok()) return written;
  if (!state_->part.empty()) return {};
  if (Status placed = put_into_place(state_->directory); !placed.ok()) return placed;
  state_->is_finished = true;
  return {};
}

std::string files_line(const RunDirectory& directory, const char* each) {
  if (!directory.exists()) return "files    none written; --out DIR keeps the results\n";
  constexpr std::size_t kFoldersShown = 4;
  std::string files;
  std::set<std::string> folders;
  for (const std::string& file : directory.files()) {
    const std::size_t slash = file.find('/');
    const bool named = each == nullptr || slash == std::string::npos;
    if (named) files += (files.empty() ? "" : ", ") + file;
    if (!named) folders.insert(file.substr(0, slash + 1));
  }
  for (const std::string& folder : folders) {
    if (folders.size() <= kFoldersShown) files += ", " + folder;
  }
  if (folders.size() > kFoldersShown) files += std::string(", and a folder for each ") + each;
  return "files    " + directory.path() + ": " + files + "\n";
}

void RunDirectory::keep_log_of_failure(std::string_view text) const {
  std::error_code error;
  if (!exists() || fs::exists(state_->directory / kSummaryFile, error)) return;
  const std::string names[] = {kLogFile};
  if (!expect_no_foreign_files(state_->directory, FinishedRun(), names).ok()) return;
  // The error that is being reported matters more than a log that cannot be written.
  (void)write_file((state_->directory / kLogFile).string(), text);
}

}  // namespace strads
