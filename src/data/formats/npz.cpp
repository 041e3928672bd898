#include "data/formats/npz.hpp"

#include <cmath>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "data/files/memory_limit.hpp"
#include "data/files/zip_archive.hpp"
#include "data/formats/npy.hpp"
#include "data/text/text.hpp"

namespace strads::data {

namespace {

constexpr const char* kLessEntries = "leave columns out, or use a larger machine";

// An array of the archive together with the bytes that it lies in.
struct OwnedArray {
  std::unique_ptr<const std::string> bytes;
  NpyArray array;
};

Result<OwnedArray> read_array(zip_t* archive, const std::string& name, std::uint64_t file_size, const std::string& path,
                              std::uint64_t memory) {
  const std::string where = path + " (" + name + ".npy)";
  STRADS_ASSIGN_OR_RETURN(const auto member,
                          open_member(archive, name + ".npy", file_size, where,
                                      path + ": holds no array " + in_quotes(name) +
                                          ", expected a sparse matrix as written by scipy.sparse.save_npz"));
  Status fits = expect_memory(where, "unpacked, the array takes", member.size, kLessEntries, memory);
  if (!fits.ok()) return fits;
  STRADS_ASSIGN_OR_RETURN(auto read, read_member(member, where));
  auto bytes = std::make_unique<const std::string>(std::move(read));
  STRADS_ASSIGN_OR_RETURN(auto array, parse_npy(*bytes, where));
  return OwnedArray{std::move(bytes), std::move(array)};
}

// The text of a 0-d string array: b'csr' or 'csr'.
std::string text_of(const NpyArray& array) {
  std::string out;
  const std::uint64_t step = array.kind == 'U' ? 4 : 1;
  for (std::uint64_t i = 0; i < array.data.size() && array.data[i] != '\0' && out.size() < 16; i += step) {
    out += array.data[i];
  }
  return out;
}

// Whole numbers of an array as u64; negative ones are errors.
Result<std::vector<std::uint64_t>> counts_of(const NpyArray& array, const std::string& where) {
  std::vector<std::uint64_t> out(array.count);
  std::uint64_t negative = array.count;
  const bool known =
      array.kind != 'f' && array.kind != 'b' && array.shape.size() == 1 && with_loader(array, [&](auto load) {
        for (std::uint64_t k = 0; k < array.count; ++k) {
          // NOLINTNEXTLINE(bugprone-signed-char-misuse): a number, not a character
          const auto value = static_cast<std::int64_t>(load(array.data, k));
          if (value < 0) negative = std::min(negative, k);
          out[k] = static_cast<std::uint64_t>(value);
        }
      });
  if (!known) return Status::input(where + ": " + type_name(array) + ", expected a list of int32 or int64");
  if (negative < array.count) {
    return Status::input(where + ": entry " + std::to_string(negative + 1) + " is negative, expected >= 0");
  }
  return out;
}

Status check_offsets(std::span<const std::uint64_t> offsets, std::uint64_t lines, std::uint64_t entries,
                     const std::string& path) {
  if (offsets.size() != lines + 1) {
    return Status::input(path + " (indptr.npy): " + std::to_string(offsets.size()) + " offsets, expected " +
                         std::to_string(lines + 1));
  }
  if (offsets.front() != 0 || offsets.back() != entries) {
    return Status::input(path + " (indptr.npy): runs from " + std::to_string(offsets.front()) + " to " +
                         std::to_string(offsets.back()) + ", expected 0 to " + std::to_string(entries));
  }
  for (std::uint64_t k = 0; k + 1 < offsets.size(); ++k) {
    if (offsets[k] > offsets[k + 1]) {
      return Status::input(path + " (indptr.npy): offset " + std::to_string(k + 2) + " is smaller than the one before");
    }
  }
  return {};
}

Status read_values(const NpyArray& array, const std::string& path, SparseEntries& out) {
  out.values.resize(array.count);
  out.single_precision = array.is('f', 4);
  const bool numbers = with_loader(array, [&](auto load) {
    for (std::uint64_t k = 0; k < array.count; ++k) out.values[k] = static_cast<double>(load(array.data, k));
  });
  if (!numbers) return Status::input(path + " (data.npy): " + type_name(array) + ", expected float32 or float64");
  for (std::uint64_t k = 0; k < out.values.size(); ++k) {
    if (std::isinf(out.values[k])) {
      return Status::input(path + " (data.npy): entry " + std::to_string(k + 1) +
                           " is infinite, expected a finite number");
    }
  }
  return {};
}

// The number of the row or column that each entry lies in, from the offsets of its lines.
std::vector<std::uint32_t> lines_of(std::span<const std::uint64_t> offsets) {
  std::vector<std::uint32_t> out(offsets.back());
  for (std::uint64_t line = 0; line + 1 < offsets.size(); ++line) {
    for (std::uint64_t e = offsets[line]; e < offsets[line + 1]; ++e) out[e] = static_cast<std::uint32_t>(line);
  }
  return out;
}

/// `bytes`: of the arrays of entries.
Status check_shape(std::span<const std::uint64_t> shape, std::uint64_t bytes, const std::string& path) {
  if (shape.size() != 2 || shape[0] == 0 || shape[1] == 0) {
    return Status::input(path + " (shape.npy): expected two sizes of at least one: rows, columns");
  }
  if (shape[0] > kRowsMax) {
    return Status::input(path + " (shape.npy): " + std::to_string(shape[0]) + " rows, expected at most " +
                         std::to_string(kRowsMax));
  }
  if (shape[1] > columns_max(bytes)) {
    return Status::input(path + " (shape.npy): " + std::to_string(shape[1]) + " columns, " + expected_columns(bytes));
  }
  return {};
}

void note_missing(SparseEntries& entries) {
  for (std::uint64_t e = 0; e < entries.values.size(); ++e) {
    if (std::isnan(entries.values[e])) {
      entries.missing.push_back({entries.rows[e], 0, std::uint64_t{entries.columns[e]} + 1});
    }
  }
}

}  // namespace

bool is_zip(std::string_view bytes) {
  const std::string_view start = bytes.substr(0, 4);
  return start == std::string_view("PK\x03\x04", 4) || start == std::string_view("PK\x05\x06", 4);
}

Result<SparseEntries> parse_npz(std::string_view bytes, const std::string& path, std::uint64_t memory) {
  STRADS_ASSIGN_OR_RETURN(const auto archive, open_zip(bytes, path));
  std::vector<OwnedArray> arrays;  // in the order of the names below
  for (const char* name : {"format", "shape", "data", "indices", "indptr"}) {
    STRADS_ASSIGN_OR_RETURN(auto array, read_array(archive.get(), name, bytes.size(), path, memory));
    arrays.push_back(std::move(array));
    const std::string format = arrays.size() == 1 ? text_of(arrays[0].array) : "csr";
    if (format != "csr" && format != "csc") {
      return Status::input(path + ": sparse format " + in_quotes(format) +
                           ", expected csr or csc; convert with .tocsc()");
    }
  }
  const bool by_column = text_of(arrays[0].array) == "csc";
  STRADS_ASSIGN_OR_RETURN(const auto shape, counts_of(arrays[1].array, path + " (shape.npy)"));
  std::uint64_t unpacked = 0;
  for (const OwnedArray& array : arrays) unpacked += array.bytes->size();
  if (Status status = check_shape(shape, unpacked, path); !status.ok()) return status;
  // Besides the arrays, which are there: indices, values, numbers of rows and columns. When columns are made of them
  // the arrays and the indices are gone, which is as much.
  constexpr std::uint64_t kBytesOfAnEntry = 8 + 8 + 4 + 4;
  if (Status fits =
          expect_memory(path, "its entries take", arrays[2].array.count * kBytesOfAnEntry, kLessEntries, memory);
      !fits.ok()) {
    return fits;
  }
  STRADS_ASSIGN_OR_RETURN(const auto indices, counts_of(arrays[3].array, path + " (indices.npy)"));
  STRADS_ASSIGN_OR_RETURN(const auto offsets, counts_of(arrays[4].array, path + " (indptr.npy)"));
  SparseEntries out;
  out.row_count = shape[0];
  out.column_count = shape[1];
  if (Status status = read_values(arrays[2].array, path, out); !status.ok()) return status;
  if (indices.size() != out.values.size()) {
    return Status::input(path + ": " + std::to_string(indices.size()) + " indices for " +
                         std::to_string(out.values.size()) + " values, expected one each");
  }
  const std::uint64_t lines = by_column ? out.column_count : out.row_count;
  const std::uint64_t limit = by_column ? out.row_count : out.column_count;
  if (Status status = check_offsets(offsets, lines, out.values.size(), path); !status.ok()) return status;
  auto& across = by_column ? out.rows : out.columns;
  across.reserve(indices.size());
  for (const std::uint64_t index : indices) {
    if (index >= limit) {
      return Status::input(path + " (indices.npy): index " + std::to_string(index) + ", expected less than " +
                           std::to_string(limit));
    }
    across.push_back(static_cast<std::uint32_t>(index));
  }
  (by_column ? out.columns : out.rows) = lines_of(offsets);
  note_missing(out);
  return out;
}

}  // namespace strads::data
