#include "lasso/check/check_predictor.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "lasso/check/check_batch.hpp"

namespace strads::lasso {
namespace {

constexpr int kStepsMax = 2000;         ///< most fits take 5 to 10
constexpr double kThere = 1e-13;        ///< of a gradient, relative to its terms
constexpr double kQuadratic = 1e-9;     ///< x the loss: below this decrement a step is taken without a look at the loss
constexpr double kNothing = 1e-16;      ///< x the loss: a decrement that no loss can show
constexpr double kFirstDamping = 1e-3;  ///< x the mean of the diagonal
constexpr double kOfGradient = 1e-12;   ///< and x the longest part of the gradient: where there is no curvature
constexpr double kDamped = 16;          ///< a step that is not taken makes the damping so much larger

/// a = L L', in place, lower part; false where it is not positive definite.
bool factorise(std::vector<double>& a, std::size_t size) {
  for (std::size_t k = 0; k < size; ++k) {
    for (std::size_t l = 0; l <= k; ++l) {
      double rest = a[k * size + l];
      for (std::size_t m = 0; m < l; ++m) rest -= a[k * size + m] * a[l * size + m];
      if (l == k && !(rest > std::numeric_limits<double>::min())) return false;
      a[k * size + l] = l == k ? std::sqrt(rest) : rest / a[l * size + l];
    }
  }
  return true;
}

/// (a + damping I)^-1 b of a symmetric matrix; empty: that is not positive definite.
std::vector<double> solved(std::vector<double> a, std::vector<double> b, double damping) {
  const std::size_t size = b.size();
  for (std::size_t k = 0; k < size; ++k) a[k * size + k] += damping;
  if (!factorise(a, size)) return {};
  for (std::size_t k = 0; k < size; ++k) {
    for (std::size_t l = 0; l < k; ++l) b[k] -= a[k * size + l] * b[l];
    b[k] /= a[k * size + k];
  }
  for (std::size_t k = size; k-- > 0;) {
    for (std::size_t l = k + 1; l < size; ++l) b[k] -= a[l * size + k] * b[l];
    b[k] /= a[k * size + k];
  }
  return b;
}

// --- what a sample says, of each loss: with code of its own ---

/// Two classes, y = 0 or 1.
struct RowOfClasses {
  static double missed(double y, double eta) { return y > 0.5 ? 1 / (1 + std::exp(eta)) : -1 / (1 + std::exp(-eta)); }
  static double loss(double y, double eta) {
    const double margin = y > 0.5 ? eta : -eta;
    return std::log1p(std::exp(-std::abs(margin))) + std::max(0.0, -margin);
  }
  static double curvature(double, double missed) { return std::abs(missed) * (1 - std::abs(missed)); }
  /// What is missed is no difference.
  static constexpr bool kDifference = false;
  static double size(double, double missed) { return std::abs(missed); }
  /// Minus the conjugate at the dual point `point` = s m_i: the entropy -a log a - (1 - a) log(1 - a), a its distance
  /// from the class.
  static double dual(double, double point) {
    const double share = std::abs(point);
    if (!(share > 0)) return share == 0 ? 0.0 : share;  // not a number: shows
    if (share >= 1) return 0;
    return -share * std::log(share) - (1 - share) * std::log1p(-share);
  }
};

/// Counts: half of the deviance.
struct RowOfCounts {
  /// x a count: what rounding makes of a dual point that is the whole count, where next to none is expected.
  static constexpr double kOfPoint = 8 * std::numeric_limits<double>::epsilon();
  static double missed(double y, double eta) { return y - std::exp(eta); }
  static double loss(double y, double eta) {
    if (y == 0) return std::exp(eta);
    const double off = eta - std::log(y);
    return y * (std::expm1(off) - off);
  }
  static double curvature(double eta, double) { return std::exp(eta); }
  static constexpr bool kDifference = true;
  static double size(double y, double missed) { return y + (y - missed); }
  /// y log y - y - (m log m - m) at m = y - point.
  static double dual(double y, double point) {
    const double rest = y - point, m = std::max(rest, 0.0);
    if (rest < -kOfPoint * y) return -std::numeric_limits<double>::infinity();  // outside of the conjugate's domain
    if (y == 0) return m == 0 ? 0.0 : m - m * std::log(m);
    const double of_ratio = m == 0 ? 0.0 : m * (std::abs(point) < y / 2 ? std::log1p(-point / y) : std::log(m / y));
    return point * std::log(y) - point - of_ratio;
  }
};

// --- the fit ---

template <class Row>
class PredictorCheckOf final : public PredictorCheck {
 public:
  explicit PredictorCheckOf(const Data& data);
  [[nodiscard]] const Fit& null_fit() const override { return null_fit_; }
  [[nodiscard]] Fit fit(std::span<const double> scores) const override;
  [[nodiscard]] double dual(std::span<const double> u, double s) const override;
  [[nodiscard]] double loss_of(std::size_t begin, std::span<const double> predictions) const override;

 private:
  /// The quadratic at a predictor, in coordinates of the directions.
  struct Quadratic {
    std::vector<double> gradient;  ///< Z'u
    std::vector<double> matrix;    ///< Z'W Z
    double residual = 0;           ///< largest |z'u| / sum |z_i t_i|
  };
  [[nodiscard]] double loss(std::span<const double> eta) const;
  [[nodiscard]] Quadratic quadratic(std::span<const double> eta) const;
  [[nodiscard]] std::vector<double> moved(std::span<const double> eta, std::span<const double> g) const;
  double solve(std::vector<double>& eta) const;
  [[nodiscard]] Fit read_off(std::span<const double> eta, double residual) const;

  Data data_;
  std::vector<double> null_scores_;  ///< offset + Z g of the null fit
  Fit null_fit_;
};

template <class Row>
PredictorCheckOf<Row>::PredictorCheckOf(const Data& data) : data_(data), null_scores_(data.roots.size(), 0.0) {
  const std::size_t rows = data_.roots.size();
  for (std::size_t i = 0; i < rows; ++i) {
    if (data_.roots[i] != 0 && !data_.offset.empty()) null_scores_[i] = data_.offset[i];
  }
  const double residual = solve(null_scores_);
  null_fit_ = read_off(null_scores_, residual);
}

template <class Row>
double PredictorCheckOf<Row>::loss(std::span<const double> eta) const {
  return sum_by_tiles(eta.size(), [&](std::size_t i) {
    if (data_.roots[i] == 0) return 0.0;
    return data_.roots[i] * data_.roots[i] * Row::loss(data_.response[i], eta[i]);
  });
}

template <class Row>
double PredictorCheckOf<Row>::loss_of(std::size_t begin, std::span<const double> predictions) const {
  double sum = 0;
  for (std::size_t k = 0; k < predictions.size(); ++k) {
    const double root = data_.roots[begin + k];
    if (root == 0) continue;
    const double eta = predictions[k] + (data_.offset.empty() ? 0.0 : data_.offset[begin + k]);
    sum += root * root * Row::loss(data_.response[begin + k], eta);
  }
  return sum;
}

template <class Row>
typename PredictorCheckOf<Row>::Quadratic PredictorCheckOf<Row>::quadratic(std::span<const double> eta) const {
  const std::size_t rows = eta.size(), size = data_.directions.size();
  std::vector<double> u(rows), curvature(rows), terms_of_u(Row::kDifference ? rows : 0);  // u and t over sqrt(w)
  for (std::size_t i = 0; i < rows; ++i) {
    if (data_.roots[i] == 0) continue;
    const double y = data_.response[i], d = Row::missed(y, eta[i]);
    u[i] = data_.roots[i] * d;
    curvature[i] = Row::curvature(eta[i], d);
    if constexpr (Row::kDifference) terms_of_u[i] = data_.roots[i] * Row::size(y, d);
  }
  const std::vector<double>& made_of = Row::kDifference ? terms_of_u : u;
  Quadratic at{std::vector<double>(size), std::vector<double>(size * size)};
  for (std::size_t k = 0; k < size; ++k) {
    const auto& z = data_.directions[k];
    at.gradient[k] = sum_by_tiles(rows, [&](std::size_t i) { return z[i] * u[i]; });
    const double terms = sum_by_tiles(rows, [&](std::size_t i) { return std::abs(z[i] * made_of[i]); });
    if (terms > 0) at.residual = std::max(at.residual, std::abs(at.gradient[k]) / terms);
    for (std::size_t l = 0; l <= k; ++l) {
      const auto& other = data_.directions[l];
      at.matrix[k * size + l] = at.matrix[l * size + k] =
          sum_by_tiles(rows, [&](std::size_t i) { return z[i] * other[i] * curvature[i]; });
    }
  }
  return at;
}

/// eta + Z g.
template <class Row>
std::vector<double> PredictorCheckOf<Row>::moved(std::span<const double> eta, std::span<const double> g) const {
  std::vector<double> there(eta.begin(), eta.end());
  for (std::size_t k = 0; k < g.size(); ++k) {
    for (std::size_t i = 0; i < there.size(); ++i) {
      if (data_.roots[i] != 0) there[i] += g[k] * (data_.directions[k][i] / data_.roots[i]);
    }
  }
  return there;
}

/// Moves eta along Z to the minimum, until only rounding changes it. Newton's method with Levenberg's damping: where a
/// step does not lower the loss a shorter one, nearer to the gradient's way, is tried, so that it gets away from where
/// all terms are saturated. Returns the residual.
template <class Row>
double PredictorCheckOf<Row>::solve(std::vector<double>& eta) const {
  if (data_.directions.empty()) return 0;
  double loss_here = loss(eta), before = std::numeric_limits<double>::infinity(), damping = 0;
  Quadratic at = quadratic(eta);
  bool is_near = false;  // where losses no longer tell steps apart, damping has no use
  for (int n = 0; n < kStepsMax && at.residual > kThere; ++n) {
    double trace = 0, steepest = 0;
    for (std::size_t k = 0; k < at.gradient.size(); ++k) {
      trace += at.matrix[k * at.gradient.size() + k];
      steepest = std::max(steepest, std::abs(at.gradient[k]));
    }
    const std::vector<double> g = solved(at.matrix, at.gradient, damping);
    double decrement = 0;
    for (std::size_t k = 0; k < g.size(); ++k) decrement += g[k] * at.gradient[k];
    bool taken = false;
    if (damping > 0 && !is_near && decrement > 0 && decrement < kQuadratic * loss_here) {
      is_near = true;
      damping = 0;
      continue;
    }
    if (decrement > 0) {
      const bool whole = damping == 0 && decrement < kQuadratic * loss_here;
      if (whole && !(decrement < before / 4)) break;
      std::vector<double> there = moved(eta, g);
      const double loss_there = loss(there);
      taken = whole || loss_there < loss_here;
      if (whole) before = decrement;
      if (taken) {
        eta = std::move(there);
        loss_here = loss_there;
        at = quadratic(eta);
        damping = damping > kOfGradient * trace ? damping / kDamped : 0.0;
      }
    }
    if (taken) continue;
    if (!g.empty() && decrement < kNothing * loss_here) break;
    const double size = static_cast<double>(at.gradient.size());
    damping = std::max(kDamped * damping, kFirstDamping * trace / size + kOfGradient * steepest);
    if (!(damping < 1e300)) break;
  }
  return at.residual;
}

template <class Row>
PredictorCheck::Fit PredictorCheckOf<Row>::read_off(std::span<const double> eta, double residual) const {
  Fit fit{loss(eta), std::vector<double>(eta.size(), 0.0), {.residual = residual}};
  double squares = 0, terms = 0;
  for (std::size_t i = 0; i < eta.size(); ++i) {
    if (data_.roots[i] == 0) continue;
    const double y = data_.response[i], missed = Row::missed(y, eta[i]);
    fit.missed[i] = missed;
    fit.reach.largest = std::max(fit.reach.largest, std::abs(eta[i]));
    if constexpr (Row::kDifference) {
      squares += std::pow(data_.roots[i] * missed, 2);
      terms += std::pow(data_.roots[i] * Row::size(y, missed), 2);
      fit.reach.steepest = std::max(fit.reach.steepest, Row::curvature(eta[i], missed));
    }
  }
  fit.reach.length = Row::kDifference ? std::sqrt(squares) : std::sqrt(2 * fit.loss);
  fit.reach.terms = std::sqrt(terms);
  return fit;
}

template <class Row>
PredictorCheck::Fit PredictorCheckOf<Row>::fit(std::span<const double> scores) const {
  std::vector<double> eta = null_scores_;
  for (std::size_t i = 0; i < eta.size(); ++i) eta[i] += scores[i];
  const double residual = solve(eta);
  return read_off(eta, residual);
}

template <class Row>
double PredictorCheckOf<Row>::dual(std::span<const double> u, double s) const {
  return sum_by_tiles(data_.roots.size(), [&](std::size_t i) {
    const double weight = data_.roots[i] * data_.roots[i];
    if (weight == 0) return 0.0;
    return weight * Row::dual(data_.response[i], s * u[i] / weight) -
           (data_.offset.empty() ? 0.0 : s * u[i] * data_.offset[i]);
  });
}

}  // namespace

std::unique_ptr<const PredictorCheck> predictor_check(Family family, const PredictorCheck::Data& data) {
  if (family->is_squares()) return nullptr;
  switch (*family->loss) {
    case LossKind::logistic:
      return std::make_unique<PredictorCheckOf<RowOfClasses>>(data);
    case LossKind::poisson:
      return std::make_unique<PredictorCheckOf<RowOfCounts>>(data);
  }
  return nullptr;
}

// --- its part of SolutionCheck ---

/// The null fit in place of y~.
void SolutionCheck::prepare_predictor(Family family) {
  predictor_ = predictor_check(family, {dataset_->response(), dataset_->offset(), columns_.roots(), basis_});
  response_squared_ = 2 * predictor_->null_fit().loss;
}

/// What X~ b of the places left becomes: losses, and the residuals w_i m_i for the columns. The null fit's are
/// the last where they are asked for.
void SolutionCheck::fit_predictor(Batch& batch, std::size_t filled) const {
  const std::size_t rows = columns_.rows();
  chunks_.for_each(filled, [&](std::size_t k) {
    PredictorCheck::Fit own;
    if (k < batch.claims.size()) {
      std::vector<double> scores(rows, 0.0);
      for (std::size_t i = 0; i < rows; ++i) {
        const double root = columns_.roots()[i];
        if (root != 0) scores[i] = -batch.residuals[columns_.place(i, k, batch.width)] / root;
      }
      own = predictor_->fit(scores);
    }
    const PredictorCheck::Fit& fit = k < batch.claims.size() ? own : predictor_->null_fit();
    batch.loss[k] = fit.loss;
    batch.reach[k] = fit.reach;
    for (std::size_t i = 0; i < rows; ++i) {
      const double root = columns_.roots()[i];
      const double r = root * fit.missed[i];
      batch.residuals[columns_.place(i, k, batch.width)] = root * r;
      batch.squared[k] += r * r;
      batch.totals[k] += root * r;
    }
  });
}

/// F(b) - D(s u) as docs/MODELS.md has it, u the residual and s at most 1.
SolutionCheck::Figures SolutionCheck::predictor_figures(const Batch& batch, std::size_t place, double lambda,
                                                        const PenaltySums& sums) const {
  const double steepest = steepest_of(batch, place, sums), l1 = lambda * l1_ratio_;
  const double s = steepest > l1 && !is_ridge() ? l1 / steepest : 1.0;
  std::vector<double> u(columns_.rows());
  for (std::size_t i = 0; i < u.size(); ++i) u[i] = batch.residuals[columns_.place(i, place, batch.width)];
  Figures figures;
  figures.loss = batch.loss[place];
  figures.reach = batch.reach[place];
  figures.objective = figures.loss + l1 * sums.l1 + 0.5 * batch.l2[place] * sums.squares;
  const double of_penalty = is_ridge() ? conjugate(batch, place, sums) : 0.5 * s * s * batch.l2[place] * sums.squares;
  const double dual = predictor_->dual(u, s) - of_penalty;
  // Not std::max, which makes 0 of what is not a number.
  figures.gap = figures.objective < dual ? 0.0 : figures.objective - dual;
  return figures;
}

}  // namespace strads::lasso
