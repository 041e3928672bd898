// Where a program says what it does, and its status page looks. Layer: program.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "program/status/point_history.hpp"
#include "program/status/status_view.hpp"
#include "strads/engine/progress.hpp"
#include "strads/program/progress_printer.hpp"
#include "strads/transport/cluster.hpp"

namespace strads {

/// Safe to call from any thread; those that tell wait for those that look no longer than it takes to copy what is new.
class StatusBoard {
 public:
  static constexpr std::size_t kPointsMax = 10'000;   ///< of a single run
  static constexpr std::size_t kPointsAll = 100'000;  ///< of all runs together, unless they are more than a thousand
  static constexpr std::size_t kMessagesMax = 500;
  static constexpr double kNodesSeconds = 1;  ///< between two looks at the nodes

  explicit StatusBoard(StatusFacts facts);

  // --- who tells ---

  void note_stage(std::string_view stage, bool ready);
  /// The runs that are to come, by place.
  void expect_runs(std::vector<std::string> names);
  /// `seconds`: of solving. On one thread, as events come.
  void note_event(std::size_t run, const ProgressEvent& event, double seconds);
  void note_run_end(std::size_t run, const RunEnd& end);
  /// Whether a line or figures are due: people do not read faster.
  [[nodiscard]] bool is_due(double seconds) const { return seconds >= next_line_; }
  void note_line(std::string line, double seconds);
  /// A row of a table: names and values, each separated by commas.
  void note_figures(std::string_view header, std::string_view row);
  [[nodiscard]] bool nodes_due() const { return last_look_.seconds() >= kNodesSeconds || !looked_; }
  void note_nodes(const std::vector<NodeState>& nodes);
  void note_message(std::string_view level, std::string_view text);
  void note_end(int code, std::string reason);

  // --- who looks ---

  /// What has come after the change `after` (0: everything), as far as it is among the next `points_max` points (0: no
  /// points at all).
  [[nodiscard]] StatusView view(std::uint64_t after, std::size_t points_max) const;
  [[nodiscard]] bool is_ready() const;
  /// Number of the last change.
  [[nodiscard]] std::uint64_t number() const;
  [[nodiscard]] const StatusFacts& facts() const { return view_.facts; }

 private:
  struct Run {
    StatusRun shown;
    PointHistory history;
    std::uint64_t changed = 0;
    std::uint32_t phases = 0;
  };

  Run& run_at(std::size_t place);

  mutable std::mutex mutex_;
  StatusView view_;  ///< but for runs and messages
  std::vector<Run> runs_;
  std::deque<StatusMessage> messages_;
  std::uint64_t nodes_changed_ = 0;
  Stopwatch since_start_;

  // Of the thread that tells of events and nodes.
  std::vector<double> next_point_;  ///< by run: events before are not worth a lock
  double next_line_ = 0;
  Stopwatch last_look_;
  bool looked_ = false;
};

/// What the kernel says of this process now.
[[nodiscard]] StatusMemory memory_of_process();
/// So many random bytes of the system, in hexadecimal digits.
[[nodiscard]] std::string random_hex(std::size_t bytes);
/// For a page: who this is, from when on.
[[nodiscard]] StatusFacts facts_of_process(std::string command);

}  // namespace strads
