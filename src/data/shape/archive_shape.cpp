#include "data/shape/archive_shape.hpp"

#include <algorithm>
#include <charconv>
#include <utility>

#include "data/files/zip_archive.hpp"
#include "data/formats/npy.hpp"

namespace strads::data {
namespace {

constexpr std::size_t kHeadMax = 4096;   ///< of the header of an array; numpy writes 128 bytes or less
constexpr std::size_t kSmallMax = 4096;  ///< of shape.npy and format.npy

/// The beginning of an array of the archive, and how long all of it is.
struct Head {
  std::string bytes;
  std::uint64_t size = 0;
};

Head head_of(zip_t* archive, const char* name) {
  zip_stat_t about;
  if (zip_stat(archive, (std::string(name) + ".npy").c_str(), 0, &about) != 0) return {};
  const ZipMember member(zip_fopen_index(archive, about.index, 0));
  if (!member || (about.valid & ZIP_STAT_SIZE) == 0) return {};
  Head head{std::string(std::min<std::uint64_t>(about.size, kHeadMax), '\0'), about.size};
  const zip_int64_t count = zip_fread(member.get(), head.bytes.data(), head.bytes.size());
  head.bytes.resize(count > 0 ? static_cast<std::size_t>(count) : 0);
  return head;
}

/// Entries of an array and the bytes of one, from its first bytes.
struct Entries {
  std::uint64_t count = 0, bytes = 0;
  char kind = 'f';
};

Entries entries_of(const Head& head) {
  constexpr std::size_t kLengthAt = 8, kLengthBytes = 2;  // of version 1, as arrays of one dimension have it
  if (!is_npy(head.bytes) || head.bytes.size() < kLengthAt + kLengthBytes) return {};
  const auto byte = [&](std::size_t at) {
    return static_cast<std::uint64_t>(static_cast<unsigned char>(head.bytes[at]));
  };
  const std::uint64_t data = kLengthAt + kLengthBytes + byte(kLengthAt) + 256 * byte(kLengthAt + 1);
  const auto at = head.bytes.find("'descr': '");
  if (at == std::string::npos || at + 12 >= head.bytes.size() || head.size < data) return {};
  Entries found;
  found.kind = head.bytes[at + 11];
  const char* const digits = head.bytes.data() + at + 12;
  std::from_chars(digits, head.bytes.data() + head.bytes.size(), found.bytes);
  if (found.bytes > 0) found.count = (head.size - data) / found.bytes;
  return found;
}

std::string format_of(const Head& head) {
  for (const char* format : {"csr", "csc", "coo"}) {
    std::string wide;  // four bytes a character
    for (const char* c = format; *c != '\0'; ++c) wide += std::string(1, *c) + std::string(3, '\0');
    if (head.bytes.ends_with(format) || head.bytes.ends_with(wide)) return format;
  }
  return {};
}

/// 0: it counts nothing.
std::uint64_t length_from(double value) {
  constexpr double kExact = 9007199254740992.0;  // 2^53
  return value >= 0 && value <= kExact ? static_cast<std::uint64_t>(value) : 0;
}

}  // namespace

Result<ArchiveShape> look_at_archive(std::string_view bytes, const std::string& path) {
  const Status none = Status::input(path + ": no sparse matrix as written by scipy.sparse.save_npz");
  zip_error_t error;
  zip_error_init(&error);
  ZipSource source(zip_source_buffer_create(bytes.data(), bytes.size(), 0, &error));
  if (!source) return none;
  const ZipArchive archive(zip_open_from_source(source.get(), ZIP_RDONLY, &error));
  zip_error_fini(&error);
  if (!archive) return none;
  static_cast<void>(source.release());  // the archive's
  ArchiveShape shape;
  shape.format = format_of(head_of(archive.get(), "format"));
  const Head sizes = head_of(archive.get(), "shape");
  const auto array = sizes.size <= kSmallMax ? parse_npy(sizes.bytes, path) : Result<NpyArray>(none);
  if (shape.format.empty() || !array.ok() || array.value().count != 2) return none;
  with_loader(array.value(), [&](auto load) {
    shape.rows = length_from(static_cast<double>(load(array.value().data, 0)));
    shape.columns = length_from(static_cast<double>(load(array.value().data, 1)));
  });
  const Entries values = entries_of(head_of(archive.get(), "data"));
  const Entries indices = entries_of(head_of(archive.get(), shape.format == "coo" ? "row" : "indices"));
  shape.entries = values.count;
  shape.value_bytes = values.bytes;
  shape.value_kind = values.kind;
  shape.index_bytes = indices.bytes;
  return values.count == 0 || indices.count != values.count ? Result<ArchiveShape>(none) : shape;
}

}  // namespace strads::data
