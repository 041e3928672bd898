// What a finished run read and wrote, by its summary. Layer: program.
#pragma once

#include <string>

namespace strads {

/// Whether the run in `folder` wrote the file of that name, by its summary, whatever became of it. False where there is
/// no such summary.
[[nodiscard]] bool run_wrote(const std::string& folder, const std::string& name);

/// A file that the run in `folder` read. `given`: as its options name it, from where the run was; `noted`: what its
/// summary calls the same path from the root on. It is there, else where `given` says from here, else under its last
/// name beside the folder or in it; else `given` is the answer.
[[nodiscard]] std::string file_of_run(const std::string& folder, const std::string& given, const std::string& noted);
/// The path from the root on, for a summary; "" stays.
[[nodiscard]] std::string path_from_root(const std::string& path);

}  // namespace strads
