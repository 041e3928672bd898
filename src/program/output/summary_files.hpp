// What an old summary.json says about its run's files. Layer: program.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace strads {

/// The summary's object of names and hashes (hash_of_file()): of every file of the run but the summary itself.
inline constexpr const char* kFileHashes = "file_hashes";

/// The hashes by name. None: the text is no such summary, or has no hashes.
[[nodiscard]] std::optional<std::map<std::string, std::string>> hashes_of_summary(const std::string& text);

/// The strings under "files"; empty when the text is no such summary.
[[nodiscard]] std::vector<std::string> files_of_summary(const std::string& text);

}  // namespace strads
