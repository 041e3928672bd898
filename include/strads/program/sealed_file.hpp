// A binary file with magic (8 characters), version, length and XXH3-64 checksum around its content. Layer: program.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "strads/base/status.hpp"

namespace strads {

/// As write_file(): readers see the old file or the whole new one.
[[nodiscard]] Status write_sealed_file(const std::string& path, std::string_view magic, std::uint32_t version,
                                       std::string_view content);

/// Takes pieces of a content, in order.
using PieceTaker = std::function<Status(std::string_view piece)>;
/// The same of a long content, of which nothing is kept in memory: `make` hands it over piece by piece. It is called
/// twice, first for length and checksum, which stand in front, and has to hand over the same bytes.
[[nodiscard]] Status write_sealed_file(const std::string& path, std::string_view magic, std::uint32_t version,
                                       const std::function<Status(const PieceTaker& take)>& make);

struct SealedVersions {
  std::uint32_t oldest, newest;
};
struct SealedContent {
  std::uint32_t version;
  std::string content;
};
/// `remedy`: what the message says to do about a file that is damaged or of another version; "": nothing. Errors:
/// input: not such a file, another version, cut short, damaged. No byte of the content was looked at before its
/// checksum was found right.
[[nodiscard]] Result<SealedContent> read_sealed_file(const std::string& path, std::string_view magic,
                                                     SealedVersions versions, std::string_view remedy);
/// The content of one of this version.
[[nodiscard]] Result<std::string> read_sealed_file(const std::string& path, std::string_view magic,
                                                   std::uint32_t version, std::string_view remedy);

}  // namespace strads
