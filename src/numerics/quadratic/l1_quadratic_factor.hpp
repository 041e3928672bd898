// A factorisation that follows a changing support. Layer: numerics. Private.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "numerics/quadratic/l1_quadratic_problem.hpp"

namespace strads::l1 {

/// Far below the largest G_jj, and enough for matrices that are singular up to rounding.
[[nodiscard]] double usual_ridge(const Problem& problem);

/// L D L' of G_JJ + ridge I for a support J that changes by a few variables at a time: a variable that comes or goes
/// costs a pass over the factor instead of a new one [GillGolub74].
///
/// A variable that goes leaves an empty place, which is a row and a column of the identity: nothing moves. Places are
/// given up when the matrix is factorised afresh.
///
/// [GillGolub74] Gill, Golub, Murray, Saunders: Methods for modifying matrix factorizations, Math. Comp. 28(126), 1974.
class SupportFactor {
 public:
  SupportFactor(Problem& problem, double ridge) : problem_(problem), ridge_(ridge) {}

  /// Makes J equal `support` (ascending): by updates, or afresh where that is cheaper. False if the matrix is not
  /// positive definite to working precision; then the factor is of no use until follow() returns true.
  /// Cost: 2 m^2 flops for each change, m^3 / 3 afresh, m places.
  [[nodiscard]] bool follow(std::span<const std::uint32_t> support);
  /// v on the support given last <- (G_JJ + ridge I)^-1 v. Cost: 2 m^2 flops.
  void solve(std::span<double> v);

 private:
  static constexpr std::uint32_t kEmpty = std::numeric_limits<std::uint32_t>::max();

  [[nodiscard]] bool factorise(std::span<const std::uint32_t> support);
  [[nodiscard]] bool append(std::uint32_t variable);
  void remove(std::size_t place);
  void forward(std::span<double> v) const;
  /// Rows below the diagonal of column c.
  [[nodiscard]] std::span<double> column(std::size_t c) { return columns_.subspan(c * stride_ + c + 1, size_ - c - 1); }
  [[nodiscard]] std::span<const double> column(std::size_t c) const {
    return columns_.subspan(c * stride_ + c + 1, size_ - c - 1);
  }

  Problem& problem_;
  double ridge_;
  bool valid_ = false;
  std::size_t size_ = 0;                  // places, empty ones included
  std::size_t stride_ = 0;                // places that there is room for
  std::vector<std::uint32_t> variables_;  // by place; kEmpty
  std::vector<std::uint32_t> places_;     // by variable; kEmpty: not in J
  std::vector<std::uint32_t> support_;    // J, ascending
  Cholesky cholesky_;                     // of J when it was factorised afresh; its memory is that of
  std::span<double> columns_;             // L, unit diagonal, column c from c * stride + c + 1 on
  std::vector<double> diagonal_;          // D
  std::vector<double> work_;
};

}  // namespace strads::l1
