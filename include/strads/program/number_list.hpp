// Options whose values are numbers separated by commas. Layer: program.
#pragma once

#include <algorithm>
#include <charconv>
#include <optional>
#include <string>
#include <system_error>
#include <vector>

#include "strads/base/status.hpp"

namespace strads {

template <class T>
[[nodiscard]] std::optional<T> parsed_number(const std::string& text) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

/// The values of one list. `accepts`: besides being a number.
template <class T, class Accepts>
[[nodiscard]] Result<std::vector<T>> read_list(const std::string& option, const std::vector<std::string>& texts,
                                               const std::string& expected, Accepts accepts) {
  if (texts.empty()) return Status::usage(option + " is empty, expected " + expected + " separated by commas");
  std::vector<T> values;
  for (const std::string& text : texts) {
    const auto value = parsed_number<T>(text);
    if (!value.has_value() || !accepts(*value)) {
      return Status::usage(option + ": '" + text + "', expected " + expected + " separated by commas");
    }
    if (std::find(values.begin(), values.end(), *value) != values.end()) {
      return Status::usage(option + ": " + text + " is there twice; give each value once");
    }
    values.push_back(*value);
  }
  return values;
}

}  // namespace strads
