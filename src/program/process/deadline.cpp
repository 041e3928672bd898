#include "program/process/deadline.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <ctime>
#include <optional>
#include <string_view>

namespace strads {
namespace {

constexpr double kRoom = 1.5;       ///< x what was measured
constexpr double kRoomLeast = 0.3;  ///< seconds: to end what is being computed, and the process

/// Takes exactly `count` digits from the front.
std::optional<int> take_digits(std::string_view& text, std::size_t count) {
  if (text.size() < count) return std::nullopt;
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + count, value);
  if (error != std::errc() || end != text.data() + count || text[0] == '-') return std::nullopt;
  text.remove_prefix(count);
  return value;
}

bool accept(std::string_view& text, char expected) {
  if (text.empty() || text[0] != expected) return false;
  text.remove_prefix(1);
  return true;
}

/// The rest of a time: "", "Z", "+01:00", "-0500". Seconds before UTC; no value: none of these. `local`: "".
std::optional<int> take_offset(std::string_view text, bool& local) {
  local = text.empty();
  if (local || text == "Z") return 0;
  const int sign = text[0] == '-' ? -1 : 1;
  if (!accept(text, '+') && !accept(text, '-')) return std::nullopt;
  const auto hours = take_digits(text, 2);
  accept(text, ':');
  const auto minutes = take_digits(text, 2);
  if (!hours || !minutes || !text.empty() || *hours > 23 || *minutes > 59) return std::nullopt;
  return sign * (*hours * 3600 + *minutes * 60);
}

/// ISO 8601, as far as parse_deadline() says.
std::optional<double> calendar_time(std::string_view text) {
  const auto year = take_digits(text, 4);
  if (!year || !accept(text, '-')) return std::nullopt;
  const auto month = take_digits(text, 2);
  if (!month || !accept(text, '-')) return std::nullopt;
  const auto day = take_digits(text, 2);
  if (!day || !accept(text, 'T')) return std::nullopt;
  const auto hour = take_digits(text, 2);
  if (!hour || !accept(text, ':')) return std::nullopt;
  const auto minute = take_digits(text, 2);
  if (!minute) return std::nullopt;
  const auto second = accept(text, ':') ? take_digits(text, 2) : 0;
  const std::chrono::year_month_day date{std::chrono::year(*year), std::chrono::month(static_cast<unsigned>(*month)),
                                         std::chrono::day(static_cast<unsigned>(*day))};
  bool local = false;
  const auto offset = take_offset(text, local);
  if (!date.ok() || *hour > 23 || *minute > 59 || !second || *second > 60 || !offset) return std::nullopt;
  std::tm fields{};
  fields.tm_year = *year - 1900;
  fields.tm_mon = *month - 1;
  fields.tm_mday = *day;
  fields.tm_hour = *hour;
  fields.tm_min = *minute;
  fields.tm_sec = *second;
  fields.tm_isdst = -1;
  return static_cast<double>(local ? std::mktime(&fields) : ::timegm(&fields) - *offset);
}

/// "2h30m".
std::optional<double> duration(std::string_view text) {
  constexpr std::string_view kUnits = "dhms";
  constexpr double kSeconds[] = {86400, 3600, 60, 1};
  double sum = 0;
  std::size_t least = 0;  // units come once, the longest first
  if (text.empty()) return std::nullopt;
  while (!text.empty()) {
    unsigned count = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    const std::size_t unit = text.empty() ? std::string_view::npos : kUnits.find(text[0], least);
    if (error != std::errc() || unit == std::string_view::npos) return std::nullopt;
    sum += count * kSeconds[unit];
    least = unit + 1;
    text.remove_prefix(1);
  }
  return sum;
}

std::optional<double> seconds_since_1970(std::string_view text) {
  std::uint64_t seconds = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seconds);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return static_cast<double>(seconds);
}

}  // namespace

double wall_seconds() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

std::string local_time(double wall) {
  const auto whole = static_cast<std::time_t>(wall);
  std::tm fields{};
  ::localtime_r(&whole, &fields);
  std::array<char, 32> text{};
  const std::size_t size = std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%S", &fields);
  return {text.data(), size};
}

Result<double> parse_deadline(const std::string& text, double now) {
  std::string_view rest = text;
  std::optional<double> at;
  if (accept(rest, '+')) {
    at = duration(rest);
    if (at) *at += now;
  } else if (accept(rest, '@')) {
    at = seconds_since_1970(rest);
  } else {
    at = calendar_time(rest);
  }
  if (!at) {
    return Status::usage("--deadline " + text +
                         ": expected a time such as 2026-11-24T18:00, 2026-11-24T18:00:00+01:00, +2h30m (from now) or "
                         "@SECONDS (since 1970)");
  }
  if (*at <= now) {
    return Status::usage("--deadline " + text + " has passed: it is " + local_time(now) +
                         "; give a later one, or leave it out");
  }
  return *at;
}

void Deadline::note_barrier(std::size_t run, double now) {
  if (since_[run] >= 0) between_ = std::max(between_, now - since_[run]);
  since_[run] = now;
}

void Deadline::note_writing(double seconds) {
  writing_ = std::max(writing_, seconds);
}

bool Deadline::next_is_late(double now) const {
  return now + kRoom * (between_ + writing_) + 2 * kRoomLeast >= at_;
}

bool Deadline::is_up(double now) const {
  return now + kRoom * writing_ + kRoomLeast >= at_;
}

}  // namespace strads
