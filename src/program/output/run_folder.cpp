#include "strads/program/run_folder.hpp"

#include <filesystem>
#include <system_error>

namespace strads {

Status expect_run_folder(const std::string& folder, const std::string& file, const std::string& command) {
  namespace fs = std::filesystem;
  std::error_code error;
  if (fs::exists(fs::path(folder) / file, error)) return {};
  const std::string wanted = "; expected the folder that " + command + " --out wrote";
  if (!fs::exists(folder, error)) return Status::input(folder + ": there is no such folder" + wanted);
  if (!fs::is_directory(folder, error)) return Status::input(folder + ": is a file" + wanted);
  return Status::input(folder + ": is no finished run: it has no " + file + wanted);
}

}  // namespace strads
