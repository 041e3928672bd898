// What a person sees while a run goes on.
// Layer: program. Programs (apps/*) see these services and nothing of Boost, spdlog or JSON.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace strads {

struct ProgressEvent;  // strads/engine/progress.hpp

/// Seconds since its construction, by the monotonic clock.
class Stopwatch {
 public:
  Stopwatch();
  [[nodiscard]] double seconds() const;

 private:
  std::int64_t start_nanoseconds_;
};

/// Shows a run on stderr: on a terminal one live line, else a plain line after 1, 2, 4, 8 ... seconds (every 60 later).
class ProgressPrinter {
 public:
  using Write = std::function<void(std::string_view)>;
  /// What a line says about an event. It begins as all of them do, with the seconds: "2.1 s  ".
  using Line = std::function<std::string(const ProgressEvent& event, double seconds)>;
  /// `live`: redraw one line. `write` receives exactly what goes out. `line`: of the program; without it rounds,
  /// objective, gap, nonzeros and updates a second.
  ProgressPrinter(bool live, Write write, Line line = {});
  /// What programs use: stderr, live iff that is a terminal; nothing with `quiet`.
  static ProgressPrinter for_stderr(bool quiet, Line line = {});

  void show(const ProgressEvent& event, double seconds);
  /// What a line would say about this event.
  [[nodiscard]] std::string text(const ProgressEvent& event, double seconds) const { return line_(event, seconds); }
  /// The same for work that is no run: reading a file, predicting. The seconds come before the text.
  void show_text(const std::function<std::string()>& text, double seconds);
  /// Clears the live line, so that what follows starts at the margin.
  void finish();

 private:
  void write_line(const std::function<std::string()>& text, double seconds);

  bool live_;
  Write write_;
  Line line_;
  bool line_open_ = false;
  double next_ = 0;
  double interval_ = 1;
};

}  // namespace strads
