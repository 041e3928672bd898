// Sums over samples of the loss of counts, compiled once per target by kernels.cpp. Formulas:
// strads/numerics/losses.hpp. No std:: functions here: see dense_kernels-inl.hpp.
#if defined(STRADS_POISSON_KERNELS_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef STRADS_POISSON_KERNELS_INL
#undef STRADS_POISSON_KERNELS_INL
#else
#define STRADS_POISSON_KERNELS_INL
#endif

#include <cstddef>

#include "hwy/contrib/math/math-inl.h"
#include "hwy/highway.h"
#include "numerics/kernels/dense_kernels-inl.hpp"
#include "numerics/kernels/logistic_kernels-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace strads::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// exp of no more than 700, so that there is a number.
HWY_INLINE HWY_ATTR Vector expected_count(Vector eta) {
  return hn::Exp(Doubles(), hn::Min(eta, hn::Set(Doubles(), 700.0)));
}

/// exp(x) - 1 - x: of short x by its series, where the difference has no digits.
HWY_INLINE HWY_ATTR Vector above_tangent(Vector x, Vector expm1) {
  const Doubles d;
  Vector series = hn::Set(d, 1.0 / 40320);
  for (const double factor : {1.0 / 5040, 1.0 / 720, 1.0 / 120, 1.0 / 24, 1.0 / 6, 0.5}) {
    series = hn::Add(hn::Mul(series, x), hn::Set(d, factor));
  }
  const auto is_short = hn::Le(hn::Abs(x), hn::Set(d, 0.05));
  return hn::IfThenElse(is_short, hn::Mul(series, hn::Mul(x, x)), hn::Sub(expm1, x));
}

HWY_ATTR double poisson_terms(const double* eta, const double* y, const double* w, double* slope, double* curvature,
                              std::size_t n) {
  const Doubles d;
  Vector total = hn::Zero(d);
  for_each_vector(n, [&](std::size_t i, std::size_t count) HWY_ATTR {
    const Vector own = load_some(y + i, count), weight = load_some(w + i, count), at = load_some(eta + i, count);
    const Vector mu = expected_count(at);
    store_some(hn::Mul(weight, hn::Sub(own, mu)), slope + i, count);
    store_some(hn::Mul(weight, mu), curvature + i, count);
    const auto some = hn::Gt(own, hn::Zero(d));
    const Vector off = hn::Min(hn::Sub(at, hn::Log(d, hn::IfThenElse(some, own, hn::Set(d, 1.0)))), hn::Set(d, 700.0));
    const Vector part = hn::Mul(own, above_tangent(off, hn::Expm1(d, off)));
    total = hn::Add(total, hn::Mul(weight, hn::IfThenElse(some, part, mu)));
  });
  return hn::GetLane(hn::SumOfLanes(d, total));
}

HWY_ATTR void poisson_change(const double* eta, const double* y, const double* w, const double* v, double step,
                             std::size_t n, double* sums) {
  constexpr double kSmall = 2;  // of a predictor's change: beyond it a difference of losses is exact enough
  const Doubles d;
  const Vector factor = hn::Set(d, step);
  Vector change = hn::Zero(d), slope = hn::Zero(d), curvature = hn::Zero(d);
  for_each_vector(n, [&](std::size_t i, std::size_t count) HWY_ATTR {
    const Vector own = load_some(y + i, count), weight = load_some(w + i, count), at = load_some(eta + i, count);
    const Vector along = load_some(v + i, count), moved = hn::Mul(factor, along), mu = expected_count(at);
    const auto small = hn::Le(hn::Abs(moved), hn::Set(d, kSmall));
    const Vector growth = hn::Expm1(d, hn::IfThenElseZero(small, moved));
    Vector there = hn::Add(mu, hn::Mul(mu, growth));
    Vector rise = hn::Add(hn::Mul(hn::Sub(mu, own), moved), hn::Mul(mu, above_tangent(moved, growth)));
    if (!hn::AllTrue(d, small)) {
      const Vector far = expected_count(hn::Add(at, moved));
      rise = hn::IfThenElse(small, rise, hn::Sub(hn::Sub(far, mu), hn::Mul(own, moved)));
      there = hn::IfThenElse(small, there, far);
    }
    change = hn::Add(change, hn::Mul(weight, rise));
    slope = hn::Add(slope, hn::Mul(weight, hn::Mul(along, hn::Sub(there, own))));
    curvature = hn::Add(curvature, hn::Mul(hn::Mul(weight, hn::Mul(along, along)), there));
  });
  sums[0] += hn::GetLane(hn::SumOfLanes(d, change));
  sums[1] += hn::GetLane(hn::SumOfLanes(d, slope));
  sums[2] += hn::GetLane(hn::SumOfLanes(d, curvature));
}

/// With m = s mu + (1 - s) y = mu (1 + part): w (m log(m / mu) - m + mu).
HWY_ATTR double poisson_divergence(const double* eta, const double* y, const double* w, double s, double,
                                   std::size_t n) {
  const Doubles d;
  const Vector scale = hn::Set(d, s), rest = hn::Set(d, 1 - s), one = hn::Set(d, 1.0), least = hn::Set(d, 1e-300);
  Vector total = hn::Zero(d);
  for_each_vector(n, [&](std::size_t i, std::size_t count) HWY_ATTR {
    const Vector own = load_some(y + i, count), weight = load_some(w + i, count), at = load_some(eta + i, count);
    const Vector mu = expected_count(at), m = hn::Add(hn::Mul(scale, mu), hn::Mul(rest, own));
    const Vector part = hn::Div(hn::Mul(rest, hn::Sub(own, mu)), hn::Max(mu, least));
    const auto near = hn::Le(part, one);
    const Vector bounded = hn::Max(hn::IfThenElseZero(near, part), hn::Set(d, -1 + 1e-15));
    const Vector close = hn::Mul(mu, hn::Sub(hn::Mul(hn::Add(one, bounded), hn::Log1p(d, bounded)), bounded));
    const Vector ratio = hn::Sub(hn::Log(d, hn::Max(m, least)), at);
    const Vector far = hn::Add(hn::Sub(hn::Mul(m, ratio), m), mu);
    total = hn::Add(total, hn::Mul(weight, hn::Max(hn::IfThenElse(near, close, far), hn::Zero(d))));
  });
  return hn::GetLane(hn::SumOfLanes(d, total));
}

}  // namespace strads::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
