// The arithmetic under columns.hpp, one table of functions per SIMD target. Layer: numerics. Pure, private.
// Every sum runs in an order fixed by (target, length): four accumulators, then lanes. No kernel allocates.
#pragma once

#include <cstddef>
#include <cstdint>

#include "strads/numerics/losses.hpp"

namespace strads {

/// Calls of one genotype column over the kept rows.
struct GenotypeCounts {
  std::uint64_t sum = 0;      ///< copies of A1: n1 + 2 n2
  std::uint64_t squares = 0;  ///< n1 + 4 n2
  std::uint64_t missing = 0;  ///< rows without a call
};

/// Sums over the kept rows where both of two genotype columns are observed. Exact.
struct GenotypeProducts {
  std::uint64_t both = 0;     ///< rows
  std::uint64_t left = 0;     ///< copies of A1 in the left column
  std::uint64_t right = 0;    ///< copies of A1 in the right column
  std::uint64_t product = 0;  ///< sum of products

  GenotypeProducts& operator+=(const GenotypeProducts& other) noexcept {
    both += other.both;
    left += other.left;
    right += other.right;
    product += other.product;
    return *this;
  }
};

/// Bit planes of a genotype column, two bits a sample, 32 samples a word, 0 at rows that are not kept.
struct GenotypePlanes {
  std::uint64_t* thermometer;  ///< low bit: x >= 1, high bit: x >= 2
  std::uint64_t* some;         ///< both bits: x >= 1
  std::uint64_t* two;          ///< both bits: x = 2
  std::uint64_t* missing;      ///< both bits: no call
};

/// Rows that a tile of gram products takes at a time, and columns of a tile: 2 x 32 x 512 doubles stay in L2.
inline constexpr std::size_t kGramRows = 512;
inline constexpr std::size_t kGramColumns = 32;
/// Lanes of the widest target.
inline constexpr std::size_t kLanesMax = 8;
/// Doubles that hold the unreduced accumulators of a tile.
inline constexpr std::size_t kGramPartials = kGramColumns * kGramColumns * kLanesMax;

/// The sums of one loss.
struct LossKernels {
  /// Fills slope and curvature; returns the loss.
  double (*terms)(const double* eta, const double* y, const double* w, double* slope, double* curvature, std::size_t n);
  /// sums += what the loss changes by at eta + step v, its derivative by the step there, and the second one.
  void (*change)(const double* eta, const double* y, const double* w, const double* v, double step, std::size_t n,
                 double* sums);
  /// Of the dual point s u, with s log s.
  double (*divergence)(const double* eta, const double* y, const double* w, double s, double s_log_s, std::size_t n);
};

/// The functions of one target. Pointers need no alignment; `n` counts rows.
/// `calls` are packed two-bit calls from a row that is a multiple of 4; bytes after the last row are not read.
struct Kernels {
  const char* name;

  double (*sum)(const double* a, std::size_t n);
  double (*dot)(const double* a, const double* b, std::size_t n);
  void (*axpy)(double alpha, const double* x, double* y, std::size_t n);

  /// sum (x_i - shift) u_i
  double (*dense_dot_f32)(const float* x, double shift, const double* u, std::size_t n);
  double (*dense_dot_f64)(const double* x, double shift, const double* u, std::size_t n);
  double (*dense_dot_i8)(const std::int8_t* x, double shift, const double* u, std::size_t n);
  double (*dense_dot_u8)(const std::uint8_t* x, double shift, const double* u, std::size_t n);
  /// v_i += alpha (x_i - shift)
  void (*dense_add_f32)(const float* x, double shift, double alpha, double* v, std::size_t n);
  void (*dense_add_f64)(const double* x, double shift, double alpha, double* v, std::size_t n);
  void (*dense_add_i8)(const std::int8_t* x, double shift, double alpha, double* v, std::size_t n);
  void (*dense_add_u8)(const std::uint8_t* x, double shift, double alpha, double* v, std::size_t n);
  /// sum (x_i - x_shift)(y_i - y_shift)
  double (*dense_pair_f32)(const float* x, double x_shift, const float* y, double y_shift, std::size_t n);
  double (*dense_pair_f64)(const double* x, double x_shift, const double* y, double y_shift, std::size_t n);
  double (*dense_pair_i8)(const std::int8_t* x, double x_shift, const std::int8_t* y, double y_shift, std::size_t n);
  double (*dense_pair_u8)(const std::uint8_t* x, double x_shift, const std::uint8_t* y, double y_shift, std::size_t n);

  /// The same of dosages of 16 bits, in copies, with `missing` for those that are missing.
  double (*dosage_dot)(const std::uint16_t* x, double missing, double shift, const double* u, std::size_t n);
  void (*dosage_add)(const std::uint16_t* x, double missing, double shift, double alpha, double* v, std::size_t n);
  double (*dosage_pair)(const std::uint16_t* x, double x_missing, double x_shift, const std::uint16_t* y,
                        double y_missing, double y_shift, std::size_t n);

  /// sum values[code_i] u_i and v_i += values[code_i]; `values` has one entry per two-bit code.
  double (*genotype_dot)(const std::uint8_t* calls, const double* values, const double* u, std::size_t n);
  void (*genotype_add)(const std::uint8_t* calls, const double* values, double* v, std::size_t n);
  /// `keep`: both bits set at kept rows, 32 rows a word, 0 after the last row.
  GenotypeCounts (*genotype_counts)(const std::uint8_t* calls, const std::uint64_t* keep, std::size_t n);
  /// With `missing` false only `product` is filled (then the other sums are the columns' own).
  GenotypeProducts (*genotype_pair)(const std::uint8_t* left, const std::uint8_t* right, const std::uint64_t* keep,
                                    std::size_t n, bool missing);
  void (*genotype_planes)(const std::uint8_t* calls, const std::uint64_t* keep, std::size_t n,
                          const GenotypePlanes& planes);
  /// The same sums from planes, over the words [begin, end).
  GenotypeProducts (*genotype_plane_pair)(const GenotypePlanes& left, const GenotypePlanes& right,
                                          const std::uint64_t* keep, std::size_t begin, std::size_t end, bool missing);

  /// partials += products of `rows` rows of up to kGramColumns x kGramColumns columns (leading dimensions in doubles).
  /// `rows` is a multiple of kGramRows but for the last call. Start from zeros.
  void (*gram_add)(const double* left, std::size_t left_stride, std::size_t left_count, const double* right,
                   std::size_t right_stride, std::size_t right_count, std::size_t rows, double* partials);
  /// The entry of columns (a, b) of the tile.
  double (*gram_entry)(const double* partials, std::size_t a, std::size_t b);

  /// By LossKind. `y`: the response as the loss has it, `w`: weights, 0 at rows that take no part; null: all 1, where
  /// y = 0 takes no part. Formulas: strads/numerics/losses.hpp.
  LossKernels losses[kLossKinds];
};

/// The table of the target chosen by choose_simd; the best one of this CPU before.
const Kernels& kernels();

}  // namespace strads
