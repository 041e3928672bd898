#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <utility>

#include "program/process/event_log.hpp"
#include "program/process/last_words.hpp"
#include "strads/engine/progress.hpp"
#include "strads/program/program.hpp"
#include "strads/program/progress_printer.hpp"

namespace strads {
namespace {

constexpr double kLiveInterval = 0.1;     // seconds between two drawings of the live line
constexpr double kPlainIntervalMax = 60;  // seconds between two plain lines, late in a run

constexpr double kEventInterval = 1;  // seconds between two events of a log of JSON

/// The objective is that of the event; a commit has no other figures, and is shown with those of the last barrier.
ProgressLine line_of(const ProgressEvent& event, double seconds) {
  ProgressLine line(seconds);
  if (event.kind == ProgressEvent::Kind::started) return line.text(ProgressRank::quality, "columns scanned");
  const bool barrier = event.kind == ProgressEvent::Kind::barrier;
  const Certificate& certificate = event.certificate;
  line.number(ProgressRank::round, "round", "round", event.totals.rounds)
      .figure(ProgressRank::objective, "objective", "objective", barrier ? certificate.objective : event.objective, 8);
  if (certificate.gap >= 0 && certificate.objective > 0) {
    line.figure(ProgressRank::quality, "relative_gap", barrier ? "gap" : "gap (last barrier)", certificate.relative_gap,
                3)
        .number(ProgressRank::figure, "nonzeros", "nonzeros", certificate.nonzeros, true);
  }
  return line.rate("updates_per_second", "updates/s",
                   seconds > 0 ? static_cast<double>(event.totals.updates) / seconds : 0);
}

/// Of the terminal that stderr is: it may have been resized since the last line.
std::size_t terminal_columns() {
  constexpr std::size_t kUsual = 80;
  winsize size{};
  if (::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
  const char* const told = std::getenv("COLUMNS");
  const unsigned long columns = told == nullptr ? 0 : std::strtoul(told, nullptr, 10);
  return columns > 0 ? columns : kUsual;
}

}  // namespace

ProgressPrinter::ProgressPrinter(bool live, Write write, Line line, Columns columns)
    : live_(live),
      write_(std::move(write)),
      line_(line ? std::move(line) : line_of),
      columns_(std::move(columns)),
      next_(live ? 0 : 1) {}

ProgressPrinter ProgressPrinter::for_stderr(bool quiet, Line line) {
  const auto write = [](std::string_view text) {
    std::fwrite(text.data(), 1, text.size(), stderr);
    std::fflush(stderr);
  };
  // A terminal that cannot clear a line (TERM=dumb) gets plain ones, which have to fit as well.
  const bool fits = ::isatty(STDERR_FILENO) == 1;
  ProgressPrinter printer(stderr_is_live(), write, std::move(line), fits ? terminal_columns : Columns());
  printer.quiet_ = quiet;
  if (logs_json()) printer.next_ = 0;
  return printer;
}

void ProgressPrinter::show(const ProgressEvent& event, double seconds) {
  show([&] { return line_(event, seconds); }, &event, seconds);
}

void ProgressPrinter::show_line(const std::function<ProgressLine()>& line, double seconds) {
  show(line, nullptr, seconds);
}

void ProgressPrinter::show(const std::function<ProgressLine()>& line, const ProgressEvent* event, double seconds) {
  if (quiet_ || seconds < next_) return;
  if (logs_json()) {
    log_progress(line(), event);
    next_ = seconds + kEventInterval;
    return;
  }
  // The last column stays free: terminals differ in where the cursor is behind it.
  const std::string text = columns_ ? line().within(columns_() - 1) : line().text();
  if (live_) {
    write_("\r\033[K" + text);
    line_open_ = true;
    next_ = seconds + kLiveInterval;
    return;
  }
  if (!text.empty()) write_(text + "\n");
  // 1, 2, 4, 8 ... seconds: a short run says little, a long one does not fill the terminal.
  while (next_ <= seconds) {
    next_ += interval_;
    interval_ = std::min(2 * interval_, kPlainIntervalMax);
  }
}

void ProgressPrinter::finish() {
  if (line_open_) write_("\r\033[K");
  line_open_ = false;
}

}  // namespace strads
