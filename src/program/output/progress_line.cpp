#include "strads/program/progress_line.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <utility>

#include "strads/program/program.hpp"

namespace strads {

std::optional<double> seconds_left(double seconds, std::uint64_t done, std::uint64_t total) {
  constexpr double kSecondsLeast = 2;
  constexpr std::uint64_t kUnitsLeast = 3;
  constexpr std::uint64_t kShareLeast = 20;  // one of so many
  if (total < done || done < kUnitsLeast || kShareLeast * done < total || seconds < kSecondsLeast) return std::nullopt;
  return seconds / static_cast<double>(done) * static_cast<double>(total - done);
}

std::string about_seconds(double seconds) {
  const auto rounded = [](double value, double step) {
    return std::to_string(static_cast<std::uint64_t>(std::max(1.0, std::round(value / step)) * step));
  };
  constexpr double kMinute = 60, kHour = 3600, kDay = 86400;
  if (seconds < 10) return "about " + rounded(seconds, 1) + " s";
  if (seconds < 1.5 * kMinute) return "about " + rounded(seconds, 5) + " s";
  if (seconds < 1.5 * kHour) return "about " + rounded(seconds / kMinute, 1) + " min";
  if (seconds < 1.5 * kDay) return "about " + rounded(seconds / kHour, 1) + " h";
  return "about " + rounded(seconds / kDay, 1) + " days";
}

ProgressLine share_line(std::string what, double share, double seconds) {
  constexpr std::uint64_t kParts = 1000;
  const auto done = static_cast<std::uint64_t>(std::lround(static_cast<double>(kParts) * std::clamp(share, 0.0, 1.0)));
  ProgressLine line(seconds);
  line.text(ProgressRank::quality, std::move(what));
  return line.percent(share).left(seconds_left(seconds, done, kParts));
}

ProgressLine count_line(std::string what, ProgressCount count, double seconds) {
  const auto left = seconds_left(seconds, count.done, count.total);
  ProgressLine line(seconds);
  return line.text(ProgressRank::quality, std::move(what)).count(std::move(count)).left(left);
}

ProgressLine::ProgressLine(double seconds) : seconds_(seconds) {
  std::array<char, 40> buffer{};
  std::snprintf(buffer.data(), buffer.size(), "%.1f s", seconds);
  text(ProgressRank::seconds, buffer.data());
}

ProgressLine& ProgressLine::count(ProgressCount count) {
  std::string words = count.unit + " " + std::to_string(count.done);
  if (count.total > 0) words += std::string(count.at_most ? " of at most " : " of ") + std::to_string(count.total);
  count_ = std::move(count);
  return text(ProgressRank::count, std::move(words));
}

ProgressLine& ProgressLine::percent(double share) {
  fields_.push_back(
      {ProgressRank::count, std::to_string(std::lround(100 * share)) + " %", "percent", std::round(100 * share)});
  return *this;
}

ProgressLine& ProgressLine::left(std::optional<double> seconds) {
  left_ = seconds;
  return seconds.has_value() ? text(ProgressRank::left, about_seconds(*seconds) + " left") : *this;
}

ProgressLine& ProgressLine::figure(ProgressRank rank, std::string name, std::string_view label, double value,
                                   int digits) {
  fields_.push_back({rank, std::string(label) + " " + short_text(value, digits), std::move(name), value});
  return *this;
}

ProgressLine& ProgressLine::number(ProgressRank rank, std::string name, std::string_view label, std::uint64_t value,
                                   bool value_first) {
  const std::string digits = std::to_string(value), words(label);
  fields_.push_back(
      {rank, value_first ? digits + " " + words : words + " " + digits, std::move(name), static_cast<double>(value)});
  return *this;
}

ProgressLine& ProgressLine::rate(std::string name, std::string_view unit, double value) {
  fields_.push_back({ProgressRank::rate, short_text(value, 3) + " " + std::string(unit), std::move(name), value});
  return *this;
}

ProgressLine& ProgressLine::text(ProgressRank rank, std::string text) {
  fields_.push_back({rank, std::move(text), "", 0});
  return *this;
}

std::string ProgressLine::text() const {
  std::string line;
  for (const Field& field : fields_) line += (line.empty() ? "" : "  ") + field.text;
  return line;
}

std::string ProgressLine::within(std::size_t columns) const {
  ProgressLine shorter = *this;
  std::string line = shorter.text();
  while (line.size() > columns && !shorter.fields_.empty()) {
    auto least = shorter.fields_.begin();
    for (auto field = least; field != shorter.fields_.end(); ++field)
      least = field->rank >= least->rank ? field : least;
    shorter.fields_.erase(least);  // of equal ones the last
    line = shorter.text();
  }
  return line;
}

}  // namespace strads
