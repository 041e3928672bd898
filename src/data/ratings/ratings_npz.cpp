// A .npz is a zip archive of .npy arrays. The arrays of a sparse matrix do not need each other before the end: rows,
// columns and values are unpacked side by side, a buffer at a time.
#include "data/ratings/ratings_npz.hpp"
#include "data/files/zip_archive.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <optional>
#include <vector>

#include "data/formats/npy.hpp"
#include "data/ratings/rating_lines.hpp"
#include "data/text/text.hpp"

namespace strads::data {

namespace {

constexpr std::uint64_t kBuffer = std::uint64_t{1} << 18;
constexpr std::uint64_t kSizeMax = 0xfffffffe;

/// One array of the archive, read from front to end. Each has its own handle of the archive, so that several can be
/// read at the same time.
class ArrayStream {
 public:
  ArrayStream(const InputFile& source, std::string name)
      : source_(source), where_(source.path() + " (" + name + ".npy)"), name_(std::move(name)) {}

  [[nodiscard]] const std::string& where() const noexcept { return where_; }
  /// Type and shape. REQUIRES: open() was fine.
  [[nodiscard]] const NpyArray& header() const noexcept { return header_; }

  Status open() {
    if (Status status = open_array(); !status.ok()) return status;
    return read_header();
  }

  /// All of a short text: b'csr' or 'csr'. REQUIRES: kind S or U.
  Result<std::string> text() {
    std::string bytes(header_.item_size, '\0');
    if (Status status = fill(bytes.data(), bytes.size()); !status.ok()) return status;
    std::string out;
    const std::uint64_t step = header_.kind == 'U' ? 4 : 1;
    for (std::uint64_t i = 0; i < bytes.size() && bytes[i] != '\0'; i += step) out += bytes[i];
    return out;
  }

  /// Calls visit(load, bytes, first, count) for one run of entries after another: entry first + k is load(bytes, k).
  /// Visit returns false to stop. Errors: damaged.
  template <class Visit>
  Status each_run(Visit&& visit) {
    Status status;
    const bool known = with_loader(header_, [&](auto load) {
      const std::uint64_t run = kBuffer / header_.item_size;
      std::string buffer(run * header_.item_size, '\0');
      for (std::uint64_t first = 0; first < header_.count; first += run) {
        const std::uint64_t count = std::min(run, header_.count - first);
        status = fill(buffer.data(), count * header_.item_size);
        if (!status.ok() || !visit(load, std::string_view(buffer), first, count)) return;
      }
      char more = 0;  // the read past the end is what compares the checksum
      if (zip_fread(member_.get(), &more, 1) != 0) status = Status::input(where_ + ": damaged, the checksum is wrong");
    });
    if (!known) return Status::input(where_ + ": " + type_name(header_) + ", expected numbers");
    return status;
  }

 private:
  Status open_array() {
    const std::string_view bytes = source_.bytes();
    STRADS_ASSIGN_OR_RETURN(archive_, open_zip(bytes, source_.path()));
    STRADS_ASSIGN_OR_RETURN(auto member,
                            open_member(archive_.get(), name_ + ".npy", bytes.size(), where_,
                                        source_.path() + ": holds no array " + in_quotes(name_) +
                                            ", expected a sparse matrix as written by scipy.sparse.save_npz"));
    member_ = std::move(member.file);
    size_ = member.size;
    return {};
  }

  // parse_npy wants all bytes of an array. It sees the header and untouched pages, which cost nothing: of the entries
  // it looks at the size alone.
  Status read_header() {
    constexpr std::uint64_t kStart = 10;
    pages_ = PageArray<char>(size_);
    std::uint64_t length = 0;
    if (size_ >= kStart) {
      if (Status status = fill(pages_.data(), kStart); !status.ok()) return status;
      length = static_cast<unsigned char>(pages_[8]) + 256U * static_cast<unsigned char>(pages_[9]);
    }
    if (size_ < kStart + length || !is_npy({pages_.data(), size_}) || pages_[6] != 1) {
      return Status::input(where_ + ": no .npy array of format version 1: damaged; write it again");
    }
    if (Status status = fill(pages_.data() + kStart, length); !status.ok()) return status;
    STRADS_ASSIGN_OR_RETURN(header_, parse_npy({pages_.data(), size_}, where_));
    return {};
  }

  Status fill(char* to, std::uint64_t count) {
    while (count > 0) {
      const zip_int64_t got = zip_fread(member_.get(), to, count);
      if (got <= 0) return Status::input(where_ + ": cut off or damaged; write it again");
      to += got;
      count -= static_cast<std::uint64_t>(got);
    }
    return {};
  }

  const InputFile& source_;
  std::string where_;
  std::string name_;
  ZipArchive archive_;
  ZipMember member_;  // after archive_: closed before it
  std::uint64_t size_ = 0;
  PageArray<char> pages_;
  NpyArray header_;  // its `data` is not there
};

// A whole small array, as text or as numbers.
Result<std::string> read_format(const InputFile& source) {
  ArrayStream stream(source, "format");
  if (Status status = stream.open(); !status.ok()) return status;
  const NpyArray& header = stream.header();
  if ((header.kind != 'S' && header.kind != 'U') || header.count != 1 || header.item_size > 64) {
    return Status::input(stream.where() + ": expected the name of a format: csr, csc or coo");
  }
  return stream.text();
}

bool whole_numbers(const NpyArray& array) {
  return (array.kind == 'i' || array.kind == 'u') && array.shape.size() == 1;
}

/// Calls visit(value) for every entry of an array of whole numbers below `limit`. Errors: others, with their place.
template <class Visit>
Status each_index(ArrayStream& stream, std::uint64_t limit, Visit&& visit) {
  std::optional<std::uint64_t> wrong;
  Status status = stream.each_run([&](auto load, std::string_view bytes, std::uint64_t first, std::uint64_t count) {
    for (std::uint64_t k = 0; k < count; ++k) {
      // NOLINTNEXTLINE(bugprone-signed-char-misuse): a number, not a character
      const auto value = static_cast<std::uint64_t>(load(bytes, k));  // a negative one is huge
      if (value >= limit) {
        wrong = first + k;
        return false;
      }
      visit(value);
    }
    return true;
  });
  if (!wrong) return status;
  return Status::input(stream.where() + ": entry " + std::to_string(*wrong + 1) + ", expected 0 to " +
                       std::to_string(limit - 1));
}

Status expect_indices(const ArrayStream& stream, std::uint64_t entries) {
  if (whole_numbers(stream.header()) && stream.header().count == entries) return {};
  return Status::input(stream.where() + ": " + std::to_string(stream.header().count) + " entries of " +
                       type_name(stream.header()) + ", expected " + std::to_string(entries) + " of int32 or int64");
}

// All of an array of `count` whole numbers below `limit`. REQUIRES: the stream is open.
Result<std::vector<std::uint64_t>> read_counts(ArrayStream& stream, std::uint64_t limit, std::uint64_t count) {
  if (Status status = expect_indices(stream, count); !status.ok()) return status;
  std::vector<std::uint64_t> out;
  Status status = each_index(stream, limit, [&](std::uint64_t value) { out.push_back(value); });
  if (!status.ok()) return status;
  return out;
}

class SparseReader {
 public:
  SparseReader(const InputFile& source, std::uint64_t piece_ratings)
      : source_(source), piece_ratings_(piece_ratings), data_(source, "data") {}

  Result<RatingsFile> run(Chunks& chunks, SharedProgress& progress) {
    if (Status status = read_frame(); !status.ok()) return status;
    if (Status status = open_sides(); !status.ok()) return status;
    out_.pieces = empty_pieces(data_.header().count, piece_ratings_);
    Status statuses[3];
    chunks.for_each(3, [&](std::size_t task) {
      if (task == 0) statuses[0] = read_values();
      if (task == 1) statuses[1] = read_side(Side::users);
      if (task == 2) statuses[2] = read_side(Side::items);
      progress.add(source_.bytes().size() / 3 + 1);
    });
    for (Status& status : statuses) {
      if (!status.ok()) return std::move(status);
    }
    out_.place = [path = source_.path(), size = piece_ratings_](std::size_t piece, std::uint64_t index) {
      return path + ": entry " + std::to_string(piece * size + index + 1) + ": ";
    };
    return std::move(out_);
  }

 private:
  enum class Side : std::uint8_t { users, items };

  // Format, shape, and the header of the values.
  Status read_frame() {
    out_.path = source_.path();
    out_.bytes = source_.mapping()->bytes().size();
    STRADS_ASSIGN_OR_RETURN(format_, read_format(source_));
    if (format_ != "csr" && format_ != "csc" && format_ != "coo") {
      return Status::input(out_.path + ": sparse format " + in_quotes(format_) +
                           ", expected csr, csc or coo; convert with .tocsr()");
    }
    ArrayStream sizes(source_, "shape");
    if (Status status = sizes.open(); !status.ok()) return status;
    STRADS_ASSIGN_OR_RETURN(shape_, read_counts(sizes, kSizeMax + 1, 2));
    if (Status status = data_.open(); !status.ok()) return status;
    if (data_.header().shape.size() != 1 || data_.header().kind == 'S' || data_.header().kind == 'U') {
      return Status::input(data_.where() + ": expected a list of numbers");
    }
    if (data_.header().count == 0) return Status::input(out_.path + ": holds no ratings (entries that are stored)");
    return {};
  }

  [[nodiscard]] bool compressed(Side side) const { return format_ == (side == Side::users ? "csr" : "csc"); }

  // Before the threads: libzip asks the C library for times of day when it opens an archive.
  Status open_sides() {
    for (const Side side : {Side::users, Side::items}) {
      const char* name = compressed(side) ? "indptr" : "indices";
      if (format_ == "coo") name = side == Side::users ? "row" : "col";
      sides_.push_back(std::make_unique<ArrayStream>(source_, name));
      if (Status status = sides_.back()->open(); !status.ok()) return status;
    }
    return {};
  }

  Status read_values() {
    PieceCursor cursor(out_.pieces);
    std::optional<std::uint64_t> wrong;
    constexpr auto kLargest = static_cast<double>(std::numeric_limits<float>::max());
    Status status = data_.each_run([&](auto load, std::string_view bytes, std::uint64_t first, std::uint64_t count) {
      for (std::uint64_t k = 0; k < count; ++k, cursor.next()) {
        const auto value = static_cast<double>(load(bytes, k));
        if (!(std::abs(value) <= kLargest)) {
          wrong = first + k;
          return false;
        }
        cursor.piece().values.add(static_cast<float>(value));
      }
      return true;
    });
    if (!wrong) return status;
    return Status::input(data_.where() + ": entry " + std::to_string(*wrong + 1) +
                         " is missing, infinite or too large for a float, expected a finite number");
  }

  Status read_side(Side side) {
    const std::uint64_t lines = shape_[side == Side::users ? 0 : 1];
    LineNumbers numbers(lines, data_.header().count);
    PieceCursor cursor(out_.pieces);
    const auto visit = [&](std::uint64_t line) {
      PageArray<std::uint32_t>& list = side == Side::users ? cursor.piece().users : cursor.piece().items;
      list[cursor.index()] = numbers.number(line);
      cursor.next();
    };
    ArrayStream& stream = *sides_[side == Side::users ? 0 : 1];
    Status status = compressed(side) ? read_offsets(stream, lines, visit) : read_indices(stream, lines, visit);
    (side == Side::users ? out_.users : out_.items) = numbers.table();
    return status;
  }

  template <class Visit>
  Status read_indices(ArrayStream& stream, std::uint64_t lines, Visit&& visit) {
    if (Status status = expect_indices(stream, data_.header().count); !status.ok()) return status;
    if (lines == 0) return Status::input(out_.path + ": a matrix without rows or columns holds ratings: damaged");
    return each_index(stream, lines, visit);
  }

  template <class Visit>
  Status read_offsets(ArrayStream& stream, std::uint64_t lines, Visit&& visit) {
    const std::uint64_t entries = data_.header().count;
    STRADS_ASSIGN_OR_RETURN(const auto ends, read_counts(stream, entries + 1, lines + 1));
    if (ends.front() != 0 || ends.back() != entries || !std::is_sorted(ends.begin(), ends.end())) {
      return Status::input(stream.where() + ": expected offsets from 0 to " + std::to_string(entries) +
                           " that never decrease: damaged");
    }
    for (std::uint64_t line = 0; line < lines; ++line) {
      for (std::uint64_t e = ends[line]; e < ends[line + 1]; ++e) visit(line);
    }
    return {};
  }

  const InputFile& source_;
  std::uint64_t piece_ratings_;
  ArrayStream data_;
  std::vector<std::unique_ptr<ArrayStream>> sides_;  // users, items
  std::string format_;
  std::vector<std::uint64_t> shape_;
  RatingsFile out_;
};

}  // namespace

Result<RatingsFile> read_npz_ratings(const InputFile& source, std::uint64_t piece_ratings, Chunks& chunks,
                                     SharedProgress& progress) {
  return SparseReader(source, piece_ratings).run(chunks, progress);
}

}  // namespace strads::data
