// Layout, little-endian: magic (8 characters), version (u32), 0 (u32), length of the content (u64), XXH3-64 of the
// content (u64), content.
#include <bit>
#include <cstring>

#include "data/files/atomic_file.hpp"
#include "program/output/read_file.hpp"
#include "program/run/signals.hpp"
#include "strads/base/hash.hpp"
#include "strads/program/run.hpp"

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
  auto file = read_whole_file(path);
  if (!file.ok()) return file.status();
  std::string& bytes = file.value();
  Header header{};
  if (bytes.size() < sizeof header || bytes.compare(0, kMagicSize, magic) != 0) {
    return Status::input(path + ": not a file of the kind '" + std::string(magic) +
                         "'; was it written by this program?");
  }
  const std::string advice = remedy.empty() ? "" : "; " + std::string(remedy);
  std::memcpy(&header, bytes.data(), sizeof header);
  if (header.version != version) {
    return Status::input(path + ": version " + std::to_string(header.version) + ", expected " +
                         std::to_string(version) + (advice.empty() ? "" : advice + " with this release"));
  }
  const auto found = bytes.size() - sizeof header;
  if (header.length != found) {
    return Status::input(path + ": " + std::to_string(found) + " bytes after the header, expected " +
                         std::to_string(header.length) + "; the file was cut short or something was appended");
  }
  bytes.erase(0, sizeof header);
  if (header.zero != 0 || checksum_of(bytes) != header.checksum) {
    return Status::input(path + ": the checksum does not match, the file is damaged" + advice);
  }
  return std::move(bytes);
}

}  // namespace strads
