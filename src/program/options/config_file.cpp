#include "program/options/config_file.hpp"

#include <algorithm>

namespace strads {
namespace {

std::string_view trimmed(std::string_view text) {
  const auto begin = text.find_first_not_of(" \t\r");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t\r") - begin + 1);
}

Status unexpected(const std::string& path, std::size_t line, std::string_view found) {
  return Status::usage(path + ":" + std::to_string(line) + ": found '" + std::string(found) +
                       "', expected [section], name = value or a comment that starts with #");
}

}  // namespace

Result<std::vector<ConfigLine>> read_config_lines(const std::string& path, std::string_view text) {
  std::vector<ConfigLine> lines;
  std::string section;
  std::size_t number = 0;
  while (!text.empty()) {
    const auto end = std::min(text.find('\n'), text.size());
    const auto line = trimmed(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    ++number;
    if (line.empty() || line.front() == '#' || line.front() == ';') continue;
    if (line.front() == '[') {
      if (line.back() != ']') return unexpected(path, number, line);
      section = trimmed(line.substr(1, line.size() - 2));
      continue;
    }
    const auto equals = line.find('=');
    const auto name = trimmed(line.substr(0, std::min(equals, line.size())));
    if (equals == std::string_view::npos || name.empty()) return unexpected(path, number, line);
    lines.push_back({number, section, std::string(name), std::string(trimmed(line.substr(equals + 1)))});
  }
  return lines;
}

}  // namespace strads
