// A small problem written out: all columns as plain doubles, objective, gradients, gap and one coordinate's step at any
// coefficients. What the simulator's audit and tests go by.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "lasso/check/checked_problem.hpp"
#include "strads/base/types.hpp"
#include "strads/data/dataset.hpp"

namespace strads::lasso {

/// What is true of one b.
struct PlainCertificate {
  double objective = 0;
  double gap = 0;        ///< objective minus the dual objective at a multiple of the residual
  double explained = 0;  ///< 1 - loss / loss of b = 0
  std::uint64_t nonzeros = 0;
  std::vector<double> gradients;  ///< x_j'r
};

/// What one update of a variable does.
struct PlainStep {
  double delta = 0, decrease = 0;
};

class DenseProblem {
 public:
  DenseProblem(std::shared_ptr<const Dataset> dataset, const LassoOptions& options);

  // --- columns, with sample weights as factors sqrt(w) ---
  [[nodiscard]] VarId size() const { return static_cast<VarId>(x_.size()); }
  /// x~_j, nothing projected out of it; all 0 where it takes no part.
  [[nodiscard]] const std::vector<double>& column(VarId j) const { return x_[j]; }
  [[nodiscard]] bool takes_part(VarId j) const { return problem_->takes_part(j) && !problem_->is_collinear(j); }
  /// Stored ones: the work of an update.
  [[nodiscard]] double entries(VarId j) const { return entries_[j]; }
  /// x_j'x_k.
  [[nodiscard]] double product(VarId j, VarId k) const;

  /// Of the penalty.
  [[nodiscard]] double factor(VarId j) const { return problem_->factor(j); }
  [[nodiscard]] PlainPenalty penalty(double lambda) const { return problem_->penalty(lambda); }
  [[nodiscard]] double objective(const std::vector<double>& b, const PlainPenalty& penalty) const;
  [[nodiscard]] PlainCertificate certificate(const std::vector<double>& b, const PlainPenalty& penalty) const;
  /// What the update of one variable brings at least, where `at` is true: a gap cannot be less.
  [[nodiscard]] double largest_decrease(const std::vector<double>& b, const PlainPenalty& penalty,
                                        const PlainCertificate& at) const;
  /// The best new value of variable j where it is `value` and its gradient x_j'r is `gradient`, by the curvature that
  /// the loss has at most, or, where no curvature is the largest, that of least squares.
  [[nodiscard]] PlainStep step(VarId j, double value, double gradient, const PlainPenalty& penalty) const;
  /// The least one without nonzeros; of ridge as glmnet has it.
  [[nodiscard]] double lambda_max() const;
  /// F(0).
  [[nodiscard]] double null_objective() const { return problem_->family().null_fit().point.loss; }

 private:
  [[nodiscard]] FamilyCheck::Fit fit(const std::vector<double>& b) const;
  [[nodiscard]] double penalty_of(const std::vector<double>& b, const PlainPenalty& penalty) const;
  [[nodiscard]] double sure_decrease(VarId j, const std::vector<double>& b, const PlainPenalty& penalty,
                                     const PlainCertificate& at) const;

  std::unique_ptr<CheckedProblem> problem_;  ///< its family looks at it, so that it stays where it is
  std::vector<std::vector<double>> x_;
  std::vector<double> entries_;
  bool is_bounded_;  ///< the family has a largest curvature
};

}  // namespace strads::lasso
