#include "lasso/check/check_family.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace strads::lasso {
namespace {

constexpr int kStepsMax = 2000;         ///< most fits take 5 to 10
constexpr double kThere = 1e-13;        ///< of a gradient, relative to its terms
constexpr double kQuadratic = 1e-9;     ///< x the loss: below this decrement a step is taken without a look at the loss
constexpr double kNothing = 1e-16;      ///< x the loss: a decrement that no loss can show
constexpr double kFirstDamping = 1e-3;  ///< x the mean of the diagonal
constexpr double kOfGradient = 1e-12;   ///< and x the longest part of the gradient: where there is no curvature
constexpr double kDamped = 16;          ///< a step that is not taken makes the damping so much larger
constexpr double kExplainedShare = 1e-9;  ///< of ||y~||: less is left by what has no penalty: nothing

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

double dot(std::span<const double> a, std::span<const double> b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

/// v less its share of a direction.
void take_out(std::vector<double>& v, std::span<const double> direction, double squared_length) {
  const double share = dot(direction, v) / squared_length;
  for (std::size_t i = 0; i < v.size(); ++i) v[i] -= share * direction[i];
}

// --- least squares: y and X are projected off what has no penalty ---

class SquaresCheck final : public FamilyCheck {
 public:
  explicit SquaresCheck(const Data& data);
  [[nodiscard]] Fit fit(std::vector<double> fitted) const override;
  [[nodiscard]] double loss_of(std::size_t begin, std::span<const double> predictions) const override;
  [[nodiscard]] double size_of(std::size_t i, const Reach&) const override { return std::abs(response_[i]); }
  [[nodiscard]] double curvature_max() const override { return 1; }

 private:
  /// The elastic net is the Lasso of the columns (x_j, sqrt(E_j) e_j), and this its residual's.
  [[nodiscard]] double best_scale(const Point& point, double squares) const override {
    const double length = 2 * point.loss + squares;
    return length > 0 ? point.with_response / length : 0.0;
  }
  [[nodiscard]] double dual(const Point& point, std::span<const double>, double s) const override {
    return s * point.with_response - s * s * point.loss;
  }
  [[nodiscard]] Fit read_off(std::vector<double> residual) const;

  Data data_;
  std::vector<double> response_;  ///< y~
};

SquaresCheck::SquaresCheck(const Data& data)
    : FamilyCheck(data.response), data_(data), response_(data.response.begin(), data.response.end()) {
  const auto roots = data_.columns.roots();
  double largest = 0;
  for (std::size_t i = 0; i < response_.size(); ++i) {
    if (roots[i] != 0) largest = std::max(largest, std::abs(response_[i]));
  }
  const int exponent = data_.scale_y && largest > 0 ? std::ilogb(largest) : 0;
  for (double& value : response_) value = std::ldexp(value, -exponent);
  const PlainColumns::Mean mean = data_.center_y ? data_.columns.mean_of(response_) : PlainColumns::Mean{};
  for (std::size_t i = 0; i < response_.size(); ++i) {
    response_[i] = roots[i] == 0 ? 0.0 : roots[i] * mean.off(response_[i]);
  }
  const double length = std::sqrt(dot(response_, response_));
  const double before = data_.scale_y && length > 0 ? 1.0 : length;
  if (length > 0 && data_.scale_y) {
    unit_ = std::ldexp(length, exponent);
    for (double& value : response_) value /= length;
  }
  for (int twice = 0; twice < 2; ++twice) {
    for (const auto& q : data_.directions) take_out(response_, q, 1);
  }
  if (!data_.directions.empty() && !(std::sqrt(dot(response_, response_)) > kExplainedShare * before))
    std::fill(response_.begin(), response_.end(), 0.0);
  null_fit_ = read_off(response_);
  null_fit_.point.reach.largest = std::sqrt(2 * null_fit_.point.loss / data_.columns.weight());
  null_fit_.point.reach.before = before;
}

FamilyCheck::Fit SquaresCheck::read_off(std::vector<double> residual) const {
  double squares = 0, with_response = 0;
  for (std::size_t i = 0; i < residual.size(); ++i) {
    squares += residual[i] * residual[i];
    with_response += residual[i] * response_[i];
  }
  const Reach reach{.largest = null_fit_.point.reach.largest, .length = std::sqrt(squares)};
  return {{0.5 * squares, with_response, reach}, std::move(residual)};
}

FamilyCheck::Fit SquaresCheck::fit(std::vector<double> fitted) const {
  if (data_.center) take_out(fitted, data_.columns.roots(), data_.columns.weight());
  for (const auto& q : data_.directions) take_out(fitted, q, 1);
  for (std::size_t i = 0; i < fitted.size(); ++i) fitted[i] = response_[i] - fitted[i];
  return read_off(std::move(fitted));
}

double SquaresCheck::loss_of(std::size_t begin, std::span<const double> predictions) const {
  double sum = 0;
  for (std::size_t k = 0; k < predictions.size(); ++k) {
    const double root = data_.columns.roots()[begin + k];
    const double r = root == 0 ? 0.0 : root * ((data_.response[begin + k] - predictions[k]) / unit_);
    sum += 0.5 * r * r;
  }
  return sum;
}

// --- losses of the predictor, with what has no penalty fitted by Newton steps ---

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
  static constexpr double kCurvatureMax = 0.25;
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
  static constexpr double kCurvatureMax = std::numeric_limits<double>::infinity();
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

template <class Row>
class PredictorCheck final : public FamilyCheck {
 public:
  explicit PredictorCheck(const Data& data);
  [[nodiscard]] Fit fit(std::vector<double> fitted) const override;
  [[nodiscard]] double loss_of(std::size_t begin, std::span<const double> predictions) const override;
  [[nodiscard]] double size_of(std::size_t i, const Reach& reach) const override { return reach.largest * roots_[i]; }
  [[nodiscard]] double curvature_max() const override { return Row::kCurvatureMax; }

 private:
  /// Longer ones may leave the domain of the conjugate.
  [[nodiscard]] double best_scale(const Point&, double) const override { return 1; }
  /// s u'offset is less in it.
  [[nodiscard]] double dual(const Point&, std::span<const double> u, double s) const override;
  /// The quadratic at a predictor, in coordinates of the directions.
  struct Quadratic {
    std::vector<double> gradient;  ///< Z'u
    std::vector<double> matrix;    ///< Z'W Z
    double residual = 0;           ///< largest |z'u| / sum |z_i t_i|
  };
  [[nodiscard]] double loss(std::span<const double> eta) const;
  [[nodiscard]] Quadratic quadratic(std::span<const double> eta) const;
  [[nodiscard]] std::vector<double> moved(std::span<const double> eta, std::span<const double> g) const;
  [[nodiscard]] std::vector<double> without_directions(std::span<const double> eta) const;
  double solve(std::vector<double>& eta) const;
  [[nodiscard]] Fit read_off(std::span<const double> eta, double residual) const;

  Data data_;
  std::span<const double> roots_;
  std::vector<double> null_scores_;  ///< offset + Z g of the null fit
};

template <class Row>
PredictorCheck<Row>::PredictorCheck(const Data& data)
    : FamilyCheck(data.offset), data_(data), roots_(data.columns.roots()), null_scores_(roots_.size(), 0.0) {
  const std::size_t rows = roots_.size();
  for (std::size_t i = 0; i < rows; ++i) {
    if (roots_[i] != 0 && !data_.offset.empty()) null_scores_[i] = data_.offset[i];
  }
  // Of offsets that are all large exp is no number, and no step would leave it.
  if (!std::isfinite(loss(null_scores_))) null_scores_ = without_directions(null_scores_);
  const double residual = solve(null_scores_);
  null_fit_ = read_off(null_scores_, residual);
}

template <class Row>
double PredictorCheck<Row>::loss(std::span<const double> eta) const {
  return sum_by_tiles(eta.size(), [&](std::size_t i) {
    if (roots_[i] == 0) return 0.0;
    return roots_[i] * roots_[i] * Row::loss(data_.response[i], eta[i]);
  });
}

template <class Row>
double PredictorCheck<Row>::loss_of(std::size_t begin, std::span<const double> predictions) const {
  double sum = 0;
  for (std::size_t k = 0; k < predictions.size(); ++k) {
    const double root = roots_[begin + k];
    if (root == 0) continue;
    const double eta = predictions[k] + (data_.offset.empty() ? 0.0 : data_.offset[begin + k]);
    sum += root * root * Row::loss(data_.response[begin + k], eta);
  }
  return sum;
}

template <class Row>
typename PredictorCheck<Row>::Quadratic PredictorCheck<Row>::quadratic(std::span<const double> eta) const {
  const std::size_t rows = eta.size(), size = data_.directions.size();
  std::vector<double> u(rows), curvature(rows), terms_of_u(Row::kDifference ? rows : 0);  // u and t over sqrt(w)
  for (std::size_t i = 0; i < rows; ++i) {
    if (roots_[i] == 0) continue;
    const double y = data_.response[i], d = Row::missed(y, eta[i]);
    u[i] = roots_[i] * d;
    curvature[i] = Row::curvature(eta[i], d);
    if constexpr (Row::kDifference) terms_of_u[i] = roots_[i] * Row::size(y, d);
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
std::vector<double> PredictorCheck<Row>::moved(std::span<const double> eta, std::span<const double> g) const {
  std::vector<double> there(eta.begin(), eta.end());
  for (std::size_t k = 0; k < g.size(); ++k) {
    for (std::size_t i = 0; i < there.size(); ++i) {
      if (roots_[i] != 0) there[i] += g[k] * (data_.directions[k][i] / roots_[i]);
    }
  }
  return there;
}

/// What least squares on Z leaves of eta.
template <class Row>
std::vector<double> PredictorCheck<Row>::without_directions(std::span<const double> eta) const {
  const std::size_t size = data_.directions.size();
  std::vector<double> matrix(size * size, 0.0), products(size, 0.0);
  for (std::size_t i = 0; i < eta.size(); ++i) {
    if (roots_[i] == 0) continue;
    for (std::size_t k = 0; k < size; ++k) {
      products[k] -= data_.directions[k][i] * roots_[i] * eta[i];
      for (std::size_t l = 0; l < size; ++l) matrix[k * size + l] += data_.directions[k][i] * data_.directions[l][i];
    }
  }
  return moved(eta, solved(matrix, products, 0));
}

/// Moves eta along Z to the minimum, until only rounding changes it. Newton's method with Levenberg's damping: where a
/// step does not lower the loss a shorter one, nearer to the gradient's way, is tried, so that it gets away from where
/// all terms are saturated. Returns the residual.
template <class Row>
double PredictorCheck<Row>::solve(std::vector<double>& eta) const {
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
FamilyCheck::Fit PredictorCheck<Row>::read_off(std::span<const double> eta, double residual) const {
  Fit fit{{loss(eta), 0, {.residual = residual}}, std::vector<double>(eta.size(), 0.0)};
  Reach& reach = fit.point.reach;
  double squares = 0, terms = 0;
  for (std::size_t i = 0; i < eta.size(); ++i) {
    if (roots_[i] == 0) continue;
    const double y = data_.response[i], missed = Row::missed(y, eta[i]);
    fit.residual[i] = roots_[i] * missed;
    reach.largest = std::max(reach.largest, std::abs(eta[i]));
    if constexpr (Row::kDifference) {
      squares += std::pow(roots_[i] * missed, 2);
      terms += std::pow(roots_[i] * Row::size(y, missed), 2);
      reach.steepest = std::max(reach.steepest, Row::curvature(eta[i], missed));
    }
  }
  reach.length = Row::kDifference ? std::sqrt(squares) : std::sqrt(2 * fit.point.loss);
  reach.terms = std::sqrt(terms);
  return fit;
}

template <class Row>
FamilyCheck::Fit PredictorCheck<Row>::fit(std::vector<double> fitted) const {
  std::vector<double> eta = null_scores_;
  for (std::size_t i = 0; i < eta.size(); ++i) {
    if (roots_[i] != 0) eta[i] += fitted[i] / roots_[i];
  }
  const double residual = solve(eta);
  return read_off(eta, residual);
}

template <class Row>
double PredictorCheck<Row>::dual(const Point&, std::span<const double> u, double s) const {
  return sum_by_tiles(roots_.size(), [&](std::size_t i) {
    const double weight = roots_[i] * roots_[i];
    if (weight == 0) return 0.0;
    return weight * Row::dual(data_.response[i], s * u[i] / weight) -
           (data_.offset.empty() ? 0.0 : s * u[i] * data_.offset[i]);
  });
}

}  // namespace

std::unique_ptr<const FamilyCheck> family_check(Family family, const FamilyCheck::Data& data) {
  if (family->is_squares()) return std::make_unique<SquaresCheck>(data);
  switch (*family->loss) {
    case LossKind::logistic:
      return std::make_unique<PredictorCheck<RowOfClasses>>(data);
    case LossKind::poisson:
      return std::make_unique<PredictorCheck<RowOfCounts>>(data);
  }
  return nullptr;
}

FamilyCheck::Figures FamilyCheck::certificate(const Point& point, std::span<const double> u,
                                              const PlainPenalty& penalty, const PlainSums& sums) const {
  const double squares = penalty.l2 * sums.squares;
  double s = 1, of_penalty = 0;
  if (penalty.is_ridge()) {
    of_penalty = sums.products / (2 * penalty.l2);
  } else {
    s = best_scale(point, squares);
    const double longest = sums.steepest > 0 ? penalty.l1 / sums.steepest : std::numeric_limits<double>::infinity();
    s = std::clamp(s, -longest, longest);
    if (penalty.nonnegative) s = std::max(s, 0.0);
    of_penalty = 0.5 * s * s * squares;
  }
  Figures figures{point.loss + penalty.l1 * sums.norm + 0.5 * squares, 0, point.loss, point.reach};
  const double bound = dual(point, u, s) - of_penalty;
  // Not std::max, which makes 0 of what is not a number.
  figures.gap = figures.objective < bound ? 0.0 : figures.objective - bound;
  return figures;
}

}  // namespace strads::lasso
