// Logistic regression for the check of a run: the loss, and what is fitted beside X beta without a penalty, by a Newton
// iteration of its own. Formulas: docs/MODELS.md, "The Lasso".
#pragma once

#include <span>
#include <vector>

namespace strads::lasso {

/// min over g of sum w_i log(1 + exp(-y_i eta_i)) with eta = offset + scores + Z g, y_i = -1 or 1. All vectors by row.
class LogisticCheck {
 public:
  /// What the loss is made of. All of it must outlive this.
  struct Data {
    std::span<const double> classes;  ///< 0 or 1
    std::span<const double> offset;   ///< empty: 0
    std::span<const double> roots;    ///< sqrt(w_i), 0 where the row is no sample
    /// Orthonormal vectors sqrt(w) o z that span the columns of Z, the constant among them where there is an intercept.
    std::span<const std::vector<double>> directions;
  };
  /// Also finds the null fit: that of scores 0. Cost: as fit().
  explicit LogisticCheck(const Data& data);

  /// The minimum at fixed scores.
  struct Fit {
    double loss = 0;
    std::vector<double> missed;  ///< t_i - p_i, 0 where the row is no sample; t_i = 0 or 1
    double largest = 0;          ///< of |eta_i|
    double residual = 0;         ///< what is left of the gradient: largest |z'u| / sum |z_i u_i|
  };
  [[nodiscard]] const Fit& null_fit() const { return null_fit_; }
  /// `scores`: x~_i'beta. Cost: some 5 to 10 passes over the rows, for each of which a direction is read twice.
  [[nodiscard]] Fit fit(std::span<const double> scores) const;

  /// sum w_i H(q_i), the entropies in the dual at q_i = t_i - s (t_i - p_i), less s u'offset. `weighted`(i) = u_i = w_i
  /// (t_i - p_i).
  template <class Weighted>
  [[nodiscard]] double dual(const Weighted& weighted, double s) const;

 private:
  struct Quadratic;
  [[nodiscard]] double missed(std::size_t i, double eta) const;
  [[nodiscard]] double loss(std::span<const double> eta) const;
  [[nodiscard]] Quadratic quadratic(std::span<const double> eta) const;
  [[nodiscard]] std::vector<double> moved(std::span<const double> eta, std::span<const double> g) const;
  double solve(std::vector<double>& eta) const;
  [[nodiscard]] Fit read_off(std::span<const double> eta) const;
  [[nodiscard]] static double entropy(double share);

  Data data_;
  std::vector<double> null_scores_;  ///< offset + Z g of the null fit
  Fit null_fit_;
};

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

template <class Weighted>
double LogisticCheck::dual(const Weighted& weighted, double s) const {
  return sum_by_tiles(data_.roots.size(), [&](std::size_t i) {
    const double weight = data_.roots[i] * data_.roots[i];
    if (weight == 0) return 0.0;
    const double u = weighted(i);
    const double from_class = s * (u < 0 ? -u : u) / weight;  // |q_i - t_i|
    return weight * entropy(from_class) - (data_.offset.empty() ? 0.0 : s * u * data_.offset[i]);
  });
}

}  // namespace strads::lasso
