/// \file
/// What a run shows of itself on disk while it goes on. Layer: program.
#pragma once

#include <memory>
#include <string>
#include <string_view>

namespace strads {

/// The last row of trace.csv that tells of a barrier (of a sweep), while the run goes on.
inline constexpr const char* kStatusFile = "status.json";

/// Files that grow. What is given to them is written within a second, by a thread of its own; it outlives the process
/// (kill -9), not the machine's power. A file that cannot be written is given up silently: the run writes it
/// whole at its end, and says then what is in the way. Safe to call from any thread.
class LiveFiles {
 public:
  /// In the folder, which is there and holds none of these files. Starts the thread.
  explicit LiveFiles(const std::string& folder);
  /// finish().
  ~LiveFiles();
  LiveFiles(const LiveFiles&) = delete;
  LiveFiles& operator=(const LiveFiles&) = delete;

  void append(const std::string& name, std::string_view text);
  /// status.json becomes a row of a table: `header` and `row` have the same number of fields, separated by commas.
  void show_status(std::string_view header, std::string_view row);
  /// Writes what was told so far.
  void flush();
  /// flush(), and nothing is written any more.
  void finish();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// {"name": value, ...} of a row: what is no number stands in quotes, what is empty is null.
[[nodiscard]] std::string json_of_row(std::string_view header, std::string_view row);

}  // namespace strads
