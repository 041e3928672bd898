// Sums over samples of the logistic loss, compiled once per target by kernels.cpp. Formulas:
// strads/numerics/losses.hpp. No std:: functions here: see dense_kernels-inl.hpp.
#if defined(STRADS_LOGISTIC_KERNELS_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef STRADS_LOGISTIC_KERNELS_INL
#undef STRADS_LOGISTIC_KERNELS_INL
#else
#define STRADS_LOGISTIC_KERNELS_INL
#endif

#include <cstddef>

#include "hwy/contrib/math/math-inl.h"
#include "hwy/highway.h"
#include "numerics/kernels/dense_kernels-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace strads::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// What is known of some samples at their margins m = y eta: e = exp(-|m|).
struct Margins {
  static constexpr double kLeast = 1e-300;  ///< of e: nothing is divided by 0
  Vector m, e;
  hn::Mask<Doubles> right;  ///< m >= 0

  HWY_INLINE HWY_ATTR explicit Margins(Vector margin)
      : m(margin),
        e(hn::Max(hn::Exp(Doubles(), hn::Neg(hn::Abs(margin))), hn::Set(Doubles(), kLeast))),
        right(hn::Ge(margin, hn::Zero(Doubles()))) {}
  [[nodiscard]] HWY_INLINE HWY_ATTR Vector one() const { return hn::Set(Doubles(), 1.0); }
  /// q = 1 / (1 + exp(m)): the probability of the other class.
  [[nodiscard]] HWY_INLINE HWY_ATTR Vector wrong() const {
    return hn::Div(hn::IfThenElse(right, e, one()), hn::Add(one(), e));
  }
  /// 1 - q, without cancellation.
  [[nodiscard]] HWY_INLINE HWY_ATTR Vector not_wrong() const {
    return hn::Div(hn::IfThenElse(right, one(), e), hn::Add(one(), e));
  }
  /// log(1 + exp(-m)).
  [[nodiscard]] HWY_INLINE HWY_ATTR Vector loss() const {
    return hn::Add(hn::Log1p(Doubles(), e), hn::Max(hn::Neg(m), hn::Zero(Doubles())));
  }
};

/// Calls body(i, count) for every vector of rows; `count` < kLanes for the last one only.
template <class Body>
HWY_INLINE HWY_ATTR void for_each_vector(std::size_t n, const Body& body) {
  std::size_t i = 0;
  for (; i + kLanes <= n; i += kLanes) body(i, kLanes);
  if (i < n) body(i, n - i);
}

HWY_INLINE HWY_ATTR Vector load_some(const double* p, std::size_t count) {
  return count == kLanes ? load(p) : load_tail(p, count);
}

HWY_INLINE HWY_ATTR void store_some(Vector v, double* p, std::size_t count) {
  if (count == kLanes) return hn::StoreU(v, Doubles(), p);
  store_tail(v, p, count);
}

/// The weight of samples; without weights 1 where there is a class, y = -1 or 1.
HWY_INLINE HWY_ATTR Vector weight_of(const double* w, Vector y, std::size_t i, std::size_t count) {
  return w == nullptr ? hn::Mul(y, y) : load_some(w + i, count);
}

HWY_ATTR double logistic_terms(const double* eta, const double* y, const double* w, double* slope, double* curvature,
                               std::size_t n) {
  Vector total = hn::Zero(Doubles());
  for_each_vector(n, [&](std::size_t i, std::size_t count) HWY_ATTR {
    const Vector sign = load_some(y + i, count), weight = weight_of(w, sign, i, count);
    const Margins at(hn::Mul(sign, load_some(eta + i, count)));
    const Vector wrong = at.wrong();
    store_some(hn::Mul(hn::Mul(weight, sign), wrong), slope + i, count);
    store_some(hn::Mul(weight, hn::Mul(wrong, at.not_wrong())), curvature + i, count);
    total = hn::Add(total, hn::Mul(weight, at.loss()));
  });
  return hn::GetLane(hn::SumOfLanes(Doubles(), total));
}

HWY_ATTR void logistic_change(const double* eta, const double* y, const double* w, const double* v, double step,
                              std::size_t n, double* sums) {
  constexpr double kSmall = 2;  // of a margin's change: beyond it a difference of losses is exact enough
  const Doubles d;
  const Vector one = hn::Set(d, 1.0), factor = hn::Set(d, step);
  Vector change = hn::Zero(d), slope = hn::Zero(d), curvature = hn::Zero(d);
  for_each_vector(n, [&](std::size_t i, std::size_t count) HWY_ATTR {
    const Vector sign = load_some(y + i, count), weight = weight_of(w, sign, i, count);
    const Vector along = hn::Mul(sign, load_some(v + i, count)), moved = hn::Mul(factor, along);
    const Margins before(hn::Mul(sign, load_some(eta + i, count)));
    const auto small = hn::Le(hn::Abs(moved), hn::Set(d, kSmall));
    const Vector wrong = before.wrong();
    const Vector growth = hn::Expm1(d, hn::Neg(hn::IfThenElseZero(small, moved)));
    const Vector part = hn::Mul(wrong, growth);
    Vector rise = hn::Log1p(d, part);
    Vector q = hn::Div(hn::Add(wrong, part), hn::Add(one, part));
    Vector p = hn::Div(before.not_wrong(), hn::Add(one, part));
    if (!hn::AllTrue(d, small)) {
      const Margins after(hn::Add(before.m, moved));
      rise = hn::IfThenElse(small, rise, hn::Sub(after.loss(), before.loss()));
      q = hn::IfThenElse(small, q, after.wrong());
      p = hn::IfThenElse(small, p, after.not_wrong());
    }
    change = hn::Add(change, hn::Mul(weight, rise));
    slope = hn::Sub(slope, hn::Mul(weight, hn::Mul(along, q)));
    curvature = hn::Add(curvature, hn::Mul(hn::Mul(weight, hn::Mul(along, along)), hn::Mul(q, p)));
  });
  sums[0] += hn::GetLane(hn::SumOfLanes(d, change));
  sums[1] += hn::GetLane(hn::SumOfLanes(d, slope));
  sums[2] += hn::GetLane(hn::SumOfLanes(d, curvature));
}

HWY_ATTR double logistic_divergence(const double* eta, const double* y, const double* w, double s, double s_log_s,
                                    std::size_t n) {
  const Doubles d;
  const Vector scale = hn::Set(d, s), rest = hn::Set(d, 1 - s), one = hn::Set(d, 1.0), entropy = hn::Set(d, s_log_s);
  Vector total = hn::Zero(d);
  for_each_vector(n, [&](std::size_t i, std::size_t count) HWY_ATTR {
    const Vector sign = load_some(y + i, count), weight = weight_of(w, sign, i, count);
    const Margins at(hn::Mul(sign, load_some(eta + i, count)));
    const Vector q = at.wrong(), ratio = hn::Div(hn::Mul(q, rest), at.not_wrong());
    const Vector left = hn::Mul(q, entropy);
    const Vector right = hn::Mul(hn::Sub(one, hn::Mul(scale, q)), hn::Log1p(d, ratio));
    total = hn::Add(total, hn::Mul(weight, hn::Max(hn::Add(left, right), hn::Zero(d))));
  });
  return hn::GetLane(hn::SumOfLanes(d, total));
}

}  // namespace strads::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
