// Dense arrays of any order and number type to columns of floats, doubles or bytes. Layer: data.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "data/formats/npy.hpp"
#include "strads/base/status.hpp"
#include "strads/data/dataset.hpp"

namespace strads::data {

/// Columns copied out of an array: exactly one of the vectors is used.
struct CopiedColumns {
  std::vector<float> f32;        ///< kept rows x columns, when the entries are float32
  std::vector<std::int8_t> i8;   ///< the same for int8
  std::vector<std::uint8_t> u8;  ///< the same for uint8 and bool
  std::vector<double> f64;       ///< the same for all other types
  std::uint64_t missing_imputed = 0;
};

/// How the columns of the array are stored: its own type where that is a float or a byte, else float64.
Storage storage_of(const NpyArray& array);

/// True iff the array can be used where it lies: floats or bytes, first index fastest, aligned in the file.
bool is_column_major(const NpyArray& array);

/// True iff the array is int8 or uint8 and has nothing but 0, 1, 2 and one code for a missing call:
/// -9, -1 (where there is a 2 in int8: -1, 0, 1 are numbers), -127, -128, 127, 9 (where there is a 1 or a 2), the same
/// bytes as uint8. `done` as below. Cost: one pass over the bytes, which ends at the first entry that is no call.
bool has_missing_calls(const NpyArray& array, const std::function<void(std::uint64_t)>& done);

/// True iff every entry is a finite number, and no missing call. REQUIRES: is_column_major.
/// A column-major file whose dropped rows hold NaN cannot be used in place either: 0 times NaN is NaN.
/// `done(bytes)` is called now and then with the bytes of `data` that were read. Cost: one pass at memory speed.
bool all_finite(const NpyArray& array, const std::function<void(std::uint64_t)>& done);

/// Copies the kept rows into columns.
///   array: n x J; kept: n flags; missing_mean: NaN becomes the mean of the column's other kept entries, weighted where
///   there are `weights` (one per kept row)
/// Errors: inf or, without missing_mean, NaN in a kept row, with row and column from 1; a missing call in one, since
/// bytes hold none; strings.
Result<CopiedColumns> copy_columns(const NpyArray& array, std::span<const std::uint8_t> kept, bool missing_mean,
                                   const std::string& path, bool missing_stays = false,
                                   std::span<const double> weights = {});

}  // namespace strads::data
