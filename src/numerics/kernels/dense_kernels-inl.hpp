// Dense kernels, compiled once per target by kernels.cpp. No std:: functions here: an inline function instantiated for
// AVX-512 could be the copy that the linker keeps for everyone.
#if defined(STRADS_DENSE_KERNELS_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef STRADS_DENSE_KERNELS_INL
#undef STRADS_DENSE_KERNELS_INL
#else
#define STRADS_DENSE_KERNELS_INL
#endif

#include <cstddef>
#include <cstdint>

#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace strads::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Doubles = hn::ScalableTag<double>;
using Vector = hn::Vec<Doubles>;
constexpr std::size_t kLanes = hn::MaxLanes(Doubles());

HWY_INLINE HWY_ATTR Vector load(const double* p) {
  return hn::LoadU(Doubles(), p);
}

HWY_INLINE HWY_ATTR Vector load(const float* p) {
  return hn::PromoteTo(Doubles(), hn::LoadU(hn::Rebind<float, Doubles>(), p));
}

template <class Bytes>
HWY_INLINE HWY_ATTR Vector promote_bytes(Bytes bytes) {
  return hn::PromoteTo(Doubles(), hn::PromoteTo(hn::Rebind<std::int32_t, Doubles>(), bytes));
}

HWY_INLINE HWY_ATTR Vector load(const std::int8_t* p) {
  return promote_bytes(hn::LoadU(hn::Rebind<std::int8_t, Doubles>(), p));
}

HWY_INLINE HWY_ATTR Vector load(const std::uint8_t* p) {
  return promote_bytes(hn::LoadU(hn::Rebind<std::uint8_t, Doubles>(), p));
}

/// The first `count` < kLanes entries, zeros after; reads nothing behind them.
template <class T>
HWY_INLINE HWY_ATTR Vector load_tail(const T* p, std::size_t count) {
#if HWY_TARGET == HWY_AVX3
  const hn::Rebind<T, Doubles> type;
  const auto entries = hn::MaskedLoad(hn::FirstN(type, count), type, p);
  if constexpr (sizeof(T) == sizeof(double))
    return entries;
  else if constexpr (sizeof(T) == 1)
    return promote_bytes(entries);
  else
    return hn::PromoteTo(Doubles(), entries);
#else
  HWY_ALIGN double padded[kLanes] = {};
  for (std::size_t i = 0; i < count; ++i) padded[i] = static_cast<double>(p[i]);
  return hn::Load(Doubles(), padded);
#endif
}

HWY_INLINE HWY_ATTR void store_tail(Vector v, double* p, std::size_t count) {
#if HWY_TARGET == HWY_AVX3
  hn::BlendedStore(v, hn::FirstN(Doubles(), count), Doubles(), p);
#else
  HWY_ALIGN double padded[kLanes];
  hn::Store(v, Doubles(), padded);
  for (std::size_t i = 0; i < count; ++i) p[i] = padded[i];
#endif
}

HWY_INLINE HWY_ATTR Vector first_lanes(Vector v, std::size_t count) {
  return hn::IfThenElseZero(hn::FirstN(Doubles(), count), v);
}

HWY_INLINE HWY_ATTR double reduce(Vector v) {
  return hn::GetLane(hn::SumOfLanes(Doubles(), v));
}

HWY_INLINE HWY_ATTR double reduce(Vector a, Vector b, Vector c, Vector d) {
  return reduce(hn::Add(hn::Add(a, b), hn::Add(c, d)));
}

// --- terms of a sum: at(i) is a whole vector from row i, tail(i, count) the last, incomplete one ---

struct SumTerm {
  const double* a;
  HWY_INLINE HWY_ATTR Vector at(Vector acc, std::size_t i) const { return hn::Add(acc, load(a + i)); }
  HWY_INLINE HWY_ATTR Vector tail(Vector acc, std::size_t i, std::size_t count) const {
    return hn::Add(acc, load_tail(a + i, count));
  }
};

struct DotTerm {
  const double* a;
  const double* b;
  HWY_INLINE HWY_ATTR Vector at(Vector acc, std::size_t i) const { return hn::MulAdd(load(a + i), load(b + i), acc); }
  HWY_INLINE HWY_ATTR Vector tail(Vector acc, std::size_t i, std::size_t count) const {
    return hn::MulAdd(load_tail(a + i, count), load_tail(b + i, count), acc);
  }
};

template <class T>
struct ShiftedTerm {
  const T* x;
  double shift;
  const double* u;
  HWY_INLINE HWY_ATTR Vector at(Vector acc, std::size_t i) const {
    return hn::MulAdd(hn::Sub(load(x + i), hn::Set(Doubles(), shift)), load(u + i), acc);
  }
  HWY_INLINE HWY_ATTR Vector tail(Vector acc, std::size_t i, std::size_t count) const {
    return hn::MulAdd(hn::Sub(load_tail(x + i, count), hn::Set(Doubles(), shift)), load_tail(u + i, count), acc);
  }
};

template <class T>
struct PairTerm {
  const T* x;
  double x_shift;
  const T* y;
  double y_shift;
  HWY_INLINE HWY_ATTR Vector at(Vector acc, std::size_t i) const {
    return hn::MulAdd(hn::Sub(load(x + i), hn::Set(Doubles(), x_shift)),
                      hn::Sub(load(y + i), hn::Set(Doubles(), y_shift)), acc);
  }
  HWY_INLINE HWY_ATTR Vector tail(Vector acc, std::size_t i, std::size_t count) const {
    const Vector left = hn::Sub(load_tail(x + i, count), hn::Set(Doubles(), x_shift));
    const Vector right = hn::Sub(load_tail(y + i, count), hn::Set(Doubles(), y_shift));
    return hn::MulAdd(first_lanes(left, count), right, acc);
  }
};

/// The one order of sums: four accumulators in turn, left-over vectors to the first, the tail to the second.
template <class Term>
HWY_INLINE HWY_ATTR double accumulate(const Term& term, std::size_t n) {
  Vector acc0 = hn::Zero(Doubles()), acc1 = acc0, acc2 = acc0, acc3 = acc0;
  std::size_t i = 0;
  for (; i + 4 * kLanes <= n; i += 4 * kLanes) {
    acc0 = term.at(acc0, i);
    acc1 = term.at(acc1, i + kLanes);
    acc2 = term.at(acc2, i + 2 * kLanes);
    acc3 = term.at(acc3, i + 3 * kLanes);
  }
  for (; i + kLanes <= n; i += kLanes) acc0 = term.at(acc0, i);
  if (i < n) acc1 = term.tail(acc1, i, n - i);
  return reduce(acc0, acc1, acc2, acc3);
}

HWY_ATTR double sum(const double* a, std::size_t n) {
  return accumulate(SumTerm{a}, n);
}

HWY_ATTR double dot(const double* a, const double* b, std::size_t n) {
  return accumulate(DotTerm{a, b}, n);
}

template <class T>
HWY_ATTR double dense_dot(const T* x, double shift, const double* u, std::size_t n) {
  return accumulate(ShiftedTerm<T>{x, shift, u}, n);
}

template <class T>
HWY_ATTR double dense_pair(const T* x, double x_shift, const T* y, double y_shift, std::size_t n) {
  return accumulate(PairTerm<T>{x, x_shift, y, y_shift}, n);
}

/// The same rounding for every entry, whole vector or tail: the bits do not depend on where a row chunk starts.
template <class T>
HWY_ATTR void dense_add(const T* x, double shift, double alpha, double* v, std::size_t n) {
  const Vector shifts = hn::Set(Doubles(), shift), alphas = hn::Set(Doubles(), alpha);
  std::size_t i = 0;
  for (; i + kLanes <= n; i += kLanes) {
    hn::StoreU(hn::MulAdd(alphas, hn::Sub(load(x + i), shifts), load(v + i)), Doubles(), v + i);
  }
  if (i == n) return;
  const Vector last = hn::MulAdd(alphas, hn::Sub(load_tail(x + i, n - i), shifts), load_tail(v + i, n - i));
  store_tail(last, v + i, n - i);
}

HWY_ATTR void axpy(double alpha, const double* x, double* y, std::size_t n) {
  const Vector alphas = hn::Set(Doubles(), alpha);
  std::size_t i = 0;
  for (; i + kLanes <= n; i += kLanes) {
    hn::StoreU(hn::MulAdd(alphas, load(x + i), load(y + i)), Doubles(), y + i);
  }
  if (i < n) store_tail(hn::MulAdd(alphas, load_tail(x + i, n - i), load_tail(y + i, n - i)), y + i, n - i);
}

}  // namespace strads::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
