#include <algorithm>
#include <filesystem>
#include <set>
#include <system_error>

#include "daemon/file_hash.hpp"
#include "daemon/read_file.hpp"
#include "daemon/summary_files.hpp"
#include "strads/run.hpp"

namespace strads {
namespace {

namespace fs = std::filesystem;

/// A summary could name anything; only plain names inside the directory may be removed.
bool is_plain_name(const std::string& name) {
  return !name.empty() && name != "." && name != ".." && name.find('/') == std::string::npos;
}

Status remove_file(const fs::path& path) {
  std::error_code error;
  fs::remove(path, error);
  if (error) return Status::input(path.string() + ": the old run's file cannot be removed: " + error.message());
  return {};
}

/// The folder of "folder/name", a file of a part of the run (of "part/folder/name", one of a part's part); "" for other
/// names.
std::string folder_of(const std::string& name) {
  const auto slash = name.rfind('/');
  if (slash == std::string::npos || !is_plain_name(name.substr(slash + 1))) return "";
  const std::string folder = name.substr(0, slash);
  return is_plain_name(folder) || !folder_of(folder).empty() ? folder : "";
}

/// Whether the way to `folder` leads through a link: what that names is not in here.
bool leads_away(const fs::path& directory, std::string folder) {
  std::error_code error;
  for (; !folder.empty(); folder = folder_of(folder)) {
    if (fs::is_symlink(directory / folder, error)) return true;
  }
  return false;
}

bool is_summary(const std::string& name) {
  return name.ends_with(std::string("/") + kSummaryFile);
}

Status remove_old_run(const fs::path& directory, std::span<const std::string> own_files) {
  std::vector<std::string> names(own_files.begin(), own_files.end());
  const auto summary = directory / kSummaryFile;
  if (const auto text = read_whole_file(summary.string()); text.ok()) {
    for (auto& name : files_of_summary(text.value())) names.push_back(std::move(name));
  }
  // The summary goes first: from here on the directory does not claim to hold a finished run.
  if (Status removed = remove_file(summary); !removed.ok()) return removed;
  // As do those of its parts.
  std::stable_partition(names.begin(), names.end(), is_summary);
  std::set<std::string> folders;
  for (const auto& name : names) {
    const std::string folder = folder_of(name);
    std::error_code error;
    if (!is_plain_name(name) && folder.empty()) continue;
    if (fs::is_directory(directory / name, error) || leads_away(directory, folder)) continue;
    if (Status removed = remove_file(directory / name); !removed.ok()) return removed;
    for (std::string one = folder; !one.empty(); one = folder_of(one)) folders.insert(one);
  }
  for (auto folder = folders.rbegin(); folder != folders.rend(); ++folder) {  // those below come first
    std::error_code not_empty;  // it holds something that is not the run's
    fs::remove(directory / *folder, not_empty);
  }
  return {};
}

}  // namespace

Result<RunDirectory> RunDirectory::open(const std::string& path, bool force, std::span<const std::string> own_files) {
  const fs::path directory(path);
  std::error_code error;
  if (fs::exists(directory, error) && !fs::is_directory(directory, error)) {
    return Status::usage("--out " + path + " is a file, expected a directory or a new name");
  }
  if (fs::exists(directory / kSummaryFile, error) && !force) {
    return Status::usage("--out " + path + " holds a finished run (" + kSummaryFile +
                         "); choose another directory, or "
                         "--force to remove that run's files first");
  }
  if (force) {
    if (Status removed = remove_old_run(directory, own_files); !removed.ok()) return removed;
  }
  fs::create_directories(directory, error);
  if (error) return Status::input("--out " + path + ": the directory cannot be made: " + error.message());
  RunDirectory run;
  run.path_ = path;
  return run;
}

std::string RunDirectory::path_of(std::string_view name) const {
  return (fs::path(path_) / name).string();
}

void RunDirectory::note_file(std::string_view name) {
  if (std::find(files_.begin(), files_.end(), name) == files_.end()) files_.emplace_back(name);
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
  for (const std::string& name : files_) {
    auto hash = hash_of_file(path_of(name));
    if (!hash.ok()) return hash.status();
    hashes.add(name, hash.value());
  }
  note_file(kSummaryFile);
  summary.add("files", files_);
  summary.add(kFileHashes, hashes);
  return write_file(path_of(kSummaryFile), summary.json());
}

}  // namespace strads
