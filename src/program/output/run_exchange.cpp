#include "program/output/run_exchange.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <functional>
#include <set>
#include <system_error>
#include <utility>
#include <vector>

#include "data/files/atomic_file.hpp"
#include "program/files/file_hash.hpp"
#include "program/files/read_file.hpp"
#include "program/output/summary_files.hpp"
#include "program/process/signals.hpp"

namespace strads {
namespace {

namespace fs = std::filesystem;

/// The earlier run's summary while files are exchanged.
constexpr const char* kEarlierSummary = "earlier_summary.json";

/// A summary could name anything; only plain names inside the directory are a run's.
bool is_plain_name(const std::string& name) {
  return !name.empty() && name != "." && name != ".." && name.find('/') == std::string::npos;
}

/// The folder of "folder/name", a file of a part of the run (of "part/folder/name", one of a part's part); "" for other
/// names.
std::string folder_of(const std::string& name) {
  const auto slash = name.rfind('/');
  if (slash == std::string::npos || !is_plain_name(name.substr(slash + 1))) return "";
  const std::string folder = name.substr(0, slash);
  return is_plain_name(folder) || !folder_of(folder).empty() ? folder : "";
}

bool is_name_of_a_run(const std::string& name) {
  return is_plain_name(name) || !folder_of(name).empty();
}

bool is_there(const fs::path& path) {
  std::error_code error;
  return fs::exists(fs::symlink_status(path, error));
}

/// The first on the way to `name` that is there and no folder of the directory: a file, or a link to elsewhere. "":
/// none.
std::string no_folder_on_the_way(const fs::path& directory, const std::string& name) {
  std::string found;
  for (std::string folder = folder_of(name); !folder.empty(); folder = folder_of(folder)) {
    std::error_code error;
    const auto status = fs::symlink_status(directory / folder, error);
    if (fs::exists(status) && !fs::is_directory(status)) found = folder;
  }
  return found;
}

/// What a link names is not in the directory.
bool is_file_without_links(const fs::path& directory, const std::string& name) {
  std::error_code error;
  return no_folder_on_the_way(directory, name).empty() &&
         fs::is_regular_file(fs::symlink_status(directory / name, error));
}

/// A run that failed leaves its log, of which no summary tells: every log begins with the program and its build.
bool is_log_of_a_run(const fs::path& directory, const std::string& name) {
  if (name != kLogFile || !is_file_without_links(directory, name)) return false;
  const auto text = read_whole_file((directory / name).string());
  if (!text.ok()) return false;
  const std::string first = text.value().substr(0, text.value().find('\n'));
  return first.find(", strads ") != std::string::npos && first.find(", build ") != std::string::npos;
}

/// What lies in the way of `name`: the file itself, or a file where its folder would be. "": nothing.
std::string foreign_file(const fs::path& directory, const FinishedRun& earlier, const std::string& name) {
  if (std::string other = no_folder_on_the_way(directory, name); !other.empty()) return other;
  if (!is_there(directory / name) || earlier.wrote(name) || is_log_of_a_run(directory, name)) return "";
  return name;
}

Status cannot_exchange(const fs::path& path, const std::string& why) {
  return Status::input(path.string() + ": the results cannot be put here: " + why);
}

Status rename_file(const fs::path& from, const fs::path& to) {
  std::error_code error;
  fs::rename(from, to, error);
  return error ? cannot_exchange(to, error.message()) : Status();
}

/// A hint: where the system cannot do it, a power cut may undo the last renames.
void sync_folder(const fs::path& folder) {
  const int descriptor = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return;
  (void)data::sync_descriptor(descriptor);
  ::close(descriptor);
}

/// What the earlier run wrote and the new one does not have goes; folders that are empty then go too.
Status remove_files(const fs::path& directory, const FinishedRun& earlier, const std::vector<std::string>& kept) {
  std::set<std::string, std::greater<>> folders;  // those below come first
  for (const auto& [name, hash] : earlier.hashes()) {
    if (std::find(kept.begin(), kept.end(), name) != kept.end() || !earlier.wrote(name)) continue;
    std::error_code error;
    fs::remove(directory / name, error);
    if (error) return cannot_exchange(directory / name, "the earlier run's file cannot be removed: " + error.message());
    for (std::string folder = folder_of(name); !folder.empty(); folder = folder_of(folder)) folders.insert(folder);
  }
  for (const std::string& folder : folders) {
    std::error_code not_empty;  // it holds something that is not the run's
    fs::remove(directory / folder, not_empty);
  }
  return {};
}

/// Moves what is not yet in its place.
Status move_files(const fs::path& directory, const std::vector<std::string>& names) {
  const fs::path unfinished = directory / kUnfinishedFolder;
  std::set<fs::path> folders = {directory};
  for (const std::string& name : names) {
    if (!is_there(unfinished / name)) continue;
    const fs::path place = directory / name;
    std::error_code error;
    fs::create_directories(place.parent_path(), error);
    if (error) return cannot_exchange(place, error.message());
    if (Status moved = rename_file(unfinished / name, place); !moved.ok()) return moved;
    folders.insert(place.parent_path());
  }
  for (const fs::path& folder : folders) sync_folder(folder);
  return {};
}

}  // namespace

FinishedRun::FinishedRun(fs::path directory, const fs::path& summary) : directory_(std::move(directory)) {
  const auto text = read_whole_file(summary.string());
  if (!text.ok()) return;
  auto hashes = hashes_of_summary(text.value());
  is_known_ = hashes.has_value();
  if (!is_known_) return;
  for (auto& [name, hash] : *hashes) {
    if (is_name_of_a_run(name)) hashes_.emplace(name, std::move(hash));
  }
}

bool FinishedRun::wrote(const std::string& name) const {
  const auto noted = hashes_.find(name);
  if (noted == hashes_.end() || !is_file_without_links(directory_, name)) return false;
  const auto found = hash_of_file((directory_ / name).string());
  return found.ok() && found.value() == noted->second;
}

Status expect_no_foreign_files(const fs::path& directory, const FinishedRun& earlier,
                               std::span<const std::string> names) {
  for (const std::string& name : names) {
    const std::string foreign = foreign_file(directory, earlier, name);
    if (foreign.empty()) continue;
    return Status::usage((directory / foreign).string() +
                         ": would be overwritten, but no finished run wrote it here, or it was changed since; move it "
                         "away, or give another directory to --out (--force replaces only what a run wrote)");
  }
  return {};
}

Status put_into_place(const fs::path& directory) {
  const UninterruptedWrite whole;
  const fs::path unfinished = directory / kUnfinishedFolder;
  STRADS_ASSIGN_OR_RETURN(const auto text, read_whole_file((unfinished / kSummaryFile).string()));
  std::vector<std::string> names = files_of_summary(text);
  std::erase_if(names, [](const std::string& name) { return name == kSummaryFile || !is_name_of_a_run(name); });

  // After a cut the earlier summary lies aside already.
  const bool was_cut = is_there(unfinished / kEarlierSummary);
  const FinishedRun earlier(directory, was_cut ? unfinished / kEarlierSummary : directory / kSummaryFile);
  std::vector<std::string> to_move;
  for (const std::string& name : names) {
    if (is_there(unfinished / name)) to_move.push_back(name);
  }
  if (!earlier.is_known()) to_move.emplace_back(kSummaryFile);
  if (Status free = expect_no_foreign_files(directory, earlier, to_move); !free.ok()) {
    return Status::input(free.message() + "; the results are complete in " + unfinished.string() +
                         ", and the next run with this --out puts them into their places first");
  }
  if (!was_cut && earlier.is_known()) {
    if (Status moved = rename_file(directory / kSummaryFile, unfinished / kEarlierSummary); !moved.ok()) return moved;
    sync_folder(directory);
  }
  if (Status moved = move_files(directory, names); !moved.ok()) return moved;
  if (Status removed = remove_files(directory, earlier, names); !removed.ok()) return removed;
  if (Status moved = rename_file(unfinished / kSummaryFile, directory / kSummaryFile); !moved.ok()) return moved;
  sync_folder(directory);
  std::error_code stays;  // the next run removes it
  fs::remove_all(unfinished, stays);
  return {};
}

}  // namespace strads
