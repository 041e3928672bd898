#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include "strads/engine/progress.hpp"
#include "strads/program/program.hpp"
#include "strads/program/progress_printer.hpp"

namespace strads {
namespace {

constexpr double kLiveInterval = 0.1;     // seconds between two drawings of the live line
constexpr double kPlainIntervalMax = 60;  // seconds between two plain lines, late in a run

std::string seconds_text(double seconds) {
  char buffer[32];
  std::snprintf(buffer, sizeof buffer, "%.1f", seconds);
  return buffer;
}

/// The objective is that of the event; a commit has no other figures, and is shown with those of the last barrier.
std::string line_of(const ProgressEvent& event, double seconds) {
  if (event.kind == ProgressEvent::Kind::started) return seconds_text(seconds) + " s  columns scanned";
  const bool barrier = event.kind == ProgressEvent::Kind::barrier;
  const Certificate& certificate = event.certificate;
  const double rate = seconds > 0 ? static_cast<double>(event.totals.updates) / seconds : 0;
  std::string line = seconds_text(seconds) + " s  round " + std::to_string(event.totals.rounds) + "  objective " +
                     short_text(barrier ? certificate.objective : event.objective, 8);
  if (certificate.gap >= 0 && certificate.objective > 0) {
    line += std::string(barrier ? "  " : "  at the last barrier: ") + "gap " + short_text(certificate.relative_gap, 3) +
            ", nonzeros " + std::to_string(certificate.nonzeros);
  }
  return line + "  " + short_text(rate, 3) + " updates/s";
}

}  // namespace

ProgressPrinter::ProgressPrinter(bool live, Write write, Line line)
    : live_(live), write_(std::move(write)), line_(line ? std::move(line) : line_of), next_(live ? 0 : 1) {}

ProgressPrinter ProgressPrinter::for_stderr(bool quiet, Line line) {
  if (quiet)
    return ProgressPrinter(
        false, [](std::string_view) {}, std::move(line));
  return ProgressPrinter(
      ::isatty(STDERR_FILENO) == 1,
      [](std::string_view text) {
        std::fwrite(text.data(), 1, text.size(), stderr);
        std::fflush(stderr);
      },
      std::move(line));
}

void ProgressPrinter::show(const ProgressEvent& event, double seconds) {
  write_line([&] { return line_(event, seconds); }, seconds);
}

void ProgressPrinter::show_text(const std::function<std::string()>& text, double seconds) {
  write_line([&] { return seconds_text(seconds) + " s  " + text(); }, seconds);
}

void ProgressPrinter::write_line(const std::function<std::string()>& text, double seconds) {
  if (seconds < next_) return;
  if (live_) {
    write_("\r\033[K" + text());
    line_open_ = true;
    next_ = seconds + kLiveInterval;
    return;
  }
  write_(text() + "\n");
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
