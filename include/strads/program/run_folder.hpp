// Folders of earlier runs, as programs read them. Layer: program.
#pragma once

#include <string>

#include "strads/base/status.hpp"

namespace strads {

/// Files of every run, in its folder.
inline constexpr const char* kSummaryFile = "summary.json";
inline constexpr const char* kTraceFile = "trace.csv";
inline constexpr const char* kConfigFile = "config.ini";
inline constexpr const char* kLogFile = "log.txt";

/// Whether `folder` holds `file` of a run of `command` ("mf fit"), asked before that is read. Errors: input: what is
/// missing, and what to give instead. Cost: two calls of the system.
[[nodiscard]] Status expect_run_folder(const std::string& folder, const std::string& file, const std::string& command);

}  // namespace strads
