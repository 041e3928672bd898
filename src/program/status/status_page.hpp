// What --status and --metrics-file ask for. Layer: program.
#pragma once

#include <memory>
#include <string>

#include "program/status/status_board.hpp"
#include "program/status/status_server.hpp"
#include "strads/base/status.hpp"
#include "strads/program/execution_options.hpp"

namespace strads {

/// A board, and what shows it: a server, a file of metrics at the end, or both.
class StatusPage {
 public:
  /// Says on stderr where the page is, also when all else is quiet: beyond loopback nobody else knows the token.
  /// null: nothing of this is asked for. Errors: usage: the address is none of this host, or taken; no folder for the
  /// file.
  [[nodiscard]] static Result<std::unique_ptr<StatusPage>> open(const StatusOptions& options,
                                                                const std::string& command);
  StatusPage(const StatusOptions& options, const std::string& command);
  /// Closes without a word.
  ~StatusPage();
  StatusPage(const StatusPage&) = delete;
  StatusPage& operator=(const StatusPage&) = delete;

  [[nodiscard]] StatusBoard& board() { return board_; }
  /// The last words of the page, and the file of metrics. Errors: input: the file cannot be written.
  Status finish(const Status& outcome);

 private:
  Status listen(const std::string& text);

  std::string program_, metrics_file_;
  StatusBoard board_;
  std::unique_ptr<StatusServer> server_;
};

}  // namespace strads
