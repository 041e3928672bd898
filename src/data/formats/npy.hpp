// NumPy's .npy arrays, as bytes in memory. Format: numpy/lib/format.py, versions 1 to 3. Layer: data.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "data/formats/sparse_columns.hpp"
#include "strads/base/status.hpp"

namespace strads::data {

/// A parsed header and the raw entries. Owns nothing: the bytes given to `parse_npy` must outlive it.
struct NpyArray {
  char kind = 'f';              ///< f float, i signed, u unsigned, b bool, S bytes, U 4-byte characters
  std::uint64_t item_size = 8;  ///< bytes of one entry
  bool fortran = false;         ///< first index fastest
  std::vector<std::uint64_t> shape;
  std::uint64_t count = 1;        ///< product of the shape
  std::uint64_t data_offset = 0;  ///< of the entries in the file
  std::string_view data;          ///< count * item_size bytes

  [[nodiscard]] bool is(char wanted_kind, std::uint64_t size) const { return kind == wanted_kind && item_size == size; }
};

/// True iff the bytes start with \x93NUMPY.
bool is_npy(std::string_view bytes);

/// Parses a header and checks that exactly the entries follow. Errors: StatusCode::input when damaged, cut off, not
/// little-endian, or of a type that is not listed at `kind`. No allocation depends on the shape.
Result<NpyArray> parse_npy(std::string_view bytes, const std::string& path);

/// "float64", "int32": the type for messages.
std::string type_name(const NpyArray& array);

/// Calls visit(Loader) where Loader{}(bytes, k) is entry k in its own type: one call for the type, so that loops over
/// entries are plain. Returns false for strings and half floats.
template <class Visit>
bool with_loader(const NpyArray& array, Visit&& visit);

/// A 1-D array, or one column of a 2-D one, of any number type as doubles. NaN stays NaN. Errors: another shape; inf.
Result<std::vector<double>> read_npy_vector(std::string_view bytes, const std::string& path);

// --- implementation of with_loader ---

/// Reads entry k of an array of T that may lie at any address.
template <class T>
struct NpyLoader {
  using Value = T;
  T operator()(std::string_view data, std::uint64_t k) const noexcept {
    T value;
    std::memcpy(&value, data.data() + k * sizeof(T), sizeof(T));
    return value;
  }
};

template <class Visit>
bool with_loader(const NpyArray& array, Visit&& visit) {
  if (array.is('f', 8)) return visit(NpyLoader<double>{}), true;
  if (array.is('f', 4)) return visit(NpyLoader<float>{}), true;
  if (array.is('i', 8)) return visit(NpyLoader<std::int64_t>{}), true;
  if (array.is('i', 4)) return visit(NpyLoader<std::int32_t>{}), true;
  if (array.is('i', 2)) return visit(NpyLoader<std::int16_t>{}), true;
  if (array.is('i', 1)) return visit(NpyLoader<std::int8_t>{}), true;
  if (array.is('u', 8)) return visit(NpyLoader<std::uint64_t>{}), true;
  if (array.is('u', 4)) return visit(NpyLoader<std::uint32_t>{}), true;
  if (array.is('u', 2)) return visit(NpyLoader<std::uint16_t>{}), true;
  if (array.is('u', 1) || array.is('b', 1)) return visit(NpyLoader<std::uint8_t>{}), true;
  return false;
}

}  // namespace strads::data
