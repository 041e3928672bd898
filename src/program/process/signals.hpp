// Signals and the one thing they must not cut in two: the renaming of files. Layer: program.
#pragma once

namespace strads {

/// SIGINT, SIGTERM and SIGHUP call `handler`, and what they interrupt goes on. Terminals and the kernel (to stopped
/// children of a process that ended) send SIGHUP; where nohup has it ignored it stays so.
void handle_end_signals(void (*handler)(int));

/// While one exists, a signal that ends the process is remembered and obeyed when it ends. One at a time.
class UninterruptedWrite {
 public:
  UninterruptedWrite();
  ~UninterruptedWrite();
  UninterruptedWrite(const UninterruptedWrite&) = delete;
  UninterruptedWrite& operator=(const UninterruptedWrite&) = delete;
};

}  // namespace strads
