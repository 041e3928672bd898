// What happened, for log.txt.
// Layer: program. Programs (apps/*) see these services and nothing of Boost, spdlog or JSON.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "strads/program/live_files.hpp"

namespace strads {

/// What happened and when, kept in memory until it is written as log.txt. Thread-safe.
class Log {
 public:
  Log();
  ~Log();
  Log(const Log&) = delete;
  Log& operator=(const Log&) = delete;

  void info(std::string_view line);
  void warn(std::string_view line);
  void error(std::string_view line);
  /// All lines so far, each with local time and level.
  [[nodiscard]] std::string text() const;
  /// Shows them, and those to come, in the file `name`.
  void show(std::shared_ptr<LiveFiles> files, const std::string& name);
  /// Tells `listener` of each line to come: "info", "warning" or "error", and the line. Called on the thread that
  /// writes it; before others write.
  void tell(std::function<void(std::string_view level, std::string_view line)> listener);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace strads
