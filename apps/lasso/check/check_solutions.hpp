// Objective and duality gap of solutions from the data alone: what a run says about itself came in messages, and is
// compared with this before anything is written. Formulas: docs/DESIGN.md, "Certificate".
#pragma once

#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "lasso/check/column_passes.hpp"
#include "regression/model_file.hpp"
#include "strads/base/status.hpp"

namespace strads::lasso {

/// What a run says about the problem (START).
struct ProblemClaim {
  double lambda_max = 0;
  double response_squared = 0;  ///< y~'y~; of losses of the predictor 2 F(0)
};

class SolutionCheck {
 public:
  /// `release`: give every piece of mapped columns back when it was read, since nobody else here needs it.
  SolutionCheck(std::shared_ptr<const Dataset> dataset, const LassoOptions& options, Chunks& chunks,
                bool release = false)
      : chunks_(chunks), problem_(std::move(dataset), options), passes_(problem_, chunks, release) {}

  /// Hears now and then, on the caller's thread, how many of how many readings of the columns are done.
  void tell(ColumnPasses::Progress progress) { passes_.tell(std::move(progress)); }
  /// "without fold 2, ": goes in front of the names of solutions.
  void name(std::string whose) { whose_ = std::move(whose); }
  /// For people: "lambda 3".
  [[nodiscard]] std::string name_of(const Solution& solution) const {
    return whose_ + "lambda " + std::to_string(solution.index + 1);
  }

  using Figures = FamilyCheck::Figures;
  /// Of all of them, which say lambda, and of the variables with a penalty the coefficients. Cost:
  /// ColumnPasses::figures().
  [[nodiscard]] std::vector<Figures> recompute(std::span<const Solution> claims) { return passes_.figures(claims); }
  /// Of the last recompute().
  [[nodiscard]] double lambda_max() const { return passes_.lambda_max(); }
  /// y~'y~, or 2 F(0).
  [[nodiscard]] double response_squared() const { return problem_.response_squared(); }
  /// Columns that vary and yet count as constant (PlainColumns::Facts::lost()), ascending; after recompute().
  [[nodiscard]] std::span<const VarId> lost() const { return problem_.lost(); }

  /// What is to be written of a solution.
  struct Finding {
    /// Not ok: internal, with both figures: they differ by more than 1e-10 F(0) and by more than rounding explains
    /// (rounding_of()), or coefficients are not those of variables that take part.
    Status status{};
    double objective = 0;  ///< as claimed; where that differs by more than 1e-10 F(0), from the data
    double gap = 0;        ///< the larger one of what is claimed and what the data say
    double loss = 0;       ///< from the data; after examine_written() that of the model as it is written
    double allowed = 0;    ///< what rounding may make of that
    FamilyCheck::Reach reach{};
  };
  /// Recomputes and compares. Errors: internal, with both figures, where the problem differs.
  [[nodiscard]] Result<std::vector<Finding>> examine(const ProblemClaim& problem, std::span<const Solution> claims);
  /// The same; the first error of all.
  [[nodiscard]] Status compare(const ProblemClaim& problem, std::span<const Solution> claims);

  /// Evaluates models as they are written, on the samples that they were fitted to: of each its loss and objective on
  /// the solver's scale, from raw columns, with the intercept and the coefficients of covariates that are written.
  /// Where the objective is not that of `findings`, the finding says so: a difference that rounding explains counts to
  /// the gap, another one is an error. REQUIRES: after examine() of as many claims. Cost: one reading of the columns
  /// that some model has for every 64 models, rows flops for each coefficient. All threads.
  void examine_written(const FittedPath& written, std::span<const Solution> claims, std::span<Finding> findings) const;

 private:
  struct Rounding;
  [[nodiscard]] Status acceptable(const Solution& claim) const;
  /// Of F(0): so much may rounding make of any difference.
  [[nodiscard]] double allowed() const;
  /// What roundings of predictors, and the gradient that is left of what has no penalty, leave of twice a loss that is
  /// 0, as that of counts which are all the same: it is flat there. Of least squares 0.
  [[nodiscard]] double rounding_of_loss(const FamilyCheck::Reach& reach) const;
  [[nodiscard]] bool is_other_lambda_max(double claimed) const;
  [[nodiscard]] Rounding rounding_of(const Solution& claim, const Figures& own) const;
  [[nodiscard]] Finding compared(const Solution& claim, const Figures& own) const;
  static constexpr const char* kAdvice =
      "Please report it with the command line; on a cluster, look also at who else can reach the driver's port";

  Chunks& chunks_;
  CheckedProblem problem_;
  ColumnPasses passes_;
  std::string whose_;
};

}  // namespace strads::lasso
