// Writes a file so that readers see all of it or none, also after a power cut. Layer: data.
#pragma once

#include <string>
#include <string_view>

#include "data/files/unfinished_files.hpp"
#include "strads/base/status.hpp"

namespace strads::data {

/// A file that appears under its name only when it is complete. Until `commit` the bytes lie in the same folder under
/// a temporary name, which is removed when the object goes without commit (and by remove_unfinished_files()).
class AtomicFile {
 public:
  AtomicFile() = default;
  ~AtomicFile();
  AtomicFile(AtomicFile&& other) noexcept;
  AtomicFile& operator=(AtomicFile&& other) noexcept;

  /// Creates the temporary file. Errors: StatusCode::input when the folder is missing or not writable.
  static Result<AtomicFile> create(const std::string& path);

  /// Appends bytes. Errors: disk full and the like.
  Status write(std::string_view bytes);

  /// Puts the bytes on the disk, then renames the file to its name, replacing an older one, then puts the folder on
  /// the disk. Call once.
  Status commit();

 private:
  void discard() noexcept;

  std::string path_;
  std::string temporary_;  // empty: nothing to remove
  std::size_t unfinished_ = kNotNoted;
  int descriptor_ = -1;
};

/// fsync(), again where a signal has cut it off. Returns 0, or errno.
[[nodiscard]] int sync_descriptor(int descriptor);

/// Puts the entry of `path` in its folder on the disk: a new name is lost in a power cut without.
Status sync_folder_of(const std::string& path);

/// Writes a whole file atomically. Bytes may be binary. Errors as AtomicFile.
Status write_file_atomically(const std::string& path, std::string_view bytes);

}  // namespace strads::data
