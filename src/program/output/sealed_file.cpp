// Layout, little-endian: magic (8 characters), version (u32), 0 (u32), length of the content (u64), XXH3-64 of the
// content (u64), content.
#include "strads/program/sealed_file.hpp"

#include <bit>
#include <cstring>
#include <span>

#include "data/files/atomic_file.hpp"
#include "program/output/read_file.hpp"
#include "program/run/signals.hpp"
#include "strads/base/hash.hpp"

namespace strads {
namespace {

static_assert(std::endian::native == std::endian::little, "files are written as memory lies");

constexpr std::size_t kMagicSize = 8;

struct Header {
  char magic[kMagicSize];
  std::uint32_t version;
  std::uint32_t zero;
  std::uint64_t length;
  std::uint64_t checksum;
};
static_assert(sizeof(Header) == 32);

std::uint64_t checksum_of(std::string_view content) {
  return xxh3(std::as_bytes(std::span(content.data(), content.size())));
}

Status other_version(const std::string& path, std::uint32_t found, SealedVersions versions, std::string_view remedy) {
  std::string text = path + ": version " + std::to_string(found) + ", expected ";
  if (versions.oldest < versions.newest) text += std::to_string(versions.oldest) + " to ";
  text += std::to_string(versions.newest);
  if (remedy.empty()) return Status::input(text);
  if (found > versions.newest)
    text += "; use a later release, or";
  else
    text += ";";
  return Status::input(text + " " + std::string(remedy) + " with this release");
}

}  // namespace

Status write_sealed_file(const std::string& path, std::string_view magic, std::uint32_t version,
                         std::string_view content) {
  STRADS_CHECK(magic.size() == kMagicSize, "magics have eight characters");
  Header header{};
  std::memcpy(header.magic, magic.data(), kMagicSize);
  header.version = version;
  header.length = content.size();
  header.checksum = checksum_of(content);
  // In two pieces: contents may be long.
  const UninterruptedWrite whole;
  auto file = data::AtomicFile::create(path);
  if (!file.ok()) return file.status();
  const std::string_view front(reinterpret_cast<const char*>(&header), sizeof header);
  if (Status status = file.value().write(front); !status.ok()) return status;
  if (Status status = file.value().write(content); !status.ok()) return status;
  return file.value().commit();
}

Result<std::string> read_sealed_file(const std::string& path, std::string_view magic, std::uint32_t version,
                                     std::string_view remedy) {
  auto sealed = read_sealed_file(path, magic, SealedVersions{version, version}, remedy);
  if (!sealed.ok()) return sealed.status();
  return std::move(sealed.value().content);
}

Result<SealedContent> read_sealed_file(const std::string& path, std::string_view magic, SealedVersions versions,
                                       std::string_view remedy) {
  auto file = read_whole_file(path);
  if (!file.ok()) return file.status();
  std::string& bytes = file.value();
  Header header{};
  if (bytes.size() < sizeof header || bytes.compare(0, kMagicSize, magic) != 0) {
    return Status::input(path + ": not a file of the kind '" + std::string(magic) +
                         "'; was it written by this program?");
  }
  std::memcpy(&header, bytes.data(), sizeof header);
  if (header.version < versions.oldest || header.version > versions.newest)
    return other_version(path, header.version, versions, remedy);
  const auto found = bytes.size() - sizeof header;
  if (header.length != found) {
    return Status::input(path + ": " + std::to_string(found) + " bytes after the header, expected " +
                         std::to_string(header.length) + "; the file was cut short or something was appended");
  }
  bytes.erase(0, sizeof header);
  if (header.zero != 0 || checksum_of(bytes) != header.checksum) {
    return Status::input(path + ": the checksum does not match, the file is damaged" +
                         (remedy.empty() ? "" : "; " + std::string(remedy)));
  }
  return SealedContent{header.version, std::move(bytes)};
}

}  // namespace strads
