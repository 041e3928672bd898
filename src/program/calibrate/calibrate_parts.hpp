// The parts of calibrate(). Layer: program.
#pragma once

#include <algorithm>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "strads/program/calibrate.hpp"
#include "strads/program/progress_printer.hpp"

namespace strads::calibration {

/// What was measured, its value in seconds, per what.
using Say = std::function<void(const std::string& what, double seconds, const char* each)>;

/// The median: predictions are compared with medians of real runs.
/// REQUIRES: not empty.
[[nodiscard]] inline double typical_of(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

/// Seconds that this process has computed: what others do on the same cores does not count. For one thread alone.
class ProcessorStopwatch {
 public:
  [[nodiscard]] double seconds() const { return now() - start_; }

 private:
  static double now();
  double start_ = now();
};

/// Seconds of one call of `work`, from `repeats` of them.
template <class Watch = Stopwatch, class Work>
double typical_seconds(int repeats, Work&& work) {
  std::vector<double> seconds;
  for (int repeat = 0; repeat < repeats; ++repeat) {
    const Watch watch;
    work();
    seconds.push_back(watch.seconds());
  }
  return typical_of(std::move(seconds));
}

void measure_work(const CalibrationOptions& options, Calibration& out, const Say& say);
/// Less of it, for columns that are stored like this.
void measure_work_shortly(std::uint64_t rows, std::string_view storage, Calibration& out);
/// Events of the engine and tasks, in memory.
void measure_events(Calibration& out, const Say& say);
/// Between two threads with a context each, as between two processes.
[[nodiscard]] Status measure_messages(Calibration& out, const Say& say);

}  // namespace strads::calibration
