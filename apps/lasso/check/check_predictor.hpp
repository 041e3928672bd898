// Losses of the linear predictor for the check of a run: the loss, and what is fitted beside X beta without a penalty,
// by a Newton iteration of its own. Formulas: docs/MODELS.md, "The Lasso".
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "lasso/family/family.hpp"

namespace strads::lasso {

/// min over g of the loss of eta = offset + scores + Z g. All vectors by row.
class PredictorCheck {
 public:
  /// What the loss is made of. All of it must outlive this.
  struct Data {
    std::span<const double> response;  ///< as the data set has it
    std::span<const double> offset;    ///< empty: 0
    std::span<const double> roots;     ///< sqrt(w_i), 0 where the row is no sample
    /// Orthonormal vectors sqrt(w) o z that span the columns of Z, the constant among them where there is an intercept.
    std::span<const std::vector<double>> directions;
  };
  /// How far rounding of the predictor reaches.
  struct Reach {
    double largest = 0;   ///< of |eta_i|
    double residual = 0;  ///< what is left of the gradient: largest |z'u| / sum |z_i t_i|, t_i what u_i is made of
    double length = 0;    ///< sqrt(sum w_i m_i^2) at most
    double steepest = 1;  ///< the second derivative of a sample's loss at most
    double terms = 0;     ///< sqrt(sum w_i t_i^2) where m_i is a difference of larger terms; else 0
  };
  /// The minimum at fixed scores.
  struct Fit {
    double loss = 0;
    std::vector<double> missed;  ///< m_i: response less what is predicted for it, 0 where the row is no sample
    Reach reach;
  };
  virtual ~PredictorCheck() = default;

  /// That of scores 0.
  [[nodiscard]] virtual const Fit& null_fit() const = 0;
  /// `scores`: x~_i'beta. Cost: some 5 to 10 passes over the rows, for each of which a direction is read twice.
  [[nodiscard]] virtual Fit fit(std::span<const double> scores) const = 0;
  /// Minus the conjugate of the loss at s u, u_i = w_i m_i, less s u'offset.
  [[nodiscard]] virtual double dual(std::span<const double> u, double s) const = 0;
  /// Sum of the loss over the rows from `begin` on, at these predictions: offsets are not in them.
  [[nodiscard]] virtual double loss_of(std::size_t begin, std::span<const double> predictions) const = 0;
};

/// Of a family; null: least squares. Also finds the null fit. Cost: as fit().
[[nodiscard]] std::unique_ptr<const PredictorCheck> predictor_check(Family family, const PredictorCheck::Data& data);

/// Sums of many terms: of tiles of 512, which are then added.
template <class Term>
double sum_by_tiles(std::size_t count, const Term& term) {
  constexpr std::size_t kTile = 512;
  double whole = 0;
  for (std::size_t begin = 0; begin < count; begin += kTile) {
    const std::size_t end = begin + kTile < count ? begin + kTile : count;
    double tile = 0;
    for (std::size_t i = begin; i < end; ++i) tile += term(i);
    whole += tile;
  }
  return whole;
}

}  // namespace strads::lasso
