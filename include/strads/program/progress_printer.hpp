// What a person sees while a run goes on.
// Layer: program. Programs (apps/*) see these services and nothing of Boost, spdlog or JSON.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "strads/program/progress_line.hpp"

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

/// Shows a run on stderr: on a terminal one live line that is never wider than it, else a plain line after 1, 2, 4, 8
/// ... seconds (every 60 later); with --log-format json an event, at most one a second.
class ProgressPrinter {
 public:
  using Write = std::function<void(std::string_view)>;
  /// What a line says about an event.
  using Line = std::function<ProgressLine(const ProgressEvent& event, double seconds)>;
  /// How wide lines may be; asked before each one. Empty: as wide as they are.
  using Columns = std::function<std::size_t()>;
  /// `live`: redraw one line. `write` receives exactly what goes out. `line`: of the program; without it rounds,
  /// objective, gap, nonzeros and updates a second.
  ProgressPrinter(bool live, Write write, Line line = {}, Columns columns = {});
  /// What programs use: stderr, live iff that is a terminal that can clear a line; nothing with `quiet`.
  static ProgressPrinter for_stderr(bool quiet, Line line = {});

  void show(const ProgressEvent& event, double seconds);
  /// What a line would say about this event.
  [[nodiscard]] ProgressLine line(const ProgressEvent& event, double seconds) const { return line_(event, seconds); }
  /// The same for work that is no run: reading a file, predicting. `line` is asked only where it is shown.
  void show_line(const std::function<ProgressLine()>& line, double seconds);
  /// Clears the live line, so that what follows starts at the margin.
  void finish();

 private:
  void show(const std::function<ProgressLine()>& line, const ProgressEvent* event, double seconds);

  bool live_;
  Write write_;
  Line line_;
  Columns columns_;
  bool quiet_ = false;
  bool line_open_ = false;
  double next_ = 0;
  double interval_ = 1;
};

}  // namespace strads
