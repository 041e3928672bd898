// Kernels of dosages of 16 bits, compiled once per target by kernels.cpp. No std:: functions here: see dense_kernels.
#if defined(STRADS_DOSAGE_KERNELS_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef STRADS_DOSAGE_KERNELS_INL
#undef STRADS_DOSAGE_KERNELS_INL
#else
#define STRADS_DOSAGE_KERNELS_INL
#endif

#include <cstddef>
#include <cstdint>

#include "hwy/highway.h"
#include "numerics/kernels/dense_kernels-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace strads::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// A column as numbers: exact, since a unit is a power of two; `missing` where there is no dosage.
struct DosageColumn {
  const std::uint16_t* x;
  double missing;

  HWY_INLINE HWY_ATTR Vector decoded(Vector codes) const {
    const Vector none = hn::Set(Doubles(), 65535.0), unit = hn::Set(Doubles(), 1.0 / 16384);
    return hn::IfThenElse(hn::Eq(codes, none), hn::Set(Doubles(), missing), hn::Mul(codes, unit));
  }
  HWY_INLINE HWY_ATTR Vector at(std::size_t i) const {
    const auto codes = hn::LoadU(hn::Rebind<std::uint16_t, Doubles>(), x + i);
    return decoded(hn::PromoteTo(Doubles(), hn::PromoteTo(hn::Rebind<std::int32_t, Doubles>(), codes)));
  }
  /// The first `count` < kLanes from row i, zeros after; reads nothing behind them.
  HWY_INLINE HWY_ATTR Vector tail(std::size_t i, std::size_t count) const {
    HWY_ALIGN double padded[kLanes] = {};
    for (std::size_t k = 0; k < count; ++k) padded[k] = static_cast<double>(x[i + k]);
    return first_lanes(decoded(hn::Load(Doubles(), padded)), count);
  }
};

struct DosageTerm {
  DosageColumn x;
  double shift;
  const double* u;
  HWY_INLINE HWY_ATTR Vector at(Vector acc, std::size_t i) const {
    return hn::MulAdd(hn::Sub(x.at(i), hn::Set(Doubles(), shift)), load(u + i), acc);
  }
  HWY_INLINE HWY_ATTR Vector tail(Vector acc, std::size_t i, std::size_t count) const {
    return hn::MulAdd(hn::Sub(x.tail(i, count), hn::Set(Doubles(), shift)), load_tail(u + i, count), acc);
  }
};

struct DosagePairTerm {
  DosageColumn x;
  double x_shift;
  DosageColumn y;
  double y_shift;
  HWY_INLINE HWY_ATTR Vector at(Vector acc, std::size_t i) const {
    return hn::MulAdd(hn::Sub(x.at(i), hn::Set(Doubles(), x_shift)), hn::Sub(y.at(i), hn::Set(Doubles(), y_shift)),
                      acc);
  }
  HWY_INLINE HWY_ATTR Vector tail(Vector acc, std::size_t i, std::size_t count) const {
    const Vector left = hn::Sub(x.tail(i, count), hn::Set(Doubles(), x_shift));
    const Vector right = hn::Sub(y.tail(i, count), hn::Set(Doubles(), y_shift));
    return hn::MulAdd(first_lanes(left, count), right, acc);
  }
};

HWY_ATTR double dosage_dot(const std::uint16_t* x, double missing, double shift, const double* u, std::size_t n) {
  return accumulate(DosageTerm{{x, missing}, shift, u}, n);
}

HWY_ATTR double dosage_pair(const std::uint16_t* x, double x_missing, double x_shift, const std::uint16_t* y,
                            double y_missing, double y_shift, std::size_t n) {
  return accumulate(DosagePairTerm{{x, x_missing}, x_shift, {y, y_missing}, y_shift}, n);
}

/// The same rounding for every entry, as dense_add.
HWY_ATTR void dosage_add(const std::uint16_t* x, double missing, double shift, double alpha, double* v, std::size_t n) {
  const DosageColumn column{x, missing};
  const Vector shifts = hn::Set(Doubles(), shift), alphas = hn::Set(Doubles(), alpha);
  std::size_t i = 0;
  for (; i + kLanes <= n; i += kLanes) {
    hn::StoreU(hn::MulAdd(alphas, hn::Sub(column.at(i), shifts), load(v + i)), Doubles(), v + i);
  }
  if (i == n) return;
  store_tail(hn::MulAdd(alphas, hn::Sub(column.tail(i, n - i), shifts), load_tail(v + i, n - i)), v + i, n - i);
}

}  // namespace strads::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
