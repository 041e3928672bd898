// The elastic net of plain columns: objective, gradients, gap and one coordinate's step, from their definitions.
#pragma once

#include <cstdint>
#include <vector>

#include "strads/base/types.hpp"
#include "strads_sim/audit/plain_columns.hpp"

namespace strads::simulator {

/// 1/2 ||y - X b||^2 + sum f_j (l1 |b_j| + l2 b_j^2 / 2), where b_j >= 0 if it is asked for.
struct PlainPenalty {
  double l1 = 0, l2 = 0;
  bool nonnegative = false;
};

/// What is true of one b.
struct PlainCertificate {
  double objective = 0;
  double gap = 0;               ///< objective minus the dual objective at the best multiple of the residual
  double largest_decrease = 0;  ///< that the update of one variable brings: a gap cannot be less
  double explained = 0;         ///< 1 - r'r / y'y
  std::uint64_t nonzeros = 0;
  std::vector<double> gradients;  ///< x_j'r
};

/// What one update of a variable does.
struct PlainStep {
  double delta = 0, decrease = 0;
};

class PlainLasso {
 public:
  explicit PlainLasso(PlainColumns columns) : columns_(std::move(columns)) {}

  [[nodiscard]] const PlainColumns& columns() const { return columns_; }
  [[nodiscard]] std::vector<double> residual(const std::vector<double>& b) const;
  [[nodiscard]] double objective(const std::vector<double>& b, const PlainPenalty& penalty) const;
  [[nodiscard]] PlainCertificate certificate(const std::vector<double>& b, const PlainPenalty& penalty) const;
  /// The best new value of variable j where it is `value` and its gradient x_j'r is `gradient`.
  [[nodiscard]] PlainStep step(VarId j, double value, double gradient, const PlainPenalty& penalty) const;
  /// The least lambda without nonzeros, in units of the l1 norm's weight.
  [[nodiscard]] double l1_max(bool nonnegative) const;

 private:
  [[nodiscard]] double penalty_of(const std::vector<double>& b, const PlainPenalty& penalty) const;
  [[nodiscard]] double dual(const std::vector<double>& b, const std::vector<double>& r,
                            const std::vector<double>& gradients, const PlainPenalty& penalty) const;

  PlainColumns columns_;
};

}  // namespace strads::simulator
