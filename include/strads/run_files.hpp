// Whether the files of a finished run are still those that it wrote. Layer: daemon.
#pragma once

#include <span>
#include <string>

#include "strads/status.hpp"

namespace strads {

/// Whether each of `names` in the run directory `folder` has the content whose hash the run's summary.json notes
/// (`file_hashes`). Ask before the files are read: a changed byte of a table or of factors shows nowhere else. A
/// summary without hashes is refused too, or a damaged summary would switch the check off. Errors: input: which file,
/// what was found, what to do. Cost: every file is read once, several bytes a cycle.
[[nodiscard]] Status check_run_files(const std::string& folder, std::span<const std::string> names);

}  // namespace strads
