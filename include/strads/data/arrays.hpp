// Arrays of floats in NumPy's files: what a factorization leaves, for Python and for our own programs. Layer: data.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "strads/base/status.hpp"

namespace strads {

/// Entries in C order: the last index runs fastest.
struct FloatArray {
  std::vector<std::uint64_t> shape;
  std::vector<float> values;  ///< as many as the product of the shape
};

/// What stands before the entries in a .npy of float32 in C order: whoever writes it appends the entries themselves,
/// little-endian. A multiple of 64 bytes.
[[nodiscard]] std::string npy_header(std::span<const std::uint64_t> shape);
/// The bytes of a whole .npy.
[[nodiscard]] std::string npy_bytes(const FloatArray& array);
/// Reads a .npy of float32 or float64 in either order. NaN and infinities stay.
/// Errors: input: missing, damaged, cut off, another type.
[[nodiscard]] Result<FloatArray> read_npy(const std::string& path);

/// An array under its name in a .npz ("users": users.npy in the archive).
struct NamedArray {
  std::string name;
  FloatArray array;
};

/// The bytes of a .npz: a zip archive without compression and without times, so that equal arrays give equal bytes.
/// Errors: input, when it cannot be made (memory).
[[nodiscard]] Result<std::string> npz_bytes(std::span<const NamedArray> arrays);
/// An array of any of these types: float32, int32, or texts, which NumPy has as bytes of one length (type S).
struct NamedEntries {
  std::string name;
  std::vector<std::uint64_t> shape;
  std::variant<std::vector<float>, std::vector<std::int32_t>, std::vector<std::string>> values;  ///< in C order
};
/// The same of arrays of several types. REQUIRES: as many values as the product of the shape. Errors: as npz_bytes().
[[nodiscard]] Result<std::string> npz_of_entries(std::span<const NamedEntries> arrays);
/// Reads the arrays with these names, in this order; others may be in the file.
/// Errors: input: missing, damaged, cut off, no array of a name, another type.
[[nodiscard]] Result<std::vector<FloatArray>> read_npz(const std::string& path,
                                                       std::span<const std::string_view> names);

/// A sparse matrix by rows, as scipy's csr_matrix has it.
struct SparseRows {
  std::uint64_t width = 0;               ///< columns
  std::vector<std::uint64_t> begins{0};  ///< one more than there are rows
  std::vector<std::uint32_t> columns;    ///< of each entry; ascending in a row, each once
  std::vector<float> values;             ///< of each entry
};

/// The bytes of a .npz that scipy.sparse.load_npz reads as a csr_matrix of float32. REQUIRES: columns below 2^31.
/// Errors: as npz_bytes().
[[nodiscard]] Result<std::string> sparse_rows_bytes(const SparseRows& matrix);
/// Reads such a file back. Errors: as read_npz(); it is no such matrix.
[[nodiscard]] Result<SparseRows> read_sparse_rows(const std::string& path);

}  // namespace strads
