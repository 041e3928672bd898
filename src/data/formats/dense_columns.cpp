#include "data/formats/dense_columns.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <type_traits>

#include "data/formats/table.hpp"

namespace strads::data {

namespace {

constexpr std::uint64_t kBlock = 4096;  // entries checked between two looks at the answer

// True iff none of the entries [begin, end) is NaN or infinite: their exponents are all ones, so that one more in its
// last place carries into the sign. Integer sums, which compilers vectorise for every processor; comparisons of 64 bits
// they do not.
template <class T>
bool block_is_finite(std::string_view data, std::uint64_t begin, std::uint64_t end) {
  using Bits = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;
  constexpr Bits kExponent = sizeof(T) == 8 ? static_cast<Bits>(0x7ff0'0000'0000'0000) : static_cast<Bits>(0x7f80'0000);
  constexpr Bits kSign = Bits{1} << (8 * sizeof(T) - 1);
  constexpr Bits kLast = kSign - kExponent;
  Bits carries = 0;
  for (std::uint64_t k = begin; k < end; ++k) {
    carries |= static_cast<Bits>((NpyLoader<Bits>{}(data, k) & kExponent) + kLast);
  }
  return (carries & kSign) == 0;
}

template <class T>
bool all_finite_as(const NpyArray& array, const std::function<void(std::uint64_t)>& done) {
  std::uint64_t reported = 0;
  for (std::uint64_t k = 0; k < array.count; k += kBlock) {
    const std::uint64_t end = std::min(array.count, k + kBlock);
    if (!block_is_finite<T>(array.data, k, end)) return false;
    if (end * sizeof(T) - reported >= kReportBytes || end == array.count) done(reported = end * sizeof(T));
  }
  return true;
}

Status not_usable(const std::string& path, std::uint64_t row, std::uint64_t column, bool missing) {
  if (missing) return missing_entry(path, {static_cast<std::uint32_t>(row), 0, column + 1});
  return Status::input(path + ": row " + std::to_string(row + 1) + ", column " + std::to_string(column + 1) +
                       ": infinite, expected a finite number");
}

// What programs write where a byte has no call: -9 (PLINK 2's libraries; 247 as uint8), -1 (sgkit, scikit-allel; 255),
// -127 (bed-reader; 129), -128 and 127 (the ends of int8; 128), 9 (EIGENSTRAT).
constexpr std::array<int, 6> kNoCalls{-9, -1, -127, -128, 127, 9};

// Whether a byte stands for no call, where others are 0, 1 and 2.
bool is_no_call(std::uint8_t byte) {
  return std::any_of(kNoCalls.begin(), kNoCalls.end(),
                     [&](int code) { return byte == static_cast<std::uint8_t>(code); });
}

// What the bytes of an array are.
struct CallsSeen {
  bool others = false;    // something that is no call and no code for none
  std::uint8_t bits = 0;  // of those up to 2: bit 0 is a 1, bit 1 is a 2
  std::array<bool, kNoCalls.size()> codes{};
};

// Looks at entries [begin, end). Blocks of calls alone are plain loops over bytes, so that compilers vectorise them.
void look_at_calls(std::string_view data, std::uint64_t begin, std::uint64_t end, CallsSeen& seen) {
  const auto* const values = reinterpret_cast<const std::uint8_t*>(data.data());
  std::uint8_t most = 0, bits = 0;
  for (std::uint64_t k = begin; k < end; ++k) {
    most = std::max(most, values[k]);
    bits = static_cast<std::uint8_t>(bits | values[k]);
  }
  constexpr std::uint8_t kMostCopies = 2;
  if (most <= kMostCopies) {
    seen.bits = static_cast<std::uint8_t>(seen.bits | bits);
    return;
  }
  for (std::uint64_t k = begin; k < end; ++k) {
    const std::uint8_t byte = values[k];
    if (byte <= kMostCopies) {
      seen.bits = static_cast<std::uint8_t>(seen.bits | byte);
      continue;
    }
    const auto code =
        std::find_if(kNoCalls.begin(), kNoCalls.end(), [&](int one) { return byte == static_cast<std::uint8_t>(one); });
    if (code == kNoCalls.end()) {
      seen.others = true;
      return;
    }
    seen.codes[static_cast<std::size_t>(code - kNoCalls.begin())] = true;
  }
}

Status missing_call(const NpyArray& array, const std::string& path, std::uint64_t row, std::uint64_t column,
                    int value) {
  return Status::input(path + ": row " + std::to_string(row + 1) + ", column " + std::to_string(column + 1) + ": " +
                       std::to_string(value) + " among 0, 1 and 2 is a missing call, and " + type_name(array) +
                       " holds none; write the calls as a PLINK .bed, or as float32 with NaN and give --missing mean; "
                       "if " +
                       std::to_string(value) + " is a number, write int16");
}

// Copies kept rows. Sixteen columns at a time: a row-major array is then read by whole cache lines.
template <class T, class Load>
Status copy(const NpyArray& array, Load load, std::span<const std::uint8_t> kept, bool missing_mean, bool missing_calls,
            const std::string& path, std::vector<T>& out) {
  constexpr std::uint64_t kTile = 16;
  const std::uint64_t rows = array.shape[0];
  const std::uint64_t columns = array.shape[1];
  const auto kept_rows = static_cast<std::uint64_t>(std::count(kept.begin(), kept.end(), std::uint8_t{1}));
  const std::uint64_t row_step = array.fortran ? 1 : columns;
  const std::uint64_t column_step = array.fortran ? rows : 1;
  out.resize(kept_rows * columns);
  for (std::uint64_t first = 0; first < columns; first += kTile) {
    const std::uint64_t last = std::min(columns, first + kTile);
    for (std::uint64_t i = 0, row = 0; i < rows; ++i) {
      if (kept[i] == 0) continue;
      for (std::uint64_t j = first; j < last; ++j) {
        const T value = static_cast<T>(load(array.data, i * row_step + j * column_step));
        if constexpr (std::is_floating_point_v<T>) {
          if (!std::isfinite(value) && (std::isinf(value) || !missing_mean)) {
            return not_usable(path, i, j, std::isnan(value));
          }
        }
        if constexpr (sizeof(T) == 1) {
          if (missing_calls && is_no_call(static_cast<std::uint8_t>(value))) {
            return missing_call(array, path, i, j, value);
          }
        }
        out[j * kept_rows + row] = value;
      }
      ++row;
    }
  }
  return {};
}

}  // namespace

Storage storage_of(const NpyArray& array) {
  if (array.is('f', 4)) return Storage::dense_f32;
  if (array.is('i', 1)) return Storage::dense_i8;
  if (array.is('u', 1) || array.is('b', 1)) return Storage::dense_u8;
  return Storage::dense_f64;
}

bool is_column_major(const NpyArray& array) {
  const bool one_line = array.shape[0] == 1 || array.shape[1] == 1;
  const bool as_it_is = array.is('f', 8) || storage_of(array) != Storage::dense_f64;
  return as_it_is && (array.fortran || one_line) && array.data_offset % array.item_size == 0;
}

bool has_missing_calls(const NpyArray& array, const std::function<void(std::uint64_t)>& done) {
  if (!array.is('i', 1) && !array.is('u', 1)) return false;
  CallsSeen seen;
  std::uint64_t reported = 0;
  for (std::uint64_t k = 0; k < array.count; k += kBlock) {
    const std::uint64_t end = std::min(array.count, k + kBlock);
    look_at_calls(array.data, k, end, seen);
    if (seen.others) return false;  // a number among numbers
    if (end - reported >= kReportBytes || end == array.count) done(reported = end);
  }
  // Two different ones are numbers: nobody codes a missing call in two ways.
  if (std::count(seen.codes.begin(), seen.codes.end(), true) != 1) return false;
  constexpr std::uint8_t kTwo = 2;
  for (std::size_t k = 0; k < kNoCalls.size(); ++k) {
    if (!seen.codes[k]) continue;
    // -1, 0, 1 are codes of genotypes too; 0 and the largest number are a picture.
    const bool needs_two = array.kind == 'i' && kNoCalls[k] == -1;
    const bool is_call = kNoCalls[k] == -9 || (needs_two ? (seen.bits & kTwo) != 0 : seen.bits != 0);
    if (is_call) return true;
  }
  return false;
}

bool all_finite(const NpyArray& array, const std::function<void(std::uint64_t)>& done) {
  if (is_bytes(storage_of(array))) return !has_missing_calls(array, done);
  return array.item_size == 8 ? all_finite_as<double>(array, done) : all_finite_as<float>(array, done);
}

Result<CopiedColumns> copy_columns(const NpyArray& array, std::span<const std::uint8_t> kept, bool missing_mean,
                                   const std::string& path, bool missing_stays, std::span<const double> weights) {
  CopiedColumns out;
  Status status;
  const bool single = array.is('f', 4);
  const bool calls = has_missing_calls(array, [](std::uint64_t) {});
  const bool numbers = with_loader(array, [&](auto load) {
    using Value = typename decltype(load)::Value;
    if constexpr (std::is_same_v<Value, std::int8_t>) {
      status = copy(array, load, kept, missing_mean, calls, path, out.i8);
    } else if constexpr (std::is_same_v<Value, std::uint8_t>) {
      status = copy(array, load, kept, missing_mean, calls, path, out.u8);
    } else {
      status = single ? copy(array, load, kept, missing_mean, calls, path, out.f32)
                      : copy(array, load, kept, missing_mean, calls, path, out.f64);
    }
  });
  if (!numbers) return Status::input(path + ": entries are " + type_name(array) + ", expected float32 or float64");
  if (!status.ok()) return status;
  if (missing_mean && !missing_stays && !is_bytes(storage_of(array))) {
    const auto kept_rows = static_cast<std::uint64_t>(std::count(kept.begin(), kept.end(), std::uint8_t{1}));
    out.missing_imputed = single ? impute_column_means(std::span<float>(out.f32), kept_rows, weights)
                                 : impute_column_means(std::span<double>(out.f64), kept_rows, weights);
  }
  return out;
}

}  // namespace strads::data
