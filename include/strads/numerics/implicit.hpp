// Arithmetic of matrix factorization for implicit feedback: rows of one side, with the other side fixed. Layer:
// numerics. Pure.
//
// Minimised over the rows w_i, given the columns h_j of the other side [Rendle 2021, 2022]:
//     sum over the observed pairs of c_ij (w_i'h_j - 1)^2 + alpha0 sum over all pairs of (w_i'h_j)^2
//     + lambda sum_i (n_i + alpha0 M)^nu ||w_i||^2
// with c_ij alpha times the confidence, n_i the observed pairs of row i, and M the number of columns. Of Hu's objective
// [Hu 2008] the second sum is alpha0 sum over all pairs of (w_i'h_j - p_ij)^2, p_ij = 1 where the pair was observed,
// else 0. All sums have a defined order: the same arguments, the same bits (docs/MODELS.md, "Implicit feedback").
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "strads/numerics/factorization.hpp"

namespace strads {

/// How a row is solved.
enum class ImplicitWay : std::uint8_t {
  exact,   ///< als: the row's minimum
  blocks,  ///< cd: `width` coordinates at once, once over the row [iALS++, Rendle 2021]
  steps    ///< cg: `steps` conjugate gradient steps from the row as it was, with alpha0 G + penalty as preconditioner
};

struct ImplicitProblem {
  std::uint32_t rank = 0;
  double lambda = 0, alpha0 = 0, nu = 1;
  std::uint64_t columns = 0;  ///< M
  ImplicitWay way = ImplicitWay::exact;
  std::uint32_t width = 8, steps = 3;
  double alpha = 1;
  bool hu = false;  ///< Hu's objective

  /// (n + alpha0 M)^nu: the penalty of a row with n pairs, without lambda.
  [[nodiscard]] double scale(std::uint64_t count) const;
};

/// Floats of a row of matrices and turned records here: the rank, rounded up to 16.
[[nodiscard]] constexpr std::size_t implicit_size(std::uint32_t rank) {
  return (std::size_t{rank} + 15) / 16 * 16;
}

/// Adds H'H of some records, which are zero from their rank on to implicit_size(rank), to `gram`, implicit_size(rank)
/// squared. Single precision sums over these records, double ones over calls: callers cut records into pieces by their
/// number alone, and add pieces in order. REQUIRES: at most some thousand records. Cost: records x rank^2 flops.
void add_to_gram(std::span<const float* const> records, std::uint32_t rank, std::span<double> gram);

/// G = V diag(values) V': in the basis V alpha0 G + r I is diagonal for every r. V is n x n, n = implicit_size(rank).
struct ImplicitBasis {
  std::vector<float> vectors;  ///< V
  std::vector<float> back;     ///< V'
  std::vector<double> values;  ///< n, none below 0
  std::vector<float> panels;   ///< of block_basis_of(): V'GV
};
/// Cost: about 10 rank^3 flops.
[[nodiscard]] ImplicitBasis basis_of(std::span<const double> gram, std::uint32_t rank);
/// The same for `blocks`, each block of `width` coordinates (the last one may have fewer) by itself: V has a block for
/// each on its diagonal, and so is V'GV diagonal there. Blocks one after the other, columns padded to 16: `vectors` and
/// `back` with a row for each coordinate of the block, `panels` with a row for each coordinate. Cost: about
/// rank width (10 width + 4 rank) flops.
[[nodiscard]] ImplicitBasis block_basis_of(std::span<const double> gram, std::uint32_t rank, std::uint32_t width);
/// basis_of() in parts, for several threads: begin_basis(); then form_basis() and rotate_basis(), in any order or at
/// once; then turn_strip() of each strip, likewise; then `basis` is that of basis_of(), to the last bit. Rows of V are
/// turned by themselves: a strip has kBasisStrip of them.
inline constexpr std::size_t kBasisStrip = 16;
[[nodiscard]] constexpr std::size_t basis_strips(std::uint32_t rank) {
  return implicit_size(rank) / kBasisStrip;
}
/// Columns `at` and `at` + 1 of V by an angle with cosine c and sine s.
struct BasisRotation {
  std::uint32_t at = 0;
  double c = 1, s = 0;
};
struct BasisWork {
  std::uint32_t rank = 0;
  double scale = 1;                    ///< by which G was divided
  std::vector<double> reflections;     ///< rank x rank: what makes G tridiagonal, then the basis in which it is
  std::vector<double> lengths;         ///< of reflections
  std::vector<double> diagonal, side;  ///< of the tridiagonal form, and beside it
  std::vector<BasisRotation> rotations;
  std::vector<std::uint32_t> order;  ///< columns by their eigenvalues, ascending
  ImplicitBasis basis;
};
/// Cost: 4/3 rank^3 flops, half of them as fast as memory is.
[[nodiscard]] BasisWork begin_basis(std::span<const double> gram, std::uint32_t rank);
/// The tridiagonal basis. Cost: 4/3 rank^3 flops.
void form_basis(BasisWork& work);
/// The rotations from there to V, as numbers. Cost: about 0.8 rank^2 rotations.
void rotate_basis(BasisWork& work);
/// Cost of all: about 5 rank^3 flops.
void turn_strip(BasisWork& work, std::size_t strip);

/// out[i] = V'records[i]: `count` rows of implicit_size(rank) floats, from records that are zero behind their rank.
/// Cost: 2 count rank^2 flops.
void turn_records(const ImplicitBasis& basis, std::uint32_t rank, const float* records, std::size_t count,
                  std::size_t stride, float* out);

/// The same in the basis of block_basis_of(). `out`: at least 16 floats longer than its rows. Cost: 2 count rank width.
void turn_blocks(const ImplicitBasis& basis, std::uint32_t rank, std::uint32_t width, const float* records,
                 std::size_t count, std::size_t stride, float* out);

/// One pass over some rows. `values` of rows: confidences, above 0. `basis`: of block_basis_of() for `blocks`, else of
/// basis_of(). `columns`: the turned records, with a stride of implicit_size(rank); for `blocks` 16 more floats can be
/// read behind each page. `before`, `after`: rows x record_stride(rank) floats; what is
/// behind the rank is set to 0. Rows without pairs become 0. `sums`: the errors are those of the first two sums of what
/// is minimised, added up over the rows.
/// Cost of exact: for a row of n pairs n^2 rank + n^3 / 3 flops where n < rank [Woodbury], else n rank^2 + rank^3 / 3;
/// and 4 rank^2 to turn it there and back. Of blocks: 2 rank^2 + 4 rank width, and for each block of `width` what exact
/// costs at this rank: rows are taken some at a time, so that the product with V'GV is one of matrices.
void update_implicit_rows(const RatingRows& rows, const FactorPages& columns, const ImplicitBasis& basis,
                          const ImplicitProblem& problem, const float* before, float* after, RowSums& sums);

}  // namespace strads
