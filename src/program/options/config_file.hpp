// The INI dialect of config files: [section], name = value, comment lines with # or ;. Layer: program.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "strads/base/status.hpp"

namespace strads {

struct ConfigLine {
  std::size_t line = 0;  ///< counted from 1
  std::string section;   ///< "" before the first section
  std::string name;
  std::string value;  ///< without blanks around it; everything else counts, also # and ;
};

/// `path`: where the text comes from, for messages.
/// Errors: usage, as "path:line: what was found, what was expected".
[[nodiscard]] Result<std::vector<ConfigLine>> read_config_lines(const std::string& path, std::string_view text);

}  // namespace strads
