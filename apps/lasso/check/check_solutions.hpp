// Objective and duality gap of solutions from the data alone: what a run says about itself came in messages, and is
// compared with this before anything is written. Formulas: docs/DESIGN.md, "Certificate".
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "lasso/check/check_predictor.hpp"
#include "lasso/problem/lasso.hpp"
#include "regression/model_file.hpp"
#include "regression/plain_columns.hpp"
#include "strads/base/chunks.hpp"
#include "strads/base/status.hpp"

namespace strads::lasso {

/// What a run says about the problem (START).
struct ProblemClaim {
  double lambda_max = 0;
  double response_squared = 0;  ///< y~'y~; of losses of the predictor 2 F(0)
};

/// The problem as the documents define it, made from a data set with code of its own: neither the standardised columns
/// nor the gradients of the slices nor the judge's certificate is used.
class SolutionCheck {
 public:
  /// `release`: give every piece of mapped columns back when it was read, since nobody else here needs it.
  SolutionCheck(std::shared_ptr<const Dataset> dataset, const LassoOptions& options, Chunks& chunks,
                bool release = false);
  SolutionCheck(const SolutionCheck&) = delete;  // predictor_ looks at members
  SolutionCheck& operator=(const SolutionCheck&) = delete;

  /// Hears now and then, on the caller's thread, how many of how many readings of the columns are done.
  using Progress = std::function<void(double done, double of)>;
  void tell(Progress progress) { progress_ = std::move(progress); }
  /// "without fold 2, ": goes in front of the names of solutions.
  void name(std::string whose) { whose_ = std::move(whose); }
  /// For people: "lambda 3".
  [[nodiscard]] std::string name_of(const Solution& solution) const {
    return whose_ + "lambda " + std::to_string(solution.index + 1);
  }

  struct Figures {
    double objective = 0;
    double gap = 0;
    double loss = 0;                ///< of the objective
    PredictorCheck::Reach reach{};  ///< of losses of the predictor
  };
  /// Of all of them, which say lambda, and of the variables with a penalty the coefficients. Cost: one pass over the
  /// columns for every 8, with lambda_max for the first 7; of a path on dense columns of unit norm for every 57
  /// (check_stretch.cpp), where their residuals take little beside the columns. All threads.
  [[nodiscard]] std::vector<Figures> recompute(std::span<const Solution> claims);
  /// Of the last recompute().
  [[nodiscard]] double lambda_max() const { return lambda_max_; }
  /// y~'y~, or 2 F(0).
  [[nodiscard]] double response_squared() const { return response_squared_; }
  /// Columns that vary and yet count as constant (PlainColumns::Facts::lost()), ascending; after recompute().
  [[nodiscard]] std::span<const VarId> lost() const { return lost_; }

  /// What is to be written of a solution.
  struct Finding {
    /// Not ok: internal, with both figures: they differ by more than 1e-10 F(0) and by more than rounding explains
    /// (rounding_of()), or coefficients are not those of variables that take part.
    Status status{};
    double objective = 0;  ///< as claimed; where that differs by more than 1e-10 F(0), from the data
    double gap = 0;        ///< the larger one of what is claimed and what the data say
    double loss = 0;       ///< from the data; after examine_written() that of the model as it is written
    double allowed = 0;    ///< what rounding may make of that
    PredictorCheck::Reach reach{};
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
  struct Batch;
  struct Between;
  class Steepest;
  enum class Collinear : std::uint8_t { unknown, no, yes };
  struct PenaltySums {
    double l1 = 0, squares = 0;  ///< sum f_j |b_j|, sum f_j b_j^2
  };
  [[nodiscard]] double factor(VarId j) const { return factors_.empty() || factors_[j] == 0 ? 1.0 : factors_[j]; }
  /// Of the squares of a solution.
  [[nodiscard]] double l2_of(double lambda) const { return lambda * (1 - l1_ratio_) * squares_share(); }
  [[nodiscard]] double pull(double h) const { return nonnegative_ ? h : (h < 0 ? -h : h); }
  void find_unpenalised(std::span<const std::vector<double>> covariates);
  void add_direction(std::vector<double> vector, double length_before);
  [[nodiscard]] std::vector<double> column(VarId j, const PlainColumns::Facts& facts) const;
  void standardise_response();
  [[nodiscard]] bool takes_part(VarId j) const { return facts_[j].takes_part(); }
  [[nodiscard]] bool is_collinear(VarId j) const;
  [[nodiscard]] bool is_known_collinear(VarId j);
  [[nodiscard]] Status acceptable(const Solution& claim) const;
  [[nodiscard]] PlainColumns::Facts facts_in_solver(VarId j) const;
  void learn(std::span<const VarId> variables);
  void load(Batch& batch, std::span<const Solution> claims);
  void subtract_fits(Batch& batch, std::span<const Solution> claims) const;
  void project(Batch& batch) const;
  void pass(Batch& batch, Between* between);
  void expect(std::span<const VarId> variables) const;
  void note_facts();
  void add_response(Batch& batch, std::size_t filled) const;
  [[nodiscard]] bool is_ridge() const { return l1_ratio_ == 0; }
  [[nodiscard]] double squares_share() const;
  using ByPlace = std::array<double, 8>;  ///< kBatch
  ByPlace pass_piece(const Batch& batch, VarId begin, VarId end, Steepest& steepest, Between* between);
  void add_products(const Batch& batch, VarId begin, VarId end, std::span<const double> products, ByPlace& sums);
  [[nodiscard]] bool may_be_collinear(const Batch& batch, std::span<const double> products) const;
  [[nodiscard]] double conjugate(const Batch& batch, std::size_t place, const PenaltySums& sums) const;
  void look_for_pull(const Batch& batch, VarId begin, VarId end, std::span<const double> products);
  [[nodiscard]] double steepest_of(const Batch& batch, std::size_t place, const PenaltySums& sums) const;
  [[nodiscard]] bool is_other_lambda_max(double claimed, double allowed) const;
  [[nodiscard]] std::size_t references_of(bool with_response) const;
  [[nodiscard]] std::size_t stretch_length(bool with_response) const;
  void check_stretch(Batch& references, std::span<const Solution> claims, std::vector<Figures>& figures);
  void place_between(Between& between, const Batch& references) const;
  void look_between(Between& between, VarId begin, VarId end, std::span<const double> products) const;
  void raise(Between& between, std::size_t group, std::span<const VarId> variables);
  [[nodiscard]] PenaltySums penalty_sums(const Solution& claim) const;
  [[nodiscard]] Figures figures_of(const Batch& batch, std::size_t place, const Solution& claim) const;
  [[nodiscard]] Figures squares_figures(const Batch& batch, std::size_t place, double lambda,
                                        const PenaltySums& sums) const;
  // Of losses of the predictor (check_predictor.cpp).
  void prepare_predictor(Family family);
  void fit_predictor(Batch& batch, std::size_t filled) const;
  [[nodiscard]] Figures predictor_figures(const Batch& batch, std::size_t place, double lambda,
                                          const PenaltySums& sums) const;
  // Of rounding (check_rounding.cpp).
  /// What rounding may make of a solution's objective and of its gap.
  struct Rounding {
    double objective = 0, gap = 0;
  };
  [[nodiscard]] Rounding rounding_of(const Solution& claim, const Figures& own) const;
  [[nodiscard]] Finding compared(const Solution& claim, const Figures& own) const;
  // Of what is written (check_written.cpp).
  [[nodiscard]] double loss_of_rows(std::size_t begin, std::span<const double> predictions) const;
  template <class OfRows>
  [[nodiscard]] std::vector<double> sums_of_written(const FittedPath& written, std::size_t first, std::size_t count,
                                                    bool magnitude, const OfRows& of_rows) const;
  [[nodiscard]] double penalty_of(const FittedPath& written, std::size_t step, double lambda) const;
  [[nodiscard]] double rounding_of_written(const FittedPath& written, std::size_t step, double loss,
                                           const PredictorCheck::Reach& reach) const;

  std::shared_ptr<const Dataset> dataset_;
  PlainColumns columns_;
  Chunks& chunks_;
  bool release_;
  double l1_ratio_;
  bool nonnegative_, center_, unit_, center_y_, scale_y_;
  bool beside_, intercept_;  ///< what has no penalty is fitted beside X b; an intercept is among it
  std::vector<double> factors_;
  std::vector<PlainColumns::Facts> facts_;  ///< by variable; kUnknown: nobody has asked for it yet
  std::vector<Collinear> collinear_;        ///< by variable
  std::vector<std::uint8_t> projected_;     ///< by variable: no penalty, projected out; empty: none
  /// Orthonormal, times sqrt(w): what is projected out besides the constant; of losses of the predictor all that is
  /// fitted without a penalty.
  std::vector<std::vector<double>> basis_;
  std::vector<double> response_;                     ///< y~
  std::unique_ptr<const PredictorCheck> predictor_;  ///< in place of y~ and of projections; null: least squares
  double response_squared_ = 0;
  double lambda_max_ = 0;
  /// Whether a column's product with the response is more than rounding makes of 0; after the first pass.
  std::atomic<bool> pulls_ = false;
  std::vector<VarId> lost_;
  double response_norm_ = 1;    ///< what y was divided by
  double response_length_ = 0;  ///< then: ||y~|| before covariates were projected out
  /// Largest ratio of a length to what is left of it: of covariates when they are orthogonalised, of sparse columns
  /// when they are centred. Differences lose so many digits.
  double flattest_ = 0;
  double level_ = 0;  ///< the same of any column: largest sqrt(sum w) |mu_j| / s_j
  Progress progress_;
  std::string whose_;
  double passes_done_ = 0, passes_ = 0;  ///< readings of the columns, of recompute()
};

}  // namespace strads::lasso
