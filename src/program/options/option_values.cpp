#include "program/options/option_values.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <limits>

#include "strads/program/option_table.hpp"
#include "strads/program/program.hpp"

namespace strads {
namespace {

using Option = OptionTable::Option;
using Kind = OptionTable::Kind;

constexpr double kUnbounded = 1e300;

std::string join(const std::vector<std::string>& parts, const char* separator) {
  std::string joined;
  for (const auto& part : parts) joined += (joined.empty() ? "" : separator) + part;
  return joined;
}

std::vector<std::string> split_list(const std::string& value) {
  std::vector<std::string> parts;
  std::size_t begin = 0;
  while (begin <= value.size()) {
    const auto end = std::min(value.find(',', begin), value.size());
    if (end > begin) parts.push_back(value.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

std::string bound_text(double bound) {
  return exact_text(bound);
}

bool inside(double value, const Range& range) {
  const bool above = range.min_open ? value > range.min : value >= range.min;
  const bool below = range.max_open ? value < range.max : value <= range.max;
  return above && below;
}

Status refused(const Option& option, const std::string& where, const std::string& value) {
  std::string expected = range_text(option);
  if (option.kind == Kind::flag) expected = "on|off";
  if (option.kind == Kind::number) expected = "a number" + (expected.empty() ? "" : " " + expected);
  if (option.kind == Kind::count) expected = "a whole number" + (expected.empty() ? "" : " " + expected);
  std::string message = where + ": found '" + value + "', expected " + expected;
  if (option.kind == Kind::choice) {
    const auto near = nearest_name(value, option.choices);
    if (!near.empty()) message += "; did you mean " + near + "?";
  }
  return Status::usage(std::move(message));
}

std::optional<double> read_number(const std::string& value) {
  double number = 0;
  const char* end = value.data() + value.size();
  const auto [stop, error] = std::from_chars(value.data(), end, number);
  if (error != std::errc{} || stop != end || !std::isfinite(number)) return std::nullopt;
  return number;
}

std::optional<std::uint64_t> read_count(const std::string& value) {
  std::uint64_t number = 0;
  const char* end = value.data() + value.size();
  const auto [stop, error] = std::from_chars(value.data(), end, number);
  if (error != std::errc{} || stop != end) return std::nullopt;
  return number;
}

std::uint64_t count_max(const Option& option) {
  return std::holds_alternative<std::uint32_t*>(option.target) ? std::numeric_limits<std::uint32_t>::max()
                                                               : std::numeric_limits<std::uint64_t>::max();
}

bool is_switch(const std::string& value) {
  return value == "on" || value == "off";
}

}  // namespace

std::string exact_text(double value) {
  char buffer[64];
  const auto [end, error] = std::to_chars(buffer, buffer + sizeof buffer, value);
  STRADS_CHECK(error == std::errc{}, "64 characters hold every double");
  return {buffer, end};
}

std::string short_text(double value, int digits) {
  char buffer[64];
  std::snprintf(buffer, sizeof buffer, "%.*g", digits, value);
  return buffer;
}

std::string range_text(const Option& option) {
  switch (option.kind) {
    case Kind::choice:
      return join(option.choices, "|");
    case Kind::on_off:
      return "on|off";
    case Kind::flag:
    case Kind::text:
    case Kind::list:
      return "";
    case Kind::number:
    case Kind::count:
      break;
  }
  const Range& range = option.range;
  const bool low = range.min > -kUnbounded;
  const bool high = range.max < kUnbounded;
  if (low && high) {
    return (range.min_open ? "in (" : "in [") + bound_text(range.min) + ", " + bound_text(range.max) +
           (range.max_open ? ")" : "]");
  }
  if (low) return (range.min_open ? "> " : ">= ") + bound_text(range.min);
  if (high) return (range.max_open ? "< " : "<= ") + bound_text(range.max);
  return "";
}

std::string value_text(const Option& option) {
  struct Text {
    std::string operator()(const bool* target) const { return *target ? "on" : "off"; }
    std::string operator()(const std::string* target) const { return *target; }
    std::string operator()(const std::vector<std::string>* target) const { return join(*target, ","); }
    std::string operator()(const double* target) const { return exact_text(*target); }
    std::string operator()(const std::optional<double>* target) const {
      return target->has_value() ? exact_text(**target) : std::string();
    }
    std::string operator()(const std::uint32_t* target) const { return std::to_string(*target); }
    std::string operator()(const std::uint64_t* target) const { return std::to_string(*target); }
    std::string operator()(const std::optional<std::uint64_t>* target) const {
      return target->has_value() ? std::to_string(**target) : std::string();
    }
  };
  return std::visit(Text{}, option.target);
}

Status check_value(const Option& option, const std::string& where, const std::string& value) {
  bool fits = true;
  switch (option.kind) {
    case Kind::flag:
    case Kind::on_off:
      fits = is_switch(value);
      break;
    case Kind::choice:
      fits = std::find(option.choices.begin(), option.choices.end(), value) != option.choices.end();
      break;
    case Kind::text:
    case Kind::list:
      if (value.empty()) return Status::usage(where + ": found nothing, expected a value");
      if (value.find_first_of("\r\n") != std::string::npos) {
        return Status::usage(where +
                             ": found a line break, which a config file cannot hold; rename the file or column");
      }
      break;
    case Kind::number: {
      const auto number = read_number(value);
      fits = number.has_value() && inside(*number, option.range);
      break;
    }
    case Kind::count: {
      const auto number = read_count(value);
      fits = number.has_value() && *number <= count_max(option) && inside(static_cast<double>(*number), option.range);
      break;
    }
  }
  return fits ? Status() : refused(option, where, value);
}

Status store_value(const Option& option, const std::string& where, const std::string& value) {
  if (Status checked = check_value(option, where, value); !checked.ok()) return checked;
  struct Store {
    const std::string& value;
    void operator()(bool* target) const { *target = value == "on"; }
    void operator()(std::string* target) const { *target = value; }
    void operator()(std::vector<std::string>* target) const { *target = split_list(value); }
    void operator()(double* target) const { *target = read_number(value).value_or(0); }
    void operator()(std::optional<double>* target) const { *target = read_number(value); }
    void operator()(std::uint32_t* target) const {
      *target = static_cast<std::uint32_t>(read_count(value).value_or(0));
    }
    void operator()(std::uint64_t* target) const { *target = read_count(value).value_or(0); }
    void operator()(std::optional<std::uint64_t>* target) const { *target = read_count(value); }
  };
  std::visit(Store{value}, option.target);
  return {};
}

const char* kind_name(OptionTable::Kind kind) {
  switch (kind) {
    case OptionTable::Kind::flag:
      return "flag";
    case OptionTable::Kind::on_off:
      return "on_off";
    case OptionTable::Kind::text:
      return "text";
    case OptionTable::Kind::list:
      return "list";
    case OptionTable::Kind::choice:
      return "choice";
    case OptionTable::Kind::number:
      return "number";
    case OptionTable::Kind::count:
      return "count";
  }
  return "";
}

}  // namespace strads
