// Folders of earlier runs, as programs read them. Layer: program.
#pragma once

#include <string>

#include "strads/base/status.hpp"

namespace strads {

/// Whether `folder` holds `file` of a run of `command` ("mf fit"), asked before that is read. Errors: input: what is
/// missing, and what to give instead. Cost: two calls of the system.
[[nodiscard]] Status expect_run_folder(const std::string& folder, const std::string& file, const std::string& command);

}  // namespace strads
