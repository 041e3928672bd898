// Signals and the one thing they must not cut in two: the renaming of files. Layer: program.
#pragma once

namespace strads {

/// While one exists, a signal that ends the process is remembered and obeyed when it ends. One at a time.
class UninterruptedWrite {
 public:
  UninterruptedWrite();
  ~UninterruptedWrite();
  UninterruptedWrite(const UninterruptedWrite&) = delete;
  UninterruptedWrite& operator=(const UninterruptedWrite&) = delete;
};

}  // namespace strads
