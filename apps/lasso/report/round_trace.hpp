// The file of --trace-rounds: which variables each round took, and what became of them. docs/OUTPUT.md.
#pragma once

#include <string>
#include <utility>

#include "strads/engine/rounds.hpp"
#include "strads/program/result_files.hpp"

namespace strads::lasso {

/// Rows go to a file beside the one that was asked for; it gets its name when the run has ended.
class RoundTrace {
 public:
  /// Errors: input: the file cannot be made.
  [[nodiscard]] static Result<RoundTrace> open(const std::string& path);

  /// After a failed write nothing more is written.
  void record(const RoundRecord& round);
  /// False: a write failed; finish() says why.
  [[nodiscard]] bool ok() const { return outcome_.ok(); }
  /// Call once, at the end. Errors: input: what could not be written, also of earlier rows.
  [[nodiscard]] Status finish();

 private:
  explicit RoundTrace(ResultWriter file) : file_(std::move(file)) {}
  void write_out();

  ResultWriter file_;
  std::string rows_;  ///< not written yet
  Status outcome_;
};

/// The rows of one round, a line for each block.
[[nodiscard]] std::string round_rows(const RoundRecord& round);

}  // namespace strads::lasso
