// Dense arrays of any order and number type to columns of floats or doubles. Layer: data.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "data/npy.hpp"
#include "strads/status.hpp"

namespace strads::data {

/// Columns copied out of an array: exactly one of the vectors is used.
struct CopiedColumns {
  std::vector<float> f32;   ///< kept rows x columns, when the entries are float32
  std::vector<double> f64;  ///< the same for all other types
  std::uint64_t missing_imputed = 0;
};

/// True iff the array can be used where it lies: float32 or float64, first index fastest, aligned in the file.
bool is_column_major(const NpyArray& array);

/// True iff every entry is a finite number. REQUIRES: is_column_major.
/// A column-major file whose dropped rows hold NaN cannot be used in place either: 0 times NaN is NaN.
/// `done(bytes)` is called now and then with the bytes of `data` that were read. Cost: one pass at memory speed.
bool all_finite(const NpyArray& array, const std::function<void(std::uint64_t)>& done);

/// Copies the kept rows into columns.
///   array: n x J; kept: n flags; missing_mean: NaN becomes the mean of the column's other kept entries, weighted where
///   there are `weights` (one per kept row)
/// Errors: inf or, without missing_mean, NaN in a kept row, with row and column from 1; strings.
Result<CopiedColumns> copy_columns(const NpyArray& array, std::span<const std::uint8_t> kept, bool missing_mean,
                                   const std::string& path, bool missing_stays = false,
                                   std::span<const double> weights = {});

}  // namespace strads::data
