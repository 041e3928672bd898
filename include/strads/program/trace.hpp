// The rows of trace.csv.
// Layer: program. Programs (apps/*) see these services and nothing of Boost, spdlog or JSON.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "strads/engine/phase.hpp"
#include "strads/program/live_files.hpp"

namespace strads {

struct ProgressEvent;  // strads/engine/progress.hpp

/// The rows of trace.csv: every barrier, and of the commits an even selection that stays under a few thousand; or what
/// the program says.
class Trace {
 public:
  /// A program's own table.
  struct Columns {
    std::string header;  ///< names separated by commas
    /// The fields of a row, separated by commas; "": this event has none.
    std::function<std::string(const ProgressEvent& event, double seconds)> row;
  };
  Trace() = default;
  explicit Trace(Columns columns) : columns_(std::move(columns)) {}

  void record(const ProgressEvent& event, double seconds);
  /// Header and rows. Numbers read back as the same bits.
  [[nodiscard]] std::string csv() const;
  /// The last row that is no commit's, under the names of csv(): header and row. Both "": there was none.
  [[nodiscard]] std::pair<std::string_view, std::string_view> last_barrier() const;
  /// Shows the rows to come in the file `name`, also those that are left out of csv() when there are many more, and the
  /// last that is no commit's as status.json.
  void show(std::shared_ptr<LiveFiles> files, std::string name);

 private:
  struct Row {
    bool barrier = false;
    std::uint64_t commit = 0;  ///< number among the commits seen
    std::string line;
  };
  [[nodiscard]] std::string_view header() const;
  void keep(bool barrier, std::string line);

  Columns columns_;
  std::shared_ptr<LiveFiles> shown_;
  std::string shown_name_;
  std::vector<Row> rows_;
  std::uint64_t commits_ = 0;
  std::uint64_t commits_kept_ = 0;
  std::uint64_t stride_ = 1;
  Certificate last_;
  std::string last_barrier_;
};

}  // namespace strads
