#include "program/process/last_words.hpp"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <ctime>

#include "program/process/event_log.hpp"
#include "strads/base/last_words.hpp"

namespace strads {
namespace {

std::atomic<bool> as_events{false};
std::atomic<int> lines_being_written{0};
static_assert(std::atomic<int>::is_always_lock_free && std::atomic<const char*>::is_always_lock_free,
              "a signal handler may not take a lock");

void write_digits(char* at, std::int64_t number, int digits) {
  for (int k = digits - 1; k >= 0; --k, number /= 10) at[k] = static_cast<char>('0' + number % 10);
}

/// Of a check that failed, and of what a library ends the process for: it aborts, which shells show as 134.
void say_failure(std::string_view message, int exit_code) {
  LastWords words(LastWords::Kind::error, exit_code, "");
  words << message;
  words.say();
}

}  // namespace

void write_time(char* text) {
  timespec now{};
  ::clock_gettime(CLOCK_REALTIME, &now);
  constexpr std::int64_t kDay = 86400;
  const std::int64_t seconds = now.tv_sec % kDay;
  // Days since 1970 as a date of the Gregorian calendar: Howard Hinnant, chrono-Compatible Low-Level Date Algorithms.
  const std::int64_t z = now.tv_sec / kDay + 719468, era = z / 146097, day_of_era = z - era * 146097;
  const std::int64_t year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36524 - day_of_era / 146096) / 365;
  const std::int64_t day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
  const std::int64_t shifted = (5 * day_of_year + 2) / 153, month = shifted < 10 ? shifted + 3 : shifted - 9;
  std::memcpy(text, "0000-00-00T00:00:00.000Z", kTimeBytes);
  write_digits(text, year_of_era + era * 400 + (month <= 2 ? 1 : 0), 4);
  write_digits(text + 5, month, 2);
  write_digits(text + 8, day_of_year - (153 * shifted + 2) / 5 + 1, 2);
  write_digits(text + 11, seconds / 3600, 2);
  write_digits(text + 14, seconds / 60 % 60, 2);
  write_digits(text + 17, seconds % 60, 2);
  write_digits(text + 20, now.tv_nsec / 1'000'000, 3);
}

void say_last_words_as_events(bool events) {
  as_events = events;
  set_last_words(events ? say_failure : nullptr);
}

LineBeingWritten::LineBeingWritten() {
  ++lines_being_written;
}

LineBeingWritten::~LineBeingWritten() {
  --lines_being_written;
}

bool stderr_is_live() {
  static const bool live = [] {
    const char* const kind = std::getenv("TERM");
    const bool clears = kind != nullptr && *kind != '\0' && std::strcmp(kind, "dumb") != 0;
    return clears && ::isatty(STDERR_FILENO) == 1;
  }();
  return live && !as_events;
}

LastWords::LastWords(Kind kind, int exit_code, std::string_view prefix)
    : kind_(kind), exit_code_(exit_code), event_(as_events) {
  if (!event_) {
    append(prefix);
    return;
  }
  append(kind_ == Kind::note ? R"({"event":"note","time":")" : R"({"event":"error","time":")");
  std::array<char, kTimeBytes> time{};
  write_time(time.data());
  append({time.data(), time.size()});
  append(R"(","program":")");
  append(program_name());
  append(R"(","message":")");
}

LastWords& LastWords::operator<<(std::string_view text) {
  event_ ? append_escaped(text) : append(text);
  return *this;
}

LastWords& LastWords::operator<<(std::uint64_t number) {
  std::array<char, 20> digits{};
  std::size_t first = digits.size();
  do {
    digits[--first] = static_cast<char>('0' + number % 10);
    number /= 10;
  } while (number != 0);
  append({digits.data() + first, digits.size() - first});
  return *this;
}

void LastWords::append(std::string_view text) {
  const std::size_t count = std::min(text.size(), text_.size() - size_);
  std::memcpy(text_.data() + size_, text.data(), count);
  size_ += count;
}

/// What is not ASCII may be no UTF-8, which the line has to be: it becomes a question mark.
void LastWords::append_escaped(std::string_view text) {
  for (const char letter : text) {
    if (size_ + kTail >= text_.size()) return;
    const auto byte = static_cast<unsigned char>(letter);
    if (letter == '"' || letter == '\\') append("\\");
    append(byte < 0x20 ? " " : byte < 0x7f ? std::string_view(&letter, 1) : "?");
  }
}

void LastWords::say() {
  if (!event_) {
    append("\n");
  } else if (kind_ == Kind::note) {
    append("\"}\n");
  } else {
    append(R"(","exit_code":)");
    *this << static_cast<std::uint64_t>(exit_code_);
    append("}\n");
  }
  if (event_ && kind_ == Kind::note && lines_being_written > 0) return;
  for (std::size_t at = 0; at < size_;) {
    const ssize_t count = ::write(STDERR_FILENO, text_.data() + at, size_ - at);
    if (count <= 0) return;  // nowhere to say it
    at += static_cast<std::size_t>(count);
  }
}

}  // namespace strads
