// Layout, little-endian: magic (8 characters), version (u32), 0 (u32), length of the content (u64), XXH3-64 of the
// content (u64), content.
#include "strads/program/sealed_file.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <limits>
#include <memory>
#include <optional>
#include <span>

#include "data/files/atomic_file.hpp"
#include "data/files/memory_limit.hpp"
#include "program/process/signals.hpp"
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

/// Up to so many bytes, and one more if there is one; nothing: they cannot be read. Memory is taken for what has come:
/// a pipe may promise more than it has.
std::optional<std::string> read_content(std::FILE& file, std::uint64_t length) {
  std::string bytes;
  constexpr std::size_t kPiece = std::size_t{1} << 20;
  while (bytes.size() <= length) {
    const std::size_t before = bytes.size();
    const std::uint64_t wanted = length - before + (length < std::numeric_limits<std::uint64_t>::max() ? 1 : 0);
    const auto piece = static_cast<std::size_t>(std::min<std::uint64_t>(std::max(kPiece, before), wanted));
    bytes.resize(before + piece);
    const std::size_t count = std::fread(bytes.data() + before, 1, piece, &file);
    bytes.resize(before + count);
    if (std::ferror(&file) != 0) return std::nullopt;
    if (count < piece) break;
  }
  return bytes;
}

}  // namespace

Status write_sealed_file(const std::string& path, std::string_view magic, std::uint32_t version,
                         std::string_view content) {
  return write_sealed_file(path, magic, version, [content](const PieceTaker& take) { return take(content); });
}

Status write_sealed_file(const std::string& path, std::string_view magic, std::uint32_t version,
                         const std::function<Status(const PieceTaker& take)>& make) {
  STRADS_CHECK(magic.size() == kMagicSize, "magics have eight characters");
  Header header{};
  std::memcpy(header.magic, magic.data(), kMagicSize);
  header.version = version;
  Hash64 hash;
  Status made = make([&](std::string_view piece) {
    header.length += piece.size();
    hash.update(std::as_bytes(std::span(piece.data(), piece.size())));
    return Status();
  });
  if (!made.ok()) return {made.code(), path + ": " + made.message()};
  header.checksum = hash.digest();
  const UninterruptedWrite whole;
  STRADS_ASSIGN_OR_RETURN(auto file, data::AtomicFile::create(path));
  const std::string_view front(reinterpret_cast<const char*>(&header), sizeof header);
  if (Status status = file.write(front); !status.ok()) return status;
  std::uint64_t written = 0;
  made = make([&](std::string_view piece) {
    written += piece.size();
    return file.write(piece);
  });
  if (!made.ok()) return made;
  STRADS_CHECK(written == header.length, "a content is the same each time it is made");
  return file.commit();
}

Result<std::string> read_sealed_file(const std::string& path, std::string_view magic, std::uint32_t version,
                                     std::string_view remedy) {
  STRADS_ASSIGN_OR_RETURN(auto sealed, read_sealed_file(path, magic, SealedVersions{version, version}, remedy));
  return std::move(sealed.content);
}

Result<SealedContent> read_sealed_file(const std::string& path, std::string_view magic, SealedVersions versions,
                                       std::string_view remedy) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rb"), &std::fclose);
  if (file == nullptr) return Status::input(path + ": " + std::strerror(errno));
  // The beginning says what it is and how long: nothing is read of other files, whatever their size.
  Header header{};
  const std::size_t begun = std::fread(&header, 1, sizeof header, file.get());
  if (std::ferror(file.get()) != 0) return Status::input(path + ": cannot be read: " + std::strerror(errno));
  if (begun < sizeof header || std::string_view(header.magic, kMagicSize) != magic) {
    return Status::input(path + ": not a file of the kind '" + std::string(magic) +
                         "'; was it written by this program?");
  }
  if (header.version < versions.oldest || header.version > versions.newest)
    return other_version(path, header.version, versions, remedy);
  const auto other_length = [&](const std::string& found) {
    return Status::input(path + ": " + found + " bytes after the header, expected " + std::to_string(header.length) +
                         "; the file was cut short or something was appended");
  };
  struct stat facts {};
  if (::fstat(::fileno(file.get()), &facts) != 0) return Status::input(path + ": " + std::strerror(errno));
  if (S_ISREG(facts.st_mode)) {
    const auto found = static_cast<std::uint64_t>(facts.st_size) - sizeof header;
    if (found != header.length) return other_length(std::to_string(found));
    Status fits = data::expect_memory(path, "its content takes", found, "use a machine with more");
    if (!fits.ok()) return fits;
  }
  auto bytes = read_content(*file, header.length);
  if (!bytes.has_value()) return Status::input(path + ": cannot be read: " + std::strerror(errno));
  if (bytes->size() != header.length)
    return other_length(bytes->size() > header.length ? "more" : std::to_string(bytes->size()));
  if (header.zero != 0 || checksum_of(*bytes) != header.checksum) {
    return Status::input(path + ": the checksum does not match, the file is damaged" +
                         (remedy.empty() ? "" : "; " + std::string(remedy)));
  }
  return SealedContent{header.version, std::move(*bytes)};
}

}  // namespace strads
