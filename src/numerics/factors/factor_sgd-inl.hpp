// The sgd kernel, compiled once per target by factor_sgd.cpp. No std:: functions here: an inline function instantiated
// for AVX-512 could be the copy that the linker keeps for everyone.
#if defined(STRADS_FACTOR_SGD_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef STRADS_FACTOR_SGD_INL
#undef STRADS_FACTOR_SGD_INL
#else
#define STRADS_FACTOR_SGD_INL
#endif

#include <cstddef>
#include <cstdint>

#include "hwy/cache_control.h"
#include "hwy/highway.h"
#include "numerics/factors/factor_sgd_kernels.hpp"

HWY_BEFORE_NAMESPACE();
namespace strads::HWY_NAMESPACE::sgd {
namespace hn = hwy::HWY_NAMESPACE;

constexpr std::size_t kSlow = 8;    ///< factors of the slow learner
constexpr std::size_t kAhead = 12;  ///< ratings whose records are fetched ahead
constexpr std::size_t kLine = 16;   ///< floats of a cache line

#if HWY_TARGET == HWY_SCALAR

constexpr std::size_t kLanes = 1;

struct Constants {
  explicit Constants(const SgdCell& cell) : shares(cell.shares) {
    for (std::size_t a = 0; a < 4; ++a) rates[a] = cell.rate * cell.steps[a];
  }
  const float* shares;
  float rates[4];
};

HWY_INLINE HWY_ATTR float root(float x) {
  const hn::CappedTag<float, 1> one;
  return hn::GetLane(hn::Sqrt(hn::Set(one, x)));
}

/// One rating without vectors: what targets with one lane do.
template <std::size_t kVectors>
HWY_INLINE HWY_ATTR float step(float value, float lambda_row, float lambda_column, std::size_t stride,
                               const Constants& constants, float* row, float* column) {
  const std::size_t bias = stride - 4;
  float error = value - row[bias] - column[bias];
  for (std::size_t k = 0; k < bias; ++k) error -= row[k] * column[k];
  float row_steps[4], column_steps[4], row_norms[4] = {}, column_norms[4] = {};
  for (std::size_t a = 1; a < 4; ++a) {
    row_steps[a] = constants.rates[a] / root(row[bias + a]);
    column_steps[a] = constants.rates[a] / root(column[bias + a]);
  }
  for (std::size_t k = 0; k <= bias; ++k) {
    const std::size_t a = k == bias ? 1 : k < kSlow ? 2 : 3;
    const float p = row[k], q = column[k];
    const float row_gradient = lambda_row * p - error * (k == bias ? 1 : q);
    const float column_gradient = lambda_column * q - error * (k == bias ? 1 : p);
    row[k] = p - row_steps[a] * row_gradient;
    column[k] = q - column_steps[a] * column_gradient;
    row_norms[a] += row_gradient * row_gradient;
    column_norms[a] += column_gradient * column_gradient;
  }
  for (std::size_t a = 1; a < 4; ++a) {
    row[bias + a] += constants.shares[a] * row_norms[a];
    column[bias + a] += constants.shares[a] * column_norms[a];
  }
  return error;
}

#else

using Floats = hn::ScalableTag<float>;
using Vector = hn::Vec<Floats>;
using Quad = hn::Full128<float>;  ///< the last four floats of a record: bias, its accumulator, slow, fast
using QuadVector = hn::Vec<Quad>;
constexpr std::size_t kLanes = hn::MaxLanes(Floats());

static_assert(kLanes == 4 || kLanes == 8 || kLanes == 16);

/// Sums of lanes that are four apart.
HWY_INLINE HWY_ATTR QuadVector fold(Vector v) {
#if HWY_TARGET == HWY_AVX3
  const hn::Full256<float> half;
  const auto h = hn::Add(hn::LowerHalf(half, v), hn::UpperHalf(half, v));
  return hn::Add(hn::LowerHalf(Quad(), h), hn::UpperHalf(Quad(), h));
#elif HWY_TARGET == HWY_AVX2
  return hn::Add(hn::LowerHalf(Quad(), v), hn::UpperHalf(Quad(), v));
#else
  return v;
#endif
}

HWY_INLINE HWY_ATTR float sum(Vector v) {
  return hn::GetLane(hn::SumOfLanes(Quad(), fold(v)));
}

/// The last four lanes.
HWY_INLINE HWY_ATTR QuadVector last_lanes(Vector v) {
#if HWY_TARGET == HWY_AVX3
  const hn::Full256<float> half;
  return hn::UpperHalf(Quad(), hn::UpperHalf(half, v));
#elif HWY_TARGET == HWY_AVX2
  return hn::UpperHalf(Quad(), v);
#else
  return v;
#endif
}

/// `q` as the last four lanes, zeros before.
HWY_INLINE HWY_ATTR Vector as_last_lanes(QuadVector q) {
#if HWY_TARGET == HWY_AVX3
  const hn::Full256<float> half;
  return hn::Combine(Floats(), hn::Combine(half, q, hn::Zero(Quad())), hn::Zero(half));
#elif HWY_TARGET == HWY_AVX2
  return hn::Combine(Floats(), q, hn::Zero(Quad()));
#else
  return q;
#endif
}

/// Squared gradients of the first eight factors and of the others, folded: what a pass over a record collects.
struct Norms {
  QuadVector slow;
  Vector fast;

  HWY_INLINE HWY_ATTR Norms() : slow(hn::Zero(Quad())), fast(hn::Zero(Floats())) {}

  HWY_INLINE HWY_ATTR void add(std::size_t vector, Vector gradient) {
#if HWY_TARGET == HWY_AVX3
    const hn::Full256<float> half;
    if (vector == 0) {
      const auto squares = hn::Mul(gradient, gradient);
      const auto low = hn::LowerHalf(half, squares);
      slow = hn::Add(hn::LowerHalf(Quad(), low), hn::UpperHalf(Quad(), low));
      fast = hn::IfThenZeroElse(hn::FirstN(Floats(), kSlow), squares);
      return;
    }
#else
    if (vector < kSlow / kLanes) {
      slow = hn::Add(slow, fold(hn::Mul(gradient, gradient)));
      return;
    }
#endif
    fast = hn::MulAdd(gradient, gradient, fast);
  }

  /// (0, bias^2, slow, fast) from the bias' gradient in lane 0.
  HWY_INLINE HWY_ATTR QuadVector totals(QuadVector bias) const {
    const QuadVector others = fold(fast);
    const QuadVector pairs =
        hn::Add(hn::InterleaveLower(Quad(), slow, others), hn::InterleaveUpper(Quad(), slow, others));
    const QuadVector both = hn::Add(pairs, hn::Shuffle1032(pairs));
    const QuadVector squared = hn::ShiftLeftLanes<1>(Quad(), hn::Mul(bias, bias));
    return hn::ConcatUpperLower(Quad(), both, squared);
  }
};

/// What is the same for all ratings of a cell.
struct Constants {
  HWY_INLINE HWY_ATTR explicit Constants(const SgdCell& cell)
      : shares(hn::LoadU(Quad(), cell.shares)),
        rates(hn::Mul(hn::Set(Quad(), cell.rate), hn::LoadU(Quad(), cell.steps))),
        own(hn::FirstN(Floats(), kLanes - 3)),
        factors(hn::FirstN(Floats(), kLanes - 4)) {}
  QuadVector shares, rates;
  /// Lanes of a record's last vector.
  hn::Mask<Floats> own;      ///< factors and the bias
  hn::Mask<Floats> factors;  ///< what is before the bias
};

/// rate / sqrt of the accumulators of both records: lanes of the row, then of the column. The lanes of the biases are
/// never used: a bias may be negative.
HWY_INLINE HWY_ATTR void store_steps(QuadVector row, QuadVector column, QuadVector rates, float* lanes) {
#if HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX2
  const hn::Full256<float> both;
  hn::Store(hn::Div(hn::Combine(both, rates, rates), hn::Sqrt(hn::Combine(both, column, row))), both, lanes);
#else
  hn::Store(hn::Div(rates, hn::Sqrt(row)), Quad(), lanes);
  hn::Store(hn::Div(rates, hn::Sqrt(column)), Quad(), lanes + 4);
#endif
}

/// The steps of one record, from four lanes of store_steps.
struct Steps {
  HWY_INLINE HWY_ATTR explicit Steps(const float* lanes)
      : bias(hn::Set(Floats(), lanes[1])), slow(hn::Set(Floats(), lanes[2])), fast(hn::Set(Floats(), lanes[3])) {
    if constexpr (kLanes > kSlow) slow = hn::IfThenElse(hn::FirstN(Floats(), kSlow), slow, fast);
  }
  HWY_INLINE HWY_ATTR Vector of(std::size_t vector) const {
    return vector < (kSlow + kLanes - 1) / kLanes ? slow : fast;
  }
  HWY_INLINE HWY_ATTR Vector of_last(std::size_t vector, const Constants& constants) const {
    return hn::IfThenElse(constants.factors, of(vector), bias);
  }
  Vector bias, slow, fast;
};

/// One rating: both records take a step along the gradient of the old values of both.
template <std::size_t kVectors>
HWY_INLINE HWY_ATTR float step(float value, float lambda_row, float lambda_column, std::size_t stride,
                               const Constants& constants, float* row, float* column) {
  const Floats d;
  const std::size_t last = (kVectors != 0 ? kVectors : stride / kLanes) - 1;
  const Vector row_last = hn::Load(d, row + last * kLanes), column_last = hn::Load(d, column + last * kLanes);
  // In the bias lane the other side is 1; accumulators take no part.
  const Vector one = hn::IfThenElseZero(constants.own, hn::Set(d, 1.0F));
  const Vector row_unit = hn::IfThenElse(constants.factors, row_last, one);
  const Vector column_unit = hn::IfThenElse(constants.factors, column_last, one);

  Vector products = hn::Mul(row_last, column_unit);
  for (std::size_t v = 0; v < last; ++v) {
    products = hn::MulAdd(hn::Load(d, row + v * kLanes), hn::Load(d, column + v * kLanes), products);
  }
  const float error = (value - column[stride - 4]) - sum(products);
  const Vector e = hn::Set(d, error), l_row = hn::Set(d, lambda_row), l_column = hn::Set(d, lambda_column);

  HWY_ALIGN float lanes[8];
  store_steps(last_lanes(row_last), last_lanes(column_last), constants.rates, lanes);
  const Steps row_steps(lanes), column_steps(lanes + 4);
  Norms row_norms, column_norms;
  for (std::size_t v = 0; v < last; ++v) {
    const Vector p = hn::Load(d, row + v * kLanes), q = hn::Load(d, column + v * kLanes);
    const Vector row_gradient = hn::NegMulAdd(e, q, hn::Mul(l_row, p));
    const Vector column_gradient = hn::NegMulAdd(e, p, hn::Mul(l_column, q));
    hn::Store(hn::NegMulAdd(row_steps.of(v), row_gradient, p), d, row + v * kLanes);
    hn::Store(hn::NegMulAdd(column_steps.of(v), column_gradient, q), d, column + v * kLanes);
    row_norms.add(v, row_gradient);
    column_norms.add(v, column_gradient);
  }
  const Vector row_gradient =
      hn::NegMulAdd(e, column_unit, hn::Mul(l_row, hn::IfThenElseZero(constants.own, row_last)));
  const Vector column_gradient =
      hn::NegMulAdd(e, row_unit, hn::Mul(l_column, hn::IfThenElseZero(constants.own, column_last)));
  row_norms.add(last, hn::IfThenElseZero(constants.factors, row_gradient));
  column_norms.add(last, hn::IfThenElseZero(constants.factors, column_gradient));
  const QuadVector row_more = hn::Mul(constants.shares, row_norms.totals(last_lanes(row_gradient)));
  const QuadVector column_more = hn::Mul(constants.shares, column_norms.totals(last_lanes(column_gradient)));
  const Vector row_next = hn::NegMulAdd(row_steps.of_last(last, constants), row_gradient, row_last);
  const Vector column_next = hn::NegMulAdd(column_steps.of_last(last, constants), column_gradient, column_last);
  hn::Store(hn::Add(row_next, as_last_lanes(row_more)), d, row + last * kLanes);
  hn::Store(hn::Add(column_next, as_last_lanes(column_more)), d, column + last * kLanes);
  return error;
}

#endif  // HWY_SCALAR

HWY_INLINE HWY_ATTR void fetch(const float* record, std::size_t stride) {
  for (std::size_t i = 0; i < stride; i += kLine) hwy::Prefetch(record + i);
}

/// `kLines`: cache lines of a record, 0: any number. `rows`, `columns`: those of the cell, narrow or wide.
template <std::size_t kLines, class Index>
HWY_ATTR double pass(const SgdCell& cell, const Index* rows, const Index* columns, float* row_page,
                     float* column_page) {
  const Constants constants(cell);
  const std::size_t stride = kLines != 0 ? kLines * kLine : cell.stride;
  double squared = 0;
  for (std::size_t n = 0; n < cell.ratings; ++n) {
    if (n + kAhead < cell.ratings) {
      fetch(row_page + rows[n + kAhead] * stride, stride);
      fetch(column_page + columns[n + kAhead] * stride, stride);
    }
    const std::size_t i = rows[n], j = columns[n];
    const float value = (cell.codes != nullptr ? cell.levels[cell.codes[n]] : cell.values[n]) - cell.mean;
    const float l_row = cell.row_multipliers == nullptr ? cell.lambda_row : cell.lambda_row * cell.row_multipliers[i];
    const float l_column =
        cell.column_multipliers == nullptr ? cell.lambda_column : cell.lambda_column * cell.column_multipliers[j];
    const float error = step<kLines * kLine / kLanes>(value, l_row, l_column, stride, constants, row_page + i * stride,
                                                      column_page + j * stride);
    squared += static_cast<double>(error) * static_cast<double>(error);
  }
  return squared;
}

template <class Index>
HWY_ATTR double pass_of(const SgdCell& cell, const Index* rows, const Index* columns, float* row_page,
                        float* column_page) {
  switch (cell.stride / kLine) {
    case 1:
      return pass<1>(cell, rows, columns, row_page, column_page);
    case 2:
      return pass<2>(cell, rows, columns, row_page, column_page);
    case 3:
      return pass<3>(cell, rows, columns, row_page, column_page);
    case 4:
      return pass<4>(cell, rows, columns, row_page, column_page);
    default:
      return pass<0>(cell, rows, columns, row_page, column_page);
  }
}

HWY_ATTR double any_pass(const SgdCell& cell, float* row_page, float* column_page) {
  return cell.narrow_rows != nullptr ? pass_of(cell, cell.narrow_rows, cell.narrow_columns, row_page, column_page)
                                     : pass_of(cell, cell.rows, cell.columns, row_page, column_page);
}

}  // namespace strads::HWY_NAMESPACE::sgd
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
