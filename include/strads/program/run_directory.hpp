// The folder of a run's files.
// Layer: program. Programs (apps/*) see these services and nothing of Boost, spdlog or JSON.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "strads/base/status.hpp"
#include "strads/program/live_files.hpp"
#include "strads/program/run_folder.hpp"
#include "strads/program/summary.hpp"

namespace strads {

/// The directory of --out: one run's files, the summary last, so that its presence says that the others are complete.
/// Until finish() all of them lie in a hidden folder of it; then they are put into their places, and what an earlier
/// run wrote goes. A run that does not come so far leaves the directory as it was. Locked while the object lives.
class RunDirectory {
 public:
  /// No directory: write() does nothing and says ok.
  RunDirectory();
  /// Removes what was not finished, and the directory if it was made for it and is empty.
  ~RunDirectory();
  RunDirectory(RunDirectory&&) noexcept;
  RunDirectory& operator=(RunDirectory&&) noexcept;

  /// Creates the directory where needed. `own_files`: names that the run is going to write, "folder/name" for those of
  /// its parts: a file of such a name that no finished run wrote there is refused at once, not after hours. `force`: a
  /// finished run may be in it, which finish() replaces. Errors: usage: finished run, not a directory, another run
  /// writes there, a file in the way; input: the system's reason.
  [[nodiscard]] static Result<RunDirectory> open(const std::string& path, bool force,
                                                 std::span<const std::string> own_files);
  /// The folder of a part of the run, with a summary of its own. Its files come into their places with those of the
  /// whole run, which has to be told of them (note_file). REQUIRES: finished before the whole run is.
  [[nodiscard]] RunDirectory part(const std::string& name) const;

  [[nodiscard]] bool exists() const { return state_ != nullptr; }
  [[nodiscard]] const std::string& path() const;
  /// Files written so far, in order, without repetition.
  [[nodiscard]] const std::vector<std::string>& files() const;
  /// Where the caller writes this file, in a folder that is there; after finish() where it lies.
  [[nodiscard]] std::string path_of(std::string_view name) const;
  /// Files that grow where those of the run lie until it is finished. REQUIRES: exists().
  [[nodiscard]] std::shared_ptr<LiveFiles> live_files() const;
  /// Tells that the caller wrote this file itself.
  void note_file(std::string_view name);
  [[nodiscard]] Status write(std::string_view name, std::string_view content);
  /// Adds the list of files with their hashes, writes summary.json, and puts all into place.
  [[nodiscard]] Status finish(Summary summary);
  /// The run has failed: log.txt, unless the directory holds a finished run or a foreign file of this name.
  void keep_log_of_failure(std::string_view text) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// The closing line of what was written. `each`: what has a folder, where there are many; null: every file is named.
[[nodiscard]] std::string files_line(const RunDirectory& directory, const char* each = nullptr);

}  // namespace strads
