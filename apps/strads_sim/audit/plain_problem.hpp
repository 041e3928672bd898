// Plain columns, a loss and the elastic net's penalty: objective, gradients, gap and one coordinate's step, from their
// definitions.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "strads/base/types.hpp"
#include "strads_sim/audit/plain_columns.hpp"

namespace strads::simulator {

/// loss + sum f_j (l1 |b_j| + l2 b_j^2 / 2), where b_j >= 0 if it is asked for.
struct PlainPenalty {
  double l1 = 0, l2 = 0;
  bool nonnegative = false;
};

/// What is true of one b.
struct PlainCertificate {
  double objective = 0;
  double gap = 0;               ///< objective minus the dual objective at a multiple of the residual
  double largest_decrease = 0;  ///< that the update of one variable brings at least: a gap cannot be less
  double explained = 0;         ///< 1 - loss / loss of b = 0
  std::uint64_t nonzeros = 0;
  std::vector<double> gradients;  ///< x_j'r
};

/// What one update of a variable does.
struct PlainStep {
  double delta = 0, decrease = 0;
};

class PlainProblem {
 public:
  virtual ~PlainProblem() = default;

  [[nodiscard]] const PlainColumns& columns() const { return columns_; }
  [[nodiscard]] double objective(const std::vector<double>& b, const PlainPenalty& penalty) const;
  [[nodiscard]] PlainCertificate certificate(const std::vector<double>& b, const PlainPenalty& penalty) const;
  /// The best new value of variable j where it is `value` and its gradient x_j'r is `gradient`, by the curvature that
  /// the loss has at most, or is taken to have.
  [[nodiscard]] PlainStep step(VarId j, double value, double gradient, const PlainPenalty& penalty) const;
  /// The least lambda without nonzeros, in units of the l1 norm's weight.
  [[nodiscard]] double l1_max(bool nonnegative) const;
  /// F(0).
  [[nodiscard]] double null_objective() const { return fit(std::vector<double>(columns_.size(), 0.0)).loss; }

 protected:
  /// `curvature`: the loss has at most this times x_j'x_j along variable j; else sure_decrease() is another one.
  PlainProblem(PlainColumns columns, double curvature) : columns_(std::move(columns)), curvature_(curvature) {}

  struct Fit {
    double loss = 0;
    std::vector<double> residual;  ///< r: minus the loss's derivatives, times sqrt(w), which the columns have too
  };
  [[nodiscard]] virtual Fit fit(const std::vector<double>& b) const = 0;
  /// What bounds the dual point.
  struct Limits {
    double steepest = 0;  ///< max pull(h_j) / f_j, h_j = x_j'r - E_j b_j; 0 if all are negative
    double ridge = 0;     ///< sum E_j b_j^2
    double l1 = 0;        ///< A_j / f_j
    bool nonnegative = false;
    /// Where there is no l1 norm every residual is a dual point: sum g_j^2 / (2 E_j), the conjugate of the squares, is
    /// taken off at s = 1.
    double conjugate = 0;
    [[nodiscard]] bool is_ridge() const { return l1 == 0; }
  };
  [[nodiscard]] virtual double dual(const Fit& fit, const Limits& limits) const = 0;
  /// What the update of variable j lowers F by at least, at `fit`.
  [[nodiscard]] virtual double sure_decrease(VarId j, double value, double gradient, const PlainPenalty& penalty,
                                             const Fit& /*fit*/) const {
    return step(j, value, gradient, penalty).decrease;
  }

  /// X b.
  [[nodiscard]] std::vector<double> scores(const std::vector<double>& b) const;
  [[nodiscard]] PlainStep step_by(double curvature, VarId j, double value, double gradient,
                                  const PlainPenalty& penalty) const;
  /// Of variable j at `value`.
  [[nodiscard]] double penalty_at(VarId j, double value, const PlainPenalty& penalty) const;

 private:
  [[nodiscard]] double penalty_of(const std::vector<double>& b, const PlainPenalty& penalty) const;
  [[nodiscard]] Limits limits(const std::vector<double>& b, const std::vector<double>& gradients,
                              const PlainPenalty& penalty) const;

  PlainColumns columns_;
  double curvature_;
};

}  // namespace strads::simulator
