// Zip archives by libzip: owners of what it hands out, and members that are read from front to end. Layer: data.
// Private.
#pragma once

#include <zip.h>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "strads/base/status.hpp"

namespace strads::data {

/// Gives back what libzip made; what was to be written into an archive is discarded.
struct DiscardZip {
  void operator()(zip_t* archive) const { zip_discard(archive); }
  void operator()(zip_file_t* member) const { zip_fclose(member); }
  void operator()(zip_source_t* source) const { zip_source_free(source); }
};
using ZipArchive = std::unique_ptr<zip_t, DiscardZip>;
using ZipMember = std::unique_ptr<zip_file_t, DiscardZip>;
using ZipSource = std::unique_ptr<zip_source_t, DiscardZip>;

/// What libzip says about a failure, in our words.
class ZipError {
 public:
  ZipError() { zip_error_init(&error_); }
  ~ZipError() { zip_error_fini(&error_); }
  ZipError(const ZipError&) = delete;
  ZipError& operator=(const ZipError&) = delete;
  zip_error_t* get() { return &error_; }
  std::string text() { return zip_error_strerror(&error_); }

 private:
  zip_error_t error_;
};

/// An archive that lies in memory, to be read. Errors: input: there is none, or it is damaged.
Result<ZipArchive> open_zip(std::string_view bytes, const std::string& path);

/// A member that is open, and how many bytes it unpacks to.
struct OpenMember {
  ZipMember file;
  std::uint64_t size = 0;
};
///   archive_bytes: of the whole archive; no member is believed to unpack to more than these can
///   where:         for messages
///   missing:       the message where there is no such member
/// Errors: input.
Result<OpenMember> open_member(zip_t* archive, const std::string& name, std::uint64_t archive_bytes,
                               const std::string& where, const std::string& missing);

/// All of it. Errors: input: cut off or damaged.
Result<std::string> read_member(const OpenMember& member, const std::string& where);

}  // namespace strads::data
