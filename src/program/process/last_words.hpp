// Lines on stderr from signal handlers: without memory, locks or streams. Layer: program.
#pragma once

#include <array>
#include <climits>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace strads {

/// Of write_time().
inline constexpr std::size_t kTimeBytes = 24;
/// "2026-11-24T18:00:00.123Z", now. Safe in a signal handler.
void write_time(char* text);

/// Last words are events of a log of JSON from here on.
void say_last_words_as_events(bool events);

/// While one exists, a line is on its way to stderr.
class LineBeingWritten {
 public:
  LineBeingWritten();
  ~LineBeingWritten();
  LineBeingWritten(const LineBeingWritten&) = delete;
  LineBeingWritten& operator=(const LineBeingWritten&) = delete;
};

/// Whether stderr is a terminal that can clear a line. Looks once; call it before there are handlers.
[[nodiscard]] bool stderr_is_live();

/// A line of limited length, put together on the stack and written by one write(). As text it is what is appended,
/// after `prefix`; as an event, the words between begin and end are its message.
class LastWords {
 public:
  enum class Kind : std::uint8_t { note, error };
  /// `exit_code`: of an error. `prefix`: of the text form.
  LastWords(Kind kind, int exit_code, std::string_view prefix);

  LastWords& operator<<(std::string_view text);
  LastWords& operator<<(std::uint64_t number);
  /// With the line's end. A note is left out where another line is on its way, which it would cut in two.
  void say();
  [[nodiscard]] bool is_event() const { return event_; }

 private:
  void append(std::string_view text);
  void append_escaped(std::string_view text);

  static constexpr std::size_t kTail = 64;  // of the event's end
  Kind kind_;
  int exit_code_;
  bool event_;
  std::array<char, PATH_MAX + 1024> text_{};
  std::size_t size_ = 0;
};

}  // namespace strads
