#include "data/shape/archive_shape.hpp"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <set>
#include <utility>
#include <vector>

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
  std::uint64_t offset = 0;  ///< of the first one
  char kind = 'f';
  bool swapped = false;  ///< big-endian
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
  found.offset = data;
  found.kind = head.bytes[at + 11];
  found.swapped = head.bytes[at + 10] == '>';
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

/// Calls visit(bits) for the first entries of an array, up to `bytes_max` bytes of them; of a whole number above 0
/// these are the number. False: there is none.
template <class Visit>
bool each_entry(zip_t* archive, const char* name, std::uint64_t bytes_max, Visit&& visit) {
  constexpr std::uint64_t kReadBytes = std::uint64_t{1} << 18;
  const Entries entries = entries_of(head_of(archive, name));
  if (entries.bytes == 0 || entries.bytes > sizeof(std::uint64_t) || entries.swapped) return false;
  const ZipMember member(zip_fopen(archive, (std::string(name) + ".npy").c_str(), 0));
  if (!member) return false;
  std::vector<char> buffer(kReadBytes);
  const auto fill = [&](std::uint64_t wanted) {
    std::uint64_t have = 0;
    while (have < wanted) {
      const zip_int64_t got = zip_fread(member.get(), buffer.data() + have, wanted - have);
      if (got <= 0) break;
      have += static_cast<std::uint64_t>(got);
    }
    return have;
  };
  if (entries.offset > kReadBytes || fill(entries.offset) < entries.offset) return false;
  const std::uint64_t count = std::min(entries.count, bytes_max / entries.bytes), run = kReadBytes / entries.bytes;
  for (std::uint64_t first = 0; first < count; first += run) {
    const std::uint64_t wanted = std::min(run, count - first);
    if (fill(wanted * entries.bytes) < wanted * entries.bytes) return false;
    for (std::uint64_t k = 0; k < wanted; ++k) {
      std::uint64_t value = 0;  // little-endian, as the library is
      std::memcpy(&value, buffer.data() + k * entries.bytes, entries.bytes);
      visit(value);
    }
  }
  return true;
}

/// How many different numbers below `lines` an array has; where nobody can tell, as many as there can be.
std::uint64_t count_different(zip_t* archive, const char* name, std::uint64_t lines, std::uint64_t entries,
                              std::uint64_t bytes_max) {
  std::vector<std::uint64_t> found;
  std::vector<bool> seen(lines <= 8 * entries + 65536 ? lines : 0);  // else entries are fewer bytes
  const bool known = each_entry(archive, name, bytes_max, [&](std::uint64_t line) {
    if (line >= lines) return;
    if (seen.empty()) {
      found.push_back(line);
    } else {
      seen[line] = true;
    }
  });
  if (!known) return std::min(lines, entries);
  if (!seen.empty()) return static_cast<std::uint64_t>(std::count(seen.begin(), seen.end(), true));
  std::sort(found.begin(), found.end());
  return static_cast<std::uint64_t>(std::unique(found.begin(), found.end()) - found.begin());
}

/// How many lines have entries, from the offsets at which they begin.
std::uint64_t count_filled(zip_t* archive, std::uint64_t lines, std::uint64_t entries, std::uint64_t bytes_max) {
  std::uint64_t count = 0, last = 0;
  const bool known = each_entry(archive, "indptr", bytes_max, [&](std::uint64_t offset) {
    count += offset > last ? 1 : 0;
    last = offset;
  });
  return known ? count : std::min(lines, entries);
}

/// Whether an array begins with few different values: so few that a code of a byte stands for each.
bool has_few_values(zip_t* archive) {
  constexpr std::size_t kLevelsMax = 256, kBytes = std::size_t{400} << 10;
  std::set<std::uint64_t> levels;
  const bool known = each_entry(archive, "data", kBytes, [&](std::uint64_t bits) {
    if (levels.size() <= kLevelsMax) levels.insert(bits);
  });
  return known && levels.size() <= kLevelsMax;
}

/// 0: it counts nothing.
std::uint64_t length_from(double value) {
  constexpr double kExact = 9007199254740992.0;  // 2^53
  return value >= 0 && value <= kExact ? static_cast<std::uint64_t>(value) : 0;
}

}  // namespace

Result<ArchiveShape> look_at_archive(std::string_view bytes, const std::string& path) {
  const Status none = Status::input(path + ": no sparse matrix as written by scipy.sparse.save_npz");
  const auto opened = open_zip(bytes, path);
  if (!opened.ok()) return none;
  const ZipArchive& archive = opened.value();
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

RatingEntries look_at_ratings(std::string_view bytes, const ArchiveShape& shape, std::uint64_t bytes_max) {
  const auto opened = open_zip(bytes, "");
  if (!opened.ok()) return {};
  const ZipArchive& archive = opened.value();
  RatingEntries found;
  found.has_levels = has_few_values(archive.get());
  const auto different = [&](const char* name, std::uint64_t lines) {
    return count_different(archive.get(), name, lines, shape.entries, bytes_max);
  };
  const auto filled = [&](std::uint64_t lines) { return count_filled(archive.get(), lines, shape.entries, bytes_max); };
  const bool coo = shape.format == "coo";
  found.rows = shape.format == "csr" ? filled(shape.rows) : different(coo ? "row" : "indices", shape.rows);
  found.columns = shape.format == "csc" ? filled(shape.columns) : different(coo ? "col" : "indices", shape.columns);
  return found;
}

}  // namespace strads::data
