// What an old summary.json says about its run's files. Layer: daemon.
#pragma once

#include <string>
#include <vector>

namespace strads {

/// The strings under "files"; empty when the text is no such summary.
[[nodiscard]] std::vector<std::string> files_of_summary(const std::string& text);

}  // namespace strads
