// Files that are there whole or not at all.
// Layer: program. Programs (apps/*) see these services and nothing of Boost, spdlog or JSON.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "strads/base/status.hpp"

namespace strads {

/// Writes a file under a temporary name and renames it: readers see the old file or the whole new one. A second SIGINT
/// waits for the rename. Errors: input, with the path and the system's reason.
[[nodiscard]] Status write_file(const std::string& path, std::string_view content);

/// A whole file as one string. Errors: input, with the path and the system's reason.
[[nodiscard]] Result<std::string> read_file(const std::string& path);

/// A long result that is written piece by piece: a file that appears under its name when it is complete, or stdout.
class ResultWriter {
 public:
  /// "": stdout. Errors: input, with the path and the system's reason.
  [[nodiscard]] static Result<ResultWriter> open(const std::string& path);
  ~ResultWriter();
  ResultWriter(ResultWriter&&) noexcept;
  ResultWriter& operator=(ResultWriter&&) noexcept;

  [[nodiscard]] Status write(std::string_view piece);
  /// Everything is there: call once, at the end. Without it a file is never seen.
  [[nodiscard]] Status commit();

 private:
  struct State;
  ResultWriter();
  std::unique_ptr<State> state_;
};

}  // namespace strads
