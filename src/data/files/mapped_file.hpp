// A file as bytes in memory, mapped and shared with the page cache. Layer: data.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "strads/base/status.hpp"

namespace strads::data {

/// A read-only mapping of a regular file; what is no regular file (a pipe) is read into memory instead. The bytes stay
/// valid as long as the object lives. Thread-safe. Inputs must not be overwritten in place during a run: a file that is
/// shortened while mapped ends the process (SIGBUS; programs say which file it was: daemon/data_faults.hpp).
class MappedFile {
 public:
  ///   memory: bytes that what is no regular file may take; 0: what the system can still give
  /// Errors: StatusCode::input, when the file is missing, unreadable or a folder, or too large to be read into memory.
  static Result<std::shared_ptr<const MappedFile>> open(const std::string& path, std::uint64_t memory = 0);
  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  [[nodiscard]] std::string_view bytes() const noexcept { return bytes_; }
  [[nodiscard]] const std::string& path() const noexcept { return path_; }

  /// Gives the whole pages of [begin, end) back to the page cache, so that a pass over the file does not count in this
  /// process's memory. They are mapped again when touched. Cheap; no effect on the contents.
  void release(std::uint64_t begin, std::uint64_t end) const;

  /// For a process that needs parts of the file: from now on no pages of 2 MB are mapped, so that release() can take
  /// away any part and leave the others. Pages that are mapped already stay as they are: to be called before the first
  /// pass.
  void use_small_pages() const;

  /// For a file that memory cannot hold: from now on a page that is touched is read alone, without what the system
  /// would guess is wanted next (megabytes around each column, which push out others); expect() says what to read.
  void read_when_expected() const;
  /// After read_when_expected(): begins to read the pages of [begin, end) that are not in memory, without waiting.
  /// Nothing otherwise.
  void expect(std::uint64_t begin, std::uint64_t end) const;

  /// Bytes that are mapped; 0 for a file that was read into memory.
  [[nodiscard]] std::uint64_t mapped() const noexcept { return mapping_ == nullptr ? 0 : bytes_.size(); }
  /// Bytes of them in this process's memory, whole pages: what /proc/self/smaps says, since mincore() would count pages
  /// that other processes brought into the page cache. 0 where the system does not tell.
  /// Cost: the system walks all pages of this process, some ms for a few GB; not for hot loops.
  [[nodiscard]] std::uint64_t resident() const;

 private:
  explicit MappedFile(std::string path) : path_(std::move(path)) {}

  std::string path_;
  std::string_view bytes_;
  std::string read_;         // the bytes, when they could not be mapped
  void* mapping_ = nullptr;  // or null
  mutable std::once_flag small_pages_;
  mutable std::atomic<bool> expected_only_ = false;
};

/// An input for a text reader: the mapped bytes, or what they unpack to when they are gzip or zstd.
class InputFile {
 public:
  /// Errors: StatusCode::input, as MappedFile::open, gunzip and unpack_zstd.
  static Result<InputFile> open(const std::string& path);

  /// The same file with this for its bytes.
  [[nodiscard]] InputFile with_text(std::string text) const;

  [[nodiscard]] std::string_view bytes() const noexcept { return unpacked_ ? *unpacked_ : file_->bytes(); }
  [[nodiscard]] const std::string& path() const noexcept { return file_->path(); }
  /// True iff `bytes` are the file's own, mapped.
  [[nodiscard]] bool mapped() const noexcept { return unpacked_ == nullptr; }
  /// Keeps the bytes alive.
  [[nodiscard]] std::shared_ptr<const void> owner() const;
  [[nodiscard]] const std::shared_ptr<const MappedFile>& mapping() const noexcept { return file_; }

 private:
  std::shared_ptr<const MappedFile> file_;
  std::shared_ptr<const std::string> unpacked_;
};

}  // namespace strads::data
