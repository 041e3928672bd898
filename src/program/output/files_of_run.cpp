#include "strads/program/files_of_run.hpp"

#include <filesystem>
#include <optional>
#include <system_error>

#include "program/files/read_file.hpp"
#include "program/output/summary_files.hpp"
#include "strads/program/run_folder.hpp"

namespace strads {

bool run_wrote(const std::string& folder, const std::string& name) {
  const auto text = read_whole_file(folder + "/" + kSummaryFile);
  const auto hashes = text.ok() ? hashes_of_summary(text.value()) : std::nullopt;
  return hashes.has_value() && hashes->contains(name);
}

std::string file_of_run(const std::string& folder, const std::string& given, const std::string& noted) {
  const auto text = read_whole_file(folder + "/" + kSummaryFile);
  const std::filesystem::path place(folder), name = std::filesystem::path(given).filename();
  const std::string from_root = text.ok() ? text_of_summary(text.value(), noted) : std::string();
  std::error_code none;
  // Another file may have that name where this program runs.
  if (!from_root.empty() && std::filesystem::equivalent(given, from_root, none)) return given;
  for (const std::string& path : {from_root, given, (place / ".." / name).string(), (place / name).string()}) {
    if (!path.empty() && std::filesystem::exists(path, none)) return path;
  }
  return given;
}

std::string path_from_root(const std::string& path) {
  if (path.empty()) return path;
  std::error_code error;
  const auto whole = std::filesystem::absolute(path, error);
  return error ? path : whole.lexically_normal().string();
}

}  // namespace strads
