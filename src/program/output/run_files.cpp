#include "strads/program/run_files.hpp"

#include <cmath>
#include <filesystem>
#include <map>
#include <optional>
#include <system_error>

#include "program/files/file_hash.hpp"
#include "program/files/read_file.hpp"
#include "program/output/summary_files.hpp"
#include "strads/program/program.hpp"
#include "strads/program/result_files.hpp"
#include "strads/program/run_folder.hpp"
#include "wire/printable.hpp"

namespace strads {
namespace {

constexpr std::size_t kShownReleaseMax = 64;  // of a name that is shown

/// The summary of the finished run in `folder`. Errors: input: it cannot be read, and what to do.
Result<std::string> summary_in(const std::string& folder) {
  auto text = read_whole_file(folder + "/" + kSummaryFile);
  if (text.ok()) return text;
  return Status::input(text.status().message() + "; a finished run has this file: give the folder of one");
}

}  // namespace

Status check_run_files(const std::string& folder, std::span<const std::string> names) {
  const std::string summary = folder + "/" + kSummaryFile;
  STRADS_ASSIGN_OR_RETURN(const auto text, summary_in(folder));
  const auto hashes = hashes_of_summary(text);
  if (!hashes.has_value()) {
    return Status::input(summary + ": has no " + kFileHashes +
                         ", so that its run's files cannot be checked: it is damaged or of an older version; copy the "
                         "folder again, or repeat the run");
  }
  for (const std::string& name : names) {
    const std::string path = folder + "/" + name;
    const auto noted = hashes->find(name);
    if (noted == hashes->end()) {
      return Status::input(path + ": is no file of the run in this folder by its " + kSummaryFile +
                           "; copy the folder again, or repeat the run");
    }
    const auto found = hash_of_file(path);
    if (!found.ok()) {
      return Status::input(found.status().message() + "; " + summary +
                           " says that the run wrote this file: copy the folder again, or repeat the run");
    }
    if (found.value() == noted->second) continue;
    return Status::input(
        path + ": has the hash " + found.value() + ", expected " + noted->second + " as " + summary +
        " says: it is damaged, or was changed after the run; copy the folder again, or repeat the run");
  }
  return {};
}

Status expect_model_format(const std::string& folder, std::uint64_t newest) {
  const std::string summary = folder + "/" + kSummaryFile;
  STRADS_ASSIGN_OR_RETURN(const auto text, summary_in(folder));
  const auto found = model_format_of_summary(text);
  if (!found.has_value()) {
    return Status::input(summary + ": has no " + kModelFormat + " that is a whole number: it is damaged; copy the " +
                         "folder again, or repeat the run");
  }
  if (found->format <= newest) return {};
  const std::string release = wire::printable(found->release, kShownReleaseMax);
  return Status::input(summary + ": version " + std::to_string(found->format) + " of the model's files, expected at " +
                       "most " + std::to_string(newest) + "; " +
                       (release.empty() ? std::string() : "written by release " + release + ", ") + "this is release " +
                       std::string(version()) + "; use " +
                       (release.empty() ? std::string("a later release") : "release " + release + " or a later one") +
                       ", or fit the model again");
}

Result<double> positive_of_summary(const std::string& folder, const std::string& name, double otherwise) {
  const std::string summary = folder + "/" + kSummaryFile;
  STRADS_ASSIGN_OR_RETURN(const auto text, summary_in(folder));
  const auto found = number_of_summary(text, name, otherwise);
  if (found.has_value() && std::isfinite(*found) && *found > 0) return *found;
  return Status::input(summary + ": " + name +
                       " is no number above 0: it is damaged; copy the folder again, or repeat " + "the run");
}

Status expect_no_file_of_a_run(const std::string& path) {
  // A link's target is what would be replaced.
  std::error_code not_found;
  const auto followed = std::filesystem::weakly_canonical(path, not_found);
  const std::filesystem::path file = not_found ? std::filesystem::path(path) : followed;
  const auto text = read_whole_file((file.parent_path() / kSummaryFile).string());
  if (!text.ok()) return {};
  const auto hashes = hashes_of_summary(text.value());
  const std::string name = file.filename().string();
  if (!hashes.has_value() || (name != kSummaryFile && !hashes->contains(name))) return {};
  return Status::usage(path + ": is a file of the finished run there, which would be lost; give another name to --out");
}

Status write_result(const std::string& path, std::string_view text) {
  STRADS_ASSIGN_OR_RETURN(auto writer, ResultWriter::open(path));
  if (Status written = writer.write(text); !written.ok()) return written;
  return writer.commit();
}

}  // namespace strads
