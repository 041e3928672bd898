// How the files of a run come into their places, and which files in a directory are a run's. Layer: program.
#pragma once

#include <filesystem>
#include <map>
#include <span>
#include <string>

#include "strads/base/status.hpp"
#include "strads/program/run_folder.hpp"

namespace strads {

/// In the directory of --out: where the files of a run lie until they are complete.
inline constexpr const char* kUnfinishedFolder = ".unfinished";

/// The finished run that a directory holds, as its summary tells.
class FinishedRun {
 public:
  /// Nothing is known of the directory's files.
  FinishedRun() = default;
  /// `summary`: of a run whose files lie in `directory`. One that cannot be read, or has no hashes: nothing is known.
  FinishedRun(std::filesystem::path directory, const std::filesystem::path& summary);

  /// Whether its summary has hashes.
  [[nodiscard]] bool is_known() const { return is_known_; }
  [[nodiscard]] const std::map<std::string, std::string>& hashes() const { return hashes_; }
  /// Whether the file `name` is there as the run wrote it: no link, and of the content that its summary notes.
  [[nodiscard]] bool wrote(const std::string& name) const;

 private:
  std::filesystem::path directory_;
  std::map<std::string, std::string> hashes_;
  bool is_known_ = false;
};

/// Whether a run may put files of these names into the directory: nothing lies there, or a file of `earlier`, or the
/// log of a run that failed. Errors: usage: the file in the way, what to do.
[[nodiscard]] Status expect_no_foreign_files(const std::filesystem::path& directory, const FinishedRun& earlier,
                                             std::span<const std::string> names);

/// Puts the complete files of a run, which lie in kUnfinishedFolder with their summary, into their places, and removes
/// what an earlier run wrote beside them. The summary goes first and comes last: in between the directory does not
/// claim to hold a finished run. What was cut off in between (power, kill -9) is finished by the next call.
/// Errors: input: a foreign file in the way; the system's reason. Nothing of the run is lost then.
[[nodiscard]] Status put_into_place(const std::filesystem::path& directory);

}  // namespace strads
