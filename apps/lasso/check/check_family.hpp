// The certificate by plain arithmetic: the loss of each family of responses and its conjugate, what is fitted beside X
// beta without a penalty, objective and duality gap. The check of a run, the simulator's audit and tests have it from
// here; nothing of it is shared with the solver, its kernels or the judge. Formulas: docs/MODELS.md, "The Lasso".
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "lasso/family/family.hpp"
#include "regression/plain_columns.hpp"

namespace strads::lasso {

/// sum f_j (l1 |b_j| + l2 b_j^2 / 2), where b_j >= 0 if it is asked for.
struct PlainPenalty {
  double l1 = 0, l2 = 0;
  bool nonnegative = false;
  /// Every residual is a dual point then: the conjugate of squares is finite everywhere.
  [[nodiscard]] bool is_ridge() const { return l1 == 0 && l2 > 0; }
  /// What the l1 norm must hold against.
  [[nodiscard]] double pull(double h) const { return nonnegative ? h : (h < 0 ? -h : h); }
};

/// What coefficients and columns say of one solution.
struct PlainSums {
  double norm = 0;      ///< sum f_j |b_j|
  double squares = 0;   ///< sum f_j b_j^2
  double steepest = 0;  ///< max pull(h_j) / f_j, h_j = x_j'r - l2 f_j b_j; 0: none pulls
  double products = 0;  ///< of ridge: sum g_j^2 / f_j, g_j = x_j'r

  void add(double b, double factor) {
    norm += factor * (b < 0 ? -b : b);
    squares += factor * b * b;
  }
};

/// min over g of the loss of X beta + Z g. All vectors by row, those with a sum over samples times sqrt(w_i).
class FamilyCheck {
 public:
  /// What the loss is made of. All of it must outlive this.
  struct Data {
    std::span<const double> response;  ///< as the data set has it
    std::span<const double> offset;    ///< empty: 0
    const PlainColumns& columns;       ///< whose rows and weights those of the response are
    /// Orthonormal vectors sqrt(w) o z that span the columns of Z. Of losses of the predictor the constant is among
    /// them where there is an intercept; of least squares it is taken out before, where columns are centred.
    std::span<const std::vector<double>> directions;
    bool center = true, center_y = true, scale_y = true;  ///< of least squares
  };
  /// How far rounding of the predictor reaches.
  struct Reach {
    double largest = 0;   ///< of |eta_i|; of least squares the root mean square of y~
    double residual = 0;  ///< what is left of the gradient: largest |z'u| / sum |z_i t_i|, t_i what u_i is made of
    double length = 0;    ///< of r, or an upper bound
    double steepest = 1;  ///< the second derivative of a sample's loss at most
    double terms = 0;     ///< sqrt(sum w_i t_i^2) where m_i is a difference of larger terms; else 0
    double before = 0;    ///< of least squares: ||y~|| before covariates were projected out
  };
  /// The minimum at fixed beta, without its residual.
  struct Point {
    double loss = 0;
    double with_response = 0;  ///< of least squares: r'y~
    Reach reach{};
  };
  struct Fit {
    Point point;
    /// r_i = sqrt(w_i) m_i, m_i the response less what is predicted for it; 0 where the row is no sample.
    std::vector<double> residual;
  };
  struct Figures {
    double objective = 0;
    double gap = 0;
    double loss = 0;  ///< of the objective
    Reach reach{};
  };
  virtual ~FamilyCheck() = default;

  /// That of beta = 0.
  [[nodiscard]] const Fit& null_fit() const { return null_fit_; }
  /// `fitted`: X~ beta, times sqrt(w_i). Cost, but of least squares: some 5 to 10 passes over the rows, for each of
  /// which a direction is read twice.
  [[nodiscard]] virtual Fit fit(std::vector<double> fitted) const = 0;
  /// F(b) and F(b) - D(s r), s the best multiple that the dual allows. `u`: sqrt(w_i) r_i of the point.
  [[nodiscard]] Figures certificate(const Point& point, std::span<const double> u, const PlainPenalty& penalty,
                                    const PlainSums& sums) const;

  /// The second derivative of a sample's loss is no larger anywhere.
  [[nodiscard]] virtual double curvature_max() const = 0;

  // --- of models as they are written ---

  /// Sum of the loss over the rows from `begin` on, at these predictions: offsets are not in them.
  [[nodiscard]] virtual double loss_of(std::size_t begin, std::span<const double> predictions) const = 0;
  /// What y was divided by.
  [[nodiscard]] double unit() const { return unit_; }
  /// What a prediction is added to or taken from; empty: nothing.
  [[nodiscard]] std::span<const double> beside() const { return beside_; }
  /// Size of what a residual is made of at row i, besides X beta.
  [[nodiscard]] virtual double size_of(std::size_t i, const Reach& reach) const = 0;

 protected:
  explicit FamilyCheck(std::span<const double> beside) : beside_(beside) {}
  /// The best multiple of a residual where no penalty bounds it. `squares`: l2 sum f_j b_j^2.
  [[nodiscard]] virtual double best_scale(const Point& point, double squares) const = 0;
  /// Minus the conjugate of the loss at s u.
  [[nodiscard]] virtual double dual(const Point& point, std::span<const double> u, double s) const = 0;

  Fit null_fit_;
  double unit_ = 1;

 private:
  std::span<const double> beside_;
};

/// Of a family. Also finds the null fit. Cost: as fit().
[[nodiscard]] std::unique_ptr<const FamilyCheck> family_check(Family family, const FamilyCheck::Data& data);

}  // namespace strads::lasso
