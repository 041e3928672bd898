// The problem as the documents define it, made from a data set by plain loops: columns, penalty, what has no penalty,
// the family's loss. Neither the standardised columns nor the gradients of the slices nor the judge are used.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "lasso/check/check_family.hpp"
#include "lasso/problem/lasso.hpp"
#include "lasso/problem/solution.hpp"
#include "regression/plain_columns.hpp"
#include "strads/base/chunks.hpp"

namespace strads::lasso {

class CheckedProblem {
 public:
  using Facts = PlainColumns::Facts;

  CheckedProblem(std::shared_ptr<const Dataset> dataset, const LassoOptions& options);
  CheckedProblem(const CheckedProblem&) = delete;  // the family looks at members
  CheckedProblem& operator=(const CheckedProblem&) = delete;

  [[nodiscard]] const Dataset& dataset() const { return *dataset_; }
  [[nodiscard]] const PlainColumns& columns() const { return columns_; }
  [[nodiscard]] const FamilyCheck& family() const { return *family_; }
  [[nodiscard]] bool is_squares() const { return squares_; }
  [[nodiscard]] bool is_ridge() const { return l1_ratio_ == 0; }
  /// Columns have norm 1.
  [[nodiscard]] bool is_unit() const { return unit_; }
  /// y~'y~, or 2 F(0).
  [[nodiscard]] double response_squared() const { return 2 * family_->null_fit().point.loss; }

  [[nodiscard]] PlainPenalty penalty(double lambda) const;
  [[nodiscard]] double factor(VarId j) const { return factors_.empty() || factors_[j] == 0 ? 1.0 : factors_[j]; }
  /// Of those that are not 0.
  [[nodiscard]] double least_factor() const;
  /// From the largest pull(x_j'r) / f_j of b = 0.
  [[nodiscard]] double lambda_max(double steepest) const;
  [[nodiscard]] PlainSums sums(const Solution& claim) const;

  // --- columns ---

  /// Of some variables, or of [begin, end), before anything else is asked about them. Thread-safe for different ones.
  void learn(std::span<const VarId> variables, Chunks& chunks);
  void learn(VarId begin, VarId end);
  [[nodiscard]] std::span<const Facts> facts() const { return facts_; }
  [[nodiscard]] bool takes_part(VarId j) const { return facts_[j].takes_part(); }
  /// sqrt(w) o x~_j, not projected.
  [[nodiscard]] std::vector<double> column(VarId j, const Facts& facts) const;
  /// What covariates leave nothing of has next to no product with a residual of this length: only such a column is
  /// asked about.
  [[nodiscard]] bool may_be_collinear(std::span<const double> products, std::span<const double> squared) const;
  /// The covariates leave nothing of it. Found out once. Thread-safe for different columns.
  [[nodiscard]] bool is_collinear(VarId j);

  // --- how far rounding may reach ---

  /// Once all is learned.
  void note_facts();
  /// Columns that vary and yet count as constant (PlainColumns::Facts::lost()), ascending.
  [[nodiscard]] std::span<const VarId> lost() const { return lost_; }
  /// Largest ratio of a length to what is left of it: of covariates when they are orthogonalised, of sparse columns
  /// when they are centred. Differences lose so many digits.
  [[nodiscard]] double flattest() const { return flattest_; }
  /// The same of any column: largest sqrt(sum w) |mu_j| / s_j.
  [[nodiscard]] double level() const { return level_; }

 private:
  enum class Collinear : std::uint8_t { unknown, no, yes };
  void find_unpenalised(bool intercept);
  void add_direction(std::vector<double> vector, double length_before);

  std::shared_ptr<const Dataset> dataset_;  ///< columns_ and family_ look at it
  PlainColumns columns_;
  bool squares_, unit_, nonnegative_;
  double l1_ratio_;
  std::vector<double> factors_;
  std::vector<Facts> facts_;          ///< by variable; kUnknown: nobody has asked for it yet
  std::vector<Collinear> collinear_;  ///< by variable
  std::vector<std::uint8_t>
      projected_;  ///< by variable: it has no penalty, and is fitted as covariates are; empty: none
  /// Orthonormal, times sqrt(w): what is projected out besides the constant; of losses of the predictor all that is
  /// fitted without a penalty.
  std::vector<std::vector<double>> basis_;
  std::vector<VarId> lost_;
  double flattest_ = 0, level_ = 0;
  std::unique_ptr<const FamilyCheck> family_;
};

}  // namespace strads::lasso
